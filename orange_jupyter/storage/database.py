"""The one SQLite file under ORANGE_HOME and the one thread that owns its connection.

Everything in this room goes through `Database.run`: a function of a connection, run as one transaction on the
writer thread and awaited from any event loop. Nothing here blocks the loop.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Final, TypeVar

from orange_jupyter.core.errors import StoreError
from orange_jupyter.storage.opening import explain, open_connection
from orange_jupyter.storage.schema import MIGRATIONS

T = TypeVar("T")
Work = Callable[[sqlite3.Connection], T]

FILE_NAME: Final = "orange.db"


class Database:
    """The store's file, opened. Its connection lives on one thread; every method may be called from any thread."""

    def __init__(self, file: Path, connection: sqlite3.Connection, thread: ThreadPoolExecutor) -> None:
        self.file = file
        self._connection = connection
        self._thread = thread
        self._closed = False

    @classmethod
    def open(cls, home: Path, *, migrations: Sequence[Sequence[str]] = MIGRATIONS, vfs: str | None = None) -> Database:
        """Open or make `home/orange.db`, bringing an older one up to date after a backup copy.

        Blocks for some milliseconds: call it before the loop runs, or use `open_async`. `vfs` names an SQLite file
        layer; one without shared memory (a network folder behaves so) cannot do WAL and gets a rollback journal.
        Raises StoreError: newer than this program (the file is not touched), damaged, unreadable, disk full.
        """
        thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="orange-store")
        file = home / FILE_NAME
        try:
            connection = thread.submit(open_connection, file, migrations, vfs).result()
        except BaseException:
            thread.shutdown(wait=True)
            raise
        return cls(file, connection, thread)

    @classmethod
    async def open_async(cls, home: Path) -> Database:
        """The same as `open`, from a running loop."""
        return await asyncio.to_thread(cls.open, home)

    def submit(self, work: Work[T]) -> Future[T]:
        """Queue one transaction and return at once; order of queueing is order of execution."""
        try:
            return self._thread.submit(_transact, self.file, self._connection, work)
        except RuntimeError as problem:
            raise StoreError("The store is closed; restart the kernel or open the session again.") from problem

    async def run(self, work: Work[T]) -> T:
        """One transaction; its result when it is durable. Raises StoreError and what `work` raises.

        Cancelling the waiting task does not take back what was queued: a stopped turn still records how it ended.
        """
        return await asyncio.shield(asyncio.wrap_future(self.submit(work)))

    def run_blocking(self, work: Work[T]) -> T:
        """The same from a thread without a loop (the command line, exit hooks)."""
        return self.submit(work).result()

    def close(self) -> None:
        """Finish what is queued and close the file; blocks. Safe to call twice."""
        if not self._closed:
            self._closed = True
            self._thread.submit(self._connection.close)
        self._thread.shutdown(wait=True)

    async def close_async(self) -> None:
        """The same from a running loop."""
        await asyncio.to_thread(self.close)


def _transact(file: Path, connection: sqlite3.Connection, work: Work[T]) -> T:
    try:
        connection.execute("BEGIN IMMEDIATE")
        try:
            result = work(connection)
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
    except (sqlite3.ProgrammingError, sqlite3.IntegrityError):
        raise
    except sqlite3.DatabaseError as problem:
        raise explain(file, problem) from problem
    return result
