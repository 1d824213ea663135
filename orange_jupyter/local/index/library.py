"""The library: one index for each selected knowledge base, brought up to date before every search (R-SRCH-6).

Notes are up to date when a search answers. Documents are read in the background; a search waits a little for them.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from orange_jupyter.core.codes import Code
from orange_jupyter.core.corpus import Hits, SearchQuery
from orange_jupyter.core.errors import ArgumentError, RunError
from orange_jupyter.core.paths import KnowledgeBase
from orange_jupyter.core.ports import Documents, ReportProgress
from orange_jupyter.core.reports import IndexReport
from orange_jupyter.local.fileids import FileIds
from orange_jupyter.local.index import finding, refreshing, schema
from orange_jupyter.local.index.answering import Answers, DamagedIn, is_filtered
from orange_jupyter.local.index.background import Background, Concerns, Job
from orange_jupyter.local.index.database import VFS, Damaged, Database
from orange_jupyter.local.index.reading import Outcome, Sources, Work
from orange_jupyter.local.index.shelf import Shelf
from orange_jupyter.local.scan import Scanner

TRIES = 3
PATIENCE, LESS = 2.0, 0.5
"""Seconds that a search waits for documents: in a small base, what was added a moment ago is found. Less the next
times where that was not enough: a model asks several questions in a row."""


@dataclass(frozen=True, slots=True)
class Indexing:
    """How a process indexes: its running jobs, the seconds that a search waits for documents, SQLite's file layers."""

    background: Background
    patience: float = PATIENCE
    vfs: tuple[str, str] = VFS


