"""A stream as a screen reader, a narrow window and a person who dislikes motion meet it (DESIGN.md)."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from orange_jupyter.core.deltas import TextDelta
from orange_jupyter.core.events import ApprovalAsked, Notice, StepStarted
from orange_jupyter.jupyter.view import TurnView
from tests.jupyter.test_streaming import PARAGRAPHS, lines
from tests.jupyter.test_views_in_browser import IDS, LOOKS, Stage, assert_accessible, stages
from tests.jupyter.turns import ANSWER, REQUEST, started, view_of

pytestmark = pytest.mark.browser

__all__ = ["stages"]

COUNT = """() => {
  window.said = { polite: [], loud: [] };
  const note = (name, selector) => {
    const node = document.querySelector(selector);
    new MutationObserver(() => window.said[name].push(node.textContent)).observe(node, { childList: true });
  };
  note('polite', '[aria-live=polite]');
  note('loud', '[aria-live=assertive]');
}"""


def said(page: Page) -> dict[str, list[str]]:
    return dict(page.evaluate("() => window.said"))


def streaming() -> TurnView:
    return view_of([started(), StepStarted(step=1, limit=50)])


def grow(stage: Stage, view: TurnView, text: str) -> TurnView:
    view = view.deltas([TextDelta(text=text)])
    stage.show(view)
    return view


def test_a_stream_is_silent_but_for_a_finished_paragraph_every_four_seconds(stages: Any) -> None:
    """DESIGN.md, roles: aria-live=off, a polite line at most once in 4 s."""
    stage = stages()
    page = stage.page
    page.clock.install()
    view = streaming()
    stage.show(view)
    page.evaluate(COUNT)
    for n in range(20):
        view = grow(stage, view, f"Paragraph {n} is finished.\n\n")
        page.clock.run_for(1000)
    heard = said(page)
    assert 4 <= len(heard["polite"]) <= 5, heard
    assert all(words.startswith("Answer: Paragraph") for words in heard["polite"])
    assert heard["loud"] == []
    assert page.locator(".oj-prose").get_attribute("aria-live") == "off"
    assert page.locator("[aria-live=polite]").get_attribute("role") == "status"
    assert page.locator("[aria-live=assertive]").get_attribute("role") == "alert"


def test_an_approval_and_an_error_are_said_once(stages: Any) -> None:
    """DESIGN.md, roles: assertive, once; also when the text goes on and when everything is drawn again."""
    stage = stages()
    page = stage.page
    view = streaming()
    stage.show(view)
    page.evaluate(COUNT)
    view = view.hear(ApprovalAsked(call_id="x3", request=REQUEST))
    stage.show(view)
    view = grow(stage, view, "and so on ")
    stage.controls.click(type="rendered")
    stage.exchange()
    assert len(said(page)["loud"]) == 1
    assert "command" in said(page)["loud"][0]
    view = view.hear(Notice(level="error", text="The switch did not move.", hint="Try again."))
    stage.show(view)
    view = grow(stage, view, "and on")
    stage.controls.click(type="rendered")
    stage.exchange()
    assert said(page)["loud"][1:] == ["The switch did not move."]


def test_nothing_moves_for_who_asked_for_that(stages: Any) -> None:
    """DESIGN.md, motion: ring, caret and chevron stand still; the ring is dotted."""
    stage = stages()
    stage.page.emulate_media(reduced_motion="reduce")
    grow(stage, lines(3), "Some words")
    running = (
        "e => { const s = getComputedStyle(e); return [s.animationName, s.transitionDuration, s.borderTopStyle]; }"
    )
    assert stage.page.locator(".oj-caret").evaluate(running)[0] == "none"
    assert stage.page.locator(".oj-head .oj-spin").evaluate(running)[0::2] == ["none", "dotted"]
    assert stage.page.locator(".oj-chev").first.evaluate(running)[1] == "0s"
    assert stage.page.evaluate("() => document.getAnimations().filter(one => one.playState === 'running').length") == 0


@pytest.mark.parametrize(("dark", "width"), LOOKS, ids=IDS)
def test_a_long_turn_with_its_bars_is_accessible_and_fits(stages: Any, dark: bool, width: int) -> None:
    """R-UI-6: names, roles, contrast in both themes, 400 px; the bar is used by keyboard and keeps the focus."""
    stage = stages(dark=dark, width=width)
    page = stage.page
    view = lines(1000)
    stage.show(view)
    for start in range(0, 60_000, 6000):
        view = grow(stage, view, PARAGRAPHS[start : start + 6000])
    grow(stage, view, f"\n\n{ANSWER}")
    bars = page.get_by_role("button", name="Unfold:")
    expect(bars).to_have_count(2)
    bars.first.focus()
    page.keyboard.press("Enter")
    stage.exchange()
    expect(page.get_by_role("button", name="Earlier:")).to_be_focused()
    bars.first.focus()
    page.keyboard.press("Enter")
    stage.exchange()
    expect(page.locator(".oj-page p").first).to_be_visible()
    assert page.evaluate("document.activeElement.closest('.oj-fold') !== null")
    assert page.evaluate("document.querySelectorAll('.oj *').length") < 5000
    assert_accessible(page, f"long-turn-{'dark' if dark else 'light'}-{width}")


def test_a_tool_line_is_filled_when_it_is_unfolded_and_stays_open(stages: Any) -> None:
    """R-UI-1: details on demand."""
    stage = stages()
    view = lines(2)
    stage.show(view)
    line = stage.page.locator("details.oj-tool").first
    expect(line.locator(".oj-unfold")).to_have_count(0)
    line.locator("summary").click()
    expect(line.locator(".oj-unfold")).to_be_visible()
    stage.controls.click(type="rendered")
    stage.exchange()
    expect(stage.page.locator("details.oj-tool").first.locator(".oj-unfold")).to_be_visible()
