"""Moves and deletions: where things go, what comes back, and what stays when they cannot go."""

from __future__ import annotations

import os
import socket
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import PathError
from tests.local.applying.desk import Desk, picture, sha


def fill(desk: Desk) -> Path:
    """A folder with everything that a folder can hold."""
    desk.put("d/a.md", b"A\n", 0o600)
    desk.put("d/.hidden/x.md", b"X\n", 0o4755)
    desk.put("d/图.png", b"\x89PNG")
    desk.put("d/\udcfe.txt", b"raw")
    (desk.root / "d/empty").mkdir(mode=0o750)
    (desk.root / "d/locked").mkdir()
    desk.put("d/locked/l.md")
    (desk.root / "d/locked").chmod(0o500)
    (desk.root / "d/link").symlink_to("a.md")
    (desk.root / "d/broken").symlink_to("/nowhere/at/all")
    os.setxattr(desk.root / "d", "user.colour", b"red")
    os.setxattr(desk.root / "d/a.md", "user.tag", b"\x00")
    for path in [*desk.root.rglob("*")]:
        os.utime(path, ns=(10**18, 1_234_567_890_123_456_789), follow_symlinks=False)
    return desk.root / "d"


async def test_a_tree_counts_what_no_search_shows_and_notices_any_change(desk: Desk) -> None:
    """R-CHG-5, C19."""
    fill(desk)
    desk.put("d/.git/config")
    applier = desk.applier()
    tree = await applier.tree(desk.spot("d"))
    assert (tree.files, tree.hidden, tree.protected) == (8, 2, (".git", ".git/config"))
    assert tree.unindexed == 3  # a picture and two links
    digests = {tree.digest}
    for change in (
        lambda: desk.put("d/new"),
        lambda: os.utime(desk.root / "d/a.md", ns=(0, 1)),
        lambda: (desk.root / "d/empty").rename(desk.root / "d/empty2"),
        lambda: ((desk.root / "d/link").unlink(), (desk.root / "d/link").symlink_to("b.md")),
    ):
        change()
        digests.add((await applier.tree(desk.spot("d"))).digest)
    assert len(digests) == 5
    with pytest.raises(PathError) as refused:
        await applier.tree(desk.spot("d/a.md"))
    assert refused.value.code is Code.TYPE_MISMATCH


async def test_a_file_a_folder_and_a_link_move_as_they_are(desk: Desk) -> None:
    """R-CHG-5, C14: a link moves itself."""
    fill(desk)
    desk.put("n.md")
    digest = (await desk.applier().tree(desk.spot("d"))).digest
    before = picture(desk.root / "d")
    results = await desk.apply(
        desk.move("d", "e", digest),
        desk.move("n.md", "e/m.md", sha(b"old\n"), after=(0,)),
        desk.move("e/m.md", "m.md", sha(b"old\n"), after=(1,)),
        desk.move("e/broken", "broken", after=(0,)),
    )
    assert [one.done for one in results] == [True] * 4, results
    assert results[0].sha256 == digest
    assert results[1].sha256 == sha(b"old\n")
    assert os.readlink(desk.root / "broken") == "/nowhere/at/all"
    before.pop("broken")
    assert picture(desk.root / "e") == before


async def test_what_cannot_be_moved_stays_and_nothing_is_overwritten(desk: Desk) -> None:
    """R-WRIT-2, P18, C19."""
    fill(desk)
    desk.put("n.md")
    digest = (await desk.applier().tree(desk.spot("d"))).digest
    desk.put("d/one-more.md")
    before = picture(desk.root)
    results = await desk.apply(
        desk.move("d", "e", digest), desk.move("n.md", "d/a.md"), desk.move("d", "d/x"), desk.move("d", "d"),
        desk.move("n.md", "no/n.md"), desk.move("gone.md", "x.md"), desk.move("n.md", "x.md", sha(b"other")),
        desk.trash("d", digest), desk.trash("n.md", sha(b"other")), desk.trash("gone.md"),
    )  # fmt: skip
    assert [one.code for one in results] == [
        Code.STALE_SOURCE, Code.TARGET_EXISTS, Code.OVERLAPPING_PATHS, Code.OVERLAPPING_PATHS, Code.PARENT_MISSING,
        Code.NOT_FOUND, Code.STALE_SOURCE, Code.STALE_SOURCE, Code.STALE_SOURCE, Code.NOT_FOUND,
    ]  # fmt: skip
    assert picture(desk.root) == before
    assert desk.in_trash() == []


