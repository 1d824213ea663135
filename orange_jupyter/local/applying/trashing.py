"""Deletes to the system's trash, with a copy kept for undoing; never for good (R-CHG-6, C17, C18). Synchronous."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from orange_jupyter.core.changes.ports import StepResult
from orange_jupyter.core.changes.values import Spot
from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import ChangeError, ToolError
from orange_jupyter.local.applying.cans import INFO, Can, Unusable, cans_for, names
from orange_jupyter.local.applying.journal import Batch, Job
from orange_jupyter.local.applying.kept import Kept
from orange_jupyter.local.applying.moving import compared
from orange_jupyter.local.applying.places import absolute, meaning, name_of, parent_of, require_same, stat_at, write_all
from orange_jupyter.local.applying.renaming import Entry, rename_new
from orange_jupyter.local.applying.trees import fingerprint

IN_TRASH = "It is in the system's trash."
NOT_KEPT = "It cannot be undone from here"


@dataclass(frozen=True, slots=True)
class Trash:
    """Where deletions go: `data_home` is the person's XDG data folder, `kept` takes the copies for undoing."""

    data_home: str
    kept: Kept

    def take(self, job: Job, batch: Batch) -> StepResult:
        """Move what lies at the spot to the trash. Raises OSError, PathError, ChangeError; then it is still there."""
        with parent_of(job.step.spot) as place:
            if job.begun and _trashed_before(job, place):
                kept = self.kept.has(job.step.operations[0])
                return StepResult(True, note=IN_TRASH if kept else f"{IN_TRASH} {NOT_KEPT}.")
            found = compared(job, place)
            missing = self.kept.keep(job.step.operations[0], job.step.spot, mark_of(batch, job))
            try:
                require_same(job.step.spot, fingerprint(job.step.spot), found)
                self._send(_Deletion(job, batch, place, found))
            except (OSError, ToolError):
                self.kept.drop(job.step.operations[0])
                raise
        self.kept.prune()
        return StepResult(True, note=f"{IN_TRASH} {NOT_KEPT}: {missing}." if missing else IN_TRASH)

    def _send(self, deletion: _Deletion) -> None:
        spot = deletion.job.step.spot
        if sys.platform != "linux":
            _send_elsewhere(deletion)
            return
        reasons: list[str] = []
        for can in cans_for(deletion.place, spot, self.data_home):
            try:
                deletion.into(can)
            except Unusable as error:
                reasons.append(str(error))
            else:
                return
        raise unavailable(spot, "; ".join(reasons) or "there is no trash on its disk")


def mark_of(batch: Batch, job: Job) -> str:
    """The name of a copy that is being made."""
    return f"{batch.batch_id}-{job.index}"


def unavailable(spot: Spot, why: str) -> ChangeError:
    """The trash cannot take it, so it stays."""
    return ChangeError(
        Code.TRASH_UNAVAILABLE,
        f"{name_of(spot)} was not deleted, because the system's trash cannot take it: {why}.",
        hint="Make the trash usable, or delete it yourself; nothing is ever deleted for good from here.",
    )


@dataclass(frozen=True, slots=True)
class _Deletion:
    """One thing on its way to the trash; `found` is its fingerprint."""

    job: Job
    batch: Batch
    place: Entry
    found: str

    def into(self, can: Can) -> None:
        """Raises Unusable where another trash may do, else OSError, ChangeError; then it lies where it lay."""
        with can.opened() as (files, info):
            for name in names(self.place[1]):
                if stat_at(files, name) is not None or not self._noted(can, info, name):
                    continue
                try:
                    self._moved(can, (files, name), info)
                except FileExistsError:
                    _unlink(info, name + INFO)
                    continue
                except (OSError, ToolError, Unusable):
                    _unlink(info, name + INFO)
                    raise
                return

    def _noted(self, can: Can, info: int, name: str) -> bool:
        """Write the note; False where the name is taken."""
        if stat_at(info, name + INFO) is not None:
            return False
        self.batch.begin(self.job, found=self.found, can=can.path, entry=name)
        try:
            fd = os.open(name + INFO, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600, dir_fd=info)
        except FileExistsError:
            return False
        except PermissionError as error:
            raise Unusable(f"{can.path} cannot be used ({meaning(error)[1]})") from error
        try:
            write_all(fd, can.info(self.job.step.spot))
            os.fsync(fd)
        except OSError:
            _unlink(info, name + INFO)
            raise
        finally:
            os.close(fd)
        return True

    def _moved(self, can: Can, entry: Entry, info: int) -> None:
        try:
            rename_new(self.place, entry)
        except OSError as error:
            if meaning(error)[0] is Code.CROSS_DEVICE:
                raise Unusable(f"{can.path} lies on another disk") from error
            raise
        spot = self.job.step.spot
        try:
            _sync(entry[0], info, self.place[0])
            require_same(spot, fingerprint(_in_can(can, entry[1])), self.found)
        except (OSError, ToolError) as error:
            try:
                rename_new(entry, self.place)
            except OSError as second:
                raise ChangeError(
                    Code.IO_ERROR,
                    f"{name_of(spot)} is in the system's trash, but the disk did not confirm it: {meaning(second)[1]}.",
                    hint="Look into the trash, and at the disk, before you go on.",
                ) from error
            raise


def _trashed_before(job: Job, place: Entry) -> bool:
    """Whether a killed process had moved it; if not its note is swept, so that the step can be done again."""
    can, name = Can(job.begun.get("can", "")), job.begun.get("entry", "")
    if not name:
        return False
    here = stat_at(*place)
    try:
        with can.opened() as (files, info):
            there = stat_at(files, name)
            if there is None:
                _unlink(info, name + INFO)
            elif here is None and fingerprint(_in_can(can, name)) == job.begun["found"]:
                _sync(files, info, place[0])
                return True
    except Unusable as error:
        raise unavailable(job.step.spot, str(error)) from error
    return False


def _in_can(can: Can, name: str) -> Spot:
    return Spot(root=os.path.join(can.path, "files"), relative=name)


def _sync(*folders: int) -> None:
    for fd in folders:
        os.fsync(fd)


def _unlink(folder: int, name: str) -> None:
    with suppress(OSError):
        os.unlink(name, dir_fd=folder)


def _send_elsewhere(deletion: _Deletion) -> None:
    """The trash of macOS, by path: there is none that works on open folders."""
    from send2trash import send2trash

    spot = deletion.job.step.spot
    deletion.batch.begin(deletion.job, found=deletion.found)
    try:
        send2trash(Path(absolute(spot)))
    except OSError as error:
        raise unavailable(spot, meaning(error)[1]) from error
    if stat_at(*deletion.place) is not None:
        raise unavailable(spot, "it is still there")
