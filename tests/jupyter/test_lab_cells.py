"""`%%orange` in the real JupyterLab: a click on Approve, on Stop, on a full tier's card, while the cell waits."""

from __future__ import annotations

import pytest

from tests.jupyter.conftest import LOAD, ROOT
from tests.lab import Lab

START = LOAD.format(root=str(ROOT), more="")


@pytest.mark.browser
def test_a_click_on_approve_reaches_the_waiting_turn(lab: Lab) -> None:
    """R-UI-1, R-UI-2, R-SAVE-1, U04: the card is in the cell, the click counts, only the record is saved."""
    lab.open([START, "%%orange\nask 请运行", "%orange ran"], name="问 答.ipynb")
    lab.run(0)
    lab.run(1, wait=False)
    lab.wait_output(1, "Run this command?")
    assert lab.running(1)
    lab.shot("approval-card", 1)
    lab.page.wait_for_timeout(450)  # a new card is deaf for 400 ms
    lab.click(1, "Approve once")
    lab.wait_finished(1)
    lab.wait_output(1, "approved")
    assert lab.output(1).get_by_role("button").count() == 0
    lab.shot("approved-record", 1)
    lab.run(2)
    assert lab.output_text(2).strip() == "ran 1"
    saved = lab.save()["cells"][1]["outputs"]
    assert "widget-view" not in str(saved)
    assert "application/vnd.orange.turn+json" in saved[0]["data"]


@pytest.mark.browser
def test_stop_ends_the_cell_and_run_all_goes_on(lab: Lab) -> None:
    """R-SESS-4: the button in the controls; the record says "Stopped by you"; the next cell runs."""
    lab.open([START, "%%orange\nslow talk", "1 + 1"])
    lab.run_all(wait=False)
    lab.wait_output(1, "12 13")
    lab.shot("running", 1)
    lab.click(1, "Stop")
    lab.wait_finished(2)
    lab.wait_output(1, "Stopped by you")
    assert lab.outputs(2)[0]["data"]["text/plain"] == "2"


@pytest.mark.browser
def test_a_full_tier_is_entered_by_a_click_on_its_card(lab: Lab) -> None:
    """R-PERM-3, A19: the line waits for the card; staying is the first button."""
    lab.open([START, "%orange tier full-confirm"])
    lab.run(0)
    lab.run(1, wait=False)
    lab.wait_output(1, "Enter full-confirm?")
    lab.shot("tier-card", 1)
    lab.page.wait_for_timeout(450)
    lab.click(1, "Enter full-confirm")
    lab.wait_finished(1)
    lab.wait_output(1, "tier full-confirm")


@pytest.mark.browser
def test_an_interrupt_is_one_line_and_stops_what_is_queued(lab: Lab) -> None:
    """A21: the square of the toolbar."""
    lab.open([START, "%%orange\nslow talk", "print('ran')"])
    lab.run(0)
    lab.run(1, wait=False)
    lab.wait_output(1, "5 6")
    lab.interrupt()
    lab.wait_finished(1)
    lab.wait_output(1, "the turn was stopped")
    assert "Traceback" not in lab.output_text(1)
    lab.shot("interrupted", 1)


@pytest.mark.browser
def test_controls_that_first_waited_are_drawn_anew_for_their_turn(lab: Lab) -> None:
    """R-UI-1: Stop is there while a turn waits to begin; later its cards are visible (Lab hides a closed widget)."""
    lab.open([LOAD.format(root=str(ROOT), more=", slow=4"), "%%orange\nask"])
    lab.run(0)
    lab.run(1, wait=False)
    lab.output(1).get_by_role("button", name="Stop").wait_for()
    assert lab.page.locator("[id^=oj-rec-t]").count() == 0
    lab.wait_output(1, "Run this command?")
    lab.page.wait_for_timeout(450)
    lab.click(1, "Deny…")
    lab.click(1, "Deny with this reason")
    lab.wait_finished(1)
    lab.wait_output(1, "denied")
