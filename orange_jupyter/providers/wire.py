"""Messages and tools as the JSON of a chat-completions request (wire rows 13-21)."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from orange_jupyter.core.errors import EvidenceError
from orange_jupyter.core.messages import (
    Image,
    Message,
    Reasoning,
    Request,
    Role,
    ToolCall,
    ToolResult,
    ToolSchema,
)
from orange_jupyter.providers.schema import portable
from orange_jupyter.providers.settings import Blob, EmptyContent, ServerSettings
from orange_jupyter.providers.strings import clean_json, wire_id, wire_name

_MALFORMED_SHOWN = 2_000


@dataclass(frozen=True, slots=True)
class Dialect:
    """What a server takes; a refusal that names a field turns it off (row 20)."""

    stream_options: bool = True
    max_tokens: str = "max_tokens"
    images: bool = True
    reasoning: bool = True


@dataclass(frozen=True, slots=True)
class Wire:
    """Everything that turns one request into its body. `pictures` are data URLs by sha256."""

    settings: ServerSettings
    dialect: Dialect = field(default_factory=Dialect)
    pictures: Mapping[str, str] = field(default_factory=dict)

    def body(self, request: Request) -> dict[str, Any]:
        """The JSON body: always streaming, the tools only when there are any (row 13)."""
        body: dict[str, Any] = {"model": self.settings.model, "stream": True}
        if self.dialect.stream_options:
            body["stream_options"] = {"include_usage": True}
        if self.settings.max_output:
            body[self.dialect.max_tokens] = self.settings.max_output
        if request.tools:
            body["tools"] = [_tool(schema) for schema in request.tools]
        body["messages"] = self.messages(request.messages)
        cleaned: dict[str, Any] = clean_json(body)
        return cleaned

    def messages(self, messages: tuple[Message, ...]) -> list[dict[str, Any]]:
        """One system message first; the pictures of a batch of tool results in one user message after it (row 16)."""
        system = "\n\n".join(message.text for message in messages if message.role is Role.SYSTEM)
        sent: list[dict[str, Any]] = [{"role": "system", "content": system}] if system else []
        spoken = [message for message in messages if message.role is not Role.SYSTEM]
        for is_tool, batch in groupby(spoken, key=lambda message: message.role is Role.TOOL):
            if is_tool:
                sent += self._results(batch)
            else:
                sent += [
                    self._user(message) if message.role is Role.USER else self._assistant(message) for message in batch
                ]
        return sent

    def _results(self, batch: Iterable[Message]) -> list[dict[str, Any]]:
        results = [part for message in batch for part in message.parts if isinstance(part, ToolResult)]
        shown = [(result.name, image) for result in results for image in result.images]
        sent = [_result(result) for result in results]
        return [*sent, self._picture_message(shown)] if shown else sent

    def _user(self, message: Message) -> dict[str, Any]:
        images = [part for part in message.parts if isinstance(part, Image)]
        if not images:
            return {"role": "user", "content": message.text}
        parts = [{"type": "text", "text": message.text}] if message.text else []
        return {"role": "user", "content": _flat(parts + [part for image in images for part in self._picture(image)])}

    def _picture_message(self, shown: list[tuple[str, Image]]) -> dict[str, Any]:
        parts: list[dict[str, Any]] = []
        for tool, image in shown:
            about = f": {image.caption}" if image.caption else ""
            parts.append({"type": "text", "text": f"Picture from {tool}{about} ({image.width}x{image.height})"})
            parts += self._picture(image)
        return {"role": "user", "content": _flat(parts)}

    def _picture(self, image: Image) -> list[dict[str, Any]]:
        """The picture, or a note why the model does not see it (R-MOD-8)."""
        if not self.settings.vision:
            return [_note("this model's vision is switched off")]
        if not self.dialect.images:
            return [_note("the model's server refused it")]
        url = self.pictures.get(image.sha256)
        if url is None:
            return [_note("its bytes are no longer kept")]
        return [{"type": "image_url", "image_url": {"url": url}}]

    def _assistant(self, message: Message) -> dict[str, Any]:
        sent: dict[str, Any] = {"role": "assistant"}
        same_model = message.model == self.settings.model
        calls = [_call(call, with_extra=same_model) for call in message.calls]
        self._put_content(sent, message.text, has_calls=bool(calls))
        if calls and same_model and self.settings.reasoning_back and self.dialect.reasoning:
            sent |= _reasoning(message)
        if calls:
            sent["tool_calls"] = calls
        return sent

    def _put_content(self, sent: dict[str, Any], text: str, *, has_calls: bool) -> None:
        if text or not has_calls:
            sent["content"] = text
            return
        match self.settings.empty_content:
            case EmptyContent.NULL:
                sent["content"] = None
            case EmptyContent.EMPTY:
                sent["content"] = ""
            case EmptyContent.ABSENT:
                pass


async def data_urls(request: Request, blob: Blob) -> dict[str, str]:
    """The request's pictures as data URLs by sha256; those whose bytes are gone are left out."""
    urls: dict[str, str] = {}
    for image in pictures_of(request):
        if image.sha256 in urls:
            continue
        try:
            data = await blob(image.sha256)
        except EvidenceError:
            continue
        urls[image.sha256] = f"data:{image.media_type};base64,{base64.b64encode(data).decode()}"
    return urls


def pictures_of(request: Request) -> list[Image]:
    """Every picture of a request, in the order of the messages."""
    found: list[Image] = []
    for message in request.messages:
        for part in message.parts:
            if isinstance(part, Image):
                found.append(part)
            elif isinstance(part, ToolResult):
                found += part.images
    return found


def _note(reason: str) -> dict[str, Any]:
    return {"type": "text", "text": f"[picture not shown: {reason}]"}


def _flat(parts: list[dict[str, Any]]) -> list[dict[str, Any]] | str:
    """Text alone goes as a plain string: servers without vision refuse a list."""
    if all(part["type"] == "text" for part in parts):
        return "\n".join(part["text"] for part in parts)
    return parts


def _result(result: ToolResult) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": wire_id(result.call_id), "content": result.content}


def _call(call: ToolCall, *, with_extra: bool) -> dict[str, Any]:
    """A call as history: its arguments are always valid JSON, also when the model's were not (row 8)."""
    arguments = call.arguments
    if arguments is None:
        arguments = {"malformed_arguments": call.raw[:_MALFORMED_SHOWN]}
    text = json.dumps(clean_json(arguments), ensure_ascii=False)
    own = {
        "id": wire_id(call.id),
        "type": "function",
        "function": {"name": wire_name(call.name), "arguments": text},
    }
    return {**(call.extra if with_extra else {}), **own}


def _reasoning(message: Message) -> dict[str, str]:
    """Reasoning in the field it came in, to the model it came from (row 17); tags in the text never go back."""
    found: dict[str, str] = {}
    for part in message.parts:
        if isinstance(part, Reasoning) and part.field != "think":
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
