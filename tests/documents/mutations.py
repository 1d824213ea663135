"""Broken variants of honest files, made from a seed: what they give is a result or a typed error (D02)."""

from __future__ import annotations

import random
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

from PIL import Image

from orange_jupyter.core.codes import Code
from orange_jupyter.core.document import PictureLimits
from orange_jupyter.core.errors import ReadError
from orange_jupyter.core.paths import file_type
from orange_jupyter.core.ports import Documents
from tests.documents import samples

MOST_BYTES = 150_000
"""Of a supplied file that is broken: larger ones take long and say nothing more."""

LIMITS = PictureLimits(max_width=400, max_height=400)
Change = Callable[[bytearray, random.Random], bytearray]


@dataclass(frozen=True, slots=True)
class Original:
    """An honest file; `file_type` as the port names it."""

    name: str
    file_type: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Broken:
    """A broken variant and how it was made."""

    original: Original
    how: str
    data: bytes


def originals(supplied: Path | None) -> list[Original]:
    """Files made here and the smaller ones of a folder, in a fixed order."""
    found = _made()
    paths = sorted(supplied.iterdir()) if supplied else []
    for path in paths:
        kind = file_type(path.name)
        if kind in ("pdf", "docx", "image") and 0 < path.stat().st_size <= MOST_BYTES:
            found.append(Original(path.name, kind, path.read_bytes()))
    return found


def _made() -> list[Original]:
    pages = [samples.words(f"page {n} of a broken document") for n in range(3)]
    table = "<w:tbl><w:tr><w:tc>" + samples.paragraph("cell") + "</w:tc></w:tr></w:tbl>"
    text = "".join(samples.paragraph(f"paragraph {n} 段落") for n in range(20))
    picture = Image.effect_noise((64, 48), 40)
    kinds = ("PNG", "JPEG", "GIF", "WEBP", "BMP")
    return [
        Original("made.pdf", "pdf", samples.pdf(*pages)),
        Original("made.docx", "docx", samples.docx(text + table)),
        *(Original(f"made.{kind.lower()}", "image", samples.saved(picture, kind)) for kind in kinds),
    ]


def _flipped(data: bytearray, chance: random.Random) -> bytearray:
    for _ in range(chance.choice((1, 3, 20, 200))):
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    return data


def _cut(data: bytearray, chance: random.Random) -> bytearray:
    del data[chance.randrange(len(data)) :]
    return data


def _range(data: bytearray, chance: random.Random) -> tuple[int, int]:
    start = chance.randrange(len(data))
    return start, min(len(data), start + chance.choice((1, 16, 256, 4096)))


def _doubled(data: bytearray, chance: random.Random) -> bytearray:
    start, end = _range(data, chance)
    data[start:start] = data[start:end] * chance.choice((1, 2, 30))
    return data


def _removed(data: bytearray, chance: random.Random) -> bytearray:
    start, end = _range(data, chance)
    del data[start:end]
    return data


def _swapped(data: bytearray, chance: random.Random) -> bytearray:
    (a, b), (c, d) = sorted((_range(data, chance), _range(data, chance)))
    if b > c:
        return _flipped(data, chance)
    return data[:a] + data[c:d] + data[b:c] + data[a:b] + data[d:]


def _numbers(data: bytearray, chance: random.Random) -> bytearray:
    """Lengths, sizes and references that lie: digits become other digits, lengths become huge or none."""
    places = [at for at, byte in enumerate(data) if 48 <= byte <= 57]
    for _ in range(min(len(places), chance.choice((1, 3, 30)))):
        data[chance.choice(places)] = chance.choice(b"0123456789-")
    return data


CHANGES: tuple[Change, ...] = (_flipped, _cut, _doubled, _removed, _swapped, _numbers)


def broken(files: list[Original], number: int, chance: random.Random) -> Broken:
    """The variant with this number: the kinds of file take turns, everything else is by chance."""
    kind = ("pdf", "docx", "image")[number % 3]
    original = chance.choice([file for file in files if file.file_type == kind])
    other = chance.choice(files)
    match chance.randrange(4):
        case 0:
            at = chance.randrange(len(original.data))
            spliced = original.data[:at] + other.data[chance.randrange(len(other.data)) :]
            return Broken(original, f"spliced with {other.name} at {at}", spliced)
        case 1 | 2 if kind == "docx":
            return _inside(original, chance)
        case _:
            change = chance.choice(CHANGES)
            return Broken(original, change.__name__, bytes(change(bytearray(original.data), chance)))


def _inside(original: Original, chance: random.Random) -> Broken:
    """A sound ZIP with one broken part: what is inside is reached, not refused at the door."""
    out = BytesIO()
    with zipfile.ZipFile(BytesIO(original.data)) as archive, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as copy:
        names = [name for name in archive.namelist() if archive.getinfo(name).file_size]
        chosen, change = chance.choice(names), chance.choice(CHANGES)
        for name in names:
            content = bytearray(archive.read(name))
            copy.writestr(name, bytes(change(content, chance)) if name == chosen else bytes(content))
    return Broken(original, f"{change.__name__} in {chosen}", out.getvalue())


async def outcome(documents: Documents, variant: Broken) -> set[Code]:
    """The error codes of every way to read it; anything but a result or a ReadError is raised."""
    kind, data = variant.original.file_type, variant.data
    calls = {
        "pdf": (
            lambda: documents.text(data, kind),
            lambda: documents.extract(data, kind, name="n"),
            lambda: documents.page_picture(data, 1, LIMITS),
        ),
        "docx": (lambda: documents.text(data, kind), lambda: documents.extract(data, kind, name="n")),
        "image": (lambda: documents.picture(data, LIMITS),),
    }[kind]
    codes = set()
    for call in calls:
        try:
            await call()  # type: ignore[operator]
        except ReadError as error:
            codes.add(error.code)
    return codes
