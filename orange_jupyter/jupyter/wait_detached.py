"""Turns that go on after their cell returned, in the order in which they began; `%orange wait` joins them."""

from __future__ import annotations

from orange_jupyter.jupyter.stage import CellStage
from orange_jupyter.jupyter.waiting import Job


class Detached:
    """The turns of this kernel whose cells returned. Used on the kernel's main thread only."""

    def __init__(self) -> None:
        self._jobs: list[tuple[Job, CellStage]] = []

    def add(self, job: Job, stage: CellStage) -> None:
        """Let a job go on by itself, its questions in the controls of `stage`."""
        self._jobs = [*self.left(), (job, stage)]

    def left(self) -> list[tuple[Job, CellStage]]:
        """Those that still run, oldest first."""
        return [(job, stage) for job, stage in self._jobs if not job.done]
