"""Registered knowledge bases: a project names its own folders and nothing else; the person's file keeps every byte."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import pytest

from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import ConfigError, PathError, UsageError
from orange_jupyter.local.bases import base_for_folder, find_project_file, load_bases
from orange_jupyter.local.registry import add_base, remove_base, rename_base
from tests.local.conftest import as_plain_user


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """ORANGE_HOME, away from the person's home folder."""
    folder = tmp_path.resolve() / "orange home"
    folder.mkdir(mode=0o700)
    return folder


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with `notes` and `文档`, and a notebook folder in it."""
    folder = tmp_path.resolve() / "项目 project"
    for name in ("notes", "文档", "notebooks/deep"):
        (folder / name).mkdir(parents=True)
    return folder


def configure(project: Path, text: str) -> Path:
    file = project / ".orange" / "config.toml"
    file.parent.mkdir(exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file


def test_a_project_file_in_a_parent_names_its_kbs(home: Path, project: Path) -> None:
    """R-NB-5: relative paths, ids and names from the file; defaults from the folder."""
    file = configure(
        project,
        '[[knowledge_bases]]\nid = "kb_n"\nname = "my notes"\npath = "notes"\nencoding = "gb18030"\n'
        '[[knowledge_bases]]\npath = "文档"\n',
    )
    loaded = load_bases(str(home), str(project / "notebooks" / "deep"))
    assert loaded.project_file == str(file)
    assert loaded.ignored == ()
    first, second = loaded.bases
    assert (first.id, first.name, first.root) == ("kb_n", "my notes", str(project / "notes"))
    assert (first.source, first.encoding) == ("project", "gb18030")
    assert (second.name, second.root) == ("文档", str(project / "文档"))


def test_the_nearest_project_file_counts_and_never_orange_home(home: Path, project: Path) -> None:
    """R-HL-3: `~/.orange` and a project's `.orange` are different folders, also behind a link."""
    outer = configure(project, "")
    inner = configure(project / "notebooks", "")
    assert find_project_file(str(home), str(project / "notebooks" / "deep")) == str(inner)
    assert find_project_file(str(inner.parent), str(project / "notebooks" / "deep")) == str(outer)
    (project / "link").symlink_to(inner.parent)
    assert find_project_file(str(project / "link"), str(project / "notebooks")) == str(outer)


def test_a_project_file_never_widens_rights(home: Path, project: Path) -> None:
    """R-NB-5, K01: tier, keys, models, providers, hooks, switches, MCP and KB fields are ignored and listed."""
    configure(
        project,
        'tier = "full-auto"\nnetwork = true\nkeys = {x = "k"}\n[[knowledge_bases]]\npath = "notes"\nhooks = "rm"\n'
        '[[providers]]\nbase_url = "http://evil"\n[models]\n[hooks]\n[mcp.servers]\n[switches]\nexec = true\n',
    )
    loaded = load_bases(str(home), str(project))
    assert [base.name for base in loaded.bases] == ["notes"]
    keys = [line.split(" ignored: project file")[0] for line in loaded.ignored]
    wanted = ["tier", "network", "keys", "providers", "models", "hooks", "mcp", "switches", "knowledge_bases[0].hooks"]
    assert keys == wanted


@pytest.mark.parametrize("path", ["../secret", "{outside}", "link", "notes/../../secret", "deep link/x", "~"])
def test_a_kb_outside_the_project_is_ignored_until_the_person_adds_it(path: str, home: Path, project: Path) -> None:
    """R-NB-5: links resolved; a look-alike is outside too."""
    secret = project.parent / "secret"
    (secret / "x").mkdir(parents=True)
    (project / "link").symlink_to(secret)
    (project / "deep link").symlink_to(secret)
    configure(project, f'[[knowledge_bases]]\npath = "{path.format(outside=secret)}"\n')
    loaded = load_bases(str(home), str(project))
    assert loaded.bases == ()
    assert "ignored: outside the project" in loaded.ignored[0]
    if path == "link":
        added = add_base(str(home), str(project), "link")
        assert (added.root, added.source) == (str(secret), "user")
        again = load_bases(str(home), str(project))
        assert (again.bases, again.ignored) == ((added,), ())


def test_a_project_cannot_take_the_id_of_the_persons_kb(home: Path, project: Path, tmp_path: Path) -> None:
    """K01: an id gives access to an index and to file ids."""
    (tmp_path / "mine").mkdir()
    mine = add_base(str(home), str(tmp_path / "elsewhere"), str(tmp_path / "mine"))
    configure(project, f'[[knowledge_bases]]\nid = "{mine.id}"\npath = "notes"\n')
    loaded = load_bases(str(home), str(project))
    assert loaded.bases == (mine,)
    assert "belongs to another knowledge base" in loaded.ignored[0]


