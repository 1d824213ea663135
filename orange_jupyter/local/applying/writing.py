"""Writes, creates and restores: new content waits in a temporary file and takes its place at once (R-CHG-7).

A write lets the temporary file and the old one change places, so that what was taken out can be compared once more
and put back. Synchronous: call it in a thread.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from orange_jupyter.core.changes.ports import Act, StepResult
from orange_jupyter.core.changes.values import Spot
from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import ChangeError, ToolError
from orange_jupyter.local.applying.attributes import copy_attributes
from orange_jupyter.local.applying.journal import Job
from orange_jupyter.local.applying.kept import Kept, gone
from orange_jupyter.local.applying.manifest import Damaged, build
from orange_jupyter.local.applying.places import (
    folder_at,
    hash_at,
    meaning,
    name_of,
    open_file,
    parent_of,
    remove,
    require_same,
    sha256_of,
    stat_at,
    write_all,
)
from orange_jupyter.local.applying.renaming import Entry, exchange, rename_new
from orange_jupyter.local.applying.trees import fingerprint, read_tree


def prepare(job: Job, kept: Kept) -> None:
    """Write a step's new content to its temporary place, durable. Raises OSError, PathError, ChangeError."""
    with temp_of(job) as temp:
        job.made = True
        if job.step.act is Act.RESTORE:
            _prepare_restore(job, kept, temp)
        else:
            _prepare_data(job, temp)
        os.fsync(temp[0])


@contextmanager
def temp_of(job: Job) -> Iterator[Entry]:
    """The temporary place of a step that has one. Raises OSError, PathError."""
    assert job.temp is not None
    with folder_at(job.temp.root, job.temp.folder) as folder:
        yield folder, job.temp.name


def _prepare_data(job: Job, temp: Entry) -> None:
    mode = 0o600 if job.step.act is Act.WRITE else 0o666  # a new file's mode is the umask's, an old one's is copied
    fd = os.open(temp[1], os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode, dir_fd=temp[0])
    try:
        write_all(fd, job.step.data)
        os.fsync(fd)
    finally:
        os.close(fd)


def _prepare_restore(job: Job, kept: Kept, temp: Entry) -> None:
    operation = job.step.kept
    try:
        build(kept.entries(operation), lambda number: kept.content(operation, number), *temp)
    except Damaged as error:
        raise gone() from error
    assert job.temp is not None
    relative = f"{job.temp.folder}/{job.temp.name}" if job.temp.folder else job.temp.name
    job.sha256 = fingerprint(Spot(root=job.temp.root, relative=relative))


def write(job: Job) -> StepResult:
    """Let the new text take the old one's place. Raises OSError, ChangeError stale_source, PathError."""
    step = job.step
    with parent_of(step.spot) as place, temp_of(job) as temp:
        if job.again and (before := _written_before(job, place, temp)):
            return before
        warnings = _dress(job, place, temp)
        require_same(step.spot, hash_at(*place), step.expected)
        if exchange(temp, place):
            return _settle(job, place, temp, warnings)
        os.rename(temp[1], place[1], src_dir_fd=temp[0], dst_dir_fd=place[0])
        try:
            _sync(place, temp)
        except OSError as error:
            raise _unsure(step.spot, error) from error
        return StepResult(True, sha256=job.sha256, warnings=warnings)


def _dress(job: Job, place: Entry, temp: Entry) -> tuple[str, ...]:
    """Compare the old file, and give the new one its attributes, durable; warnings for a person."""
    spot = job.step.spot
    old = open_file(*place)
    try:
        require_same(spot, sha256_of(old), job.step.expected)
        new = open_file(*temp)
        try:
            warnings = copy_attributes(old, new)
            os.fsync(new)
        finally:
            os.close(new)
        if os.fstat(old).st_nlink > 1:
            warnings += (f"{name_of(spot)} has other hard links; under their names the old text stays.",)
    finally:
        os.close(old)
    return warnings


