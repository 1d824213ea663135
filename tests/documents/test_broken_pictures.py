"""Broken and hostile pictures in a real worker: each a picture within limits or a typed error, the worker alive (D02, D06)."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator
from io import BytesIO
from pathlib import Path

import psutil
import pytest
from PIL import Image

from orange_jupyter.core.codes import Code
from orange_jupyter.core.document import Picture, PictureLimits
from orange_jupyter.core.errors import ReadError
from orange_jupyter.core.paths import file_type
from orange_jupyter.documents.pool import Pool
from orange_jupyter.documents.process import WorkerLimits
from tests.documents.broken_pictures import broken, seeds
from tests.documents.test_hard_pictures import GIF_FRAME, GIF_HEAD, png

LIMITS = {"max_width": 2000, "max_height": 2000}
CALL = {"file_type": "image", "operation": "picture", "arguments": {"limits": LIMITS}}
TYPED = {Code.DAMAGED, Code.TYPE_MISMATCH, Code.TOO_LARGE}


@pytest.fixture
async def pool() -> AsyncIterator[Pool]:
    """One worker."""
    pool = Pool(limits=WorkerLimits(seconds=30))
    yield pool
    await pool.close()


async def seen(pool: Pool, data: bytes) -> Picture | Code:
    """The picture, which is checked, or the code of the error."""
    try:
        found = await pool.run(CALL, data)
    except ReadError as error:
        return error.code
    assert isinstance(found, Picture)
    with Image.open(BytesIO(found.data)) as image:
        image.load()
        assert image.size == (found.width, found.height)
    assert max(image.size) <= PictureLimits().max_width
    assert len(found.data) <= PictureLimits().max_bytes
    assert found.frames >= 1
    return found


async def hundred(pool: Pool, whole: list[bytes]) -> None:
    """A hundred broken copies; the same worker answers before and after."""
    assert isinstance(await seen(pool, whole[0]), Picture)
    worker, chance = pool.pids, random.Random(6)
    found = [await seen(pool, broken(chance.choice(whole), chance)) for _ in range(100)]
    assert {one for one in found if not isinstance(one, Picture)} <= TYPED
    assert isinstance(await seen(pool, whole[0]), Picture)
    assert pool.pids == worker


async def test_a_hundred_broken_copies_leave_the_worker_alive(pool: Pool) -> None:
    """D02, R-IMG-3: no decoder's fault gets past it; the next call works."""
    await hundred(pool, seeds())


@pytest.mark.corpus
async def test_a_hundred_broken_copies_of_public_pictures_leave_the_worker_alive(pool: Pool, data: Path) -> None:
    """D02, R-IMG-3: the same with files that nobody here wrote."""
    files = [file for file in sorted((data / "documents").iterdir()) if file_type(file.name) == "image"]
    assert files
    await hundred(pool, [file.read_bytes() for file in files])


@pytest.mark.parametrize(
    ("name", "most_mb"), [("many frames", 60), ("clear", 260), ("deep", 420), ("photo", 190), ("canvas", 30)]
)
async def test_large_pictures_stay_within_a_memory_bound(pool: Pool, name: str, most_mb: int) -> None:
    """R-IMG-3: the worker's own growth, in MB: at most three copies of four bytes a pixel, one frame of an animation."""
    await seen(pool, seeds()[0])
    before = _peak(pool)
    assert isinstance(await seen(pool, LARGE[name]()), Picture)
    assert _peak(pool) - before < most_mb


def _photo() -> bytes:
    out = BytesIO()
    Image.new("RGB", (6000, 8000), (9, 99, 200)).save(out, "JPEG", quality=60)
    return out.getvalue()


LARGE = {
    "many frames": lambda: GIF_HEAD + GIF_FRAME * 1_000_000 + b";",
    "clear": lambda: png(5000, 5000, depth=8, colour=6, sample=b"\x10\x20\x30\x40"),
    "deep": lambda: png(6000, 6000, depth=16, colour=0, sample=b"\x80\x00"),
    "photo": _photo,
    "canvas": lambda: png(20_000, 10, depth=8, colour=2, sample=b"\x10\x20\x30"),
}


def _peak(pool: Pool) -> float:
    """The most memory that the worker ever had, in MB."""
    (pid,) = pool.pids
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii") if psutil.LINUX else "VmHWM: 0 kB"
    return next(int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmHWM"))
