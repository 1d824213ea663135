"""The library: one index for each selected knowledge base, brought up to date before every search (R-SRCH-6)."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from orange_jupyter.core.codes import Code
from orange_jupyter.core.corpus import Hit, Hits, SearchQuery
from orange_jupyter.core.errors import ArgumentError, RunError
from orange_jupyter.core.paths import FileInfo, KnowledgeBase, Place, shown_name
from orange_jupyter.core.ports import Documents, ReportProgress
from orange_jupyter.core.reports import BaseReport, IndexReport
from orange_jupyter.local.fileids import FileIds
from orange_jupyter.local.index import choosing, finding, refreshing, schema
from orange_jupyter.local.index.choosing import Scored
from orange_jupyter.local.index.database import VFS, Damaged, Database
from orange_jupyter.local.index.finding import Condition, Found
from orange_jupyter.local.index.ranking import Stems
from orange_jupyter.local.index.refreshing import Outcome, Sources
from orange_jupyter.local.index.shelf import Shelf
from orange_jupyter.local.index.words import Dictionary, parse
from orange_jupyter.local.opening import real_path
from orange_jupyter.local.placing import innermost, written
from orange_jupyter.local.scan import Scanner

TRIES = 3


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
        vfs: tuple[str, str] = VFS,
    ) -> None:
        self._bases = bases
        self._folder = folder
        self._sources = Sources(documents, file_ids)
        self._scanners = {base.id: Scanner(base, (str(folder),)) for base in bases}
        self._shelves = {
            base.id: Shelf(Database(folder, base.id, version=f"{schema.VERSION}/{base.encoding or ''}", vfs=vfs))
            for base in bases
        }
        self._locks = {base.id: asyncio.Lock() for base in bases}
        self._dictionary = Dictionary(folder)
        self._stems = Stems()
        self._said: set[str] = set()

    async def refresh(self, progress: ReportProgress | None = None, *, rebuild: bool = False) -> IndexReport:
        """Bring the indexes up to date, from nothing with `rebuild`. May be cancelled at any point without harm."""
        started = time.monotonic()
        if rebuild:
            for base in self._bases:
                async with self._locks[base.id]:
                    await asyncio.to_thread(self._shelves[base.id].begin_anew)
        outcomes = [await self._refresh(base, progress) for base in self._bases]
        reports = [await asyncio.to_thread(self._report, base) for base in self._bases]
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
        if not query.text.strip() and not _filtered(query):
            raise ArgumentError(Code.INVALID_ARGUMENT, "`query` may be empty only with a filter.")
        query = await asyncio.to_thread(self._resolved, query)
        bases = self._asked(query)
        warnings: list[str] = []
        for _ in range(TRIES):
            outcomes = [await self._refresh(base, progress) for base in bases]
            warnings += [warning for outcome in outcomes for warning in outcome.warnings]
            reachable = [base for base, outcome in zip(bases, outcomes, strict=True) if outcome.reachable]
            try:
                hits, files, outdated = await asyncio.to_thread(self._find, query, reachable)
            except _DamagedIn as damage:
                warnings += await self._anew(damage.base, damage.cause)
                continue
            if not outdated:
                break
        else:
            raise RunError(Code.BUSY, "The files change faster than they can be searched; try again.")
        fresh = [warning for warning in dict.fromkeys(warnings) if warning not in self._said]
        self._said.update(fresh)
        return Hits(hits=hits, files=files, warnings=tuple(fresh))

    async def close(self) -> None:
        """Close the files."""
        for shelf in self._shelves.values():
            await asyncio.to_thread(shelf.database.close)
        self._stems.close()

    def _resolved(self, query: SearchQuery) -> SearchQuery:
        """The query with the real place of its folder, for the index knows files by their own paths."""
        folder = query.folder
        if folder is None or folder.knowledge_base is None:
            return query
        real = real_path(os.path.join(folder.knowledge_base.root, folder.relative))
        home = innermost(real, self._bases)
        if home is None:
            return query
        relative = real[len(home.root) :].lstrip("/")
        return replace(query, folder=replace(folder, knowledge_base=home, relative=relative))

    def _asked(self, query: SearchQuery) -> list[KnowledgeBase]:
        wanted = set(query.knowledge_base_ids or (base.id for base in self._bases))
        if query.folder is not None:
            wanted &= {query.folder.knowledge_base.id} if query.folder.knowledge_base else set()
        return [base for base in self._bases if base.id in wanted]

    def _nested(self, base: KnowledgeBase) -> list[str]:
        above = base.root.rstrip("/") + "/"
        return [other.root[len(above) :] for other in self._bases if other.root.startswith(above)]

    async def _refresh(self, base: KnowledgeBase, progress: ReportProgress | None) -> Outcome:
        shelf, scanner = self._shelves[base.id], self._scanners[base.id]
        said: list[str] = []
        async with self._locks[base.id]:
            for _ in range(TRIES):
                try:
                    nested = self._nested(base)
                    outcome = await refreshing.refresh(shelf, scanner, self._sources, nested=nested, progress=progress)
                except Damaged as damage:
                    said += await self._anew_locked(base, damage)
                    continue
                outcome.warnings[:0] = said + shelf.database.warnings
                return outcome
        raise RunError(Code.IO_ERROR, f"The search index of {base.name} cannot be kept in {self._folder}.")

    async def _anew(self, base: KnowledgeBase, damage: Damaged) -> list[str]:
        async with self._locks[base.id]:
            return await self._anew_locked(base, damage)

    async def _anew_locked(self, base: KnowledgeBase, damage: Damaged) -> list[str]:
        await asyncio.to_thread(self._shelves[base.id].begin_anew)
        return [] if damage.outdated else [f"The search index of {base.name} was damaged and has been rebuilt."]

    def _find(self, query: SearchQuery, bases: Sequence[KnowledgeBase]) -> tuple[tuple[Hit, ...], int, bool]:
        """Hits, files looked at, and whether a passage was left out because its file has just changed."""
        question = parse(query.text, self._dictionary.cut)
        stems = self._stems.of(word for piece in question.phrases + question.pieces for word in piece.probes)

        def ask(connection: sqlite3.Connection, where: Condition) -> Found:
            if not query.text.strip():
                return finding.newest(connection, where)
            return finding.find(connection, question, where, stems)

        found = []
        for base in bases:
            where = finding.condition(query, self._nested(base))
            try:
                one = self._shelves[base.id].database.read(partial(ask, where=where))
            except Damaged as damage:
                raise _DamagedIn(base, damage) from damage
            found.append((base, one))
        best = choosing.chosen(choosing.merged(question, found), query.limit)
        valid = [item for item in best if choosing.is_current(item)]
        return tuple(self._hit(item) for item in valid), sum(one.files for _, one in found), len(valid) < len(best)

    def _hit(self, item: Scored) -> Hit:
        candidate, base = item.candidate, item.base
        seen = candidate.seen
        place = Place(base, seen.relative, shown_name(written(base, seen.relative, self._bases)))
        file_id = self._sources.file_ids.known(base.id, seen.relative)
        if file_id is None:
            file_id = self._sources.file_ids.include(base.id, [seen])[seen.relative]
        info = FileInfo(
            place=place,
            file_type=seen.kind,
            size=seen.size,
            mtime_ns=seen.mtime_ns,
            inode=seen.inode,
            file_id=file_id,
            page_count=candidate.page_count,
            block_count=candidate.block_count,
        )
        return Hit(
            info=info,
            title=candidate.title,
            heading_path=candidate.heading_path,
            passage=candidate.passage,
            start=candidate.start,
            end=candidate.end,
            score=round(item.score, 4),
            content_hash=candidate.content_hash,
            page=candidate.page,
            block=candidate.block,
        )

    def _report(self, base: KnowledgeBase) -> BaseReport:
        where = finding.condition(SearchQuery(text="", knowledge_base_ids=()), self._nested(base))
        contents = self._shelves[base.id].database.read(partial(finding.contents, where=where))
        scanned_at = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        return BaseReport(base, contents.files, contents.chunks, contents.bytes, contents.failed, scanned_at)


class _DamagedIn(Exception):
    def __init__(self, base: KnowledgeBase, cause: Damaged) -> None:
        super().__init__()
        self.base = base
        self.cause = cause


def _filtered(query: SearchQuery) -> bool:
    return bool(
        query.folder is not None
        or query.path_prefix
        or query.tags
        or query.file_types
        or query.updated_after is not None
        or query.updated_before is not None
    )
