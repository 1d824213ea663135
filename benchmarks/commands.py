"""What a command costs beside the command itself, and what much output costs in memory; rounds for `make soak`.

CPU seconds and bytes of this process, the host and the supervisors; a peer is `subprocess.run` with bash in the same
run.
"""

from __future__ import annotations

import asyncio
import os
import random
import resource
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

import psutil

from benchmarks import Row, at_most
from orange_jupyter.core.running import CAPTURED_BYTES, Command
from orange_jupyter.local.commands.runner import LocalRunner, RunnerSettings
from tests.local.commands.escapes import ROWS, alive, command, new_token, started, until
from tests.local.commands.escapes import Row as Escape

ROUNDS = 50
GIGABYTE = 1_000_000_000
MOST_MEMORY = 50_000_000
"""Bytes that this process may grow by and the host and its supervisors may take, together (spec 04)."""
FLOOD_GIGABYTES = 10


def rows() -> list[Row]:
    """The table's rows."""
    with tempfile.TemporaryDirectory() as folder:
        ours = asyncio.run(_spent(os.path.realpath(folder)))
        peer = _children(lambda: subprocess.run(["bash", "-c", ":"], cwd=folder, check=True, capture_output=True))
        memory, whole = asyncio.run(_flooded(os.path.realpath(folder), GIGABYTE // 2))
    assert whole
    return [
        at_most("a command", ours, "CPU s", 0.02, peer="subprocess.run of bash", peer_value=round(peer, 4)),
        at_most("memory for 0.5 GB of output", memory / 1e6, "MB", MOST_MEMORY / 1e6),
    ]


def flooded(folder: Path) -> Callable[[random.Random], bool]:
    """E05: 10 GB to either stream stay under 50 MB of memory, counted truly, head and tail kept."""

    def once(_: random.Random) -> bool:
        memory, whole = asyncio.run(_flooded(os.path.realpath(folder), FLOOD_GIGABYTES * GIGABYTE))
        return whole and memory < MOST_MEMORY

    return once


def escaped(folder: Path) -> Callable[[random.Random], bool]:
    """Escapes 1 to 14: whatever a command does to leave a process behind, and whenever it is ended, none is left."""
    kb = os.path.realpath(folder)

    def once(chance: random.Random) -> bool:
        row, cancelled = chance.choice(ROWS), chance.random() < 0.5
        return asyncio.run(_nothing_left(row, kb, cancelled=cancelled, wait=chance.random() < 0.8))

    return once


async def _nothing_left(row: Escape, folder: str, *, cancelled: bool, wait: bool) -> bool:
    """One command that does the row and is cancelled or told to end, most times when its process is there."""
    runner, token = LocalRunner(RunnerSettings(dict(os.environ))), new_token()
    running = asyncio.ensure_future(runner.run(command(row, token, folder)))
    there = not wait or await until(lambda: started(token))
    if cancelled:
        running.cancel()
    else:
        Path(folder, token).touch()
    await asyncio.wait([running], timeout=30)
    left = alive(token)
    await runner.close()
    return there and running.done() and left == 0 and runner.host_pid is None


async def _spent(folder: str) -> float:
    """CPU seconds of one short command: this process's, the host's and those of all that it started."""
    runner = LocalRunner(RunnerSettings(dict(os.environ)))
    await runner.run(Command(":", folder))
    host = psutil.Process(runner.host_pid)

    def used() -> float:
        return sum(psutil.Process().cpu_times()[:2]) + sum(host.cpu_times()[:4])

    before = used()
    for _ in range(ROUNDS):
        await runner.run(Command(":", folder))
    spent = used() - before
    await runner.close()
    return spent / ROUNDS


async def _flooded(folder: str, size: int) -> tuple[int, bool]:
    """Bytes of memory at most, beyond what this process had before; whether counts, head and tail are right."""
    runner = LocalRunner(RunnerSettings(dict(os.environ)))
    await runner.run(Command(":", folder))
    host, before = psutil.Process(runner.host_pid), psutil.Process().memory_info().rss
    text = f"echo first; head -c {size // 2} /dev/zero | tr '\\0' e >&2; head -c {size // 2} /dev/zero; echo last"
    running = asyncio.ensure_future(runner.run(Command(text, folder, seconds=1_800), lambda *_: None))
    most = 0
    while not running.done():
        await asyncio.sleep(0.05)
        most = max(most, psutil.Process().memory_info().rss - before + _taken(host))
    ran = await running
    await runner.close()
    counts = (ran.stdout_bytes, ran.stderr_bytes) == (size // 2 + len("first\nlast\n"), size // 2)
    ends = ran.stdout.startswith("first\n") and ran.stdout.endswith("last\n") and ran.stderr.startswith("eee")
    return most, counts and ends and ran.ok and len(ran.stdout) + len(ran.stderr) < CAPTURED_BYTES + 1_000


def _taken(host: psutil.Process) -> int:
    """Bytes that the host and its supervisors hold; what they share counts twice, the commands do not count."""
    taken = host.memory_info().rss
    for supervisor in host.children():
        try:
            taken += supervisor.memory_info().rss
        except psutil.NoSuchProcess:
            continue
    return taken


def _children(run: Callable[[], object]) -> float:
    """CPU seconds of the children of this process in a round."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    for _ in range(ROUNDS):
        run()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) / ROUNDS