async def test_another_disk_refuses_a_move_and_the_source_stays(desk: Desk, small_disk: Path) -> None:
    """P20."""
    fill(desk)
    there = Desk(desk.base, root=small_disk)
    before = picture(desk.root)
    step = desk.move("d", "e")
    to_there = type(step)(step.act, step.operations, step.spot, target=there.spot("e"))
    (result,) = await desk.apply(to_there)
    assert result.code is Code.CROSS_DEVICE
    assert (picture(desk.root), os.listdir(small_disk)) == (before, [])


async def test_a_folder_goes_to_the_trash_and_comes_back_to_the_byte(desk: Desk) -> None:
    """R-CHG-6, R-CHG-9, C19."""
    fill(desk)
    before = picture(desk.root)
    digest = (await desk.applier().tree(desk.spot("d"))).digest
    (gone,) = await desk.apply(desk.trash("d", digest))
    assert (gone.done, gone.note, desk.in_trash()) == (True, "It is in the system's trash.", ["d"])
    assert f"Path={desk.root}/d\n" in (desk.data / "Trash/info/d.trashinfo").read_text()
    assert {f"d/{name}": one for name, one in picture(desk.data / "Trash/files/d").items()}.items() <= before.items()
    (back,) = await desk.apply(desk.restore("d"))
    assert (back.done, back.sha256) == (True, digest), back
    assert picture(desk.root) == before
    assert (desk.root / "d").stat().st_mtime_ns == 1_234_567_890_123_456_789
    (again,) = await desk.apply(desk.restore("d"))
    assert again.code is Code.TARGET_EXISTS
    assert picture(desk.root) == before


async def test_links_go_to_the_trash_themselves(desk: Desk) -> None:
    """C18."""
    fill(desk)
    (desk.root / "to-folder").symlink_to("d")
    (desk.root / "to-nothing").symlink_to("nowhere")
    before = picture(desk.root / "d")
    results = await desk.apply(desk.trash("to-folder", operation="op_1"), desk.trash("to-nothing", operation="op_2"))
    assert [one.done for one in results] == [True, True], results
    assert desk.in_trash() == ["to-folder", "to-nothing"]
    assert os.readlink(desk.data / "Trash/files/to-folder") == "d"
    assert picture(desk.root / "d") == before
    (back,) = await desk.apply(desk.restore("to-nothing", "op_2"))
    assert back.done
    assert os.readlink(desk.root / "to-nothing") == "nowhere"


async def test_names_in_the_trash_are_never_taken_twice_and_never_too_long(desk: Desk) -> None:
    """R-CHG-6, P13."""
    long = "é" * 126 + ".md"
    for number in range(3):
        desk.put("a.md", b"%d" % number)
        desk.put(long)
        results = await desk.apply(desk.trash("a.md"), desk.trash(long))
        assert [one.done for one in results] == [True, True], results
    assert len(desk.in_trash()) == 6
    assert {(desk.data / f"Trash/files/{name}").read_bytes() for name in ("a.md", "a 2.md", "a 3.md")} == {
        b"0",
        b"1",
        b"2",
    }


@pytest.mark.parametrize("broken", ["file", "link", "foreign", "unset"])
async def test_an_unusable_trash_keeps_the_file(desk: Desk, small_disk: Path, broken: str) -> None:
    """C17: said why, never deleted for good."""
    there = Desk(desk.base, root=small_disk)
    there.data = small_disk / "data" if broken == "unset" else there.data
    there.put("a.md")
    own = small_disk / f".Trash-{os.geteuid()}"
    if broken == "file":
        own.write_bytes(b"")
    elif broken == "link":
        own.symlink_to(desk.base)
    elif broken == "foreign":
        own.mkdir()
        os.chown(own, 4242, 4242)
    else:
        own.write_bytes(b"")
        there.data.write_bytes(b"")
    before = picture(small_disk)
    (result,) = await there.apply(there.trash("a.md"))
    assert (result.done, result.code) == (False, Code.TRASH_UNAVAILABLE)
    assert "was not deleted" in result.message
    assert ".Trash-" in result.message
    assert picture(small_disk) == before
    assert not (there.home / "changes" / "kept" / "op_t").exists()


