"""Documents: the loop's lag while fifty PDFs are indexed in the background, and an interactive read in their midst."""

from __future__ import annotations

import asyncio
import os
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from benchmarks import Row, at_least, at_most
from orange_jupyter.core.corpus import SearchQuery
from orange_jupyter.core.document import Block, DocumentText
from orange_jupyter.core.paths import KnowledgeBase
from orange_jupyter.documents.extract import LocalDocuments
from orange_jupyter.documents.frames import pack_result, unpack_result
from orange_jupyter.local.fileids import FileIds
from orange_jupyter.local.index import LocalLibrary
from orange_jupyter.local.index.background import Background
from orange_jupyter.local.index.library import Indexing
from tests.documents import samples

FILES, PAGES, LINES = 50, 40, 40
TICK = 0.002
LONG_PAGES, LONG_BLOCKS = 1_000, 20_000


def paper(number: int) -> bytes:
    """A PDF of forty full pages."""
    line = "The melt factor of run {} on page {} is {} mm per day, and the slope faces north."
    pages = []
    for page in range(PAGES):
        shown = "".join(f"({line.format(number, page, at)}) Tj 0 -14 Td " for at in range(LINES))
        pages.append(f"BT /F1 11 Tf 60 720 Td {shown} ET".encode())
    return samples.pdf(*pages)


class Lag:
    """How long the loop did not answer, in seconds of wall time of which this process used the processor.

    On a machine that others use too, wall time alone measures them.
    """

    def __init__(self) -> None:
        self.longest = 0.0
        self._ticking: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Lag:
        self._ticking = asyncio.create_task(self._tick())
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._ticking is not None:
            self._ticking.cancel()
            with suppress(asyncio.CancelledError):
                await self._ticking

    async def _tick(self) -> None:
        while True:
            wall, used = time.perf_counter(), time.process_time()
            await asyncio.sleep(TICK)
            late = time.perf_counter() - wall - TICK
            self.longest = max(self.longest, min(late, time.process_time() - used))


@dataclass(frozen=True, slots=True)
class Measured:
    """The loop's longest lag while all are indexed; how many documents were done when an interactive read, asked for
    after the first, was answered; passages found afterwards; seconds that closing took amid the same work."""

    lag: float
    done_then: int
    hits: int
    closing: float


async def measure(place: Path) -> Measured:
    """Index fifty documents, read one meanwhile, change all, close."""
    root = place / "notes"
    root.mkdir()
    for number in range(FILES):
        (root / f"{number}.pdf").write_bytes(paper(number))
        os.utime(root / f"{number}.pdf", ns=(10**18, 10**18))
    documents, file_ids = LocalDocuments(), FileIds(place / "files.db")
    indexing = Indexing(Background(), patience=0.0)
    base = KnowledgeBase("bench", "notes", str(root))
    library = LocalLibrary((base,), documents, file_ids, place / "cache", indexing=indexing)
    async with Lag() as lag:
        await library.search(SearchQuery("melt factor", ()))
        while indexing.background.progress()["bench"][0] < 1:
            await asyncio.sleep(TICK)
        await documents.text(paper(0), "pdf")
        done_then = indexing.background.progress().get("bench", (FILES, FILES))[0]
        report = await library.refresh()
    assert report.bases[0].files == FILES
    hits = await library.search(SearchQuery("melt factor of run 17", ()))
    for number in range(FILES):
        (root / f"{number}.pdf").write_bytes(paper(FILES + number))
    await library.search(SearchQuery("melt factor", ()))
    while indexing.background.progress()["bench"][0] < 1:
        await asyncio.sleep(TICK)
    began = time.perf_counter()
    await library.close()
    closing = time.perf_counter() - began
    await documents.close()
    file_ids.close()
    return Measured(lag.longest, done_then, len(hits.hits), closing)


async def unpacking() -> float:
    """The loop's longest lag while a book of a thousand pages is unpacked in a thread."""
    line = "The melt factor of run 17 is 4.6 mm per day, and the slope faces north. " * 4
    blocks = tuple(
        Block(n, "paragraph", line, page=n // 20 + 1, box=(60.0, 60.0, 500.0, 80.0)) for n in range(LONG_BLOCKS)
    )
    head, body = pack_result(DocumentText("pdf", tuple(line * 20 for _ in range(LONG_PAGES)), blocks))
    async with Lag() as lag:
        await asyncio.sleep(0.05)
        await asyncio.to_thread(unpack_result, head, body)
    return lag.longest


def rows() -> list[Row]:
    """Five rows; about a minute."""
    with tempfile.TemporaryDirectory() as place:
        found = asyncio.run(measure(Path(place).resolve()))
    return [
        at_most(f"loop lag while {FILES} PDFs of {PAGES} pages are indexed", found.lag * 1000, "ms", 100),
        at_most("documents indexed before an interactive read is answered", found.done_then, f"of {FILES}", 10),
        at_least("passages found afterwards", found.hits, "hits", 4),
        at_most("closing amid that work", found.closing, "s", 2),
        at_most("loop lag while a book of 1,000 pages is unpacked", asyncio.run(unpacking()) * 1000, "ms", 100),
    ]