def test_names_are_unique_and_a_folder_counts_once(home: Path, project: Path) -> None:
    """R-ALL-3: `notes`, `notes-2`; compared without case."""
    (project / "b" / "Notes").mkdir(parents=True)
    (project / "c" / "notes").mkdir(parents=True)
    (project / "same").symlink_to("notes")
    paths = ("notes", "b/Notes", "c/notes", "same")
    configure(project, "".join(f'[[knowledge_bases]]\npath = "{path}"\n' for path in paths))
    assert [base.name for base in load_bases(str(home), str(project)).bases] == ["notes", "Notes-2", "notes-3"]


def test_a_registered_folder_that_is_missing_is_kept(home: Path, project: Path) -> None:
    """R-SRCH-10: it is said where it is used, and costs nothing else."""
    configure(project, '[[knowledge_bases]]\npath = "gone"\n[[knowledge_bases]]\npath = "notes"\n')
    assert [base.name for base in load_bases(str(home), str(project)).bases] == ["gone", "notes"]


@pytest.mark.parametrize(
    ("text", "line", "key"),
    [
        ('a = 1\nb = = 2\n', 2, None),
        ('[[knowledge_bases]]\npath = "notes"\n\n[[knowledge_bases]]\npath = 7\n', 4, "knowledge_bases[1].path"),
        ('[[knowledge_bases]]\nname = "x"\n', 1, "knowledge_bases[0].path"),
        ('[[knowledge_bases]]\npath = "n"\nname = "a/b"\n', 1, "knowledge_bases[0].name"),
        ('[[knowledge_bases]]\npath = "n"\nid = "../x"\n', 1, "knowledge_bases[0].id"),
        ('[[knowledge_bases]]\npath = "n"\nencoding = "klingon"\n', 1, "knowledge_bases[0].encoding"),
        ('x = 1\nknowledge_bases = "notes"\n', 2, "knowledge_bases"),
    ],
)  # fmt: skip
def test_a_broken_file_is_named_with_line_and_key(
    text: str, line: int, key: str | None, home: Path, project: Path
) -> None:
    """R-NB-5: the person's and the project's alike."""
    for file in (configure(project, text), home / "config.toml"):
        file.write_text(text, encoding="utf-8")
        with pytest.raises(ConfigError) as broken:
            load_bases(str(home), str(project))
        assert (broken.value.file, broken.value.line, broken.value.key) == (str(file), line, key)
        file.unlink()


def test_a_file_that_is_no_text_or_a_pipe_is_refused_at_once(home: Path, project: Path) -> None:
    """P02, P14: not UTF-8, a pipe, a link that leaves the project."""
    file = configure(project, "")
    file.write_bytes(b'a = 1\nb = "\xff"\n')
    with pytest.raises(ConfigError) as broken:
        load_bases(str(home), str(project))
    assert broken.value.line == 2
    file.unlink()
    file.symlink_to("/etc/hostname")
    with pytest.raises(ConfigError, match="leaves"):
        load_bases(str(home), str(project))
    os.mkfifo(home / "config.toml")
    file.unlink()
    with pytest.raises(ConfigError, match="pipe"):
        load_bases(str(home), str(project))


def test_a_folder_inside_the_project_goes_into_its_file(home: Path, project: Path) -> None:
    """R-NB-5: with a relative path and a lasting id, so that it works in a clone."""
    added = add_base(str(home), str(project / "notebooks"), "../notes")  # no project file yet: outside the notebook's
    assert added.source == "user"
    inner = add_base(str(home), str(project), "文档", name="docs", encoding="gb18030")
    assert inner.source == "project"
    text = (project / ".orange" / "config.toml").read_text(encoding="utf-8")
    assert 'path = "文档"' in text
    clone = project.parent / "clone"
    os.rename(project, clone)
    loaded = load_bases(str(home), str(clone / "notebooks"))
    assert [(base.id, base.name, base.root) for base in loaded.bases if base.source == "project"] == [
        (inner.id, "docs", str(clone / "文档"))
    ]


def test_adding_twice_gives_the_same_kb(home: Path, project: Path) -> None:
    """R-ALL-3: by the real folder."""
    (project / "same").symlink_to("notes")
    assert add_base(str(home), str(project), "notes") == add_base(str(home), str(project), "same")


KEPT = """# my settings — 我的设置\r
default_tier = "workspace-readonly"   # careful

[[knowledge_bases]] # first
path = "{one}"
id   = "kb_one"

[models.local]
base_url = 'http://localhost:1'   # keep me
"""


