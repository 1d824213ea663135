"""One knowledge base's index file: opened, shared with other kernels, thrown away when damaged.

Each knowledge base has a file of its own: sessions select different ones, a damaged file costs only its own base,
and writers of different bases never wait for each other. A damaged or outdated file is never replaced in place,
which would mix with the write-ahead log of a kernel that has it open: the next number is begun instead.
"""

from __future__ import annotations

import errno
import os
import sqlite3
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from filelock import FileLock, Timeout

from orange_jupyter.local.index import schema, seal

T = TypeVar("T")
BUSY_SECONDS = 5.0
UNWRITABLE = {
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_PERM,
}
LOST = {sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
"""Primary result codes that mean a damaged file; our own statements never fail with SQLITE_ERROR on a sound one."""
CHECKPOINT = "PRAGMA wal_checkpoint(TRUNCATE)"
LOG_PAGES = 4_000
"""The write-ahead log is brought into the file each 16 MB: with the default of 4 MB a bulk load wrote most pages
several times and took a fifth longer. `settle` empties it after any writes."""
VFS = ("unix", "unix-dotfile")


class Damaged(Exception):
    """The index file cannot be used: `begin_anew` and index again. `outdated`: another version made it, no harm."""

    def __init__(self, *, outdated: bool = False) -> None:
        super().__init__()
        self.outdated = outdated


class Database:
    """The file and its one connection in this process; calls from any thread are taken one by one.

    `vfs` names SQLite's file layers for the write-ahead log and for where that is refused (network shares).
    """

    def __init__(self, folder: Path, name: str, *, version: str, vfs: tuple[str, str] = VFS) -> None:
        self.warnings: list[str] = []
        self._folder, self._name, self._version, self._vfs = folder, name, version, vfs
        self._guard = threading.RLock()
        self._connection: sqlite3.Connection | None = None
        self.path: Path | None = None

    def read(self, ask: Callable[[sqlite3.Connection], T]) -> T:
        """Run queries. Raises Damaged, sqlite3.OperationalError when busy."""
        with self._guard:
            return self._guarded(ask)

    def write(self, change: Callable[[sqlite3.Connection], T]) -> T:
        """Run one transaction, all or nothing; from a disk that takes no more the index goes on in memory.

        Raises Damaged, sqlite3.OperationalError (busy).
        """

        def act(path: Path | None) -> T:
            if path:
                seal.take_away(path)
            return self._guarded(lambda connection: _transact(connection, change))

        with self._guard:
            try:
                return self._alone(act)
            except (sqlite3.OperationalError, OSError) as error:
                if self._connection is None or not is_unwritable(error):
                    raise
                self._connection = self._in_memory(error, self._connection)
                return act(None)

    def settle(self) -> None:
        """After the last of some writes: bring the log into the file and seal it. Raises as `write`.

        Without it everything is as safe, but the next kernel checks the whole file; so it is on a full disk.
        """

        def act(path: Path | None) -> None:
            if path and not seal.is_sealed(path):
                busy = self._guarded(lambda connection: connection.execute(CHECKPOINT).fetchone()[0])
                if not busy:
                    seal.set_on(path)

        try:
            self._alone(act)
        except (sqlite3.OperationalError, OSError) as error:
            if not is_unwritable(error):
                raise

    def check(self) -> None:
        """Whether the file is still the one to use. Raises Damaged."""
        with self._guard:
            self._open()
            if self.path is None:
                return
            if seal.is_broken(self.path):
                raise Damaged
            if not self.path.exists():
                self.close()  # another kernel began a new one

    def begin_anew(self) -> None:
        """Leave the present file and begin the next number; the old one's space is freed."""
        with self._guard:
            found = self._found()
            old = self.path or (found[-1] if found else None)
            self.close()
            if old is None:
                return
            with suppress(OSError):
                for piece in self._folder.glob(f"{old.stem}.*"):
                    piece.unlink(missing_ok=True)
            newest = max([_number(old) + 1, *map(_number, self._found())])
            try:
                self._connection = self._connect(self._numbered(newest))
            except (OSError, sqlite3.OperationalError) as error:
                self._connection = self._in_memory(error)

    def close(self) -> None:
        """Close the connection; the next call opens it again."""
        with self._guard:
            if self._connection is not None:
                self._connection.close()
            self._connection = None
            self.path = None

    def _guarded(self, ask: Callable[[sqlite3.Connection], T]) -> T:
        try:
            return ask(self._open())
        except sqlite3.DatabaseError as error:
            if is_damage(error):
                raise Damaged from error
            raise

    def _alone(self, act: Callable[[Path | None], T]) -> T:
        """Act while no other kernel writes: every change of the file and of its seal happens in here."""
        with self._guard:
            self._open()
            if self.path is None:
                return act(None)
            try:
                with FileLock(self.path.with_suffix(".lock"), timeout=BUSY_SECONDS, mode=0o600):
                    return act(self.path)
            except Timeout as error:
                raise sqlite3.OperationalError("another kernel is writing this index") from error

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            try:
                self._connection = self._open_newest()
            except OSError as error:
                self._connection = self._in_memory(error)
            except sqlite3.DatabaseError as error:
                if is_damage(error):
                    raise Damaged from error
                if not is_unwritable(error):
                    raise
                self._connection = self._in_memory(error)
        return self._connection

    def _open_newest(self) -> sqlite3.Connection:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = self._found()
        path = found[-1] if found else self._numbered(1)
        for needed in (self._folder, *found[-1:]):
            if not os.access(needed, os.W_OK):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        if not found:
            seal.take_away(path)
        self.path = path
        if seal.is_broken(path):
            raise Damaged
        return self._connect(path)

    def _found(self) -> list[Path]:
        return sorted(self._folder.glob(f"{self._name}-*.sqlite"), key=_number)

    def _connect(self, path: Path) -> sqlite3.Connection:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))  # SQLite's own default is 644
        connection = _connection(path, self._vfs[0])
        try:
            if connection.execute("PRAGMA journal_mode = WAL").fetchone()[0] != "wal":
                connection.close()
                connection = _connection(path, self._vfs[1])
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute("PRAGMA cache_size = -16000")
            connection.execute(f"PRAGMA wal_autocheckpoint = {LOG_PAGES}")
            self._prepare(connection, path)
        except BaseException:
            connection.close()
            raise
        self.path = path
        return connection

    def _prepare(self, connection: sqlite3.Connection, path: Path) -> None:
        found = schema.read_version(connection)
        if found is None:
            schema.create(connection, self._version)
            found = schema.read_version(connection)
        elif not seal.is_sealed(path):
            _check_whole(connection)
        if found != self._version:
            raise Damaged(outdated=True)

    def _in_memory(self, error: Exception, before: sqlite3.Connection | None = None) -> sqlite3.Connection:
        """An index that is not kept; with what stands in `before`, which is closed, where that can be copied."""
        self.path = None
        connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        if before is not None:
            with suppress(sqlite3.Error):
                before.backup(connection)
            before.close()
        schema.create(connection, self._version)
        reason = error.strerror if isinstance(error, OSError) else error
        self.warnings = [f"The search index cannot be written ({reason}); it is kept in memory for this kernel."]
        return connection

    def _numbered(self, number: int) -> Path:
        return self._folder / f"{self._name}-{number}.sqlite"


