"""Shared parts of the provider tests: a model over a fake server or over exact chunks, and what it emitted."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import httpx
from pydantic import SecretStr

from orange_jupyter.core.deltas import ModelRetry, ReasoningDelta, Restarted, TextDelta
from orange_jupyter.core.errors import ModelError
from orange_jupyter.core.messages import Message, Reply, Request, Role, Text, ToolSchema
from orange_jupyter.providers.openai_compatible import OpenAICompatible
from orange_jupyter.providers.settings import Pacing, ServerSettings

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


async def reply_of(url: str, heard: Heard, request: Request | None = None, **changes: Any) -> Reply:
    """One answer of a server at a URL."""
    model = OpenAICompatible(settings(url, **changes), blob, pacing=pacing(heard))
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


class Pieces(httpx.AsyncBaseTransport):
    """A transport that gives a body in exactly these chunks."""

    def __init__(self, *chunks: bytes) -> None:
        self._chunks = chunks

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        return httpx.Response(200, stream=_Chunks(self._chunks))


class _Chunks(httpx.AsyncByteStream):
    def __init__(self, chunks: tuple[bytes, ...]) -> None:
        self._chunks = chunks

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for chunk in self._chunks:
            yield chunk


async def reply_from_chunks(*chunks: bytes, request: Request | None = None) -> tuple[Reply, Heard]:
    """The answer folded from exact chunks, without a socket."""
    heard = Heard()
    async with httpx.AsyncClient(transport=Pieces(*chunks)) as client:
        model = OpenAICompatible(settings("http://127.0.0.1:9/v1"), blob, pacing=pacing(heard), client=client)
        return await model.respond(request or ask(), heard), heard
