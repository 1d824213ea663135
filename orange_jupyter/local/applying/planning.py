"""Looks at the steps of a batch before anything is touched: what cannot be done, and where new content will wait."""

from __future__ import annotations

import errno
import os
import stat
from dataclasses import replace

from orange_jupyter.core.changes.ports import Act, Step
from orange_jupyter.core.changes.values import Spot
from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import ChangeError, ToolError
from orange_jupyter.local.applying.journal import Job, Temp, job_of
from orange_jupyter.local.applying.moving import overlapping
from orange_jupyter.local.applying.places import (
    absolute,
    checked,
    failed,
    folder_at,
    name_of,
    parent_of,
    require_same,
    stat_at,
)
from orange_jupyter.local.applying.trees import read_tree
from orange_jupyter.local.protected import Protected

PREPARED = (Act.WRITE, Act.CREATE_FILE, Act.RESTORE)
TAKEN = (Act.MOVE, Act.TRASH)
WORDS = {
    Act.WRITE: "written",
    Act.CREATE_FILE: "created",
    Act.CREATE_FOLDER: "created",
    Act.MOVE: "moved",
    Act.TRASH: "deleted",
    Act.RESTORE: "restored",
}


def plan(steps: tuple[Step, ...], batch_id: str, protected: Protected) -> list[Job]:
    """The steps as jobs; those that cannot be done have their result already. Touches nothing."""
    jobs = [job_of(index, step) for index, step in enumerate(steps)]
    for job in jobs:
        try:
            job.step = _clean(job.step, protected)
            compare_folder(job.step)
        except (OSError, ToolError) as error:
            job.result = failed(error, job.step.spot, WORDS[job.step.act])
    going = [absolute(job.step.spot) for job in jobs if job.step.act in TAKEN]
    for job in jobs:
        if job.result is None and job.step.act in PREPARED:
            _give_temp(job, batch_id, going)
    return jobs


def _clean(step: Step, protected: Protected) -> Step:
    spot = checked(step.spot)
    protected.refuse(absolute(spot))
    if step.act is not Act.MOVE:
        return replace(step, spot=spot)
    if step.target is None:
        raise ChangeError(Code.INVALID_ARGUMENT, f"{name_of(spot)} was not moved: the move has no target.")
    target = checked(step.target)
    protected.refuse(absolute(target))
    if absolute(target) == absolute(spot) or beneath(absolute(target), absolute(spot)):
        raise overlapping(target)
    return replace(step, spot=spot, target=target)


def beneath(path: str, folder: str) -> bool:
    """Whether a real path lies in a folder, at any depth."""
    return path.startswith(folder.rstrip("/") + "/")


def compare_folder(step: Step) -> None:
    """Raises ChangeError stale_source for a folder that is moved or deleted and is not as expected."""
    if step.act not in TAKEN or not step.expected or not _is_folder(step.spot):
        return
    require_same(step.spot, read_tree(step.spot).digest, step.expected)


def _is_folder(spot: Spot) -> bool:
    try:
        with parent_of(spot) as place:
            state = stat_at(*place)
    except (OSError, ToolError):
        return False  # an earlier step may make it; the step itself will say if not
    return state is not None and stat.S_ISDIR(state.st_mode)


def _give_temp(job: Job, batch_id: str, going: list[str]) -> None:
    """The folder of the new content, or the nearest above it that is there and that no step takes away."""
    spot = job.step.spot
    folder = spot.relative.rpartition("/")[0]
    while folder:
        path = os.path.join(spot.root, folder)
        if not any(path == one or beneath(path, one) for one in going) and _there(spot.root, folder):
            break
        folder = folder.rpartition("/")[0]
    job.temp = Temp(spot.root, folder, f".orange-{batch_id}-{job.index}.tmp")


def _there(root: str, folder: str) -> bool:
    try:
        with folder_at(root, folder):
            return True
    except OSError as error:
        return error.errno not in (errno.ENOENT, errno.ENOTDIR)  # what else is wrong the step will say
