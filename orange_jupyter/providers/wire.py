"""Messages and tools as the JSON of a chat-completions request (wire rows 13-21)."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from orange_jupyter.core.messages import Image, Message, Reasoning, Request, Role, ToolCall, ToolResult, ToolSchema
from orange_jupyter.providers.dialect import EmptyContent
from orange_jupyter.providers.placement import Piece, placed, seen, split
from orange_jupyter.providers.schema import portable
from orange_jupyter.providers.speech import Wording
from orange_jupyter.providers.strings import OPENAI_IDS, clean_json, wire_id, wire_name

_MALFORMED_SHOWN = 2_000


def chat_body(wording: Wording, request: Request) -> dict[str, Any]:
    """The JSON body: always streaming, the tools only when there are any (row 13)."""
    settings, dialect = wording.settings, wording.dialect
    body: dict[str, Any] = {"model": settings.model, "stream": True, **settings.extra_body}
    if dialect.stream_options:
        body["stream_options"] = {"include_usage": True}
    if settings.max_output:
        body[dialect.max_tokens] = min(settings.max_output, dialect.most_output or settings.max_output)
    if dialect.reasoning_effort and request.tools:
        body["reasoning_effort"] = dialect.reasoning_effort
    if request.tools:
        body["tools"] = [_tool(schema) for schema in request.tools]
    body["messages"] = _Chat(wording).messages(request.messages)
    cleaned: dict[str, Any] = clean_json(body)
    return cleaned


def sent_arguments(call: ToolCall) -> dict[str, Any]:
    """A call's arguments as history: an object, also when the model's were none (row 8)."""
    return call.arguments if call.arguments is not None else {"malformed_arguments": call.raw[:_MALFORMED_SHOWN]}


class _Chat:
    """The messages of one request."""

    def __init__(self, wording: Wording) -> None:
        self._wording = wording
        self._settings = wording.settings
        self._dialect = wording.dialect
        self._ids = wording.dialect.ids or OPENAI_IDS

    def messages(self, messages: tuple[Message, ...]) -> list[dict[str, Any]]:
        """One system message first; the pictures of a batch of tool results in one user message after it (row 16)."""
        system, stretches = split(messages)
        sent: list[dict[str, Any]] = [{"role": "system", "content": system}] if system else []
        for role, stretch in stretches:
            match role:
                case Role.TOOL:
                    sent += self._results(stretch)
                case Role.USER:
                    sent += [self._user(message) for message in stretch]
                case _:
                    sent += [self._assistant(message) for message in stretch]
        return sent

    def _results(self, batch: list[Message]) -> list[dict[str, Any]]:
        together = placed(self._wording, batch, inside=False)
        sent = [self._result(result) for result, _ in together.results]
        return [*sent, {"role": "user", "content": _content(together.after)}] if together.after else sent

    def _result(self, result: ToolResult) -> dict[str, Any]:
        return {"role": "tool", "tool_call_id": wire_id(result.call_id, self._ids), "content": result.content}

    def _user(self, message: Message) -> dict[str, Any]:
        pieces = [seen(self._wording, part) for part in message.parts if isinstance(part, Image)]
        if not pieces:
            return {"role": "user", "content": message.text}
        return {"role": "user", "content": _content([message.text, *pieces] if message.text else pieces)}

    def _assistant(self, message: Message) -> dict[str, Any]:
        sent: dict[str, Any] = {"role": "assistant"}
        same_model = message.model == self._settings.model
        calls = [self._call(call, with_extra=same_model) for call in message.calls]
        self._put_content(sent, message.text, has_calls=bool(calls))
        if calls and same_model and self._settings.reasoning_back and self._dialect.reasoning:
            sent |= _reasoning(message)
        if calls:
            sent["tool_calls"] = calls
        return sent

    def _put_content(self, sent: dict[str, Any], text: str, *, has_calls: bool) -> None:
        if text or not has_calls:
            sent["content"] = text
            return
        match self._settings.empty_content or self._dialect.empty_content:
            case EmptyContent.NULL:
                sent["content"] = None
            case EmptyContent.EMPTY:
                sent["content"] = ""
            case EmptyContent.ABSENT:
                pass

    def _call(self, call: ToolCall, *, with_extra: bool) -> dict[str, Any]:
        text = json.dumps(clean_json(sent_arguments(call)), ensure_ascii=False)
        own = {
            "id": wire_id(call.id, self._ids),
            "type": "function",
            "function": {"name": wire_name(call.name), "arguments": text},
        }
        return {**(call.extra if with_extra else {}), **own}


def _content(pieces: Iterable[Piece]) -> list[dict[str, Any]] | str:
    """Text alone goes as a plain string: servers without vision refuse a list."""
    kept = list(pieces)
    texts = [piece for piece in kept if isinstance(piece, str)]
    if len(texts) == len(kept):
        return "\n".join(texts)
    return [
        {"type": "text", "text": piece}
        if isinstance(piece, str)
        else {"type": "image_url", "image_url": {"url": piece.url}}
        for piece in kept
    ]


def _reasoning(message: Message) -> dict[str, str]:
    """Reasoning in the field it came in, to the model it came from (row 17).

    Tags in the text never go back, nor does reasoning that another API signed.
    """
    found: dict[str, str] = {}
    for part in message.parts:
        if isinstance(part, Reasoning) and part.field != "think" and part.signature is None:
            found[part.field] = found.get(part.field, "") + part.text
    return found


def _tool(schema: ToolSchema) -> dict[str, Any]:
    return {
        "type": "function",
        "function": {
            "name": wire_name(schema.name),
            "description": schema.description,
            "parameters": portable(schema.parameters),
        },
    }
