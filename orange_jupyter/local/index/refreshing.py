"""Brings one knowledge base's index up to date with the disk: scan, compare, read, extract, write in batches.

What is written stays written: a cancel or a kill loses at most the batch at hand. Disk work runs in threads.
"""

from __future__ import annotations

import asyncio
import hashlib
import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import PathError, ReadError, ToolError
from orange_jupyter.core.paths import KnowledgeBase, shown_name
from orange_jupyter.core.ports import Documents, ReportProgress
from orange_jupyter.local.fileids import FileIds
from orange_jupyter.local.files import read_beneath
from orange_jupyter.local.index.records import Record
from orange_jupyter.local.index.shelf import Difference, Shelf, is_racy
from orange_jupyter.local.scan import Scan, Scanner, Seen

NOTES = ("markdown", "txt")
NOTE_BYTES = 20 * 1_048_576
DOCUMENT_BYTES = 200 * 1_048_576
BATCH_FILES = 128
BATCH_BYTES = 4 * 1_048_576
AT_ONCE = 4


@dataclass(frozen=True, slots=True)
class Sources:
    """Where the content of files and their ids come from."""

    documents: Documents
    file_ids: FileIds


@dataclass(slots=True)
class Outcome:
    """What a refresh of one base did; `reachable` is False when its folder could not be scanned."""

    added: int = 0
    changed: int = 0
    removed: int = 0
    warnings: list[str] = field(default_factory=list)
    reachable: bool = True


@dataclass(frozen=True, slots=True)
class _Content:
    seen: Seen
    checked_ns: int
    hash: str
    data: bytes = field(repr=False)


async def refresh(
    shelf: Shelf, scanner: Scanner, sources: Sources, *, nested: Sequence[str], progress: ReportProgress | None
) -> Outcome:
    """Bring the index of the scanner's base up to date. `nested` are folders that belong to another base.

    Raises Damaged; a full disk, a busy index and single files that fail become warnings and records.
    """
    base, outcome = scanner.base, Outcome()
    stop = threading.Event()
    try:
        scan, difference = await asyncio.to_thread(_compare, shelf, scanner, stop)
    except PathError as error:
        outcome.reachable = False
        outcome.warnings.append(error.message)
        return outcome
    finally:
        stop.set()
    outcome.warnings += scan.warnings
    if difference.nothing:
        return outcome
    try:
        await _name(base, sources, scan, nested)
        try:
            await asyncio.to_thread(shelf.remove, difference.removed)
            outcome.removed = len(difference.removed)
            await _take(_Work(shelf, base, sources, outcome, progress), difference)
        finally:
            await asyncio.to_thread(shelf.settle)
    except (sqlite3.OperationalError, OSError) as error:
        outcome.warnings.append(
            f"The search index of {base.name} could not be updated ({error}); files that changed are left out."
        )
    return outcome


async def _name(base: KnowledgeBase, sources: Sources, scan: Scan, nested: Sequence[str]) -> None:
    inner = tuple(f"{folder}/" for folder in nested)
    mine = [seen for seen in scan.files if not seen.relative.startswith(inner)] if inner else scan.files
    await asyncio.to_thread(sources.file_ids.assign, base.id, mine, root=base.root)


def _compare(shelf: Shelf, scanner: Scanner, stop: threading.Event) -> tuple[Scan, Difference]:
    scan = scanner.scan(stop.is_set)
    return scan, shelf.difference(scan.files)


@dataclass(frozen=True, slots=True)
class _Work:
    shelf: Shelf
    base: KnowledgeBase
    sources: Sources
    outcome: Outcome
    progress: ReportProgress | None


async def _take(work: _Work, difference: Difference) -> None:
    files = (*difference.added, *difference.changed, *difference.suspects)
    new = frozenset(seen.relative for seen in difference.added)
    done = 0
    for batch in _batches(files):
        if work.progress:
            work.progress(f"indexing {shown_name(batch[0].relative)}", done, len(files))
        written = await _read_and_extract(work, batch)
        await asyncio.to_thread(_write, work, written)
        done += len(batch)
        for record in written:
            fresh = record.extract is not None or record.code is not None
            work.outcome.added += fresh and record.state.relative in new
            work.outcome.changed += fresh and record.state.relative not in new
    if work.progress:
        work.progress("indexing", done, len(files))


def _batches(files: Sequence[Seen]) -> Iterator[list[Seen]]:
    """Notes by the dozen, documents one by one: each may take seconds, and what is done shall be kept."""
    batch: list[Seen] = []
    size = 0
    for seen in (one for one in files if one.kind in NOTES):
        if batch and (len(batch) == BATCH_FILES or size + seen.size > BATCH_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(seen)
        size += seen.size
    if batch:
        yield batch
    for seen in files:
        if seen.kind not in NOTES:
            yield [seen]


async def _read_and_extract(work: _Work, batch: list[Seen]) -> list[Record]:
    read = await asyncio.to_thread(_read_batch, work, batch)
    written = [one for one in read if isinstance(one, Record)]
    gate = asyncio.Semaphore(AT_ONCE)
    written += await asyncio.gather(*(_extract(work, one, gate) for one in read if isinstance(one, _Content)))
    return written


def _read_batch(work: _Work, batch: list[Seen]) -> list[Record | _Content]:
    read = (_read(work, seen) for seen in batch)
    return [one for one in read if one is not None]


def _read(work: _Work, seen: Seen) -> Record | _Content | None:
    """The content to extract, a record where that is not needed or not possible, None where nothing is to be done."""
    limit = NOTE_BYTES if seen.kind in NOTES else DOCUMENT_BYTES
    checked_ns = time.time_ns()
    try:
        data, state, changed = read_beneath(work.base.root, seen.relative, limit=limit)
    except (PathError, ReadError) as error:
        return _unreadable(work, seen, checked_ns, error)
    now = Seen(seen.relative, state.st_size, state.st_mtime_ns, state.st_ino, seen.kind, state.st_ctime_ns)
    content_hash = f"sha256:{hashlib.sha256(data).hexdigest()}"
    known = work.shelf.hash_of(seen.relative)
    if content_hash == known and not changed:
        same = now == seen and is_racy(now, checked_ns)
        return None if same and work.shelf.knows(seen) else Record(now, checked_ns, content_hash)
    return _Content(now, now.mtime_ns if changed else checked_ns, content_hash, data)


def _unreadable(work: _Work, seen: Seen, checked_ns: int, error: ToolError) -> Record | None:
    if error.code is Code.NOT_FOUND:
        return None  # gone since the scan; the next one takes it out
    if work.shelf.knows(seen) and work.shelf.code_of(seen.relative) == error.code.value:
        return None
    if error.code is Code.TOO_LARGE:
        bound = "20 MB for text" if seen.kind in NOTES else "200 MB for documents"
        work.outcome.warnings.append(
            f"{work.base.name}: {shown_name(seen.relative)} is larger than {bound} and is not searched."
        )
    return Record(seen, checked_ns, code=error.code.value)


async def _extract(work: _Work, content: _Content, gate: asyncio.Semaphore) -> Record:
    seen = content.seen
    name = shown_name(seen.relative.rpartition("/")[2])
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


def _write(work: _Work, written: Sequence[Record]) -> None:
    work.shelf.put(written)
    hashes = {record.state.relative: record.hash for record in written if record.hash}
    work.sources.file_ids.set_hashes(work.base.id, hashes)
