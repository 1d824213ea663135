"""Documents are read into the index in the background: what a search says meanwhile, progress, closing, kills."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from orange_jupyter.core.codes import Code
from orange_jupyter.core.document import Extract, PictureLimits
from orange_jupyter.core.errors import ReadError
from tests.documents import samples
from tests.local.indexed import CountingDocuments, Indexed


class Held(CountingDocuments):
    """The real parsers; a document whose name begins with `held` waits until it is let go."""

    def __init__(self) -> None:
        super().__init__()
        self.go_on = asyncio.Event()

    async def extract(self, data: bytes, file_type: str, *, name: str, encoding: str | None = None) -> Extract:
        if name.startswith("held"):
            await self.go_on.wait()
        return await super().extract(data, file_type, name=name, encoding=encoding)


def pdf(text: str) -> bytes:
    return samples.pdf(samples.words(text))


async def until_indexed(desk: Indexed) -> None:
    async with asyncio.timeout(30):
        while desk.indexing.background.progress():
            await asyncio.sleep(0.01)


async def until_done(desk: Indexed, count: int) -> None:
    async with asyncio.timeout(30):
        while desk.indexing.background.progress()["kb_notes"][0] < count:
            await asyncio.sleep(0.01)


async def test_a_document_added_a_moment_ago_is_found(tmp_path: Path) -> None:
    """R-SRCH-6: in a small base nothing is different from notes."""
    async with Indexed(tmp_path, patience=30.0) as desk:
        desk.write("a.pdf", pdf("about a walrus"))
        hits = await desk.search("walrus")
        assert [hit.info.place.relative for hit in hits.hits] == ["a.pdf"]
        assert hits.indexing is None


async def test_a_search_answers_with_what_is_there_and_says_what_is_missing(tmp_path: Path) -> None:
    """R-SRCH-6, R-ALL-6, 12 search `indexing`: notes at once, documents as they come, also after the answer."""
    documents = Held()
    async with Indexed(tmp_path, documents=documents, patience=0.5) as desk:
        desk.write("n.md", "a walrus in a note\n")
        desk.write("a.pdf", pdf("a walrus in a document"))
        desk.write("held.pdf", pdf("a walrus that comes late"))
        await desk.search("walrus")
        await until_done(desk, 1)
        hits = await desk.search("walrus")
        assert sorted(hit.info.place.relative for hit in hits.hits) == ["a.pdf", "n.md"]
        assert hits.indexing == (1, 2)
        desk.write("later.md", "another walrus\n")
        assert len((await desk.search("walrus")).hits) == 3
        documents.go_on.set()
        await until_indexed(desk)
        assert documents.parsed.count("a.pdf") == documents.parsed.count("held.pdf") == 1
        last = await desk.search("walrus", limit=16)
        assert len(last.hits) == 4
        assert last.indexing is None


async def test_a_changed_document_is_not_returned_with_its_old_content(tmp_path: Path) -> None:
    """R-SRCH-6: while it waits to be read again; a deleted one never."""
    documents = Held()
    documents.go_on.set()
    async with Indexed(tmp_path, documents=documents, patience=0.2) as desk:
        held = desk.write("held.pdf", pdf("the old walrus"))
        gone = desk.write("gone.pdf", pdf("a gone walrus"))
        desk.write("stays.pdf", pdf("a walrus that stays"))
        await desk.library.refresh()
        documents.go_on.clear()
        held.write_bytes(pdf("the new badger"))
        gone.unlink()
        hits = await desk.search("walrus", limit=1)
        assert [hit.info.place.relative for hit in hits.hits] == ["stays.pdf"]
        assert hits.indexing in ((0, 1), (1, 2))  # the other may have been looked at again (R06)
        documents.go_on.set()
        await until_indexed(desk)
        assert await desk.paths("badger") == ["held.pdf"]
        assert await desk.paths("walrus") == ["stays.pdf"]


async def test_a_search_in_notes_waits_for_no_document(tmp_path: Path) -> None:
    """R-SRCH-1: nor does it speak of them; a search in one document takes that one first."""
    documents = Held()
    async with Indexed(tmp_path, documents=documents, patience=30.0) as desk:
        desk.write("n.md", "a walrus\n")
        desk.write("held.pdf", pdf("a walrus"))
        for filters in ({"file_types": ("markdown",)}, {"path_prefix": "n"}):
            hits = await desk.search("walrus", **filters)
            assert [hit.info.place.relative for hit in hits.hits] == ["n.md"]
            assert hits.indexing is None
        for number in range(8):
            desk.write(f"held {number}.pdf", pdf("a walrus"))
        documents.go_on.set()
        desk.write("wanted.pdf", samples.pdf(*[samples.words("a walrus on a long way")] * 40))
        assert await desk.paths("walrus", path_prefix="wanted") == ["wanted.pdf"]


async def test_a_file_that_fails_is_recorded_and_the_others_go_on(tmp_path: Path) -> None:
    """R-SRCH-7, R-SRCH-10: with its code, as before."""
    async with Indexed(tmp_path, patience=30.0) as desk:
        desk.write("bad.pdf", b"%PDF-1.7 nothing")
        desk.write("good.pdf", pdf("a walrus"))
        assert await desk.paths("walrus") == ["good.pdf"]
        report = await desk.library.refresh()
        assert report.bases[0].failed == (("bad.pdf", Code.DAMAGED.value),)


async def test_progress_counts_documents_and_reaches_the_total(tmp_path: Path) -> None:
    """R-ALL-6: of a scan, which waits for all; the numbers never go back."""
    async with Indexed(tmp_path) as desk:
        desk.write("n.md", "a note\n")
        for number in range(5):
            desk.write(f"{number}.pdf", pdf("a walrus"))
        seen: list[tuple[str, int, int | None]] = []
        report = await desk.library.refresh(lambda what, done, total: seen.append((what, done, total)))
        assert (report.added, report.bases[0].files) == (6, 6)
        assert "indexing 0.pdf" in {what for what, _, _ in seen}
        assert seen[-1] == ("indexing", 6, 6)
        assert [done for _, done, _ in seen] == sorted(done for _, done, _ in seen)
        assert {total for _, _, total in seen} == {6}


async def test_two_libraries_of_one_process_read_a_document_once(tmp_path: Path) -> None:
    """R-SRCH-7: one job a base; both find it, both wait for it."""
    documents = Held()
    async with Indexed(tmp_path, documents=documents, patience=0.2) as desk:
        desk.write("held.pdf", pdf("a walrus"))
        other = desk.another_library()
        first = await desk.search("walrus")
        second = asyncio.create_task(other.refresh())
        assert first.indexing == (0, 1)
        await asyncio.sleep(0.1)
        documents.go_on.set()
        report = await second
        assert (report.added, documents.parsed) == (1, ["held.pdf"])
        assert await desk.paths("walrus") == ["held.pdf"]
        await other.close()


async def test_a_rebuild_begins_anew_while_documents_are_read(tmp_path: Path) -> None:
    """R-SRCH-6: nothing of the old work is written into the new index, nothing is missing."""
    documents = Held()
    async with Indexed(tmp_path, documents=documents, patience=0.2) as desk:
        for number in range(4):
            desk.write(f"held {number}.pdf", pdf("a walrus"))
        desk.write("n.md", "a walrus\n")
        assert (await desk.search("walrus")).indexing == (0, 4)
        rebuilding = asyncio.create_task(desk.library.refresh(rebuild=True))
        await asyncio.sleep(0.3)
        documents.go_on.set()
        report = await rebuilding
        assert (report.added, report.bases[0].files) == (5, 5)
        assert len((await desk.search("walrus", limit=16)).hits) == 5


async def test_an_index_damaged_meanwhile_is_rebuilt(tmp_path: Path) -> None:
    """R04: the job ends, the next search notices and begins anew."""
    documents = Held()
    async with Indexed(tmp_path, documents=documents, patience=5.0) as desk:
        for name in ("a.pdf", "held.pdf"):
            desk.write(name, pdf("a walrus"))
        searching = asyncio.create_task(desk.search("walrus"))
        await asyncio.sleep(0)
        async with asyncio.timeout(30):
            while desk.indexing.background.progress() != {"kb_notes": (1, 2)}:
                await asyncio.sleep(0.01)
        path = max(desk.cache.glob("*.sqlite"))
        path.write_bytes(bytes(path.stat().st_size))
        path.with_name(path.name + "-wal").write_bytes(b"")
        documents.go_on.set()
        await searching
        hits = await desk.search("walrus")
        assert sorted(hit.info.place.relative for hit in hits.hits) == ["a.pdf", "held.pdf"]


async def test_closing_ends_the_work_and_keeps_what_is_done(tmp_path: Path) -> None:
    """R-ALL-6, O3: a slow parser is killed; what was read stays; the rest is read next time."""
    desk = Indexed(tmp_path, patience=1.0)
    desk.write("a.pdf", pdf("a walrus"))
    desk.write("slow.pdf", samples.pdf(*[samples.words("a walrus " * 200)] * 900))
    await desk.search("walrus", path_prefix="a")
    async with asyncio.timeout(10):  # benchmarks/documents.py holds it to 2 s
        await desk.library.close()
    assert desk.indexing.background.progress() == {}
    await desk.documents.close()
    desk.file_ids.close()
    documents = CountingDocuments()
    async with Indexed(tmp_path, documents=documents, patience=60.0) as later:
        for name in ("a.pdf", "slow.pdf"):
            assert await later.paths("walrus", path_prefix=name) == [name]
        assert documents.parsed.count("a.pdf") <= 1


async def test_a_stopped_search_leaves_the_work_going_on(tmp_path: Path) -> None:
    """R-ALL-6: Stop ends the turn, not the index; stopping a scan does."""
    documents = Held()
    async with Indexed(tmp_path, documents=documents, patience=30.0) as desk:
        desk.write("held.pdf", pdf("a walrus"))
        for call, left in ((desk.search("walrus"), {"kb_notes": (0, 1)}), (desk.library.refresh(), {})):
            task = asyncio.create_task(call)
            async with asyncio.timeout(10):
                while not desk.indexing.background.progress():
                    await asyncio.sleep(0.01)
            await asyncio.sleep(0.05)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert desk.indexing.background.progress() == left


async def test_what_has_just_come_in_is_read_before_what_waits_longer(tmp_path: Path) -> None:
    """Issue 6 item 4: a paper saved while hundreds are indexed is found soon; the next searches wait less."""
    documents = Held()
    async with Indexed(tmp_path, documents=documents, patience=0.1) as desk:
        for number in range(6):
            desk.write(f"held {number}.pdf", pdf("a walrus"))
        await desk.search("walrus")
        desk.write("wanted held.pdf", samples.pdf(*[samples.words("a walrus on a long way")] * 9))
        assert (await desk.search("walrus")).indexing == (0, 7)
        job = desk.indexing.background.of(desk.base)
        assert job is not None
        assert job.outlasts
        assert next(seen.relative for seen in job.waiting[3:]) == "wanted held.pdf"
        documents.go_on.set()
        await until_indexed(desk)
        assert documents.parsed.index("wanted held.pdf") < documents.parsed.index("held 5.pdf")


@pytest.mark.usefixtures("unblocked")
async def test_nothing_blocks_the_event_loop_meanwhile(tmp_path: Path) -> None:
    """Issue 6 item 4: reading, hashing, parsing, masking and writing happen elsewhere."""
    desk = await asyncio.to_thread(Indexed, tmp_path)
    for number in range(3):
        await asyncio.to_thread(desk.write, f"{number}.pdf", pdf("a walrus"))
    await desk.library.refresh()
    await desk.library.close()
    await desk.documents.close()
    await asyncio.to_thread(desk.file_ids.close)


KILLED = """
import asyncio, sys
from pathlib import Path
from tests.local.indexed import Indexed

