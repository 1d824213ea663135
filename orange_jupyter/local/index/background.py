"""Reads documents into the indexes while everything else goes on: one job a base, from the first to the last.

A job lives on the event loop of who started it, not in the call that did: it goes on when a search has been answered.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress

from orange_jupyter.core.paths import KnowledgeBase, shown_name
from orange_jupyter.core.ports import ReportProgress
from orange_jupyter.local.index.database import Damaged
from orange_jupyter.local.index.reading import Outcome, Work, not_updated, take
from orange_jupyter.local.scan import Seen

DOCUMENTS_AT_ONCE = 3
LARGE = 32 * 1_048_576
"""One document of this size at a time: it lies in memory while it waits for a worker."""

Concerns = Callable[[Seen], bool]


class Job:
    """The documents of one base that have to be read. `outcome` counts what was done and holds warnings."""

    def __init__(self, work: Work) -> None:
        self.damage: Damaged | None = None
        self.outlasts = False
        """Whether it took longer than a search was ready to wait."""
        self._work = work
        self._todo: dict[str, Seen] = {}
        self._busy: dict[str, Seen] = {}
        self._done: set[str] = set()
        self._running: set[asyncio.Task[None]] = set()
        self._news = asyncio.Event()
        self._large = asyncio.Lock()
        self._moved = asyncio.Event()
        self._listeners: list[ReportProgress] = []
        self._task: asyncio.Task[None] | None = None

    @property
    def outcome(self) -> Outcome:
        """What the job has done so far."""
        return self._work.outcome

    @property
    def over(self) -> bool:
        """Whether it has ended."""
        return self._task is None or self._task.done()

    @property
    def waiting(self) -> tuple[Seen, ...]:
        """What is not in the index yet."""
        return (*self._busy.values(), *self._todo.values())

    @property
    def progress(self) -> tuple[int, int]:
        """Documents done and in all."""
        waiting = self._todo.keys() | self._busy.keys()
        return len(self._done - waiting), len(self._done | waiting)

    def take_on(self, files: Iterable[Seen]) -> None:
        """What a scan found to do just now, in place of what was found before; begins the work.

        What has come in since comes first: somebody works with it.
        """
        busy, before = set(self._busy.values()), self._todo
        fresh = sorted((seen for seen in files if seen not in busy), key=lambda seen: seen.relative in before)
        self._todo = {seen.relative: seen for seen in fresh}
        self._news.set()
        if self.over:
            self._task = asyncio.create_task(self._run())

    def first(self, concerns: Concerns) -> None:
        """Take these before the others: somebody asks for them."""
        self._todo = dict(sorted(self._todo.items(), key=lambda item: not concerns(item[1])))

    async def until_done(self, concerns: Concerns) -> None:
        """Wait until what concerns somebody is in the index, or the job has ended. Raises what stopped it."""
        while not self.over and any(map(concerns, self.waiting)):
            await self._moved.wait()
        if self._task is not None and not self.waiting:
            await asyncio.wait({self._task})
            if not self._task.cancelled():
                self._task.result()
        if self.damage:
            raise self.damage

    @contextmanager
    def heard(self, report: ReportProgress | None) -> Iterator[None]:
        """Tell `report` of every step meanwhile."""
        if report is None:
            yield
            return
        self._listeners.append(report)
        try:
            yield
        finally:
            self._listeners.remove(report)

    async def end(self) -> None:
        """Stop the work; what is written stays."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task})

    async def _run(self) -> None:
        try:
            while self._todo:
                await self._all()
                await asyncio.to_thread(self._work.shelf.settle)
        except Damaged as damage:
            self.damage = damage
        except (sqlite3.OperationalError, OSError) as error:
            self.outcome.warnings.append(not_updated(self._work.base, error))
        finally:
            await self._clear()

    async def _all(self) -> None:
        """Until nothing is left; what comes in meanwhile is begun at once where there is room."""
        while self._todo or self._running:
            self._news.clear()
            self._begin()
            await self._news.wait()
            for task in [task for task in self._running if task.done()]:
                self._running.discard(task)
                task.result()

    def _begin(self) -> None:
        free = [seen for path, seen in self._todo.items() if path not in self._busy]
        for seen in free[: DOCUMENTS_AT_ONCE - len(self._running)]:
            del self._todo[seen.relative]
            self._busy[seen.relative] = seen
            task = asyncio.create_task(self._one(seen))
            task.add_done_callback(lambda _: self._news.set())
            self._running.add(task)

    async def _clear(self) -> None:
        """Stop what still runs; the index is sealed even after a cancel."""
        if self._running:
            for task in self._running:
                task.cancel()
            await asyncio.gather(*self._running, return_exceptions=True)
            self._running.clear()
            with suppress(Damaged, sqlite3.Error, OSError):
                await asyncio.to_thread(self._work.shelf.settle)
        self._todo.clear()
        self._busy.clear()
        self._tell("indexing")

    async def _one(self, seen: Seen) -> None:
        self._tell(f"indexing {shown_name(seen.relative)}")
        try:
            if seen.size > LARGE:
                async with self._large:
                    await self._take(seen)
            else:
                await self._take(seen)
            self._done.add(seen.relative)
        finally:
            self._busy.pop(seen.relative, None)
        self._tell("indexing")

    async def _take(self, seen: Seen) -> None:
        await asyncio.to_thread(self._work.shelf.database.check)
        await take(self._work, [seen])

    def _tell(self, what: str) -> None:
        moved, self._moved = self._moved, asyncio.Event()
        moved.set()
        for report in self._listeners:
            report(what, *self.progress)


class Background:
    """The jobs of one process, by base: however many libraries there are, a base's documents are read once."""

    def __init__(self) -> None:
        self._jobs: dict[KnowledgeBase, Job] = {}

    def of(self, base: KnowledgeBase) -> Job | None:
        """The job of a base that runs, or has just ended."""
        return self._jobs.get(base)

    def progress(self) -> dict[str, tuple[int, int]]:
        """Documents (done, in all) of the bases that are being indexed now, by KB id."""
        return {base.id: job.progress for base, job in self._jobs.items() if job.waiting}

    def take_on(self, work: Work, files: tuple[Seen, ...]) -> None:
        """Hand over what a scan found to do."""
        job = self._jobs.get(work.base)
        if job is not None and not job.over:
            job.take_on(files)
        elif files:
            self._jobs[work.base] = job = Job(work)
            job.take_on(files)

    def warnings(self, base: KnowledgeBase) -> list[str]:
        """What went wrong since this was last asked."""
        job = self._jobs.get(base)
        found = list(job.outcome.warnings) if job else []
        if job:
            job.outcome.warnings.clear()
        return found

    async def end(self, bases: Iterable[KnowledgeBase]) -> None:
        """Stop the jobs of these bases."""
        ended = [job for base in bases if (job := self._jobs.pop(base, None))]
        await asyncio.gather(*(job.end() for job in ended))
