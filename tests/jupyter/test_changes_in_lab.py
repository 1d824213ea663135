"""The review of changes in the real JupyterLab: choose, edit, apply, undo, while another cell runs (R-CHG-2, R-CHG-12)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.jupyter.test_product_in_lab import CONFIG, script, use
from tests.lab import Lab

LINES = [f"第 {number} 行，没有改动的内容。" for number in range(1, 61)]
LINES[38] = "## 率定"
LINES[39] = ""
LINES[40] = "率定期取 4.1 mm·℃⁻¹·d⁻¹，全年不变；验证期洪峰偏早九天。"
LINES[41] = "阈值温度 0.4 ℃，来自四号点三年的日均值。"
LINES[56] = "### Uncertainty"
LINES[57] = "The factor is constant over the basin, and north slopes need no correction."
LINES[58] = "Block bootstrap, 2,000 draws."
NOTE = "\r\n".join(LINES) + "\r\n"
EDITS = [
    {
        "oldText": LINES[40],
        "newText": "率定期取 4.6 mm·℃⁻¹·d⁻¹，只用于四至六月；验证期洪峰由偏早九天改为偏晚两天。\n"
        "见 calibration-log 第 17 次；与 Meng 2019 第 7 页一致。",
    },
    {
        "oldText": LINES[57],
        "newText": "The factor varies across the basin, and on north slopes it is about 30 % lower, "
        "so they need their own correction.",
    },
]
TABLE = "".join(f"| {number} | {number * 7 % 13} |\n" for number in range(600))
LONGER = "".join(f"| {number} | {number * 7 % 13}{'.0' if number % 14 < 10 else ''} |\n" for number in range(600))


def call(name: str, **arguments: object) -> dict:
    return {"name": name, "arguments": arguments}


PROPOSE = {
    "calls": [
        call("edit", operation="multi_replace", path="snow/度日因子.md", edits=EDITS),
        call("write", kind="folder", targetPath="archive/2025"),
        call("edit", operation="move", path="drafts/2025", destination="archive/2025/drafts"),
        call("edit", operation="rename", path="todo.txt", destination="待办.txt"),
        call("edit", operation="delete", path="field/重复-2026-11.md"),
        call("edit", operation="rewrite", path="station-table.md", content=LONGER),
    ]
}
FILES = {
    ".orange/config.toml": CONFIG,
    "kb/snow/度日因子.md": "",
    "kb/archive/README.md": "archive\n",
    "kb/todo.txt": "todo\n",
    "kb/field/重复-2026-11.md": "twice\n",
    "kb/station-table.md": TABLE,
    "kb/drafts/2025/a.md": "a\n",
    "kb/drafts/2025/b.md": "b\n",
    "kb/drafts/2025/.hidden": "h\n",
}
CELLS = [
    "%load_ext orange_jupyter",
    use("writer"),
    "%%orange --model writer --tier workspace-write\npropose",
    "%%orange\nstream",
]


def opened(lab: Lab, *more: dict, cells: list[str] = CELLS) -> Path:
    """A notebook whose model proposes the six changes; the note has CRLF, which text mode would lose."""
    stream = {"text": "The gauge record has a gap. " * 400, "chunk": 6, "delay": 0.02, "when": "stream"}
    lab.open(cells, files={**FILES, "writer.json": script(PROPOSE, {"text": "Proposed."}, stream, *more)})
    note = lab.folder / "kb/snow/度日因子.md"
    note.write_bytes(NOTE.encode())
    return note


def see(lab: Lab, cell: int, words: str) -> None:
    """Wait until a person sees a text; the record that a live review hides has it too."""
    lab.output(cell).get_by_text(words).filter(visible=True).first.wait_for()


@pytest.mark.browser
def test_one_hunk_is_chosen_another_edited_and_applied_while_a_cell_runs(lab: Lab) -> None:
    """R-CHG-2, R-CHG-9, R-CHG-12, R-SAVE-1, R-UI-7: the whole way of a review, and what stays without a kernel."""
    note = opened(lab)
    for cell in (0, 1, 2):
        lab.run(cell)
    see(lab, 2, "6 changes to review")
    assert lab.output(2).get_by_role("group", name="6 changes to review").count() == 1
    assert lab.output(2).get_by_role("radio", name="Unified").is_checked()
    all_of_them = lab.output(2).get_by_role("checkbox", name="5 of 6 selected")
    assert all_of_them.evaluate("e => e.indeterminate")
    for dark in (False, True):
        lab.theme(dark=dark)
        for width in (900, 400):
            lab.width(width, 2600)
            lab.shot(f"changes-{'dark' if dark else 'light'}-{width}", 2)
            assert lab.output(2).evaluate("e => e.scrollWidth <= e.clientWidth + 1")
    lab.theme(dark=False)
    lab.width(900, 2000)
    lab.run(3, wait=False)
    lab.wait_output(3, "The gauge record has a gap.")
    output = lab.output(2)
    output.get_by_text("Side by side").click()
    output.locator(".is-split").first.wait_for()
    lab.shot("changes-split-light-900", 2)
    lab.width(400)
    assert not output.locator(".is-split").first.is_visible()
    lab.width(900, 2000)
    hunk = output.locator(".oj-part").nth(1)
    hunk.get_by_role("checkbox").uncheck()
    assert "1 of 2 hunks selected" in lab.output_text(2)
    output.get_by_role("button", name="Show first 5 hunks").click()
    output.locator(".oj-part").nth(6).wait_for()
    assert output.locator(".oj-part").count() == 2 + 5
    output.get_by_role("button", name="Edit").first.click()
    output.get_by_role("textbox").press("Escape")
    assert lab.page.evaluate("() => document.activeElement.textContent") == "Edit"
    lab.page.keyboard.press("Enter")
    field = output.get_by_role("textbox")
    assert "calibration-log" in field.input_value()
    field.fill(field.input_value().replace("一致", "（s.e. 0.3）一致"))
    lab.shot("changes-editing-light-900", 2)
    field.press("Control+Enter")
    see(lab, 2, "1 edited by you")
    assert lab.page.evaluate("() => document.activeElement.textContent") == "Edit"
    output.get_by_label("Select New folder archive/2025").uncheck()
    see(lab, 2, "Also not selected, because it needs this")
    lab.page.wait_for_timeout(450)
    assert lab.running(3)
    lab.click(2, "Apply 3 selected")
    see(lab, 2, "3 applied.")
    assert lab.running(3)
    text = note.read_bytes().decode()
    assert "（s.e. 0.3）一致。\r\n阈值温度" in text
    assert "north slopes need no correction" in text
    assert text.count("\n") == text.count("\r\n") == 61
    assert (lab.folder / "kb/待办.txt").exists()
    assert not (lab.folder / "kb/field/重复-2026-11.md").exists()
    lab.shot("changes-applied-light-900", 2)
    lab.shot("changes-page")
    lab.page.wait_for_timeout(450)
    lab.click(2, "Undo snow/度日因子.md")
    see(lab, 2, "1 undone.")
    assert note.read_bytes() == NOTE.encode()
    lab.page.wait_for_timeout(450)
    lab.click(2, "Reject all 3")
    see(lab, 2, "3 rejected.")
    lab.shot("changes-decided-light-900", 2)
    lab.click(3, "Stop")
    lab.wait_finished(3)
    saved = json.dumps(lab.save(), ensure_ascii=False)
    assert "s.e. 0.3" in saved
    assert "digest" not in saved
    lab.shut_down_kernel()
    lab.reload(kernel=False)
    for words in ("Applied", "Undone", "Rejected"):
        see(lab, 2, words)
    assert lab.output(2).get_by_role("button").count() == 0
    assert not lab.output(2).get_by_text("Error displaying widget").filter(visible=True).count()
    for dark in (False, True):
        lab.theme(dark=dark)
        lab.shot(f"changes-reopened-{'dark' if dark else 'light'}", 2)
    lab.theme(dark=False)


@pytest.mark.browser
def test_conflicts_have_ways_out_and_plan_mode_refuses(lab: Lab) -> None:
    """R-CHG-4, R-CHG-10, R-PLAN-2, R-APPR-3: nothing is written until a way is taken, and then a click more applies."""
    propose = {
        "calls": [
            call("edit", operation="replace", path="log.md", oldText="NSE 0.80", newText="NSE 0.83 from April"),
            call("write", kind="file", targetPath="new.md", content="新的\n"),
        ]
    }
    lab.open(
        [
            *CELLS[:2],
            "%%orange --model writer --tier workspace-write\npropose",
            "%orange plan on",
            "%orange changes",
            "%orange plan off",
        ],
        files={
            ".orange/config.toml": CONFIG,
            "kb/log.md": "a\n| 17 | NSE 0.80 |\n",
            "writer.json": script(propose, {"text": "Proposed."}),
        },
    )
    for cell in range(5):
        lab.run(cell)
    see(lab, 4, "2 changes to review")
    lab.page.wait_for_timeout(450)
    lab.click(4, "Apply all 2")
    see(lab, 4, "plan")
    assert not (lab.folder / "kb/new.md").exists()
    lab.run(5)
    (lab.folder / "kb/log.md").write_text("a\n| 17 | NSE 0.82 复算 |\n", encoding="utf-8")
    (lab.folder / "kb/new.md").write_text("theirs\n", encoding="utf-8")
    lab.page.wait_for_timeout(450)
    lab.click(4, "Apply all 2")
    see(lab, 4, "log.md changed on disk")
    see(lab, 2, "log.md changed on disk")
    for dark in (False, True):
        lab.theme(dark=dark)
        for width in (900, 400):
            lab.width(width, 1400)
            lab.shot(f"changes-conflict-{'dark' if dark else 'light'}-{width}", 4)
    lab.theme(dark=False)
    lab.width(1200)
    assert (lab.folder / "kb/new.md").read_text(encoding="utf-8") == "theirs\n"
    lab.page.wait_for_timeout(450)
    lab.click(4, "Propose again on the new text")
    see(lab, 4, "oldText")
    lab.page.wait_for_timeout(450)
    lab.click(4, "Overwrite the disk version")
    see(lab, 4, "1 change to review")
    assert "0.82 复算" in (lab.folder / "kb/log.md").read_text(encoding="utf-8")
    lab.page.wait_for_timeout(450)
    lab.output(4).get_by_role("textbox").fill("other.md")
    lab.click(4, "Use this name")
    see(lab, 4, "2 changes to review")
    see(lab, 2, "2 changes to review")
    lab.page.wait_for_timeout(450)
    lab.click(2, "Apply all 2")
    lab.until((lab.folder / "kb/other.md").exists)
    lab.until(lambda: "0.83" in (lab.folder / "kb/log.md").read_text(encoding="utf-8"))
    assert (lab.folder / "kb/other.md").read_text(encoding="utf-8") == "新的\n"
    assert (lab.folder / "kb/log.md").read_text(encoding="utf-8") == "a\n| 17 | NSE 0.83 from April |\n"
    lab.restart()
    see(lab, 4, "The kernel restarted")
    assert lab.output(4).get_by_role("button").filter(visible=True).count() == 0
    lab.shot("changes-restarted", 4)
    lab.run(0)
    lab.run(4)
    see(lab, 4, "Undo")
