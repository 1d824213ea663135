"""The journal of a batch: written before anything is touched, and after each step, so that a crash can be read.

It holds paths, hashes and results, never the text of a note; that lies in the temporary files that it names.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from orange_jupyter.core.changes.ports import Act, Applied, Step, StepResult
from orange_jupyter.core.changes.values import Spot
from orange_jupyter.core.codes import Code
from orange_jupyter.local.applying.folders import private_folder, sync_folder, write_durably

VERSION = 1


class Stage(StrEnum):
    """How far a batch has come."""

    PREPARING = "preparing"
    COMMITTED = "committed"
    ENDED = "ended"
    FORGOTTEN = "forgotten"


@dataclass(frozen=True, slots=True)
class Temp:
    """Where a step's new content waits: a root, a folder in it, and the hidden name."""

    root: str
    folder: str
    name: str


@dataclass(slots=True)
class Job:
    """One step of a batch and how it went. `sha256` is that of its data; `begun` what was noted right before it.

    `again` is a step of a killed process. `made` says that its temporary file may be there.
    """

    index: int
    step: Step
    sha256: str = ""
    temp: Temp | None = None
    begun: dict[str, str] = field(default_factory=dict)
    result: StepResult | None = None
    again: bool = False
    made: bool = False


@dataclass(slots=True)
class Batch:
    """Steps that are carried out together, with their journal in `folder`. Changed by one thread at a time."""

    batch_id: str
    folder: Path
    jobs: list[Job]
    stage: Stage = Stage.PREPARING
    noted: bool = True
    """Whether the journal says what was told of the last step."""

    @property
    def file(self) -> Path:
        """The journal's file."""
        return self.folder / f"{self.batch_id}.json"

    def save(self) -> None:
        """Make the journal durable as it is now. Raises OSError."""
        private_folder(self.folder)
        write_durably(self.file, json.dumps(self._packed()).encode())

    def begin(self, job: Job, **facts: str) -> None:
        """Note what recovery has to know of a step that comes next. Raises OSError; then the step must not begin."""
        job.begun = facts
        self.save()

    def end(self, job: Job, result: StepResult) -> None:
        """Note a result. Where the journal cannot be written recovery looks at the disk instead."""
        job.result = result
        self.noted = False
        with suppress(OSError):
            self.save()
            self.noted = True

    def age_s(self) -> float:
        """Seconds since the journal was last written. Raises OSError."""
        return time.time() - self.file.stat().st_mtime

    def forget(self) -> None:
        """Note that only temporary files are left to be swept. Raises OSError."""
        if self.stage is not Stage.FORGOTTEN:
            self.stage = Stage.FORGOTTEN
            self.save()

    def give_up(self) -> None:
        """The same by another name of the file, for a disk that takes no writing. Raises OSError."""
        os.rename(self.file, _over(self.file))
        self.stage = Stage.FORGOTTEN
        sync_folder(self.folder)

    def discard(self) -> None:
        """Take the journal away, the last act of a batch. Raises OSError."""
        self.file.with_name(self.file.name + ".tmp").unlink(missing_ok=True)
        self.file.unlink(missing_ok=True)
        _over(self.file).unlink(missing_ok=True)
        sync_folder(self.folder)

    def applied(self) -> Applied:
        """The batch as its results say it."""
        missing = StepResult(False, code=Code.INTERNAL, message="This step was not reached.")
        return Applied(
            self.batch_id, tuple(job.step for job in self.jobs), tuple(job.result or missing for job in self.jobs)
        )

    def _packed(self) -> dict[str, Any]:
        return {
            "version": VERSION,
            "batch": self.batch_id,
            "stage": self.stage.value,
            "steps": [_pack(job) for job in self.jobs],
        }


def job_of(index: int, step: Step) -> Job:
    """A step that was not begun."""
    return Job(index, step, hashlib.sha256(step.data).hexdigest() if step.act in (Act.WRITE, Act.CREATE_FILE) else "")


def read_journal(file: Path) -> Batch | None:
    """A batch as its journal has it; its steps are without their data. None where there is no readable journal."""
    if over := _read(_over(file)):
        over.stage = Stage.FORGOTTEN
        return over
    return _read(file)


def _over(file: Path) -> Path:
    return file.with_suffix(".over")


def _read(file: Path) -> Batch | None:
    try:
        packed = json.loads(file.read_bytes())
        if packed["version"] != VERSION:
            return None
        jobs = [_unpack(index, one) for index, one in enumerate(packed["steps"])]
        batch = Batch(packed["batch"], file.parent, jobs, Stage(packed["stage"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None
    for job in batch.jobs:
        job.made = job.made or batch.stage is Stage.PREPARING
    return batch


def journals(folder: Path) -> list[str]:
    """The ids of the batches that have a journal, or the beginning of one, oldest name first."""
    try:
        names = os.listdir(folder)
    except FileNotFoundError:
        return []
    return sorted({name.split(".", 1)[0] for name in names if name.endswith((".json", ".json.tmp", ".over"))})


def _pack(job: Job) -> dict[str, Any]:
    step = job.step
    return {
        "act": step.act.value,
        "operations": step.operations,
        "spot": _pair(step.spot),
        "target": _pair(step.target) if step.target else None,
        "expected": step.expected,
        "kept": step.kept,
        "after": step.after,
        "sha256": job.sha256,
        "temp": [job.temp.root, job.temp.folder, job.temp.name] if job.temp else None,
        "made": job.made,
        "begun": job.begun,
        "result": _pack_result(job.result) if job.result else None,
    }


def _pair(spot: Spot) -> list[str]:
    return [spot.root, spot.relative]


def _pack_result(result: StepResult) -> dict[str, Any]:
    return {
        "done": result.done,
        "sha256": result.sha256,
        "code": result.code.value if result.code else None,
        "message": result.message,
        "warnings": result.warnings,
        "note": result.note,
    }


def _unpack(index: int, one: dict[str, Any]) -> Job:
    step = Step(
        act=Act(one["act"]),
        operations=tuple(one["operations"]),
        spot=_spot(one["spot"]),
        target=_spot(one["target"]) if one["target"] else None,
        expected=one["expected"],
        kept=one["kept"],
        after=tuple(one["after"]),
    )
    temp = Temp(*one["temp"]) if one["temp"] else None
    result = _unpack_result(one["result"]) if one["result"] else None
    return Job(index, step, one["sha256"], temp, one["begun"], result, again=True, made=one["made"])


def _spot(pair: list[str]) -> Spot:
    return Spot(root=pair[0], relative=pair[1])


def _unpack_result(one: dict[str, Any]) -> StepResult:
    return StepResult(
        done=one["done"],
        sha256=one["sha256"],
        code=Code(one["code"]) if one["code"] else None,
        message=one["message"],
        warnings=tuple(one["warnings"]),
        note=one["note"],
    )
