"""Generated notes and edits of them: encodings × line endings × byte order marks × operations (R-EDIT-2, C08–C11)."""

from __future__ import annotations

import random
from dataclasses import dataclass
from itertools import pairwise

from orange_jupyter.core.changes.deciding import bytes_of
from orange_jupyter.core.changes.drafting import Asked, base_of
from orange_jupyter.core.changes.matching import Edit, occurrences
from orange_jupyter.core.changes.ports import TextNow
from orange_jupyter.core.changes.splices import spliced
from orange_jupyter.core.changes.values import Kind
from orange_jupyter.documents.text import decode
from tests.tools.changing import Desk, proposed

MARKS = {"utf-8": b"\xef\xbb\xbf", "utf-16-le": b"\xff\xfe", "utf-16-be": b"\xfe\xff", "utf-32-le": b"\xff\xfe\0\0"}
ENCODINGS = (
    ("utf-8", False),
    ("utf-8", True),
    ("utf-16-le", True),
    ("utf-16-be", True),
    ("utf-32-le", True),
    ("gb18030", False),
)
ENDINGS = (("\n",), ("\r\n",), ("\n", "\r\n"), ("\n", "\r\n", "\r"))
WORDS = (
    "融雪因子",
    "取 4.6",
    "mm",
    "d⁻¹",
    "（表 2）。",
    "\\title{x}",
    "$1",
    "$$",
    "x²",
    "  ",
    "\t",
    "é",
    "é",
    "①",
    "全角，",
    "a\u200bb",
    "–",
)
KINDS = (Kind.REPLACE, Kind.MULTI_REPLACE, Kind.APPEND, Kind.REWRITE)


@dataclass(frozen=True, slots=True)
class Note:
    """A generated note: `bom` and `text` in `encoding` are its `data`."""

    encoding: str
    bom: bytes
    text: str

    @property
    def data(self) -> bytes:
        """Its bytes."""
        return self.bom + self.text.encode(self.encoding)


@dataclass(frozen=True, slots=True)
class Wanted:
    """An edit and the spans of the note that it may touch, with what stands there afterwards (with plain newlines)."""

    asked: Asked
    spans: tuple[tuple[int, int, str], ...]


def note(chance: random.Random) -> Note:
    """A note of up to 30 lines, with or without a final line ending."""
    encoding, marked = chance.choice(ENCODINGS)
    endings = chance.choice(ENDINGS)
    lines = [_line(chance) + chance.choice(endings) for _ in range(chance.randrange(31))]
    text = "".join(lines) + (_line(chance) if chance.random() < 0.5 else "")
    return Note(
        encoding, MARKS[encoding] if marked else b"", text if encoding != "gb18030" else f"融雪因子取值说明{text}"
    )


def _line(chance: random.Random) -> str:
    return "".join(chance.choices(WORDS, k=chance.randrange(6)))


def _span(chance: random.Random, text: str) -> tuple[int, int]:
    start = chance.randrange(len(text))
    end = min(len(text), start + chance.randrange(1, 40))
    if text[start] == "\n" and text[start - 1 : start] == "\r":
        start -= 1
    if text[end - 1] == "\r":
        end += text[end : end + 1] == "\n"
    return start, end


def _edit(chance: random.Random, text: str, span: tuple[int, int]) -> Edit | None:
    """The edit of one span as a model would give it: with plain newlines as often as with the file's own."""
    own = text[slice(*span)]
    old = own.replace("\r\n", "\n") if chance.random() < 0.5 else own
    new = chance.choice(("", _line(chance), f"{_line(chance)}\n{_line(chance)}", own[:1] + _line(chance)))
    found = occurrences(text, old)
    if span not in found or new.replace("\r\n", "\n") == own.replace("\r\n", "\n"):
        return None
    return Edit(old_text=old, new_text=new, occurrence=None if len(found) == 1 else found.index(span) + 1)


