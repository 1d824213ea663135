"""Streams as real servers send them: framing, text, reasoning, usage, ends (cases/wire.md, rows 10-12, 17, 25-29)."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from httpx_sse import ServerSentEvent
from httpx_sse._decoders import SSEDecoder, SSELineDecoder
from hypothesis import given
from hypothesis import strategies as st

from orange_jupyter.core.errors import ModelError, ModelFault
from orange_jupyter.core.messages import Finish, Reasoning, Reply, Text, Usage
from orange_jupyter.providers.openai_compatible import CHAT, OpenAICompatible
from orange_jupyter.providers.sse import EventData
from tests.providers.server import DONE, HOLD, chunked, delta, event, pieces, plain, serving, stream
from tests.providers.wires import (
    Heard,
    ask,
    assert_same_wherever_cut,
    blob,
    fault_of,
    pacing,
    reply_of,
    reply_of_body,
    settings,
)

HELLO = [delta(role="assistant", content=""), delta(content="你好 "), delta(content="wörld 🍊")]
SAID = "你好 wörld 🍊"
STOP = delta("stop")
USAGE = {"prompt_tokens": 11, "completion_tokens": 7}


def lines(*chunks: dict[str, Any], join: str = "\n\n", start: str = "data: ") -> bytes:
    return "".join(start + json.dumps(chunk, ensure_ascii=False) + join for chunk in chunks).encode()


PRETTY = "".join(f"data: {line}\n" for line in json.dumps(STOP, indent=1).splitlines()).encode() + b"\n"

BODIES: dict[str, bytes] = {
    "standard": stream(*HELLO, STOP),
    "empty choices": stream(*HELLO, STOP, {"choices": [], "usage": USAGE}),
    "choices null": stream(*HELLO, {"choices": None}, STOP),
    "empty choices first": stream({"choices": [], "prompt_filter_results": []}, *HELLO, STOP),
    "delta null": stream(*HELLO, {"choices": [{"index": 0, "delta": None, "finish_reason": None}]}, STOP),
    "content null": stream(*HELLO, delta(content=None), STOP),
    "reason never": stream(*HELLO),
    "reason with the last text": stream(*HELLO[:-1], delta("stop", content="wörld 🍊")),
    "no DONE": stream(*HELLO, STOP, done=False),
    "comments": b": keep-alive\n\n" + stream(*HELLO) + b": x\n" + stream(STOP),
    "no space after data": lines(*HELLO, STOP, start="data:") + DONE,
    "CRLF": lines(*HELLO, STOP, join="\r\n\r\n") + b"data: [DONE]\r\n\r\n",
    "CR": lines(*HELLO, STOP, join="\r\r"),
    "one event over several lines": stream(*HELLO, done=False) + PRETTY,
    "no blank line at the end": lines(*HELLO) + lines(STOP, join=""),
    "no blank lines at all": lines(*HELLO, STOP, join="\n"),
    "event and id fields": b"event: message\nid: 1\nretry: 5\n" + stream(*HELLO, STOP),
    "byte order mark": b"\xef\xbb\xbf" + stream(*HELLO, STOP),
    "usage in the choice": stream(*HELLO, {"choices": [{"delta": {}, "finish_reason": "stop", "usage": USAGE}]}),
    "several choices": stream(*HELLO, {"choices": [{"index": 1, "delta": {"content": "no"}}]}, STOP),
    "index missing": stream(*[{"choices": [{"delta": {"content": text}}]} for text in ("你好 ", "wörld 🍊")], STOP),
    "content as parts": stream(delta(content=[{"type": "text", "text": SAID}]), STOP),
    "halves of a character": b'data: {"choices":[{"delta":{"content":"\xe4\xbd\xa0\xe5\xa5\xbd w\xc3\xb6rld \\ud83c"}}]}\n\n'
    b'data: {"choices":[{"delta":{"content":"\\udf4a"}}]}\n\n' + stream(STOP),
    "NUL and a lone half": stream(*HELLO, delta(content="\0"), done=False)
    + b'data: {"choices":[{"delta":{"content":"\\udc00"}}]}\n\n'
    + stream(STOP),
    "in an envelope": stream(*[{"data": chunk} for chunk in (*HELLO, STOP)]),
    "unknown keys and events": stream({"object": "ping"}, *HELLO, {"x": 1}, STOP),
    "JSON though streaming was asked for": json.dumps(
        {"choices": [{"message": {"content": SAID}, "finish_reason": "stop"}]}
    ).encode(),
    "JSON in an envelope": json.dumps({"data": {"choices": [{"message": {"content": SAID}}]}}).encode(),
}


@pytest.mark.parametrize("row", BODIES)
async def test_every_framing_gives_the_same_text(row: str) -> None:
    """R-MOD-3; wire rows 10, 26."""
    heard = Heard()
    async with serving(plain(BODIES[row])) as server:
        reply = await reply_of(server.url, heard)
    assert reply.parts == (Text(text=SAID),)
    assert heard.text == SAID
    assert reply.finish is Finish.STOP
    assert not heard.retries


@pytest.mark.parametrize("row", BODIES)
async def test_bytes_cut_at_any_offset_give_the_same_text(row: str) -> None:
    """Wire row 10: also a character split over two chunks, and one byte at a time."""
    reply, heard = await reply_of_body(CHAT, BODIES[row])
    assert (reply.parts, heard.text) == ((Text(text=SAID),), SAID)
    await assert_same_wherever_cut(CHAT, BODIES[row])


@given(
    text=st.text(alphabet="\r\n :da茶x", max_size=60).map(lambda text: text.replace("a", "data:")),
    size=st.integers(1, 7),
)
def test_events_agree_with_an_independent_decoder(text: str, size: int) -> None:
    """The data of httpx-sse's decoder, whatever the bytes and the cuts; ours also gives an event without its last blank line."""
    raw = text.encode()
    ours = EventData()
    found = [data for place in range(0, len(raw), size) for data in ours.feed(raw[place : place + size])] + ours.end()
    splitter, decoder = SSELineDecoder(), SSEDecoder()
    rows = [*(splitter.decode(text) if text else []), *splitter.flush(), ""]
    events: list[ServerSentEvent] = [one for row in rows if (one := decoder.decode(row)) is not None]
    assert found == [one.data for one in events]


