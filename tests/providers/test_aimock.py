"""Our client in tool loops against `@copilotkit/aimock`, a model server by others, over both APIs."""

from __future__ import annotations

import json
import re
import subprocess
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import httpx
import pytest

from orange_jupyter.core.errors import ModelError, ModelFault
from orange_jupyter.core.messages import Finish, Message, Reasoning, Reply, Request, Role, Text, ToolCall, ToolResult
from orange_jupyter.core.ports import Model
from orange_jupyter.providers.anthropic_messages import AnthropicMessages
from orange_jupyter.providers.openai_compatible import OpenAICompatible
from tests.providers.wires import TOOLS, Adapter, Heard, ask, blob, pacing, settings

ADAPTERS: dict[str, Adapter] = {"chat": OpenAICompatible, "messages": AnthropicMessages}
PATHS = {"chat": "/v1/chat/completions", "messages": "/v1/messages"}
BUSY = (429, 500, 503, 529)
SAID = "绿茶 is green tea 🍊 [c1]"
Q, P = {"query": '绿茶 "green" tea\n'}, {"path": "笔记 2026/茶 tea.md"}


def called(*calls: tuple[str, Any], **more: Any) -> dict[str, Any]:
    return {"toolCalls": [{"name": name, "arguments": arguments} for name, arguments in calls], **more}


FIXTURES: list[dict[str, Any]] = [
    {
        "match": {"userMessage": "loop", "toolResultContains": "second"},
        "response": {"content": SAID, "usage": {"prompt_tokens": 40, "completion_tokens": 12, "total_tokens": 52}},
    },
    {"match": {"userMessage": "loop", "toolResultContains": "first"}, "response": called(("list", {}))},
    {
        "match": {"userMessage": "loop", "hasToolResult": False},
        "response": called(("search", Q), ("read", P), content="Let me look: "),
    },
    {
        "match": {"userMessage": "think", "hasToolResult": False},
        "response": called(("search", Q), reasoning="先想 first", reasoningSignature="c2lnbmVk"),
    },
    {"match": {"userMessage": "think", "hasToolResult": True}, "response": {"content": SAID}},
    *(
        {
            "match": {"userMessage": "busy", "model": f"busy-{api}-{status}", "sequenceIndex": 0},
            "response": {"error": {"message": "not now"}, "status": status},
        }
        for api in ADAPTERS
        for status in BUSY
    ),
    {"match": {"userMessage": "busy"}, "response": {"content": SAID}},
    {
        "match": {"userMessage": "wrong key"},
        "response": {"error": {"message": "Incorrect API key", "type": "authentication_error"}, "status": 401},
    },
    *(
        {
            "match": {"userMessage": "cut", "model": f"cut-{api}", "sequenceIndex": 0},
            "response": {"content": SAID},
            "truncateAfterChunks": 6,
            "latency": 20,
        }
        for api in ADAPTERS
    ),
    {"match": {"userMessage": "cut"}, "response": {"content": SAID}},
    {"match": {"userMessage": "long"}, "response": {"content": SAID, "finishReason": "length"}},
]  # fmt: skip


@dataclass(frozen=True)
class Served:
    """The running server."""

    url: str

    def model(self, api: str, heard: Heard, *, name: str = "m-1") -> Model:
        base = self.url + ("/v1" if api == "chat" else "")
        return ADAPTERS[api](settings(base, model=name), blob, pacing=pacing(heard))

    def journal(self, api: str, model: str) -> list[dict[str, Any]]:
        """What it recorded of one API and model, oldest first."""
        entries = httpx.get(f"{self.url}/__aimock/journal", params={"path": PATHS[api]}, trust_env=False).json()
        return [one for one in entries if one["body"]["model"] == model]


