"""The index follows the disk: new, changed, deleted, renamed, unreadable and hostile files."""

from __future__ import annotations

import asyncio
import os
import stat
import threading
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from orange_jupyter.core.codes import Code
from orange_jupyter.core.corpus import SearchQuery
from orange_jupyter.core.document import DocumentText, Extract, Picture, PictureLimits
from orange_jupyter.core.errors import ReadError
from orange_jupyter.core.paths import KnowledgeBase
from orange_jupyter.local.index import LocalLibrary, choosing, finding, refreshing, schema, shelf
from orange_jupyter.local.index.database import Database
from orange_jupyter.local.index.shelf import Shelf
from orange_jupyter.local.scan import Scan, Scanner, Stop
from tests.local.conftest import CANARY
from tests.local.indexed import CountingDocuments, Indexed


async def test_a_note_added_a_moment_ago_is_found(tmp_path: Path) -> None:
    """R-SRCH-6."""
    async with Indexed(tmp_path) as desk:
        desk.write("first.md", "# First\n\nabout otters\n")
        assert await desk.paths("otters") == ["first.md"]
        desk.write("读书 笔记/第二.md", "# 第二\n\n关于水獭的笔记\n")
        assert await desk.paths("水獭") == ["读书 笔记/第二.md"]


async def test_a_changed_note_is_found_with_its_new_content_only(tmp_path: Path) -> None:
    """R-SRCH-6: also when the size stays the same and the change comes within one clock tick (R06)."""
    async with Indexed(tmp_path) as desk:
        note = desk.write("note.md", "the old walrus\n")
        assert await desk.paths("walrus") == ["note.md"]
        state = note.stat()
        note.write_text("the new badger\n", encoding="utf-8")
        os.utime(note, ns=(state.st_atime_ns, state.st_mtime_ns))
        assert await desk.paths("walrus") == []
        assert await desk.paths("badger") == ["note.md"]


async def test_an_mtime_that_goes_back_is_a_change(tmp_path: Path) -> None:
    """R06."""
    async with Indexed(tmp_path) as desk:
        note = desk.write("note.md", "the old walrus\n")
        await desk.library.refresh()
        note.write_text("the new badger\n", encoding="utf-8")
        os.utime(note, ns=(10**18, 10**18))
        assert await desk.paths("badger") == ["note.md"]
        report = await desk.library.refresh()
        assert (report.added, report.changed, report.removed) == (0, 0, 0)


