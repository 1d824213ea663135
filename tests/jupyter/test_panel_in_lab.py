"""Thirty outside reads, an index that is stopped, a live citation: the product in the real JupyterLab (A17, R-ALL-6)."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import expect

from tests.jupyter.test_product_in_lab import files, use
from tests.lab import Lab

pytestmark = pytest.mark.browser


def test_thirty_outside_reads_wait_in_one_panel(lab: Lab) -> None:
    """A17, R-APPR-1, R-APPR-5: one is approved, the rest denied at once; only that one was read."""
    outside = {f"out/{n:02}.txt": f"CANARY {n:02}" for n in range(30)}
    calls = [{"name": "read", "arguments": {"path": str(lab.folder / path)}} for path in outside]
    replies = [{"calls": calls}, {"text": "done"}]
    cells = [
        "%load_ext orange_jupyter",
        use("reader"),
        "%orange tier full-confirm",
        "%%orange --model reader\nread them",
    ]
    lab.open(cells, files=files("reader", *replies) | outside)
    lab.run(0)
    lab.run(1)
    lab.enter_full(2)
    lab.run(3, wait=False)
    lab.wait_output(3, "30 requests wait for you")
    lab.page.wait_for_timeout(450)
    panel = lab.output(3)
    expect(panel.get_by_role("button", name="Approve once")).to_have_count(30)
    lab.shot("panel-lab", 3)
    panel.get_by_role("button", name="Approve once").nth(3).click()
    lab.wait_output(3, "29 requests wait for you")
    panel.get_by_role("button", name="Deny all").click()
    lab.wait_finished(3)
    record = json.dumps(lab.outputs(3), ensure_ascii=False)
    plain = lab.outputs(3)[0]["data"]["text/plain"]
    assert plain.count("Denied") == 29
    assert plain.count("Approved") == 1
    assert "CANARY" not in record.replace("CANARY 03", "")


def test_indexing_shows_how_far_it_is_and_stops(lab: Lab) -> None:
    """R-ALL-6, screen 10: a bar with Stop; what was indexed is kept, the next scan finishes it."""
    words = "The degree-day factor of this run is 4.6; 率定期取四月以后的数值。\n\n" * 40
    notes = {f"many/note {n:04}.md": f"# Note {n}\n\n{words}" for n in range(2500)}
    cells = ["%load_ext orange_jupyter", "%orange kb add many", "%orange kb list", "%orange kb scan"]
    lab.open(cells, files=notes)
    lab.run(0)
    lab.run(1, wait=False)
    lab.wait_output(1, "Indexing the knowledge bases")
    stop = lab.output(1).get_by_role("button", name="Stop")
    expect(lab.output(1).get_by_role("progressbar")).to_be_visible()
    lab.shot("indexing-lab", 1)
    stop.press("Enter")
    lab.wait_finished(1)
    assert "Stopped by you" in lab.output_text(1)
    assert lab.output(1).get_by_role("button").count() == 0
    lab.run(2)
    lab.wait_output(2, "many")


def test_a_live_citation_opens_in_lab_while_the_turn_waits(lab: Lab) -> None:
    """R-UI-3: the passage is looked up by the kernel while its cell runs."""
    find = {"calls": [{"name": "search", "arguments": {"query": "degree-day factor run 17"}}]}
    read = {
        "text": "The factor is 4.6 [c1].\n\nI look outside.",
        "calls": [{"name": "read", "arguments": {"path": str(lab.folder / "out" / "plan.txt")}}],
    }
    cells = ["%load_ext orange_jupyter", use("r"), "%orange tier full-confirm", "%%orange --model r\nfactor?"]
    lab.open(cells, files=files("r", find, read, {"text": "Done [c1]."}))
    lab.run(0)
    lab.run(1)
    lab.enter_full(2)
    lab.run(3, wait=False)
    lab.wait_output(3, "Read a file outside the knowledge bases?")
    output = lab.output(3)
    output.get_by_role("link", name="Source 1").first.press("Enter")
    mark = output.locator(".oj-live-pass mark")
    expect(mark).to_contain_text("degree-day factor of run 17")
    lab.shot("live-passage-lab", 3)
    lab.page.keyboard.press("Escape")
    expect(mark).to_have_count(0)
    expect(output.get_by_role("link", name="Source 1").first).to_be_focused()
    output.get_by_role("button", name="Deny…").click()
    output.get_by_role("button", name="Deny with this reason").click()
    lab.wait_finished(3)
