"""A file keeps its id through renames, kernels and damage; two files never share one."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import sqlite3
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from orange_jupyter.core.paths import KnowledgeBase
from orange_jupyter.local.fileids import FileIds
from orange_jupyter.local.renames import derived_id
from orange_jupyter.local.scan import Seen, scan_base
from tests.local.conftest import as_plain_user


def ids_of(file_ids: FileIds, kb: KnowledgeBase) -> dict[str, str]:
    return file_ids.assign(kb.id, scan_base(kb).files, kb.root)


def test_ids_have_the_form_and_derive_from_kb_and_path(file_ids: FileIds, kb: KnowledgeBase, tmp_path: Path) -> None:
    """R-SCH-7, P05: the same in an empty store, whatever path leads to the KB."""
    ids = ids_of(file_ids, kb)
    assert set(ids) == {"a.md", "plan.txt", "读书 笔记/红楼梦.md"}
    assert all(re.fullmatch(r"f_[a-z2-7]{16}", one) for one in ids.values())
    with_other_store = FileIds(tmp_path / "second.db")
    assert ids_of(with_other_store, kb) == ids
    with_other_store.close()
    assert ids["a.md"] == derived_id(kb.id, "a.md") != derived_id("kb_other", "a.md")


def test_a_renamed_file_keeps_its_id_and_the_old_path_gets_another(file_ids: FileIds, kb: KnowledgeBase) -> None:
    """R-SCH-7: by inode; also into another folder and after a new file took the old name."""
    before = ids_of(file_ids, kb)
    os.rename(f"{kb.root}/a.md", f"{kb.root}/读书 笔记/乙.md")
    after = ids_of(file_ids, kb)
    assert after["读书 笔记/乙.md"] == before["a.md"]
    Path(kb.root, "a.md").write_text("another", encoding="utf-8")
    third = ids_of(file_ids, kb)
    assert third["读书 笔记/乙.md"] == before["a.md"]
    assert third["a.md"] not in before.values()
    assert len(set(third.values())) == len(third)


def test_a_renamed_folder_keeps_all_ids(file_ids: FileIds, kb: KnowledgeBase) -> None:
    """R-SCH-7."""
    before = ids_of(file_ids, kb)
    os.rename(f"{kb.root}/读书 笔记", f"{kb.root}/reading")
    assert ids_of(file_ids, kb)["reading/红楼梦.md"] == before["读书 笔记/红楼梦.md"]


def test_a_file_copied_and_deleted_is_recognised_by_its_content(file_ids: FileIds, kb: KnowledgeBase) -> None:
    """R-SCH-7: another inode, the same bytes; only where the hash was kept."""
    before = ids_of(file_ids, kb)
    digest = "sha256:" + hashlib.sha256(Path(kb.root, "a.md").read_bytes()).hexdigest()
    file_ids.set_hash(kb.id, "a.md", digest)
    shutil.copy(f"{kb.root}/a.md", f"{kb.root}/copy.md")
    ids_of(file_ids, kb)
    shutil.copy(f"{kb.root}/a.md", f"{kb.root}/moved.md")
    os.unlink(f"{kb.root}/a.md")
    after = ids_of(file_ids, kb)
    assert after["moved.md"] == before["a.md"]
    assert after["copy.md"] != before["a.md"]


def test_a_new_file_on_a_used_inode_is_not_taken_for_the_old_one(file_ids: FileIds) -> None:
    """R-SCH-7: inodes are used again; a known content that differs says no, an unknown time too where it is known."""
    old = Seen("old.md", 5, 1_000, 77, "markdown")
    first = file_ids.assign("kb_x", [old])
    other_size = file_ids.assign("kb_x", [Seen("new.md", 6, 2_000, 77, "markdown")])
    assert other_size["new.md"] != first["old.md"]


def test_an_edited_file_and_one_replaced_by_an_editor_keep_their_ids(file_ids: FileIds, kb: KnowledgeBase) -> None:
    """R-SCH-7, R06: by path, whatever inode and time say."""
    before = ids_of(file_ids, kb)
    Path(kb.root, "draft").write_text("new text", encoding="utf-8")
    os.replace(f"{kb.root}/draft", f"{kb.root}/a.md")
    os.utime(f"{kb.root}/plan.txt", ns=(0, 0))
    assert ids_of(file_ids, kb) == before


def test_hard_links_have_two_ids(file_ids: FileIds, kb: KnowledgeBase) -> None:
    """Two files never share one id."""
    before = ids_of(file_ids, kb)
    os.link(f"{kb.root}/a.md", f"{kb.root}/b.md")
    after = ids_of(file_ids, kb)
    assert after["a.md"] == before["a.md"] != after["b.md"]


def test_a_single_hidden_file_does_not_make_others_gone(file_ids: FileIds, kb: KnowledgeBase) -> None:
    """R-SCH-7: `include` looks at part of a KB."""
    before = ids_of(file_ids, kb)
    state = os.stat(f"{kb.root}/a.md")
    hidden = Seen(".a.md", state.st_size, state.st_mtime_ns, state.st_ino, "markdown")
    included = file_ids.include(kb.id, [hidden])
    assert included[".a.md"] not in before.values()
    assert ids_of(file_ids, kb) == before
    assert file_ids.known(kb.id, ".a.md") == included[".a.md"]


def test_an_id_finds_its_file_in_another_process(file_ids: FileIds, kb: KnowledgeBase, tmp_path: Path) -> None:
    """R-SCH-7: a new kernel; names that are not UTF-8 too (P12)."""
    Path(os.fsdecode(os.fsencode(kb.root) + b"/\xff\xfe.md")).touch()
    ids = ids_of(file_ids, kb)
    again = FileIds(tmp_path / "home" / "files.db")
    assert again.find(ids["a.md"]) == (kb.id, "a.md")
    assert again.find(ids[os.fsdecode(b"\xff\xfe.md")]) == (kb.id, os.fsdecode(b"\xff\xfe.md"))
    assert again.find("f_aaaaaaaaaaaaaaaa") is None
    os.rename(f"{kb.root}/a.md", f"{kb.root}/z.md")
    ids_of(file_ids, kb)
    assert again.known(kb.id, "z.md") == ids["a.md"]
    again.close()


def test_nothing_is_written_when_nothing_changed(file_ids: FileIds, kb: KnowledgeBase, tmp_path: Path) -> None:
    """The second scan of a KB leaves the store as it is."""
    ids_of(file_ids, kb)
    watcher = sqlite3.connect(tmp_path / "home" / "files.db")
    version = watcher.execute("PRAGMA data_version").fetchone()
    ids_of(file_ids, kb)
    assert watcher.execute("PRAGMA data_version").fetchone() == version
    watcher.close()


def test_the_store_is_private(file_ids: FileIds, kb: KnowledgeBase, tmp_path: Path) -> None:
    """R-HL-3: mode 600 in a folder of mode 700."""
    ids_of(file_ids, kb)
    home = tmp_path / "home"
    assert stat.S_IMODE(home.stat().st_mode) == 0o700
    assert {stat.S_IMODE(file.stat().st_mode) for file in home.iterdir()} == {0o600}


@pytest.mark.parametrize("damage", ["zeroed", "text", "truncated", "flipped"])
def test_a_damaged_store_is_made_anew(damage: str, kb: KnowledgeBase, tmp_path: Path) -> None:
    """R-SRCH-7, R04: ids then derive from the present paths."""
    path = tmp_path / "files.db"
    first = FileIds(path)
    many = [Seen(f"{number}.md", 1, 1, number, "markdown") for number in range(2_000)]
    ids = first.assign("kb_many", many)
    first.close()
    data = bytearray(path.read_bytes())
    match damage:
        case "zeroed":
            data[:] = bytes(len(data))
        case "text":
            data[:] = b"this is no database " * 100
        case "truncated":
            del data[len(data) // 2 :]
        case "flipped":
            for page in range(4096, len(data), 4096):
                data[page : page + 8] = b"\xff" * 8
    path.write_bytes(data)
    again = FileIds(path)
    assert again.assign("kb_many", many) == ids
    assert again.warning is None
    again.close()


def test_a_store_of_a_newer_version_is_left_untouched(tmp_path: Path, kb: KnowledgeBase) -> None:
    """R09."""
    path = tmp_path / "files.db"
    newer = sqlite3.connect(path)
    newer.execute("PRAGMA user_version = 99")
    newer.close()
    before = path.read_bytes()
    ids = FileIds(path)
    assert ids_of(ids, kb)["a.md"] == derived_id(kb.id, "a.md")
    assert "newer version" in (ids.warning or "")
    ids.close()
    assert path.read_bytes() == before


def test_an_unwritable_home_keeps_ids_in_memory(kb: KnowledgeBase, tmp_path: Path) -> None:
    """R-SRCH-10: said once; known ids are read all the same."""
    path = tmp_path / "home" / "files.db"
    writable = FileIds(path)
    before = ids_of(writable, kb)
    os.rename(f"{kb.root}/a.md", f"{kb.root}/z.md")
    assert ids_of(writable, kb)["z.md"] == before["a.md"]
    writable.close()
    os.chmod(path, 0o400)
    os.chmod(path.parent, 0o500)
    code = """
