"""Brings one knowledge base's index up to date with the disk: scan, compare, take out what is gone, read the notes.

Documents that are new or changed are only named: each may take seconds, so they are read in the background.
What is written stays written: a cancel or a kill loses at most the batch at hand. Disk work runs in threads.
"""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import Iterator, Sequence

from orange_jupyter.core.errors import PathError
from orange_jupyter.core.paths import KnowledgeBase, shown_name
from orange_jupyter.core.ports import ReportProgress
from orange_jupyter.local.index.reading import NOTES, Outcome, Sources, Work, not_updated, take
from orange_jupyter.local.index.shelf import Difference, Shelf
from orange_jupyter.local.scan import Scan, Scanner, Seen

BATCH_FILES = 128
BATCH_BYTES = 4 * 1_048_576


async def refresh(
    shelf: Shelf, scanner: Scanner, sources: Sources, *, nested: Sequence[str], progress: ReportProgress | None
) -> Outcome:
    """Bring the notes of the scanner's base up to date; its documents are `waiting` then, or already were.

    `nested` are folders that belong to another base. Raises Damaged; a full disk, a busy index and single files that
    fail become warnings and records.
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
        outcome.waiting = _documents(difference)
        await _notes(Work(shelf, base, sources, outcome), difference, progress)
    except (sqlite3.OperationalError, OSError) as error:
        outcome.warnings.append(not_updated(base, error))
    return outcome


async def _name(base: KnowledgeBase, sources: Sources, scan: Scan, nested: Sequence[str]) -> None:
    inner = tuple(f"{folder}/" for folder in nested)
    mine = [seen for seen in scan.files if not seen.relative.startswith(inner)] if inner else scan.files
    await asyncio.to_thread(sources.file_ids.assign, base.id, mine, root=base.root)


def _compare(shelf: Shelf, scanner: Scanner, stop: threading.Event) -> tuple[Scan, Difference]:
    scan = scanner.scan(stop.is_set)
    return scan, shelf.difference(scan.files)


def _documents(difference: Difference) -> tuple[Seen, ...]:
    """First those that only have to be looked at, then the short ones: soon most can be found."""
    fresh = [seen for seen in (*difference.added, *difference.changed) if seen.kind not in NOTES]
    suspects = [seen for seen in difference.suspects if seen.kind not in NOTES]
    return (*suspects, *sorted(fresh, key=lambda seen: seen.size))


async def _notes(work: Work, difference: Difference, progress: ReportProgress | None) -> None:
    files = (*difference.added, *difference.changed, *difference.suspects)
    notes = [seen for seen in files if seen.kind in NOTES]
    if not (notes or difference.removed):
        return
    done = 0
    try:
        await asyncio.to_thread(work.shelf.remove, difference.removed)
        work.outcome.removed = len(difference.removed)
        for batch in _batches(notes):
            if progress:
                progress(f"indexing {shown_name(batch[0].relative)}", done, len(files))
            await take(work, batch)
            done = work.outcome.notes = done + len(batch)
    finally:
        await asyncio.to_thread(work.shelf.settle)
    if progress and notes:
        progress("indexing", done, len(files))


def _batches(files: Sequence[Seen]) -> Iterator[list[Seen]]:
    """Notes by the dozen: what is done shall be kept."""
    batch: list[Seen] = []
    size = 0
    for seen in files:
        if batch and (len(batch) == BATCH_FILES or size + seen.size > BATCH_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(seen)
        size += seen.size
    if batch:
        yield batch
