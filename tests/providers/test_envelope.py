"""Envelope mode: tool calls as JSON text for models that do not call tools natively (R-MOD-10; wire rows 7, 8, 11, 15)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orange_jupyter.core.deltas import TextDelta
from orange_jupyter.core.errors import ModelError
from orange_jupyter.core.messages import (
    Finish,
    Image,
    Message,
    Reasoning,
    Reply,
    Request,
    Role,
    Text,
    ToolCall,
    ToolResult,
)
from orange_jupyter.providers.anthropic_messages import AnthropicMessages
from orange_jupyter.providers.envelope import OUT_OF_FORM, enveloped
from orange_jupyter.providers.envelope_reading import AnswerText
from orange_jupyter.providers.openai_compatible import CHAT
from tests.providers.messages_api import answer, begin, end, text
from tests.providers.server import call, delta, plain, serving, stream
from tests.providers.wires import (
    TOOLS,
    Heard,
    ask,
    assert_same_wherever_cut,
    reply_of,
    reply_of_body,
)

SPEECH = enveloped(CHAT)
HARD = '引号 "quoted" \\ back\nline\t🍊 é </answer> {"tool": "x"}'


def said(text: str, finish: str = "stop", size: int = 7) -> bytes:
    """A streamed reply whose text comes in pieces of `size` characters."""
    return stream(*(delta(content=text[at : at + size]) for at in range(0, len(text), size)), delta(finish))


def envelope(**fields: Any) -> str:
    return json.dumps(fields, ensure_ascii=False)


def only_call(reply: Reply) -> ToolCall:
    (part,) = reply.parts
    assert isinstance(part, ToolCall)
    return part


async def test_an_answer_streams_as_its_own_text(subtests: Any) -> None:
    """R-MOD-10: what the person sees is the answer, decoded while it comes; no JSON is ever shown."""
    for written in (
        envelope(answer=HARD),
        json.dumps({"answer": HARD}),
        json.dumps({"answer": HARD}, indent=2),
        f"```json\n{envelope(answer=HARD)}\n```",
        f"\n\n {envelope(answer=HARD)}",
        HARD,
    ):
        with subtests.test(written[:20]):
            reply, heard = await reply_of_body(SPEECH, said(written))
            assert (reply.parts, reply.finish) == ((Text(text=HARD),), Finish.STOP)
            assert heard.text == HARD
            assert sum(isinstance(event, TextDelta) for event in heard.events) > 3


async def test_a_call_is_read_and_nothing_of_it_is_shown(subtests: Any) -> None:
    """R-MOD-10: `{tool, arguments}`, also with the names and fences that models use; exactly one call a reply."""
    arguments = {"query": '融雪 "factor"'}
    for written in (
        envelope(tool="search", arguments=arguments),
        envelope(arguments=arguments, tool="search"),
        envelope(name="search", parameters=arguments),
        envelope(tool="Search", arguments=json.dumps(arguments)),
        f"```json\n{json.dumps({'tool': 'search', 'arguments': arguments}, indent=1)}\n```",
        envelope(tool="search", arguments=arguments) + "\n" + envelope(tool="read", arguments={"path": "a"}),
    ):
        with subtests.test(written[:30]):
            reply, heard = await reply_of_body(SPEECH, said(written))
            made = only_call(reply)
            assert (made.name, made.arguments, reply.finish) == ("search", arguments, Finish.TOOL_CALLS)
            assert heard.events == []


async def test_a_call_after_plain_text_is_found(subtests: Any) -> None:
    """R-MOD-10: a model that says something first; an unknown tool in prose stays prose."""
    written = f"I will look.\n```json\n{envelope(tool='search', arguments={'query': 'x'})}\n```"
    reply, _ = await reply_of_body(SPEECH, said(written))
    assert reply.parts[0] == Text(text="I will look.")
    assert isinstance(reply.parts[1], ToolCall)
    prose = f"Write {envelope(tool='hammer', arguments={})} to hit."
    reply, _ = await reply_of_body(SPEECH, said(prose))
    assert reply.parts == (Text(text=prose),)


async def test_what_is_not_an_envelope_is_shown_as_it_came_and_said() -> None:
    reply, heard = await reply_of_body(SPEECH, said('{"reply": "hello"}'))
    assert (reply.parts, reply.notices) == ((Text(text='{"reply": "hello"}'),), (OUT_OF_FORM,))
    assert heard.text == '{"reply": "hello"}'


@pytest.mark.parametrize(
    ("written", "problem"),
    [
        ('{"tool": "search", "arguments": {"query": "a"', "end too early"),
        ('{"tool": "search", "arguments": {"query": }}', "character 11"),
        ('{"tool": "search", "arguments": ["a"]}', "a list"),
        ('{"tool": "search", "arguments": "a"}', "not valid JSON at character 1"),
    ],
)
async def test_a_broken_call_goes_back_to_the_model_with_its_place(written: str, problem: str) -> None:
    """Wire row 8, R-MOD-3: never run as `{}`."""
    reply, _ = await reply_of_body(SPEECH, said(written))
    made = only_call(reply)
    assert (made.name, made.arguments) == ("search", None)
    assert problem in (made.problem or "")


async def test_a_cut_answer_keeps_what_came_and_a_cut_call_does_not_run() -> None:
    """Wire row 11."""
    reply, heard = await reply_of_body(SPEECH, said('{"answer": "half of', finish="length"))
    assert (reply.parts, reply.finish, heard.text) == ((Text(text="half of"),), Finish.LENGTH, "half of")
    reply, _ = await reply_of_body(SPEECH, said('{"tool": "search", "argum', finish="length"))
    assert (only_call(reply).arguments, reply.finish) == (None, Finish.LENGTH)


async def test_native_calls_and_reasoning_pass(subtests: Any) -> None:
    """A server that calls natively although no tools were declared; thinking stays thinking."""
    reply, _ = await reply_of_body(
        SPEECH, stream(delta(tool_calls=[call('{"query": "x"}', id="c", name="search")]), delta("stop"))
    )
    assert only_call(reply).name == "search"
    body = stream(delta(content="<think>hm</think>"), delta(content='{"answer": "ok"}'), delta("stop"))
    reply, heard = await reply_of_body(SPEECH, body)
    assert reply.parts == (Reasoning(text="hm", field="think"), Text(text="ok"))
    assert (heard.reasoning, heard.text) == ("hm", "ok")


@pytest.mark.parametrize(
    "written",
    [envelope(answer=HARD), json.dumps({"answer": HARD}), envelope(tool="search", arguments={"query": "融雪"}), HARD],
)
async def test_a_reply_is_the_same_wherever_its_bytes_are_cut(written: str) -> None:
    """Issue 4: each row again with the bytes cut at every offset."""
    await assert_same_wherever_cut(SPEECH, said(written, size=40))


@given(st.text(), st.lists(st.integers(1, 9), min_size=1), st.booleans())
def test_any_answer_decodes_to_itself_in_any_pieces(text: str, sizes: list[int], ascii_only: bool) -> None:
    """The streamed text is what json.loads would give, without NUL and lone halves (wire row 21)."""
    heard = Heard()
    read = AnswerText(heard)
    written = json.dumps({"answer": text}, ensure_ascii=ascii_only)
    at = 0
    while at < len(written):
        size = sizes[at % len(sizes)]
        read.feed(written[at : at + size])
        at += size
    read.close()
    assert heard.text == text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "ignore").replace("\0", "")


CONVERSATION = (
    Message(role=Role.SYSTEM, parts=(Text(text="You are Orange."),)),
    Message(role=Role.USER, parts=(Text(text="Which factor?"),)),
    Message(
        role=Role.ASSISTANT,
        parts=(
            Reasoning(text="hm", field="thinking", signature="s"),
            Text(text="Looking."),
            ToolCall(id="a", name="search", arguments={"query": "factor"}),
            ToolCall(id="b", name="read", arguments=None, raw="{broken", problem="…"),
        ),
    ),
    Message(role=Role.TOOL, parts=(ToolResult(call_id="a", name="search", content='{"ok": true}', ok=True),)),
    Message(
        role=Role.TOOL,
        parts=(
            ToolResult(
                call_id="b",
                name="read",
                content='{"ok": false}',
                ok=False,
                images=(Image(sha256="x", media_type="image/png", width=8, height=9, caption="p. 2"),),
            ),
        ),
    ),
    Message(role=Role.ASSISTANT, parts=(Text(text="4.6 [c1]"),)),
    Message(role=Role.USER, parts=(Text(text="And why?"),)),
)


async def test_the_conversation_is_worded_for_a_model_without_tools() -> None:
    """R-MOD-10, wire rows 13-16: no tools, no tool messages; each call beside its result; user and assistant in turn."""
    async with serving(plain(said(envelope(answer="ok")))) as server:
        await reply_of(server.url, Heard(), Request(messages=CONVERSATION, tools=TOOLS), envelope=True)
        body = server.seen[0].json
    assert not {"tools", "tool_choice", "parallel_tool_calls"} & set(body)
    roles = [message["role"] for message in body["messages"]]
    assert roles == ["system", "user", "assistant", "user", "assistant", "user", "assistant", "user"]
    texts = [
        message["content"] if isinstance(message["content"], str) else message["content"][0]["text"]
        for message in body["messages"]
    ]
    assert texts[0].startswith("You are Orange.\n\nHow you reply")
    assert '- search: Search {"type": "object"' in texts[0]
    assert texts[2] == 'Looking.\n{"tool": "search", "arguments": {"query": "factor"}}'
    assert texts[3] == 'Result of search:\n{"ok": true}'
    assert texts[4] == '{"tool": "read", "arguments": {"malformed_arguments": "{broken"}}'
    assert texts[5] == 'Result of read:\n{"ok": false}\nPicture: p. 2 (8x9)'
    assert body["messages"][5]["content"][1]["type"] == "image_url"
    assert texts[6:] == ['{"answer": "4.6 [c1]"}', "And why?"]
    schema = body["response_format"]["json_schema"]["schema"]
    assert [list(one["properties"]) for one in schema["anyOf"]] == [["tool", "arguments"]] * 3 + [["answer"]]
    assert schema["anyOf"][0]["properties"]["tool"] == {"type": "string", "enum": ["search"]}


async def test_a_request_without_tools_is_an_ordinary_one() -> None:
    """A session's title is asked for without any envelope."""
    async with serving(plain(said("A title"))) as server:
        reply = await reply_of(server.url, Heard(), Request(messages=CONVERSATION), envelope=True)
        body = server.seen[0].json
    assert reply.parts == (Text(text="A title"),)
    assert "response_format" not in body
    assert body["messages"][-2]["content"] == "4.6 [c1]"
    assert "How you reply" not in json.dumps(body)