def is_damage(error: sqlite3.DatabaseError) -> bool:
    """Whether an error means that the file is broken, not that it is busy, full or read-only."""
    code = getattr(error, "sqlite_errorcode", None)
    if code is None:
        return not isinstance(error, sqlite3.OperationalError)
    return (code & 0xFF) in LOST or code == sqlite3.SQLITE_IOERR_SHORT_READ


def is_unwritable(error: Exception) -> bool:
    """Whether the disk refuses to be written: full, read-only, no rights, gone; not that another kernel writes."""
    if isinstance(error, OSError):
        return True
    return isinstance(error, sqlite3.DatabaseError) and getattr(error, "sqlite_errorcode", 0) & 0xFF in UNWRITABLE


def _number(path: Path) -> int:
    tail = path.stem.rpartition("-")[2]
    return int(tail) if tail.isdigit() else 0


def _connection(path: Path, vfs: str) -> sqlite3.Connection:
    uri = f"{path.absolute().as_uri()}?vfs={vfs}" if os.name == "posix" else path.absolute().as_uri()
    return sqlite3.connect(uri, uri=True, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)


def _transact(connection: sqlite3.Connection, change: Callable[[sqlite3.Connection], T]) -> T:
    connection.execute("BEGIN IMMEDIATE")
    try:
        result = change(connection)
        connection.execute("UPDATE meta SET value = CAST(value AS INTEGER) + 1 WHERE key = 'generation'")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    return result


def _check_whole(connection: sqlite3.Connection) -> None:
    if connection.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok":
        raise sqlite3.DatabaseError("the file is damaged")
    connection.execute("INSERT INTO words (words) VALUES ('integrity-check')")