class LocalLibrary:
    """`core.ports.Library` over SQLite FTS5 files in the cache folder, shared with other kernels.

    `folder` (absolute) is made with mode 700 (R-HL-3). Call `close` at the end. Used from one event loop.
    """

    def __init__(
        self,
        bases: tuple[KnowledgeBase, ...],
        documents: Documents,
        file_ids: FileIds,
        folder: Path,
        *,
        indexing: Indexing | None = None,
    ) -> None:
        """`indexing` is shared by the libraries of a process."""
        self._bases = bases
        self._indexing = indexing or Indexing(Background())
        self._jobs, vfs = self._indexing.background, self._indexing.vfs
        self._folder = folder
        self._sources = Sources(documents, file_ids)
        self._scanners = {base.id: Scanner(base, (str(folder),)) for base in bases}
        self._shelves = {
            base.id: Shelf(Database(folder, base.id, version=f"{schema.VERSION}/{base.encoding or ''}", vfs=vfs))
            for base in bases
        }
        self._locks = {base.id: asyncio.Lock() for base in bases}
        self._answers = Answers(bases, self._shelves, file_ids, folder)
        self._said: set[str] = set()

    async def refresh(self, progress: ReportProgress | None = None, *, rebuild: bool = False) -> IndexReport:
        """Bring the indexes up to date, from nothing with `rebuild`. May be cancelled at any point without harm.

        Documents are waited for; a cancel stops reading them, also for searches.
        """
        started = time.monotonic()
        if rebuild:
            for base in self._bases:
                await self._jobs.end([base])
                async with self._locks[base.id]:
                    await asyncio.to_thread(self._shelves[base.id].begin_anew)
        outcomes = [await self._refresh_all(base, progress) for base in self._bases]
        reports = [await asyncio.to_thread(self._answers.report, base) for base in self._bases]
        return IndexReport(
            bases=tuple(reports),
            changed=sum(outcome.changed for outcome in outcomes),
            added=sum(outcome.added for outcome in outcomes),
            removed=sum(outcome.removed for outcome in outcomes),
            seconds=time.monotonic() - started,
            warnings=tuple(dict.fromkeys(warning for outcome in outcomes for warning in outcome.warnings)),
        )

    async def search(self, query: SearchQuery, progress: ReportProgress | None = None) -> Hits:
        """Rescan, then the best passages. Each warning is said once by a library.

        Raises ArgumentError for an empty query without a filter.
        """
        if not query.text.strip() and not is_filtered(query):
            raise ArgumentError(Code.INVALID_ARGUMENT, "`query` may be empty only with a filter.")
        query = await asyncio.to_thread(self._answers.resolved, query)
        bases = self._answers.asked(query)
        warnings: list[str] = []
        patience = self._indexing.patience
        for _ in range(TRIES):
            outcomes = [await self._refresh(base, progress) for base in bases]
            warnings += [warning for outcome in outcomes for warning in outcome.warnings]
            reachable = [base for base, outcome in zip(bases, outcomes, strict=True) if outcome.reachable]
            try:
                waiting, indexing = await self._wait(reachable, finding.concerns(query), patience, progress)
                hits, files, outdated = await asyncio.to_thread(self._answers.find, query, reachable, waiting)
            except DamagedIn as damage:
                warnings += await self._anew(damage.base, damage.cause)
                continue
            finally:
                warnings += [warning for base in bases for warning in self._jobs.warnings(base)]
            if not outdated:
                break
            patience = 0.0
        else:
            raise RunError(Code.BUSY, "The files change faster than they can be searched; try again.")
        fresh = [warning for warning in dict.fromkeys(warnings) if warning not in self._said]
        self._said.update(fresh)
        return Hits(hits=hits, files=files, warnings=tuple(fresh), indexing=indexing)

    async def close(self) -> None:
        """Stop indexing and close the files."""
        await self._jobs.end(self._bases)
        for shelf in self._shelves.values():
            await asyncio.to_thread(shelf.database.close)
        self._answers.close()

    async def _refresh(self, base: KnowledgeBase, progress: ReportProgress | None) -> Outcome:
        shelf, scanner = self._shelves[base.id], self._scanners[base.id]
        said: list[str] = []
        async with self._locks[base.id]:
            for _ in range(TRIES):
                try:
                    nested = self._answers.nested(base)
                    outcome = await refreshing.refresh(shelf, scanner, self._sources, nested=nested, progress=progress)
                except Damaged as damage:
                    said += await self._anew_locked(base, damage)
                    continue
                outcome.warnings[:0] = said + shelf.database.warnings
                if outcome.reachable:
                    self._jobs.take_on(Work(shelf, base, self._sources, Outcome()), outcome.waiting)
                return outcome
        raise RunError(Code.IO_ERROR, f"The search index of {base.name} cannot be kept in {self._folder}.")

    async def _refresh_all(self, base: KnowledgeBase, progress: ReportProgress | None) -> Outcome:
        """The same, and wait for the documents; `outcome` is of all files."""
        said: list[str] = []
        for _ in range(TRIES):
            outcome = await self._refresh(base, progress)
            outcome.warnings[:0] = said
            job = self._jobs.of(base)
            if job is None or not outcome.reachable:
                return outcome
            added, changed = job.outcome.added, job.outcome.changed
            try:
                with job.heard(_after(outcome.notes, progress)):
                    await job.until_done(lambda _: True)
            except Damaged as damage:
                said += await self._anew(base, damage)
                continue
            except asyncio.CancelledError:
                await self._jobs.end([base])
                raise
            outcome.added += job.outcome.added - added
            outcome.changed += job.outcome.changed - changed
            outcome.warnings += self._jobs.warnings(base)
            return outcome
        raise RunError(Code.IO_ERROR, f"The search index of {base.name} cannot be kept in {self._folder}.")

    async def _wait(
        self, bases: Sequence[KnowledgeBase], concerns: Concerns, seconds: float, progress: ReportProgress | None
    ) -> tuple[Mapping[str, frozenset[str]], tuple[int, int] | None]:
        """Wait for the documents that concern a query, but no longer than `seconds`.

        Those that are still to be read, by KB id; and how many are done and how many there are. Raises DamagedIn.
        """
        jobs = [(base, job) for base in bases if (job := self._jobs.of(base)) and any(map(concerns, job.waiting))]
        for _, job in jobs:
            job.first(concerns)
        try:
            async with asyncio.timeout(min(seconds, LESS) if any(job.outlasts for _, job in jobs) else seconds):
                for base, job in jobs:
                    await self._until_done(base, job, concerns, progress)
        except TimeoutError:
            for _, job in jobs:
                job.outlasts = True
        waiting = {base.id: frozenset(seen.relative for seen in job.waiting) for base, job in jobs}
        left = [job.progress for _, job in jobs if any(map(concerns, job.waiting))]
        return waiting, (sum(done for done, _ in left), sum(total for _, total in left)) if left else None

    async def _until_done(
        self, base: KnowledgeBase, job: Job, concerns: Concerns, progress: ReportProgress | None
    ) -> None:
        try:
            with job.heard(progress):
                await job.until_done(concerns)
        except Damaged as damage:
            raise DamagedIn(base, damage) from damage

    async def _anew(self, base: KnowledgeBase, damage: Damaged) -> list[str]:
        await self._jobs.end([base])
        async with self._locks[base.id]:
            return await self._anew_locked(base, damage)

    async def _anew_locked(self, base: KnowledgeBase, damage: Damaged) -> list[str]:
        await asyncio.to_thread(self._shelves[base.id].begin_anew)
        return [] if damage.outdated else [f"The search index of {base.name} was damaged and has been rebuilt."]


def _after(notes: int, progress: ReportProgress | None) -> ReportProgress | None:
    """Progress of documents after so many notes, as one count."""
    return progress and (lambda what, done, total: progress(what, notes + done, notes + (total or 0)))
