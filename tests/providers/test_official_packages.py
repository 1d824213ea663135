"""The official `openai` and `anthropic` packages as independent partners: both ways over the same bytes."""

from __future__ import annotations

import json
from collections.abc import Iterable
from io import IOBase
from os import PathLike
from types import UnionType
from typing import IO, Any, Required, Union, get_args, get_origin

import anthropic
import openai
import pytest
from anthropic import types as claude
from anthropic.types.message_create_params import MessageCreateParamsStreaming
from openai.types.chat import ChatCompletion, ChatCompletionChunk
from openai.types.chat.completion_create_params import CompletionCreateParamsStreaming
from pydantic import BaseModel, TypeAdapter, ValidationError
from typing_extensions import TypedDict, get_type_hints, is_typeddict

from orange_jupyter.core.messages import Message, Reasoning, Reply, Request, Role, Text, ToolCall, Usage
from orange_jupyter.providers.anthropic_messages import MESSAGES, AnthropicMessages
from orange_jupyter.providers.dialect import Dialect
from orange_jupyter.providers.openai_compatible import CHAT
from orange_jupyter.providers.speech import Speech, Wording
from tests.providers.messages_api import answer, begin, end, text, thinking, use
from tests.providers.server import call, delta, plain, serving, stream
from tests.providers.test_wire import IMAGE, URL, made, result, said, user
from tests.providers.wires import TOOLS, Heard, reply_of, settings

SAID = "你好 wörld 🍊"
Q, P = {"query": "茶 tea"}, {"path": "报告 final.md"}
A, B = (json.dumps(one, ensure_ascii=False) for one in (Q, P))
WANTED = [("search", Q), ("read", P)]

CHUNKS = [
    delta(role="assistant", content=""),
    *(delta(content=letter) for letter in SAID),
    delta(tool_calls=[call("", index=0, id="a", type="function", name="search")]),
    *(delta(tool_calls=[call(letter, index=0)]) for letter in A),
    delta(tool_calls=[call("", index=1, id="b", type="function", name="read")]),
    delta(tool_calls=[call(B, index=1)]),
    delta("tool_calls"),
]
COUNTED = {"choices": [], "usage": {"prompt_tokens": 20, "completion_tokens": 9, "total_tokens": 29}}
EVENTS = answer(
    begin(cache_read_input_tokens=4), thinking(0, "hm", signature="s1"), text(1, *SAID), use(2, "search", *A),
    use(3, "read", B), end("tool_use"),
)  # fmt: skip


def calls_of(reply: Reply) -> list[tuple[str, Any]]:
    return [(part.name, part.arguments) for part in reply.parts if isinstance(part, ToolCall)]


def text_of(reply: Reply) -> str:
    return "".join(part.text for part in reply.parts if isinstance(part, Text))


async def test_the_openai_package_reads_from_our_server_what_we_read() -> None:
    """R-MOD-1; issue 4: text, two calls and usage of one stream."""
    async with serving(plain(stream(*CHUNKS, COUNTED))) as server:
        ours = await reply_of(server.url, Heard())
        async with openai.AsyncOpenAI(base_url=server.url, api_key="k", max_retries=0) as client:
            read, arguments, used = "", {}, None
            async for chunk in await client.chat.completions.create(model="m", messages=[], stream=True):
                used = chunk.usage or used
                for choice in chunk.choices:
                    read += choice.delta.content or ""
                    for piece in choice.delta.tool_calls or ():
                        name, raw = arguments.get(piece.index, ("", ""))
                        arguments[piece.index] = (
                            name + (piece.function.name or ""),
                            raw + (piece.function.arguments or ""),
                        )
    assert read == text_of(ours) == SAID
    assert [(name, json.loads(raw)) for name, raw in arguments.values()] == calls_of(ours) == WANTED
    assert (
        (used.prompt_tokens, used.completion_tokens) == (ours.usage.input_tokens, ours.usage.output_tokens) == (20, 9)
    )


async def test_the_anthropic_package_reads_from_our_server_what_we_read() -> None:
    """R-MOD-1; issue 4: thinking with its signature, text, two calls and usage of one stream."""
    async with serving(plain(EVENTS)) as server:
        ours = await reply_of(server.url, Heard(), adapter=AnthropicMessages)
        base = server.url.removesuffix("/v1")
        async with anthropic.AsyncAnthropic(base_url=base, api_key="k", max_retries=0) as client:
            asked = [{"role": "user", "content": "x"}]
            async with client.messages.stream(model="m", max_tokens=9, messages=asked) as streamed:
                theirs = await streamed.get_final_message()
    thought, spoken, *used = theirs.content
    assert ours.parts[0] == Reasoning(text=thought.thinking, field="thinking", signature=thought.signature)
    assert spoken.text == text_of(ours) == SAID
    assert [(one.name, one.input) for one in used] == calls_of(ours) == WANTED
    assert [one.id for one in used] == [part.id for part in ours.parts if isinstance(part, ToolCall)]
    assert ours.usage == Usage(input_tokens=13, cache_read_tokens=4, output_tokens=7)
    assert (theirs.usage.input_tokens + theirs.usage.cache_read_input_tokens, theirs.usage.output_tokens) == (13, 7)


