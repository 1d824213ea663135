"""The body of an Anthropic request: turns, pictures, thinking, cache marks, ids, what is refused (rows 8, 13-21, 28)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from orange_jupyter.core.messages import Message, Reasoning, Request, Role, Text, ToolSchema
from orange_jupyter.core.repair import repair
from orange_jupyter.providers.anthropic_messages import AnthropicMessages
from orange_jupyter.providers.dialect import Dialect
from orange_jupyter.providers.messages_wire import messages_body
from orange_jupyter.providers.speech import Wording
from tests.providers.messages_api import answer, begin, end, error, text, thinking, use
from tests.providers.server import Answer, plain, serving
from tests.providers.test_wire import IMAGE, URL, made, result, said, user
from tests.providers.wires import KEY, SEARCH, TOOLS, Heard, ask, blob, pacing, reply_of, settings

CLAUDE: dict[str, Any] = {"adapter": AnthropicMessages}
GOOD = plain(answer(begin(), text(0, "ok"), end()))
MARK = {"cache_control": {"type": "ephemeral"}}
SYSTEM = Message(role=Role.SYSTEM, parts=(Text(text="Be brief."),))


def body(*messages: Message, tools: tuple[ToolSchema, ...] = TOOLS, **changes: Any) -> Any:
    dialect = changes.pop("dialect", Dialect())
    wording = Wording(settings("http://127.0.0.1:1", **changes), dialect, changes.pop("pictures", {"ab": URL}))
    return messages_body(wording, Request(messages=messages, tools=tools))


def unmarked(*messages: Message, **changes: Any) -> Any:
    return body(*messages, dialect=Dialect(cache_marks=False), **changes)["messages"]


def test_a_whole_conversation_becomes_this_body() -> None:
    """R-MOD-1, R-CTX-1; wire rows 13, 14, 20, 28: four marks, results before a person's words, one system text."""
    sent = body(
        SYSTEM, user("问"), said("Let me see.", made()), result("c1"), user("go on"), said("Done."), user("ok?"),
        tools=(SEARCH,), max_output=99,
    )  # fmt: skip
    assert sent == {
        "model": "m-1",
        "max_tokens": 99,
        "stream": True,
        "tools": [
            {
                "name": "search",
                "description": "Search",
                "input_schema": {"type": "object", "properties": {"query": {"type": "string"}}},
                **MARK,
            }
        ],
        "system": [{"type": "text", "text": "Be brief.", **MARK}],
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "问"}]},
            {
                "role": "assistant",
                "content": [
                    {"type": "text", "text": "Let me see."},
                    {"type": "tool_use", "id": "c1", "name": "read", "input": {"path": "茶.md"}},
                ],
            },
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": "c1", "content": '{"ok":true}'},
                    {"type": "text", "text": "go on", **MARK},
                ],
            },
            {"role": "assistant", "content": [{"type": "text", "text": "Done."}]},
            {"role": "user", "content": [{"type": "text", "text": "ok?", **MARK}]},
        ],
    }


def test_without_tools_or_system_nothing_of_them_is_sent() -> None:
    """Wire row 13."""
    assert not {"tools", "tool_choice", "system"} & set(body(user("x"), tools=()))


@pytest.mark.parametrize("turns", [1, 2, 3, 9])
def test_never_more_than_four_parts_are_marked_and_the_newest_are(turns: int) -> None:
    """Wire row 28; the API refuses a fifth mark."""
    spoken = [message for number in range(turns) for message in (user(f"q{number}"), said(f"a{number}"))]
    sent = body(SYSTEM, *spoken, user("last"))
    assert json.dumps(sent).count("cache_control") == min(turns + 1, 2) + 2
    assert sent["messages"][-1]["content"][-1]["cache_control"]
    assert sent["tools"][-1]["cache_control"]


def test_apart_from_the_marks_a_longer_conversation_begins_with_the_bytes_of_the_shorter_one() -> None:
    """R-CTX-3: a prompt cache keeps its prefix."""
    messages = (user("a"), said(made("c1")), result("c1", "{}", IMAGE), said(made("c2")), result("c2"), said("done"))
    texts = [json.dumps(unmarked(*messages[:count]), ensure_ascii=False) for count in (1, 3, 5)]
    assert texts[1].startswith(texts[0].removesuffix("]"))
    assert texts[2].startswith(texts[1].removesuffix("]"))


def test_pictures_travel_inside_their_result() -> None:
    """Wire row 16: this API takes them there; the envelope stays the first text."""
    sent = unmarked(user("x"), said(made("c1"), made("c2")), result("c1", "{}", IMAGE), result("c2"))
    first, second = sent[2]["content"]
    assert [part["type"] for part in first["content"]] == ["text", "text", "image"]
    assert first["content"][0]["text"] == "{}"
    assert "page 2 of 报告.pdf" in first["content"][1]["text"]
    source = first["content"][2]["source"]
    assert (source["type"], source["media_type"], source["data"]) == ("base64", "image/png", URL.partition(",")[2])
    assert second == {"type": "tool_result", "tool_use_id": "c2", "content": '{"ok":true}'}


