"""The index of one knowledge base as this process knows it: what is in it, what differs from a scan.

Synchronous: call it in a thread. Other kernels may write the same file; a counter in it tells.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from orange_jupyter.core.codes import Code
from orange_jupyter.core.paths import SEARCHABLE
from orange_jupyter.local.index import records
from orange_jupyter.local.index.database import Database
from orange_jupyter.local.index.records import Record
from orange_jupyter.local.scan import Seen

RACY_NS = 2_000_000_000
"""A file whose mtime or ctime lies within 2 s of its reading may have changed since in one tick of a coarse clock
(R06)."""

RETRIED = (Code.NO_ACCESS.value, Code.IO_ERROR.value)
"""Failures that a person can mend without touching the file's mtime."""


@dataclass(frozen=True, slots=True)
class Difference:
    """What a scan found other than the index knows. `suspects` look the same, but must be read to be sure."""

    added: tuple[Seen, ...] = ()
    changed: tuple[Seen, ...] = ()
    suspects: tuple[Seen, ...] = ()
    removed: tuple[str, ...] = ()

    @property
    def nothing(self) -> bool:
        """Whether the index is up to date."""
        return not (self.added or self.changed or self.suspects or self.removed)


@dataclass(frozen=True, slots=True)
class Entry:
    """A file as the index knows it: its state when it was read, its content's hash, why it could not be indexed."""

    state: Seen
    hash: str
    code: str | None


@dataclass(slots=True)
class _Known:
    path: Path | None = None
    generation: int = -1
    states: frozenset[Seen] = frozenset()
    by_path: dict[str, Seen] = field(default_factory=dict)
    suspects: frozenset[Seen] = frozenset()
    clean: tuple[Seen, ...] | None = None


def is_racy(seen: Seen, checked_ns: int) -> bool:
    """Whether a file may have changed after it was read at `checked_ns` and still look the same."""
    return abs(checked_ns - seen.mtime_ns) < RACY_NS or abs(checked_ns - seen.ctime_ns) < RACY_NS


class Shelf:
    """One knowledge base's index."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self._known = _Known()

    def difference(self, files: tuple[Seen, ...]) -> Difference:
        """Compare a whole scan's files with the index; free for the tuple that was found without difference before.

        Files that cannot be searched do not count. Raises Damaged.
        """
        self.database.check()
        known = self._load()
        if files is known.clean:
            return Difference()
        found = _compared(known, frozenset(seen for seen in files if seen.kind in SEARCHABLE))
        known.clean = files if found.nothing else None
        return found

    def entry(self, relative: str) -> Entry | None:
        """What the index has of one file now. Raises Damaged."""
        return self.database.read(lambda connection: _entry(connection, relative))

    def put(self, written: Sequence[Record]) -> None:
        """Write files, all in one transaction. Raises Damaged, sqlite3.OperationalError, OSError."""

        def change(connection: sqlite3.Connection) -> None:
            for record in written:
                records.put(connection, record)

        if written:
            self.database.write(change)

    def remove(self, paths: Sequence[str]) -> None:
        """Take files out, in one transaction. Raises as `put`."""

        def change(connection: sqlite3.Connection) -> None:
            for path in paths:
                records.drop(connection, path)

        if paths:
            self.database.write(change)

    def settle(self) -> None:
        """Seal the index after the last of some writes. Raises as `put`."""
        self.database.settle()

    def begin_anew(self) -> None:
        """Throw the index away."""
        self.database.begin_anew()
        self._known = _Known()

    def generation(self) -> int:
        """Changes with every write of any kernel. Raises Damaged."""
        return self.database.read(_generation)

    def _load(self) -> _Known:
        known = self._known
        generation, path = self.generation(), self.database.path
        if path is None or (path, generation) != (known.path, known.generation):
            known = self._known = self.database.read(_known)
            known.path = path
        return known


def _compared(known: _Known, present: frozenset[Seen]) -> Difference:
    fresh = present - known.states
    suspects = tuple(sorted(known.suspects & present))
    if not fresh and len(present) == len(known.states):
        return Difference(suspects=suspects)
    here = {seen.relative for seen in present}
    return Difference(
        added=tuple(sorted(seen for seen in fresh if seen.relative not in known.by_path)),
        changed=tuple(sorted(seen for seen in fresh if seen.relative in known.by_path)),
        suspects=suspects,
        removed=tuple(sorted(path for path in known.by_path if path not in here)),
    )


def _generation(connection: sqlite3.Connection) -> int:
    return int(connection.execute("SELECT value FROM meta WHERE key = 'generation'").fetchone()[0])


def _entry(connection: sqlite3.Connection, relative: str) -> Entry | None:
    row = connection.execute(
        "SELECT size, mtime_ns, inode, kind, ctime_ns, hash, code FROM file WHERE path = ?", (os.fsencode(relative),)
    ).fetchone()
    if row is None:
        return None
    size, mtime_ns, inode, kind, ctime_ns, content_hash, code = row
    return Entry(Seen(relative, size, mtime_ns, int(inode), kind, ctime_ns), content_hash, code)


def _known(connection: sqlite3.Connection) -> _Known:
    known = _Known(generation=_generation(connection))
    states, suspects = [], []
    rows = connection.execute("SELECT path, size, mtime_ns, inode, kind, ctime_ns, checked_ns, code FROM file")
    for path, size, mtime_ns, inode, kind, ctime_ns, checked_ns, code in rows:
        seen = Seen(os.fsdecode(path), size, mtime_ns, int(inode), kind, ctime_ns)
        states.append(seen)
        known.by_path[seen.relative] = seen
        if is_racy(seen, checked_ns) or code in RETRIED:
            suspects.append(seen)
    known.states, known.suspects = frozenset(states), frozenset(suspects)
    return known
