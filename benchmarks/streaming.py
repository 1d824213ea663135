"""What streaming costs the page and the kernel, measured in a real JupyterLab.

Used by tests/jupyter/test_streaming_in_lab.py for some seconds and by `make soak` for a minute.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from tests.lab import Lab

ROOT = Path(__file__).parents[1]
WATCH = """() => {
  const seen = window.streaming = { frames: [], tasks: [], dirty: false, on: true };
  const flow = document.querySelector('.oj-flow');
  const all = { childList: true, subtree: true, characterData: true };
  new MutationObserver(() => { seen.dirty = true; }).observe(flow, all);
  const tasks = new PerformanceObserver(list => seen.tasks.push(...list.getEntries().map(one => one.duration)));
  tasks.observe({ type: 'longtask' });
  const frame = at => {
    if (seen.dirty) { seen.frames.push(at); seen.dirty = false; }
    if (seen.on) requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
  return performance.now();
}"""
READ = """() => {
  const seen = window.streaming;
  return { now: performance.now(), frames: seen.frames.splice(0), tasks: seen.tasks.splice(0) };
}"""


@dataclass(frozen=True, slots=True)
class Window:
    """One stretch of a stream: painted updates a second, the longest task in ms, the kernel's share of a core."""

    painted: float
    longest: float
    kernel: float

    @property
    def holds(self) -> bool:
        """R-UI-1 and decision 4: at least 10 painted updates a second, no task over 200 ms, a quarter of a core."""
        return self.painted >= 10 and self.longest <= 200 and self.kernel <= 0.25


@contextmanager
def stream_server(rate: int, amount: float) -> Iterator[int]:
    """The fake model server in its own process; gives its port."""
    command = [sys.executable, "-m", "benchmarks.stream_server", str(rate), str(amount)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) as server:
        try:
            assert server.stdout is not None
            yield int(server.stdout.readline())
        finally:
            server.kill()


def model_line(port: int, name: str) -> str:
    """The cell that adds the fake server as a model."""
    return f"%orange model add {name} --base-url http://127.0.0.1:{port}/v1 --model m"


def cpu(process: psutil.Process) -> float:
    """CPU seconds that a process has used."""
    spent = process.cpu_times()
    return float(spent.user + spent.system)


def kernel_of(lab: Lab, index: int) -> psutil.Process:
    """The kernel's process, by the number that a cell printed."""
    return psutil.Process(int(lab.output_text(index).strip().split()[-1]))


def watch_windows(lab: Lab, process: psutil.Process, *, seconds: float, windows: int) -> list[Window]:
    """Watch a stream that has begun, for `windows` stretches of `seconds`."""
    last = float(lab.page.evaluate(WATCH))
    spent, began = cpu(process), time.monotonic()
    found = []
    for _ in range(windows):
        lab.page.wait_for_timeout(seconds * 1000)
        seen: dict[str, Any] = lab.page.evaluate(READ)
        now, used = time.monotonic(), cpu(process)
        painted = len(seen["frames"]) * 1000 / (seen["now"] - last)
        longest = max(seen["tasks"], default=0.0)
        found.append(Window(round(painted, 1), longest, round((used - spent) / (now - began), 3)))
        last, spent, began = seen["now"], used, now
    return found