async def main():
    desk = Indexed(Path(sys.argv[1]), patience=0.0)
    await desk.search("walrus")
    while True:
        done, _ = desk.indexing.background.progress().get("kb_notes", (99, 99))
        if done >= int(sys.argv[2]):
            print("going", flush=True)
            await asyncio.sleep(60)
        await asyncio.sleep(0.001)

asyncio.run(main())
"""


async def test_a_process_killed_while_it_indexes_leaves_a_sound_index(tmp_path: Path) -> None:
    """R-SRCH-7: SIGKILL after some documents; they are not parsed again, the rest is, nothing is damaged."""
    root = Path(__file__).parents[2]
    Indexed(tmp_path).file_ids.close()
    for number in range(12):
        (tmp_path / "notes" / f"{number}.pdf").write_bytes(samples.pdf(*[samples.words(f"walrus {number}")] * 20))
        os.utime(tmp_path / "notes" / f"{number}.pdf", ns=(10**18, 10**18))
    for done in ("2", "6"):
        child = subprocess.Popen(
            [sys.executable, "-c", KILLED, str(tmp_path), done], cwd=root, stdout=subprocess.PIPE, text=True
        )
        assert child.stdout is not None
        with child.stdout as lines:
            assert await asyncio.to_thread(lines.readline) == "going\n"
            child.send_signal(signal.SIGKILL)
        await asyncio.to_thread(child.wait, 10)
    documents = CountingDocuments()
    async with Indexed(tmp_path, documents=documents, patience=60.0) as desk:
        hits = await desk.search("walrus", limit=16)
        assert (hits.warnings, hits.files, hits.indexing) == ((), 12, None)
        assert len(documents.parsed) <= 6


async def test_a_picture_is_made_while_many_documents_are_indexed(tmp_path: Path) -> None:
    """Issue 6 item 4: who waits is served before the index is done."""
    async with Indexed(tmp_path, patience=0.0) as desk:
        for number in range(30):
            desk.write(f"{number}.pdf", samples.pdf(*[samples.words(f"walrus {number}")] * 30))
        await desk.search("walrus")
        picture = await desk.documents.page_picture(pdf("now"), 1, PictureLimits())
        assert picture.width > 0
        assert desk.indexing.background.progress()
        await desk.library.refresh()
        with pytest.raises(ReadError):
            await desk.documents.text(b"%PDF-1.7 nothing", "pdf")
