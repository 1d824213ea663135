"""`make soak`: the long counts, at most 60 minutes; writes benchmarks/soak.json, which tests/test_soak.py compares.

`python -m benchmarks.soak 5` tries five rounds of each and writes nothing.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from benchmarks.commands import escaped, flooded
from benchmarks.in_lab import STRETCHES, windows
from benchmarks.swapping import Swapping
from orange_jupyter.documents.extract import LocalDocuments
from orange_jupyter.documents.process import WorkerLimits
from tests.conftest import shared_data
from tests.documents.mutations import broken, originals, outcome
from tests.local.applying.faults import lasting
from tests.local.applying.racing import contended
from tests.tools.changing import opened_desk
from tests.tools.rounds import edited as edited_on_disk
from tests.tools.rounds import exact

ROOT = Path(__file__).parents[1]
KB = ROOT / "notebooks" / "kb"
SOAK = Path(__file__).parent / "soak.json"
SEED = 20261130
MOST_MEMORY = 512 * 1_048_576
"""Bytes of this process after any number of broken documents; without them it has a fifth."""
QUESTIONS = (
    "How much cooler were the dense streets than the sparse ones?",
    "和平路抹头以后少凉了多少度？",
    "What is the watering rule since August 2025?",
    "夜间树冠下为什么更热？",
)


@dataclass(frozen=True, slots=True)
class Count:
    """One long count: `rounds` of `round`, each of which must hold."""

    name: str
    rounds: int
    start: Callable[[Path], Callable[[random.Random], bool]]


def start(folder: Path, *words: str) -> subprocess.Popen[str]:
    """A command line of its own process, with its state in `folder`."""
    own = {"ORANGE_HOME": str(folder / "home"), "ORANGE_CACHE": str(folder / "cache")}
    return subprocess.Popen(
        [sys.executable, "-m", "orange_jupyter", *words, "--kb", str(KB), "--json"],
        env=os.environ | own,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        encoding="utf-8",
    )


def finished(process: subprocess.Popen[str]) -> dict[str, Any]:
    """The one JSON document that a command prints; an empty one when it printed something else."""
    printed, _ = process.communicate(timeout=120)
    try:
        return dict(json.loads(printed))
    except json.JSONDecodeError:
        return {}


def answered(document: dict[str, Any]) -> bool:
    """Whether a command ended well and cites something."""
    return document.get("ok") is True and bool(document.get("citations"))


def killed(folder: Path) -> Callable[[random.Random], bool]:
    """R-SESS-2, R-SRCH-7: a question killed at any moment costs neither the store nor the index."""

    def once(chance: random.Random) -> bool:
        process = start(folder, "ask", chance.choice(QUESTIONS), "--session", "soak")
        try:
            process.communicate(timeout=chance.uniform(0.1, 3.0))
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
        return answered(finished(start(folder, "ask", chance.choice(QUESTIONS), "--session", "soak")))

    return once


def together(folder: Path) -> Callable[[random.Random], bool]:
    """R-SRCH-7: three processes ask at once over one index, the first time with an index that is not there yet."""

    def once(chance: random.Random) -> bool:
        own = folder / str(chance.randrange(20))
        return all(answered(finished(p)) for p in [start(own, "ask", text) for text in chance.sample(QUESTIONS, 3)])

    return once


def swapped(folder: Path) -> Callable[[random.Random], bool]:
    """P05: a folder swapped for a link while it is read never gives a byte from outside."""
    return Swapping(folder).once


def edited(folder: Path) -> Callable[[random.Random], bool]:
    """R-EDIT-2, R-CHG-9, R10: a generated edit, applied and undone through the store and the disk, is byte-exact."""
    (folder / "kb").mkdir()
    runner = asyncio.Runner()
    kb = runner.run(opened_desk(folder, encoding="gb18030"))  # open to the end of the process
    return lambda chance: exact(chance) and runner.run(edited_on_disk(kb, chance, 1)) == (1, 1)


def undone(folder: Path) -> Callable[[random.Random], bool]:
    """R-CHG-9: edits of three notes, applied together through the store and the disk, are undone to the byte."""
    (folder / "kb").mkdir()
    runner = asyncio.Runner()
    kb = runner.run(opened_desk(folder, encoding="gb18030"))  # open to the end of the process
    return lambda chance: runner.run(edited_on_disk(kb, chance, 3)) == (3, 3)


def misread(_: Path) -> Callable[[random.Random], bool]:
    """D02: a broken PDF, DOCX or picture gives a result or a typed error, and this process does not grow."""
    supplied = shared_data() / "documents"
    files = originals(supplied if supplied.is_dir() else None)
    documents = LocalDocuments(limits=WorkerLimits(seconds=10))
    runner, numbers, memory = asyncio.Runner(), itertools.count(), psutil.Process().memory_info

    def once(chance: random.Random) -> bool:
        runner.run(outcome(documents, broken(files, next(numbers), chance)))  # anything but a ReadError ends the soak
        return memory().rss < MOST_MEMORY

    return once


def streamed(_: Path) -> Callable[[random.Random], bool]:
    """R-UI-1: 200 tokens a second in a real JupyterLab; 5 s stretches paint often, block nothing, cost little."""
    left: list[bool] = []

    def once(_: random.Random) -> bool:
        if not left:
            left.extend(window.holds for window in windows())
        return left.pop()

    return once


COUNTS = (
    Count("a killed question costs nothing", 60, killed),
    Count("three processes ask at once", 30, together),
    Count("a swapped folder gives nothing from outside", 5_000, swapped),
    Count("a generated edit is byte-exact, and so is its undo", 5_000, edited),
    Count("three edits of three notes are undone to the byte", 1_000, undone),
    Count("two processes write one note and lose no line", 500, contended),
    Count("a fault while applying, once or lasting, loses nothing", 2_000, lasting),
    Count("a broken document or picture is a result or a typed error", 10_000, misread),
    Count("a command leaves no process behind", 300, escaped),
    Count("10 GB of output stay under 50 MB of memory", 1, flooded),
)
FELT = (Count("200 tokens a second for a minute, stretches of 5 s", STRETCHES, streamed),)
"""Counts by the clock: they mean something on an idle machine only, so a run elsewhere records none."""


def run(count: Count, rounds: int) -> int:
    """How many of `rounds` held."""
    chance = random.Random(SEED)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        once = count.start(Path(folder))
        return sum(once(chance) for _ in range(rounds))


def main(arguments: list[str]) -> int:
    """All counts; a number runs so many rounds of each as a trial."""
    trial = int(arguments[0]) if arguments else None
    commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    rows = []
    for count in (*COUNTS, *FELT):
        of = trial or count.rounds
        print(f"{count.name}, {of} rounds …", file=sys.stderr, flush=True)
        rows.append({"commit": commit.strip(), "name": count.name, "n": run(count, of), "of": of, "seed": SEED})
        print(f"{rows[-1]['n']} of {of}  {count.name}", flush=True)
    if trial is None:
        missed = {count.name for count in FELT if any(r["name"] == count.name and r["n"] < r["of"] for r in rows)}
        kept = [row for row in rows if row["name"] not in missed]
        SOAK.write_text(json.dumps(kept, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
    return 0 if all(row["n"] == row["of"] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