THINKING = {
    "reasoning_content": [delta(reasoning_content="thi"), delta(reasoning_content="nk"), delta(content="yes")],
    "reasoning": [delta(reasoning="think", content=None), delta(content="yes")],
    "reasoning_text": [delta(reasoning_text="think"), delta(content="yes")],
    "first non-empty": [delta(reasoning_content="", reasoning="think"), delta(content="yes")],
    "think": [delta(content=piece) for piece in ("<th", "ink>", "thi", "nk</thi", "nk>", "\n\n", "yes")],
}


@pytest.mark.parametrize("row", THINKING)
async def test_reasoning_never_becomes_text(row: str) -> None:
    """R-MOD-1; wire row 17: three fields, and tags split over chunks."""
    heard = Heard()
    async with serving(plain(stream(*THINKING[row], STOP))) as server:
        reply = await reply_of(server.url, heard)
    field = "reasoning" if row == "first non-empty" else row
    assert reply.parts == (Reasoning(text="think", field=field), Text(text="yes"))
    assert (heard.reasoning, heard.text) == ("think", "yes")


CUTS_OF_OTHERS = {
    **{f"17 {name}": stream(*chunks, STOP) for name, chunks in THINKING.items()},
    "10 error in the stream": stream(HELLO[1]) + event({"error": {"message": "Overloaded", "code": 529}}),
    "10 error under 200": json.dumps({"error": {"message": "The model `x` does not exist"}}).encode(),
    "11 length": stream(*HELLO, delta("length")),
    "11 no end": stream(*HELLO, done=False),
    "26 web page": b"<!DOCTYPE html><html><body>Sign in</body></html>",
    "26 other JSON": b'{"status": "ok"}',
    "29 usage": stream(*HELLO, STOP, {"choices": [], "usage": USAGE | {"prompt_tokens_details": {"cached_tokens": 5}}}),
}


@pytest.mark.parametrize("row", CUTS_OF_OTHERS)
async def test_bytes_cut_at_any_offset_give_the_same_outcome(row: str) -> None:
    """Wire row 10: reasoning, failures, ends and counts too."""
    await assert_same_wherever_cut(CHAT, CUTS_OF_OTHERS[row])


async def test_a_tag_inside_the_text_stays_text() -> None:
    for text in ("Use <think> tags", "<thinly sliced>", "<", "<thi"):
        async with serving(plain(stream(*(delta(content=letter) for letter in text), STOP))) as server:
            assert (await reply_of(server.url, Heard())).parts == (Text(text=text),)


COUNTS = {
    "last chunk": ({"choices": [], "usage": USAGE}, Usage(input_tokens=11, output_tokens=7)),
    "nowhere": ({"choices": [], "usage": None}, Usage()),
    "subsets": (
        {
            "choices": [],
            "usage": USAGE
            | {
                "prompt_tokens_details": {"cached_tokens": 5},
                "completion_tokens_details": {"reasoning_tokens": 3},
                "cost": 0.5,
            },
        },
        Usage(input_tokens=11, cache_read_tokens=5, output_tokens=7, reasoning_tokens=3, cost=0.5),
    ),
    "DeepSeek": (
        {"choices": [], "usage": USAGE | {"prompt_cache_hit_tokens": 4}},
        Usage(input_tokens=11, cache_read_tokens=4, output_tokens=7),
    ),
    "strange": ({"choices": [], "usage": {"prompt_tokens": None, "completion_tokens": 7.0}}, Usage(output_tokens=7)),
}


