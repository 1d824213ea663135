"""Answers a query from the indexes as they are now; synchronous, in threads."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from orange_jupyter.core.corpus import Hit, SearchQuery
from orange_jupyter.core.paths import FileInfo, KnowledgeBase, Place, shown_name
from orange_jupyter.core.reports import BaseReport
from orange_jupyter.local.fileids import FileIds
from orange_jupyter.local.index import choosing, finding
from orange_jupyter.local.index.choosing import Scored
from orange_jupyter.local.index.database import Damaged
from orange_jupyter.local.index.finding import Condition, Found
from orange_jupyter.local.index.ranking import Stems
from orange_jupyter.local.index.shelf import Shelf
from orange_jupyter.local.index.words import Dictionary, parse
from orange_jupyter.local.opening import real_path
from orange_jupyter.local.placing import innermost, written


class DamagedIn(Exception):
    """The index of `base` cannot be used."""

    def __init__(self, base: KnowledgeBase, cause: Damaged) -> None:
        super().__init__()
        self.base = base
        self.cause = cause


class Answers:
    """The indexes of some bases, asked together. `folder` is where the dictionary keeps its cache."""

    def __init__(
        self, bases: tuple[KnowledgeBase, ...], shelves: Mapping[str, Shelf], file_ids: FileIds, folder: Path
    ) -> None:
        self._bases = bases
        self._shelves = shelves
        self._file_ids = file_ids
        self._dictionary = Dictionary(folder)
        self._stems = Stems()

    def close(self) -> None:
        """Free what is in memory."""
        self._stems.close()

    def resolved(self, query: SearchQuery) -> SearchQuery:
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

    def asked(self, query: SearchQuery) -> list[KnowledgeBase]:
        """The bases that a resolved query is about."""
        wanted = set(query.knowledge_base_ids or (base.id for base in self._bases))
        if query.folder is not None:
            wanted &= {query.folder.knowledge_base.id} if query.folder.knowledge_base else set()
        return [base for base in self._bases if base.id in wanted]

    def nested(self, base: KnowledgeBase) -> list[str]:
        """Folders of a base that belong to another one."""
        above = base.root.rstrip("/") + "/"
        return [other.root[len(above) :] for other in self._bases if other.root.startswith(above)]

    def find(
        self, query: SearchQuery, bases: Sequence[KnowledgeBase], waiting: Mapping[str, frozenset[str]]
    ) -> tuple[tuple[Hit, ...], int, bool]:
        """Hits, files looked at, and whether a passage was left out because its file has just changed.

        What the index says of documents that are `waiting` to be read again is left out from the start.
        """
        question = parse(query.text, self._dictionary.cut)
        stems = self._stems.of(word for piece in question.phrases + question.pieces for word in piece.probes)

        def ask(connection: sqlite3.Connection, where: Condition) -> Found:
            if not query.text.strip():
                return finding.newest(connection, where)
            return finding.find(connection, question, where, stems)

        found = []
        for base in bases:
            where = finding.condition(query, self.nested(base))
            try:
                one = self._shelves[base.id].database.read(partial(ask, where=where))
            except Damaged as damage:
                raise DamagedIn(base, damage) from damage
            found.append((base, one))
        merged = choosing.merged(question, found)
        known = (one for one in merged if one.candidate.seen.relative not in waiting.get(one.base.id, ()))
        best = choosing.chosen(known, query.limit)
        valid = [item for item in best if choosing.is_current(item)]
        return tuple(self._hit(item) for item in valid), sum(one.files for _, one in found), len(valid) < len(best)

    def _hit(self, item: Scored) -> Hit:
        candidate, base = item.candidate, item.base
        seen = candidate.seen
        place = Place(base, seen.relative, shown_name(written(base, seen.relative, self._bases)))
        file_id = self._file_ids.known(base.id, seen.relative)
        if file_id is None:
            file_id = self._file_ids.include(base.id, [seen])[seen.relative]
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

    def report(self, base: KnowledgeBase) -> BaseReport:
        """What the index of a base holds."""
        where = finding.condition(SearchQuery(text="", knowledge_base_ids=()), self.nested(base))
        contents = self._shelves[base.id].database.read(partial(finding.contents, where=where))
        scanned_at = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        return BaseReport(base, contents.files, contents.chunks, contents.bytes, contents.failed, scanned_at)


def is_filtered(query: SearchQuery) -> bool:
    """Whether a query has any filter."""
    return bool(
        query.folder is not None
        or query.path_prefix
        or query.tags
        or query.file_types
        or query.updated_after is not None
        or query.updated_before is not None
    )
