"""Asks one index: the filters as SQL, the best chunks, the rows behind them."""

# ruff: noqa: S608 (the SQL text is ours, every value is a parameter)

from __future__ import annotations

import json
import os
import sqlite3
import unicodedata
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from orange_jupyter.core.corpus import SearchQuery
from orange_jupyter.core.paths import SEARCHABLE, shown_name
from orange_jupyter.local.index.database import Damaged
from orange_jupyter.local.index.ranking import Addition, Frequencies, count, expression, plan
from orange_jupyter.local.index.records import decoded
from orange_jupyter.local.index.tokens import normalised
from orange_jupyter.local.index.words import Question
from orange_jupyter.local.scan import Seen

DEPTH = 64
LOOKED_AT = 128
"""Candidates an index gives: four times the most citations that are ever asked for; and chunks it chooses them from."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A chunk that fits, and its file as the index knows it. `score`: larger is better."""

    seen: Seen
    title: str
    heading_path: tuple[str, ...]
    passage: str
    start: int
    end: int
    page: int | None
    block: int | None
    content_hash: str
    page_count: int | None
    block_count: int | None
    score: float


@dataclass(frozen=True, slots=True)
class Condition:
    """A WHERE clause over `file` and its parameters; `narrow` is False when it lets everything through."""

    sql: str
    parameters: tuple[object, ...]
    narrow: bool


@dataclass(frozen=True, slots=True)
class Found:
    """Candidates of one index, best first, how many files the filters let through, and the words' frequencies."""

    candidates: tuple[Candidate, ...]
    files: int
    frequencies: Frequencies


@dataclass(frozen=True, slots=True)
class Contents:
    """Numbers about what is in the index."""

    files: int
    chunks: int
    bytes: int
    failed: tuple[tuple[str, str], ...]


def condition(query: SearchQuery, nested: Sequence[str]) -> Condition:
    """The filters of a query for one base; `nested` are folders in it that belong to another selected base."""
    parts: list[tuple[str, tuple[object, ...]]] = []
    if query.folder is not None and query.folder.relative:
        below, above = _range(query.folder.relative + "/")
        parts.append(("(path = ? OR path >= ? AND path < ?)", (os.fsencode(query.folder.relative), below, above)))
    if query.path_prefix:
        forms = sorted(
            {query.path_prefix, *(unicodedata.normalize(form, query.path_prefix) for form in ("NFC", "NFD"))}
        )
        ranges = [bound for form in forms for bound in _range(form)]
        parts.append((f"({' OR '.join(['path >= ? AND path < ?'] * len(forms))})", tuple(ranges)))
    if query.file_types:
        parts.append((f"kind IN ({', '.join('?' * len(query.file_types))})", tuple(query.file_types)))
    if query.updated_after is not None:
        parts.append(("mtime_ns >= ?", (query.updated_after,)))
    if query.updated_before is not None:
        parts.append(("mtime_ns < ?", (query.updated_before,)))
    for tag in query.tags:
        name = normalised(tag.strip().lstrip("#")).casefold()
        inside = "SELECT file FROM tag WHERE tag = ? OR tag >= ? AND tag < ?"
        parts.append((f"file.id IN ({inside})", (name, f"{name}/", f"{name}0")))  # "0" follows "/"
    for folder in nested:
        parts.append(("NOT (path >= ? AND path < ?)", tuple(_range(folder + "/"))))
    clauses = " AND ".join(["code IS NULL", *(sql for sql, _ in parts)])
    return Condition(clauses, tuple(value for _, values in parts for value in values), bool(parts))


def concerns(query: SearchQuery) -> Callable[[Seen], bool]:
    """Whether a document could be among what a query finds, as far as its name and type tell."""
    folder = query.folder.relative if query.folder is not None else ""
    types = query.file_types or SEARCHABLE

    def might(seen: Seen) -> bool:
        beneath = not folder or seen.relative == folder or seen.relative.startswith(folder + "/")
        prefix = unicodedata.normalize("NFC", query.path_prefix or "")
        return beneath and seen.kind in types and unicodedata.normalize("NFC", seen.relative).startswith(prefix)

    return might


def _range(prefix: str) -> tuple[bytes, bytes]:
    start = os.fsencode(prefix)
    short = start.rstrip(b"\xff")  # such a byte has no next one
    return start, short[:-1] + bytes([short[-1] + 1]) if short else b"\xff" * 4096


