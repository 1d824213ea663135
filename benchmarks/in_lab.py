"""What is measured in a real JupyterLab in Chromium: run by pytest for its fixtures, read by `figures`.

`python -m benchmarks.in_lab approve` prints the figures of one measurement.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator

from benchmarks.streaming import Window, kernel_of, model_line, stream_server, watch_windows
from tests.lab import Lab

ROOT = Path(__file__).parents[1]
MARK = "FIGURES "
CLICKS = 20
STRETCH = 5
STRETCHES = 12
NOTE_STARTS = """
import time
from orange_jupyter.core import dispatch
starts, run = [], dispatch._run
async def noted(*what):
    starts.append(time.time() * 1000)
    return await run(*what)
dispatch._run = noted
"""
NOTE_CLICKS = """() => {
  window.clicks = [];
  const note = event => {
    if (event.target.closest('.oj-btn.is-primary')) window.clicks.push(performance.timeOrigin + event.timeStamp);
  };
  document.addEventListener('click', note, true);
}"""

OPERATIONS = 200
# From the click to the first change of the page that it brings, and the frame that paints it.
NOTE_ANSWERS = """() => {
  window.answers = [];
  let clicked = 0;
  document.addEventListener('click', event => { clicked = event.timeStamp; }, true);
  const seen = () => {
    if (!clicked) return;
    const began = clicked;
    clicked = 0;
    requestAnimationFrame(() => setTimeout(() => window.answers.push(performance.now() - began)));
  };
  const root = document.querySelectorAll('.jp-Cell')[3];
  new MutationObserver(seen).observe(root, { subtree: true, childList: true, attributes: true, characterData: true });
}"""

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]


def test_stream(lab: Lab) -> None:
    """A minute at 200 tokens a second."""
    with stream_server(200, STRETCH * STRETCHES + 10) as port:
        cells = ["%load_ext orange_jupyter", "import os; print(os.getpid())", model_line(port, "steady")]
        lab.open([*cells, "%%orange --model steady\n讲讲融雪"])
        for index in range(3):
            lab.run(index)
        lab.run(3, wait=False)
        lab.wait_output(3, "融雪与度日因子")
        windows = watch_windows(lab, kernel_of(lab, 1), seconds=STRETCH, windows=STRETCHES)
        lab.wait_finished(3)
    _tell([[window.painted, window.longest, window.kernel] for window in windows])


def test_approve(lab: Lab) -> None:
    """Milliseconds from the click on Approve to the start of the tool in the kernel, by the same clock."""
    paths = [lab.folder / "outside" / f"{at}.txt" for at in range(CLICKS)]
    replies = [{"calls": [{"name": "read", "arguments": {"path": str(path)}}]} for path in paths]
    files = {f"outside/{path.name}": f"text {path.name}" for path in paths}
    files["reader.json"] = json.dumps({"replies": [*replies, {"text": "All read."}]})
    files["kb/note.md"] = "# Note\n"
    cells = [
        f"%load_ext orange_jupyter\n{NOTE_STARTS}",
        "%orange kb add kb",
        "%orange model add reader --provider scripted --script reader.json",
        "%orange tier full-confirm",
        "%%orange --model reader\nread them",
        "print(starts)",
    ]
    lab.open(cells, files=files)
    for index in range(3):
        lab.run(index)
    lab.run(3, wait=False)
    lab.wait_output(3, "Enter full-confirm?")
    lab.page.wait_for_timeout(450)
    lab.click(3, "Enter full-confirm")
    lab.wait_finished(3)
    lab.page.evaluate(NOTE_CLICKS)
    lab.run(4, wait=False)
    for path in paths:
        lab.output(4).locator(".oj-card.is-wait").get_by_text(f"/{path.name}").first.wait_for()
        lab.page.wait_for_timeout(500)
        lab.click(4, "Approve once")
    lab.wait_finished(4)
    lab.run(5)
    starts = json.loads(lab.output_text(5).strip())
    clicks = lab.page.evaluate("() => window.clicks")
    _tell([round(start - click, 1) for click, start in zip(clicks, starts, strict=True)])


def test_changes(lab: Lab) -> None:
    """Milliseconds from each click in a review of 200 operations, one of them on a 5 MB note, to the painted answer."""
    lines = [f"第 {number} 行 the factor of station {number} stays\n" for number in range(120_000)]
    places = range(500, 120_000, 10_000)
    edits = [{"oldText": lines[at], "newText": lines[at].replace("stays", "moves")} for at in places]
    calls = [{"name": "edit", "arguments": {"operation": "multi_replace", "path": "big.md", "edits": edits}}]
    calls += [
        {"name": "write", "arguments": {"kind": "file", "targetPath": f"new-{at}.md", "content": f"note {at}\n" * 20}}
        for at in range(OPERATIONS - 1)
    ]
    files = {
        "kb/big.md": "".join(lines),
        "writer.json": json.dumps({"context_window": 900_000, "replies": [{"calls": calls}, {"text": "Done."}]}),
    }
    cells = [
        "%load_ext orange_jupyter",
        "%orange kb add kb",
        "%orange model add writer --provider scripted --script writer.json",
        "%%orange --model writer --tier workspace-write\npropose",
    ]
    lab.open(cells, files=files)
    for index in range(4):
        lab.run(index)
    review = lab.output(3)
    review.get_by_role("button", name="Apply all").wait_for(timeout=6_000)
    lab.page.evaluate(NOTE_ANSWERS)
    took: dict[str, float] = {}

    def click(what: str, target: Locator) -> None:
        lab.page.wait_for_timeout(600)
        target.scroll_into_view_if_needed()
        lab.page.evaluate("() => window.answers.length = 0")
        target.click()
        lab.page.wait_for_function("() => window.answers.length", timeout=20_000)
        took[what] = round(lab.page.evaluate("() => window.answers[0]"), 1)

    parts = review.locator(".oj-part")
    for name in ("Show first", "big.md"):
        if parts.count() == 0 and review.get_by_role("button", name=name).count():
            click(f"open: {name}", review.get_by_role("button", name=name).first)
    click("one hunk off", parts.nth(1).get_by_role("checkbox"))
    click("one operation off", review.get_by_role("checkbox", name="new-7.md").first)
    everything = review.get_by_role("checkbox", name=f"of {OPERATIONS} selected")
    click("all on", everything)
    click("all off", everything)
    click("all on again", everything)
    click("side by side", review.get_by_text("Side by side"))
    click("unified", review.get_by_text("Unified"))
    click("edit a hunk", parts.nth(0).get_by_role("button", name="Edit"))
    click("keep my text", review.get_by_role("button", name="Keep my text"))
    click("reject all", review.get_by_role("button", name="Reject all"))
    _tell(took)


def _tell(figures: Any) -> None:
    print(f"\n{MARK}{json.dumps(figures)}", flush=True)


def figures(name: str) -> Any:
    """Run one measurement in a process of its own."""
    command = [sys.executable, "-m", "pytest", "-q", "-s", "-p", "tests.conftest", "-o", "python_files=in_lab.py"]
    done = subprocess.run([*command, f"{__file__}::test_{name}"], cwd=ROOT, capture_output=True, text=True, check=False)
    lines = [line for line in done.stdout.splitlines() if line.startswith(MARK)]
    if done.returncode or not lines:
        raise RuntimeError(done.stdout[-4000:] + done.stderr[-2000:])
    return json.loads(lines[-1].removeprefix(MARK))


def windows() -> list[Window]:
    """The stretches of a minute's stream."""
    return [Window(*one) for one in figures("stream")]


if __name__ == "__main__":
    print(figures(sys.argv[1]))
