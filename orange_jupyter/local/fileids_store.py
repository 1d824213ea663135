"""Opens the SQLite file of the file ids: private, shared by processes, in memory where the disk refuses."""

from __future__ import annotations

import os
import sqlite3
import time
from pathlib import Path

VERSION = 1
BUSY_SECONDS = 5.0
SCHEMA = f"""
CREATE TABLE IF NOT EXISTS files (
    file_id TEXT PRIMARY KEY, base_id TEXT NOT NULL, path BLOB NOT NULL,
    size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL, inode INTEGER NOT NULL, hash TEXT,
    UNIQUE (base_id, path)) WITHOUT ROWID;
PRAGMA user_version = {VERSION};
"""
BUSY = ("SQLITE_BUSY", "SQLITE_LOCKED")
DAMAGED = frozenset({"SQLITE_CORRUPT", "SQLITE_NOTADB"})


def open_store(path: Path | None, vfs: str = "") -> tuple[sqlite3.Connection, str | None]:
    """A connection for any thread, and a warning where it is in memory instead.

    A damaged store is made anew.
    """
    if path is None:
        return _prepared(_connect(":memory:")), None
    try:
        try:
            return _open_patiently(path, vfs), None
        except sqlite3.DatabaseError as error:
            if unusable(error):
                raise
            remove_store(path)
            return _open_patiently(path, vfs), None
    except (OSError, sqlite3.Error) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        return _memory_copy(path), f"File ids are kept in memory only, {path} cannot be used: {reason}."


def unusable(error: sqlite3.Error) -> bool:
    """Whether the store is sound but cannot be used now (read-only, disk full, locked, newer version)."""
    return getattr(error, "sqlite_errorname", "").removesuffix("_VTAB") not in DAMAGED


def remove_store(path: Path) -> None:
    """Take away a damaged store with its side files."""
    for end in ("", "-wal", "-shm", "-journal"):
        path.with_name(path.name + end).unlink(missing_ok=True)


def _open_patiently(path: Path, vfs: str) -> sqlite3.Connection:
    """Open the file, waiting for others that make it now: SQLite's own time-out does not cover the switch to WAL."""
    until = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            return _open_file(path, vfs)
        except sqlite3.OperationalError as error:
            if not getattr(error, "sqlite_errorname", "").startswith(BUSY) or time.monotonic() > until:
                raise
            time.sleep(0.02)


def _open_file(path: Path, vfs: str) -> sqlite3.Connection:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
    address = path.as_uri()
    db = _connect(f"{address}?vfs={vfs}" if vfs else address)
    try:
        _version(db)  # before anything is written: a newer store stays as it is
        if not vfs and not _uses_wal(db):  # a network share: locks by files, which work everywhere
            db.close()
            return _open_file(path, "unix-dotfile")
        return _prepared(db)
    except BaseException:
        db.close()
        raise


def _connect(address: str) -> sqlite3.Connection:
    return sqlite3.connect(
        address, uri=address.startswith("file:"), timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
    )


def _uses_wal(db: sqlite3.Connection) -> bool:
    try:
        mode = db.execute("PRAGMA journal_mode = WAL").fetchone()[0]
    except sqlite3.OperationalError as error:
        if getattr(error, "sqlite_errorname", "").startswith(("SQLITE_IOERR", "SQLITE_PROTOCOL")):
            return False
        raise
    return bool(mode == "wal")


def _prepared(db: sqlite3.Connection) -> sqlite3.Connection:
    db.execute("PRAGMA synchronous = NORMAL")
    if _version(db) < VERSION:
        db.executescript(SCHEMA)
    return db


def _version(db: sqlite3.Connection) -> int:
    version: int = db.execute("PRAGMA user_version").fetchone()[0]
    if version > VERSION:
        raise sqlite3.OperationalError("it was written by a newer version of this program")
    return version


def _memory_copy(path: Path) -> sqlite3.Connection:
    memory = _connect(":memory:")
    try:
        old = _connect(f"{path.as_uri()}?immutable=1&mode=ro")
        try:
            old.backup(memory)
        finally:
            old.close()
        return _prepared(memory)
    except sqlite3.Error:
        memory.close()
    return _prepared(_connect(":memory:"))
