"""Virtual models: ordered fall-over, told openly, and never for a fault of the question (R-MOD-9); localOnly (R-MOD-11)."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from orange_jupyter.config import ModelSettings, Provider, parse_settings
from orange_jupyter.core.deltas import Delta, ModelRetry, TextDelta
from orange_jupyter.core.errors import ConfigError, ModelError, ModelFault, UsageError
from orange_jupyter.core.messages import Message, Reply, Request, Role, Text, ToolResult
from orange_jupyter.core.ports import ModelInfo
from orange_jupyter.providers.anthropic_messages import AnthropicMessages
from orange_jupyter.providers.openai_compatible import OpenAICompatible
from orange_jupyter.providers.settings import ServerSettings
from orange_jupyter.providers.virtual import Virtual
from tests.providers.messages_api import answer, begin, end, text
from tests.providers.server import HOLD, Answer, delta, event, pieces, plain, serving, stream
from tests.providers.wires import Adapter, Heard, ask, blob, pacing, settings

CHAT_OK = plain(stream(delta(content="from chat"), delta("stop")))
CLAUDE_OK = plain(answer(begin(), text(0, "from claude"), end()))


def refusal(status: str, message: str = "no") -> Answer:
    return plain(json.dumps({"error": {"message": message}}).encode(), status=status, content_type="application/json")


async def asked(first: Answer, second: Answer, heard: Heard, *, between: float = 90.0) -> tuple[Reply, int, int]:
    """The reply of a virtual model over a chat server and a messages server, and how many requests each saw."""
    async with serving(first) as chat, serving(second) as claude:
        times = pacing(heard, between=between)
        model = Virtual(
            "both",
            (
                OpenAICompatible(settings(chat.url, name="a", model="gpt"), blob, pacing=times),
                AnthropicMessages(settings(claude.url, name="b", model="opus"), blob, pacing=times),
            ),
        )
        try:
            return await model.respond(ask(), heard), len(chat.seen), len(claude.seen)
        finally:
            await model.close()


async def test_the_first_model_replies_when_it_can() -> None:
    """R-MOD-9: the other sees nothing."""
    heard = Heard()
    reply, first, second = await asked(CHAT_OK, CLAUDE_OK, heard)
    assert (reply.model, reply.notices, first, second) == ("gpt", (), 1, 0)


@pytest.mark.parametrize(
    ("status", "tries"),
    [("401 Unauthorized", 1), ("402 Pay", 1), ("404 Not Found", 1), ("400 Bad", 1), ("503 Busy", 5)],
)
async def test_the_next_one_is_tried_when_one_fails_for_good(status: str, tries: int) -> None:
    """R-MOD-9: after its own tries; the reply says who replied, and the person is told why."""
    heard = Heard()
    reply, first, second = await asked(refusal(status), CLAUDE_OK, heard)
    assert (reply.model, first, second) == ("opus", tries, 1)
    assert heard.text == "from claude"
    assert reply.notices[0].startswith("b replied. a: The model server http://127.0.0.1")
    assert "Next: b." in heard.retries[-1].reason
    assert heard.waits == [one.seconds for one in heard.retries if one.seconds]


async def test_half_an_answer_is_dropped_openly_before_the_next_model_speaks() -> None:
    """R-MOD-9; wire row 23."""
    heard = Heard()
    half = pieces(event(delta(content="half of ")), HOLD)
    reply, _, _ = await asked(half, CLAUDE_OK, heard, between=0.1)
    assert (reply.model, heard.text, len(heard.restarts)) == ("opus", "from claude", 1)


@pytest.mark.parametrize(
    ("message", "fault"),
    [("maximum context length is 10", ModelFault.CONTEXT_TOO_LONG), ("content_filter", ModelFault.CONTENT_FILTER)],
)
async def test_a_fault_of_the_question_is_not_carried_to_another_model(message: str, fault: ModelFault) -> None:
    """R-MOD-9: too long or filtered."""
    with pytest.raises(ModelError) as caught:
        await asked(refusal("400 Bad Request", message), CLAUDE_OK, Heard())
    assert caught.value.fault is fault


async def test_when_all_fail_the_error_names_each() -> None:
    with pytest.raises(ModelError) as caught:
        await asked(refusal("401 Unauthorized"), refusal("503 Busy"), Heard())
    assert "None of 2 models answered. a: " in caught.value.message
    assert " b: " in caught.value.message
    assert (caught.value.fault, caught.value.tries) == (ModelFault.SERVER_ERROR, 6)


class Told:
    """A model that answers or fails as it is told, and counts."""

    def __init__(self, name: str, *, fails: bool = False, host: str = "", window: int = 9_000) -> None:
        self.info = ModelInfo(name=name, host=host, context_window=window, vision=bool(host))
        self.fails = fails
        self.asked = 0
        self.closed = False

    async def respond(self, request: Request, emit: Callable[[Delta | ModelRetry], None]) -> Reply:
        self.asked += 1
        if self.fails:
            raise ModelError(ModelFault.UNREACHABLE, f"{self.info.name} is down.")
        emit(TextDelta(text="ok"))
        return Reply(parts=(Text(text="ok"),), model=self.info.name)

    async def close(self) -> None:
        self.closed = True


async def test_a_turn_stays_with_the_model_that_answered_and_a_new_question_begins_at_the_top() -> None:
    """R-MOD-9: no step of a turn waits for the broken model again."""
    first, second = Told("a", fails=True), Told("b")
    model = Virtual("v", (first, second))
    result = Message(role=Role.TOOL, parts=(ToolResult(call_id="c", name="list", content="{}", ok=True),))
    await model.respond(ask(), Heard())
    follow = await model.respond(Request(messages=(*ask().messages, result)), Heard())
    assert (first.asked, second.asked, follow.notices) == (1, 2, ())
    first.fails = False
    assert (await model.respond(ask(), Heard())).model == "a"
    await model.close()
    assert first.closed
    assert second.closed


def test_every_host_that_may_receive_text_is_named() -> None:
    """R-MOD-11."""
    info = Virtual("v", (Told("a", host="x.example"), Told("b", host="y.example", window=5_000), Told("c"))).info
    assert (info.name, info.host, info.context_window, info.vision) == ("v", "x.example, y.example", 5_000, True)
    assert not info.embedded


CONFIG = """
[models.a]
provider = "anthropic"
model = "opus"
[models.a.extra_body.thinking]
type = "adaptive"
[models.v]
any_of = ["a", "embedded"]
"""


def test_the_settings_of_anthropic_and_virtual_models_are_read() -> None:
    """R-MOD-2: an address that need not be written, further fields, a list of models."""
    found = parse_settings(CONFIG, "config.toml")
    assert found.models["a"].base_url == "https://api.anthropic.com"
    assert found.models["a"].host == "api.anthropic.com"
    assert found.models["a"].extra_body == {"thinking": {"type": "adaptive"}}
    assert (found.models["v"].provider, found.models["v"].host) == (Provider.VIRTUAL, "a, embedded")
    assert ModelSettings(provider="anthropic", model="opus").base_url == "https://api.anthropic.com"


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ('provider = "anthropic"', "needs model"),
        ('provider = "virtual"', "any_of"),
        ('provider = "embedded"\nany_of = ["a"]', "any_of"),
        ('provider = "anthropic"\nmodel = "m"\nextra_body = {messages = []}', "messages"),
    ],
)
def test_a_wrong_setting_is_named(given: str, words: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_settings(f"[models.x]\n{given}\n", "config.toml")
    assert words in caught.value.message


@pytest.mark.parametrize("adapter", [OpenAICompatible, AnthropicMessages])
@pytest.mark.parametrize("url", ["https://api.example/v1", "http://192.0.2.7:8080/v1", "http://localhost.example/v1"])
def test_local_only_refuses_another_machine_before_there_is_a_connection(adapter: Adapter, url: str) -> None:
    """R-MOD-11: the provider cannot even be made; nothing is looked up or opened."""
    with pytest.raises(UsageError, match="localOnly"):
        adapter(settings(url, local_only=True), blob)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]", "127.8.9.10"])
def test_local_only_takes_this_machine(host: str) -> None:
    own = ServerSettings(name="a", base_url=f"http://{host}:1/v1", model="m", local_only=True)
    assert OpenAICompatible(own, blob).info.host == f"{host}:1"
