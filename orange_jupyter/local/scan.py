"""Finds what lies in a knowledge base: one walk through its own directory fd (R-SRCH-10).

`list`, the index and file ids all start from a `Scan`. Synchronous: call it in a thread.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from operator import itemgetter
from typing import NamedTuple

from pathspec import GitIgnoreSpec

from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import RunError
from orange_jupyter.core.paths import FILE_TYPES, SKIPPED_FOLDERS, KnowledgeBase, file_type, shown_name
from orange_jupyter.local.opening import LOOK, RootFolder

Stop = Callable[[], bool]
"""Asked now and then; True ends the scan with RunError cancelled."""

IGNORE_FILE = ".orange/ignore"
IGNORE_BYTES = 1_048_576
STOP_EVERY = 500
NAMED_IN_WARNING = 5


class Seen(NamedTuple):
    """One regular file. `relative` is KB-relative POSIX (may hold surrogate escapes), `kind` its `fileType`.

    A named tuple, since 100,000 of them are made in one scan (a frozen dataclass costs four times as much).
    """

    relative: str
    size: int
    mtime_ns: int
    inode: int
    kind: str


@dataclass(frozen=True, slots=True)
class Scan:
    """What was found: files and folders sorted by path, and warnings that a person reads."""

    files: tuple[Seen, ...]
    folders: tuple[str, ...]
    warnings: tuple[str, ...] = ()


@dataclass(slots=True)
class _Walk:
    root: RootFolder
    stop: Stop | None
    skipped: frozenset[str]
    ignore: GitIgnoreSpec | None
    deepest: int | None
    files: list[Seen] = field(default_factory=list)
    folders: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    closed: list[str] = field(default_factory=list)
    leaving: list[str] = field(default_factory=list)
    waiting: list[str] = field(default_factory=list)


def scan_base(
    base: KnowledgeBase,
    *,
    stop: Stop | None = None,
    nested_roots: Collection[str] = (),
    start: str = "",
    depth: int | None = None,
) -> Scan:
    """Every file and folder of a knowledge base, once.

    `nested_roots` are real paths of folders to leave out: other selected KBs inside this one, this product's own
    folder. `start` is a KB-relative folder to scan alone, hidden or ignored ones too, `depth` how many levels deep.
    Links to folders are not followed; a link to a file counts where its target was not found otherwise. Raises
    PathError kb_unavailable, RunError cancelled.
    """
    with RootFolder(base.root) as root:
        deepest = start.count("/") + bool(start) + depth - 1 if depth else None
        ignore = None if start else _ignored(root)
        walk = _Walk(root, stop, _nested(base.root, nested_roots), ignore, deepest, waiting=[start])
        while walk.waiting:
            _scan_folder(walk, walk.waiting.pop())
        _add_links(walk)
    files = walk.files
    if walk.ignore is not None:
        files = [seen for seen in files if not walk.ignore.match_file(seen.relative)]
    files.sort(key=itemgetter(0))
    walk.folders.sort()
    return Scan(tuple(files), tuple(walk.folders), _warnings(walk, base))


def _scan_folder(walk: _Walk, folder: str) -> None:
    _ask(walk)
    try:
        fd = walk.root.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError as error:
        if error.errno == errno.EACCES:
            walk.closed.append(folder)
        return  # gone, or replaced by a link, since its parent was read
    try:
        with os.scandir(fd) as entries:
            _take(walk, folder + "/" if folder else "", entries)
    finally:
        os.close(fd)


def _take(walk: _Walk, prefix: str, entries: os._ScandirIterator[str]) -> None:
    kinds, take, new = FILE_TYPES, walk.files.append, tuple.__new__  # `new` skips the generated constructor: 5 ms of 50
    for number, entry in enumerate(entries, 1):
        if number % STOP_EVERY == 0:
            _ask(walk)
        name = entry.name
        if name[0] == "." or name in SKIPPED_FOLDERS:
            continue
        relative = prefix + name
        if entry.is_file(follow_symlinks=False):
            try:
                state = entry.stat(follow_symlinks=False)
            except OSError:
                continue  # gone since the folder was read
            dot = name.rfind(".")
            kind = kinds.get(name[dot:].lower(), "other") if dot > 0 else "other"
            take(new(Seen, (relative, state.st_size, state.st_mtime_ns, state.st_ino, kind)))
        elif entry.is_symlink():
            walk.links.append(relative)
        elif entry.is_dir(follow_symlinks=False):
            _take_folder(walk, relative)


def _take_folder(walk: _Walk, relative: str) -> None:
    if relative in walk.skipped or (walk.ignore is not None and walk.ignore.match_file(relative + "/")):
        return
    walk.folders.append(relative)
    if walk.deepest is None or relative.count("/") < walk.deepest:
        walk.waiting.append(relative)


def _add_links(walk: _Walk) -> None:
    known = {(seen.inode, seen.size, seen.mtime_ns) for seen in walk.files} if walk.links else set()
    for relative in sorted(walk.links):
        _ask(walk)
        try:
            fd = walk.root.open(relative, LOOK)
        except OSError as error:
            if error.errno == errno.EXDEV:
                walk.leaving.append(relative)
            continue  # leads nowhere or in a circle
        try:
            state = os.fstat(fd)
        finally:
            os.close(fd)
        same = (state.st_ino, state.st_size, state.st_mtime_ns)
        if stat.S_ISREG(state.st_mode) and same not in known:
            known.add(same)
            walk.files.append(Seen(relative, state.st_size, state.st_mtime_ns, state.st_ino, file_type(relative)))


def _ask(walk: _Walk) -> None:
    if walk.stop is not None and walk.stop():
        raise RunError(Code.CANCELLED, "The scan of the knowledge base was stopped.")


def _nested(root: str, nested_roots: Collection[str]) -> frozenset[str]:
    above = root.rstrip("/") + "/"
    return frozenset(nested[len(above) :] for nested in nested_roots if nested.startswith(above))


def _ignored(root: RootFolder) -> GitIgnoreSpec | None:
    try:
        fd = root.open(IGNORE_FILE, os.O_RDONLY | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            return None
        text = os.read(fd, IGNORE_BYTES).decode("utf-8", "surrogateescape")
    finally:
        os.close(fd)
    return GitIgnoreSpec.from_lines(text.splitlines())


def _warnings(walk: _Walk, base: KnowledgeBase) -> tuple[str, ...]:
    said = (
        (walk.closed, "cannot be read by this user and are left out"),
        (walk.leaving, "are links that leave the knowledge base and are left out"),
    )
    return tuple(f"{base.name}: {_named(names)} {what}." for names, what in said if names)


def _named(names: list[str]) -> str:
    first = ", ".join(shown_name(name) for name in sorted(names)[:NAMED_IN_WARNING])
    more = len(names) - NAMED_IN_WARNING
    return f"{first} and {more:,} more" if more > 0 else first
