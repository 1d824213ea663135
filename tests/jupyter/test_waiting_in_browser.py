"""A click below %%time in the real Lab; what the buttons say while a cell of another kind blocks the kernel."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from tests.jupyter.conftest import LOAD, ROOT
from tests.jupyter.test_views_in_browser import Stage, waiting
from tests.lab import Lab
from tests.lab_server import Chromium

pytestmark = pytest.mark.browser

WAITS = "Waits for the kernel"


@pytest.fixture
def stage(chromium: Chromium) -> Iterator[Stage]:
    opened = chromium.call(Stage, chromium)
    yield opened
    chromium.call(opened.close)


def test_an_approval_that_the_kernel_does_not_take_says_that_it_waits(chromium: Chromium, stage: Stage) -> None:
    """Traps "A widget under a blocking cell": the press is kept, said once, and counts when the kernel is free."""
    stage.show(waiting())
    stage.past_the_deaf_moment()
    approve = stage.page.get_by_role("button", name="Approve once")
    card = stage.page.locator(".oj-card").filter(has=approve).first  # two requests wait: a panel's head stands above
    card.get_by_role("button", name="Approve once").click()
    expect(card.get_by_text("Sent")).to_be_visible()
    expect(card.get_by_text(WAITS)).to_be_visible(timeout=5000)
    assert stage.page.evaluate("window.sent.length") == 1


def test_a_stop_that_the_kernel_does_not_take_says_that_it_waits_until_it_does(
    chromium: Chromium, stage: Stage
) -> None:
    """The same for Stop; the turn goes on drawing meanwhile; a kernel that answers is said to be stopping."""
    view = waiting()
    stage.show(view)
    stage.page.get_by_role("button", name="Stop", exact=True).click()
    button = stage.page.get_by_role("button", name=WAITS)
    expect(button).to_be_disabled(timeout=5000)
    stage.controls.push(view, now=True)
    expect(button).to_be_visible()
    stage.exchange()
    stage.show(view.stopping())
    expect(button).to_have_count(0)
    expect(stage.page.get_by_role("button", name="Stopping")).to_be_disabled()


def test_a_press_that_is_taken_at_once_never_says_so(chromium: Chromium, stage: Stage) -> None:
    """An idle kernel: nothing flickers."""
    view = waiting()
    stage.show(view)
    stage.page.get_by_role("button", name="Stop", exact=True).click()
    stage.exchange()
    stage.show(view.stopping())
    stage.page.evaluate("() => new Promise(done => setTimeout(done, 1700))")
    expect(stage.page.get_by_text(WAITS)).to_have_count(0)


def test_in_the_lab_a_click_reaches_a_turn_below_time(lab: Lab) -> None:
    """R-UI-2, trap "Transformer to await": the pump serves where a cell cannot await, in the foreground."""
    lab.open([LOAD.format(root=str(ROOT), more=""), "%%time\n%%orange\nask", "1 + 1"])
    lab.run(0)
    lab.run(1, wait=False)
    lab.wait_output(1, "Run this command?")
    lab.run(2, wait=False)
    assert lab.running(1)
    lab.page.wait_for_timeout(450)
    lab.click(1, "Approve once")
    lab.wait_finished(2)
    assert "approved" in lab.output_text(1)
    assert "Wall time" in lab.output_text(1)
    assert lab.outputs(2)[0]["data"]["text/plain"] == "2"
