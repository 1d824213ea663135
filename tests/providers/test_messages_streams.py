"""The Anthropic messages API: streams, calls, ends and refusals (cases/wire.md, rows 1-8, 10-12, 17, 22-27, 29)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from orange_jupyter.core.errors import ModelFault
from orange_jupyter.core.messages import Finish, Reasoning, Text, ToolCall, Usage
from orange_jupyter.providers.anthropic_messages import MESSAGES, AnthropicMessages
from tests.providers.messages_api import answer, begin, block, end, error, events, named, text, thinking, use
from tests.providers.server import HOLD, Answer, pieces, plain, serving
from tests.providers.wires import KEY, Heard, assert_same_wherever_cut, fault_of, reply_of

CLAUDE: dict[str, Any] = {"adapter": AnthropicMessages}
SAID = "你好 wörld 🍊"
HELLO = text(0, "你好 ", "wörld ", "🍊")
GOOD = plain(answer(begin(), HELLO, end()))
Q = {"query": "茶 tea"}
A = json.dumps(Q, ensure_ascii=False)
WHOLE = {"type": "message", "role": "assistant", "content": [{"type": "text", "text": SAID}], "stop_reason": "end_turn"}

BODIES: dict[str, bytes] = {
    "10 standard": answer(begin(), {"type": "ping"}, HELLO, end()),
    "10 no names": b"".join(b"data: " + named(one).partition(b"data: ")[2] for one in events(begin(), HELLO, end())),
    "10 CRLF and comments": b": hi\r\n\r\n" + answer(begin(), HELLO, end()).replace(b"\n", b"\r\n"),
    "10 no blank lines": answer(begin(), HELLO, end()).replace(b"\n\n", b"\n"),
    "10 text in the start": answer(
        begin(), block(0, {"type": "text", "text": "你好 "}, {"type": "text_delta", "text": "wörld 🍊"}), end()
    ),
    "10 two blocks": answer(begin(), text(0, "你好 "), text(1, "wörld 🍊"), end()),
    "10 no message_stop": answer(begin(), HELLO, end()[0]),
    "10 no reason": answer(begin(), HELLO, {"type": "message_stop"}),
    "10 unknown events, blocks and deltas": answer(
        begin(),
        {"type": "news", "x": 1},
        block(0, {"type": "server_tool_use", "id": "s", "name": "web"}, {"type": "odd_delta"}),
        text(1, SAID),
        {"type": "content_block_delta", "index": 9, "delta": {"type": "text_delta", "text": "lost"}},
        end(),
    ),
    "10 nulls": answer(
        begin(), {"type": "content_block_start", "index": 0, "content_block": None}, text(0, SAID), end(), begin()
    ),
    "26 JSON although streaming was asked for": json.dumps(WHOLE, ensure_ascii=False).encode(),
}


@pytest.mark.parametrize("row", BODIES)
async def test_every_framing_gives_the_same_text(row: str) -> None:
    """R-MOD-1; wire rows 10, 26."""
    heard = Heard()
    async with serving(plain(BODIES[row])) as server:
        reply = await reply_of(server.url, heard, **CLAUDE)
    assert "".join(part.text for part in reply.parts if isinstance(part, Text)) == heard.text == SAID
    assert {type(part) for part in reply.parts} == {Text}
    assert (reply.finish, reply.model, heard.retries) == (Finish.STOP, "m-1", [])


TWO = [("search", Q), ("read", {"path": "茶.md"})]
CALLS: dict[str, tuple[bytes, list[tuple[str, Any]]]] = {
    "1 a letter at a time": (answer(begin(), use(0, "search", *A), end("tool_use")), TWO[:1]),
    "1 two in parallel after text": (
        answer(begin(), HELLO, use(1, "search", A), use(2, "read", '{"path": ', '"茶.md"}'), end("tool_use")),
        TWO,
    ),
    "2 interleaved": (
        answer(
            begin(),
            use(0, "search")[0],
            use(1, "read")[0],
            [
                {
                    "type": "content_block_delta",
                    "index": i,
                    "delta": {"type": "input_json_delta", "partial_json": piece},
                }
                for i, piece in ((0, A[:5]), (1, '{"path"'), (0, A[5:]), (1, ':"茶.md"}'))
            ],
            end("tool_use"),
        ),
        TWO,
    ),
    "3 one index for both": (answer(begin(), use(0, "search", A), use(0, "read", '{"path":"茶.md"}'), end()), TWO),
    "5 one id for both": (
        answer(begin(), use(0, "search", A, call_id="x"), use(1, "read", '{"path":"茶.md"}', call_id="x"), end()),
        TWO,
    ),
    "5 no id": (
        answer(
            begin(),
            block(0, {"type": "tool_use", "name": "search"}, {"type": "input_json_delta", "partial_json": A}),
            end(),
        ),
        TWO[:1],
    ),
    "7 no arguments": (answer(begin(), use(0, "list"), end("tool_use")), [("list", {})]),
    "7 input whole in the start": (
        answer(begin(), block(0, {"type": "tool_use", "id": "a", "name": "search", "input": Q}), end("tool_use")),
        TWO[:1],
    ),
    "7 input in the start and again in pieces": (
        answer(begin(), block(0, {"type": "tool_use", "name": "search", "input": Q}, use(0, "", A)[1]["delta"]), end()),
        TWO[:1],
    ),
    "11 end_turn with a call": (answer(begin(), use(0, "search", A), end("end_turn")), TWO[:1]),
    "26 JSON": (
        json.dumps(
            {
                "type": "message",
                "content": [
                    {"type": "tool_use", "id": "a", "name": "search", "input": Q},
                    {"type": "tool_use", "id": "b", "name": "read", "input": {"path": "茶.md"}},
                ],
                "stop_reason": "tool_use",
            }
        ).encode(),
        TWO,
    ),
}


@pytest.mark.parametrize("row", CALLS)
async def test_blocks_become_the_calls_that_were_meant(row: str) -> None:
    """R-MOD-1, R-MOD-3; wire rows 1-7, 11, 26."""
    body, wanted = CALLS[row]
    async with serving(plain(body)) as server:
        reply = await reply_of(server.url, Heard(), **CLAUDE)
    found = [part for part in reply.parts if isinstance(part, ToolCall)]
    assert [(one.name, one.arguments) for one in found] == wanted
    assert all(one.id for one in found)
    assert len({one.id for one in found}) == len(found)
    assert reply.finish is Finish.TOOL_CALLS


CUT_ROWS = {
    **BODIES,
    **{f"call {name}": body for name, (body, _) in CALLS.items()},
    "8 malformed input": answer(begin(), use(0, "search", '{"query": ', '"a"'), end("max_tokens")),
    "10 error in the stream": answer(begin(), HELLO, error("overloaded_error", "Overloaded")),
    "11 no end": answer(begin(), HELLO),
    "29 usage": answer(begin(cache_read_input_tokens=100), HELLO, end(input_tokens=9)),
    "17 thinking": answer(begin(), thinking(0, "嗯", "…"), use(1, "search", A), end("tool_use", input_tokens=12)),
}


@pytest.mark.parametrize("row", CUT_ROWS)
async def test_bytes_cut_at_any_offset_give_the_same_reply(row: str) -> None:
    """Wire row 10: every row again."""
    await assert_same_wherever_cut(MESSAGES, CUT_ROWS[row])


async def test_malformed_input_is_a_problem_and_never_runs_as_empty() -> None:
    """Wire rows 7, 8; cut at its length: none of it runs (row 11)."""
    for raw, problem in (
        ('{"query": "a', "too early"),
        ('{"a":1}{"b":2}', "second begins at character 8"),
        ("[1]", "a list"),
    ):
        async with serving(plain(answer(begin(), use(0, "search", raw), end("max_tokens")))) as server:
            reply = await reply_of(server.url, Heard(), **CLAUDE)
        (call,) = reply.parts
        assert isinstance(call, ToolCall)
        assert (call.arguments, call.raw) == (None, raw)
        assert problem in str(call.problem)
        assert reply.finish is Finish.LENGTH


async def test_thinking_is_kept_in_its_place_with_its_signature() -> None:
    """R-MOD-1; wire row 17: thinking, redacted thinking and thinking whose text is left out."""
    body = answer(
        begin(),
        thinking(0, "let ", "me", signature="s1"),
        block(1, {"type": "redacted_thinking", "data": "r1"}),
        text(2, "First."),
        use(3, "search", A),
        thinking(4, signature="s2"),
        use(5, "list"),
        end("tool_use"),
    )
    heard = Heard()
    async with serving(plain(body)) as server:
        reply = await reply_of(server.url, heard, **CLAUDE)
    assert [part.kind for part in reply.parts] == [
        "reasoning",
        "reasoning",
        "text",
        "tool_call",
        "reasoning",
        "tool_call",
    ]
    assert reply.parts[0] == Reasoning(text="let me", field="thinking", signature="s1")
    assert reply.parts[1] == Reasoning(text="", field="redacted_thinking", signature="r1")
    assert reply.parts[4] == Reasoning(text="", field="thinking", signature="s2")
    assert (heard.reasoning, heard.text) == ("let me", "First.")


async def test_unknown_keys_of_a_call_are_kept() -> None:
    """Wire row 18."""
    start = {"type": "tool_use", "id": "a", "name": "list", "input": {}, "caller": {"type": "direct"}}
    async with serving(plain(answer(begin(), block(0, start), end()))) as server:
        reply = await reply_of(server.url, Heard(), **CLAUDE)
    assert isinstance(reply.parts[0], ToolCall)
    assert reply.parts[0].extra == {"caller": {"type": "direct"}}


@pytest.mark.parametrize(
    ("reason", "finish"),
    [
        ("end_turn", Finish.STOP),
        ("stop_sequence", Finish.STOP),
        ("pause_turn", Finish.STOP),
        ("weird", Finish.STOP),
        ("max_tokens", Finish.LENGTH),
        ("model_context_window_exceeded", Finish.LENGTH),
        ("refusal", Finish.CONTENT_FILTER),
    ],
)
async def test_every_stop_reason_is_understood(reason: str, finish: Finish) -> None:
    """Wire row 11: an unknown reason never raises."""
    async with serving(plain(answer(begin(), HELLO, end(reason)))) as server:
        assert (await reply_of(server.url, Heard(), **CLAUDE)).finish is finish


async def test_a_refusal_without_a_word_is_a_filter_and_not_an_empty_answer() -> None:
    """R-MOD-4; wire row 12: nothing to nudge for."""
    async with serving(plain(answer(begin(), end("refusal")))) as server:
        fault = await fault_of(server.url, Heard(), **CLAUDE)
        assert len(server.seen) == 1
    assert fault.fault is ModelFault.CONTENT_FILTER


COUNTS: dict[str, tuple[bytes, Usage]] = {
    "start and end": (answer(begin(), HELLO, end()), Usage(input_tokens=9, output_tokens=7)),
    "cache": (
        answer(begin(cache_read_input_tokens=100, cache_creation_input_tokens=20), HELLO, end()),
        Usage(input_tokens=129, cache_read_tokens=100, cache_write_tokens=20, output_tokens=7),
    ),
    "repeated at the end": (
        answer(begin(cache_read_input_tokens=100), HELLO, end(input_tokens=9, cache_read_input_tokens=100)),
        Usage(input_tokens=109, cache_read_tokens=100, output_tokens=7),
    ),
    "only at the end": (
        answer(
            begin(input_tokens=0, output_tokens=0),
            HELLO,
            end(input_tokens=30, output_tokens_details={"thinking_tokens": 5}),
        ),
        Usage(input_tokens=30, output_tokens=7, reasoning_tokens=5),
    ),
    "zero at the end": (answer(begin(), HELLO, end(input_tokens=0)), Usage(input_tokens=9, output_tokens=7)),
    "nulls": (
        answer(begin(cache_read_input_tokens=None), HELLO, end(input_tokens=None)),
        Usage(input_tokens=9, output_tokens=7),
    ),
}


@pytest.mark.parametrize("row", COUNTS)
async def test_usage_is_normalised(row: str) -> None:
    """Wire row 29: the input is the whole of it, the cache's parts are subsets of it; counts are cumulative."""
    body, usage = COUNTS[row]
    async with serving(plain(body)) as server:
        assert (await reply_of(server.url, Heard(), **CLAUDE)).usage == usage


