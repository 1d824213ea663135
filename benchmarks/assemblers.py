"""Streamed tool calls as real servers send them: how many shapes become the calls that were meant, ours and a peer.

The rows are those of the provider tests (cases 1-8 of the wire). The peers are the servers' official packages, used as
their manuals say: `chat.completions.stream(…)` of `openai`, `messages.stream(…)` of `anthropic`, each up to its final
object, over the same bytes from the same server on loopback. A row counts when names and arguments are the wanted ones;
a row of malformed arguments counts when nothing comes out that could be run. Ids and repairs are not counted.
"""

from __future__ import annotations

import asyncio
import json
import sys
import warnings
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import anthropic
import openai

from benchmarks import Row
from orange_jupyter.core.messages import ToolCall
from orange_jupyter.providers.anthropic_messages import AnthropicMessages
from orange_jupyter.providers.openai_compatible import OpenAICompatible
from tests.providers.server import call, delta, plain, serving, stream
from tests.providers.test_messages_streams import CALLS
from tests.providers.test_tool_calls import BROKEN, ROWS, calls
from tests.providers.wires import Adapter, Heard, reply_of

ENVELOPE = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m"}

Found = list[tuple[str, Any]]
Read = Callable[[str], Awaitable[Found]]
Case = tuple[bytes, Found | None]
"""The body of an answer, and the calls in it; None where no call of it may run."""


def chat_cases() -> dict[str, Case]:
    """Rows 1-8 over chat completions."""
    good = {
        name: (_body(*chunks, delta("stop")), wanted) for name, (chunks, wanted) in ROWS.items() if name[0].isdigit()
    }
    bad = {
        name: (_body(calls(call(raw, index=0, id="a", name="search")), delta("tool_calls")), None)
        for name, (raw, _) in BROKEN.items()
    }
    return {**good, **bad}


def _body(*chunks: dict[str, Any]) -> bytes:
    """Chunks with the fields around the shape that every server sends: without them the peer refuses all rows."""
    return stream(*(ENVELOPE | {"choices": [_with_type(choice) for choice in chunk["choices"]]} for chunk in chunks))


def _with_type(choice: dict[str, Any]) -> dict[str, Any]:
    made = choice["delta"].get("tool_calls")
    if not isinstance(made, list):
        return choice
    typed = [{"type": "function", **one} if one["function"].get("name") else one for one in made]
    return {**choice, "delta": {**choice["delta"], "tool_calls": typed}}


def ours(adapter: Adapter) -> Read:
    """Our client, as the turn's loop uses it."""

    async def read(url: str) -> Found:
        reply = await reply_of(url, Heard(), adapter=adapter)
        made = [part for part in reply.parts if isinstance(part, ToolCall)]
        return [(one.name, one.arguments) for one in made if one.arguments is not None]

    return read


async def by_openai(url: str) -> Found:
    """The final completion of the official package's stream."""
    async with openai.AsyncOpenAI(base_url=url, api_key="k", max_retries=0) as client:
        asked: list[Any] = [{"role": "user", "content": "x"}]
        async with client.chat.completions.stream(model="m", messages=asked) as streamed:
            final = await streamed.get_final_completion()
    made = [(one.function.name, _parsed(one.function.arguments)) for one in final.choices[0].message.tool_calls or ()]
    return [(name, arguments) for name, arguments in made if isinstance(arguments, dict)]


async def by_anthropic(url: str) -> Found:
    """The final message of the official package's stream."""
    async with anthropic.AsyncAnthropic(base_url=url.removesuffix("/v1"), api_key="k", max_retries=0) as client:
        asked: list[Any] = [{"role": "user", "content": "x"}]
        async with client.messages.stream(model="m", max_tokens=9, messages=asked) as streamed:
            final = await streamed.get_final_message()
    return [(one.name, one.input) for one in final.content if one.type == "tool_use"]


def _parsed(arguments: Any) -> Any:
    """What a program makes of the text of arguments; "" means none."""
    if not isinstance(arguments, str):
        return arguments or {}
    try:
        return json.loads(arguments) if arguments else {}
    except (ValueError, RecursionError):
        return None


async def failed_rows(cases: Mapping[str, Case], read: Read) -> list[str]:
    """The rows that a client does not understand; whatever it raises, it has not understood."""
    failed = []
    for name, (body, wanted) in cases.items():
        async with serving(plain(body)) as server:
            try:
                found = await read(server.url)
            except Exception as error:  # noqa: BLE001  any error of a peer is its answer to this row
                found = [(type(error).__name__, None)] if wanted else []
        if found != (wanted or []):
            failed.append(name)
    return failed


def rows() -> list[Row]:
    """One row an API: shapes understood by ours (all are wanted) and by the peer; which the peer fails on stderr."""
    chat, messages = f"openai {openai.__version__}", f"anthropic {anthropic.__version__}"
    packages = {
        "chat": (chat_cases(), OpenAICompatible, by_openai, f"{chat}, chat.completions.stream"),
        "messages": (dict(CALLS), AnthropicMessages, by_anthropic, f"{messages}, messages.stream"),
    }
    warnings.filterwarnings("ignore", module="pydantic")  # the peer's own models say so when a shape surprises them
    found = []
    for api, (cases, adapter, by_peer, peer) in packages.items():
        own = asyncio.run(failed_rows(cases, ours(adapter)))
        theirs = asyncio.run(failed_rows(cases, by_peer))
        for who, failed in (("ours", own), (peer, theirs)):
            print(f"{api}: {who} understands {len(cases) - len(failed)} of {len(cases)} shapes", file=sys.stderr)
            for name in failed:
                print(f"  not: {name}", file=sys.stderr)
        name = f"shapes of tool calls understood, {api}"
        passed, peers = len(cases) - len(own), len(cases) - len(theirs)
        found.append(Row(name, passed, f"of {len(cases)}", f">= {len(cases)}", not own, peer=peer, peer_value=peers))
    return found
