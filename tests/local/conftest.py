"""A knowledge base on a real disk, an outside folder with a CANARY, and a way to run code without root's rights."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from orange_jupyter.core.paths import KnowledgeBase
from orange_jupyter.local.fileids import FileIds
from orange_jupyter.local.protected import Protected
from orange_jupyter.local.workspace import LocalWorkspace

CANARY = "CANARY-7f3e"
NO_OVERRIDE = "-dac_override,-dac_read_search"

MakeWorkspace = Callable[..., LocalWorkspace]


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A folder outside every KB, with `secret.txt` that holds the CANARY."""
    folder = tmp_path.resolve() / "o"
    folder.mkdir()
    (folder / "secret.txt").write_text(CANARY, encoding="utf-8")
    return folder


@pytest.fixture
def kb(tmp_path: Path) -> KnowledgeBase:
    """A KB `notes` with three notes, one of them Chinese in a folder with a space."""
    root = tmp_path.resolve() / "notes"
    (root / "读书 笔记").mkdir(parents=True)
    (root / "a.md").write_text("# A\n", encoding="utf-8")
    (root / "读书 笔记" / "红楼梦.md").write_text("# 红楼梦\n", encoding="utf-8")
    (root / "plan.txt").write_text("plan\n", encoding="utf-8")
    return KnowledgeBase("kb_notes", "notes", str(root))


@pytest.fixture
def other(tmp_path: Path) -> KnowledgeBase:
    """A second KB, `team`, with one note."""
    root = tmp_path.resolve() / "team"
    root.mkdir()
    (root / "w.md").write_text("# W\n", encoding="utf-8")
    return KnowledgeBase("kb_team", "team", str(root))


@pytest.fixture
def file_ids(tmp_path: Path) -> Iterator[FileIds]:
    """A store of file ids in a home of its own."""
    ids = FileIds(tmp_path / "home" / "files.db")
    yield ids
    ids.close()


@pytest.fixture
def make_workspace(file_ids: FileIds, tmp_path: Path) -> MakeWorkspace:
    """Builds a workspace over some KBs."""

    def make(*bases: KnowledgeBase) -> LocalWorkspace:
        return LocalWorkspace(bases, file_ids, Protected(str(tmp_path / "person"), (str(tmp_path / "home"),)))

    return make


@pytest.fixture
def workspace(make_workspace: MakeWorkspace, kb: KnowledgeBase) -> LocalWorkspace:
    """A workspace over `kb` alone."""
    return make_workspace(kb)


def as_plain_user(code: str, *arguments: str) -> str:
    """Run Python code in a child that may not override file modes (root ignores them); returns what it printed."""
    command = [sys.executable, "-c", code, *arguments]
    if os.geteuid() == 0:
        command = ["setpriv", f"--bounding-set={NO_OVERRIDE}", f"--inh-caps={NO_OVERRIDE}", *command]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.strip()
