"""Many calls share few workers: who waits comes first, long results do not stop the loop, limits hold under load."""

from __future__ import annotations

import asyncio
import threading
import time
import zlib
from collections.abc import Awaitable

import pytest

from orange_jupyter.core.codes import Code
from orange_jupyter.core.document import Block, Chunk, DocumentText, Extract, PictureLimits
from orange_jupyter.core.errors import ReadError
from orange_jupyter.core.masking import MASK
from orange_jupyter.documents import frames, hiding
from orange_jupyter.documents.extract import LocalDocuments, workers_here
from orange_jupyter.documents.frames import FrameError, pack_result, unpack_result
from orange_jupyter.documents.pool import Pool
from orange_jupyter.documents.process import WorkerLimits
from orange_jupyter.documents.queue import Turns
from tests.documents import samples

MB = 1_048_576


class Line:
    """Calls that hold a turn until they are told to go on, and the order in which they got it."""

    def __init__(self, turns: Turns) -> None:
        self._turns = turns
        self._ends: dict[str, asyncio.Event] = {}
        self.order: list[str] = []
        self.tasks: dict[str, asyncio.Task[None]] = {}

    async def ask(self, name: str, *, background: bool) -> None:
        self._ends[name] = asyncio.Event()
        self.tasks[name] = asyncio.create_task(self._hold(name, background))
        await asyncio.sleep(0)

    async def end(self, name: str) -> None:
        self._ends[name].set()
        await self.tasks[name]
        await asyncio.sleep(0)

    async def _hold(self, name: str, background: bool) -> None:
        async with self._turns.one(background=background):
            self.order.append(name)
            await self._ends[name].wait()


async def test_who_waits_comes_before_the_background_which_leaves_one_worker_free() -> None:
    """Issue 6 item 4: a read never waits behind a long queue of documents to index."""
    line = Line(Turns(2, kept=1))
    for number in range(3):
        await line.ask(f"index {number}", background=True)
    await line.ask("read a", background=False)
    assert line.order == ["index 0", "read a"]
    await line.ask("read b", background=False)
    await line.end("index 0")
    assert line.order[2:] == ["read b"]
    await line.end("read a")
    assert line.order[3:] == []  # the last free one is kept
    await line.end("read b")
    assert line.order[3:] == ["index 1"]
    await line.end("index 1")
    await line.end("index 2")


async def test_with_one_worker_who_waits_is_next() -> None:
    """Issue 6 item 4: none can be kept then."""
    line = Line(Turns(1, kept=0))
    for name in ("index 0", "index 1"):
        await line.ask(name, background=True)
    await line.ask("read", background=False)
    await line.end("index 0")
    assert line.order == ["index 0", "read"]
    await line.end("read")
    await line.end("index 1")


async def test_a_cancelled_place_in_the_line_costs_no_turn() -> None:
    """R-ALL-6: also when the turn comes in the very moment of the cancel."""
    turns = Turns(1, kept=0)
    line = Line(turns)
    for name in ("a", "b", "c"):
        await line.ask(name, background=False)
    line.tasks["b"].cancel()
    line._ends["a"].set()
    await line.tasks["a"]
    await asyncio.gather(line.tasks["b"], return_exceptions=True)
    assert line.order == ["a", "c"]
    await line.ask("d", background=False)
    line._ends["c"].set()
    while not line.tasks["c"].done():
        await asyncio.sleep(0)
    line.tasks["d"].cancel()
    await asyncio.gather(line.tasks["d"], return_exceptions=True)
    await asyncio.wait_for(turns.all_free(), 5)


async def test_a_read_is_answered_while_documents_are_indexed() -> None:
    """Issue 6 item 4: forty documents wait, the read is answered before they are done; all are."""
    documents = LocalDocuments(2)
    pages = samples.pdf(*[samples.words("a long page ") for _ in range(60)])
    queue = [asyncio.create_task(documents.extract(pages, "pdf", name="a.pdf")) for _ in range(40)]
    read = await documents.text(samples.pdf(samples.words("read")), "pdf")
    assert read.pages == ("read",)
    assert not all(task.done() for task in queue)
    assert all(found.chunks for found in await asyncio.gather(*queue))
    await documents.close()


