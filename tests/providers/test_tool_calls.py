"""Tool calls as real servers stream them (cases/wire.md, rows 1-11, 18)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from orange_jupyter.core.messages import Finish, Message, Request, Role, Text, ToolCall, ToolResult
from orange_jupyter.providers.openai_compatible import CHAT
from tests.providers.server import call, delta, plain, serving, stream
from tests.providers.wires import TOOLS, Heard, ask, assert_same_wherever_cut, reply_of

Q1, Q2 = {"query": "茶 tea"}, {"query": "b"}
A1, A2 = json.dumps(Q1, ensure_ascii=False), json.dumps(Q2)


def calls(*items: dict[str, Any]) -> dict[str, Any]:
    return delta(tool_calls=list(items))


def letters(text: str, **fields: Any) -> list[dict[str, Any]]:
    return [calls(call(letter, **fields)) for letter in text]


TWO = [("search", Q1), ("search", Q2)]
ONE = [("search", Q1)]

ROWS: dict[str, tuple[list[dict[str, Any]], list[tuple[str, Any]]]] = {
    "1 standard": ([calls(call("", index=0, id="a", name="search")), *letters(A1, index=0)], ONE),
    "1 two in parallel": (
        [calls(call(A1, index=0, id="a", name="search"), call(A2, index=1, id="b", name="search"))],
        TWO,
    ),
    "2 interleaved, no ids": (
        [
            calls(call("", index=0, name="search"), call("", index=1, name="read")),
            calls(call('{"query":', index=0)),
            calls(call('{"path":', index=1)),
            calls(call(' "x"}', index=0)),
            calls(call(' "y.md"}', index=1)),
        ],
        [("search", {"query": "x"}), ("read", {"path": "y.md"})],
    ),
    "3 one index, two ids, whole arguments": (
        [calls(call(A1, index=0, id="a", name="search")), calls(call(A2, index=0, id="b", name="search"))],
        TWO,
    ),
    "3 one index, two ids, second without arguments": (
        [calls(call(A1, index=0, id="a", name="search")), calls(call("", index=0, id="b", name="list"))],
        [("search", Q1), ("list", {})],
    ),
    "4 no index": ([calls(call("", id="a", name="search")), *letters(A1)], ONE),
    "4 no index, two calls": (
        [
            calls(call("", id="a", name="search")),
            *letters(A1),
            calls(call("", id="b", name="search")),
            *letters(A2),
        ],
        TWO,
    ),
    "4 index null": ([calls(call("", index=None, id="a", name="search")), calls(call(A1, index=None))], ONE),
    "4 index only in the first piece": ([calls(call("", index=0, id="a", name="search")), *letters(A1)], ONE),
    "4 index only in later pieces": ([calls(call("", id="a", name="search")), *letters(A1, index=0)], ONE),
    "4 index from 1": (
        [calls(call(A1, index=1, id="a", name="search")), calls(call(A2, index=2, id="b", name="search"))],
        TWO,
    ),
    "5 no ids, one index, two whole calls": (
        [calls(call(A1, index=0, name="search")), calls(call(A2, index=0, name="search"))],
        TWO,
    ),
    "5 no ids, one index, names before arguments": (
        [
            calls(call("", index=0, name="search")),
            calls(call(A1, index=0)),
            calls(call("", index=0, name="search")),
            calls(call(A2, index=0)),
        ],
        TWO,
    ),
    "5 empty ids": (
        [calls(call(A1, index=0, id="", name="search")), calls(call(A2, index=1, id="", name="search"))],
        TWO,
    ),
    "5 id repeated in every delta": (
        [calls(call("", index=0, id="a", name="search")), *letters(A1, index=0, id="a")],
        ONE,
    ),
    "5 id changes in mid-stream": (
        [calls(call("", index=0, id="a0", name="search"))]
        + [calls(call(letter, index=0, id=f"a{n}")) for n, letter in enumerate(A1)],
        ONE,
    ),
    "6 name repeated in every delta": (letters(A1, index=0, id="a", name="search"), ONE),
    "6 name repeated, no id, no index": (letters(A1, name="search"), ONE),
    "6 name split": (
        [calls(call("", index=0, id="a", name="sea")), calls(call("", index=0, name="rch")), *letters(A1, index=0)],
        ONE,
    ),
    "7 arguments as an object": ([calls(call(Q1, index=0, id="a", name="search"))], ONE),
    "7 arguments null": (
        [calls({"index": 0, "id": "a", "function": {"name": "list", "arguments": None}})],
        [("list", {})],
    ),
    "7 arguments empty": ([calls(call("", index=0, id="a", name="list"))], [("list", {})]),
    "7 raw newline in a string": (
        [calls(call('{"query": "a\nb"}', index=0, id="a", name="search"))],
        [("search", {"query": "a\nb"})],
    ),
    "R-MOD-3 wrong case": ([calls(call(A1, index=0, id="a", name="Search"))], ONE),
    "legacy function_call": ([delta(function_call={"name": "search", "arguments": A1})], ONE),
    "tool_calls as one object": ([delta(tool_calls=call(A1, index=0, id="a", name="search"))], ONE),
}


@pytest.mark.parametrize("row", ROWS)
async def test_pieces_become_the_calls_that_were_meant(row: str) -> None:
    """R-MOD-1, R-MOD-3; wire rows 1-7: each shape, with `stop` as the reason, which runs calls all the same (row 11)."""
    chunks, wanted = ROWS[row]
    async with serving(plain(stream(*chunks, delta("stop")))) as server:
        reply = await reply_of(server.url, Heard())
    found = [part for part in reply.parts if isinstance(part, ToolCall)]
    assert [(one.name, one.arguments) for one in found] == wanted
    assert all(one.id and one.problem is None for one in found)
    assert len({one.id for one in found}) == len(found)
    assert reply.finish is Finish.TOOL_CALLS


@pytest.mark.parametrize("row", ROWS)
async def test_bytes_cut_at_any_offset_give_the_same_calls(row: str) -> None:
    """Wire row 10: the same reply wherever the network cuts, also inside a character."""
    chunks, _ = ROWS[row]
    await assert_same_wherever_cut(CHAT, stream(*chunks, delta("tool_calls")))


BROKEN = {
    "7 two objects glued": (
        '{"query": "a"}{"query": "b"}',
        "more than one JSON value: the second begins at character 15",
    ),
    "7 trailing comma": ('{"query": "a",}', "at character 1"),
    "7 NaN": ('{"limit": NaN}', "NaN"),
    "7 a list": ('["a"]', "a list"),
    "7 a string": ('"a"', "a string"),
    "7 null": ("null", "null"),
    "8 cut off": ('{"query": "a', "end too early"),
    "8 nested without end": ("[" * 100_000, "nested too deeply"),
}


@pytest.mark.parametrize("row", BROKEN)
async def test_malformed_arguments_are_a_problem_and_never_run_as_empty(row: str) -> None:
    """R-MOD-3; wire rows 7, 8: `arguments` is None, the problem names the place, the raw text is kept."""
    raw, problem = BROKEN[row]
    async with serving(plain(stream(calls(call(raw, index=0, id="a", name="search")), delta("tool_calls")))) as server:
        reply = await reply_of(server.url, Heard())
    (found,) = reply.parts
    assert isinstance(found, ToolCall)
    assert found.arguments is None
    assert problem in str(found.problem)
    assert found.raw == raw


@pytest.mark.parametrize("row", [row for row in BROKEN if len(BROKEN[row][0]) < 100])
async def test_malformed_arguments_cut_at_any_offset_are_the_same_problem(row: str) -> None:
    """Wire rows 7, 8, 10."""
    body = stream(calls(call(BROKEN[row][0], index=0, id="a", name="search")), delta("tool_calls"))
    await assert_same_wherever_cut(CHAT, body)


async def test_an_answer_that_did_not_stream_keeps_its_calls_apart() -> None:
    """Wire row 26: JSON although streaming was asked for; equal calls without ids stay two."""
    message = {"role": "assistant", "content": None, "tool_calls": [call("", name="list"), call("", name="list")]}
    body = json.dumps({"choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}]}).encode()
    async with serving(plain(body, content_type="application/json")) as server:
        reply = await reply_of(server.url, Heard())
    assert [part.kind for part in reply.parts] == ["tool_call", "tool_call"]
    assert len({part.id for part in reply.parts if isinstance(part, ToolCall)}) == 2


async def test_an_id_used_earlier_in_the_conversation_becomes_a_new_one() -> None:
    """Wire row 5: an id used again in a later turn."""
    earlier = Message(role=Role.ASSISTANT, parts=(ToolCall(id="call_1", name="list", arguments={}),))
    result = Message(role=Role.TOOL, parts=(ToolResult(call_id="call_1", name="list", content="{}", ok=True),))
    user = Message(role=Role.USER, parts=(Text(text="x"),))
    request = Request(messages=(user, earlier, result, user), tools=TOOLS)
    for given in ("call_1", ""):
        async with serving(plain(stream(calls(call(A1, index=0, id=given, name="search"))))) as server:
            reply = await reply_of(server.url, Heard(), request)
        assert isinstance(reply.parts[0], ToolCall)
        assert reply.parts[0].id not in ("call_1", "")


async def test_unknown_keys_of_a_call_are_kept() -> None:
    """Wire row 18: a thought signature comes back with the call."""
    signed = call(A1, index=0, id="a", name="search", extra_content={"google": {"thought_signature": "xyz"}})
    async with serving(plain(stream(calls(signed), delta("tool_calls")))) as server:
        reply = await reply_of(server.url, Heard())
    assert isinstance(reply.parts[0], ToolCall)
    assert reply.parts[0].extra == {"extra_content": {"google": {"thought_signature": "xyz"}}}


@pytest.mark.parametrize(
    ("reason", "finish"),
    [
        ("length", Finish.LENGTH),
        ("tool_calls", Finish.TOOL_CALLS),
        ("weird", Finish.TOOL_CALLS),
        (None, Finish.TOOL_CALLS),
        ("content_filter", Finish.CONTENT_FILTER),
    ],
)
async def test_the_reason_of_the_end_decides_whether_calls_may_run(reason: str | None, finish: Finish) -> None:
    """Wire row 11: `length` runs none; an unknown or missing reason never raises."""
    chunks = [calls(call(A1, index=0, id="a", name="search")), *([delta(reason)] if reason else [])]
    async with serving(plain(stream(*chunks))) as server:
        assert (await reply_of(server.url, Heard())).finish is finish


TEXT_CALLS = {
    "tag": '<tool_call>\n{"name": "search", "arguments": {"query": "a"}}\n</tool_call>',
    "fence": '```json\n{"name": "search", "arguments": {"query": "a"}}\n```',
    "bare": '{"name": "search", "parameters": {"query": "a"}}',
    "DSML": "<｜DSML｜invoke name=search>",
    "open tag": 'Let me see <tool_call>{"name": "search"',
}


@pytest.mark.parametrize("shape", TEXT_CALLS)
async def test_a_call_written_as_text_is_named_and_not_executed(shape: str) -> None:
    """R-MOD-3; wire row 9: the person is told which server option is missing."""
    async with serving(plain(stream(delta(content=TEXT_CALLS[shape]), delta("stop")))) as server:
        reply = await reply_of(server.url, Heard())
    assert not any(isinstance(part, ToolCall) for part in reply.parts)
    assert "--jinja" in reply.notices[0]


async def test_a_text_call_is_recovered_only_by_setting_with_closing_tag_and_known_tool() -> None:
    """Wire row 9."""
    for text, count in (
        (TEXT_CALLS["tag"], 1),
        (TEXT_CALLS["fence"], 0),
        (TEXT_CALLS["tag"].replace("search", "rm"), 0),
    ):
        async with serving(plain(stream(delta(content=text), delta("stop")))) as server:
            reply = await reply_of(server.url, Heard(), recover_text_calls=True)
        assert sum(isinstance(part, ToolCall) for part in reply.parts) == count


async def test_json_that_is_no_call_stays_text() -> None:
    for text in ('```json\n{"name": "Bob", "age": 3}\n```', "Use `search` to find it.", '{"a": 1}'):
        async with serving(plain(stream(delta(content=text), delta("stop")))) as server:
            assert not (await reply_of(server.url, Heard(), ask())).notices
