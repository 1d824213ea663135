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
