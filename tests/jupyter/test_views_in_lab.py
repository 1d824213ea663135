"""Record and controls in the real JupyterLab: math, anchors, the widget's life and its death with the kernel."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

from orange_jupyter.jupyter.record import record
from tests.jupyter.turns import PLACES, view_of, whole_events
from tests.lab import Lab

pytestmark = pytest.mark.browser

ROOT = Path(__file__).parents[2]

BEGIN = f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
from IPython.display import display
from orange_jupyter.core.deltas import TextDelta
from orange_jupyter.core.events import ApprovalAsked
from orange_jupyter.jupyter.record import record
from orange_jupyter.jupyter.widgets.controls import Controls
from tests.jupyter.turns import *
"""
RECORD = """
display(record(view_of(whole_events()), "en", number=12, session="融雪参数", places=PLACES), raw=True)
"""
CONTROLS = """
heard = []
controls = Controls(heard.append, turn_id=started().turn_id)
display(record(view_of(running_events()), "en", number=12), raw=True)
display(controls)
view = view_of([*running_events(), ApprovalAsked(call_id="x3", request=REQUEST)]).deltas([TextDelta(text=ANSWER)])
controls.push(view)
"""


def test_the_record_in_lab_has_math_links_and_a_passage_that_opens(lab: Lab) -> None:
    """R-UI-1, R-UI-3, R-SAVE-1, R-UI-6 (both themes)."""
    lab.open([BEGIN, RECORD], files={"notes/calibration-log.md": "# run 9\n" + "words\n\n" * 200 + "# run 17\n"})
    lab.run_all()
    output = lab.output(1)
    expect(output.locator("mjx-container")).to_have_count(1)
    expect(output.get_by_text("costs $5 and $6")).to_be_visible()
    passages = output.locator(".oj-pass").filter(visible=True)
    expect(passages).to_have_count(0)
    citation = output.get_by_role("link", name="Source 2").first
    citation.press("Enter")
    expect(passages).to_have_count(1)
    expect(passages.locator("mark")).to_be_in_viewport()
    expect(citation).to_be_in_viewport()
    expect(output.get_by_role("group", name="Source 2")).to_be_focused()
    lab.shot("lab-passage-light", 1)
    passages.get_by_role("link", name="Next passage [3]").press("Enter")
    expect(passages.locator("mark")).to_contain_text("From April to June")
    passages.get_by_role("link", name="Back to the text").press("Enter")
    expect(passages).to_have_count(0)
    expect(output.get_by_role("link", name="Source 3").first).to_be_focused()
    table = output.locator(".oj-scroll")
    assert float(table.evaluate("e => parseFloat(getComputedStyle(e).marginBottom)")) >= 8
    assert table.evaluate("e => getComputedStyle(e).display") == "block"
    lab.shot("lab-record-light", 1)
    lab.theme(dark=True)
    lab.shot("lab-record-dark", 1)
    lab.theme(dark=False)
    output.get_by_role("link", name="Source 1").first.click()
    passages.get_by_role("link", name="Open at “run 17”").click()
    lab.page.get_by_role("tab", name="calibration-log.md").first.wait_for()
    heading = lab.page.locator(".jp-MarkdownViewer").get_by_role("heading", name="run 17")
    expect(heading).to_be_in_viewport()


def test_the_controls_in_lab_hide_their_record_take_a_click_and_leave_nothing(lab: Lab) -> None:
    """R-UI-1, R-APPR-3, R-SAVE-1, U04."""
    lab.open([BEGIN, CONTROLS, "len(heard), type(heard[-1]).__name__", "controls.close()"])
    lab.run(0)
    lab.run(1)
    output = lab.output(1)
    approve = output.get_by_role("button", name="Approve once")
    approve.wait_for()
    expect(output.locator("#oj-rec-trn01j9zq4x7k")).to_be_hidden()
    lab.shot("lab-controls-light", 1)
    lab.page.wait_for_timeout(450)  # the card's own deaf moment
    approve.click()
    expect(output.get_by_text("Sent", exact=True)).to_be_visible()
    lab.run(2)
    assert "'Approve'" in lab.output_text(2)
    saved = str(lab.save())
    assert "d" * 64 not in saved
    assert "melt_balance" not in saved
    lab.run(3)
    expect(output.locator("#oj-rec-trn01j9zq4x7k")).to_be_visible()


def test_a_restarted_kernel_leaves_buttons_that_do_nothing_and_say_so(lab: Lab) -> None:
    """R-SAVE-3, R-APPR-3."""
    lab.open([BEGIN, CONTROLS])
    lab.run_all()
    output = lab.output(1)
    output.get_by_role("button", name="Approve once").wait_for()
    lab.restart()
    expect(output.get_by_text("The kernel restarted, so these buttons do nothing.").first).to_be_visible()
    expect(output.get_by_role("button", name="Approve once")).to_be_disabled()


def test_the_record_of_a_saved_notebook_is_the_same_without_a_kernel(lab: Lab) -> None:
    """R-SAVE-1."""
    lab.open([BEGIN, RECORD])
    lab.run_all()
    lab.save()
    lab.reload(kernel=False)
    lab.output(1).get_by_role("link", name="Source 2").first.click()
    expect(lab.output(1).locator("mark").filter(visible=True)).to_contain_text("率定期取 4.1")
    expect(lab.output(1).get_by_text("Quotation not found in the source")).to_be_visible()
    expected = record(view_of(whole_events()), "en", number=12, session="融雪参数", places=PLACES)
    assert lab.outputs(1)[0]["data"]["text/plain"] == expected["text/plain"]
