"""The index survives kills, damage, full disks, other kernels and folders that cannot be written."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from orange_jupyter.local.index import schema
from tests.local.conftest import as_plain_user
from tests.local.indexed import CountingDocuments, Indexed

WORDS = ("walrus", "otter", "badger", "水獭", "海象", "狐狸")
POINTS = 200
KINDS = ("truncated", "bit-flipped", "zeroed")


def fill(desk: Indexed, count: int = 12) -> None:
    for number in range(count):
        desk.write(
            f"笔记 {number}.md",
            f"# Note {number}\n\n{WORDS[number % 6]} and {WORDS[(number + 1) % 6]}\n\n标题{number}\n",
        )


def index_file(desk: Indexed) -> Path:
    return max(desk.cache.glob("*.sqlite"))


async def answers(desk: Indexed) -> list[list[tuple[str, str, int]]]:
    found = []
    for word in WORDS:
        hits = await desk.search(word, limit=16)
        found.append([(hit.info.place.relative, hit.passage, hit.start) for hit in hits.hits])
    return found


def tree(root: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}


def damage(data: bytearray, kind: str, point: int, chance: random.Random) -> bytes:
    place = len(data) * point // POINTS
    if kind == "truncated":
        return bytes(data[:place])
    if kind == "zeroed":
        data[place : place + 512] = bytes(len(data[place : place + 512]))
    else:
        data[place] ^= 1 << chance.randrange(8)
    return bytes(data)


@pytest.mark.parametrize(("kind", "points"), [(kind, range(n, POINTS, 3)) for n, kind in enumerate(KINDS)])
async def test_a_damaged_index_is_noticed_and_rebuilt(tmp_path: Path, kind: str, points: range) -> None:
    """R04, R-SRCH-7: at 200 points in all, with the same results, and the notes untouched."""
    chance = random.Random(kind)
    documents = CountingDocuments()
    async with Indexed(tmp_path, documents=documents) as desk:
        fill(desk, 3)
        right, notes = await answers(desk), tree(desk.root)
        said: list[str] = []
        for point in points:
            await desk.library.close()
            path = index_file(desk)
            before = path.read_bytes()
            broken = damage(bytearray(before), kind, point, chance)
            path.write_bytes(broken)
            hits = await desk.search(WORDS[0])
            if broken != before:
                assert not path.exists()
            said += hits.warnings  # also where the bytes were zero before: the seal tells that somebody wrote
            assert [hit.passage for hit in hits.hits] == [passage for _, passage, _ in right[0]]
        assert await answers(desk) == right
        assert tree(desk.root) == notes
        assert len(said) == 1
        assert "damaged" in said[0]


async def test_damage_without_a_seal_is_noticed(tmp_path: Path) -> None:
    """R04: what a killed process left is checked in full."""
    async with Indexed(tmp_path) as desk:
        fill(desk)
        right = await answers(desk)
        await desk.library.close()
        path = index_file(desk)
        path.with_suffix(".seal").unlink()
        data = bytearray(path.read_bytes())
        data[4096:8192] = bytes(4096)
        path.write_bytes(data)
        assert await answers(desk) == right
        assert not path.exists()


async def test_an_index_without_a_seal_that_is_sound_is_kept(tmp_path: Path) -> None:
    """R-SRCH-7."""
    documents = CountingDocuments()
    async with Indexed(tmp_path, documents=documents) as desk:
        fill(desk)
        right = await answers(desk)
        await desk.library.close()
        index_file(desk).with_suffix(".seal").unlink()
        assert await answers(desk) == right
        assert len(documents.parsed) == 12


async def test_a_damage_under_an_open_index_is_noticed(tmp_path: Path) -> None:
    """R04: while this kernel has the file open."""
    async with Indexed(tmp_path) as desk:
        fill(desk)
        right = await answers(desk)
        path = index_file(desk)
        path.write_bytes(bytes(path.stat().st_size))
        hits = await desk.search(WORDS[0])
        assert len(hits.warnings) == 1
        assert "rebuilt" in hits.warnings[0]
        assert await answers(desk) == right


async def test_an_index_of_another_version_is_rebuilt_silently(tmp_path: Path) -> None:
    """R-SRCH-7: the tokenizer's version is stored."""
    async with Indexed(tmp_path) as desk:
        fill(desk)
        right = await answers(desk)
        await desk.library.close()
        path = index_file(desk)
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("UPDATE meta SET value = 'older' WHERE key = 'version'")
        path.with_suffix(".seal").unlink()
        hits = await desk.search(WORDS[0])
        assert hits.warnings == ()
        assert await answers(desk) == right
        with closing(sqlite3.connect(index_file(desk))) as connection:
            assert str(schema.read_version(connection)).startswith(schema.VERSION)


