"""The page inspector in the real JupyterLab, with a scripted model that sees (R-UI-3, R-UI-4, R-SAVE-1, screens 6, 13)."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import expect

from tests.jupyter.papers import chart, paper
from tests.jupyter.test_product_in_lab import CONFIG, use
from tests.lab import Lab

SEARCH = {"calls": [{"name": "search", "arguments": {"query": "annual value underestimated June melt"}}]}
READ = {"calls": [{"name": "read", "arguments": {"path": "meng.pdf", "page": 2}}]}
SAY = {
    "text": "An annual 4.1 underestimates June melt by 19 % [{{last.citations.0.citationId}}].\n\n"
    + "The bars of figure 4 rise until June. " * 400,
    "chunk": 8,
    "delay": 0.03,
}
CELLS = [
    "%load_ext orange_jupyter",
    use("seer"),
    "%%orange --model seer\nBy how much is June melt underestimated, and what does figure 4 show?",
    "%orange show c1",
    'import orange_jupyter\norange_jupyter.Session("pictures").show("fig.png")',
    "import time\ntime.sleep(600)",
]


@pytest.mark.browser
def test_a_figure_is_asked_about_its_page_opened_turned_and_what_the_model_saw_looked_at(lab: Lab) -> None:
    """Issue 6's own sentence; then what `%orange show` and `session.show` leave, beside a running cell and after Restart."""
    kb = lab.folder / "kb"
    kb.mkdir(parents=True)
    (kb / "meng.pdf").write_bytes(paper())
    (kb / "fig.png").write_bytes(chart())
    seer = json.dumps({"vision": True, "replies": [READ, SEARCH, SAY]})
    lab.open(CELLS, files={".orange/config.toml": CONFIG, "seer.json": seer})
    lab.width(900, 1300)
    for cell in (0, 1):
        lab.run(cell)
    lab.run(2, wait=False)
    lab.wait_output(2, "The bars of figure 4")
    link = lab.output(2).get_by_role("link", name="Source 1").first
    link.press("Enter")
    panel = lab.output(2).locator(".oj-inspector")
    expect(panel.get_by_role("heading", name="[1] meng.pdf, page 2")).to_be_focused()
    expect(panel.locator("mark")).to_contain_text("underestimated June melt by 19 per cent")
    marked = panel.get_by_role("img", name="Page 2 of meng.pdf; marked:")
    expect(marked).to_be_visible()
    assert panel.locator(".oj-frame").count() >= 1
    assert marked.evaluate("e => e.src.startsWith('blob:') && e.naturalWidth > 1000")
    lab.shot("inspector-lab-citation", 2)
    panel.get_by_role("region").focus()
    lab.page.keyboard.press("PageDown")
    expect(panel.get_by_role("img", name="Page 3 of meng.pdf")).to_be_visible()
    lab.page.keyboard.press("PageUp")
    expect(marked).to_be_visible()
    panel.get_by_role("tab", name="Text").press("ArrowRight")
    expect(panel.get_by_text("turn 1, step 2, to seer")).to_be_visible()
    lab.shot("inspector-lab-saw", 2)
    panel.get_by_role("button", name="Show at full size").press("Enter")
    exact = panel.locator(".oj-full img")
    expect(exact).to_be_visible()
    assert exact.evaluate("e => [e.naturalWidth, e.naturalHeight].join()") in ("1515,2000", "1516,2000")
    lab.page.keyboard.press("Escape")
    expect(panel).to_have_count(0)
    expect(link).to_be_focused()
    assert lab.running(2)
    lab.click(2, "Stop")
    lab.wait_finished(2)
    for cell, name in ((3, "Page 2 of meng.pdf; marked:"), (4, "fig.png")):
        lab.run(cell)
        lab.output(cell).locator(".oj-inspector").get_by_role("img", name=name).wait_for()
    lab.output(4).get_by_role("button", name="Open in Lab").click()
    lab.page.get_by_role("tab", name="fig.png").wait_for()
    lab.page.evaluate("() => window.jupyterapp.shell.currentWidget.dispose()")
    saved = json.dumps(lab.outputs(3))
    assert "data:image/jpeg;base64," in saved or "data:image/png;base64," in saved
    lab.shot("inspector-lab-show", 3)
    lab.run(5, wait=False)
    lab.output(3).get_by_role("button", name="Next page").click()
    lab.interrupt()
    expect(lab.output(3).get_by_role("img", name="Page 3 of meng.pdf")).to_be_visible()
    lab.restart()
    expect(lab.output(3).get_by_text("The kernel restarted, so pages cannot be turned here.")).to_be_visible()
    expect(lab.output(3).get_by_role("button")).to_have_count(0)
    expect(lab.output(3).get_by_role("img", name="Page 2 of meng.pdf; marked:")).to_be_visible()
    lab.width(900, 1700)
    lab.shot("inspector-lab-restarted", 3)
    lab.save()
    lab.reload(kernel=False)
    lab.output(3).get_by_role("img", name="Page 2 of meng.pdf; marked:").wait_for()
    expect(lab.output(3).get_by_text("widget")).to_be_hidden()
    lab.shot("inspector-lab-reopened", 3)
