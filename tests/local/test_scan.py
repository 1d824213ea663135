"""A scan finds every file once, follows nothing out, and can be stopped."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import PathError, RunError
from orange_jupyter.core.paths import KnowledgeBase
from orange_jupyter.local.scan import Scan, Scanner, scan_base
from tests.local.conftest import as_plain_user


def paths(scan: Scan) -> list[str]:
    return [seen.relative for seen in scan.files]


def write(root: str, *names: str) -> None:
    for name in names:
        path = Path(root, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x", encoding="utf-8")


def test_files_and_folders_are_found_sorted_with_their_state(kb: KnowledgeBase) -> None:
    """R-SRCH-10, R-SCH-7."""
    write(kb.root, "b/deep/图.PNG", "data.csv", "paper.pdf", "report.docx", "x.markdown", "v.svg", "README")
    scan = scan_base(kb)
    assert paths(scan) == sorted(paths(scan))
    assert [(seen.relative, seen.kind) for seen in scan.files] == [
        ("README", "other"),
        ("a.md", "markdown"),
        ("b/deep/图.PNG", "image"),
        ("data.csv", "other"),
        ("paper.pdf", "pdf"),
        ("plan.txt", "txt"),
        ("report.docx", "docx"),
        ("v.svg", "svg"),
        ("x.markdown", "markdown"),
        ("读书 笔记/红楼梦.md", "markdown"),
    ]
    assert scan.folders == ("b", "b/deep", "读书 笔记")
    state = os.stat(os.path.join(kb.root, "a.md"))
    assert scan.files[1][1:4] == (state.st_size, state.st_mtime_ns, state.st_ino)
    assert scan.files[1].ctime_ns == state.st_ctime_ns
    assert scan.warnings == ()


def test_a_file_added_a_moment_ago_is_there(kb: KnowledgeBase) -> None:
    """R-SRCH-6, R-SRCH-10."""
    before = paths(scan_base(kb))
    write(kb.root, "new.md")
    assert sorted([*before, "new.md"]) == paths(scan_base(kb))


def test_hidden_and_named_folders_are_skipped_unless_the_scan_starts_there(kb: KnowledgeBase) -> None:
    """R-SRCH-10."""
    write(kb.root, ".hidden.md", ".obsidian/x.md", ".git/config", "node_modules/p/x.md", ".ipynb_checkpoints/n.md")
    assert paths(scan_base(kb)) == ["a.md", "plan.txt", "读书 笔记/红楼梦.md"]
    assert paths(scan_base(kb, start=".obsidian")) == [".obsidian/x.md"]
    assert paths(scan_base(kb, start="node_modules")) == ["node_modules/p/x.md"]


def test_the_ignore_file_speaks_gitignore(kb: KnowledgeBase) -> None:
    """R-SRCH-10: `.orange/ignore`, with negation, folders and Chinese names."""
    write(kb.root, "drafts/x.md", "drafts/y/z.md", "keep.log.md", "old.log.md", "sub/drafts.md", "私人/日记.md")
    write(kb.root, ".orange/ignore")
    Path(kb.root, ".orange/ignore").write_text("# no\ndrafts/\n*.log.md\n!keep.log.md\n私人\n", encoding="utf-8")
    scan = scan_base(kb)
    assert paths(scan) == ["a.md", "keep.log.md", "plan.txt", "sub/drafts.md", "读书 笔记/红楼梦.md"]
    assert scan.folders == ("sub", "读书 笔记")
    assert paths(scan_base(kb, start="drafts")) == ["drafts/x.md", "drafts/y/z.md"]


def test_an_ignore_file_that_is_a_link_out_or_a_pipe_is_not_read(kb: KnowledgeBase, outside: Path) -> None:
    """P02, P14: it does not wait and does not look outside."""
    (outside / "rules").write_text("*.md", encoding="utf-8")
    folder = Path(kb.root, ".orange")
    folder.mkdir()
    (folder / "ignore").symlink_to(outside / "rules")
    assert len(scan_base(kb).files) == 3
    (folder / "ignore").unlink()
    os.mkfifo(folder / "ignore")
    assert len(scan_base(kb).files) == 3


def test_links_that_loop_end_and_every_file_counts_once(kb: KnowledgeBase) -> None:
    """P17: `loop` → `.`, a → b → a, a link to a file that is there anyway."""
    root = Path(kb.root)
    (root / "loop").symlink_to(".")
    (root / "p").symlink_to("q")
    (root / "q").symlink_to("p")
    (root / "up.md").symlink_to("a.md")
    (root / "folder link").symlink_to("读书 笔记")
    scan = scan_base(kb)
    assert paths(scan) == ["a.md", "plan.txt", "读书 笔记/红楼梦.md"]
    assert scan.warnings == ()


def test_a_link_counts_where_its_target_is_not_found_otherwise(kb: KnowledgeBase) -> None:
    """R-SRCH-10: a note kept in a hidden folder and linked from a visible one, once for two links."""
    write(kb.root, ".store/real.md")
    for name in ("one.md", "two.md"):
        Path(kb.root, name).symlink_to(".store/real.md")
    assert paths(scan_base(kb)) == ["a.md", "one.md", "plan.txt", "读书 笔记/红楼梦.md"]


def test_links_that_leave_are_left_out_and_said(kb: KnowledgeBase, outside: Path) -> None:
    """P02: file and folder links."""
    Path(kb.root, "s.md").symlink_to(outside / "secret.txt")
    Path(kb.root, "d").symlink_to(outside)
    scan = scan_base(kb)
    assert len(scan.files) == 3
    assert scan.warnings == ("notes: d, s.md are links that leave the knowledge base and are left out.",)


def test_hard_links_are_two_files(kb: KnowledgeBase) -> None:
    """Two names of one inode are two notes."""
    os.link(os.path.join(kb.root, "a.md"), os.path.join(kb.root, "b.md"))
    assert "b.md" in paths(scan_base(kb))


def test_names_that_are_not_utf8_survive(kb: KnowledgeBase) -> None:
    """P12, P13: the very bytes come back."""
    raw = [b"\xff\xfe.md", b"a\nb.md", b"<img src=x onerror=alert(1)>.md", b"n" * 252 + b".md"]
    for name in raw:
        Path(os.fsdecode(os.path.join(os.fsencode(kb.root), name))).touch()
    assert {os.fsencode(path) for path in paths(scan_base(kb))} >= set(raw)


def test_what_is_no_regular_file_is_not_listed(kb: KnowledgeBase) -> None:
    """P14."""
    os.mkfifo(os.path.join(kb.root, "pipe.md"))
    os.symlink("/dev/zero", os.path.join(kb.root, "zero.md"))
    os.symlink("pipe.md", os.path.join(kb.root, "link.md"))
    assert len(scan_base(kb).files) == 3


def test_a_kb_inside_a_kb_is_left_to_the_inner_one(kb: KnowledgeBase) -> None:
    """R-ALL-3."""
    write(kb.root, "sub/inner/x.md", "sub/y.md")
    scan = scan_base(kb, nested_roots=[os.path.join(kb.root, "sub/inner"), kb.root, "/elsewhere"])
    assert "sub/y.md" in paths(scan)
    assert "sub/inner/x.md" not in paths(scan)
    assert "sub/inner" not in scan.folders


def test_four_hundred_folders_deep_and_over_path_max(kb: KnowledgeBase) -> None:
    """P16: no RecursionError."""
    here = os.open(kb.root, os.O_RDONLY)
    for _ in range(400):
        os.mkdir("folder-文件夹", dir_fd=here)
        deeper = os.open("folder-文件夹", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = deeper
    os.close(os.open("end.md", os.O_CREAT | os.O_WRONLY, dir_fd=here))
    os.close(here)
    scan = scan_base(kb)
    assert max(len(os.fsencode(path)) for path in paths(scan)) > 4096
    assert len(scan.folders) == 401


def test_depth_limits_the_walk(kb: KnowledgeBase) -> None:
    """R-LIST-1: what lies deeper is not even looked at."""
    write(kb.root, "b/c/d.md", "b/e.md")
    assert scan_base(kb, depth=1).folders == ("b", "读书 笔记")
    assert paths(scan_base(kb, depth=1)) == ["a.md", "plan.txt"]
    assert paths(scan_base(kb, start="b", depth=1)) == ["b/e.md"]
    assert "b/c/d.md" in paths(scan_base(kb, depth=3))


def test_a_scan_stops_within_a_second(kb: KnowledgeBase) -> None:
    """R-ALL-6, P16: in one big folder too."""
    folder = os.path.join(kb.root, "many")
    os.mkdir(folder)
    for number in range(5_000):
        os.close(os.open(f"{folder}/{number}.md", os.O_CREAT | os.O_WRONLY))
    asked = 0

    def stop() -> bool:
        nonlocal asked
        asked += 1
        return asked > 4

    began = time.monotonic()
    scanner = Scanner(kb)
    with pytest.raises(RunError) as stopped:
        scanner.scan(stop)
    assert stopped.value.code is Code.CANCELLED
    assert time.monotonic() - began < 1
    assert len(scanner.scan().files) == 5_003  # what was stopped is not remembered


def test_a_scan_again_without_a_change_is_the_very_same(kb: KnowledgeBase) -> None:
    """R-SRCH-10: with ignored files, links and warnings too."""
    write(kb.root, "old.log.md", ".store/real.md", ".orange/ignore")
    Path(kb.root, ".orange/ignore").write_text("*.log.md\n", encoding="utf-8")
    Path(kb.root, "link.md").symlink_to(".store/real.md")
    Path(kb.root, "out").symlink_to("/")
    scanner = Scanner(kb)
    first = scanner.scan()
    assert scanner.scan() is first
    assert first == scan_base(kb)
    assert paths(first) == ["a.md", "link.md", "plan.txt", "读书 笔记/红楼梦.md"]


def test_a_scan_again_sees_every_change(kb: KnowledgeBase, outside: Path) -> None:
    """R-SRCH-6, R06: each alone; what did not change is the very same object."""
    root = Path(kb.root)
    write(kb.root, ".store/real.md", ".store/other.md", ".orange/ignore")
    (root / "link.md").symlink_to(".store/real.md")
    state = (root / "a.md").stat()

    def same_size_and_mtime() -> None:
        (root / "a.md").write_text("# B\n", encoding="utf-8")
        os.utime(root / "a.md", ns=(state.st_atime_ns, state.st_mtime_ns))

    changes = (
        lambda: (root / "a.md").write_text("# longer\n", encoding="utf-8"),
        lambda: os.utime(root / "a.md", ns=(state.st_atime_ns, state.st_mtime_ns)),
        same_size_and_mtime,
        lambda: (root / "a.md").rename(root / "b.md"),
        (root / "b.md").unlink,
        lambda: write(kb.root, "空 文件夹/新.md"),
        (root / "空 文件夹/新.md").unlink,
        (root / "空 文件夹").rmdir,
        lambda: (root / ".store/real.md").write_text("# longer\n", encoding="utf-8"),
        lambda: (root / ".store/other.md").replace(root / ".store/real.md"),
        lambda: (root / "s.md").symlink_to(outside / "secret.txt"),
        lambda: (root / ".orange/ignore").write_text("*.txt\n", encoding="utf-8"),
        (root / ".orange/ignore").unlink,
    )
    scanner = Scanner(kb)
    kept = last = scanner.scan()
    for number, change in enumerate(changes):
        change()
        scan = scanner.scan()
        assert (scan != last, scan) == (True, scan_base(kb)), number
        last = scan
    assert last.files[-1] is kept.files[-1]


def test_a_missing_or_wrong_root_is_unavailable(kb: KnowledgeBase, tmp_path: Path) -> None:
    """R-SRCH-10: the error says what to do."""
    (tmp_path / "file").touch()
    for root, why in ((tmp_path / "gone", "does not exist"), (tmp_path / "file", "is not a folder")):
        with pytest.raises(PathError, match=why) as refused:
            scan_base(KnowledgeBase("kb_x", "x", str(root)))
        assert refused.value.code is Code.KB_UNAVAILABLE
        assert refused.value.hint


def test_a_closed_folder_is_said_and_costs_nothing_else(kb: KnowledgeBase) -> None:
    """R-SRCH-10: as a user without root's rights; a closed KB is unavailable."""
    os.chmod(os.path.join(kb.root, "读书 笔记"), 0)
    code = """
import sys
from orange_jupyter.core.errors import PathError
from orange_jupyter.core.paths import KnowledgeBase
from orange_jupyter.local.scan import scan_base
scan = scan_base(KnowledgeBase("kb", "notes", sys.argv[1]))
print(len(scan.files), "cannot be read" in scan.warnings[0])
"""
    assert as_plain_user(code, kb.root) == "2 True"
    os.chmod(kb.root, 0)
    assert as_plain_user(code.replace("scan = ", "try:\n  scan = ").replace(
        "print(len", "except PathError as error:\n  print(error.code)\n  raise SystemExit\nprint(len"), kb.root
    ) == "kb_unavailable"  # fmt: skip


def test_a_folder_that_opens_but_cannot_be_listed_costs_only_itself() -> None:
    """R-SRCH-10: /proc has such folders, and others that are gone before they are read."""
    assert scan_base(KnowledgeBase("kb_p", "p", "/proc/1"), depth=3).folders