import sys
from orange_jupyter.core.paths import KnowledgeBase
from orange_jupyter.local.fileids import FileIds
from orange_jupyter.local.scan import scan_base
ids = FileIds(sys.argv[1])
print(ids.assign("kb_notes", scan_base(KnowledgeBase("kb_notes", "n", sys.argv[2])).files)["z.md"], "memory" in ids.warning)
ids.close()
"""
    assert as_plain_user(code, str(path), kb.root) == f"{before['a.md']} True"


def test_where_wal_is_refused_locks_by_files_serve(kb: KnowledgeBase, tmp_path: Path) -> None:
    """R03: `unix-dotfile` has no shared memory, as a network share; two stores at once."""
    one, two = (FileIds(tmp_path / "files.db", vfs="unix-dotfile") for _ in range(2))
    assert ids_of(one, kb) == ids_of(two, kb)
    os.rename(f"{kb.root}/a.md", f"{kb.root}/z.md")
    assert ids_of(two, kb) == ids_of(one, kb)
    assert (one.warning, two.warning) == (None, None)
    one.close()
    two.close()
    assert sorted(path.name for path in tmp_path.glob("files.db*")) == ["files.db"]


def test_several_processes_at_once_agree(kb: KnowledgeBase, tmp_path: Path) -> None:
    """R-SRCH-7: four at the same new KB, each also renaming; one id a file, no error."""
    for number in range(200):
        Path(kb.root, f"{number}.md").write_text(str(number), encoding="utf-8")
    code = """
