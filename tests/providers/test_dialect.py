"""What servers take, as data: known by host, and learnt from a refusal (wire rows 15, 16, 19, 20)."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from orange_jupyter.core.messages import Request
from orange_jupyter.providers.dialect import HOSTS, Dialect, EmptyContent, Refused, adapted, dialect_of
from orange_jupyter.providers.openai_compatible import OpenAICompatible
from orange_jupyter.providers.strings import ANTHROPIC_IDS, MISTRAL_IDS, OPENAI_IDS, IdForm, wire_id
from tests.providers.server import Answer, delta, plain, serving, stream
from tests.providers.test_wire import IMAGE, body, made, result, said, user
from tests.providers.wires import Heard, ask, blob, pacing, reply_of, settings

GOOD = plain(stream(delta(content="ok"), delta("stop")))
CALLED = (user("x"), said(made("call_0fypS1hVX")), result("call_0fypS1hVX"))


@pytest.mark.parametrize(
    ("host", "found"),
    [
        ("api.mistral.ai", HOSTS["api.mistral.ai"]),
        ("API.Mistral.ai:443", HOSTS["api.mistral.ai"]),
        ("eu.api.openai.com", HOSTS["api.openai.com"]),
        ("mistral.ai.example", Dialect()),
        ("notapi.openai.com.example", Dialect()),
        ("127.0.0.1:11434", Dialect()),
        ("[::1]:1234", Dialect()),
    ],
)
def test_a_server_is_known_by_its_host(host: str, found: Dialect) -> None:
    """Wire row 20: names that only look alike begin plain."""
    assert dialect_of(host) == found


def test_mistral_gets_ids_of_nine_letters_and_digits() -> None:
    """Wire rows 15, 19, 20: the same id for call and result, no stream_options, "" for null."""
    sent = body(*CALLED, dialect=dialect_of("api.mistral.ai"), max_output=9)
    first = sent["messages"][1]["tool_calls"][0]["id"]
    assert len(first) == 9
    assert first.isalnum()
    assert first.isascii()
    assert sent["messages"][2]["tool_call_id"] == first
    assert sent["messages"][1]["content"] == ""
    assert "stream_options" not in sent
    assert sent["max_tokens"] == 9


def test_openai_gets_the_new_name_of_the_limit() -> None:
    """Wire row 20."""
    sent = body(user("x"), dialect=dialect_of("api.openai.com"), max_output=9)
    assert sent["max_completion_tokens"] == 9
    assert "max_tokens" not in sent


@pytest.mark.parametrize("form", [OPENAI_IDS, ANTHROPIC_IDS, MISTRAL_IDS])
def test_ids_fit_stay_apart_and_are_stable(form: IdForm) -> None:
    """Wire row 19: mapping an id that was mapped changes nothing."""
    ids = ["call_1", "call_1_2", "toolu_" + "x" * 50, "toolu_" + "x" * 51, "茶", "a.b|c", "", "abcdefgh1", "x" * 64]
    mapped = [wire_id(one, form) for one in ids]
    assert all(form.taken.fullmatch(one) for one in mapped)
    assert len(set(mapped)) == len(ids)
    assert [wire_id(one, form) for one in mapped] == mapped


def refused(message: str, status: str = "400 Bad Request") -> Answer:
    raw = json.dumps({"object": "error", "message": message}).encode()
    return plain(raw, status=status, content_type="application/json")


LESSONS: dict[str, tuple[Answer, dict[str, Any]]] = {
    "Mistral's ids": (
        refused("Tool call id was call_0fypS1hVX but must be a-z, A-Z, 0-9, with a length of 9."),
        {"ids": MISTRAL_IDS},
    ),
    "Mistral's template behind vLLM": (
        refused("Tool call id was x but must be a-z, A-Z, 0-9, with a length of 9.", "500 Error"),
        {"ids": MISTRAL_IDS},
    ),
    "LM Studio, null content": (
        refused("Invalid 'content': 'content' field must be a string or an array of objects."),
        {"empty_content": EmptyContent.EMPTY},
    ),
    "pydantic, null content": (
        refused("body.messages.1.content: Input should be a valid string", "422 Unprocessable"),
        {"empty_content": EmptyContent.EMPTY},
    ),
    "OpenAI, too much output": (
        refused("max_tokens is too large: 99999. This model supports at most 16384 completion tokens"),
        {"most_output": 16384},
    ),
    "OpenAI, reasoning beside tools": (
        refused("Function tools with reasoning_effort are not supported. Set reasoning_effort to 'none'."),
        {"reasoning_effort": "none"},
    ),
    "vLLM, stream_options": (
        refused("Stream options can only be defined when stream=True: stream_options"),
        {"stream_options": False},
    ),
}


@pytest.mark.parametrize("row", LESSONS)
async def test_a_refusal_is_learnt_once_and_for_the_next_requests(row: str) -> None:
    """R-MOD-3; wire rows 15, 19, 20: sent again at once, no try is counted or shown."""
    given, learnt = LESSONS[row]
    wanted = replace(Dialect(), **learnt)
    heard = Heard()
    request = Request(messages=CALLED, tools=ask().tools)
    async with serving(given, GOOD) as server:
        own = settings(server.url, max_output=99_999)
        model = OpenAICompatible(own, blob, pacing=pacing(heard))
        await model.respond(request, heard)
        await model.respond(request, heard)
        await model.close()
        bodies = [one.json for one in server.seen]
    assert bodies[0] == body(*CALLED, max_output=99_999)
    assert bodies[1] == bodies[2] == body(*CALLED, max_output=99_999, dialect=wanted)
    assert bodies[1] != bodies[0]
    assert not heard.retries


async def test_a_server_that_takes_only_strings_gets_no_picture() -> None:
    """Wire row 16: first "" for null, then the picture as a note, and the person is told."""
    request = Request(messages=(user("look", IMAGE),))
    words = "messages.0.content: Input should be a valid string"
    async with serving(refused(words, "422 Bad"), refused(words, "422 Bad"), GOOD) as server:
        reply = await reply_of(server.url, Heard(), request)
    assert isinstance(server.seen[2].json["messages"][0]["content"], str)
    assert "without them" in reply.notices[0]


@pytest.mark.parametrize("said", ["messages: at least one", "The content was long", "max_tokens: 5 > 8192 is odd"])
def test_words_that_name_nothing_of_ours_teach_nothing(said: str) -> None:
    plain_one = replace(Dialect(), most_output=4096)
    assert adapted(plain_one, Refused(400, said)) is None


def test_a_lesson_is_not_taken_twice_and_not_from_every_status() -> None:
    """No loop of requests: what changes nothing is no lesson."""
    once = adapted(Dialect(), Refused(400, "stream_options"))
    assert once is not None
    assert adapted(once, Refused(400, "stream_options")) is None
    assert adapted(Dialect(), Refused(429, "stream_options")) is None
    assert adapted(Dialect(), Refused(413, "")) is None
    assert adapted(Dialect(), Refused(413, "", has_pictures=True)) == replace(Dialect(), images=False)