def _settle(job: Job, place: Entry, temp: Entry, warnings: tuple[str, ...] = ()) -> StepResult:
    """After the exchange: durable, and what came out is what was expected; else everything goes back."""
    try:
        _sync(place, temp)
        require_same(job.step.spot, hash_at(*temp), job.step.expected)
    except (OSError, ToolError) as error:
        _put_back(job, place, temp, error)
        raise
    with suppress(OSError):  # swept later
        os.unlink(temp[1], dir_fd=temp[0])
        os.fsync(temp[0])
    return StepResult(True, sha256=job.sha256, warnings=warnings)


def _put_back(job: Job, place: Entry, temp: Entry, error: Exception) -> None:
    """Exchange again. What another program saved in between is newer than both and stays in its place."""
    try:
        ours = stat_at(*place)
        exchange(temp, place)
        out = stat_at(*temp)
        if ours is None or out is None or not os.path.samestat(ours, out):
            exchange(temp, place)
    except OSError as second:
        raise _unsure(job.step.spot, second) from error
    with suppress(OSError):
        _sync(place, temp)


def _written_before(job: Job, place: Entry, temp: Entry) -> StepResult | None:
    """What a killed process had reached; None where the step is still to be done."""
    here, waiting = hash_at(*place), hash_at(*temp)
    if waiting == job.sha256:
        return None
    if waiting and here == job.sha256:
        return _settle(job, place, temp)
    if not waiting and here == job.sha256:
        _sync(place, temp)
        return StepResult(True, sha256=job.sha256)
    raise ChangeError(
        Code.STALE_SOURCE,
        f"{name_of(job.step.spot)} does not hold the new text: the program ended, and the file is another one by now.",
        hint="Look at the file, and propose the change again.",
    )


def place_new(job: Job) -> StepResult:
    """Give a new or restored file or folder its name, which must be free. Raises OSError, PathError, ChangeError."""
    spot = job.step.spot
    with parent_of(spot, Code.PARENT_MISSING) as place, temp_of(job) as temp:
        if job.again and _placed_before(job, place, temp):
            _sync(place, temp)
        else:
            _place(spot, temp, place)
    return StepResult(True, sha256=job.sha256)


def _place(spot: Spot, temp: Entry, place: Entry) -> None:
    rename_new(temp, place)
    try:
        _sync(place, temp)
    except OSError as error:
        try:
            rename_new(place, temp)
        except OSError as second:
            raise _unsure(spot, second) from error
        raise


def _placed_before(job: Job, place: Entry, temp: Entry) -> bool:
    here, waiting = stat_at(*place), stat_at(*temp)
    if waiting is not None:
        linked = here is not None and os.path.samestat(here, waiting)
        if linked:  # killed between the new link and the end of the old one
            remove(*temp)
        return linked
    if here is not None and fingerprint(job.step.spot) == job.sha256:
        return True
    raise ChangeError(
        Code.NOT_FOUND, f"{name_of(job.step.spot)} is not there: the program ended, and something else changed it."
    )


def create_folder(job: Job) -> StepResult:
    """Make a folder. Raises OSError (EEXIST), PathError parent_missing."""
    spot = job.step.spot
    with parent_of(spot, Code.PARENT_MISSING) as (folder, name):
        if not (job.again and _is_empty_folder(folder, name)):
            os.mkdir(name, 0o777, dir_fd=folder)
        try:
            os.fsync(folder)
        except OSError:
            with suppress(OSError):
                os.rmdir(name, dir_fd=folder)
            raise
    return StepResult(True, sha256=read_tree(spot).digest)


def _is_empty_folder(folder: int, name: str) -> bool:
    state = stat_at(folder, name)
    if state is None or not stat.S_ISDIR(state.st_mode):
        return False
    fd = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
    try:
        return not os.listdir(fd)
    finally:
        os.close(fd)


def _sync(place: Entry, temp: Entry) -> None:
    os.fsync(place[0])
    if not os.path.samestat(os.fstat(place[0]), os.fstat(temp[0])):
        os.fsync(temp[0])


def _unsure(spot: Spot, error: OSError) -> ChangeError:
    return ChangeError(
        Code.IO_ERROR,
        f"{name_of(spot)} holds the new content, but the disk did not confirm that it is stored: {meaning(error)[1]}.",
        hint="Look at the file and at the disk before you go on; a copy elsewhere is wise.",
    )
