"""The scripted fake: its script, its placeholders, its failures; and that a real loop could not tell it apart."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from orange_jupyter.core.errors import ConfigError, ModelError, ModelFault
from orange_jupyter.core.messages import Finish, Message, Reasoning, Request, Role, Text, ToolCall, ToolResult
from orange_jupyter.providers.scripted import Script, Scripted, ScriptedCall, ScriptedReply, load_script
from tests.providers.wires import Heard, ask

SCRIPT = {
    "context_window": 9000,
    "replies": [
        {"when": "always me", "always": True, "text": "again"},
        {"reasoning": "hm", "calls": [{"name": "search", "arguments": {"query": "{{user}}", "limit": 4}}]},
        {
            "text": "80 degrees [{{last.citations.0.citationId}}], {{ results.-1.searched.files }} files.",
            "chunk": 4,
            "usage": {"input_tokens": 5},
        },
        {"calls": [{"name": "read", "arguments": {"page": "{{tool.search.citations.0.page}}"}}, {"name": "list"}]},
    ],
}


def found(call_id: str) -> Message:
    envelope = {"ok": True, "citations": [{"citationId": "c7", "page": 3}], "searched": {"files": 2}}
    return Message(
        role=Role.TOOL, parts=(ToolResult(call_id=call_id, name="search", content=json.dumps(envelope), ok=True),)
    )


async def test_a_turn_is_scripted_with_values_from_earlier_results(tmp_path: Path) -> None:
    """Arguments take the type of the value; text takes it inside; ids are unique; every request is recorded."""
    path = tmp_path / "脚本 1.json"
    path.write_text(json.dumps(SCRIPT), encoding="utf-8")
    model, heard = Scripted(load_script(path), name="s"), Heard()
    assert model.info.context_window == 9000
    first = await model.respond(ask("茶 tea"), heard)
    assert first.parts[0] == Reasoning(text="hm")
    assert first.parts[1] == ToolCall(
        id="call_1", name="search", arguments={"query": "茶 tea", "limit": 4}, raw='{"query": "茶 tea", "limit": 4}'
    )
    assert first.finish is Finish.TOOL_CALLS
    messages = (*ask("茶 tea").messages, Message(role=Role.ASSISTANT, parts=first.parts), found("call_1"))
    second = await model.respond(Request(messages=messages), heard)
    assert second.parts == (Text(text="80 degrees [c7], 2 files."),)
    assert heard.text == "80 degrees [c7], 2 files."
    assert second.usage.input_tokens == 5
    third = await model.respond(Request(messages=messages), heard)
    assert [(part.id, part.arguments) for part in third.parts if isinstance(part, ToolCall)] == [
        ("call_2", {"page": 3}),
        ("call_3", {}),
    ]
    for _ in range(2):
        assert (await model.respond(ask("always me"), heard)).parts == (Text(text="again"),)
    assert len(model.requests) == 5


async def test_a_script_that_is_used_up_says_so() -> None:
    model = Scripted([ScriptedReply(text="one")])
    await model.respond(ask(), Heard())
    with pytest.raises(ModelError, match="no reply left for request 2"):
        await model.respond(ask(), Heard())


async def test_errors_retries_and_restarts_are_scripted() -> None:
    """R-MOD-4: what a view must show, without a server."""
    heard = Heard()
    reply = ScriptedReply.model_validate(
        {
            "text": "half",
            "dropped": "lost",
            "retries": [{"seconds": 2}],
            "error": {"fault": "no_credit", "message": "empty", "hint": "pay"},
        }
    )
    with pytest.raises(ModelError) as caught:
        await Scripted([reply], sleep=heard.sleep).respond(ask(), heard)
    assert (caught.value.fault, caught.value.hint) == (ModelFault.NO_CREDIT, "pay")
    assert heard.text == "half"
    assert len(heard.restarts) == len(heard.retries) == 1
    assert 2 in heard.waits


async def test_malformed_arguments_are_scripted() -> None:
    reply = ScriptedReply(calls=(ScriptedCall(name="search", raw='{"query'),))
    (call,) = (await Scripted([reply]).respond(ask(), Heard())).parts
    assert isinstance(call, ToolCall)
    assert call.arguments is None
    assert call.problem


async def test_it_can_be_stopped_at_any_delta() -> None:
    """R-SESS-4."""
    heard = Heard()
    model = Scripted([ScriptedReply(text="x" * 1000, chunk=1, delay=0.001)])
    task = asyncio.create_task(model.respond(ask(), heard))
    async with asyncio.timeout(5):
        while len(heard.events) < 3:
            await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert len(heard.text) < 1000


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "JSON"),
        ('{"replies": [{"txt": "x"}]}', "replies.0.txt"),
        ('{"replies": [{"chunk": 0}]}', "replies.0.chunk"),
    ],
)
def test_a_wrong_script_names_the_place(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "s.json"
    path.write_text(text)
    with pytest.raises(ConfigError, match=words):
        load_script(path)
    with pytest.raises(ConfigError, match="cannot be read"):
        load_script(tmp_path / "none.json")


@pytest.mark.parametrize("path", ["last.citations.0.citationId", "nothing", "results.4.x", "tool.search.ok", "user.x"])
async def test_a_placeholder_that_names_nothing_says_which(path: str) -> None:
    with pytest.raises(ModelError) as caught:
        await Scripted([ScriptedReply(text="{{" + path + "}}")]).respond(ask(), Heard())
    assert path in caught.value.message


async def test_a_result_that_is_no_json_counts_as_its_text() -> None:
    message = Message(role=Role.TOOL, parts=(ToolResult(call_id="a", name="exec", content="plain", ok=True),))
    reply = await Scripted([ScriptedReply(text="{{last}}!")]).respond(Request(messages=(message,)), Heard())
    assert reply.parts == (Text(text="plain!"),)


def test_a_script_is_a_frozen_value() -> None:
    values: dict[str, Any] = SCRIPT
    assert Script.model_validate(values) == Script.model_validate(values)