async def test_a_volume_has_its_own_trash(desk: Desk, small_disk: Path) -> None:
    """C17."""
    there = Desk(desk.base, root=small_disk)
    there.put("a.md")
    (small_disk / ".Trash").mkdir()
    (small_disk / ".Trash").chmod(0o777)  # without the sticky bit it is not used
    (result,) = await there.apply(there.trash("a.md"))
    assert result.done
    own = small_disk / f".Trash-{os.geteuid()}"
    assert (own / "files/a.md").read_bytes() == b"old\n"
    assert "Path=a.md\n" in (own / "info/a.md.trashinfo").read_text()
    assert stat.S_IMODE(own.stat().st_mode) == 0o700
    (small_disk / ".Trash").chmod(0o1777)
    there.put("b.md")
    (result,) = await there.apply(there.trash("b.md"))
    assert result.done
    assert (small_disk / f".Trash/{os.geteuid()}/files/b.md").is_file()


async def test_beyond_the_limits_the_trash_alone_has_it(desk: Desk) -> None:
    """R-CHG-9: too large is not kept; the oldest goes first; what is too old goes."""
    desk.put("big.md", b"x" * 101)
    (result,) = await desk.apply(desk.trash("big.md"), keep_bytes=100)
    assert result.done
    assert "cannot be undone from here: it is larger" in result.note
    (lost,) = await desk.apply(desk.restore("big.md"))
    assert lost.code is Code.NOT_AVAILABLE
    assert "trash has it" in lost.message
    for number in range(3):
        desk.put("a.md", b"x" * 40)
        await desk.apply(desk.trash("a.md", operation=f"op_{number}"), keep_bytes=100)
    kept = desk.home / "changes" / "kept"
    assert sorted(os.listdir(kept)) == ["op_1", "op_2"]
    os.utime(kept / "op_1" / "manifest.json", (1, 1))
    desk.put("a.md", b"x")
    await desk.apply(desk.trash("a.md", operation="op_3"))
    assert sorted(os.listdir(kept)) == ["op_2", "op_3"]


async def test_a_damaged_copy_is_not_restored(desk: Desk) -> None:
    """R-CHG-9: never other bytes than those that were there."""
    desk.put("a.md")
    await desk.apply(desk.trash("a.md"))
    (desk.home / "changes/kept/op_t/0").write_bytes(b"bad\n")
    (result,) = await desk.apply(desk.restore("a.md"))
    assert result.code is Code.NOT_AVAILABLE
    assert not (desk.root / "a.md").exists()


async def test_what_holds_a_socket_is_deleted_without_a_copy(desk: Desk) -> None:
    """R-CHG-9."""
    desk.put("d/a.md")
    here = os.getcwd()
    os.chdir(desk.root / "d")
    with socket.socket(socket.AF_UNIX) as one:
        one.bind("s")
    os.chdir(here)
    (result,) = await desk.apply(desk.trash("d"))
    assert result.done
    assert "device, pipe or socket" in result.note


ELSEWHERE = """
import asyncio, sys
from pathlib import Path
import send2trash, tests.local.applying.desk
from tests.local.applying.desk import Desk
sys.platform = "darwin"
desk = Desk(Path(sys.argv[1]))
print(asyncio.run(desk.apply(desk.trash("a.md"), desk.restore("a.md", after=(0,)))))
"""


def test_where_there_is_no_freedesktop_trash_send2trash_takes_it(desk: Desk) -> None:
    """R-CHG-6."""
    desk.put("a.md")
    environment = {"HOME": str(desk.base), "XDG_DATA_HOME": str(desk.data), "PATH": os.environ["PATH"]}
    command = [sys.executable, "-c", ELSEWHERE, str(desk.base)]
    ran = subprocess.run(
        command, env=environment, capture_output=True, text=True, check=False, cwd=Path(__file__).parents[3]
    )
    assert "done=True" in ran.stdout, ran
    assert desk.in_trash() == ["a.md"]