async def test_a_change_that_keeps_size_and_mtime_is_found_long_after_the_last_reading(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R06, C06: `touch -r` and clocks that were set back; only the ctime differs. The two seconds in which a file is
    read again anyway count as over."""
    monkeypatch.setattr(shelf, "RACY_NS", 0)
    documents = CountingDocuments()
    async with Indexed(tmp_path, documents=documents) as desk:
        for name, old, new in (("note.md", "the old walrus\n", "the new badger\n"), ("笔 记.md", "水獭\n", "白鹭\n")):
            note = desk.write(name, old)
            os.utime(note, ns=(10**18, 10**18))
            assert await desk.paths(old) == [name]
            note.write_text(new, encoding="utf-8")
            os.utime(note, ns=(10**18, 10**18))
            assert await desk.paths(old) == []
            assert await desk.paths(new) == [name]
        assert documents.parsed == ["note.md", "note.md", "笔 记.md", "笔 记.md"]


async def test_a_changed_ctime_alone_costs_a_hash_and_no_parsing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R06: after `chmod`, or on a network share with odd ctimes."""
    monkeypatch.setattr(shelf, "RACY_NS", 0)
    documents = CountingDocuments()
    async with Indexed(tmp_path, documents=documents) as desk:
        note = desk.write("note.md", "walrus\n")
        await desk.library.refresh()
        note.chmod(0o600)
        report = await desk.library.refresh()
        assert (report.added, report.changed, documents.parsed) == (0, 0, ["note.md"])
        assert await desk.paths("walrus") == ["note.md"]


async def test_a_passage_is_current_by_its_content_where_only_the_ctime_differs(tmp_path: Path) -> None:
    """R-SRCH-6, R06: between the scan and the answer."""
    async with Indexed(tmp_path) as desk:
        note = desk.write("note.md", "the old walrus\n")
        state = note.stat()
        await desk.library.refresh()
        database = Database(desk.cache, desk.base.id, version=f"{schema.VERSION}/")
        where = finding.condition(SearchQuery("", ()), ())
        (candidate,) = database.read(lambda connection: finding.newest(connection, where)).candidates
        database.close()
        passage = choosing.Scored(desk.base, candidate, 1.0)
        note.chmod(0o600)
        assert choosing.is_current(passage)
        note.write_text("the new badger\n", encoding="utf-8")
        os.utime(note, ns=(state.st_atime_ns, state.st_mtime_ns))
        assert not choosing.is_current(passage)
        note.unlink()
        assert not choosing.is_current(passage)


async def test_a_deleted_note_is_never_returned(tmp_path: Path) -> None:
    """R-SRCH-6."""
    async with Indexed(tmp_path) as desk:
        note = desk.write("note.md", "walrus\n")
        assert await desk.paths("walrus") == ["note.md"]
        note.unlink()
        hits = await desk.search("walrus")
        assert (hits.hits, hits.files) == ((), 0)


async def test_a_touched_file_is_not_parsed_again(tmp_path: Path) -> None:
    """R-SRCH-6: the hash decides, not the clock."""
    documents = CountingDocuments()
    async with Indexed(tmp_path, documents=documents) as desk:
        note = desk.write("note.md", "walrus\n")
        await desk.library.refresh()
        os.utime(note, ns=(10**18, 10**18))
        report = await desk.library.refresh()
        assert documents.parsed == ["note.md"]
        assert (report.changed, report.bases[0].files) == (0, 1)
        assert await desk.paths("walrus") == ["note.md"]


async def test_a_report_tells_true_numbers(tmp_path: Path) -> None:
    """12 index."""
    async with Indexed(tmp_path) as desk:
        note = desk.write("a.md", "alpha\n")
        desk.write("b.txt", "beta\n")
        desk.write("broken.pdf", b"%PDF-1.7 nothing")
        desk.write("data.csv", "gamma,1\n")
        first = await desk.library.refresh()
        assert (first.added, first.changed, first.removed) == (3, 0, 0)
        base = first.bases[0]
        assert (base.files, base.chunks, base.bytes) == (2, 2, 11)
        assert [path for path, _ in base.failed] == ["broken.pdf"]
        assert datetime.fromisoformat(base.scanned_at).tzinfo == UTC
        note.write_text("alpha two\n", encoding="utf-8")
        (desk.root / "b.txt").unlink()
        second = await desk.library.refresh()
        assert (second.added, second.changed, second.removed, second.bases[0].files) == (0, 1, 1, 1)
        third = await desk.library.refresh(rebuild=True)
        assert (third.added, third.bases[0].files, third.bases[0].chunks) == (2, 1, 1)


async def test_a_file_that_fails_is_recorded_and_not_tried_again_until_it_changes(tmp_path: Path) -> None:
    """R-SRCH-7: one bad file costs only itself."""
    documents = CountingDocuments()
    async with Indexed(tmp_path, documents=documents) as desk:
        desk.write("bad.pdf", b"%PDF-1.7 nothing")
        desk.write("good.md", "walrus\n")
        assert await desk.paths("walrus") == ["good.md"]
        report = await desk.library.refresh()
        assert report.bases[0].failed == (("bad.pdf", Code.DAMAGED.value),)
        os.utime(desk.root / "bad.pdf", ns=(10**18, 10**18))
        await desk.library.refresh()
        tried = documents.parsed.count("bad.pdf")
        await desk.library.refresh()
        assert documents.parsed.count("bad.pdf") == tried
        desk.write("bad.pdf", b"%PDF-1.7 nothing more")
        await desk.library.refresh()
        assert documents.parsed.count("bad.pdf") == tried + 1


async def test_text_over_20_mb_is_warned_about_and_not_indexed(tmp_path: Path) -> None:
    """R-SRCH-10."""
    async with Indexed(tmp_path) as desk:
        desk.write("big.txt", b"walrus " * 3_100_000)
        desk.write("small.txt", "walrus\n")
        hits = await desk.search("walrus")
        assert [hit.info.place.relative for hit in hits.hits] == ["small.txt"]
        assert any("big.txt" in warning and "20 MB" in warning for warning in hits.warnings)
        assert (await desk.search("walrus")).warnings == ()
        report = await desk.library.refresh()
        assert report.bases[0].failed == (("big.txt", Code.TOO_LARGE.value),)


async def test_the_index_never_contains_what_a_link_out_leads_to(tmp_path: Path, outside: Path) -> None:
    """P02: CANARY in no file of the cache folder."""
    async with Indexed(tmp_path) as desk:
        desk.write("n.md", "walrus\n")
        (desk.root / "a.md").symlink_to(outside / "secret.txt")
        (desk.root / "d").symlink_to(outside)
        hits = await desk.search(CANARY)
        assert hits.hits == ()
        assert any("a.md" in warning for warning in hits.warnings)
    assert all(CANARY.encode() not in path.read_bytes() for path in desk.cache.iterdir() if path.is_file())


async def test_a_file_replaced_by_a_link_out_is_not_returned(tmp_path: Path, outside: Path) -> None:
    """P02, R-SRCH-6."""
    async with Indexed(tmp_path) as desk:
        note = desk.write("n.md", "walrus\n")
        assert await desk.paths("walrus") == ["n.md"]
        note.unlink()
        note.symlink_to(outside / "secret.txt")
        assert await desk.paths("walrus") == []
        assert await desk.paths(CANARY) == []


async def test_links_in_circles_count_every_file_once(tmp_path: Path) -> None:
    """P17."""
    async with Indexed(tmp_path) as desk:
        desk.write("n.md", "walrus\n")
        (desk.root / "loop").symlink_to(".")
        (desk.root / "a").symlink_to("b")
        (desk.root / "b").symlink_to("a")
        (desk.root / "same.md").symlink_to("n.md")
        hits = await desk.search("walrus", limit=16)
        assert [hit.info.place.relative for hit in hits.hits] == ["n.md"]
        assert hits.files == 1


async def test_a_name_that_is_not_utf8_is_found_and_shown(tmp_path: Path) -> None:
    """P12."""
    async with Indexed(tmp_path) as desk:
        path = os.fsencode(desk.root) + b"/\xff\xfe.md"
        with open(path, "wb") as note:
            note.write(b"walrus\n")
        (hit,) = (await desk.search("walrus")).hits
        assert hit.info.place.shown == "\\xff\\xfe.md"
        assert hit.info.file_id is not None
        assert hit.title.encode("utf-8")
        await desk.library.refresh(rebuild=True)
        assert len((await desk.search("walrus")).hits) == 1


async def test_very_deep_folders_are_indexed(tmp_path: Path) -> None:
    """P16: a path over PATH_MAX."""
    async with Indexed(tmp_path) as desk:
        here = os.open(desk.root, os.O_RDONLY)
        for _ in range(400):
            os.mkdir("deep-folder-name", dir_fd=here)
            inner = os.open("deep-folder-name", os.O_RDONLY, dir_fd=here)
            os.close(here)
            here = inner
        note = os.open("n.md", os.O_WRONLY | os.O_CREAT, dir_fd=here)
        os.write(note, b"walrus\n")
        os.close(note)
        os.close(here)
        hits = await desk.library.search(SearchQuery("walrus", ()))
        assert len(hits.hits) == 1


async def test_a_file_under_two_bases_belongs_to_the_innermost_and_is_found_once(tmp_path: Path) -> None:
    """R-ALL-3."""
    async with Indexed(tmp_path, "inner") as desk:
        desk.write("outer.md", "walrus outside\n")
        desk.write("inner/in.md", "walrus inside\n")
        hits = (await desk.search("walrus", limit=16)).hits
        assert sorted(hit.info.place.shown for hit in hits) == ["inner/in.md", "outer.md"]
        assert {
            hit.info.place.knowledge_base.id: hit.info.place.relative for hit in hits if hit.info.place.knowledge_base
        } == {
            "kb_notes": "outer.md",
            "kb_inner": "in.md",
        }
        report = await desk.library.refresh()
        assert [base.files for base in report.bases] == [1, 1]


async def test_a_missing_base_is_said_once_and_costs_nothing_else(tmp_path: Path) -> None:
    """R-SRCH-10."""
    async with Indexed(tmp_path, "inner") as desk:
        desk.write("outer.md", "walrus\n")
        first = await desk.search("walrus")
        assert [hit.info.place.relative for hit in first.hits] == ["outer.md"]
        assert len(first.warnings) == 1
        assert (await desk.search("walrus")).warnings == ()


async def test_the_file_id_of_a_hit_survives_a_rename_and_a_rebuild(tmp_path: Path) -> None:
    """R-SCH-7."""
    async with Indexed(tmp_path) as desk:
        note = desk.write("old.md", "walrus\n")
        (before,) = (await desk.search("walrus")).hits
        note.rename(desk.root / "new name.md")
        (after,) = (await desk.search("walrus")).hits
        await desk.library.refresh(rebuild=True)
        (rebuilt,) = (await desk.search("walrus")).hits
        assert before.info.file_id == after.info.file_id == rebuilt.info.file_id
        assert after.info.place.relative == "new name.md"


async def test_the_cache_folder_is_private(tmp_path: Path) -> None:
    """R-HL-3."""
    async with Indexed(tmp_path) as desk:
        await desk.library.refresh()
        assert stat.S_IMODE(desk.cache.stat().st_mode) == 0o700


async def test_progress_names_the_files_and_reaches_the_total(tmp_path: Path) -> None:
    """R-ALL-6."""
    async with Indexed(tmp_path) as desk:
        for number in range(140):
            desk.write(f"n{number}.md", "walrus\n")
        seen: list[tuple[str, int, int | None]] = []
        await desk.library.refresh(lambda what, done, total: seen.append((what, done, total)))
        assert seen[0] == ("indexing n0.md", 0, 140)
        assert seen[-1] == ("indexing", 140, 140)
        assert [done for _, done, _ in seen] == [0, 128, 140]


class SlowDocuments:
    """Parsers that never finish a PDF until they are told to."""

    def __init__(self) -> None:
        self.started = asyncio.Event()
        self.go_on = asyncio.Event()

    async def extract(self, data: bytes, file_type: str, *, name: str, encoding: str | None = None) -> Extract:
        if name.startswith("slow"):
            self.started.set()
            await self.go_on.wait()
        if name.startswith("stop"):
            raise ReadError(Code.PARSER_LIMIT, "too slow")
        return await CountingDocuments().extract(data, "txt", name=name)

    async def text(self, data: bytes, file_type: str) -> DocumentText:
        raise AssertionError("not asked here")

    async def picture(self, data: bytes, limits: PictureLimits) -> Picture:
        raise AssertionError("not asked here")

    async def page_picture(self, data: bytes, page: int, limits: PictureLimits) -> Picture:
        raise AssertionError("not asked here")

    async def close(self) -> None:
        self.go_on.set()


async def test_a_cancelled_refresh_stops_within_a_second_and_keeps_what_was_written(tmp_path: Path) -> None:
    """R-ALL-6, R-SRCH-7."""
    documents = SlowDocuments()
    async with Indexed(tmp_path, documents=documents) as desk:
        desk.write("a.md", "walrus\n")
        desk.write("first.pdf", "badger\n")
        desk.write("slow.pdf", "otter\n")
        task = asyncio.create_task(desk.library.refresh())
        async with asyncio.timeout(10):
            while desk.indexing.background.progress() != {"kb_notes": (1, 2)}:
                await asyncio.sleep(0.01)
        started = time.monotonic()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert time.monotonic() - started < 1
        documents.go_on.set()
        report = await desk.library.refresh()
        assert (report.added, report.bases[0].files) == (1, 3)


class WatchedScanner(Scanner):
    """The real scanner, and two flags that tell when it is amid its work (asked 50 times) and when it has ended."""

    def __init__(self, base: KnowledgeBase) -> None:
        super().__init__(base)
        self.began, self.ended = threading.Event(), threading.Event()

    def scan(self, stop: Stop | None = None) -> Scan:
        asked = 0

        def watched() -> bool:
            nonlocal asked
            asked += 1
            if asked == 50:
                self.began.set()
            return stop is not None and stop()

        try:
            return super().scan(watched)
        finally:
            self.ended.set()


async def test_cancelling_during_a_scan_stops_its_thread_within_a_second(tmp_path: Path) -> None:
    """R-ALL-6: in a scan that would take many seconds, since every file is compared with thousands of ignore rules."""
    async with Indexed(tmp_path) as desk:
        desk.write(".orange/ignore", "\n".join(f"secret {number}/*.log" for number in range(6_000)))
        for number in range(3_000):
            desk.write(f"{number}.csv", "")
        scanner, store = WatchedScanner(desk.base), Shelf(Database(desk.cache, desk.base.id, version="test"))
        sources = refreshing.Sources(desk.documents, desk.file_ids)
        task = asyncio.create_task(refreshing.refresh(store, scanner, sources, nested=(), progress=None))
        assert await asyncio.to_thread(scanner.began.wait, 10)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await asyncio.to_thread(scanner.ended.wait, 1)


async def test_a_search_waits_for_a_refresh_and_both_see_the_same(tmp_path: Path) -> None:
    """R-SRCH-7: parallel calls of one kernel do the work once."""
    documents = CountingDocuments()
    async with Indexed(tmp_path, documents=documents) as desk:
        for number in range(5):
            desk.write(f"n{number}.md", f"walrus {number}\n")
        both = await asyncio.gather(desk.search("walrus", limit=16), desk.search("walrus", limit=16))
        assert both[0].hits == both[1].hits
        assert len(documents.parsed) == 5


@pytest.mark.usefixtures("unblocked")
async def test_nothing_blocks_the_event_loop(tmp_path: Path) -> None:
    """Disk work runs in threads."""
    desk = await asyncio.to_thread(Indexed, tmp_path)
    await asyncio.to_thread(desk.write, "n.md", "walrus 水獭\n")
    library: LocalLibrary = desk.library
    await library.refresh()
    assert len((await library.search(SearchQuery("水獭", ()))).hits) == 1
    await library.refresh(rebuild=True)
    await library.close()
    await desk.documents.close()
    await asyncio.to_thread(desk.file_ids.close)