def refusal(status: str, kind: str, message: str, more: str = "") -> Answer:
    return plain(json.dumps(error(kind, message)).encode(), status=status, content_type="application/json", more=more)


F = ModelFault
REFUSALS: dict[str, tuple[Answer, ModelFault, str]] = {
    "401": (refusal("401 Unauthorized", "authentication_error", f"invalid x-api-key {KEY}"), F.KEY_REFUSED, "refused"),
    "403": (refusal("403 Forbidden", "permission_error", "no permission"), F.KEY_REFUSED, "403"),
    "404 model": (refusal("404 Not Found", "not_found_error", "model: m-1"), F.UNKNOWN_MODEL, "m-1"),
    "404 path": (refusal("404 Not Found", "not_found_error", "Not found"), F.NOT_A_MODEL_SERVER, "/v1/messages"),
    "402": (refusal("402 Payment Required", "billing_error", "pay"), F.NO_CREDIT, "credit"),
    "credit under 400": (
        refusal("400 Bad Request", "invalid_request_error", "Your credit balance is too low to access the API"),
        F.NO_CREDIT,
        "credit",
    ),
    "too long": (
        refusal("400 Bad Request", "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"),
        F.CONTEXT_TOO_LONG,
        "too long",
    ),
    "too long with its answer": (
        refusal(
            "400 Bad Request",
            "invalid_request_error",
            "input length and `max_tokens` exceed context limit: 190000 + 16384 > 200000",
        ),
        F.CONTEXT_TOO_LONG,
        "too long",
    ),
    "413": (
        refusal("413 Too Large", "request_too_large", "Request exceeds the maximum size"),
        F.CONTEXT_TOO_LONG,
        "too long",
    ),
    "filter": (
        refusal("400 Bad Request", "invalid_request_error", "Output blocked by content filtering policy"),
        F.CONTENT_FILTER,
        "filter",
    ),
    "other": (
        refusal("400 Bad Request", "invalid_request_error", "messages: at least one"),
        F.BAD_REQUEST,
        "at least one",
    ),
    "error in the stream": (plain(answer(begin(), error("invalid_request_error", "bad"))), F.BAD_REQUEST, "bad"),
    "forbidden in the stream": (plain(answer(error("permission_error", "no"))), F.KEY_REFUSED, "403"),
    "key refused in the stream": (plain(answer(error("authentication_error", "no"))), F.KEY_REFUSED, "key"),
    "web page": (plain(b"<html>login</html>"), F.NOT_A_MODEL_SERVER, "web page"),
    "a chat completion": (plain(b'{"choices": []}'), F.NOT_A_MODEL_SERVER, "messages API"),
    "redirect": (
        plain(b"", status="308 Moved", more="Location: https://other.example/v1\r\n"),
        F.NOT_A_MODEL_SERVER,
        "never sent on",
    ),
}


