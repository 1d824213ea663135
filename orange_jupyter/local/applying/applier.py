"""The hands of the change set: batches of steps in threads, one at a time for each root (R-CHG-7)."""

from __future__ import annotations

import asyncio
import hashlib
import os
import secrets
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from filelock import FileLock, Timeout

from orange_jupyter.core.changes.ports import Applied, Step, Tree
from orange_jupyter.core.changes.values import Spot
from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import ChangeError, RunError
from orange_jupyter.local.applying.carrying import Hands
from orange_jupyter.local.applying.folders import private_folder
from orange_jupyter.local.applying.journal import Batch, Stage, journals, read_journal
from orange_jupyter.local.applying.kept import Kept, Limits
from orange_jupyter.local.applying.places import checked, meaning
from orange_jupyter.local.applying.planning import plan
from orange_jupyter.local.applying.trashing import Trash
from orange_jupyter.local.applying.trees import fingerprint, read_tree
from orange_jupyter.local.protected import Protected

KEEP_BYTES, KEEP_DAYS = 200_000_000, 30.0  # R-CHG-9
PATIENCE_S = 10.0
GIVE_UP_S = 7 * 86_400.0  # a temporary file that a vanished folder took along is looked for so long
T = TypeVar("T")


class LocalApplier:
    """`Applier` on this disk. `home` is ORANGE_HOME, `data_home` the person's XDG data folder, with the home trash.

    At most `keep_bytes` of pre-images are kept, each for `keep_days`. Journals, kept copies and locks lie in `home`;
    several processes may use it. A batch's lock is held until `forget` or the end of the process.
    """

    def __init__(
        self,
        home: Path,
        protected: Protected,
        *,
        keep_bytes: int = KEEP_BYTES,
        keep_days: float = KEEP_DAYS,
        data_home: str | None = None,
    ) -> None:
        self._changes = home / "changes"
        self._locks = home / "locks"
        self._protected = protected
        kept = Kept(self._changes / "kept", Limits(keep_bytes, keep_days), protected)
        trash = data_home if data_home is not None else os.path.join(protected.home, ".local", "share")
        self._hands = Hands(kept, Trash(trash, kept))
        self._held: dict[str, FileLock] = {}

    async def apply(self, steps: Sequence[Step]) -> Applied:
        """As `Applier.apply`. A task that is cancelled meanwhile ends when the batch has; `recover` then gives it."""
        work = asyncio.ensure_future(asyncio.to_thread(self._apply, tuple(steps)))
        try:
            return await asyncio.shield(work)
        except asyncio.CancelledError:
            await _ended(work)
            if not work.cancelled() and work.exception() is None:
                self._let_go(work.result().batch_id)
            raise

    async def tree(self, spot: Spot) -> Tree:
        """As `Applier.tree`."""
        return await asyncio.to_thread(read_tree, spot)

    async def fingerprint(self, spot: Spot) -> str:
        """What `expected` of a move or deletion has to be. Raises PathError."""
        return await asyncio.to_thread(fingerprint, checked(spot))

    async def forget(self, batch_id: str) -> None:
        """As `Applier.forget`; a batch that is not known is forgotten already."""
        await asyncio.to_thread(self._forget, batch_id)

    async def recover(self) -> tuple[Applied, ...]:
        """As `Applier.recover`. Steps come back without their data; journals whose folder is away stay for later."""
        return await asyncio.to_thread(self._recover)

    def _apply(self, steps: tuple[Step, ...]) -> Applied:
        batch_id = f"{time.time_ns() // 1_000_000:012x}{secrets.token_hex(4)}"
        with _typed(), self._roots(steps):
            self._hold(batch_id)
            try:
                batch = Batch(batch_id, self._changes / "journal", plan(steps, batch_id, self._protected))
                self._hands.begin(batch)
            except ChangeError:
                self._drop_lock(batch_id)
                raise
            self._hands.carry_out(batch)
            self._hands.sweep(batch)
        return replace(batch.applied(), steps=steps)

    @contextmanager
    def _roots(self, steps: Sequence[Step]) -> Iterator[None]:
        """The locks of all roots, in one order. Raises RunError busy after 10 s."""
        roots = {step.spot.root for step in steps} | {step.target.root for step in steps if step.target}
        until = time.monotonic() + PATIENCE_S
        with ExitStack() as stack:
            for root in sorted(roots):
                lock = self._lock("root-" + hashlib.sha256(os.fsencode(root)).hexdigest()[:24])
                try:
                    lock.acquire(timeout=max(0.0, until - time.monotonic()))
                    stack.callback(_release, lock)
                except Timeout as error:
                    raise RunError(
                        Code.BUSY,
                        "Another process is applying changes to this knowledge base; nothing was changed.",
                        hint="Try again in a moment.",
                    ) from error
            yield

    def _lock(self, name: str) -> FileLock:
        with _typed():
            private_folder(self._locks)
        return FileLock(self._locks / f"changes-{name}.lock", thread_local=False, mode=0o600)

    def _hold(self, batch_id: str) -> bool:
        """Take a batch's lock; False where a process that lives has it."""
        lock = self._lock(f"batch-{batch_id}")
        try:
            lock.acquire(timeout=0)
        except Timeout:
            return False
        self._held[batch_id] = lock
        return True

    def _let_go(self, batch_id: str) -> None:
        lock = self._held.pop(batch_id, None)
        if lock is not None:
            _release(lock)

    def _drop_lock(self, batch_id: str) -> None:
        """Let go of a batch that is over; its lock's file goes too."""
        if batch_id in self._held:
            with suppress(OSError):  # an empty file that is left behind harms nobody
                Path(self._held[batch_id].lock_file).unlink(missing_ok=True)
        self._let_go(batch_id)

    def _forget(self, batch_id: str) -> None:
        batch = read_journal(self._changes / "journal" / f"{batch_id}.json")
        if batch is None or not (batch_id in self._held or self._hold(batch_id)):
            return
        with _typed():
            if self._hands.sweep(batch) or batch.age_s() > GIVE_UP_S:
                batch.discard()
            else:
                batch.forget()
        self._drop_lock(batch_id)

    def _recover(self) -> tuple[Applied, ...]:
        found = [self._recover_batch(one) for one in journals(self._changes / "journal") if one not in self._held]
        return tuple(applied for applied in found if applied is not None)

    def _recover_batch(self, batch_id: str) -> Applied | None:
        if not self._hold(batch_id):
            return None
        file = self._changes / "journal" / f"{batch_id}.json"
        batch = read_journal(file)  # read under its lock: it may have been forgotten since
        if batch is None:
            file.with_name(file.name + ".tmp").unlink(missing_ok=True)
            self._drop_lock(batch_id)
            return None
        if batch.stage is Stage.FORGOTTEN:
            self._forget(batch_id)
            return None
        try:
            return self._finish(batch)
        except (OSError, RunError):
            self._let_go(batch_id)
            return None

    def _finish(self, batch: Batch) -> Applied | None:
        steps = [job.step for job in batch.jobs]
        with self._roots(steps):
            if not all(os.path.isdir(step.spot.root) for step in steps):
                self._let_go(batch.batch_id)
                return None
            if batch.stage is Stage.PREPARING:
                self._hands.take_back(batch)
                batch.save()
            else:
                self._hands.carry_out(batch)
                self._hands.sweep(batch)
        return batch.applied()


def _release(lock: FileLock) -> None:
    """Let go of a lock; what was done under it stays done, also where the system cannot unlock. Raises nothing."""
    with suppress(OSError):
        lock.release(force=True)


@contextmanager
def _typed() -> Iterator[None]:
    """An error of the system about files of ours becomes a ChangeError."""
    try:
        yield
    except OSError as error:
        code, why = meaning(error)
        raise ChangeError(
            code if code in (Code.DISK_FULL, Code.NO_ACCESS) else Code.IO_ERROR,
            f"The folder of changes in ORANGE_HOME cannot be used, because {why}.",
            hint="See that its disk has room and can be written.",
        ) from error


async def _ended(work: asyncio.Future[T]) -> None:
    """Wait for work that must not be left half done, however often this task is cancelled."""
    while not work.done():
        try:
            await asyncio.wait([work])
        except asyncio.CancelledError:
            continue