def refusal(words: str) -> Any:
    body = json.dumps({"error": {"message": words, "type": "invalid_request_error"}}).encode()
    return plain(body, status="400 Bad Request", content_type="application/json")


async def test_a_server_that_takes_no_schema_is_asked_with_less() -> None:
    """R-MOD-10: json_schema, then json_object, then the words of the prompt alone; the schema stands in the prompt."""
    words = "This response_format type is unavailable now"
    async with serving(refusal(words), refusal(words), plain(said(envelope(answer="ok")))) as server:
        reply = await reply_of(server.url, Heard(), envelope=True)
        formats = [seen.json.get("response_format", {}).get("type") for seen in server.seen]
        prompt = server.seen[2].json["messages"][0]["content"]
    assert reply.parts == (Text(text="ok"),)
    assert formats == ["json_schema", "json_object", None]
    assert "properties" in prompt


async def test_a_server_that_refuses_every_form_is_an_error_in_its_own_words() -> None:
    async with serving(refusal("response_format and grammar are not here")) as server:
        with pytest.raises(ModelError, match="grammar are not here"):
            await reply_of(server.url, Heard(), envelope=True)
    assert len(server.seen) == 3


async def test_the_messages_api_has_an_envelope_by_its_prompt() -> None:
    """A server that speaks like Anthropic, in front of a model without tools."""
    written = envelope(tool="search", arguments={"query": "x"})
    async with serving(plain(answer(begin(), text(0, written), end()))) as server:
        reply = await reply_of(server.url, Heard(), envelope=True, adapter=AnthropicMessages)
        body = server.seen[0].json
    assert only_call(reply).arguments == {"query": "x"}
    assert not {"tools", "response_format"} & set(body)
    assert "How you reply" in body["system"][0]["text"]


async def test_a_turn_with_calls_ends_with_an_answer() -> None:
    """Call, result, answer over one server; the second request continues the first byte by byte."""
    answers = (plain(said(envelope(tool="search", arguments={"query": "x"}))), plain(said(envelope(answer="4.6 [c1]"))))
    async with serving(*answers) as server:
        first = await reply_of(server.url, Heard(), ask(), envelope=True)
        made = only_call(first)
        result = ToolResult(call_id=made.id, name="search", content='{"ok": true}', ok=True)
        messages = (
            *ask().messages,
            Message(role=Role.ASSISTANT, parts=first.parts),
            Message(role=Role.TOOL, parts=(result,)),
        )
        second = await reply_of(server.url, Heard(), Request(messages=messages, tools=TOOLS), envelope=True)
        sent = [seen.json["messages"] for seen in server.seen]
    assert second.parts == (Text(text="4.6 [c1]"),)
    assert sent[1][:2] == sent[0]
    assert sent[1][2]["content"] == envelope(tool="search", arguments={"query": "x"})
