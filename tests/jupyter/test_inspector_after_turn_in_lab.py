"""Citations of a finished turn's record in the real JupyterLab: the page opens while the kernel lives (R-UI-3)."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import expect

from tests.jupyter.papers import paper
from tests.jupyter.test_product_in_lab import CONFIG, use
from tests.lab import Lab

SEARCH = {
    "calls": [{"name": "search", "arguments": {"query": "annual value underestimated June melt dust deposition"}}]
}
PROPOSE = {"calls": [{"name": "edit", "arguments": {"operation": "delete", "path": "todo.txt"}}]}
SAY = {
    "text": "An annual 4.1 underestimates June melt by 19 % [{{last.citations.0.citationId}}].\n\n"
    "The factor varies with season [{{last.citations.1.citationId}}], and again [{{last.citations.0.citationId}}]."
}
CELLS = [
    "%load_ext orange_jupyter",
    use("reader"),
    "%%orange --model reader --tier workspace-write\nBy how much is June melt underestimated?",
    "import time\nprint('asleep', flush=True)\ntime.sleep(600)",
]


@pytest.mark.browser
def test_after_the_turn_a_citation_opens_its_page_and_without_a_kernel_the_figure(lab: Lab) -> None:
    """R-UI-3, R-SAVE-1: mark, turning, Esc, a second citation; restarted and reopened the static figure, never dead."""
    kb = lab.folder / "kb"
    kb.mkdir(parents=True)
    (kb / "meng.pdf").write_bytes(paper())
    (kb / "todo.txt").write_text("todo\n")
    replies = json.dumps({"replies": [PROPOSE, SEARCH, SAY, SEARCH, SAY]})
    lab.open(CELLS, files={".orange/config.toml": CONFIG, "reader.json": replies})
    lab.width(900, 1300)
    for cell in (0, 1, 2):
        lab.run(cell)
    lab.wait_output(2, "Sources")
    first = lab.output(2).locator("a.oj-cite").first
    figure = lab.output(2).locator(".oj-pass figure img").first
    expect(lab.output(2).locator(".oj-pass figure img")).not_to_have_count(0)
    expect(lab.output(2).locator(".oj-ear")).to_have_count(1)
    lab.shot("after-turn-closed", 2)
    first.press("Enter")
    panel = lab.output(2).locator(".oj-prose > .oj-inspector")
    expect(panel.get_by_role("heading", name="[1] meng.pdf, page")).to_be_focused()
    expect(panel.locator(".oj-frame").first).to_be_visible()
    expect(panel.locator("mark")).to_be_visible()
    expect(figure).to_be_hidden()
    lab.shot("after-turn-light", 2)
    page = panel.locator("input")
    before = page.input_value()
    panel.get_by_role("button", name="Zoom in").click()
    expect(panel.locator(".oj-bar .oj-num")).to_have_text("125 %")
    panel.get_by_role("region").focus()
    lab.page.keyboard.press("PageDown")
    expect(page).to_have_value(str(int(before) + 1))
    expect(panel.get_by_role("img", name=f"Page {int(before) + 1} of meng.pdf")).to_be_visible()
    lab.click(2, "Apply")
    lab.wait_output(2, "Applied")
    kept = json.dumps(lab.outputs(2))
    assert "data:image/" in kept
    assert "Move to trash" in kept
    expect(page).to_have_value(str(int(before) + 1))
    panel.get_by_role("region").focus()
    lab.page.keyboard.press("Escape")
    expect(panel).to_have_count(0)
    expect(first).to_be_focused()
    expect(figure).to_be_hidden()
    lab.theme(dark=True)
    lab.output(2).get_by_role("link", name="Source 2").first.click()
    expect(panel.get_by_role("heading", name="[2] meng.pdf, page")).to_be_focused()
    lab.shot("after-turn-dark", 2)
    panel.get_by_role("button", name="Close").click()
    expect(lab.output(2).get_by_role("link", name="Source 2").first).to_be_focused()
    lab.theme(dark=False)
    lab.run(3, wait=False)
    lab.wait_output(3, "asleep")
    first.click()
    expect(panel.get_by_role("heading", name="[1] meng.pdf, page")).to_be_focused()
    lab.interrupt()
    lab.wait_finished(3)
    lab.run(2)
    expect(lab.output(2).locator(".oj-ear")).to_have_count(1)
    first.click()
    expect(panel.get_by_role("heading", name="[1] meng.pdf, page")).to_be_focused()
    lab.restart()
    expect(panel).to_have_count(0)
    first.click()
    expect(figure).to_be_visible()
    expect(panel).to_have_count(0)
    saved = json.dumps(lab.save()["metadata"].get("widgets", {}))
    assert "June" not in saved
    assert "June" not in json.dumps(
        [one["data"].get("application/vnd.jupyter.widget-view+json") for one in lab.outputs(2)]
    )
    lab.reload(kernel=False)
    expect(figure).to_be_hidden()
    lab.shot("after-turn-reopened", 2)
    expect(lab.output(2).get_by_text("widget")).to_be_hidden()
    first.click()
    expect(figure).to_be_visible()
    expect(panel).to_have_count(0)
    lab.shot("after-turn-reopened-open", 2)
