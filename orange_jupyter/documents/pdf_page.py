"""One page of a PDF as blocks, and what a careful reader says about it. Runs only in a worker process."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pymupdf

from orange_jupyter.documents.pdf_blocks import PageBlock, blocks
from orange_jupyter.documents.pdf_lines import Piece, Sheet, sheet
from orange_jupyter.documents.pdf_order import order, streamed
from orange_jupyter.documents.pdf_quality import named, readable

MOST_BYTES = 4 * 1_048_576
MOST_PAGES = 200
"""Beyond these a file's pages keep the content stream's order (R-READ-3)."""

_LEAST_PLACED = 0.8
_PAPER = 245
_MOST_LOOKS = 40


@dataclass(frozen=True, slots=True)
class Page:
    """A page's blocks, its size in points as displayed, how many columns it has, and its faults (names of `Fault`)."""

    number: int
    blocks: tuple[PageBlock, ...] = ()
    width: float = 0.0
    height: float = 0.0
    columns: int = 0
    faults: frozenset[str] = frozenset()

    @property
    def text(self) -> str:
        """The blocks' texts joined by a blank line."""
        return "\n\n".join([block.text for block in self.blocks])


@dataclass(slots=True)
class Reader:
    """Reads the pages of one open document; `ordered` rebuilds the order of reading. Bounds the looks at ink.

    With `plain` nothing is drawn: MuPDF's drawing of damaged pages can abort the process where reading does not.
    """

    document: Any
    ordered: bool
    plain: bool = False
    _looks: int = field(default=0)

    def page(self, number: int) -> Page:
        """A page; `number` counts from 1. Raises what PyMuPDF raises."""
        shown = self.document.load_page(number - 1)
        found = sheet(shown)
        faults: set[str] = set()
        letters = sum([len(piece.text) for piece in (*found.main, *found.rest, *found.outside)])
        placed = self.ordered and found.unplaced <= (1 - _LEAST_PLACED) * letters
        if self.ordered and not placed:
            faults.add("unplaced")
        put = order(found.main, found.height) if placed else streamed(found.main)
        stretches = [*put.leaves, *_stretches(found.rest), *_stretches(found.outside)]
        page_blocks = tuple(blocks(stretches, found.height))
        text = "\n".join([block.text for block in page_blocks])
        if not text:
            faults.add("empty")
        elif not readable(text, found.strange):
            faults.add("unreadable")
        if found.outside or self._hidden(shown, found):
            faults.add("hidden")
        columns = put.columns if text else 0
        return Page(number, page_blocks, found.width, found.height, columns, frozenset(faults))

    def _hidden(self, shown: Any, found: Sheet) -> bool:
        """Whether some text cannot be seen: white on white, or too small. An invisible layer over a scan is none."""
        faint = [piece for piece in (*found.main, *found.rest) if piece.faint and len(piece.text.strip()) > 2]
        if not faint or self.plain:
            return False
        if any(piece.size < 1.5 for piece in faint):
            return True
        self._looks += 1
        return self._looks <= _MOST_LOOKS and _blank(shown, faint)


def _blank(shown: Any, faint: Sequence[Piece]) -> bool:
    """Whether one of the pieces lies on paper without any ink."""
    drawing = shown.get_displaylist()
    for piece in sorted(faint, key=lambda piece: -len(piece.text))[:3]:
        clip = pymupdf.Rect(piece.box) & shown.rect
        if clip.is_empty or clip.width * clip.height > 1e6:
            continue
        drawn = drawing.get_pixmap(clip=clip, colorspace=pymupdf.csGRAY, alpha=False)
        if drawn.samples and min(drawn.samples) >= _PAPER:
            return True
    return False


def _stretches(pieces: Sequence[Piece]) -> list[list[Piece]]:
    """Turned and outside text by its own direction, in the stream's order."""
    found: list[list[Piece]] = []
    for piece in pieces:
        if not found or found[-1][-1].way != piece.way:
            found.append([])
        found[-1].append(piece)
    return found


def warnings(pages: Sequence[Page], *, ordered: bool) -> tuple[str, ...]:
    """What a reader should know, each fault once with its pages."""
    said: list[str] = []
    if not ordered:
        said.append(
            f"The PDF is over {MOST_BYTES // 1_048_576} MB or {MOST_PAGES} pages: its text is in the file's own order,"
            " in which columns may be mixed."
        )
    empty = _with(pages, "empty")
    if len(empty) == len(pages):
        said.append("The PDF has no text layer; its pages can be looked at as pictures.")
    elif empty:
        said.append(f"{_pages(empty, 'has', 'have')} no text layer; look at {_them(empty)} as pictures.")
    if strange := _with(pages, "unreadable"):
        said.append(
            f"The text layer of {_pages(strange).lower()} is not readable; look at {_them(strange)} as pictures."
        )
    if unplaced := _with(pages, "unplaced"):
        said.append(f"The order of reading of {_pages(unplaced).lower()} could not be rebuilt; it is the file's own.")
    if hidden := _with(pages, "hidden"):
        said.append(f"{_pages(hidden, 'holds', 'hold')} text that cannot be seen; it is given with the rest.")
    return tuple(said)


def _with(pages: Sequence[Page], fault: str) -> list[int]:
    return [page.number for page in pages if fault in page.faults]


def _pages(numbers: Sequence[int], one: str = "", many: str = "") -> str:
    word = f"Page {numbers[0]} {one}" if len(numbers) == 1 else f"Pages {named(numbers)} {many}"
    return word.rstrip()


def _them(numbers: Sequence[int]) -> str:
    return "it" if len(numbers) == 1 else "these pages"
