"""Whatever path is asked for, whatever links lie about: no byte from outside, and only typed errors."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from orange_jupyter.core.errors import PathError, ToolError
from orange_jupyter.core.paths import KnowledgeBase
from orange_jupyter.local.fileids import FileIds
from orange_jupyter.local.files import read_beneath
from orange_jupyter.local.placing import resolve
from orange_jupyter.local.protected import Protected
from orange_jupyter.local.reading import Disk
from tests.local.conftest import CANARY

LINKS = {
    "out": "../../o",
    "abs": "/",
    "up": "..",
    "dots": "../kb/../../o/secret.txt",
    "self": ".",
    "inner": "sub/deep",
    "proc": "/proc/self/root",
    "s.md": "out/secret.txt",
    "é": "sub",
}
PARTS = st.sampled_from(
    [
        *LINKS,
        "..",
        ".",
        "",
        "sub",
        "deep",
        "a.md",
        "secret.txt",
        "o",
        "kb",
        "kb-private",
        "笔记.md",
        "%2e%2e",
        "~",
        "...",
    ]
)
PATHS = st.builds(
    lambda start, parts: start + "/".join(parts),
    st.sampled_from(["", "/", "//", "./", "{root}/", "{root}-private/", "{root}/../", "{o}/", "other/"]),
    st.lists(PARTS, max_size=7),
)


@pytest.fixture(scope="module")
def disk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Disk]:
    """A KB full of links beside a look-alike folder and an outside one, both with a CANARY."""
    top = tmp_path_factory.mktemp("containment").resolve()
    for folder in ("x/kb/sub/deep", "x/kb-private", "o", "x/o", "other"):
        (top / folder).mkdir(parents=True)
    for name in ("x/kb/a.md", "x/kb/sub/a.md", "x/kb/sub/deep/笔记.md", "x/kb/secret.txt", "other/a.md"):
        (top / name).write_text("inside", encoding="utf-8")
    for name in ("o/secret.txt", "x/o/secret.txt", "x/kb-private/a.md", "x/secret.txt", "secret.txt"):
        (top / name).write_text(CANARY, encoding="utf-8")
    for name, target in LINKS.items():
        for folder in ("x/kb", "x/kb/sub", "x/kb/sub/deep"):
            if not os.path.lexists(top / folder / name):
                os.symlink(target, top / folder / name)
    bases = (KnowledgeBase("kb_a", "kb", str(top / "x/kb")), KnowledgeBase("kb_b", "other", str(top / "other")))
    ids = FileIds(top / "home" / "files.db")
    yield Disk(bases, ids, Protected(str(top / "home")))
    ids.close()


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(PATHS)
def test_no_path_reads_a_byte_from_outside(disk: Disk, path: str) -> None:
    """R-SCOPE-1, P01, P02, P06: an inside place gives inside bytes or a typed error; an outside one says it is."""
    root = disk.bases[0].root
    asked = path.format(root=root, o=Path(root).parents[1] / "o")
    try:
        place = resolve(asked, disk.bases)
    except PathError:
        return
    if place.knowledge_base is None:
        assert os.path.isabs(place.relative)
        assert not any(place.relative == base.root or place.relative.startswith(base.root + "/") for base in disk.bases)
        return
    try:
        found = disk.read(place, 1_000, lambda: False)
    except ToolError:
        return
    assert found.data == b"inside"
    assert resolve(place.shown, disk.bases).relative == place.relative


@settings(max_examples=300, deadline=None)
@given(st.lists(PARTS, max_size=7))
def test_not_even_an_unparsed_path_leaves_the_folder(disk: Disk, parts: list[str]) -> None:
    """R-SCOPE-1: the last line of defence, below all parsing."""
    try:
        data, _, _ = read_beneath(disk.bases[0].root, "/".join(parts), limit=1_000)
    except ToolError:
        return
    assert data == b"inside"
