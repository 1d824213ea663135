"""Reads files and what is in them, and writes it into one base's index; in threads and workers, never on the loop."""

from __future__ import annotations

import asyncio
import hashlib
import os
import time
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass, field
from typing import Any

from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import PathError, ReadError, ToolError
from orange_jupyter.core.masking import telling
from orange_jupyter.core.paths import KnowledgeBase, shown_name
from orange_jupyter.core.ports import Documents
from orange_jupyter.local.fileids import FileIds
from orange_jupyter.local.files import read_beneath
from orange_jupyter.local.index.records import Record
from orange_jupyter.local.index.shelf import Shelf, is_racy
from orange_jupyter.local.scan import Seen

NOTES = ("markdown", "txt")
NOTE_BYTES = 20 * 1_048_576
DOCUMENT_BYTES = 200 * 1_048_576
AT_ONCE = 4


@dataclass(frozen=True, slots=True)
class Sources:
    """Where the content of files and their ids come from."""

    documents: Documents
    file_ids: FileIds


@dataclass(slots=True)
class Outcome:
    """What was brought up to date in one base; `reachable` is False when its folder could not be scanned.

    `notes` were read; `waiting` are the documents that still have to be, in the order in which that is best done.
    """

    added: int = 0
    changed: int = 0
    removed: int = 0
    warnings: list[str] = field(default_factory=list)
    reachable: bool = True
    notes: int = 0
    waiting: tuple[Seen, ...] = ()


@dataclass(frozen=True, slots=True)
class Work:
    """One base's index that is being written, and the account that is kept of it."""

    shelf: Shelf
    base: KnowledgeBase
    sources: Sources
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class _Content:
    seen: Seen
    checked_ns: int
    hash: str
    data: bytes = field(repr=False)
    name: str


def not_updated(base: KnowledgeBase, error: Exception) -> str:
    """The warning of an index that could not be written."""
    return f"The search index of {base.name} could not be updated ({error}); files that changed are left out."


async def take(work: Work, batch: Sequence[Seen]) -> None:
    """Read some files and write them in one transaction. A cancel waits for a write that has begun.

    Raises Damaged, sqlite3.OperationalError, OSError; single files that fail become records with a code.
    """
    written = await _read_and_extract(work, batch)
    before = await _written(asyncio.to_thread(_write, work, written))
    for record in written:
        fresh = record.extract is not None or record.code is not None
        work.outcome.changed += fresh and record.state.relative in before
        work.outcome.added += fresh and record.state.relative not in before


async def _written(writing: Coroutine[Any, Any, set[str]]) -> set[str]:
    task = asyncio.ensure_future(writing)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait({task})
        raise


async def _read_and_extract(work: Work, batch: Sequence[Seen]) -> list[Record]:
    read = await asyncio.to_thread(_read_batch, work, batch)
    written = [one for one in read if isinstance(one, Record)]
    gate = asyncio.Semaphore(AT_ONCE)
    written += await asyncio.gather(*(_extract(work, one, gate) for one in read if isinstance(one, _Content)))
    return written


def _read_batch(work: Work, batch: Sequence[Seen]) -> list[Record | _Content]:
    read = (_read(work, seen) for seen in batch)
    return [one for one in read if one is not None]


def _read(work: Work, seen: Seen) -> Record | _Content | None:
    """The content to extract, a record where that is not needed or not possible, None where nothing is to be done."""
    limit = NOTE_BYTES if seen.kind in NOTES else DOCUMENT_BYTES
    checked_ns = time.time_ns()
    try:
        data, state, changed = read_beneath(work.base.root, seen.relative, limit=limit)
    except (PathError, ReadError) as error:
        return _unreadable(work, seen, checked_ns, error)
    now = Seen(seen.relative, state.st_size, state.st_mtime_ns, state.st_ino, seen.kind, state.st_ctime_ns)
    content_hash = f"sha256:{hashlib.sha256(data).hexdigest()}"
    known = work.shelf.entry(seen.relative)
    if known and content_hash == known.hash and not changed:
        same = now == seen == known.state and is_racy(now, checked_ns)
        return None if same else Record(now, checked_ns, content_hash)
    return _Content(now, now.mtime_ns if changed else checked_ns, content_hash, data, _name(work.base, seen))


def _name(base: KnowledgeBase, seen: Seen) -> str:
    """The name by which a note is masked and called: a link may lead to a file whose name tells of secrets."""
    path = os.path.join(base.root, seen.relative)
    real = os.path.realpath(path) if os.path.islink(path) else path
    return shown_name(telling(*(one.rpartition("/")[2] for one in (seen.relative, real))))


def _unreadable(work: Work, seen: Seen, checked_ns: int, error: ToolError) -> Record | None:
    if error.code is Code.NOT_FOUND:
        return None  # gone since the scan; the next one takes it out
    known = work.shelf.entry(seen.relative)
    if known and known.state == seen and known.code == error.code.value:
        return None
    if error.code is Code.TOO_LARGE:
        bound = "20 MB for text" if seen.kind in NOTES else "200 MB for documents"
        work.outcome.warnings.append(
            f"{work.base.name}: {shown_name(seen.relative)} is larger than {bound} and is not searched."
        )
    return Record(seen, checked_ns, code=error.code.value)


async def _extract(work: Work, content: _Content, gate: asyncio.Semaphore) -> Record:
    seen = content.seen
    name = content.name
    async with gate:
        try:
            extract = await work.sources.documents.extract(
                content.data, seen.kind, name=name, encoding=work.base.encoding
            )
        except ToolError as error:
            if error.code is Code.CANCELLED:
                raise
            return Record(seen, content.checked_ns, content.hash, code=error.code.value)
    return Record(seen, content.checked_ns, content.hash, extract)


def _write(work: Work, written: Sequence[Record]) -> set[str]:
    """Which of the files were in the index before."""
    before = {record.state.relative for record in written if work.shelf.entry(record.state.relative)}
    work.shelf.put(written)
    hashes = {record.state.relative: record.hash for record in written if record.hash}
    work.sources.file_ids.set_hashes(work.base.id, hashes)
    return before