@pytest.mark.parametrize("row", REFUSALS)
async def test_a_refusal_is_explained_and_not_tried_again(row: str) -> None:
    """R-MOD-4, R-ALL-5; wire rows 22, 24, 26; U08: no key in any of them."""
    given, fault, words = REFUSALS[row]
    heard = Heard()
    async with serving(given) as server:
        caught = await fault_of(server.url, heard, **CLAUDE)
        assert len(server.seen) == 1
        assert server.seen[0].headers["x-api-key"] == KEY
        assert "authorization" not in server.seen[0].headers
    assert caught.fault is fault
    assert words in f"{caught.message} {caught.hint}"
    assert KEY not in f"{caught.message}{caught.hint}{heard.events!r}{vars(caught)!r}"


PASSING: dict[str, tuple[Answer, float]] = {
    "429": (refusal("429 Too Many", "rate_limit_error", "slow", "retry-after: 7\r\n"), 7.0),
    "500": (refusal("500 Error", "api_error", "oops"), 0.5),
    "504": (refusal("504 Timeout", "timeout_error", "slow"), 0.5),
    "529": (refusal("529 Overloaded", "overloaded_error", "Overloaded"), 0.5),
    "overloaded in the stream": (plain(answer(begin(), error("overloaded_error", "Overloaded"))), 0.5),
    "overloaded after text": (plain(answer(begin(), HELLO, error("overloaded_error", "Overloaded"))), 0.5),
    "cut": (pieces(answer(begin(), HELLO)), 0.5),
    "cut inside an event": (pieces(answer(begin(), HELLO)[:-20]), 0.5),
    "nothing": (pieces(b""), 0.5),
}


