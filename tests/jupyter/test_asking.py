"""Many requests of one step as one panel: Python's side and the page's (A17, R-APPR-1, R-APPR-3, R-UI-6)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import expect

from orange_jupyter.core.approval import ApprovalRequest, Outcome
from orange_jupyter.core.events import ApprovalAsked, CallStarted, Event, StepStarted
from orange_jupyter.core.grant import Effect
from orange_jupyter.jupyter.view import TurnView
from orange_jupyter.jupyter.widgets.messages import Approve, Deny
from tests.jupyter.test_controls import Wired
from tests.jupyter.test_views_in_browser import IDS, LOOKS, Stage, assert_accessible
from tests.jupyter.turns import REQUEST, ended, running_events, view_of
from tests.lab_server import Chromium


@pytest.fixture
def stages(chromium: Chromium) -> Iterator[Callable[..., Stage]]:
    opened: list[Stage] = []

    def make(**more: Any) -> Stage:
        opened.append(Stage(chromium, **more))
        return opened[-1]

    yield make
    for stage in opened:
        chromium.call(stage.close)


def outside(number: int) -> ApprovalRequest:
    path = f"/srv/archive/2025/站点 {number:02} metadata.csv"
    return REQUEST.model_copy(
        update={
            "operation_id": f"op_{number}",
            "tool": "read",
            "effect": Effect.LOOK_OUTSIDE,
            "operation": "read a file outside",
            "target": path,
            "arguments": json.dumps({"path": path}, ensure_ascii=False),
            "facts": (("File", path), ("Real place", "the same"), ("Goes to", "qwen3-32b at 10.2.0.14:8000")),
            "warnings": (),
            "digest": f"{number:064}",
        }
    )


def asked(number: int) -> list[Event]:
    path = outside(number).target
    return [
        CallStarted(call_id=f"r{number}", tool="read", arguments={"path": path}, target=path),
        ApprovalAsked(call_id=f"r{number}", request=outside(number)),
    ]


def panel(count: int) -> TurnView:
    events = [*running_events(), StepStarted(step=5, limit=50)]
    return view_of([*events, *(event for number in range(count) for event in asked(number))])


def drawn(view: TurnView) -> tuple[list[str], dict[str, Any]]:
    controls = Wired()
    controls.push(view, now=True)
    controls.close()
    return controls.sent[-1]["order"], controls.sent[-1]["items"]


def test_the_cards_of_one_step_stand_together_under_a_head() -> None:
    """A17: the lines first, then one head, then every card."""
    order, items = drawn(panel(30))
    assert order[-31:] == ["asks-5", *(f"card-op_{number}" for number in range(30))]
    assert items["asks-5"]["title"] == "30 requests wait for you"
    assert items["asks-5"]["cards"] == order[-30:]
    assert all(items[f"card-op_{number}"]["nonce"] for number in range(30))


def test_one_card_is_no_panel_and_two_steps_are_two() -> None:
    assert not any(name.startswith("asks") for name in drawn(panel(1))[0])
    view = panel(2)
    for number in range(2):
        view = view.hear(ended(Outcome.DENIED, outside(number)))
    view = view.hear(StepStarted(step=6, limit=50))
    for number in (7, 8):
        for event in asked(number):
            view = view.hear(event)
    order, _ = drawn(view)
    assert order[-9:] == [
        *("call-r0", "call-r1", "card-op_0", "card-op_1"),
        *("call-r7", "call-r8", "asks-6", "card-op_7", "card-op_8"),
    ]


def test_an_answered_card_keeps_its_place_and_the_head_counts_the_rest() -> None:
    """DESIGN.md, 7: nothing jumps."""
    before, _ = drawn(panel(3))
    view = panel(3).hear(ended(Outcome.APPROVED, outside(1)))
    after, items = drawn(view)
    assert after == before
    assert items["asks-5"]["title"] == "2 requests wait for you"
    assert items["card-op_1"]["kind"] == "receipt"


@pytest.mark.browser
@pytest.mark.parametrize(("dark", "width"), LOOKS, ids=IDS)
def test_the_panel_is_accessible_and_fits(stages: Any, dark: bool, width: int) -> None:
    """R-UI-6: names, roles, contrast in both themes, 400 px; nothing is cut."""
    stage = stages(dark=dark, width=width, language="zh" if dark else "en")
    stage.show(panel(6).hear(ended(Outcome.DENIED, outside(1), reason="not this one")))
    assert_accessible(stage.page, f"asking-{'dark' if dark else 'light'}-{width}")


@pytest.mark.browser
def test_thirty_requests_are_approved_one_by_one_or_all_denied(stages: Any) -> None:
    """A17, R-APPR-3: one press approves one; there is no button that approves all; the rest is denied at once."""
    stage = stages()
    stage.show(panel(30))
    stage.past_the_deaf_moment()
    page = stage.page
    assert page.get_by_role("button", name="Approve once").count() == 30
    assert page.get_by_role("button", name="Approve all").count() == 0
    page.get_by_role("button", name="Approve once").nth(4).click()
    stage.exchange()
    page.get_by_role("button", name="Deny all").press("Enter")
    stage.exchange()
    decisions = [one for one in stage.controls.heard if isinstance(one, Approve | Deny)]
    assert [one.operation_id for one in decisions if isinstance(one, Approve)] == ["op_4"]
    denied = [one for one in decisions if isinstance(one, Deny)]
    assert [one.operation_id for one in denied] == [f"op_{n}" for n in range(30) if n != 4]
    assert all(int(one.digest) == int(one.operation_id[3:]) for one in denied)
    expect(page.get_by_role("button", name="Deny all")).to_be_disabled()


@pytest.mark.browser
def test_a_reason_that_is_being_written_outlives_the_panel_that_forms(stages: Any) -> None:
    """R-APPR-1, R-UI-6: the second request comes while the person answers the first."""
    stage = stages()
    stage.show(panel(1))
    stage.past_the_deaf_moment()
    page = stage.page
    page.get_by_role("button", name="Deny…").click()
    page.keyboard.type("元数据在笔记里")
    stage.show(panel(2))
    page.keyboard.type("已有一份")
    expect(page.get_by_label("Reason").first).to_have_value("元数据在笔记里已有一份")
    page.keyboard.press("Enter")
    stage.exchange()
    assert [one.reason for one in stage.controls.heard if isinstance(one, Deny)] == ["元数据在笔记里已有一份"]


@pytest.mark.browser
def test_the_panel_is_said_once(stages: Any) -> None:
    """DESIGN.md, Keyboard: approvals are announced assertively, once; not thirty times."""
    stage = stages()
    stage.show(panel(3))
    expect(stage.page.get_by_role("alert")).to_have_text("Approval needed: 3 requests wait for you")
