"""The page is loaded again, or open twice, while a card waits: the real product in the real Lab."""

from __future__ import annotations

import re
import time

import pytest

from tests.jupyter.lifecycle import ASK, CARD, ask, come_back, events, open_asking, press, read_outside, second_tab
from tests.lab import Lab
from tests.lab_server import Chromium

pytestmark = pytest.mark.browser

SAYS = {"text": "It says: {{last.content}}"}
CLICK = """([word, at]) => {
  const shown = button => button.offsetParent !== null && button.textContent.includes(word);
  const button = [...document.querySelectorAll('.oj-card button')].find(shown);
  setTimeout(() => button.click(), at - Date.now());
}"""
"""Clicks the button that stands there now at a moment that both tabs know, whatever came meanwhile."""


def ran(lab: Lab) -> int:
    """How many reads of this test's file ran."""
    path = str(lab.folder / "out" / "plan.txt")
    finished = events(lab.server.home / "orange-home", "call_finished")
    return sum(call["ok"] and call["arguments"].get("path") == path for call in finished)


def test_after_a_reload_the_card_is_back_and_its_turn_runs_once(lab: Lab) -> None:
    """R-UI-2, A03, A04: the saved page draws the live controls again and gets the record; `%orange wait` shows it too."""
    open_asking(lab, read_outside(lab.folder), SAYS, more=("%orange wait", "%orange stop"))
    ask(lab)
    lab.save()
    come_back(lab)
    lab.wait_output(ASK, CARD)
    press(lab, ASK, "Approve once")
    lab.wait_output(ASK, "It says: CANARY outside")
    lab.output(ASK).locator(".oj-usage").locator("visible=true").wait_for()
    assert lab.output(ASK).get_by_role("button").count() == 0
    lab.run(ASK + 1)
    lab.wait_output(ASK + 1, "It says: CANARY outside")
    lab.shot("reload-wait", ASK + 1)
    lab.run(ASK + 2)
    lab.wait_output(ASK + 2, "Nothing runs in this session.")
    assert ran(lab) == 1
    saved = str(lab.save())
    assert "It says: CANARY outside" in saved


def test_a_page_that_was_not_saved_can_interrupt_and_learns_how_it_ended(lab: Lab) -> None:
    """R-SESS-4, A21: no output came back with the page; the square stops the turn, nothing ran, the next one works."""
    more = ("%orange wait", "%%orange\nanother")
    open_asking(lab, read_outside(lab.folder), {"text": "Next: fine."}, more=more)
    lab.save()
    ask(lab)
    come_back(lab)
    assert lab.output_text(ASK) == ""
    lab.run(ASK + 1, wait=False)
    lab.interrupt()
    lab.wait_ready()
    lab.run(ASK + 1)
    lab.wait_output(ASK + 1, "Stopped by you")
    assert "Cancelled" in lab.output_text(ASK + 1)
    lab.run(ASK + 2)
    lab.wait_output(ASK + 2, "Next: fine.")
    assert ran(lab) == 0


def test_a_detached_turn_is_decided_from_wait_after_a_reload(lab: Lab) -> None:
    """R-UI-2: its own cell came back empty, so the card is drawn in the cell that joins it."""
    open_asking(lab, read_outside(lab.folder), SAYS, more=("%orange wait",), magic="%%orange --detach")
    lab.save()
    ask(lab)
    lab.wait_output(ASK, "This turn goes on by itself.")
    for dark in (False, True):
        lab.theme(dark=dark)
        for width in (900, 400):
            lab.width(width)
            lab.shot(f"detached-{'dark' if dark else 'light'}-{width}", ASK)
    lab.theme(dark=False)
    lab.width(1200)
    come_back(lab)
    lab.wait_ready()
    lab.run(ASK + 1, wait=False)
    lab.wait_output(ASK + 1, CARD)
    press(lab, ASK + 1, "Approve once")
    lab.wait_finished(ASK + 1)
    lab.wait_output(ASK + 1, "The turn has ended")
    lab.run(ASK + 1)
    lab.wait_output(ASK + 1, "It says: CANARY outside")
    assert ran(lab) == 1


@pytest.mark.parametrize("words", [("Approve once", "Approve once"), ("Approve once", "Deny")])
def test_two_tabs_decide_at_once_and_the_first_counts_once(
    chromium: Chromium, lab: Lab, words: tuple[str, str]
) -> None:
    """A04, U11: both tabs show the card; clicks in both within 50 ms run one read; the next card is untouched."""
    open_asking(lab, read_outside(lab.folder), read_outside(lab.folder), {"text": "Done twice."})
    ask(lab)
    lab.save()
    page = chromium.browser.new_page(viewport={"width": 1000, "height": 900})
    try:
        other = second_tab(lab, page)
        other.wait_output(ASK, CARD)
        if words[1] == "Deny":
            press(other, ASK, "Deny…")
        lab.page.wait_for_timeout(450)
        moment = time.time() * 1000 + 400
        for tab, word in ((lab, words[0]), (other, words[1])):
            tab.page.evaluate(CLICK, [word, moment])
        decided = re.compile("Approved|Denied")
        for tab in (lab, other):
            tab.output(ASK).get_by_text(decided).locator("visible=true").first.wait_for()
            tab.output(ASK).get_by_role("button", name="Approve once").wait_for()
        told = [tab.output(ASK).get_by_text(decided).locator("visible=true").first.inner_text() for tab in (lab, other)]
        assert told[0] == told[1]
        approved = int("Approved" in told[0])
        assert approved or "Deny" in words
        assert ran(lab) == approved
        lab.shot("two-tabs", ASK)
        press(other, ASK, "Deny…")
        press(other, ASK, "Deny with this reason")
        lab.wait_finished(ASK)
        lab.wait_output(ASK, "Done twice.")
        assert ran(lab) == approved
    finally:
        page.close()
