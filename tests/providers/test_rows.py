"""Every row of cases/wire.md has tests that name it, and each one that is bytes on the wire is cut at every offset.

The rows whose bytes are a status and a short body, or whose outcome is decided after the stream, are cut here, through
the whole client; the other bodies are cut beside their tests.
"""

from __future__ import annotations

import ast
import re
from collections.abc import AsyncIterator, Iterable
from pathlib import Path
from typing import Any

import httpx
import pytest

from orange_jupyter.core.errors import ModelError
from orange_jupyter.core.messages import Message, Reply, Request, Role, Text, ToolCall, ToolResult
from orange_jupyter.providers.anthropic_messages import MESSAGES, AnthropicMessages
from orange_jupyter.providers.openai_compatible import CHAT, OpenAICompatible
from tests.providers import test_faults, test_messages_streams, test_streams, test_tool_calls
from tests.providers.messages_api import answer, begin, block, end, text, use
from tests.providers.server import Answer, call, delta, event, plain, stream
from tests.providers.test_tool_calls import A1, TEXT_CALLS, calls
from tests.providers.wires import TOOLS, Adapter, Heard, assert_same_wherever_cut, blob, every_cut, pacing, settings

TESTS = Path(__file__).parents[1]
README = Path(__file__).with_name("README.md")
ALL = set(range(1, 31))
ADAPTERS: dict[str, Adapter] = {"chat": OpenAICompatible, "messages": AnthropicMessages}
CUT = {
    "chat": {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 17, 18, 22, 23, 24, 25, 26, 29},
    # The messages API gives a call's name once, whole (6).
    "messages": {1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12, 17, 18, 22, 23, 24, 25, 26, 29},
}
"""Rows that are bytes from a server. 13-16, 19-21 and 28 are what we send, 14 and 30 the loop's, 27 is time."""

AFTER_THE_STREAM = {5, 9, 12, 25}
"""Rows whose outcome the client decides when the stream is over; refusals come with another status than 200."""
SPEECHES = {"chat": CHAT, "messages": MESSAGES}

STOP = delta("stop")
SIGNED = call(A1, index=0, id="a", name="search", extra_content={"google": {"thought_signature": "茶"}})
FEW = {"prompt_tokens": 20, "completion_tokens": 1}
TOOL_USE = use(0, "search", A1)

CHAT_ROWS: dict[str, Answer] = {
    "5 an id used before": plain(stream(calls(call(A1, index=0, id="call_1", name="search")), STOP)),
    **{f"9 {shape}": plain(stream(delta(content=words), STOP)) for shape, words in TEXT_CALLS.items()},
    **{
        f"11 {reason}": plain(stream(calls(call(A1, index=0, id="a", name="search")), delta(reason)))
        for reason in ("length", "tool_calls", "weird", "content_filter")
    },
    "12 empty": plain(stream(STOP)),
    "12 filtered": plain(stream(delta("content_filter"))),
    "18 signed": plain(stream(calls(SIGNED), STOP)),
    "23 cut after text": plain(event(delta(content="half 半"))),
    "23 error after text": plain(event(delta(content="half 半")) + event({"error": {"message": "busy", "code": 529}})),
    "25 silent": plain(stream(delta(content="好"), STOP, {"choices": [], "usage": FEW})),
    **{f"22 24 26 {name}": given for name, (given, _, _) in test_faults.ROWS.items()},
    **{
        f"22 {status}": test_faults.refusal(status, b'{"error": {"message": "busy"}}') for status in test_faults.PASSING
    },
    **{
        f"29 {name}": plain(stream(delta(content="好"), STOP, chunk))
        for name, (chunk, _) in test_streams.COUNTS.items()
    },
}
MESSAGES_ROWS: dict[str, Answer] = {
    "4 index from 1": plain(answer(begin(), use(1, "search", A1), end("tool_use"))),
    "4 no index": plain(
        answer(begin(), [{key: one[key] for key in one if key != "index"} for one in TOOL_USE], end("tool_use"))
    ),
    **{f"9 {shape}": plain(answer(begin(), text(0, words), end())) for shape, words in TEXT_CALLS.items()},
    "12 empty": plain(answer(begin(), end())),
    "12 refusal": plain(answer(begin(), end("refusal"))),
    "18 unknown keys": plain(
        answer(
            begin(),
            block(0, {"type": "tool_use", "id": "a", "name": "list", "input": {}, "caller": {"x": "茶"}}),
            end(),
        )
    ),
    "25 silent": plain(answer(begin(input_tokens=20), text(0, "好"), end())),
    **{f"22 24 26 {name}": given for name, (given, _, _) in test_messages_streams.REFUSALS.items()},
    **{f"22 23 {name}": given for name, (given, _) in test_messages_streams.PASSING.items()},
    **{f"29 {name}": plain(body) for name, (body, _) in test_messages_streams.COUNTS.items()},
}
HERE = {"chat": CHAT_ROWS, "messages": MESSAGES_ROWS}
BESIDE: dict[str, Iterable[str]] = {
    "chat": [
        *test_tool_calls.ROWS,
        *(name for name, (raw, _) in test_tool_calls.BROKEN.items() if len(raw) < 100),
        *test_streams.CUTS_OF_OTHERS,
        *(f"10 {name}" for name in test_streams.BODIES),
    ],
    "messages": [name.removeprefix("call ") for name in test_messages_streams.CUT_ROWS],
}
"""Names of the rows that are cut beside their own tests."""


class _Pieces(httpx.AsyncByteStream):
    def __init__(self, pieces: tuple[bytes, ...]) -> None:
        self._pieces = pieces

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self._pieces:
            yield piece