def test_a_person_s_picture_stays_in_their_message() -> None:
    (turn,) = unmarked(user("look", IMAGE))
    assert [part["type"] for part in turn["content"]] == ["text", "image"]


async def test_with_vision_off_no_picture_is_sent_and_the_model_is_told() -> None:
    """R-MOD-8."""
    request = Request(messages=(user("x"), said(made()), result("c1", "{}", IMAGE)))
    async with serving(GOOD) as server:
        await reply_of(server.url, Heard(), request, vision=False, **CLAUDE)
    assert "vision is switched off" in server.seen[0].body.decode()
    assert '"image"' not in server.seen[0].body.decode()


def thought(signature: str | None = "s1", field: str = "thinking") -> Reasoning:
    return Reasoning(text="hm", field=field, signature=signature)


def test_thinking_goes_back_with_its_signature_in_its_place() -> None:
    """Wire row 17: before the call, unchanged; redacted thinking as the data that it is."""
    hidden = Reasoning(text="", field="redacted_thinking", signature="r1")
    sent = unmarked(
        user("x"), said(thought(), hidden, "ok", made(), thought("s2"), made("c2")), result("c1"), result("c2")
    )
    assert [block["type"] for block in sent[1]["content"]] == [
        "thinking", "redacted_thinking", "text", "tool_use", "thinking", "tool_use",
    ]  # fmt: skip
    assert sent[1]["content"][0] == {"type": "thinking", "thinking": "hm", "signature": "s1"}
    assert sent[1]["content"][1] == {"type": "redacted_thinking", "data": "r1"}


@pytest.mark.parametrize(
    ("part", "model", "changes"),
    [
        (thought(), "other", {}),
        (thought(None), "m-1", {}),
        (thought(field="reasoning_content"), "m-1", {}),
        (thought(), "m-1", {"reasoning_back": False}),
    ],
)
def test_no_other_reasoning_is_sent(part: Reasoning, model: str, changes: dict[str, Any]) -> None:
    """Wire row 17: another model's, unsigned, another API's, or switched off."""
    assert "hm" not in json.dumps(unmarked(user("x"), said(part, "ok", made(), model=model), result("c1"), **changes))


def test_signed_thinking_is_not_sent_to_a_chat_server() -> None:
    """Wire row 17: a session that goes on with another provider under the same model name."""
    from tests.providers.test_wire import body as chat

    assert "hm" not in json.dumps(chat(user("x"), said(thought(), made()), result("c1")))


def test_turns_alternate_whatever_the_transcript_holds() -> None:
    """Wire row 14: a nudge after results, two questions, an answer of reasoning alone, a packed beginning."""
    messages = (
        said("earlier"), user("a"), user("b"), said(thought(None)), user("c"), said(made()), result("c1"), user("nudge"),
    )  # fmt: skip
    sent = unmarked(*messages)
    assert [turn["role"] for turn in sent] == ["user", "assistant", "user", "assistant", "user"]
    assert [block["text"] for block in sent[2]["content"]] == ["a", "b", "c"]
    assert [block["type"] for block in sent[4]["content"]] == ["tool_result", "text"]


def test_no_block_is_empty() -> None:
    """The API refuses empty and blank texts."""
    sent = unmarked(user(""), said("  ", made()), result("c1"), said("ok"), user(" \n"))
    assert all(block.get("text", "x").strip() for turn in sent for block in turn["content"])
    assert sent[1]["content"][0]["type"] == "tool_use"


def test_a_failed_result_is_marked_as_one() -> None:
    interrupted = repair((user("x"), said(made())))
    assert unmarked(*interrupted)[-1]["content"][0]["is_error"] is True


def test_malformed_arguments_go_back_as_an_object() -> None:
    """Wire row 8."""
    sent = unmarked(user("x"), said(made(arguments=None, raw='{"path": "a', problem="cut")), result("c1"))
    assert sent[1]["content"][0]["input"] == {"malformed_arguments": '{"path": "a'}


def test_ids_and_names_fit_the_wire_and_match() -> None:
    """Wire rows 18, 19, 21: [A-Za-z0-9_-]{1,64}; keys of a call return to its own model only."""
    good, bad = "toolu_" + "x" * 50, "call.1|茶"
    signed = made(good, extra={"caller": {"type": "direct"}})
    sent = unmarked(user("x"), said(signed, made(bad, name="files.读")), result(good), result(bad))
    first, second = sent[1]["content"]
    assert (first["id"], first["caller"]) == (good, {"type": "direct"})
    assert second["id"].startswith("toolu_")
    assert len(second["id"]) <= 64
    assert second["name"].startswith("files__")
    assert [block["tool_use_id"] for block in sent[2]["content"]] == [first["id"], second["id"]]
    assert "caller" not in json.dumps(unmarked(user("x"), said(signed, model="o"), result(good)))


