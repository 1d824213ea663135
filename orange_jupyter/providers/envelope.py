"""Envelope mode (R-MOD-10): a tool call or an answer as one JSON object, for models that do not call tools natively.

It is an API's own speech with another body and another folding, so retries, adaptations and errors stay the same.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from orange_jupyter.core.deltas import Delta, ModelRetry, ReasoningDelta, TextDelta
from orange_jupyter.core.messages import Finish, Reasoning, Reply, Request, Text, ToolCall, Usage
from orange_jupyter.providers.assemble import Assembler
from orange_jupyter.providers.dialect import ReplyFormat
from orange_jupyter.providers.envelope_reading import AnswerText, Called, called_in, read_envelope
from orange_jupyter.providers.envelope_wording import in_words, reply_schema
from orange_jupyter.providers.pieces import Emit
from orange_jupyter.providers.speech import Folds, Speech, Wording

OUT_OF_FORM = "The model did not keep to the form of a reply that it was asked for; its text is shown as it came."


def enveloped(speech: Speech) -> Speech:
    """The same API without tools: their calls are asked for and read as JSON text, one a reply."""

    def body(wording: Wording, request: Request) -> dict[str, Any]:
        whole = speech.body(wording, in_words(request))
        return whole | _format(wording, request) if request.tools and speech.formats else whole

    def folding(assembler: Assembler, emit: Emit) -> Folds:
        if not assembler.names:
            return speech.folding(assembler, emit)
        return EnvelopeFolding(speech, assembler, emit)

    return replace(speech, body=body, folding=folding)


def _format(wording: Wording, request: Request) -> dict[str, Any]:
    """How the server is asked to keep the form; one that takes neither has only the words in the system message."""
    match wording.dialect.reply_format:
        case ReplyFormat.JSON_SCHEMA:
            schema = {"name": "reply", "schema": reply_schema(request.tools)}
            return {"response_format": {"type": "json_schema", "json_schema": schema}}
        case ReplyFormat.JSON_OBJECT:
            return {"response_format": {"type": "json_object"}}
        case ReplyFormat.TEXT:
            return {}


class EnvelopeFolding:
    """The API's own folding, whose text is read as an envelope; the answer in it streams as it comes."""

    def __init__(self, speech: Speech, assembler: Assembler, emit: Emit) -> None:
        self._assembler = assembler
        self._emit = emit
        self._inner = speech.folding(assembler, self._hear)
        self._answer = AnswerText(emit)
        self._reasoned = False

    @property
    def usage(self) -> Usage:
        """The inner folding's."""
        return self._inner.usage

    @usage.setter
    def usage(self, value: Usage) -> None:
        self._inner.usage = value

    @property
    def understood(self) -> bool:
        """The inner folding's."""
        return self._inner.understood

    @understood.setter
    def understood(self, value: bool) -> None:
        self._inner.understood = value

    @property
    def ended(self) -> bool:
        """The inner folding's."""
        return self._inner.ended

    @ended.setter
    def ended(self, value: bool) -> None:
        self._inner.ended = value

    @property
    def shown(self) -> bool:
        """Whether a person has seen anything: the JSON of a call is not shown."""
        return self._reasoned or self._answer.begun

    def feed(self, chunk: dict[str, Any]) -> None:
        """Take one chunk. Raises ServerSaidError."""
        self._inner.feed(chunk)

    def reply(self, model: str) -> Reply:
        """The whole answer: text, or the one call of this reply."""
        reply = self._inner.reply(model)
        if any(isinstance(part, ToolCall) for part in reply.parts):
            return reply  # the server did call natively
        text = "".join(part.text for part in reply.parts if isinstance(part, Text))
        reasoning = tuple(part for part in reply.parts if isinstance(part, Reasoning))
        said, call, notices = self._read(text)
        parts = (*reasoning, *((Text(text=said),) if said else ()), *self._called(call))
        finish = Finish.TOOL_CALLS if call is not None and reply.finish is Finish.STOP else reply.finish
        return reply.model_copy(update={"parts": parts, "finish": finish, "notices": (*reply.notices, *notices)})

    def _read(self, text: str) -> tuple[str, Called | None, tuple[str, ...]]:
        """(what was said, the call, lines for the person)."""
        self._answer.close()
        if self._answer.plain:
            before, call = called_in(text, self._assembler.names)
            return (before, call, ()) if call else (self._answer.whole, None, ())
        if self._answer.begun or not text.strip():
            return self._answer.whole, None, ()
        found = read_envelope(text)
        if isinstance(found, Called):
            return "", found, ()
        self._answer.say(text if found is None else found)
        return self._answer.whole, None, (OUT_OF_FORM,) if found is None else ()

    def _called(self, call: Called | None) -> tuple[ToolCall, ...]:
        if call is None:
            return ()
        self._assembler.add({"function": {"name": call.tool, "arguments": call.arguments}}, separate=True)
        return self._assembler.finish()

    def _hear(self, delta: Delta | ModelRetry) -> None:
        match delta:
            case TextDelta():
                self._answer.feed(delta.text)
            case ReasoningDelta():
                self._reasoned = True
                self._emit(delta)
            case _:
                self._emit(delta)