def wanted(chance: random.Random, text: str) -> Wanted | None:
    """An edit of a text, None where the dice gave one that changes nothing."""
    kind = chance.choice(KINDS)
    if kind is Kind.APPEND or not text:
        content = f"{_line(chance)}\n尾"
        return Wanted(Asked(Kind.APPEND, content=content), ((len(text), len(text), content),))
    if kind is Kind.REWRITE:
        lines = text.splitlines(keepends=True)
        place = chance.randrange(len(lines))
        start = sum(map(len, lines[:place]))
        changed = "".join([*lines[:place], "新的一行\n", *lines[place + 1 :]])
        return Wanted(Asked(kind, content=changed), ((start, start + len(lines[place]), "新的一行\n"),))
    spans = sorted(_span(chance, text) for _ in range(1 if kind is Kind.REPLACE else 3))
    if any(one[1] > other[0] for one, other in pairwise(spans)):
        return None
    edits = [_edit(chance, text, span) for span in spans]
    if None in edits:
        return None
    chosen = tuple(one for one in edits if one is not None)
    return Wanted(Asked(kind, chosen), tuple((*span, one.new_text) for span, one in zip(spans, chosen, strict=True)))


def holds(before: Note, asked: Wanted, after: bytes) -> bool:
    """Whether the bytes outside the spans are those of before, and inside stands what was asked."""
    at, own = 0, 0
    rest = after
    for start, end, new in (*asked.spans, (len(before.text), len(before.text), "")):
        kept = (before.bom if own == 0 else b"") + before.text[at:start].encode(before.encoding)
        if not rest.startswith(kept):
            return False
        rest = rest[len(kept) :]
        sizes = {len(one.encode(before.encoding)) for one in _endings(new)}
        found = [size for size in sorted(sizes, reverse=True) if _says(rest[:size], before.encoding, new)]
        following = [size for size in found if _goes_on(before, asked, own, rest[size:])]
        if not following:
            return False
        rest, at, own = rest[following[0] :], end, own + 1
    return rest == b""


def _endings(new: str) -> list[str]:
    """The replacement with none to all of its plain newlines as CRLF: only the lengths matter."""
    return [new + "\r" * count for count in range(new.count("\n") + 1)]


def _says(data: bytes, encoding: str, new: str) -> bool:
    try:
        return data.decode(encoding).replace("\r\n", "\n") == new.replace("\r\n", "\n")
    except UnicodeDecodeError:
        return False


def _goes_on(before: Note, asked: Wanted, own: int, rest: bytes) -> bool:
    ends = [*(one[0] for one in asked.spans), len(before.text), len(before.text)]
    at = asked.spans[own][1] if own < len(asked.spans) else len(before.text)
    return rest.startswith(before.text[at : ends[own + 1]].encode(before.encoding))


def exact(chance: random.Random) -> bool:
    """One note read as from the disk, edited and encoded again, without a disk; whether it holds."""
    one, asked = _asked(chance)
    read = decode(one.data, "gb18030")
    base = base_of(TextNow(one.data, read.text, read.encoding, read.bom, read.uncertain))
    return holds(one, asked, bytes_of(base, spliced(read.text, asked.asked.splices(read.text))))


def _asked(chance: random.Random) -> tuple[Note, Wanted]:
    while True:
        one = note(chance)
        asked = wanted(chance, one.text)
        if asked is not None:
            return one, asked


async def edited(desk: Desk, chance: random.Random, rounds: int) -> tuple[int, int]:
    """So many notes in one folder, each edited once; all applied, then all undone. How many held, each way."""
    made: dict[str, tuple[Note, Wanted]] = {}
    ids: dict[str, str] = {}
    for number in range(rounds):
        one, asked = _asked(chance)
        name = f"n{number}.md"
        (desk.root / name).write_bytes(one.data)
        made[name] = one, asked
        ids[name] = (await proposed(desk, name, asked.asked)).id
    await desk.applied()
    right = sum(holds(one, asked, (desk.root / name).read_bytes()) for name, (one, asked) in made.items())
    await desk.undo(*ids.values())
    back = sum((desk.root / name).read_bytes() == one.data for name, (one, _) in made.items())
    return right, back
