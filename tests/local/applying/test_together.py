"""Others at the same moment: another process, a folder that is swapped for a link, a task that is cancelled."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import RunError
from orange_jupyter.local.applying import applier as module
from tests.local.applying.desk import Desk, picture, sha

ROUNDS = 100
WRITER = """
import asyncio, sys
from pathlib import Path
from tests.local.applying.desk import Desk
desk, name = Desk(Path(sys.argv[1])), sys.argv[2]

async def main():
    applier, done = desk.applier(), 0
    while done < int(sys.argv[3]):
        old = (desk.root / "a.md").read_bytes()
        applied = await applier.apply([desk.write("a.md", old + name.encode() + b"\\n", old)])
        await applier.forget(applied.batch_id)
        (result,) = applied.results
        assert result.done or result.code == "stale_source", result
        done += result.done

asyncio.run(main())
"""


def test_two_processes_on_one_file_lose_no_update(desk: Desk) -> None:
    """C23: each wins 100 rounds, and every line is there."""
    note = desk.put("a.md", b"")
    where = Path(__file__).parents[3]
    both = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(desk.base), name, str(ROUNDS)], cwd=where) for name in "xy"
    ]
    assert [one.wait(60) for one in both] == [0, 0]
    lines = note.read_text().split()
    assert (lines.count("x"), lines.count("y"), len(lines)) == (ROUNDS, ROUNDS, 2 * ROUNDS)
    desk.require_clean()


async def test_a_folder_swapped_for_a_link_leads_nothing_outside(desk: Desk) -> None:
    """P03, R-SCOPE-1: 1,000 swaps while every act goes on."""
    outside = desk.base / "o"
    outside.mkdir()
    for name in ("a.md", "m.md", "t.md"):
        (outside / name).write_bytes(b"old\n")
    desk.put("d/a.md")
    before = picture(outside)
    here, aside = desk.root / "d", desk.root / "aside"
    stop = threading.Event()
    swaps = 0

    def swap() -> None:
        nonlocal swaps
        while swaps < 1000 or not stop.is_set():
            here.rename(aside)
            here.symlink_to(outside)
            here.unlink()
            aside.rename(here)
            swaps += 1

    swapper = threading.Thread(target=swap)
    swapper.start()
    applier = desk.applier()
    outcomes = set()
    try:
        for number in range(25):
            applied = await applier.apply([
                desk.write("d/a.md", b"old\n"), desk.create(f"d/n{number}.md"), desk.folder(f"d/f{number}"),
                desk.trash("d/t.md", sha(b"old\n")), desk.move("d/m.md", f"out{number}.md", sha(b"old\n")),
            ])  # fmt: skip
            outcomes |= {result.code for result in applied.results}
            await applier.forget(applied.batch_id)
    finally:
        stop.set()
        swapper.join()
    assert picture(outside) == before
    assert not list(desk.root.glob("out*"))
    assert outcomes <= {None, Code.LINK_ESCAPE, Code.NOT_FOUND, Code.PARENT_MISSING, Code.STALE_SOURCE}, outcomes
    assert await desk.applier().recover() == ()
    desk.require_clean()


async def test_a_cancelled_task_leaves_the_batch_whole(desk: Desk) -> None:
    """R-CHG-7: it ends in its thread, and recovery gives its results."""
    desk.put("a.md")
    desk.put("big.md", b"x" * 20_000_000)
    applier = desk.applier()
    task = asyncio.create_task(applier.apply([desk.trash("big.md"), desk.write("a.md", b"new")]))
    while not list(desk.home.glob("changes/journal/*.json")):
        await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (desk.root / "a.md").read_bytes() == b"new"
    (found,) = await applier.recover()
    assert [result.done for result in found.results] == [True, True]
    await applier.forget(found.batch_id)
    desk.require_clean()


async def test_a_live_journal_is_left_alone_and_a_busy_root_says_so(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R-CHG-7: what another applier holds is not recovered; after its end it is."""
    desk.put("a.md")
    first, second = desk.applier(), desk.applier()
    applied = await first.apply([desk.write("a.md", b"new")])
    assert await second.recover() == ()
    monkeypatch.setattr(module, "PATIENCE_S", 0.2)
    with first._roots(applied.steps), pytest.raises(RunError) as busy:
        await second.apply([desk.write("a.md", b"newer", b"new")])
    assert busy.value.code is Code.BUSY
    await first.forget(applied.batch_id)
    assert os.listdir(desk.home / "changes" / "journal") == []