def find(connection: sqlite3.Connection, question: Question, where: Condition, stems: Mapping[str, str]) -> Found:
    """The best chunks of one index. Raises Damaged where a passage is not what was stored."""
    files = connection.execute(f"SELECT count(*) FROM file WHERE {where.sql}", where.parameters).fetchone()[0]
    frequencies = count(connection, question, stems)
    planned = plan(question, frequencies)
    match = expression(question.phrases, planned.selecting)
    if not match or not files:
        return Found((), files, frequencies)
    rows = _rows(connection, _ranked(connection, match, where))
    addition = Addition(planned, frequencies, stems)
    scored = [replace(row, score=row.score + addition.of(f"{row.title} {row.passage}")) for row in rows]
    scored.sort(key=lambda row: -row.score)
    return Found(tuple(scored[:DEPTH]), files, frequencies)


def newest(connection: sqlite3.Connection, where: Condition) -> Found:
    """The first chunk of each of the newest files that the filters let through."""
    files = connection.execute(f"SELECT count(*) FROM file WHERE {where.sql}", where.parameters).fetchone()[0]
    found = connection.execute(
        f"SELECT min(chunk.id) FROM file JOIN chunk ON chunk.file = file.id WHERE {where.sql}"
        " GROUP BY file.id ORDER BY mtime_ns DESC, path LIMIT ?",
        (*where.parameters, DEPTH),
    )
    return Found(_rows(connection, {number: 0.0 for (number,) in found}), files, Frequencies(0, {}))


def contents(connection: sqlite3.Connection, where: Condition) -> Contents:
    """Count what is there; `where` as for a search."""
    files, size = connection.execute(
        f"SELECT count(*), coalesce(sum(size), 0) FROM file WHERE {where.sql}", where.parameters
    ).fetchone()
    joined = f"chunk JOIN file ON file.id = chunk.file WHERE {where.sql}" if where.narrow else "chunk"
    chunks = connection.execute(f"SELECT count(*) FROM {joined}", where.parameters).fetchone()[0]
    failed = connection.execute("SELECT path, code FROM file WHERE code IS NOT NULL ORDER BY path")
    return Contents(files, chunks, size, tuple((shown_name(os.fsdecode(path)), code) for path, code in failed))


def _ranked(connection: sqlite3.Connection, match: str, where: Condition) -> dict[int, float]:
    """Chunk numbers with scores. Filters are tried on the best of all first: looking up every match costs more."""
    best = connection.execute(
        "SELECT rowid, rank FROM words WHERE words MATCH ? ORDER BY rank LIMIT ?", (match, LOOKED_AT)
    )
    scores = {number: -rank for number, rank in best}
    if not where.narrow:
        return scores
    allowed = _filtered(connection, scores, where)
    if len(scores) < LOOKED_AT or len(allowed) >= DEPTH // 2:
        return allowed
    joined = (
        "SELECT words.rowid, rank FROM words JOIN chunk ON chunk.id = words.rowid JOIN file ON file.id = chunk.file"
        f" WHERE words MATCH ? AND {where.sql} ORDER BY rank LIMIT ?"
    )
    return {number: -rank for number, rank in connection.execute(joined, (match, *where.parameters, DEPTH))}


def _filtered(connection: sqlite3.Connection, scores: dict[int, float], where: Condition) -> dict[int, float]:
    numbers = ", ".join(map(str, scores))
    allowed = connection.execute(
        f"SELECT chunk.id FROM chunk JOIN file ON file.id = chunk.file WHERE chunk.id IN ({numbers}) AND {where.sql}",
        where.parameters,
    )
    return {number: scores[number] for (number,) in allowed}


def _rows(connection: sqlite3.Connection, scores: dict[int, float]) -> tuple[Candidate, ...]:
    found = connection.execute(
        "SELECT chunk.id, path, size, mtime_ns, inode, kind, ctime_ns, title, headings, text, crc, start, stop, page,"
        " block, hash, pages, blocks FROM chunk JOIN file ON file.id = chunk.file"
        f" WHERE chunk.id IN ({', '.join(map(str, scores))})"
    ).fetchall()
    if len(found) != len(scores):
        raise Damaged
    order = {number: place for place, number in enumerate(scores)}
    found.sort(key=lambda row: order[row[0]])
    return tuple(_candidate(row, scores[row[0]]) for row in found)


def _candidate(row: tuple[Any, ...], score: float) -> Candidate:
    (_, path, size, mtime_ns, inode, kind, ctime_ns, title, headings, text, crc, start, stop, page, block, *rest) = row
    content_hash, pages, blocks = rest
    if zlib.crc32(text) != crc:
        raise Damaged
    return Candidate(
        seen=Seen(os.fsdecode(path), size, mtime_ns, int(inode), kind, ctime_ns),
        title=json.loads(title),
        heading_path=tuple(json.loads(headings)),
        passage=decoded(text),
        start=start,
        end=stop,
        page=page,
        block=block,
        content_hash=content_hash,
        page_count=pages,
        block_count=blocks,
        score=score,
    )
