"""What `%load_ext orange_jupyter` costs, against importing the kernel application in the same process (R-NB-1)."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks import Row, at_most

ROUNDS = 9
HEAVY = ("pymupdf", "docx", "playwright", "mcp", "httpx", "PIL", "jieba", "keyring", "markdown_it", "nh3", "tomlkit")
PROGRAM = f"""
import json, sys, time
start = time.process_time()
import ipykernel.kernelapp
kernel = time.process_time() - start
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
before = set(sys.modules)
start = time.process_time()
shell.run_line_magic("load_ext", "orange_jupyter")
load = time.process_time() - start
heavy = sorted(set({HEAVY!r}) & (set(sys.modules) - before))
print(json.dumps([kernel, load, heavy]))
"""


def once(folder: Path) -> tuple[float, float, list[str]]:
    """CPU seconds of the kernel application's import and of the load, and heavy modules that the load brought in."""
    command = [sys.executable, "-c", PROGRAM]
    environment = {"HOME": str(folder), "IPYTHONDIR": str(folder), "ORANGE_HOME": str(folder / "home")}
    ran = subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True, check=True)
    kernel, load, heavy = json.loads(ran.stdout.splitlines()[-1])
    return float(kernel), float(load), list(heavy)


def rows() -> list[Row]:
    """The median ratio of nine fresh processes, after one that fills the disk's cache."""
    with tempfile.TemporaryDirectory() as folder:
        once(Path(folder))
        runs = [once(Path(folder)) for _ in range(ROUNDS)]
    kernel = statistics.median(run[0] for run in runs)
    ratio = statistics.median(run[1] / run[0] for run in runs)
    heavy = sorted({name for run in runs for name in run[2]})
    about = f"import ipykernel.kernelapp, {ROUNDS} processes, CPU s"
    return [
        at_most("%load_ext against the kernel app", ratio, "ratio", 0.35, peer=about, peer_value=round(kernel, 3)),
        at_most("heavy modules loaded by %load_ext", len(heavy), ", ".join(heavy) or "modules", 0),
    ]