class _Wire(httpx.AsyncBaseTransport):
    """Gives every request the same status and headers and a body in the given pieces."""

    def __init__(self, given: Answer) -> None:
        head, *body = (piece for piece in given.pieces if isinstance(piece, bytes))
        first, *lines = head.decode("latin-1").split("\r\n")
        self.body = b"".join(body)
        self.pieces: tuple[bytes, ...] = (self.body,)
        self.status = int(first.split()[1])
        self._headers = [tuple(line.split(": ", 1)) for line in lines if line and not line.startswith("Connection")]

    async def handle_async_request(self, _: httpx.Request) -> httpx.Response:
        return httpx.Response(self.status, headers=self._headers, stream=_Pieces(self.pieces))


EARLIER = (
    Message(role=Role.USER, parts=(Text(text="茶道 " * 6_000),)),
    Message(role=Role.ASSISTANT, parts=(ToolCall(id="call_1", name="list", arguments={}),)),
    Message(role=Role.TOOL, parts=(ToolResult(call_id="call_1", name="list", content="{}", ok=True),)),
    Message(role=Role.USER, parts=(Text(text="x"),)),
)
"""A conversation long enough for row 25, in which an id is used (row 5)."""


async def outcome(model: Any, request: Request, heard: Heard) -> tuple[Any, ...]:
    """All that can be seen of one answer: reply or error, the text that stands, waits, tries."""
    try:
        reply: Reply = await model.respond(request, heard)
    except ModelError as error:
        found: tuple[Any, ...] = (error.fault, error.message, error.hint, error.tries)
    else:
        found = (reply,)
    return (*found, heard.text, heard.reasoning, heard.waits, len(heard.restarts))


@pytest.mark.parametrize(("api", "row"), [(api, row) for api, given in HERE.items() for row in given])
async def test_an_answer_cut_at_any_offset_has_the_same_outcome(api: str, row: str) -> None:
    """Wire rows 4, 5, 9-12, 18, 22-26, 29 again: refusals, empty answers, calls as text, counts."""
    wire = _Wire(HERE[api][row])
    if wire.status == 200 and not numbers([row]) & AFTER_THE_STREAM:
        await assert_same_wherever_cut(SPEECHES[api], wire.body)
        return
    long = "25" in row or row.startswith("5 ")
    request = Request(messages=EARLIER if long else EARLIER[-1:], tools=TOOLS)
    async with httpx.AsyncClient(transport=wire) as client:

        async def once(pieces: tuple[bytes, ...]) -> tuple[Any, ...]:
            heard = Heard()
            wire.pieces = pieces
            # a model of its own: what one learns from a refusal is not the next one's
            model = ADAPTERS[api](
                settings("http://127.0.0.1:9/v1"), blob, pacing=pacing(heard, attempts=2), client=client
            )
            return await outcome(model, request, heard)

        whole = await once((wire.body,))
        for pieces in every_cut(wire.body):
            assert await once(pieces) == whole, pieces


def numbers(names: Iterable[str]) -> set[int]:
    """The numbers that names of rows begin with."""
    return {int(number) for name in names for number in re.findall(r"\d+", re.match(r"[\d ]*", name)[0])}  # type: ignore[index]


@pytest.mark.parametrize("api", CUT)
def test_every_row_that_is_bytes_is_cut_at_every_offset(api: str) -> None:
    """Issue 4: for both adapters."""
    assert numbers(HERE[api]) | numbers(BESIDE[api]) >= CUT[api]


def rows_named() -> dict[int, list[str]]:
    """Row → the tests whose docstring names it."""
    found: dict[int, list[str]] = {}
    for file in TESTS.rglob("test_*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
                for row in rows_in(ast.get_docstring(node) or ""):
                    found.setdefault(row, []).append(f"{file.name}::{node.name}")
    return found


def rows_in(words: str) -> set[int]:
    """The rows that a text names: `wire row 7`, `wire rows 1-7, 11 and 26`."""
    listed = [match[1] for match in re.finditer(r"[Ww]ire rows? ((?:\d+(?:-\d+)?(?:, | and )?)+)", words)]
    spans = [span.partition("-") for span in re.findall(r"\d+(?:-\d+)?", " ".join(listed))]
    return {row for first, _, last in spans for row in range(int(first), int(last or first) + 1)}


def test_every_row_of_the_wire_cases_is_named_by_a_test() -> None:
    """Issue 4: rows 1 to 30, none more and none less; this file's own tests do not count."""
    named = {
        row: [test for test in tests if not test.startswith("test_rows.py")] for row, tests in rows_named().items()
    }
    assert {row for row, tests in named.items() if tests} == ALL


def test_the_page_about_the_rows_lists_each_of_them() -> None:
    spans = re.findall(r"^\| (\d+)(?:–(\d+))? \|", README.read_text(encoding="utf-8"), re.MULTILINE)
    assert {row for first, last in spans for row in range(int(first), int(last or first) + 1)} == ALL


@pytest.mark.corpus
def test_the_wire_cases_have_these_thirty_rows(specification: Path) -> None:
    cases = (specification.parent / "cases" / "wire.md").read_text(encoding="utf-8")
    assert {int(number) for number in re.findall(r"^(\d+)\. ", cases, re.MULTILINE)} == ALL


def test_the_search_for_rows_reads_lists_and_spans() -> None:
    assert rows_in("R-MOD-3; wire rows 1-3, 11 and 26: x. Wire row 7.") == {1, 2, 3, 7, 11, 26}
    assert rows_in("rows of a table 3") == set()
    assert numbers(["22 24 too long", "3 one index, 2 ids"]) == {3, 22, 24}
