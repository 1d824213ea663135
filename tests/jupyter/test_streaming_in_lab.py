"""Streams in the real JupyterLab: pace, cost, size."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from benchmarks.streaming import Window, kernel_of, model_line, stream_server, watch_windows
from tests.lab import Lab

pytestmark = pytest.mark.browser

ROOT = Path(__file__).parents[2]
TASKS = """() => {
  window.tasks = [];
  new PerformanceObserver(list => window.tasks.push(...list.getEntries().map(one => one.duration))).observe({ type: 'longtask' });
}"""
SIZE = """() => {
  const root = document.querySelector('.jp-NotebookPanel:not(.lm-mod-hidden) .oj-flow');
  const walker = document.createTreeWalker(root || document.body, NodeFilter.SHOW_ALL);
  let nodes = 0;
  while (walker.nextNode()) nodes += 1;
  return { nodes, all: document.querySelectorAll('*').length, heap: performance.memory.usedJSHeapSize / 1e6,
    longest: Math.max(0, ...window.tasks) };
}"""
QUIET = """() => {
  const now = document.querySelector('.oj-flow').innerText;
  const same = window.lastSeen === now;
  window.lastSeen = now;
  window.sameSince = same ? window.sameSince ?? performance.now() : undefined;
  return same && performance.now() - window.sameSince > 1500;
}"""
BUSY = 0.25
"""Seconds of CPU that the loop may spend on one thing here, where other tests share the two cores; the goal is 0.1."""
CELLS = ["%load_ext orange_jupyter", "import os; print(os.getpid())"]


def test_two_hundred_tokens_a_second_keep_page_and_kernel_free(lab: Lab) -> None:
    """R-UI-1: text is painted all the time and neither page nor kernel is held up.

    How often and how long exactly is measured on an idle machine (`make bench`: 10 a second, 200 ms, a quarter of a
    core); here, where other tests share the cores, half the pace and four times the length pass.
    """
    with stream_server(200, 34) as port:
        lab.open([*CELLS, model_line(port, "steady"), "%%orange --model steady\n讲讲融雪 and the rest"])
        for index in range(3):
            lab.run(index)
        lab.run(3, wait=False)
        lab.wait_output(3, "融雪与度日因子")
        process = kernel_of(lab, 1)
        seen: list[Window] = []
        while sum(map(_flows, seen)) < 2 and len(seen) < 5:
            seen += watch_windows(lab, process, seconds=5, windows=1)
        assert sum(map(_flows, seen)) == 2, seen
        lab.shot("streaming-light", 3)
        lab.click(3, "Stop")
        lab.wait_finished(3)


def _flows(window: Window) -> bool:
    return window.painted >= 5 and window.longest <= 800 and window.kernel <= 0.5


def open_flood(lab: Lab, question: str) -> None:
    """A notebook whose last but one cell asks; the last one shows what that cost."""
    load = f"import sys; sys.path.insert(0, {str(ROOT)!r})\nfrom tests.jupyter.flood_office import MEASURED, load"
    cells = [f"{load}; load(get_ipython())", f"%%orange\n{question}", "print(MEASURED)"]
    lab.open(cells)
    lab.run(0)
    lab.page.evaluate(TASKS)
    lab.run(1, wait=False)


def end_flood(lab: Lab) -> dict[str, float]:
    """Let the turn end; what it cost."""
    (lab.folder / "go").write_text("", encoding="utf-8")
    lab.wait_finished(1)
    lab.run(2)
    return dict(ast.literal_eval(lab.output_text(2).strip()))


def size(lab: Lab) -> dict[str, float]:
    return dict(lab.page.evaluate(SIZE))


def small(seen: dict[str, float]) -> bool:
    """Few nodes, a bounded heap."""
    return seen["nodes"] <= 5000 and seen["heap"] <= 250


def test_an_answer_of_fifty_megabytes_leaves_page_kernel_and_notebook_small(lab: Lab) -> None:
    """R-UI-1, R-SAVE-1: the newest part is shown, the earlier unfolds by pages; the record says where the whole is."""
    open_flood(lab, "flood")
    output = lab.output(1)
    output.get_by_role("button", name="Unfold:").wait_for(timeout=60_000)
    lab.page.wait_for_function(QUIET, timeout=100_000)
    streamed = size(lab)
    output.get_by_role("button", name="Unfold:").click()
    output.get_by_role("button", name="Earlier:").click()
    output.get_by_role("button", name="Later:").wait_for()
    expect(output.get_by_text(re.compile(r"Lines [\d,]{6,}–[\d,]{6,}"))).to_be_visible()
    shown = size(lab)
    lab.shot("flood-unfolded", 1)
    output.get_by_role("button", name="Fold:").click()
    output.get_by_role("button", name="Unfold:").wait_for()
    measured = end_flood(lab)
    lab.wait_output(1, "characters in the middle are not shown here")
    settled = size(lab)
    lab.shot("flood-record", 1)
    record = lab.save()["cells"][1]["outputs"][0]["data"]
    print(streamed, shown, settled, measured)
    assert small(streamed), streamed
    assert small(shown), shown
    assert settled["nodes"] <= 8000, settled
    assert measured["busy"] <= BUSY, measured
    assert measured["grown"] <= 8 * 50, measured
    assert len(json.dumps(record)) < 700_000
    assert "%orange session export" in record["text/plain"]


def test_ten_thousand_tool_lines_leave_page_kernel_and_notebook_small(lab: Lab) -> None:
    """R-UI-1, R-SAVE-1."""
    open_flood(lab, "lines")
    output = lab.output(1)
    output.get_by_text("笔记 9999.md").wait_for(timeout=100_000)
    streamed = size(lab)
    output.get_by_role("button", name="Unfold:").click()
    output.get_by_role("button", name="Earlier:").click()
    output.get_by_role("button", name="Later:").wait_for()
    shown = size(lab)
    first = output.locator("details.oj-tool").first
    first.locator("summary").click()
    expect(first.get_by_text("条笔记。").first).to_be_visible()
    lab.shot("lines-unfolded", 1)
    measured = end_flood(lab)
    lab.wait_output(1, "10000 lines were read.")
    output.get_by_text("10000 tool calls").click()
    lab.shot("lines-record", 1)
    settled = size(lab)
    record = lab.save()["cells"][1]["outputs"][0]["data"]
    print(streamed, shown, settled, measured)
    assert small(streamed), streamed
    assert small(shown), shown
    assert settled["nodes"] <= 8000, settled
    assert measured["busy"] <= BUSY, measured
    assert measured["grown"] <= 200, measured
    assert len(json.dumps(record)) < 700_000
    assert "9,700 earlier calls" in record["text/html"]
