"""The controls on Python's side: what is sent, what is believed."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from orange_jupyter.core.approval import Outcome
from orange_jupyter.core.deltas import Progress, TextDelta
from orange_jupyter.core.events import ApprovalAsked, PartDone
from orange_jupyter.core.grant import Effect, Tier
from orange_jupyter.core.messages import Text
from orange_jupyter.jupyter.widgets.approval import card, title_of
from orange_jupyter.jupyter.widgets.controls import INTERVAL, Controls
from orange_jupyter.jupyter.widgets.full_tier import tier_card, tier_words
from orange_jupyter.jupyter.widgets.messages import (
    Approve,
    ChooseTier,
    EnterTier,
    LeaveQueue,
    Message,
    Rendered,
    Stale,
    StayInTier,
    StopTurn,
    SwitchPlan,
    parse,
)
from orange_jupyter.jupyter.widgets.segments import address, segments
from tests.jupyter.turns import ANSWER, PAGE_REQUEST, REQUEST, TIER_REQUEST, ended, running_events, view_of


class Watch:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


class Wired(Controls):
    """Controls whose messages go to a list, as they would go over a comm."""

    def __init__(self, **more: Any) -> None:
        self.sent: list[dict[str, Any]] = []
        self.heard: list[Message] = []
        self.stale: list[str] = []
        super().__init__(self.take, turn_id="trn_1", **more)

    def take(self, message: Message) -> None:
        """What the stage hears; clicks that do not count are kept apart."""
        if isinstance(message, Stale):
            self.stale.append(message.operation_id)
        else:
            self.heard.append(message)

    def _send_safely(self, message: dict[str, Any]) -> None:
        self.sent.append(json.loads(json.dumps(message)))

    def click(self, **content: Any) -> None:
        """What the front end sends."""
        self._handle_custom_msg(content, [])


@pytest.fixture
def wired() -> Iterator[Wired]:
    controls = Wired(clock=Watch())
    yield controls
    controls.close()


def asking() -> Any:
    return view_of([*running_events(), ApprovalAsked(call_id="x3", request=REQUEST)])


def shown(controls: Wired, name: str) -> dict[str, Any]:
    return next(message["items"][name] for message in reversed(controls.sent) if name in message.get("items", {}))


def binding(controls: Wired, name: str = "card-op_1") -> dict[str, str]:
    entry = shown(controls, name)
    return {"operation_id": entry["operation"], "digest": entry.get("digest", ""), "nonce": entry["nonce"]}


def test_a_finished_block_is_sent_once_and_only_the_open_one_again(wired: Wired) -> None:
    """R-UI-1: 200 tokens a second do not resend everything."""
    view = view_of(running_events())
    answer = "\n\n".join(f"Paragraph {n} with a few words." for n in range(200))
    clock = wired._clock
    for at in range(0, len(answer), 5):
        clock.now += 0.005  # type: ignore[attr-defined]
        view = view.deltas([TextDelta(text=answer[at : at + 5])])
        wired.push(view)
    wired.push(view.hear(PartDone(part=Text(text=answer))), now=True)
    closed = [block for message in wired.sent for item in message["items"].values() for block in item.get("closed", [])]
    assert len(closed) == 199
    assert len(wired.sent) < 200
    assert sum(len(json.dumps(message)) for message in wired.sent) < 20 * len(answer)


def test_text_is_collected_for_a_moment_and_a_card_goes_at_once(wired: Wired) -> None:
    """DESIGN.md, Motion; R-UI-1."""
    view = view_of(running_events()).deltas([TextDelta(text="a")])
    assert wired.push(view) == 0
    later = view.deltas([TextDelta(text="b")])
    wait = wired.push(later)
    assert 0 < wait <= INTERVAL
    wired._clock.now += INTERVAL  # type: ignore[attr-defined]
    assert wired.push(later) == 0
    assert wired.push(later.hear(ApprovalAsked(call_id="x3", request=REQUEST))) == 0
    assert shown(wired, "card-op_1")["title"] == "Run this command?"


def test_a_new_view_gets_everything_again(wired: Wired) -> None:
    """A reloaded page, a second view."""
    wired.push(view_of(running_events()))
    wired.click(type="rendered")
    assert wired.sent[-1]["whole"]
    assert set(wired.sent[-1]["items"]) == {"call-x0", "call-x2", "call-x3"}
    assert wired.heard == [Rendered()]


def test_an_answer_counts_once_and_only_with_digest_and_nonce(wired: Wired) -> None:
    """R-APPR-3, A20: a forged, stale or second click does nothing."""
    wired.push(asking())
    good = binding(wired)
    wired.click(type="approve", **good | {"nonce": "guess"})
    wired.click(type="approve", **good | {"digest": "0" * 64})
    wired.click(type="approve", **good | {"operation_id": "op_9"})
    assert wired.heard == []
    wired.click(type="approve", **good)
    wired.click(type="approve", **good)
    wired.click(type="deny", **good)
    assert wired.heard == [Approve(**good)]
    assert wired.stale == ["op_9"]


def test_a_card_that_ended_or_was_closed_takes_no_answer(wired: Wired) -> None:
    """R-APPR-3."""
    wired.push(asking())
    good = binding(wired)
    wired.push(asking().hear(ended(Outcome.CANCELLED)))
    wired.click(type="approve", **good)
    assert wired.heard == []
    assert shown(wired, "card-op_1")["state"] == "Cancelled"


def test_a_full_tier_is_entered_by_its_card_alone(wired: Wired) -> None:
    """R-PERM-3."""
    wired.click(type="tier", tier="full-auto")
    wired.ask_tier(TIER_REQUEST)
    card_of = binding(wired, "tier-tier_1")
    wired.click(type="enter_tier", operation_id="tier_1", nonce="guess")
    assert wired.heard == []
    wired.click(type="enter_tier", operation_id="tier_1", nonce=card_of["nonce"])
    assert wired.heard == [EnterTier("tier_1", card_of["nonce"])]
    wired.settle_tier(TIER_REQUEST, Outcome.APPROVED, at="2026-11-30T15:02:11Z", version=9)
    assert shown(wired, "tier-tier_1")["state"] == "Entered"
    wired.click(type="stay", operation_id="tier_1", nonce=card_of["nonce"])
    assert len(wired.heard) == 1


def test_a_closed_widget_hears_nothing(wired: Wired) -> None:
    wired.close()
    wired.click(type="stop")
    assert wired.heard == []


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"type": "stop"}, StopTurn()),
        ({"type": "leave"}, LeaveQueue()),
        ({"type": "tier", "tier": "workspace-write"}, ChooseTier(Tier.WORKSPACE_WRITE)),
        ({"type": "plan", "on": True}, SwitchPlan(True)),
        ({"type": "stay", "operation_id": "a", "nonce": "b"}, StayInTier("a", "b")),
        ({"type": "tier", "tier": "full-confirm"}, None),
        ({"type": "tier", "tier": ["workspace-write"]}, None),
        ({"type": "plan", "on": "yes"}, None),
        ({"type": "approve", "operation_id": "a"}, None),
        ({"type": "approve", "operation_id": 1, "digest": "x", "nonce": "y"}, None),
        ({"type": "run"}, None),
        ({"type": ["stop"]}, None),
        ({}, None),
    ],
)
def test_only_whole_messages_are_understood(content: dict[str, Any], message: Message | None) -> None:
    """R-APPR-3, R-PERM-3."""
    assert parse(content) == message


def test_a_card_shows_every_argument_in_full_with_escapes_and_their_count() -> None:
    """R-APPR-1, R-APPR-2, A07."""
    drawn = card(REQUEST, "en", "n")
    block = drawn["blocks"][0]
    command = json.loads(REQUEST.arguments)["command"]
    assert "".join(piece for piece, look in block["text"] if look != "esc") == command.replace("\u200b", "").replace(
        "\u202e", ""
    )
    assert [piece for piece, look in block["text"] if look == "esc"] == ["\\u200b", "\\u202e"]
    assert drawn["warnings"][0][0] == ("2 invisible characters are shown as escapes.", "b")
    assert ("timeoutMs", [("300000", "")]) in drawn["rows"]
    assert drawn["note"].startswith("What you approve is the command in your real environment.")


@pytest.mark.parametrize(
    "number", [0x202E, 0x2066, 0x200B, 0xFEFF, 0xE0041, 0x3164, 0xAD, 0xFE0F, 0x0D, 0x08, 0x00, 0x1B]
)
def test_every_invisible_character_becomes_an_escape(number: int) -> None:
    """A07."""
    assert [look for _, look in segments(f"a{chr(number)}b")] == ["", "esc", ""]


def test_arguments_that_are_no_object_are_shown_as_they_are() -> None:
    """R-APPR-1."""
    odd = REQUEST.model_copy(update={"arguments": "not json \u202e"})
    assert card(odd, "en", "n")["blocks"][0]["text"] == [("not json ", ""), ("\\u202e", "esc")]


def test_an_address_has_its_host_strong_and_is_whole() -> None:
    """Screen 3: the domain in an address is bold."""
    assert ("data.example.org", "b") in address(PAGE_REQUEST.target)
    for text in ("https://good.example@evil.example/good.example", "http://[bad/", "https://x", "a note.md"):
        assert "".join(piece for piece, _ in address(text)) == text
    assert ("evil.example", "b") in address("https://good.example@evil.example/")


def test_every_effect_has_a_question() -> None:
    """R-APPR-1."""
    for effect in Effect:
        for language in ("en", "zh"):
            title, symbol = title_of(REQUEST.model_copy(update={"effect": effect}), language)
            assert title.endswith(("?", "？"))
            assert symbol
    assert title_of(PAGE_REQUEST.model_copy(update={"operation": "search"}), "zh")[0] == "搜索网络？"


def test_the_full_tier_card_names_everything_it_opens() -> None:
    """R-PERM-3, screen 4."""
    words = tier_words(TIER_REQUEST.model_copy(update={"wanted": Tier.FULL_AUTO}), "en")
    for part in (
        "Files outside",
        "Commands",
        "The network",
        "The browser",
        "gauge-db",
        "no sandbox",
        "Nothing will ask.",
    ):
        assert part in words
    assert tier_card(TIER_REQUEST, "en", "n")["stay"] == "Stay in workspace-write"
    evil = TIER_REQUEST.model_copy(update={"mcp_servers": ("**a** {x} `b`",)})
    assert ("**a** {x} `b`", "") in tier_card(evil, "en", "n")["opens"][4][1]


def test_busy_and_indexing_are_said(wired: Wired) -> None:
    """Screen 10."""
    wired.show_busy("融雪参数", "cell 12")
    assert shown(wired, "busy")["text"] == "Session “融雪参数” is busy with cell 12"
    wired.end_busy()
    assert wired.sent[-1]["order"] == []
    wired._clock.now += 1  # type: ignore[attr-defined]
    assert wired.show_progress(Progress(what="hydro-archive", done=4180, total=10000, detail="a b.pdf")) == 0
    assert shown(wired, "progress-alone")["count"] == "4,180 of 10,000 files, 41 %"


def test_what_is_saved_of_the_widget_holds_no_nonce_and_no_answer(wired: Wired) -> None:
    """U04: widget state may be saved with the notebook."""
    wired.push(asking().deltas([TextDelta(text=ANSWER)]))
    saved = json.dumps(wired.get_state(), default=str)
    assert binding(wired)["nonce"] not in saved
    assert REQUEST.digest not in saved
    assert "melt_balance" not in saved


def test_a_long_stream_stays_cheap(wired: Wired) -> None:
    """U10: 10,000 updates a second; the view is drawn at most 20 times in one."""
    view = view_of(running_events())
    for _ in range(1000):
        wired._clock.now += 0.001  # type: ignore[attr-defined]
        view = view.deltas([TextDelta(text="word ")] * 10)
        wired.push(view)
    assert len(wired.sent) <= 22


def test_a_click_on_a_card_that_is_over_is_told_why_and_a_waiting_one_stays(wired: Wired) -> None:
    """A03: the page hears a reason; a wrong nonce on a waiting card changes nothing and says nothing."""
    wired.push(asking())
    known = binding(wired)
    wired.click(type="approve", **known | {"nonce": "x"})
    assert wired.heard == []
    wired.refuse("op_1", "why")
    assert all(message["type"] != "stale" for message in wired.sent)
    wired.push(asking().hear(ended(Outcome.APPROVED)))
    wired.click(type="approve", **known)
    assert wired.heard == []
    assert wired.stale == ["op_1"]
    wired.refuse("op_1", "此前已有答复")
    assert wired.sent[-1] == {"type": "stale", "operation": "op_1", "text": "此前已有答复"}


def test_the_head_says_that_it_waits_for_the_person(wired: Wired) -> None:
    """DESIGN: not the model is waited for while a card is open."""
    wired.push(asking())
    assert wired.sent[-1]["head"]["word"] == "Waiting for you"
    assert wired.sent[-1]["head"]["look"] == "is-wait"
    wired.push(asking().stopping(), now=True)
    assert wired.sent[-1]["head"]["word"] == "Stopping"
    wired.push(asking().hear(ended(Outcome.APPROVED)), now=True)
    assert wired.sent[-1]["head"]["word"] != "Waiting for you"


class Meeting:
    """A clock in which the drawing thread waits for another one, which must not come."""

    def __init__(self) -> None:
        self.other = threading.Event()
        self.drawing = threading.Event()
        self.first: threading.Thread | None = None
        self.met = False

    def __call__(self) -> float:
        if threading.current_thread() is not self.first:
            if self.drawing.is_set():
                self.other.set()
        elif not self.drawing.is_set():
            self.drawing.set()
            self.met = self.other.wait(0.5)
        return 1.0


def test_only_one_thread_draws_at_a_time() -> None:
    """Decision 4: `rendered` comes on the kernel's thread while the runtime pushes; scene and ledger are shared."""
    meeting = Meeting()
    controls = Wired(clock=meeting)
    try:
        view = asking()
        pushing = threading.Thread(target=controls.push, args=(view,), kwargs={"now": True})
        meeting.first = pushing
        pushing.start()
        assert meeting.drawing.wait(5)
        controls.click(type="rendered")
        pushing.join(5)
        assert not meeting.met
        assert [message["number"] for message in controls.sent if message["type"] == "draw"] == [1, 2]
    finally:
        controls.close()
