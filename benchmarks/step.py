"""A model step: CPU time of our client against a bare stream of the same bytes, 10,000 small deltas.

The peer is what any client must do: `httpx` stream, `httpx-sse` decoding, `json.loads` of each event, nothing else.
Ours adds everything between the wire and the reply: time limits, folding, a TextDelta a piece, the Reply.
Both use the same kind of client. The bytes come one event a chunk from memory, without any server, and
from a server on loopback in a process of its own, which sends all at once: were it to send event by event, the faster
client would meet more and smaller reads, and pay for them.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable

import httpx
from httpx_sse import EventSource

from benchmarks import Row, at_most
from orange_jupyter.core.messages import Message, Request, Role, Text
from orange_jupyter.providers.openai_compatible import OpenAICompatible
from orange_jupyter.providers.settings import ServerSettings

DELTAS = 10_000
ROUNDS = 7
GOAL = 1.1

SERVER = """
import asyncio, sys
body = sys.stdin.buffer.read()
events = [event + b"\\n\\n" for event in body.split(b"\\n\\n") if event]
async def handle(reader, writer):
    try:
        while True:
            head = await reader.readuntil(b"\\r\\n\\r\\n")
            size = next(int(line[15:]) for line in head.split(b"\\r\\n") if line.lower().startswith(b"content-length:"))
            await reader.readexactly(size)
            writer.write(b"HTTP/1.1 200 OK\\r\\nContent-Type: text/event-stream\\r\\n")
            writer.write(b"Transfer-Encoding: chunked\\r\\n\\r\\n")
            writer.write(b"".join(b"%x\\r\\n%s\\r\\n" % (len(event), event) for event in events))
            writer.write(b"0\\r\\n\\r\\n")
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()
async def main():
    server = await asyncio.start_server(handle, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()
asyncio.run(main())
"""


def chunks() -> list[bytes]:
    """The events of an answer as OpenAI sends them, one a chunk."""
    made = []
    for number in range(DELTAS):
        delta = {"content": f" 词{number % 97}" if number % 5 == 0 else f" word{number % 97}"}
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": None}
        made.append(
            {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}
        )
    end = {"id": "chatcmpl-1", "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
    rows = [
        b"data: " + json.dumps(one, ensure_ascii=False, separators=(",", ":")).encode() + b"\n\n"
        for one in (*made, end)
    ]
    return [*rows, b"data: [DONE]\n\n"]


class Memory(httpx.AsyncBaseTransport):
    """Gives the same chunks to every request."""

    def __init__(self, body: list[bytes]) -> None:
        self._body = body

    async def handle_async_request(self, _: httpx.Request) -> httpx.Response:
        return httpx.Response(200, headers={"content-type": "text/event-stream"}, stream=_Body(self._body))


class _Body(httpx.AsyncByteStream):
    def __init__(self, body: list[bytes]) -> None:
        self._body = body

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for chunk in self._body:
            yield chunk


async def _no_blob(sha256: str) -> bytes:
    raise AssertionError(sha256)


async def ours(client: httpx.AsyncClient, url: str) -> int:
    """One step of our client; the number of deltas it told."""
    told = 0

    def count(_: object) -> None:
        nonlocal told
        told += 1

    model = OpenAICompatible(ServerSettings(name="m", base_url=url, model="m"), _no_blob, client=client)
    request = Request(messages=(Message(role=Role.USER, parts=(Text(text="hi"),)),))
    await model.respond(request, count)
    return told


async def bare(client: httpx.AsyncClient, url: str) -> int:
    """The same bytes by httpx, httpx-sse and json.loads; the number of events with text."""
    seen = 0
    body = {"model": "m", "stream": True, "messages": [{"role": "user", "content": "hi"}]}
    async with client.stream("POST", f"{url}/chat/completions", json=body) as response:
        async for event in EventSource(response).aiter_sse():
            if event.data != "[DONE]":
                seen += "content" in json.loads(event.data)["choices"][0]["delta"]
    return seen


Step = Callable[[httpx.AsyncClient, str], Awaitable[int]]


async def _cpu(step: Step, client: httpx.AsyncClient, url: str) -> float:
    start = time.process_time()
    count = await step(client, url)
    spent = time.process_time() - start
    if count != DELTAS:
        raise RuntimeError(f"{step.__name__} saw {count} of {DELTAS} deltas")
    return spent


async def _compare(client: httpx.AsyncClient, url: str) -> tuple[float, float]:
    """CPU seconds of ours and of the peer: the least of alternating rounds, since other work only adds."""
    await _cpu(ours, client, url)
    await _cpu(bare, client, url)
    pairs = [(await _cpu(ours, client, url), await _cpu(bare, client, url)) for _ in range(ROUNDS)]
    return min(one for one, _ in pairs), min(two for _, two in pairs)


async def _from_memory(body: list[bytes]) -> tuple[float, float]:
    async with httpx.AsyncClient(transport=Memory(body)) as client:
        return await _compare(client, "http://127.0.0.1:9/v1")


async def _from_loopback(body: list[bytes]) -> tuple[float, float]:
    command = [sys.executable, "-c", SERVER]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        try:
            assert server.stdin is not None
            assert server.stdout is not None
            server.stdin.write(b"".join(body))
            server.stdin.close()
            port = int(server.stdout.readline())
            async with httpx.AsyncClient(trust_env=False, timeout=60) as client:
                return await _compare(client, f"http://127.0.0.1:{port}/v1")
        finally:
            server.kill()


def rows() -> list[Row]:
    """One row a place where the bytes come from: our CPU time over the peer's; `peer_value` in seconds."""
    body = chunks()
    found = []
    for place, run in (("memory", _from_memory), ("loopback", _from_loopback)):
        mine, peer = asyncio.run(run(body))
        name = f"model step of {DELTAS} deltas, bytes from {place}"
        yardstick = "httpx stream + httpx-sse + json.loads, CPU s"
        found.append(at_most(name, mine / peer, "x CPU of the peer", GOAL, peer=yardstick, peer_value=round(peer, 4)))
    return found


if __name__ == "__main__":
    for row in rows():
        print(json.dumps(row.as_json(), ensure_ascii=False))
