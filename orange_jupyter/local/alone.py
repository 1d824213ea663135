"""One decision on changes at a time, over all processes of one ORANGE_HOME (C23, R-CHG-7)."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import RunError, StoreError
from orange_jupyter.local.applying.folders import private_folder

PATIENCE_S = 30.0
PAUSE_S = 0.02


class Alone:
    """An operating-system lock in `home`/locks: free the moment its holder dies, whatever process or loop that was."""

    def __init__(self, home: Path, *, patience: float = PATIENCE_S) -> None:
        self._folder = home / "locks"
        self._patience = patience

    @asynccontextmanager
    async def __call__(self) -> AsyncIterator[None]:
        """Wait for it and hold it. Must not be nested. Raises RunError busy after 30 s, StoreError."""
        lock = await self._acquired()
        try:
            yield
        finally:
            await asyncio.shield(asyncio.to_thread(lock.release))

    async def _acquired(self) -> FileLock:
        until = time.monotonic() + self._patience
        while (lock := await self._tried()) is None:
            if time.monotonic() >= until:
                raise RunError(
                    Code.BUSY,
                    "Another kernel or command is deciding on changes; nothing was done here.",
                    hint="Try again in a moment.",
                )
            await asyncio.sleep(PAUSE_S)
        return lock

    async def _tried(self) -> FileLock | None:
        """One try. Waiting in threads would take those that the holder works with."""
        trying = asyncio.ensure_future(asyncio.to_thread(self._try))
        try:
            return await asyncio.shield(trying)
        except asyncio.CancelledError:
            trying.add_done_callback(_let_go)
            raise

    def _try(self) -> FileLock | None:
        try:
            private_folder(self._folder)
            lock = FileLock(self._folder / "changes.lock", thread_local=False, mode=0o600)
            lock.acquire(timeout=0)
        except Timeout:
            return None
        except OSError as problem:
            raise StoreError(
                f"The lock of changes cannot be made in {self._folder}: {problem.strerror or problem}.",
                hint="Look at the folder's rights and the disk, then try again.",
            ) from problem
        return lock


def _let_go(trying: asyncio.Future[FileLock | None]) -> None:
    """The task that wanted the lock was cancelled while a thread got it."""
    if not trying.cancelled() and trying.exception() is None:
        lock = trying.result()
        if lock is not None:
            lock.release()
