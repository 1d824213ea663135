"""A model server on loopback that streams mixed content at a steady rate, in a process of its own.

`python -m benchmarks.stream_server RATE SECONDS` prints its port and serves until it is killed: every question gets
RATE tokens a second for SECONDS, of Chinese and English prose, lists, a table, code and math. RATE 0 sends
SECONDS megabytes as fast as they are taken.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
from collections.abc import Iterator

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
TICK = 0.02
PIECE = 4096
_TOKEN = re.compile(r"[㐀-鿿，。：；、]|\s*[^\s㐀-鿿，。：；、]{1,6}|\s+")


def section(number: int) -> str:
    """One section: every kind of block that an answer has."""
    rows = "\n".join(f"| {at} | 第 {at} 次率定 | {4 + at / 100:.2f} | `run_{at}` |" for at in range(1, 13))
    points = "\n".join(f"- 第 {at} 点：夜间树冠下的气温 **{20 + at / 10:.1f} °C**, see run {at}" for at in range(1, 9))
    code = "\n".join(f"    melt[{at}] = factor[{at}] * max(temperature[{at}] - 0.4, 0)  # 融雪" for at in range(1, 16))
    return (
        f"## {number}. 融雪与度日因子 Snow melt\n\n"
        f"率定期取 4.{number % 10} mm·℃⁻¹·d⁻¹，只用于四月以后。Meng and Lu report the same mean for snow from "
        f"April to June, and warn that an annual value underestimates June melt. 北坡另列，笔记没有区分坡向。\n\n"
        f"{points}\n\n| 次 | 说明 | DDF | run |\n|--:|---|--:|---|\n{rows}\n\n"
        "The seasonal form is $M_t = C_m(t) \\cdot \\max(T_t - T_0, 0)$ with\n\n"
        f"$$C_m(t) = C_0 + {number} \\sin(2\\pi t / 365)$$\n\n"
        f"```python\ndef melt_{number}(factor, temperature):\n{code}\n    return melt\n```\n\n"
        f"> A single annual value of 4.1 underestimated June melt by 19 %\n\n"
    )


def tokens() -> Iterator[str]:
    """Pieces as a tokenizer makes them, without end."""
    number = 0
    while True:
        number += 1
        yield from _TOKEN.findall(section(number))


def event(text: str | None) -> bytes:
    """One event; None ends the answer."""
    choice = {"index": 0, "delta": {"content": text} if text else {}, "finish_reason": None if text else "stop"}
    return b"data: " + json.dumps({"choices": [choice]}, ensure_ascii=False).encode() + b"\n\n"


async def steady(writer: asyncio.StreamWriter, rate: int, seconds: float) -> None:
    """`rate` events a second by the clock, in groups of one tick."""
    clock = asyncio.get_running_loop().time
    source, began, sent = tokens(), clock(), 0
    while (passed := clock() - began) < seconds:
        due = int(passed * rate)
        for _ in range(due - sent):
            writer.write(event(next(source)))
        sent = due
        await writer.drain()
        await asyncio.sleep(TICK)


async def flood(writer: asyncio.StreamWriter, megabytes: float) -> None:
    """So many megabytes of UTF-8 in pieces of PIECE characters, as fast as they are taken."""
    number = left = 0
    left = int(megabytes * 1_000_000)
    while left > 0:
        number += 1
        text = section(number) * 8
        for at in range(0, len(text), PIECE):
            writer.write(event(text[at : at + PIECE]))
            await writer.drain()
        left -= len(text.encode())


async def serve(rate: int, amount: float) -> None:
    """Print the port, then answer every request."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            size = next(int(line[15:]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:"))
            await reader.readexactly(size)
            writer.write(HEAD)
            await (steady(writer, rate, amount) if rate else flood(writer, amount))
            writer.write(event(None) + b"data: [DONE]\n\n")
            await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            return
        finally:
            writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(serve(int(sys.argv[1]), float(sys.argv[2])))