async def test_two_kernels_share_one_index(tmp_path: Path) -> None:
    """R02, R-SRCH-7: what one indexed the other finds; both may write."""
    async with Indexed(tmp_path) as one, Indexed(tmp_path) as two:
        fill(one)
        assert await answers(one) == await answers(two)
        assert len(two.documents.parsed) == 0  # type: ignore[attr-defined]
        for number in range(4):
            one.write(f"new {number}.md", f"fresh walrus {number}\n")
            await asyncio.gather(one.library.refresh(), two.library.refresh())
            assert await answers(one) == await answers(two)
        await asyncio.gather(one.library.refresh(rebuild=True), two.search("walrus"))
        assert await answers(one) == await answers(two)


WRITER = """
import asyncio, sys
from pathlib import Path
from tests.local.indexed import Indexed

async def main():
    desk = Indexed(Path(sys.argv[1]))
    print("ready", flush=True)
    for number in range(100000):
        desk.write(f"kernel {sys.argv[2]}.md", f"walrus {number} " + "word " * 400)
        await desk.library.refresh()
        if number == 3:
            print("going", flush=True)

asyncio.run(main())
"""


def writer(place: Path, name: str) -> subprocess.Popen[str]:
    root = Path(__file__).parents[2]
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(place), name], cwd=root, stdout=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": str(root)},
    )  # fmt: skip


async def test_a_killed_writer_leaves_a_sound_index(tmp_path: Path) -> None:
    """R-SRCH-7: SIGKILL in the middle of writing, three times; nothing is parsed again."""
    documents = CountingDocuments()
    async with Indexed(tmp_path, documents=documents) as desk:
        fill(desk)
        right = await answers(desk)
        for number in range(3):
            child = writer(tmp_path, str(number))
            assert child.stdout is not None
            with child.stdout as lines:
                for line in lines:
                    if line == "going\n":
                        break
                child.send_signal(signal.SIGKILL)
            child.wait(timeout=10)
            (desk.root / f"kernel {number}.md").unlink()
            await desk.library.close()
            hits = await desk.search(WORDS[0])
            assert hits.warnings == ()
        assert await answers(desk) == right
        assert len(documents.parsed) == 12


async def test_where_a_write_ahead_log_is_refused_the_index_works_without(tmp_path: Path) -> None:
    """R03: network shares; the first file layer here really refuses the log."""
    async with Indexed(tmp_path, vfs=("unix-dotfile", "unix-dotfile")) as desk:
        fill(desk)
        right = await answers(desk)
        await desk.library.close()
        assert await answers(desk) == right
        assert not list(desk.cache.glob("*-wal"))
        desk.write("n.md", "another walrus\n")
        assert "n.md" in await desk.paths("walrus", limit=16)


async def test_a_cache_that_cannot_be_made_keeps_the_index_in_memory(tmp_path: Path) -> None:
    """R-SRCH-10: said once, costs nothing else."""
    (tmp_path / "cache").write_text("a file where the folder should be", encoding="utf-8")
    async with Indexed(tmp_path) as desk:
        fill(desk)
        first = await desk.search("walrus")
        assert first.hits
        assert len(first.warnings) == 1
        assert "memory" in first.warnings[0]
        assert (await desk.search("walrus")).warnings == ()
        desk.write("n.md", "another walrus\n")
        assert "n.md" in await desk.paths("walrus", limit=16)


