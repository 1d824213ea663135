"""Writes and creates: what changes, what stays, and what is refused."""

from __future__ import annotations

import os
import stat
import threading
from contextlib import suppress
from pathlib import Path

import pytest

from orange_jupyter.core.changes.ports import Act, Step
from orange_jupyter.core.changes.values import Spot
from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import PathError, ReadError
from orange_jupyter.local.applying.places import read_spot
from tests.local.applying.desk import Desk, picture, sha


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


async def test_a_write_changes_the_bytes_and_nothing_else(desk: Desk) -> None:
    """R-CHG-7, C13: mode, owner, group and attributes stay; other files are untouched."""
    note = desk.put("读书 笔记/红.md", mode=0o640)
    os.setxattr(note, "user.tag", b"\x00\xff")
    os.chown(note, 12, 34)
    desk.put("other.md")
    before = picture(desk.root)
    (result,) = await desk.apply(desk.write("读书 笔记/红.md", b"new\r\n"))
    assert result.done
    assert result.sha256 == sha(b"new\r\n") == sha(note.read_bytes())
    assert result.warnings == ()
    assert (mode(note), note.stat().st_uid, note.stat().st_gid) == (0o640, 12, 34)
    assert os.getxattr(note, "user.tag") == b"\x00\xff"
    after = picture(desk.root)
    assert {name for name in before if before[name] != after[name]} == {"读书 笔记/红.md"}


async def test_a_private_file_is_never_readable_by_others_not_even_on_its_way(desk: Desk) -> None:
    """C13."""
    note = desk.put("a.md", mode=0o600)
    seen: set[int] = set()
    stop = threading.Event()

    def watch() -> None:
        while not stop.is_set():
            for name in os.listdir(desk.root):
                with suppress(FileNotFoundError):
                    seen.add(mode(desk.root / name))

    before = os.umask(0)
    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        for number in range(20):
            old = note.read_bytes()
            (result,) = await desk.apply(desk.write("a.md", b"%d" % number * 5000, old))
            assert result.done
    finally:
        stop.set()
        watcher.join()
        os.umask(before)
    assert seen == {0o600}


@pytest.mark.parametrize("same_time", [False, True])
async def test_a_file_changed_since_is_stale_whatever_its_time_says(desk: Desk, same_time: bool) -> None:
    """C05, C06; the other file of the batch is written."""
    note, _other = desk.put("a.md"), desk.put("b.md")
    state = note.stat()
    note.write_bytes(b"OLD\n")
    if same_time:
        os.utime(note, ns=(state.st_atime_ns, state.st_mtime_ns))
    stale, done = await desk.apply(desk.write("a.md", b"new"), desk.write("b.md", b"new"))
    assert (stale.done, stale.code, done.done) == (False, Code.STALE_SOURCE, True)
    assert note.read_bytes() == b"OLD\n"


async def test_other_hard_links_keep_the_old_text_and_a_warning_says_so(desk: Desk) -> None:
    """P07."""
    outside = desk.base / "o.txt"
    outside.write_bytes(b"old\n")
    os.link(outside, desk.root / "h.md")
    (result,) = await desk.apply(desk.write("h.md", b"new"))
    assert result.done
    assert "hard links" in result.warnings[0]
    assert (outside.read_bytes(), (desk.root / "h.md").read_bytes()) == (b"old\n", b"new")


async def test_a_file_that_became_a_link_is_not_replaced_nor_followed(desk: Desk) -> None:
    """P02, C14: refused, and what it leads to is as it was."""
    secret = desk.base / "secret.md"
    secret.write_bytes(b"old\n")
    (desk.root / "a.md").symlink_to(secret)
    (result,) = await desk.apply(desk.write("a.md", b"new"))
    assert (result.done, result.code) == (False, Code.LINK_ESCAPE)
    assert (desk.root / "a.md").is_symlink()
    assert secret.read_bytes() == b"old\n"


async def test_a_parent_that_became_a_link_out_is_refused_for_every_act(desk: Desk) -> None:
    """P03, P04."""
    outside = desk.base / "o"
    (outside / "sub").mkdir(parents=True)
    (outside / "a.md").write_bytes(b"old\n")
    (desk.root / "d").symlink_to(outside)
    (desk.root / "dangling.md").symlink_to(desk.base / "created.md")
    desk.put("b.md")
    before = picture(desk.base)
    results = await desk.apply(
        desk.write("d/a.md", b"new"),
        desk.create("d/new.md"),
        desk.folder("d/new"),
        desk.move("d/a.md", "c.md"),
        desk.move("b.md", "d/b.md"),
        desk.trash("d/sub"),
    )
    assert [result.code for result in results] == [Code.LINK_ESCAPE] * 6
    (result,) = await desk.apply(desk.create("dangling.md"))
    assert result.code is Code.TARGET_EXISTS
    after = picture(desk.base)
    assert {name: one for name, one in after.items() if not name.startswith("home")} == before