@pytest.fixture(scope="module")
def aimock(tmp_path_factory: pytest.TempPathFactory, aimock_command: list[str]) -> Iterator[Served]:
    """One character a chunk, and an error for every request that no fixture fits."""
    file = tmp_path_factory.mktemp("aimock") / "fixtures.json"
    file.write_text(json.dumps({"fixtures": FIXTURES}, ensure_ascii=False), encoding="utf-8")
    options = ["--port", "0", "--fixtures", str(file), "--chunk-size", "1", "--strict", "--validate-on-load"]
    with subprocess.Popen(
        [*aimock_command, *options], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        try:
            assert process.stdout is not None
            found = next(
                match for match in (re.search(r"listening on (http://\S+)", line) for line in process.stdout) if match
            )
            reader = threading.Thread(target=process.stdout.read, daemon=True)
            reader.start()
            yield Served(found.group(1))
        finally:
            process.terminate()
            process.wait(20)
            reader.join(20)


async def loop(model: Model, question: str, heard: Heard) -> tuple[list[Reply], list[Message]]:
    """Ask, run every call, ask again, until there is an answer."""
    messages = list(ask(question).messages)
    replies: list[Reply] = []
    results = iter(("nothing", "first 一", "second 二", "third"))
    while True:
        replies.append(await model.respond(Request(messages=tuple(messages), tools=TOOLS), heard))
        said = Message(role=Role.ASSISTANT, parts=replies[-1].parts, model=replies[-1].model)
        messages.append(said)
        if not said.calls:
            return replies, messages
        assert len(replies) < 5, "the loop does not end"
        for call in said.calls:
            result = ToolResult(
                call_id=call.id,
                name=call.name,
                content=json.dumps({"data": next(results)}, ensure_ascii=False),
                ok=True,
            )
            messages.append(Message(role=Role.TOOL, parts=(result,)))


def calls_of(reply: Reply) -> list[tuple[str, Any]]:
    return [(part.name, part.arguments) for part in reply.parts if isinstance(part, ToolCall)]


def text_of(reply: Reply) -> str:
    return "".join(part.text for part in reply.parts if isinstance(part, Text))


@pytest.mark.parametrize("api", ADAPTERS)
async def test_a_loop_of_two_calls_and_one_more_ends_with_the_answer(aimock: Served, api: str) -> None:
    """Issue 4, R-MOD-1; wire rows 1, 14: parallel calls a character at a time, results back in their order."""
    heard = Heard()
    model = aimock.model(api, heard, name=f"loop-{api}")
    replies, _ = await loop(model, "loop", heard)
    await model.close()
    assert [calls_of(reply) for reply in replies] == [[("search", Q), ("read", P)], [("list", {})], []]
    assert (text_of(replies[0]), text_of(replies[-1])) == ("Let me look: ", SAID)
    assert [reply.finish for reply in replies] == [Finish.TOOL_CALLS, Finish.TOOL_CALLS, Finish.STOP]
    assert (replies[-1].usage.input_tokens, replies[-1].usage.output_tokens) == (40, 12)
    assert heard.text == "Let me look: " + SAID
    seen = aimock.journal(api, f"loop-{api}")
    assert [one["response"]["status"] for one in seen] == [200, 200, 200]
    # The server keeps what it understood of our history in one form for both APIs.
    told = [(one["role"], one.get("tool_call_id")) for one in seen[-1]["body"]["messages"] if one["role"] == "tool"]
    made = [call["id"] for one in seen[-1]["body"]["messages"] for call in one.get("tool_calls") or ()]
    assert told == [("tool", call_id) for call_id in made]
    assert len(made) == 3


@pytest.mark.parametrize("api", ADAPTERS)
async def test_reasoning_is_heard_and_the_loop_goes_on(aimock: Served, api: str) -> None:
    """Wire row 17: reasoning_content, or thinking with a signature that goes back with the call."""
    heard = Heard()
    model = aimock.model(api, heard, name=f"think-{api}")
    replies, _ = await loop(model, "think", heard)
    await model.close()
    (thought,) = [part for part in replies[0].parts if isinstance(part, Reasoning)]
    assert thought.text == heard.reasoning == "先想 first"
    assert (thought.field, thought.signature) == (
        ("thinking", "c2lnbmVk") if api == "messages" else ("reasoning_content", None)
    )
    assert calls_of(replies[0]) == [("search", Q)]
    assert text_of(replies[-1]) == SAID


@pytest.mark.parametrize("api", ADAPTERS)
@pytest.mark.parametrize("status", BUSY)
async def test_a_busy_server_is_asked_again(aimock: Served, api: str, status: int) -> None:
    """R-MOD-4; wire row 22."""
    heard = Heard()
    model = aimock.model(api, heard, name=f"busy-{api}-{status}")
    reply = await model.respond(ask("busy"), heard)
    await model.close()
    assert text_of(reply) == SAID
    assert [one["response"]["status"] for one in aimock.journal(api, f"busy-{api}-{status}")] == [status, 200]
    assert len(heard.retries) == 1


@pytest.mark.parametrize("api", ADAPTERS)
async def test_a_refused_key_and_a_cut_answer_are_named(aimock: Served, api: str) -> None:
    """Wire rows 11, 22: neither is tried again or taken for an answer that is whole."""
    heard = Heard()
    model = aimock.model(api, heard, name=f"end-{api}")
    with pytest.raises(ModelError) as refused:
        await model.respond(ask("wrong key"), heard)
    reply = await model.respond(ask("long"), heard)
    await model.close()
    assert refused.value.fault is ModelFault.KEY_REFUSED
    assert (reply.finish, text_of(reply)) == (Finish.LENGTH, SAID)
    assert len(aimock.journal(api, f"end-{api}")) == 2


@pytest.mark.parametrize("api", ADAPTERS)
async def test_a_stream_that_breaks_off_is_restarted_openly(aimock: Served, api: str) -> None:
    """Wire rows 11, 23: what was seen of it is dropped; the whole answer comes once."""
    heard = Heard()
    model = aimock.model(api, heard, name=f"cut-{api}")
    reply = await model.respond(ask("cut"), heard)
    await model.close()
    assert text_of(reply) == heard.text == SAID
    assert len(heard.restarts) == 1
    assert len(aimock.journal(api, f"cut-{api}")) == 2
