"""The rescan before each search: 10,000 files of which nothing changed, against a bare walk in the same run."""

from __future__ import annotations

import asyncio
import os
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks import Row, at_most
from orange_jupyter.core.corpus import SearchQuery
from orange_jupyter.core.paths import KnowledgeBase
from orange_jupyter.documents.extract import LocalDocuments
from orange_jupyter.local.fileids import FileIds
from orange_jupyter.local.index import LocalLibrary

FILES, FOLDERS, ROUNDS = 10_000, 100, 21
OLD_NS = 10**18


def make(root: Path) -> None:
    """Small notes in a hundred folders, all older than the two seconds in which a file is read again."""
    for number in range(FILES):
        path = root / f"folder {number % FOLDERS}" / f"笔记 {number}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"note {number}\n", encoding="utf-8")
        os.utime(path, ns=(OLD_NS, OLD_NS))


def walk(folder: str) -> int:
    """The peer: scandir and stat, nothing kept."""
    count = 0
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                count += walk(entry.path)
            else:
                entry.stat(follow_symlinks=False)
                count += 1
    return count


async def measure(place: Path) -> tuple[list[float], list[float]]:
    """CPU milliseconds of some searches that find nothing and of as many bare walks, taken in turn.

    Such a search is a rescan and hardly more.
    """
    root = place / "notes"
    make(root)
    documents, file_ids = LocalDocuments(), FileIds(place / "files.db")
    library = LocalLibrary((KnowledgeBase("bench", "notes", str(root)),), documents, file_ids, place / "cache")
    await library.refresh()
    await library.refresh()  # reads again what was read within two seconds of its making
    ours, bare = [], []
    for _ in range(ROUNDS):
        started = time.process_time()
        hits = await library.search(SearchQuery("nowhere", ()))
        ours.append((time.process_time() - started) * 1000)
        assert (hits.hits, hits.files) == ((), FILES)
        started = time.process_time()
        assert walk(str(root)) == FILES
        bare.append((time.process_time() - started) * 1000)
    report = await library.refresh()
    assert (report.added, report.changed, report.removed) == (0, 0, 0)
    await library.close()
    await documents.close()
    file_ids.close()
    return ours, bare


def rows() -> list[Row]:
    """Two rows; making and indexing the files takes about twenty seconds. On a loaded machine trust the ratio."""
    with tempfile.TemporaryDirectory() as place:
        ours, bare = asyncio.run(measure(Path(place).resolve()))
    ratio = statistics.median(one / walked for one, walked in zip(ours, bare, strict=True))
    peer: dict[str, Any] = {"peer": "bare walk", "peer_value": round(min(bare), 1)}
    return [
        at_most("rescan of 10,000 unchanged files", min(ours), "ms", 50, **peer),
        at_most("rescan / bare walk", ratio, "x", 1.3, **peer),
    ]
