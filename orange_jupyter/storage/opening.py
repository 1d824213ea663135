"""Opening the store's file: version, backup, migration, journal; and what SQLite's errors mean for a person (R09)."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from orange_jupyter.core.errors import StoreError
from orange_jupyter.storage.folders import private_file, private_folder

BUSY_SECONDS: Final = 5.0
_MAGIC: Final = b"SQLite format 3\0"
_DISK_FULL: Final = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_SHMSIZE, sqlite3.SQLITE_IOERR_WRITE)
_BUSY: Final = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_DAMAGED: Final = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def explain(file: Path, problem: sqlite3.Error) -> StoreError:
    """What an SQLite error means for a person, and what to do."""
    code = getattr(problem, "sqlite_errorcode", 0)
    if code in _DISK_FULL:
        return StoreError(
            f"The disk is full: {file} could not be written. What was saved before is intact.",
            hint="Free some space and send the message again.",
        )
    if code & 0xFF in _BUSY:
        return StoreError(
            f"Another process has been writing {file} for {BUSY_SECONDS:.0f} s.",
            hint="Wait for it, or end the kernel that hangs, and try again.",
        )
    if code & 0xFF in _DAMAGED:
        return StoreError(
            f"{file} is damaged or not a store of this program ({problem}). It was left as it is.",
            hint="Move it away to start with an empty store; a copy from before the last upgrade may lie beside it.",
        )
    return StoreError(
        f"{file} cannot be used: {problem}.", hint="Look at the folder's rights and the disk, then try again."
    )


def open_connection(file: Path, migrations: Sequence[Sequence[str]], vfs: str | None) -> sqlite3.Connection:
    """A connection of the calling thread to a store that is up to date. Raises StoreError (see Database.open)."""
    try:
        private_folder(file.parent)
        _refuse_newer(file, len(migrations))
        private_file(file)
        connection = _connect(file, f"vfs={vfs}" if vfs else "")
    except OSError as problem:
        raise StoreError(
            f"{file} cannot be opened: {problem.strerror}.", hint="Set ORANGE_HOME to a folder of yours."
        ) from problem
    except sqlite3.DatabaseError as problem:
        raise explain(file, problem) from problem
    try:
        _prepare(connection)
        _migrate(file, connection, migrations)
    except BaseException as problem:
        connection.close()
        if isinstance(problem, sqlite3.DatabaseError):
            raise explain(file, problem) from problem
        raise
    return connection


def _connect(file: Path, query: str) -> sqlite3.Connection:
    address = f"{file.absolute().as_uri()}?{query}" if query else file.absolute().as_uri()
    return sqlite3.connect(address, uri=True, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)


def _prepare(connection: sqlite3.Connection) -> None:
    try:
        # Where WAL cannot work SQLite answers with the rollback journal that stays in use.
        connection.execute("PRAGMA journal_mode=WAL").fetchone()
    except sqlite3.OperationalError:
        _leave_wal(connection)
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("PRAGMA foreign_keys=ON")


def _leave_wal(connection: sqlite3.Connection) -> None:
    """Turn a WAL store back to a rollback journal, for a folder that was moved to a disk without shared memory.

    Alone on the file SQLite needs no shared memory to read the log (sqlite.org/wal.html, section 8).
    """
    connection.execute("PRAGMA locking_mode=EXCLUSIVE").fetchone()
    connection.execute("PRAGMA journal_mode=DELETE").fetchone()
    connection.execute("PRAGMA locking_mode=NORMAL").fetchone()
    connection.execute("SELECT count(*) FROM sqlite_master").fetchone()


def _refuse_newer(file: Path, known: int) -> None:
    """Raise StoreError for a newer store before SQLite may touch a byte of it.

    The version stands in the header (bytes 60–63, sqlite.org/fileformat2.html) or, after a crash, only in the
    write-ahead log; that one is looked at through a read-only connection, which never moves it into the file.
    """
    if not file.exists():
        return
    with file.open("rb") as head:
        header = head.read(64)
    if header and not header.startswith(_MAGIC):
        raise explain(file, _not_a_store())
    version = int.from_bytes(header[60:64], "big")
    log = file.with_name(file.name + "-wal")
    if version <= known and log.exists() and log.stat().st_size:
        connection = _connect(file, "mode=ro")
        try:
            version = _version(connection)
        finally:
            connection.close()
    _check(file, version, known)


def _not_a_store() -> sqlite3.DatabaseError:
    problem = sqlite3.DatabaseError("file is not a database")
    problem.sqlite_errorcode = sqlite3.SQLITE_NOTADB
    return problem


def _check(file: Path, version: int, known: int) -> None:
    if version > known:
        raise StoreError(
            f"{file} was written by a newer Orange (store version {version}; this program knows up to {known}). "
            "It was left untouched.",
            hint="Upgrade with `pip install -U orange-jupyter`, or set ORANGE_HOME to another folder.",
        )


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _migrate(file: Path, connection: sqlite3.Connection, migrations: Sequence[Sequence[str]]) -> None:
    if _version(connection) == len(migrations):
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        # Read again under the lock: another process may have come first.
        version = _version(connection)
        _check(file, version, len(migrations))
        if 0 < version < len(migrations):
            _back_up(file, version)
        for statements in migrations[version:]:
            for statement in statements:
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version={len(migrations)}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _back_up(file: Path, version: int) -> None:
    copy = private_file(file.with_name(f"{file.name}.v{version}.bak"))
    source = _connect(file, "mode=ro")
    target = _connect(copy, "")
    try:
        source.backup(target)
    finally:
        target.close()
        source.close()