async def test_a_new_file_never_overwrites_and_takes_the_umask(desk: Desk) -> None:
    """R-WRIT-2, C07."""
    desk.put("there.md", b"mine\n")
    before = os.umask(0o027)
    try:
        made, kept, lost = await desk.apply(desk.create("n.md"), desk.create("there.md"), desk.create("no/n.md"))
    finally:
        os.umask(before)
    assert made.done
    assert made.sha256 == sha(b"new\n")
    assert mode(desk.root / "n.md") == 0o640
    assert (kept.code, lost.code) == (Code.TARGET_EXISTS, Code.PARENT_MISSING)
    assert (desk.root / "there.md").read_bytes() == b"mine\n"


async def test_files_in_a_folder_that_the_batch_makes_and_what_follows_a_failure(desk: Desk) -> None:
    """C04, R-CHG-2: what depends on a failed step is not tried, and says on what; the rest goes on."""
    desk.put("taken")
    results = await desk.apply(
        desk.folder("new"),
        desk.create("new/a.md", after=(0,)),
        desk.folder("new/deep", after=(0,)),
        desk.create("new/deep/b.md", after=(2,)),
        desk.folder("taken"),
        desk.create("taken/c.md", after=(4,)),
        desk.create("d.md"),
    )
    assert [result.done for result in results] == [True, True, True, True, False, False, True]
    assert results[5].code is Code.TARGET_EXISTS
    assert "taken/c.md was not created, because taken was not created" in results[5].message
    assert (desk.root / "new/deep/b.md").read_bytes() == b"new\n"


async def test_names_that_are_not_utf_8_are_written_moved_and_deleted(desk: Desk) -> None:
    """P12."""
    name = "\udcff\udcfe.md"
    desk.put(name)
    results = await desk.apply(
        desk.write(name, b"new"), desk.move(name, "d\udc80.md", after=(0,)), desk.trash("d\udc80.md", after=(1,))
    )
    assert [result.done for result in results] == [True] * 3, results
    assert os.listdir(os.fsencode(desk.root)) == []
    (result,) = await desk.apply(desk.restore(name))
    assert result.done
    assert (desk.root / name).read_bytes() == b"new"


async def test_the_root_strange_paths_and_our_own_folder_are_refused(desk: Desk) -> None:
    """P18, R-PERM-9."""
    desk.put("a.md")
    inside = Step(Act.CREATE_FILE, ("op",), Spot(root=str(desk.base), relative="home/x.md"), data=b"x")
    results = await desk.apply(
        desk.trash(""), desk.trash("."), desk.move("a.md", ""), desk.write("../o.md", b"x"),
        desk.create("/etc/x.md"), desk.create("a\0b"), inside,
    )  # fmt: skip
    assert [result.code for result in results] == [
        Code.KB_ROOT, Code.KB_ROOT, Code.KB_ROOT, Code.OUTSIDE_WORKSPACE, Code.INVALID_PATH, Code.INVALID_PATH,
        Code.PROTECTED_PATH,
    ]  # fmt: skip


async def test_the_journal_is_private_and_holds_no_text(desk: Desk) -> None:
    """S04, R-CHG-7."""
    desk.put("a.md")
    before = os.umask(0)
    try:
        applier = desk.applier()
        applied = await applier.apply([desk.write("a.md", b"SECRET TEXT"), desk.trash("a.md")])
    finally:
        os.umask(before)
    (journal,) = (desk.home / "changes" / "journal").iterdir()
    assert b"SECRET" not in journal.read_bytes()
    assert journal.stem == applied.batch_id
    for path in [desk.home, *(desk.home.rglob("*"))]:
        assert mode(path) == (0o700 if path.is_dir() else 0o600), path


def test_a_spot_is_read_through_no_link_and_no_further_than_asked(desk: Desk) -> None:
    """R-SCOPE-1, P14."""
    desk.put("a.md", b"12345")
    (desk.root / "l.md").symlink_to("a.md")
    os.mkfifo(desk.root / "p.md")
    assert read_spot(desk.spot("a.md"), 5) == b"12345"
    with pytest.raises(ReadError) as large:
        read_spot(desk.spot("a.md"), 4)
    assert large.value.code is Code.TOO_LARGE
    for name, code in {"l.md": Code.LINK_ESCAPE, "p.md": Code.NOT_REGULAR_FILE, "no.md": Code.NOT_FOUND}.items():
        with pytest.raises(PathError) as refused:
            read_spot(desk.spot(name), 4)
        assert refused.value.code is code
