"""A disk that is really full, and files and folders that this user may not read or change (C02, C04, R-CHG-7)."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import ChangeError
from tests.local.applying.desk import Desk, picture

WITHOUT_OVERRIDE = (
    "setpriv",
    "--bounding-set=-dac_override,-dac_read_search",
    "--inh-caps=-dac_override,-dac_read_search",
)
CHILD = """
import asyncio, sys
from pathlib import Path
from tests.local.applying.desk import Desk
desk = Desk(Path(sys.argv[1]))
desk.require_clean = lambda: None  # it reads all there is; the parent looks instead
steps = [desk.write("shut/a.md", b"new"), desk.create("shut/n.md"), desk.folder("shut/f"),
         desk.move("shut/a.md", "b.md"), desk.trash("shut/a.md"), desk.write("secret.md", b"new"),
         desk.write("open.md", b"new")]
for result in asyncio.run(desk.apply(*steps)):
    print(result.done, result.code)
"""


@contextmanager
def filled(disk: Path) -> Iterator[None]:
    """A disk without a free byte; afterwards it has room again."""
    ballast = disk / "ballast"
    with ballast.open("wb", buffering=0) as file:
        try:
            while file.write(b"x" * 4096):
                continue
        except OSError:
            assert os.statvfs(disk).f_bavail == 0
    yield
    ballast.unlink()


async def test_a_full_disk_keeps_the_notes_and_works_again_with_room(desk: Desk, small_disk: Path) -> None:
    """C02: `disk_full` for each step, no byte lost, no temporary file; the same steps are done after space is made."""
    there = Desk(desk.base, root=small_disk)
    there.put("a.md")
    steps = [there.write("a.md", b"new text\n" * 500), there.create("n.md", b"text\n" * 500)]
    with filled(small_disk):
        before = picture(small_disk)
        results = await there.apply(*steps)
        assert [one.code for one in results] == [Code.DISK_FULL] * 2, results
        assert all("disk is full" in one.message for one in results)
        assert picture(small_disk) == before
    assert [one.done for one in await there.apply(*steps)] == [True, True]


async def test_a_full_disk_of_orange_home_begins_nothing(desk: Desk, small_disk: Path) -> None:
    """C02: where the journal cannot be written nothing is touched."""
    there = Desk(small_disk, root=desk.root)
    there.put("a.md")
    await there.apply(there.write("a.md", b"old\n"))
    with filled(small_disk):
        before = picture(there.root)
        with pytest.raises(ChangeError) as full:
            await there.applier().apply([there.write("a.md", b"new"), there.move("a.md", "b.md")])
        assert full.value.code is Code.DISK_FULL
        assert picture(there.root) == before
    assert await there.applier().recover() == ()
    (result,) = await there.apply(there.write("a.md", b"new"))
    assert result.done


def test_what_this_user_may_not_change_or_read_stays(desk: Desk) -> None:
    """C04: a folder that cannot be written, a file that cannot be read; what is open is written."""
    desk.put("shut/a.md")
    desk.put("secret.md", mode=0o000)
    desk.put("open.md")
    (desk.root / "shut").chmod(0o555)
    before = picture(desk.root)
    command = [*WITHOUT_OVERRIDE, sys.executable, "-c", CHILD, str(desk.base)]
    ran = subprocess.run(command, cwd=Path(__file__).parents[3], capture_output=True, text=True, check=False)
    after = picture(desk.root)
    desk.require_clean()
    assert ran.stdout.split("\n")[:-1] == [*["False no_access"] * 6, "True None"], ran
    assert {name for name in after if after[name] != before.get(name)} == {"open.md"}
    assert before.keys() == after.keys()


@pytest.mark.parametrize("flag", ["i", "a"])
def test_a_file_that_the_system_protects_stays(desk: Desk, flag: str) -> None:
    """C04: immutable and append-only files are neither written, moved nor deleted, also for root."""
    note = desk.put("a.md")
    subprocess.run(["chattr", f"+{flag}", note], check=True)
    try:
        before = picture(desk.root)
        steps = [desk.write("a.md", b"new"), desk.move("a.md", "b.md"), desk.trash("a.md")]
        results = asyncio.run(desk.apply(*steps))
        assert [one.code for one in results[:2]] == [Code.NO_ACCESS] * 2, results
        assert not results[2].done
        assert picture(desk.root) == before
    finally:
        subprocess.run(["chattr", f"-{flag}", note], check=True)