@pytest.mark.parametrize("row", COUNTS)
async def test_usage_is_normalised(row: str) -> None:
    """Wire rows 10, 29: subsets are never added twice."""
    chunk, usage = COUNTS[row]
    async with serving(plain(stream(*HELLO, STOP, chunk))) as server:
        assert (await reply_of(server.url, Heard())).usage == usage


async def test_an_empty_answer_is_a_reply_without_parts() -> None:
    """Wire row 12: the nudge is the loop's."""
    async with serving(plain(stream(STOP))) as server:
        assert await reply_of(server.url, Heard()) == Reply(parts=(), model="m-1")


CUTS = {
    "before any reason": pieces(event(HELLO[1])),
    "inside an event": pieces(event(HELLO[1]), b'data: {"choices": [{"del'),
    "inside a chunked body": chunked(event(HELLO[1]), end=False),
}


@pytest.mark.parametrize("row", CUTS)
async def test_a_cut_stream_restarts_once_openly_and_then_is_an_error(row: str) -> None:
    """R-MOD-4; wire rows 11, 23: after visible text one open restart, no more."""
    heard = Heard()
    async with serving(CUTS[row]) as server:
        error = await fault_of(server.url, heard)
        assert len(server.seen) == 2
    assert error.fault is ModelFault.CUT_STREAM
    assert len(heard.restarts) == 1


async def test_after_a_restart_only_the_new_text_counts() -> None:
    """Wire row 23."""
    heard = Heard()
    async with serving(pieces(event(delta(content="half"))), plain(stream(*HELLO, STOP))) as server:
        reply = await reply_of(server.url, heard)
    assert reply.parts == (Text(text=SAID),)
    assert heard.text == SAID
    assert [type(one).__name__ for one in heard.events[:3]] == ["TextDelta", "Restarted", "ModelRetry"]


async def test_a_connection_lost_after_the_end_does_no_harm() -> None:
    async with serving(chunked(stream(*HELLO, STOP, done=False), end=False)) as server:
        assert (await reply_of(server.url, Heard())).parts == (Text(text=SAID),)


async def test_a_server_that_keeps_the_connection_open_after_the_end_is_not_waited_for() -> None:
    async with serving(pieces(stream(*HELLO, STOP), HOLD)) as server:
        async with asyncio.timeout(5):
            assert (await reply_of(server.url, Heard())).parts == (Text(text=SAID),)


async def test_connections_are_used_again() -> None:
    heard = Heard()
    async with serving(chunked(stream(*HELLO, STOP))) as server:
        model = OpenAICompatible(settings(server.url), blob, pacing=pacing(heard))
        await model.respond(ask(), heard)
        await model.respond(ask(), heard)
        assert not server.left.is_set()
        assert len(server.seen) == 2
        await model.close()


@pytest.mark.parametrize("sent", [b"", event(HELLO[1])])
async def test_silence_between_chunks_ends_by_a_time_limit(sent: bytes) -> None:
    """Wire row 27; R-MOD-3."""
    heard = Heard()
    async with serving(pieces(sent, HOLD)) as server:
        model = OpenAICompatible(settings(server.url), blob, pacing=pacing(heard, first=0.1, between=0.1))
        with pytest.raises(ModelError) as caught:
            await model.respond(ask(), heard)
        await model.close()
    assert caught.value.fault is ModelFault.TIMED_OUT
    assert not heard.retries


async def test_a_stopped_turn_closes_the_connection_at_once() -> None:
    """R-SESS-4: the server sees the client leave."""
    heard = Heard()
    async with serving(pieces(event(HELLO[1]), HOLD)) as server:
        model = OpenAICompatible(settings(server.url), blob, pacing=pacing(heard))
        task = asyncio.create_task(model.respond(ask(), heard))
        async with asyncio.timeout(5):
            while not heard.text:
                await asyncio.sleep(0.001)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await server.left.wait()
        await model.close()


async def test_a_server_that_cuts_the_conversation_silently_is_named() -> None:
    """Wire row 25: usage far under the lowest estimate."""
    body = stream(*HELLO, STOP, {"choices": [], "usage": {"prompt_tokens": 2048, "completion_tokens": 1}})
    async with serving(plain(body)) as server:
        long = await reply_of(server.url, Heard(), ask("茶道 " * 6_000))
        short = await reply_of(server.url, Heard(), ask("茶道 " * 100))
    assert "num_ctx" in long.notices[0]
    assert not short.notices
