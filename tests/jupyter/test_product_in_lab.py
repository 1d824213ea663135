"""The product itself in the real JupyterLab, from the first question to the record that is read without a kernel."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.lab import Lab

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
CONFIG = '[[knowledge_bases]]\nid = "kb_lab"\nname = "notes"\npath = "kb"\n'
NOTE = "---\ntitle: 融雪记录\n---\n# 融雪记录\n\n## 率定\n\n率定期取 4.6 mm，只用于四月以后。The degree-day factor of run 17 is 4.6.\n"
MENU_TOP = "() => document.querySelector('#jp-top-panel, #jp-MainMenu').getBoundingClientRect().top"


def script(*replies: dict) -> str:
    return json.dumps({"replies": list(replies)}, ensure_ascii=False)


def files(name: str, *replies: dict) -> dict[str, str]:
    return {
        ".orange/config.toml": CONFIG,
        "kb/melt.md": NOTE,
        f"{name}.json": script(*replies),
        "out/plan.txt": "CANARY outside",
    }


def use(name: str) -> str:
    return f"%orange model add {name} --provider scripted --script {name}.json"


@pytest.mark.browser
def test_the_first_cells_of_the_tour_and_a_citation_that_opens(lab: Lab) -> None:
    """R-NB-1, R-NB-2, R-NB-6, R-UI-3, R-UI-6, R-SAVE-1: answers in both languages; the passage opens; two widths, two themes."""
    shutil.copytree(NOTEBOOKS, lab.folder, dirs_exist_ok=True)
    lab.width(900)
    lab.show(lab.folder / "tour.ipynb")
    lab.run(1)
    for cell, words in ((2, "1.8 °C"), (4, "1.1 °C")):
        lab.run(cell)
        lab.wait_output(cell, words)
        lab.wait_output(cell, "Sources")
    cite = lab.output(2).get_by_role("link", name="Source 1").first
    cite.scroll_into_view_if_needed()
    fold = lab.output(2).locator("details mark").first
    assert not fold.is_visible()
    cite.click()
    page = lab.output(2).locator(".oj-inspector")  # source 1 is a PDF
    page.locator("img").wait_for()
    assert "1.8 °C" in page.inner_text()
    assert lab.page.evaluate(MENU_TOP) == pytest.approx(0, abs=1)
    assert lab.page.evaluate("() => document.scrollingElement.scrollTop") == 0
    for dark in (False, True):
        lab.theme(dark=dark)
        for width in (900, 400):
            lab.width(width)
            lab.shot(f"tour-{'dark' if dark else 'light'}-{width}", 2)
            assert lab.output(2).evaluate("e => e.scrollWidth <= e.clientWidth + 1")
    lab.theme(dark=False)
    lab.width(1200)
    page.get_by_role("heading").first.press("Escape")
    page.wait_for(state="detached")
    assert lab.output(2).get_by_role("button").count() == 0
    note = lab.output(2).get_by_role("link", name="Source 2").first
    note.click()
    fold = lab.output(2).locator("details[open] mark").filter(has_text="2.1 °C")
    fold.first.wait_for(state="visible")
    assert lab.output(2).get_by_role("button").count() == 0


@pytest.mark.browser
def test_an_outside_read_is_approved_and_denied_while_the_cell_runs(lab: Lab) -> None:
    """R-PERM-3, R-PERM-5, R-APPR-1…3, R-APPR-5, R-UI-2, U04: each read asks; the reason reaches the model; the record keeps both."""
    read = {"calls": [{"name": "read", "arguments": {"path": str(lab.folder / "out" / "plan.txt")}}]}
    replies = [read, {"text": "It says: {{last.content}}"}, read, {"text": "Refused: {{last.error.message}}"}]
    cells = [
        "%load_ext orange_jupyter",
        use("reader"),
        "%orange tier full-confirm",
        "%%orange --model reader\nread it",
        "%%orange\nagain",
    ]
    lab.open(cells, files=files("reader", *replies))
    lab.run(0)
    lab.run(1)
    lab.run(2, wait=False)
    lab.wait_output(2, "Enter full-confirm?")
    lab.shot("product-tier-card", 2)
    lab.page.wait_for_timeout(450)
    lab.click(2, "Enter full-confirm")
    lab.wait_finished(2)
    lab.run(3, wait=False)
    lab.wait_output(3, "Read a file outside the knowledge bases?")
    assert "CANARY" not in lab.output_text(3)
    assert str((lab.folder / "out" / "plan.txt").resolve()) in lab.output_text(3)
    for dark in (False, True):
        lab.theme(dark=dark)
        lab.shot(f"product-approval-{'dark' if dark else 'light'}", 3)
    lab.theme(dark=False)
    lab.click(3, "Approve once")
    lab.wait_finished(3)
    lab.wait_output(3, "It says: CANARY outside")
    lab.run(4, wait=False)
    lab.wait_output(4, "Read a file outside the knowledge bases?")
    lab.page.wait_for_timeout(450)
    lab.click(4, "Deny…")
    lab.output(4).get_by_role("textbox").fill("只看笔记")
    lab.click(4, "Deny with this reason")
    lab.wait_finished(4)
    lab.wait_output(4, "Refused:")
    assert "只看笔记" in lab.output_text(4)
    saved = json.dumps(lab.save(), ensure_ascii=False)
    assert "widget-view" not in saved
    for word in ("digest", "nonce"):
        assert word not in saved


@pytest.mark.browser
def test_stop_interrupt_run_all_and_the_record_without_a_kernel(lab: Lab) -> None:
    """R-SESS-2…4, R-SAVE-1…3, R-PERM-10, A03, A19, A21: the whole life of a notebook, then Restart & Run All of the tier cell."""
    long = {"text": "The gauge record has a gap. " * 400, "chunk": 6, "delay": 0.02}
    search = {"calls": [{"name": "search", "arguments": {"query": "degree-day factor"}}]}
    answer = {
        "text": "结论：取 **4.6** mm [{{last.citations.0.citationId}}]。\n\n$$M = C(T - T_0)$$\n\n| a | b |\n|---|---|\n| 1 | 2 |"
    }
    cells = [
        "%load_ext orange_jupyter",
        use("gauge"),
        "%%orange --model gauge\nstream",
        "%%orange\nstream again",
        "%%orange\n度日因子用了哪个值？",
        "%%orange\nand once more",
        "%orange status",
    ]
    lab.open(cells, files=files("gauge", long, long, search, answer, search, answer))
    lab.run(0)
    lab.run(1)
    lab.run(2, wait=False)
    lab.wait_output(2, "The gauge record has a gap.")
    lab.shot("product-streaming", 2)
    lab.click(2, "Stop")
    lab.wait_finished(2)
    lab.wait_output(2, "Stopped by you")
    lab.run(3, wait=False)
    lab.wait_output(3, "The gauge record has a gap.")
    lab.interrupt()
    lab.wait_finished(3)
    lab.wait_output(3, "Stopped by you")
    assert "Traceback" not in lab.output_text(3)
    for cell in (4, 5):
        lab.run(cell, wait=False)
    lab.wait_finished(5)
    for cell in (4, 5):
        lab.wait_output(cell, "Sources")
        assert "melt.md" in lab.output_text(cell)
        assert "4.6" in lab.output_text(cell)
    lab.run(6)
    assert "workspace-readonly" in lab.output_text(6)
    saved = lab.save()
    for index in (2, 3, 4, 5):
        bundle = saved["cells"][index]["outputs"][0]["data"]
        assert {"text/html", "text/markdown", "text/plain"} <= set(bundle)
    lab.shut_down_kernel()
    lab.reload(kernel=False)
    lab.wait_output(4, "Sources")
    lab.wait_output(2, "Stopped by you")
    assert lab.output(4).get_by_role("button").count() == 0
    assert "Error displaying widget" not in lab.page.content()
    lab.page.wait_for_load_state("networkidle")
    opened = lab.page.locator(".jp-NotebookPanel:not(.lm-mod-hidden) details[open] mark").first
    for _ in range(4):
        # Lab takes cells far from the window out of the page and draws them again, so a click may meet a cell that goes.
        lab.output(4).get_by_role("link", name="Source 1").first.click()
        lab.page.wait_for_timeout(500)
        if opened.is_visible():
            break
    assert opened.is_visible()
    for dark in (False, True):
        lab.theme(dark=dark)
        lab.shot(f"product-reopened-{'dark' if dark else 'light'}", 4)
    lab.theme(dark=False)


@pytest.mark.browser
def test_bad_input_is_one_readable_line_each(lab: Lab) -> None:
    """Bad input: missing KB folder, empty question, unknown option, no such model, server down; earlier turns stay."""
    down = "%orange model add down --base-url http://127.0.0.1:9/v1 --model m"
    cells = [
        "%load_ext orange_jupyter",
        "%%orange\nWhat is the degree-day factor of run 17?",
        "%%orange\n   ",
        "%%orange --modle x\nhello",
        "%%orange --model nobody\nhello",
        "%orange kb add nowhere",
        "%orange frobnicate",
        down,
        "%%orange --tier full-auto\nhello",
        "import shutil; shutil.rmtree('kb')",
        "%%orange\nWhat is the degree-day factor?",
    ]
    lab.open(cells, files=files("unused", {"text": "x"}))
    lab.run_all(wait=False)
    lab.wait_finished(len(cells) - 1)
    text = [lab.output_text(index) for index in range(len(cells))]
    assert "4.6" in text[1]
    for index, words in (
        (2, "empty"),
        (3, "--model"),
        (4, "nobody"),
        (5, "no folder"),
        (6, "frobnicate"),
        (8, "cannot raise the tier"),
    ):
        assert words in text[index], (index, text[index])
    assert "missing" in text[10]
    assert not any("Traceback" in one for one in text)
    lab.shot("product-bad-input")
