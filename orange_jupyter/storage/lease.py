"""One writer per session across kernels and command-line runs (R-SESS-3, R02, R05).

The lease is an operating-system lock, so it is free the moment its holder dies, however it dies, and a process
id that is used again means nothing. Who holds it stands in a file beside the lock, only to be named to a person.
"""

from __future__ import annotations

import asyncio
import json
import os
import platform
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import SessionError, StoreError
from orange_jupyter.core.ports import Clock
from orange_jupyter.storage.folders import private_folder, write_private


@dataclass(frozen=True, slots=True)
class Holder:
    """Who has a session open. `started` is ISO 8601 UTC, `notebook` None on the command line."""

    pid: int
    host: str
    started: str
    notebook: str | None


class Lease:
    """The right to write one session; ends with `release`, a `with` block or the process."""

    def __init__(self, session_id: str, lock: FileLock, note: Path) -> None:
        self.session_id = session_id
        self._lock = lock
        self._note = note

    def release(self) -> None:
        """Let others write. Safe to call twice, from any thread."""
        if self._lock.is_locked:
            self._note.unlink(missing_ok=True)
            self._lock.release()

    def __enter__(self) -> Lease:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()


class Leases:
    """The leases of one ORANGE_HOME."""

    def __init__(self, home: Path, clock: Clock) -> None:
        self._folder = home / "locks"
        self._clock = clock

    async def acquire(self, session_id: str, notebook: str | None = None) -> Lease:
        """Take a session for writing. Raises SessionError (busy) that names the notebook which has it."""
        return await asyncio.to_thread(self.acquire_blocking, session_id, notebook)

    async def patiently(self, session_id: str, notebook: str | None, seconds: float) -> Lease:
        """The same, waiting up to some seconds for its holder."""
        until = self._clock.monotonic() + seconds
        while True:
            try:
                return await self.acquire(session_id, notebook)
            except SessionError:
                if self._clock.monotonic() >= until:
                    raise
                await asyncio.sleep(0.05)

    def acquire_blocking(self, session_id: str, notebook: str | None = None) -> Lease:
        """The same from a thread without a loop."""
        try:
            return self._take(session_id, notebook)
        except Timeout as problem:
            raise SessionError(
                f"The session is busy: it is open in {self._who(session_id)}.",
                hint="Stop that kernel, or start another session here: %orange session new.",
                code=Code.BUSY,
            ) from problem
        except OSError as problem:
            raise StoreError(
                f"The lock of the session cannot be made in {self._folder}: {problem.strerror or problem}.",
                hint="Look at the folder's rights and the disk, then try again.",
            ) from problem

    def holder(self, session_id: str) -> Holder | None:
        """What the holder wrote about itself; None where nothing is written (which does not mean it is free)."""
        try:
            found = json.loads(self._note(session_id).read_bytes())
            return Holder(**found)
        except (OSError, ValueError, TypeError):
            return None

    def _take(self, session_id: str, notebook: str | None) -> Lease:
        private_folder(self._folder)
        # Not bound to a thread: acquired on a worker thread, released from the loop or at exit.
        lock = FileLock(self._folder / f"{session_id}.lock", timeout=0, mode=0o600, thread_local=False)
        lock.acquire()
        lease = Lease(session_id, lock, self._note(session_id))
        try:
            here = {"pid": os.getpid(), "host": platform.node(), "started": self._clock.now(), "notebook": notebook}
            write_private(self._note(session_id), json.dumps(here, ensure_ascii=True).encode("ascii"))
        except BaseException:
            lease.release()
            raise
        return lease

    def _note(self, session_id: str) -> Path:
        return self._folder / f"{session_id}.json"

    def _who(self, session_id: str) -> str:
        holder = self.holder(session_id)
        if holder is None:
            return "another kernel"
        place = f"the notebook {holder.notebook}" if holder.notebook else "a command-line run"
        machine = "" if holder.host == platform.node() else f" on {holder.host}"
        return f"{place} (process {holder.pid}{machine}, since {holder.started})"
