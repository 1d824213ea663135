"""How tools, calls and results are worded for a model that only reads and writes text (R-MOD-10)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from orange_jupyter.core.messages import Image, Message, Request, Role, Text, ToolCall, ToolResult, ToolSchema
from orange_jupyter.providers.schema import portable, structural
from orange_jupyter.providers.strings import wire_name
from orange_jupyter.providers.wire import sent_arguments

_FORM = """How you reply: one JSON object and nothing else, in one of two forms.
To use a tool: {"tool": "NAME", "arguments": {…}} One tool a reply; its result comes in the next message.
To answer the person: {"answer": "the whole answer, in Markdown"}

The tools, each with the JSON Schema of its arguments:"""


def in_words(request: Request) -> Request:
    """The same conversation without tools: they stand in the system message, calls and results are plain text.

    User and assistant speak in turn, as many templates of small models demand.
    """
    system = [message.text for message in request.messages if message.role is Role.SYSTEM]
    if request.tools:
        system.append("\n".join([_FORM, *(_described(schema) for schema in request.tools)]))
    first = [_said(Role.SYSTEM, "\n\n".join(system))] if system else []
    spoken = [message for message in request.messages if message.role is not Role.SYSTEM]
    return Request(messages=(*first, *_joined(_spoken(spoken, as_json=bool(request.tools)))))


def reply_schema(tools: Iterable[ToolSchema]) -> dict[str, Any]:
    """The JSON Schema of a reply: `{tool, arguments}` of one of the tools, or `{answer}`."""
    calls = [
        _object({"tool": {"type": "string", "enum": [wire_name(one.name)]}, "arguments": structural(one.parameters)})
        for one in tools
    ]
    return {"type": "object", "anyOf": [*calls, _object({"answer": {"type": "string"}})]}


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _described(schema: ToolSchema) -> str:
    return f"- {wire_name(schema.name)}: {schema.description} {_compact(portable(schema.parameters))}"


def _spoken(messages: list[Message], *, as_json: bool) -> Iterator[Message]:
    """Every message as text; each call is followed at once by its result."""
    results = {part.call_id: part for message in messages for part in message.parts if isinstance(part, ToolResult)}
    for message in messages:
        match message.role:
            case Role.TOOL:
                continue
            case Role.ASSISTANT:
                yield from _assistant(message, results, as_json=as_json)
            case _:
                yield message


def _assistant(message: Message, results: dict[str, ToolResult], *, as_json: bool) -> Iterator[Message]:
    """What the model said, in the form in which it has to reply: its own earlier replies are its examples."""
    text = message.text
    if not message.calls:
        said = _compact({"answer": text}) if as_json else text
        yield _said(Role.ASSISTANT, said, model=message.model)
        return
    for call in message.calls:
        yield _said(Role.ASSISTANT, f"{text}\n{_call(call)}" if text else _call(call), model=message.model)
        text = ""
        result = results.get(call.id)
        if result is not None:
            yield _result(result)


def _call(call: ToolCall) -> str:
    return _compact({"tool": wire_name(call.name), "arguments": sent_arguments(call)})


def _result(result: ToolResult) -> Message:
    captions = [f"Picture: {image.caption or 'no title'} ({image.width}x{image.height})" for image in result.images]
    text = "\n".join([f"Result of {wire_name(result.name)}:", result.content, *captions])
    return Message(role=Role.USER, parts=(Text(text=text), *result.images))


def _joined(messages: Iterable[Message]) -> Iterator[Message]:
    """Neighbours of one role as one message: texts first, with blank lines between, then pictures."""
    before: Message | None = None
    for message in messages:
        if before is not None and before.role is message.role:
            before = _both(before, message)
            continue
        if before is not None:
            yield before
        before = message
    if before is not None:
        yield before


def _both(first: Message, second: Message) -> Message:
    text = "\n\n".join(one for one in (first.text, second.text) if one)
    images = tuple(part for one in (first, second) for part in one.parts if isinstance(part, Image))
    return Message(role=first.role, parts=(Text(text=text), *images), model=second.model)


def _said(role: Role, text: str, *, model: str | None = None) -> Message:
    return Message(role=role, parts=(Text(text=text),), model=model)


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