def test_every_other_byte_of_the_persons_file_stays(home: Path, project: Path, tmp_path: Path) -> None:
    """R-NB-5: add, rename, remove; mode and link stay."""
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    real = tmp_path / "dotfiles.toml"
    before = KEPT.format(one=tmp_path / "one").encode()
    real.write_bytes(before)
    real.chmod(0o640)
    (home / "config.toml").symlink_to(real)
    added = add_base(str(home), str(project), str(tmp_path / "two"))
    assert all(line in real.read_bytes() for line in before.splitlines(keepends=True))
    assert rename_base(str(home), str(project), "one", "第一").name == "第一"
    rename_base(str(home), str(project), added.id, "second")
    assert [base.name for base in load_bases(str(home), str(project)).bases] == ["第一", "second"]
    remove_base(str(home), str(project), "second")
    assert real.read_bytes().replace('name = "第一"\n'.encode(), b"").split() == before.split()
    assert (home / "config.toml").is_symlink()
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    assert not list(tmp_path.glob("*.tmp"))


def test_a_new_file_of_the_person_is_private(home: Path, project: Path, tmp_path: Path) -> None:
    """R-HL-3."""
    (tmp_path / "n").mkdir()
    add_base(str(home), str(project), str(tmp_path / "n"))
    assert stat.S_IMODE((home / "config.toml").stat().st_mode) == 0o600


def test_an_inline_list_is_extended_too(home: Path, project: Path, tmp_path: Path) -> None:
    """R-NB-5: written by hand in the other form of TOML."""
    (home / "config.toml").write_text('knowledge_bases = [{path = "/one"}]\n[models]\n', encoding="utf-8")
    (tmp_path / "two").mkdir()
    add_base(str(home), str(project), str(tmp_path / "two"))
    assert [base.name for base in load_bases(str(home), str(project)).bases] == ["one", "two"]


def test_two_kernels_that_add_at_once_lose_nothing(home: Path, project: Path, tmp_path: Path) -> None:
    """R-SRCH-7: the file is read and written under one lock."""
    folders = [tmp_path / f"kb{number}" for number in range(8)]
    for folder in folders:
        folder.mkdir()
    threads = [threading.Thread(target=add_base, args=(str(home), str(project), str(one))) for one in folders]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {base.root for base in load_bases(str(home), str(project)).bases} == {str(one.resolve()) for one in folders}


def test_folders_that_cannot_be_a_kb_are_refused_with_a_hint(
    home: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R-ALL-1: missing, a file, the disk, the home folder."""
    (project / "file.md").touch()
    monkeypatch.setenv("HOME", str(project))
    for path, code in {
        "gone": Code.NOT_FOUND,
        "file.md": Code.KB_UNAVAILABLE,
        "/": Code.KB_UNAVAILABLE,
        str(project): Code.KB_UNAVAILABLE,
    }.items():
        with pytest.raises(PathError) as refused:
            add_base(str(home), str(project), path)
        assert refused.value.code is code
        assert refused.value.hint


def test_an_unreadable_folder_is_refused(home: Path, project: Path) -> None:
    """R-SRCH-10: as a user without root's rights."""
    (project / "notes").chmod(0)
    code = """
import sys
from orange_jupyter.core.errors import PathError
from orange_jupyter.local.bases import base_for_folder
try:
    base_for_folder(sys.argv[1])
except PathError as error:
    print(error.code)
"""
    assert as_plain_user(code, str(project / "notes")) == "no_access"


def test_unknown_and_taken_names_are_refused_with_a_way_out(home: Path, project: Path) -> None:
    """R-NB-3: the nearest right one."""
    add_base(str(home), str(project), "notes")
    add_base(str(home), str(project), "文档", name="docs")
    for refused in (
        lambda: rename_base(str(home), str(project), "note", "x"),
        lambda: rename_base(str(home), str(project), "docs", "NOTES"),
        lambda: rename_base(str(home), str(project), "docs", "a/b"),
        lambda: remove_base(str(home), str(project), "nothing"),
        lambda: add_base(str(home), str(project), "notebooks", encoding="klingon"),
    ):
        with pytest.raises(UsageError):
            refused()
    with pytest.raises(UsageError) as near:
        remove_base(str(home), str(project), "note")
    assert near.value.hint == "Did you mean notes?"


def test_kb_dir_has_a_stable_id_from_its_real_path(home: Path, project: Path) -> None:
    """R-SCH-7, P05: the same through a link; a registered folder is that KB."""
    (project / "same").symlink_to("notes")
    one, two = base_for_folder(str(project / "notes")), base_for_folder(str(project / "same"))
    assert one == two
    assert one.id.startswith("kb_")
    assert (one.source, one.name) == ("run", "notes")
    registered = add_base(str(home), str(project), "notes")
    assert base_for_folder(str(project / "same"), load_bases(str(home), str(project)).bases) == registered
