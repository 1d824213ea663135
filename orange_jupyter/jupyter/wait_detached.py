"""Turns that go on after their cell returned, in the order in which they began; `%orange wait` joins them."""

from __future__ import annotations

from orange_jupyter.jupyter.waiting import Job


class Detached:
    """The turns of this kernel whose cells returned. Used on the kernel's main thread only."""

    def __init__(self) -> None:
        self._jobs: list[Job] = []

    def add(self, job: Job) -> None:
        """Let a job go on by itself."""
        self._jobs = [*self.left(), job]

    def left(self) -> list[Job]:
        """Those that still run, oldest first."""
        return [job for job in self._jobs if not job.done]