def dumped(models: Iterable[BaseModel], *, names: bool) -> bytes:
    """Models as their package writes them, one event each."""
    lines = [(f"event: {one.type}\n" if names else "") + f"data: {one.model_dump_json()}\n\n" for one in models]
    return "".join(lines).encode()


async def test_we_read_what_the_openai_package_writes() -> None:
    """Every field of its own types, those that are None too, as a stream and as one document."""
    base = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    chunks = [ChatCompletionChunk.model_validate(base | one) for one in (*CHUNKS, COUNTED)]
    message = {
        "role": "assistant",
        "content": SAID,
        "tool_calls": [
            call(A, id="a", type="function", name="search"),
            call(B, id="b", type="function", name="read"),
        ],
    }
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls"}
    whole = ChatCompletion.model_validate(
        base | COUNTED | {"object": "chat.completion", "choices": [choice]}
    ).model_dump_json()
    for body in (dumped(chunks, names=False) + b"data: [DONE]\n\n", whole.encode()):
        async with serving(plain(body)) as server:
            reply = await reply_of(server.url, Heard())
        assert (text_of(reply), calls_of(reply)) == (SAID, WANTED)
        assert reply.usage == Usage(input_tokens=20, output_tokens=9)


async def test_we_read_what_the_anthropic_package_writes() -> None:
    """Every field of its own types, those that are None too, as a stream and as one document."""
    adapter = TypeAdapter(claude.RawMessageStreamEvent)
    parsed = [
        adapter.validate_json(line.removeprefix("data: ")) for line in EVENTS.decode().split("\n") if line[:1] == "d"
    ]
    content = [
        {"type": "thinking", "thinking": "hm", "signature": "s1"},
        {"type": "text", "text": SAID},
        {"type": "tool_use", "id": "a", "name": "search", "input": Q},
        {"type": "tool_use", "id": "b", "name": "read", "input": P},
    ]
    used = {"input_tokens": 9, "cache_read_input_tokens": 4, "output_tokens": 7}
    start = begin()["message"] | {"content": content, "stop_reason": "tool_use", "usage": used}
    whole = claude.Message.model_validate(start).model_dump_json()
    for body in (dumped(parsed, names=True), whole.encode()):
        async with serving(plain(body)) as server:
            reply = await reply_of(server.url, Heard(), adapter=AnthropicMessages)
        assert reply.parts[0] == Reasoning(text="hm", field="thinking", signature="s1")
        assert (text_of(reply), calls_of(reply)) == (SAID, WANTED)
        assert reply.usage == Usage(input_tokens=13, cache_read_tokens=4, output_tokens=7)


CONVERSATION = (
    Message(role=Role.SYSTEM, parts=(Text(text="Be brief."),)),
    user("看 look", IMAGE),
    said(
        Reasoning(text="hm", field="thinking", signature="s1"),
        "Let me see.",
        made("c1"),
        made("c2", arguments=None, raw="{"),
    ),
    result("c1", '{"ok":true}', IMAGE),
    result("c2"),
    said(made("c3")),
    result("c3"),
    user("go on"),
)
SPEECHES: list[tuple[Speech, Any]] = [(CHAT, CompletionCreateParamsStreaming), (MESSAGES, MessageCreateParamsStreaming)]


def eager(kind: Any, known: dict[Any, Any]) -> Any:
    """The type with lists for its iterables, which pydantic would check only while they are taken."""
    if is_typeddict(kind):
        if kind not in known:
            known[kind] = Any  # a type within itself
            fields = {name: eager(hint, known) for name, hint in get_type_hints(kind, include_extras=True).items()}
            known[kind] = TypedDict(kind.__name__, fields, total=False)
        return known[kind]
    origin, inner = get_origin(kind), tuple(eager(one, known) for one in get_args(kind))
    if origin in (Union, UnionType):
        return Union[inner]  # noqa: UP007 - made at run time
    if origin is Iterable:
        return list[inner]
    if kind is IOBase or origin in (IO, PathLike):
        return str  # bytes travel as base64
    if origin in (Required, list):
        return origin[inner[0]]
    return kind


@pytest.mark.parametrize(("speech", "params"), SPEECHES)
def test_what_we_send_fits_the_types_of_the_package(speech: Speech, params: Any) -> None:
    """R-MOD-1; wire rows 13-21: tools, pictures, results, thinking, cache marks; and the check can fail."""
    wording = Wording(settings("http://127.0.0.1:1", max_output=50), Dialect(), {"ab": URL})
    body = speech.body(wording, Request(messages=CONVERSATION, tools=TOOLS))
    adapter = TypeAdapter(eager(params, {}))
    adapter.validate_json(json.dumps(body))
    for broken in ([{"type": "text"}], [{"type": "picture", "text": "x"}]):
        body["messages"][-1]["content"] = broken
        with pytest.raises(ValidationError):
            adapter.validate_json(json.dumps(body))
