"""Finds what lies in a knowledge base: one walk through its own directory fd (R-SRCH-10).

`list`, the index and file ids all start from a `Scan`. Synchronous: call it in a thread.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from operator import itemgetter
from typing import NamedTuple

from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import RunError
from orange_jupyter.core.paths import SKIPPED_FOLDERS, KnowledgeBase, file_type, shown_name
from orange_jupyter.local.ignoring import Rules, read_rules
from orange_jupyter.local.opening import LOOK, RootFolder

Stop = Callable[[], bool]
"""Asked now and then; True ends the scan with RunError cancelled."""

STOP_EVERY = 500
NAMED_IN_WARNING = 5


class Seen(NamedTuple):
    """One regular file. `relative` is KB-relative POSIX (may hold surrogate escapes), `kind` its `fileType`.

    `ctime_ns` tells a change that kept size and mtime (`touch -r`); 0 where only the place matters. A named tuple,
    since 100,000 of them are made in one scan (a frozen dataclass costs four times as much).
    """

    relative: str
    size: int
    mtime_ns: int
    inode: int
    kind: str
    ctime_ns: int = 0


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
    rules: Rules | None
    deepest: int | None = None
    before: Mapping[str, Seen] = field(default_factory=dict)
    fresh: bool = False
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
        rules = None if start else read_rules(root)
        walk = _Walk(root, stop, _nested(base.root, nested_roots), rules, deepest)
        _go(walk, start)
    return _result(walk, base)


class Scanner:
    """Scans one whole KB again and again, as `scan_base` does, in two thirds of the time.

    A file in the state it had is the very object it was, and where nothing changed so is the whole `Scan`. One
    thread at a time.
    """

    def __init__(self, base: KnowledgeBase, nested_roots: Collection[str] = ()) -> None:
        self.base = base
        self._skipped = _nested(base.root, nested_roots)
        self._before: dict[str, Seen] = {}
        self._rules: Rules | None = None
        self._scan: Scan | None = None

    def scan(self, stop: Stop | None = None) -> Scan:
        """Raises as `scan_base`."""
        with RootFolder(self.base.root) as root:
            walk = _Walk(root, stop, self._skipped, read_rules(root, self._rules), before=self._before)
            _go(walk, "")
        if self._scan is None or self._differs(walk, self._scan):
            self._scan = _result(walk, self.base)
            self._before = {seen.relative: seen for seen in walk.files}
            self._rules = walk.rules
        return self._scan

    def _differs(self, walk: _Walk, scan: Scan) -> bool:
        if walk.fresh or len(walk.files) != len(self._before) or walk.rules is not self._rules:
            return True
        return tuple(sorted(walk.folders)) != scan.folders or _warnings(walk, self.base) != scan.warnings


def _go(walk: _Walk, start: str) -> None:
    walk.waiting.append(start)
    while walk.waiting:
        _scan_folder(walk, walk.waiting.pop())
    _add_links(walk)


def _result(walk: _Walk, base: KnowledgeBase) -> Scan:
    files = walk.files if walk.rules is None else list(_not_ignored(walk, walk.rules))
    files.sort(key=itemgetter(0))
    return Scan(tuple(files), tuple(sorted(walk.folders)), _warnings(walk, base))


def _not_ignored(walk: _Walk, rules: Rules) -> Iterator[Seen]:
    for seen in walk.files:
        _ask(walk)  # thousands of rules take a millisecond for each file
        if not rules.ignore(seen.relative):
            yield seen


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
    except OSError as error:  # a folder that opens but cannot be listed, as in /proc
        if error.errno in (errno.EACCES, errno.EPERM):
            walk.closed.append(folder)
    finally:
        os.close(fd)


def _take(walk: _Walk, prefix: str, entries: os._ScandirIterator[str]) -> None:
    """The hot loop: calls, new objects and attribute look-ups here are what a rescan costs beside the bare walk."""
    take, known = walk.files.append, walk.before.get
    for number, entry in enumerate(entries, 1):
        if number % STOP_EVERY == 0:
            _ask(walk)
        name = entry.name
        if name[0] == ".":
            continue
        relative = prefix + name
        if not entry.is_file(follow_symlinks=False):
            _take_other(walk, entry, relative)
            continue
        try:
            now = entry.stat(follow_symlinks=False)
        except OSError:
            continue  # gone since the folder was read
        old = known(relative)
        if (
            old is None
            or now.st_mtime_ns != old[2]
            or now.st_ctime_ns != old[5]
            or now.st_size != old[1]
            or now.st_ino != old[3]
        ):
            old = _seen(relative, now)
            walk.fresh = True
        take(old)


def _seen(relative: str, state: os.stat_result) -> Seen:
    kind = file_type(relative)
    made = (relative, state.st_size, state.st_mtime_ns, state.st_ino, kind, state.st_ctime_ns)
    return tuple.__new__(Seen, made)  # skips the generated constructor: 5 ms of 50 for 10,000 files


def _take_other(walk: _Walk, entry: os.DirEntry[str], relative: str) -> None:
    if entry.name in SKIPPED_FOLDERS:
        return
    if entry.is_symlink():
        walk.links.append(relative)
    elif entry.is_dir(follow_symlinks=False):
        _take_folder(walk, relative)


def _take_folder(walk: _Walk, relative: str) -> None:
    if relative in walk.skipped or (walk.rules is not None and walk.rules.ignore(relative + "/")):
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
            seen, old = _seen(relative, state), walk.before.get(relative)
            walk.fresh = walk.fresh or seen != old
            walk.files.append(old if old is not None and seen == old else seen)


def _ask(walk: _Walk) -> None:
    if walk.stop is not None and walk.stop():
        raise RunError(Code.CANCELLED, "The scan of the knowledge base was stopped.")


def _nested(root: str, nested_roots: Collection[str]) -> frozenset[str]:
    above = root.rstrip("/") + "/"
    return frozenset(nested[len(above) :] for nested in nested_roots if nested.startswith(above))


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