import json, os, sys
from orange_jupyter.core.paths import KnowledgeBase
from orange_jupyter.local.fileids import FileIds
from orange_jupyter.local.scan import scan_base
path, root, mine = sys.argv[1:]
ids = FileIds(path)
kb = KnowledgeBase("kb_notes", "notes", root)
for turn in range(10):
    os.rename(f"{root}/{int(mine) * 10 + turn}.md", f"{root}/{mine}-{turn}.md")
    given = ids.assign(kb.id, scan_base(kb).files, root)
    assert len(set(given.values())) == len(given)
print(ids.warning)
ids.close()
"""
    command = [sys.executable, "-c", code, str(tmp_path / "files.db"), kb.root]
    running = [subprocess.Popen([*command, str(one)], stdout=subprocess.PIPE, text=True) for one in range(4)]
    answers = [process.communicate(timeout=60)[0].strip() for process in running]
    assert answers == ["None"] * 4
    ids = FileIds(tmp_path / "files.db")
    given = ids_of(ids, kb)
    assert given["3-7.md"] == derived_id(kb.id, "37.md")
    ids.close()


def test_threads_may_share_one_store(file_ids: FileIds, kb: KnowledgeBase) -> None:
    """Used from `asyncio.to_thread`."""
    wanted = ids_of(file_ids, kb)
    seen: list[dict[str, str]] = []
    threads = [threading.Thread(target=lambda: seen.append(ids_of(file_ids, kb))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [wanted] * 8


def test_files_that_change_places_take_their_ids_with_them(file_ids: FileIds, kb: KnowledgeBase) -> None:
    """R-SCH-7: a swap, a ring of three, and a chain of renames that ends at a new name."""
    root = Path(kb.root)
    for number in range(1, 4):
        (root / f"s{number}.md").write_text(f"{number}", encoding="utf-8")
    before = ids_of(file_ids, kb)
    rename(root, ("s1", "s9"), ("s2", "s1"), ("s9", "s2"))
    swapped = ids_of(file_ids, kb)
    assert (swapped["s1.md"], swapped["s2.md"]) == (before["s2.md"], before["s1.md"])
    assert file_ids.find(before["s1.md"]) == (kb.id, "s2.md")
    rename(root, ("s1", "s9"), ("s2", "s1"), ("s3", "s2"), ("s9", "s3"))
    ring = ids_of(file_ids, kb)
    assert [ring[f"s{n}.md"] for n in (1, 2, 3)] == [swapped[f"s{n}.md"] for n in (2, 3, 1)]
    rename(root, ("s2", "s5"), ("s1", "s2"))
    chain = ids_of(file_ids, kb)
    assert (chain["s5.md"], chain["s2.md"]) == (ring["s2.md"], ring["s1.md"])


def rename(root: Path, *pairs: tuple[str, str]) -> None:
    for old, new in pairs:
        (root / f"{old}.md").rename(root / f"{new}.md")


def test_a_draft_that_was_seen_does_not_take_the_notes_id(file_ids: FileIds, kb: KnowledgeBase) -> None:
    """R-SCH-7: an atomic save keeps the id, also where a scan saw the draft, and where the old note is kept beside."""
    root = Path(kb.root)
    before = ids_of(file_ids, kb)
    (root / "draft.md").write_text("# A, longer\n", encoding="utf-8")
    ids_of(file_ids, kb)
    (root / "draft.md").replace(root / "a.md")
    assert ids_of(file_ids, kb)["a.md"] == before["a.md"]
    (root / "a.md").rename(root / "a.md~")
    (root / "a.md").write_text("# A, once more\n", encoding="utf-8")
    assert ids_of(file_ids, kb)["a.md"] == before["a.md"]
