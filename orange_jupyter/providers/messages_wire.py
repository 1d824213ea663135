"""Messages and tools as the JSON of an Anthropic messages request (wire rows 13-19, 21, 28)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from orange_jupyter.core.messages import (
    Image,
    Message,
    Reasoning,
    Request,
    Role,
    Text,
    ToolCall,
    ToolResult,
    ToolSchema,
)
from orange_jupyter.providers.placement import Picture, Piece, placed, seen, split
from orange_jupyter.providers.schema import portable
from orange_jupyter.providers.speech import Wording
from orange_jupyter.providers.strings import ANTHROPIC_IDS, clean_json, wire_id, wire_name
from orange_jupyter.providers.wire import sent_arguments

_USUAL_OUTPUT = 16_384
"""Tokens of an answer where nothing is configured: the API wants a number. A server that takes less names its bound."""

_CACHED_TURNS = 2
_MARK = {"type": "ephemeral"}

Block = dict[str, Any]


def messages_body(wording: Wording, request: Request) -> dict[str, Any]:
    """The JSON body: always streaming, tools before system before messages, at most four marks for the cache."""
    settings, dialect = wording.settings, wording.dialect
    wanted = settings.max_output or _USUAL_OUTPUT
    body: dict[str, Any] = {
        "model": settings.model,
        "max_tokens": min(wanted, dialect.most_output or wanted),
        "stream": True,
        **settings.extra_body,
    }
    system, stretches = split(request.messages)
    if request.tools:
        body["tools"] = [_tool(schema) for schema in request.tools]
    if system.strip():
        body["system"] = [{"type": "text", "text": system}]
    body["messages"] = _Turns(wording).alternating(stretches)
    cleaned: dict[str, Any] = clean_json(body)
    return _marked(cleaned) if dialect.cache_marks else cleaned


class _Turns:
    """The messages of one request: user and assistant in turn, every block with something in it."""

    def __init__(self, wording: Wording) -> None:
        self._wording = wording
        self._ids = wording.dialect.ids or ANTHROPIC_IDS

    def alternating(self, stretches: Iterable[tuple[Role, list[Message]]]) -> list[dict[str, Any]]:
        """Results and what a person says are one user turn, the results first; the first turn is a user's."""
        turns: list[dict[str, Any]] = []
        for role, stretch in stretches:
            speaker = "assistant" if role is Role.ASSISTANT else "user"
            blocks = [block for message in self._stretch(role, stretch) for block in message]
            if not blocks:
                continue
            if not turns and speaker == "assistant":
                turns.append({"role": "user", "content": _texts(["[The conversation goes on from here.]"])})
            if turns and turns[-1]["role"] == speaker:
                turns[-1]["content"] += blocks
            else:
                turns.append({"role": speaker, "content": blocks})
        return turns

    def _stretch(self, role: Role, stretch: list[Message]) -> Iterable[list[Block]]:
        match role:
            case Role.TOOL:
                yield [self._result(*one) for one in placed(self._wording, stretch, inside=True).results]
            case Role.ASSISTANT:
                yield from (self._assistant(message) for message in stretch)
            case _:
                yield from (self._user(message) for message in stretch)

    def _result(self, result: ToolResult, pieces: tuple[Piece, ...]) -> Block:
        content: list[Block] | str = _blocks([result.content, *pieces]) if pieces else result.content
        block = {"type": "tool_result", "tool_use_id": wire_id(result.call_id, self._ids), "content": content}
        return block if result.ok else block | {"is_error": True}

    def _user(self, message: Message) -> list[Block]:
        pieces = [seen(self._wording, part) for part in message.parts if isinstance(part, Image)]
        return _blocks([message.text, *pieces]) or _texts(["[nothing]"])

    def _assistant(self, message: Message) -> list[Block]:
        """The parts in the order in which the model wrote them: a signature stands for everything before it."""
        same_model = message.model == self._wording.settings.model
        blocks: list[Block] = []
        for part in message.parts:
            match part:
                case Text() if part.text.strip():
                    blocks.append({"type": "text", "text": part.text})
                case Reasoning() if same_model and self._wording.settings.reasoning_back:
                    blocks += self._thought(part)
                case ToolCall():
                    blocks.append(self._call(part, with_extra=same_model))
                case _:
                    pass
        return blocks if any(block["type"] in ("text", "tool_use") for block in blocks) else []

    def _thought(self, part: Reasoning) -> list[Block]:
        """Thinking as it came, with its signature; reasoning of another API has none and is not taken back."""
        if not self._wording.dialect.reasoning or part.signature is None:
            return []
        if part.field == "redacted_thinking":
            return [{"type": "redacted_thinking", "data": part.signature}]
        if part.field == "thinking":
            return [{"type": "thinking", "thinking": part.text, "signature": part.signature}]
        return []

    def _call(self, call: ToolCall, *, with_extra: bool) -> Block:
        own = {
            "type": "tool_use",
            "id": wire_id(call.id, self._ids),
            "name": wire_name(call.name),
            "input": sent_arguments(call),
        }
        return {**(call.extra if with_extra else {}), **own}


def _blocks(pieces: Iterable[Piece]) -> list[Block]:
    return [
        {"type": "image", "source": {"type": "base64", "media_type": piece.media_type, "data": piece.base64}}
        if isinstance(piece, Picture)
        else {"type": "text", "text": piece}
        for piece in pieces
        if isinstance(piece, Picture) or piece.strip()
    ]


def _texts(texts: list[str]) -> list[Block]:
    return [{"type": "text", "text": text} for text in texts]


def _tool(schema: ToolSchema) -> dict[str, Any]:
    return {
        "name": wire_name(schema.name),
        "description": schema.description,
        "input_schema": portable(schema.parameters),
    }


def _marked(body: dict[str, Any]) -> dict[str, Any]:
    """Marks the ends of what stays the same: tools, system, and the newest two user turns; four are allowed."""
    ends: list[Block] = [part[-1] for part in (body.get("tools"), body.get("system")) if part]
    turns = [turn["content"][-1] for turn in body["messages"] if turn["role"] == "user"]
    for block in (*ends, *turns[-_CACHED_TURNS:]):
        block["cache_control"] = _MARK
    return body