READ_ONLY = """
import asyncio, sys
from pathlib import Path
from tests.local.indexed import Indexed

async def main():
    desk = Indexed(Path(sys.argv[1]))
    first, second = await desk.search("walrus"), await desk.search("walrus")
    print(len(first.hits), [("memory" in warning) for warning in first.warnings], len(second.warnings))
    await desk.library.close()

asyncio.run(main())
"""


async def test_a_cache_that_became_read_only_keeps_the_index_in_memory(tmp_path: Path) -> None:
    """R-SRCH-10, R03."""
    async with Indexed(tmp_path) as desk:
        desk.write("n.md", "walrus\n")
        await desk.library.refresh()
        await desk.library.close()
        before = tree(desk.cache)
        desk.cache.chmod(0o500)
        assert as_plain_user(READ_ONLY, str(tmp_path)) == "1 [True] 0"
        desk.cache.chmod(0o700)
        assert tree(desk.cache) == before


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of its own with 2 MB."""
    place = tmp_path / "cache"
    place.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(place)], check=True)
    yield place
    subprocess.run(["umount", str(place)], check=True)


def fill_up(path: Path) -> None:
    with path.open("wb", buffering=0) as filler:
        while True:
            try:
                filler.write(bytes(1024))
            except OSError:
                return


async def test_a_full_disk_keeps_what_was_there(small_disk: Path, tmp_path: Path) -> None:
    """R07, R-SRCH-10: earlier data intact, one plain message, and what is new is found in memory."""
    async with Indexed(tmp_path) as desk:
        fill(desk)
        right = await answers(desk)
        hog = small_disk / "hog"
        fill_up(hog)
        big = desk.write("big.md", "\n\n".join(f"fresh {number} {'word ' * 100}" for number in range(400)))
        hits = await desk.search("fresh")
        assert {hit.info.place.relative for hit in hits.hits} == {"big.md"}
        assert [("full" in warning or "space" in warning, "in memory" in warning) for warning in hits.warnings] == [
            (True, True)
        ]
        assert (await desk.search("fresh")).warnings == ()
        big.rename(tmp_path / "big.md")
        assert await answers(desk) == right
    async with Indexed(tmp_path) as later:
        assert await answers(later) == right
        hog.unlink()
    async with Indexed(tmp_path) as roomy:
        roomy.write("n.md", "fresh walrus\n")
        assert (await roomy.paths("fresh walrus"))[0] == "n.md"
        assert roomy.library._shelves["kb_notes"].database.path is not None


async def test_a_disk_too_small_for_the_index_still_answers(small_disk: Path, tmp_path: Path) -> None:
    """R-SRCH-10, R07: there never was room; everything is found all the same."""
    fill_up(small_disk / "hog")
    with (small_disk / "hog").open("r+b") as hog:
        hog.truncate((small_disk / "hog").stat().st_size - 400_000)
    async with Indexed(tmp_path) as desk:
        for number in range(300):
            desk.write(f"{number}.md", f"# Note {number}\n\nplum {number} {'word ' * 300}\n")
        hits = await desk.search("plum")
        assert (len(hits.hits), hits.files) == (4, 300)
        assert sum("in memory" in warning for warning in hits.warnings) == 1


async def test_a_rebuild_in_a_new_process_reads_every_file(tmp_path: Path) -> None:
    """R-SRCH-6: what `index --rebuild` reports is what it did."""
    async with Indexed(tmp_path) as desk:
        fill(desk, 10)
        await desk.library.refresh()
    async with Indexed(tmp_path) as again:
        report = await again.library.refresh(rebuild=True)
        assert (report.added, report.changed, report.removed) == (len(list(again.root.rglob("*.*"))), 0, 0)
        assert len(list(again.cache.glob("*.sqlite"))) == 1
