"""Shared parts of the provider tests: a model over a fake server or over exact chunks, and what it emitted."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from typing import Any

from pydantic import SecretStr

from orange_jupyter.core.deltas import ModelRetry, ReasoningDelta, Restarted, TextDelta
from orange_jupyter.core.errors import ModelError
from orange_jupyter.core.messages import Message, Reply, Request, Role, Text, ToolSchema
from orange_jupyter.providers.anthropic_messages import AnthropicMessages
from orange_jupyter.providers.assemble import Assembler, ToolNames
from orange_jupyter.providers.body import Body
from orange_jupyter.providers.faults import Faults
from orange_jupyter.providers.openai_compatible import OpenAICompatible
from orange_jupyter.providers.settings import Pacing, ServerSettings
from orange_jupyter.providers.speech import Speech

KEY = "sk-test-9f8e7d6c5b4a39281706"
PICTURE = b"\x89PNG picture"

SEARCH = ToolSchema(
    name="search", description="Search", parameters={"type": "object", "properties": {"query": {"type": "string"}}}
)
READ = ToolSchema(
    name="read", description="Read", parameters={"type": "object", "properties": {"path": {"type": "string"}}}
)
LIST = ToolSchema(name="list", description="List", parameters={"type": "object", "properties": {}})
TOOLS = (SEARCH, READ, LIST)


async def blob(sha256: str) -> bytes:
    """Every picture has the same bytes."""
    return PICTURE


def ask(text: str = "你好 hello", tools: tuple[ToolSchema, ...] = TOOLS) -> Request:
    """A request with one user message."""
    return Request(messages=(Message(role=Role.USER, parts=(Text(text=text),)),), tools=tools)


@dataclass
class Heard:
    """Collects what a model emits, and the waits it asked for."""

    events: list[Any] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)

    def __call__(self, event: Any) -> None:
        self.events.append(event)

    async def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)

    @property
    def text(self) -> str:
        """The visible text that is left after restarts."""
        shown = ""
        for event in self.events:
            if isinstance(event, Restarted):
                shown = ""
            elif isinstance(event, TextDelta):
                shown += event.text
        return shown

    @property
    def reasoning(self) -> str:
        return "".join(event.text for event in self.events if isinstance(event, ReasoningDelta))

    @property
    def retries(self) -> list[ModelRetry]:
        return [event for event in self.events if isinstance(event, ModelRetry)]

    @property
    def restarts(self) -> list[Restarted]:
        return [event for event in self.events if isinstance(event, Restarted)]


def settings(url: str, **changes: Any) -> ServerSettings:
    """Settings with a key for a server."""
    values: dict[str, Any] = {
        "name": "test",
        "base_url": url,
        "model": "m-1",
        "api_key": SecretStr(KEY),
        "vision": True,
    }
    return ServerSettings(**(values | changes))


def pacing(heard: Heard, **changes: Any) -> Pacing:
    """No real waiting between tries; the chance is always the middle."""
    values: dict[str, Any] = {
        "sleep": heard.sleep,
        "chance": lambda: 0.5,
        "now": lambda: 1_700_000_000.0,
        "after_end": 0.2,
    }
    return Pacing(**(values | changes))


Adapter = type[OpenAICompatible] | type[AnthropicMessages]


async def reply_of(url: str, heard: Heard, request: Request | None = None, **changes: Any) -> Reply:
    """One answer of a server at a URL; `adapter` is the class that asks."""
    adapter: Adapter = changes.pop("adapter", OpenAICompatible)
    model = adapter(settings(url, **changes), blob, pacing=pacing(heard))
    try:
        return await model.respond(request or ask(), heard)
    finally:
        await model.close()


async def fault_of(url: str, heard: Heard, request: Request | None = None, **changes: Any) -> ModelError:
    """The error that a server's answer becomes."""
    try:
        reply = await reply_of(url, heard, request, **changes)
    except ModelError as error:
        return error
    raise AssertionError(f"no error but {reply}")


class _Chunks:
    def __init__(self, chunks: tuple[bytes, ...]) -> None:
        self._chunks = chunks

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for chunk in self._chunks:
            yield chunk


async def reply_of_body(speech: Speech, *chunks: bytes) -> tuple[Reply, Heard]:
    """The answer folded from exact chunks."""
    outcome, heard = await outcome_of_body(speech, *chunks)
    assert isinstance(outcome, Reply), outcome
    return outcome, heard


async def outcome_of_body(speech: Speech, *chunks: bytes) -> tuple[Reply | tuple[str, bool], Heard]:
    """The answer, or the failure's words and whether it is tried again; fast enough to cut a body at every offset."""
    heard = Heard()
    folding = speech.folding(Assembler(ToolNames(schema.name for schema in TOOLS)), heard)
    faults = Faults(settings("http://127.0.0.1:9/v1"), speech)
    failure = await Body(folding, faults, lambda: None).take(aiter(_Chunks(chunks)))
    if failure is not None:
        return (failure.error.message, failure.again), heard
    return folding.reply("m-1"), heard


async def assert_same_wherever_cut(speech: Speech, body: bytes) -> None:
    """Wire row 10: one reply (or one failure) and one text in one piece, in any two pieces, and a byte at a time."""
    whole, heard = await outcome_of_body(speech, body)
    for pieces in every_cut(body):
        outcome, again = await outcome_of_body(speech, *pieces)
        assert outcome == whole, pieces
        assert (again.text, again.reasoning) == (heard.text, heard.reasoning), pieces


def every_cut(body: bytes) -> Iterator[tuple[bytes, ...]]:
    """A body in two pieces at every offset, and in single bytes."""
    for place in range(1, len(body)):
        yield body[:place], body[place:]
    yield tuple(body[place : place + 1] for place in range(len(body)))