async def test_slow_documents_never_take_the_last_worker() -> None:
    """Issue 6 item 4: a read is answered at once while documents that take long are indexed."""
    pool = Pool(2, limits=WorkerLimits(seconds=60))
    draw = {"file_type": "pdf", "operation": "page_picture", "arguments": {"page": 1, "limits": {}}}
    text = {"file_type": "pdf", "operation": "text", "arguments": {}}
    slow = [asyncio.create_task(pool.run(draw, samples.slow_pdf(), background=True)) for _ in range(3)]
    async with asyncio.timeout(30):
        while not pool.pids:
            await asyncio.sleep(0.01)
        assert await pool.run(text, samples.pdf(samples.words("read")))
    assert not any(task.done() for task in slow)
    for task in slow:
        task.cancel()
    await asyncio.gather(*slow, return_exceptions=True)
    await pool.close()


def test_there_are_two_to_four_workers() -> None:
    """Decision 9: one a core, one kept for whoever waits, at most four."""
    assert 2 <= workers_here() <= 4


def book() -> tuple[DocumentText, Extract]:
    """Far more than any line holds."""
    blocks = tuple(
        Block(n, "paragraph", f"text {n}\n第 {n} 段", None, ("a", "b"), n % 9, (0.0, 1.0, 2.5, 3.0))
        for n in range(2_500)
    )
    chunks = tuple(Chunk(f"text {n}", n, n + 9, ("a",), n % 9 or None, None if n % 9 else n) for n in range(2_500))
    pages = tuple(f"page {n}\nblocks chunks" for n in range(900))
    return DocumentText("pdf", pages, blocks, "T", ("w",)), Extract("T", ("t",), chunks, 900, 2_500, ("w",))


def test_a_long_result_travels_in_lines_and_comes_back_equal() -> None:
    """R-READ-1: pages, blocks and chunks in their order, whatever stands in them."""
    for result in (*book(), DocumentText("docx"), Extract("", (), ())):
        head, body = pack_result(result)
        assert unpack_result(head, body) == result
        assert all(line.count(b'"text"') <= frames.A_LINE for line in body.split(b"\n"))


@pytest.mark.parametrize("line", [b"pages[1]", b'blocks["x"]', b"chunks[]", b"other[]", b"[]", b""])
def test_a_wrong_line_is_refused(line: bytes) -> None:
    """Decision 9: what a worker sends is validated."""
    head, body = pack_result(DocumentText("pdf"))
    with pytest.raises(FrameError):
        unpack_result(head, body + b"\n" + line)


