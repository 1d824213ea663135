"""Carries a batch out: content first, then the mark that it will be done, then step by step (R-CHG-7). Synchronous."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

from orange_jupyter.core.changes.ports import Act, StepResult
from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import ChangeError, ToolError
from orange_jupyter.local.applying.journal import Batch, Job, Stage
from orange_jupyter.local.applying.kept import Kept
from orange_jupyter.local.applying.moving import move
from orange_jupyter.local.applying.places import absolute, failed, folder_at, meaning, name_of, remove
from orange_jupyter.local.applying.planning import WORDS, beneath, compare_folder
from orange_jupyter.local.applying.trashing import Trash, mark_of
from orange_jupyter.local.applying.writing import create_folder, place_new, prepare, write


@dataclass(frozen=True, slots=True)
class Hands:
    """What steps are carried out with."""

    kept: Kept
    trash: Trash

    def begin(self, batch: Batch) -> None:
        """Journal, content, commit mark. Raises ChangeError where the journal cannot be written: nothing was begun."""
        try:
            batch.save()
            for job in batch.jobs:
                self._prepare(job)
            batch.stage = Stage.COMMITTED
            batch.save()
        except OSError as error:
            if self.sweep(batch):
                _discard(batch)
            else:
                _give_up(batch)
            code, why = meaning(error)
            raise ChangeError(
                code if code in (Code.DISK_FULL, Code.NO_ACCESS) else Code.IO_ERROR,
                f"Nothing was changed: the journal of changes cannot be written, because {why}.",
                hint="See that the disk of ORANGE_HOME has room and can be written.",
            ) from error

    def _prepare(self, job: Job) -> None:
        if job.result is not None or job.temp is None:
            return
        try:
            prepare(job, self.kept)
        except (OSError, ToolError) as error:
            job.result = failed(error, job.step.spot, WORDS[job.step.act])
            job.made = not remove_temp(job)

    def carry_out(self, batch: Batch) -> None:
        """All steps that have no result yet, in their order; each result is noted before the next begins.

        Where that cannot be noted the batch is given up: recovery must not do later what was told as not done.
        """
        for job in batch.jobs:
            if job.result is None:
                result = _held_back(job, batch) or self._attempt(job, batch)
                batch.end(job, result)
                if not result.done:
                    remove_temp(job)
        if not batch.noted and not all(job.result and job.result.done for job in batch.jobs):
            _give_up(batch)

    def _attempt(self, job: Job, batch: Batch) -> StepResult:
        try:
            if job.again and not job.begun:
                _compare_again(job, batch)
            match job.step.act:
                case Act.WRITE:
                    return write(job)
                case Act.CREATE_FILE | Act.RESTORE:
                    return place_new(job)
                case Act.CREATE_FOLDER:
                    return create_folder(job)
                case Act.MOVE:
                    return move(job, batch)
                case Act.TRASH:
                    return self.trash.take(job, batch)
        except (OSError, ToolError) as error:
            return failed(error, job.step.spot, WORDS[job.step.act])

    def take_back(self, batch: Batch) -> None:
        """Of a batch that was never marked as to be done nothing is left."""
        self.sweep(batch)
        for job in batch.jobs:
            job.result = job.result or StepResult(
                False,
                code=Code.CANCELLED,
                message=f"{name_of(job.step.spot)} was not {WORDS[job.step.act]}: the program ended before it began.",
            )

    def sweep(self, batch: Batch) -> bool:
        """Take what is left of temporary files away; False where something is still there."""
        self.kept.sweep([mark_of(batch, job) for job in batch.jobs])
        return all([remove_temp(job) for job in batch.jobs])


def remove_temp(job: Job) -> bool:
    """Take a step's temporary file or folder away; False where it is still there. Raises nothing."""
    if job.temp is None or not job.made:
        return True
    try:
        with folder_at(job.temp.root, job.temp.folder) as folder:
            return remove(folder, job.temp.name)
    except FileNotFoundError:  # its folder may be away for a moment, with the file in it
        return job.result is not None and job.result.done
    except (OSError, ToolError):
        return False


def _discard(batch: Batch) -> None:
    try:
        batch.discard()
    except OSError:
        _give_up(batch)


def _give_up(batch: Batch) -> None:
    """Recovery only sweeps it. Raises nothing: where nothing can be renamed either, the journal stays as it is."""
    with suppress(OSError):
        batch.give_up()


def _held_back(job: Job, batch: Batch) -> StepResult | None:
    for index in job.step.after:
        first = batch.jobs[index]
        if first.result is None or not first.result.done:
            why = first.result.message if first.result else "its step comes later."
            return StepResult(
                False,
                code=first.result.code if first.result else Code.INVALID_ARGUMENT,
                message=f"{name_of(job.step.spot)} was not {WORDS[job.step.act]}, because "
                f"{name_of(first.step.spot)} was not {WORDS[first.step.act]}: {why}",
            )
    return None


def _compare_again(job: Job, batch: Batch) -> None:
    """After a crash a folder is compared anew, unless steps of this batch changed it; then it may be moved only."""
    folder = absolute(job.step.spot)
    inside = any(
        other.result and other.result.done and beneath(absolute(spot), folder)
        for other in batch.jobs
        for spot in (other.step.spot, other.step.target)
        if spot is not None
    )
    if not inside:
        compare_folder(job.step)
    elif job.step.act is Act.TRASH:
        raise ChangeError(
            Code.STALE_SOURCE,
            f"{name_of(job.step.spot)} was not deleted: the program ended when parts of it had been changed.",
            hint="Look at the folder, and propose its deletion again.",
        )