def test_lone_surrogates_and_nul_are_taken_out_everywhere() -> None:
    """Wire row 21."""
    sent = unmarked(user("a\0b\ud83c"), said(made(arguments={"p\0": "\udf4a"})), result("c1", "\ud83c\udf4a"))
    json.dumps(sent, ensure_ascii=False).encode()
    assert sent[2]["content"][0]["content"] == "🍊"


def test_extra_fields_of_the_settings_are_sent_and_cannot_replace_the_conversation() -> None:
    sent = body(user("x"), extra_body={"thinking": {"type": "adaptive"}})
    assert sent["thinking"] == {"type": "adaptive"}
    assert sent["messages"][0]["role"] == "user"


def refused(message: str, status: str = "400 Bad Request") -> Answer:
    raw = json.dumps(error("invalid_request_error", message)).encode()
    return plain(raw, status=status, content_type="application/json")


LESSONS: dict[str, tuple[Answer, str]] = {
    "length": (refused("max_tokens: 16384 > 8192, which is the maximum allowed number of output tokens"), "8192"),
    "marks": (refused("messages.0.content.0.cache_control: Extra inputs are not permitted"), "no marks"),
    "signature": (refused("messages.1.content.0: Invalid `signature` in `thinking` block"), "no thinking"),
    "picture": (refused("messages.2.content.0.image.source.base64: Could not process image"), "no picture"),
    "too many bytes": (refused("Request exceeds the maximum size", "413 Too Large"), "no picture"),
}


@pytest.mark.parametrize("row", LESSONS)
async def test_what_the_server_refuses_by_name_is_left_out(row: str) -> None:
    """Wire rows 16, 17, 20: sent again at once, no try is counted; one bad picture never ends a session."""
    given, without = LESSONS[row]
    request = Request(messages=(user("x"), said(thought(), made()), result("c1", "{}", IMAGE)))
    heard = Heard()
    async with serving(given, GOOD) as server:
        reply = await reply_of(server.url, heard, request, **CLAUDE)
    before, after = (one.body.decode() for one in server.seen)
    found = {
        "8192": '"max_tokens":8192' in after,
        "no marks": "cache_control" not in after and "cache_control" in before,
        "no thinking": "hm" not in after and "hm" in before,
        "no picture": '"image"' not in after and '"image"' in before and "without them" in str(reply.notices),
    }
    assert found[without]
    assert not heard.retries


@pytest.mark.parametrize("end_of_url", ["", "/v1", "/v1/messages", "/v1/?x=1"])
async def test_every_form_of_the_base_url_leads_to_the_endpoint(end_of_url: str) -> None:
    async with serving(GOOD) as server:
        await reply_of(server.url.removesuffix("/v1") + "/anthropic" + end_of_url, Heard(), **CLAUDE)
    query = "?x=1" if "?" in end_of_url else ""
    assert server.seen[0].line == f"POST /anthropic/v1/messages{query} HTTP/1.1"
    assert server.seen[0].headers["anthropic-version"] == "2023-06-01"
    assert server.seen[0].headers["x-api-key"] == KEY


async def test_a_tool_loop_returns_what_the_model_thought() -> None:
    """R-MOD-1: two requests over one connection line; the second holds thinking, call and result of the first."""
    first = answer(begin(), thinking(0, "hm", signature="s9"), use(1, "search", '{"query":"茶"}'), end("tool_use"))
    async with serving(plain(first), GOOD) as server:
        model = AnthropicMessages(settings(server.url), blob, pacing=pacing(Heard()))
        reply = await model.respond(ask(), Heard())
        answered = Message(role=Role.ASSISTANT, parts=reply.parts, model=reply.model)
        call = answered.calls[0]
        request = Request(messages=(*ask().messages, answered, result(call.id)), tools=TOOLS)
        assert (await model.respond(request, Heard())).parts == (Text(text="ok"),)
        await model.close()
    sent = server.seen[1].json["messages"]
    assert sent[1]["content"][0] == {"type": "thinking", "thinking": "hm", "signature": "s9"}
    assert sent[1]["content"][1]["input"] == {"query": "茶"}
    assert sent[2]["content"][0]["tool_use_id"] == sent[1]["content"][1]["id"]


def test_its_host_is_named_and_its_key_is_not() -> None:
    """R-MOD-11, R-ALL-5."""
    own = settings("https://api.anthropic.com")
    model = AnthropicMessages(own, blob)
    assert model.info.host == "api.anthropic.com"
    assert KEY not in repr(own) + repr(model) + str(model.info)