async def test_results_are_unpacked_off_the_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    """Issue 6 item 4: validating a long document never happens in the thread of the loop."""
    threads: list[int] = []
    whole = frames._whole

    def watched(*given: object) -> object:
        threads.append(threading.get_ident())
        return whole(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(frames, "_whole", watched)
    documents = LocalDocuments()
    await documents.text(samples.pdf(samples.words("x")), "pdf")
    await documents.extract(samples.pdf(samples.words("x")), "pdf", name="x.pdf")
    await documents.close()
    assert len(threads) == 2
    assert threading.get_ident() not in threads


async def _while_the_loop_answers(call: Awaitable[object]) -> tuple[ReadError, float]:
    """The error of a call, and the longest time that the loop did not answer meanwhile."""
    longest, before = 0.0, time.monotonic()

    async def tick() -> None:
        nonlocal longest, before
        while True:
            await asyncio.sleep(0.01)
            now = time.monotonic()
            longest, before = max(longest, now - before), now

    ticking = asyncio.create_task(tick())
    with pytest.raises(ReadError) as caught:
        await call
    ticking.cancel()
    return caught.value, longest


def bomb() -> bytes:
    """80 KiB of Flate that hold three million path operations."""
    lines = b"".join(b"%d %d m %d %d l S\n" % (i % 600, i % 700, i * 7 % 600, i * 3 % 700) for i in range(1000))
    return samples.pdf(zlib.compress(lines * 1000, 9), filters=b"/Filter/FlateDecode")


def nested() -> bytes:
    """Flate in Flate: a few KB that grow to 4 GB; one megabyte is packed, and stands there again and again."""
    packer = zlib.compressobj(9)
    start = packer.compress(b" " * MB) + packer.flush(zlib.Z_FULL_FLUSH)
    again = packer.compress(b" " * MB) + packer.flush(zlib.Z_FULL_FLUSH)
    inner = start + again * 4095 + packer.flush()
    return samples.pdf(zlib.compress(inner, 9), filters=b"/Filter[/FlateDecode/FlateDecode]")


async def test_a_bomb_ends_at_its_limit_while_the_loop_answers() -> None:
    """D01: three million path operations, Flate in Flate; parser_limit, the next read works, nothing waits a second."""
    documents = LocalDocuments(limits=WorkerLimits(seconds=2, memory=400 * MB))
    await documents.text(samples.pdf(samples.words("warm")), "pdf")
    drawn, lag = await _while_the_loop_answers(documents.page_picture(bomb(), 1, PictureLimits()))
    opened, more = await _while_the_loop_answers(documents.text(nested(), "pdf"))
    assert (drawn.code, opened.code) == (Code.PARSER_LIMIT, Code.PARSER_LIMIT)
    assert max(lag, more) < 1
    assert (await documents.text(samples.pdf(samples.words("alive")), "pdf")).pages == ("alive",)
    await documents.close()


def _chunks(*pieces: tuple[str, int, int | None, int | None]) -> Extract:
    return Extract(
        "t", (), tuple(Chunk(text, start, start + len(text), (), page, block) for text, start, page, block in pieces)
    )


SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


@pytest.mark.parametrize(
    ("first", "second"), [((1, 3), (1, 3)), ((1, 3), (1, 4)), ((None, 3), (None, 3))]
)  # fmt: skip
def test_a_key_cut_between_two_passages_is_hidden_in_both(
    first: tuple[int | None, int], second: tuple[int | None, int]
) -> None:
    """R-READ-15: on a page the block in which a passage begins says nothing about where it is cut."""
    found = hiding.hidden_in_document(
        _chunks((f"the key is {SECRET[:20]}", 0, *first), (f"{SECRET[20:]} and more", 31, *second)),
        LocalDocuments()._find_secrets,
    )
    assert all(SECRET[:8] not in chunk.text and SECRET[-8:] not in chunk.text for chunk in found.chunks)
    assert "⟦masked" in found.chunks[0].text or MASK in found.chunks[0].text


@pytest.mark.parametrize(("first", "second"), [((1, 3), (2, 3)), ((None, 3), (None, 4))])
def test_passages_of_different_texts_are_not_joined(
    first: tuple[int | None, int], second: tuple[int | None, int]
) -> None:
    """R-READ-15: an end and a beginning with the same number, on two pages or in two blocks, are no word."""
    left = "x" * 31
    whole, places = hiding._joined(_chunks((left, 0, *first), ("y", 31, *second)).chunks)
    assert (whole, places) == (f"{left}\ny", [(0, 31), (32, 33)])


def test_keys_of_a_long_book_are_found_stretch_by_stretch() -> None:
    """R-READ-15, issue 6 item 4: the same as in one look, also a private key that lies across a border."""
    find = LocalDocuments()._find_secrets
    body = "\n".join("MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQ" + f"{n:014d}" for n in range(60))
    pem = f"-----BEGIN PRIVATE KEY-----\n{body}\n-----END PRIVATE KEY-----\n"
    line = "The quick brown fox jumps over the lazy dog.\n"
    text = line * ((hiding.STRETCH - 2_000) // len(line)) + pem + line * 5_000 + f"key {SECRET}\n" + line * 6_000
    assert len(text) > hiding.STRETCH
    assert hiding.spans(text, find) == find(text)
    assert len(find(text)) == 2
