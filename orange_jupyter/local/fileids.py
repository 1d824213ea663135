"""Keeps the stable `fileId` of every scanned file in ORANGE_HOME/files.db, across renames and kernels (R-SCH-7).

Several kernels share the store. Every method may be called from any thread.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from orange_jupyter.local.fileids_store import open_store, remove_store, unusable
from orange_jupyter.local.renames import Known, content_hashes, recognise
from orange_jupyter.local.scan import Seen

T = TypeVar("T")
INODE_BITS = 2**63 - 1  # SQLite's integers are signed


class FileIds:
    """The file ids of every KB of this installation.

    `path` is the SQLite file. Where it cannot be used, `warning` says why and ids are kept in memory: they then
    derive from KB id and present path. A damaged store is made anew.
    """

    def __init__(self, path: str | Path, *, vfs: str = "") -> None:
        self._path = Path(path).absolute()
        self._vfs = vfs
        self._lock = threading.RLock()
        self._rows: dict[str, dict[str, Known]] = {}
        self._version = -1
        self._db, self.warning = open_store(self._path, vfs)

    def assign(self, base_id: str, seen: Iterable[Seen], root: str | None = None) -> dict[str, str]:
        """The id of every file of a *whole* scan of a KB, by relative path; writes only what changed.

        A path keeps its id. A new path takes over the id of a file that is gone: same inode and size, else, where
        `root` (the KB's real path) is given, same content.
        """
        files = [one if one.inode <= INODE_BITS else one._replace(inode=one.inode & INODE_BITS) for one in seen]
        return self._safely(lambda: self._assign(base_id, files, root, whole=True))

    def include(self, base_id: str, seen: Iterable[Seen]) -> dict[str, str]:
        """The ids of some files of a KB (hidden ones, one folder); no other file counts as gone."""
        files = [one if one.inode <= INODE_BITS else one._replace(inode=one.inode & INODE_BITS) for one in seen]
        return self._safely(lambda: self._assign(base_id, files, None, whole=False))

    def known(self, base_id: str, relative: str) -> str | None:
        """The id of a path, None if it was never seen."""

        def look() -> str | None:
            row = self._load(base_id).get(relative)
            return row.file_id if row else None

        return self._safely(look)

    def is_where_it_was(self, base_id: str, relative: str, state: os.stat_result) -> bool:
        """Whether the file that is at a path has the inode that was last seen there; else a scan says what it is."""

        def look() -> bool:
            row = self._load(base_id).get(relative)
            return row is not None and row.inode == state.st_ino & INODE_BITS

        return self._safely(look)

    def find(self, file_id: str) -> tuple[str, str] | None:
        """(KB id, relative path) where the file was last seen."""

        def look() -> tuple[str, str] | None:
            row = self._db.execute("SELECT base_id, path FROM files WHERE file_id = ?", (file_id,)).fetchone()
            return (row[0], os.fsdecode(row[1])) if row else None

        return self._safely(look)

    def set_hash(self, base_id: str, relative: str, content_hash: str) -> None:
        """Keep a file's content hash, by which it is recognised after it was copied and deleted."""
        self.set_hashes(base_id, {relative: content_hash})

    def set_hashes(self, base_id: str, hashes: Mapping[str, str]) -> None:
        """`set_hash` for many files in one transaction."""
        self._safely(lambda: self._set_hashes(base_id, hashes))

    def close(self) -> None:
        """Close the store; it cannot be used afterwards."""
        with self._lock:
            self._db.close()

    def _assign(self, base_id: str, files: list[Seen], root: str | None, *, whole: bool) -> dict[str, str]:
        rows = self._load(base_id)
        fresh = _fresh(rows, files)
        if fresh:
            new = [seen for seen in fresh if seen.relative not in rows]
            hashes = content_hashes(root, new, _gone(rows, files)) if root and new and whole else {}
            with self._transaction():
                rows = self._load(base_id)  # another process may have seen the same changes meanwhile
                gone = _gone(rows, files) if whole else {}
                changed = recognise(base_id, _fresh(rows, files), rows, gone=gone, hashes=hashes)
                self._write(base_id, changed)
                rows = {**rows, **changed}
        return {seen.relative: rows[seen.relative].file_id for seen in files}

    def _set_hashes(self, base_id: str, hashes: Mapping[str, str]) -> None:
        rows = self._load(base_id)
        changed = [
            (new, base_id, os.fsencode(path))
            for path, new in hashes.items()
            if (row := rows.get(path)) and row.hash != new
        ]
        if changed:
            with self._transaction():
                self._db.executemany("UPDATE files SET hash = ? WHERE base_id = ? AND path = ?", changed)
            self._rows.pop(base_id, None)

    def _load(self, base_id: str) -> dict[str, Known]:
        version = self._db.execute("PRAGMA data_version").fetchone()[0]
        if version != self._version:  # another process wrote
            self._rows.clear()
            self._version = version
        rows = self._rows.get(base_id)
        if rows is None:
            found = self._db.execute(
                "SELECT path, file_id, size, mtime_ns, inode, hash FROM files WHERE base_id = ?", (base_id,)
            )
            rows = self._rows[base_id] = {os.fsdecode(row[0]): Known(*row[1:]) for row in found}
        return rows

    def _write(self, base_id: str, rows: Mapping[str, Known]) -> None:
        self._rows.pop(base_id, None)
        self._db.executemany(
            "INSERT OR REPLACE INTO files (base_id, path, file_id, size, mtime_ns, inode, hash) VALUES (?,?,?,?,?,?,?)",
            (
                (base_id, os.fsencode(path), row.file_id, row.size, row.mtime_ns, row.inode, row.hash)
                for path, row in rows.items()
            ),
        )

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")

    def _safely(self, act: Callable[[], T]) -> T:
        with self._lock:
            try:
                return act()
            except sqlite3.ProgrammingError:
                raise  # used after close
            except sqlite3.Error as error:
                self._reopen(error)
                return act()

    def _reopen(self, error: sqlite3.Error) -> None:
        self._db.close()
        self._rows.clear()
        self._version = -1
        if unusable(error):
            self._db, self.warning = open_store(None, self._vfs)
            self.warning = f"File ids are kept in memory only: {error}."
        else:
            remove_store(self._path)
            self._db, self.warning = open_store(self._path, self._vfs)


def _fresh(rows: Mapping[str, Known], files: Iterable[Seen]) -> list[Seen]:
    return [seen for seen in files if (row := rows.get(seen.relative)) is None or not row.fits(seen)]


def _gone(rows: Mapping[str, Known], files: Iterable[Seen]) -> dict[str, Known]:
    present = {seen.relative for seen in files}
    return {path: row for path, row in rows.items() if path not in present}