@pytest.mark.parametrize("row", PASSING)
async def test_what_passes_by_itself_is_tried_again(row: str) -> None:
    """R-MOD-4; wire rows 11, 22, 23: shown, then the whole answer; what a person saw is dropped openly."""
    given, waited = PASSING[row]
    heard = Heard()
    async with serving(given, GOOD) as server:
        reply = await reply_of(server.url, heard, **CLAUDE)
    assert reply.parts == (Text(text=SAID),)
    assert heard.text == SAID
    assert heard.waits == [waited]
    assert len(heard.restarts) == (1 if row in ("overloaded after text", "cut", "cut inside an event") else 0)


async def test_an_overload_that_does_not_pass_ends_after_five_tries() -> None:
    """R-MOD-4."""
    heard = Heard()
    async with serving(refusal("529 Overloaded", "overloaded_error", "Overloaded")) as server:
        caught = await fault_of(server.url, heard, **CLAUDE)
        assert len(server.seen) == 5
    assert (caught.fault, caught.tries) == (ModelFault.SERVER_ERROR, 5)
    assert "Overloaded" in caught.message


async def test_a_connection_that_stays_open_after_the_end_is_not_waited_for() -> None:
    async with serving(pieces(answer(begin(), HELLO, end()), HOLD)) as server:
        assert (await reply_of(server.url, Heard(), **CLAUDE)).parts == (Text(text=SAID),)
