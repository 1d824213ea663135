"""Moves a file, folder or link on one disk, never over anything (R-WRIT-2, R-CHG-5). Synchronous."""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress

from orange_jupyter.core.changes.ports import StepResult
from orange_jupyter.core.changes.values import Spot
from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import ChangeError, PathError
from orange_jupyter.local.applying.journal import Batch, Job
from orange_jupyter.local.applying.places import meaning, name_of, parent_of, require_same, stat_at
from orange_jupyter.local.applying.renaming import Entry, rename_new
from orange_jupyter.local.applying.trees import fingerprint


def move(job: Job, batch: Batch) -> StepResult:
    """Give what lies at the spot the target's name. Raises OSError, PathError, ChangeError; then nothing moved."""
    spot, target = job.step.spot, job.step.target
    assert target is not None
    with parent_of(spot) as source, parent_of(target, Code.PARENT_MISSING) as place:
        if job.begun and _moved_before(job, source, place):
            _sync(source, place)
            return StepResult(True, sha256=job.begun["found"])
        found = compared(job, source)
        batch.begin(job, found=found)
        _move(target, source, place)
    return StepResult(True, sha256=found)


def compared(job: Job, source: Entry) -> str:
    """The fingerprint of what lies there. Raises ChangeError stale_source where it is not what was expected.

    A folder was compared before the batch began; here only with what was noted before a crash.
    """
    spot = job.step.spot
    state = stat_at(*source)
    if state is None:
        raise PathError(Code.NOT_FOUND, f"There is no {name_of(spot)} any more.")
    found = fingerprint(spot)
    if not stat.S_ISDIR(state.st_mode):
        require_same(spot, found, job.step.expected)
    require_same(spot, found, job.begun.get("found", ""))
    return found


def _move(target: Spot, source: Entry, place: Entry) -> None:
    try:
        rename_new(source, place)
    except OSError as error:
        if error.errno != errno.EINVAL:
            raise
        raise overlapping(target) from error
    try:
        _sync(source, place)
    except OSError as error:
        try:
            rename_new(place, source)
        except OSError as second:
            raise ChangeError(
                Code.IO_ERROR,
                f"It now lies at {name_of(target)}, but the disk did not confirm the move: {meaning(second)[1]}.",
                hint="Look at both places and at the disk before you go on.",
            ) from error
        with suppress(OSError):
            _sync(source, place)
        raise


def overlapping(target: Spot) -> ChangeError:
    """A folder cannot be put into itself."""
    return ChangeError(Code.OVERLAPPING_PATHS, f"{name_of(target)} lies inside of what is moved; nothing was moved.")


def _moved_before(job: Job, source: Entry, place: Entry) -> bool:
    """Whether a killed process had moved it."""
    assert job.step.target is not None
    here, there = stat_at(*source), stat_at(*place)
    if there is None:
        return False
    if here is None:
        return fingerprint(job.step.target) == job.begun["found"]
    if stat.S_ISDIR(here.st_mode) or not os.path.samestat(here, there):
        return False
    os.unlink(source[1], dir_fd=source[0])  # killed between the new link and the end of the old one
    return True


def _sync(source: Entry, place: Entry) -> None:
    os.fsync(place[0])
    if not os.path.samestat(os.fstat(source[0]), os.fstat(place[0])):
        os.fsync(source[0])
