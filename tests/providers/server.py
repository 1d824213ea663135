"""A fake model server on loopback that sends exactly the given bytes, piece by piece, and records what it is sent."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

DONE = b"data: [DONE]\n\n"


class Hold:
    """In place of a piece: keep the connection open and silent until the client leaves."""


HOLD = Hold()


@dataclass(frozen=True)
class Answer:
    """What one request gets: raw bytes, each piece a write of its own; `reset` aborts the connection after them."""

    pieces: tuple[bytes | Hold, ...]
    reset: bool = False


@dataclass
class Seen:
    """One request as it came."""

    line: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class ModelServer:
    """Gives its answers in order, the last one again and again."""

    answers: list[Answer]
    seen: list[Seen] = field(default_factory=list)
    left: asyncio.Event = field(default_factory=asyncio.Event)
    port: int = 0
    open: dict[asyncio.StreamWriter, asyncio.Task[None] | None] = field(default_factory=dict)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.open[writer] = asyncio.current_task()
        try:
            while await self._one(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            self.left.set()
            del self.open[writer]
            writer.close()

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:] if line)}
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        self.seen.append(Seen(head[0], headers, body))
        answer = self.answers[min(len(self.seen), len(self.answers)) - 1]
        for piece in answer.pieces:
            if isinstance(piece, Hold):
                await reader.read()
                return False
            writer.write(piece)
            await writer.drain()
        if answer.reset:
            writer.transport.abort()
        return b"Connection: close" not in b"".join(piece for piece in answer.pieces if isinstance(piece, bytes))


@asynccontextmanager
async def serving(*answers: Answer) -> AsyncIterator[ModelServer]:
    """A running server; closed with all its connections at the end."""
    model = ModelServer(list(answers))
    server = await asyncio.start_server(model.handle, "127.0.0.1", 0)
    model.port = server.sockets[0].getsockname()[1]
    try:
        yield model
    finally:
        server.close()
        tasks = [task for task in model.open.values() if task is not None]
        for writer in list(model.open):
            writer.transport.abort()
        await asyncio.gather(*tasks)


def plain(body: bytes, *, status: str = "200 OK", content_type: str = "text/event-stream", more: str = "") -> Answer:
    """A whole response that ends with the connection."""
    return Answer((head(status, content_type, more), body))


def pieces(*body: bytes | Hold, reset: bool = False) -> Answer:
    """A streamed response in several writes."""
    return Answer((head(), *body), reset=reset)


def chunked(*body: bytes, end: bool = True) -> Answer:
    """A response in HTTP chunks on a connection that stays open; without `end` it is cut in the middle."""
    start = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
    framed = [b"%x\r\n%s\r\n" % (len(piece), piece) for piece in body]
    return Answer((start, *framed, *((b"0\r\n\r\n",) if end else ())), reset=not end)


def head(status: str = "200 OK", content_type: str = "text/event-stream", more: str = "") -> bytes:
    return f"HTTP/1.1 {status}\r\nContent-Type: {content_type}\r\nConnection: close\r\n{more}\r\n".encode()


def event(value: Any) -> bytes:
    """One event with the JSON of a value."""
    return b"data: " + json.dumps(value, ensure_ascii=False).encode() + b"\n\n"


def delta(finish: str | None = None, **fields: Any) -> dict[str, Any]:
    """A standard chunk."""
    return {"choices": [{"index": 0, "delta": fields, "finish_reason": finish}]}


def stream(*chunks: dict[str, Any], done: bool = True) -> bytes:
    """Chunks as a body."""
    return b"".join(event(chunk) for chunk in chunks) + (DONE if done else b"")


def call(arguments: Any = None, **fields: Any) -> dict[str, Any]:
    """An element of `tool_calls`: index, id, extra keys as given; `name` goes into the function."""
    function = {
        key: value for key, value in (("name", fields.pop("name", None)), ("arguments", arguments)) if value is not None
    }
    return {**fields, "function": function}
