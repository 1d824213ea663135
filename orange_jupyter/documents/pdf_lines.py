"""The pieces of text of a PDF page with their places, as a viewer shows the page. Runs only in a worker process.

A piece is what MuPDF calls a line: glyphs on one baseline without a wide gap. A row of a table or of two columns is
several pieces. Text that lies outside the page's visible part is kept, apart from the rest.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pymupdf

from orange_jupyter.core.document import Box

FLAGS = (
    pymupdf.TEXTFLAGS_DICT
    & ~pymupdf.TEXT_PRESERVE_LIGATURES
    & ~pymupdf.TEXT_PRESERVE_IMAGES
    & ~pymupdf.TEXT_MEDIABOX_CLIP
)
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]")
_LEFT_TO_RIGHT = re.compile("[A-Za-z\u00c0-\u058f\u0900-\u1fff\u3040-\u9fff]")
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")
_BOLD = 16
_WHITE = 0xF4
_NOWHERE: Box = (-9.0, -9.0, -9.0, -9.0)


@dataclass(slots=True, eq=False)
class Piece:
    """Glyphs on one baseline. `box` is in points as displayed; x0 … base are in the page's frame of reading.

    In that frame text runs to the right and lines follow downwards, whatever the page's script and rotation.
    `way` is right, left (right-to-left), down (vertical or turned), up or back (upside down).
    `index` is the place in the content stream, `block` the stream's own grouping; `faint` marks text that may not be
    visible (white, transparent or tiny).
    """

    text: str
    box: Box
    size: float
    bold: bool
    way: str
    index: int
    block: int
    faint: bool
    x0: float = 0.0
    y0: float = 0.0
    x1: float = 0.0
    y1: float = 0.0
    base: float = 0.0
    leaf: int = 0


@dataclass(frozen=True, slots=True)
class Sheet:
    """A page's pieces in stream order: `main` in the page's own direction of reading, `rest` turned another way.

    `outside` lies beyond the page's edges or nowhere. `unplaced` counts the letters without a usable place, `strange`
    the control characters that became spaces.
    """

    width: float
    height: float
    main: list[Piece]
    rest: list[Piece]
    outside: list[Piece]
    unplaced: int = 0
    strange: int = 0


def sheet(page: Any) -> Sheet:
    """Read a page's pieces. Raises what PyMuPDF raises."""
    width, height = page.rect.width, page.rect.height
    matrix = page.rotation_matrix if page.rotation else None
    pieces, strange = _pieces(page, matrix)
    inside = [piece for piece in pieces if _inside(piece.box, width, height)]
    outside = [piece for piece in pieces if not _inside(piece.box, width, height)]
    way = _main_way(inside)
    main = [piece for piece in inside if piece.way == way]
    rest = [piece for piece in inside if piece.way != way]
    if way == "right" and _reads_left(main):
        way = "left"
    for piece in main:
        piece.way = way
    for piece in pieces:
        place(piece, (width, height))
    unplaced = sum(len(piece.text) for piece in outside if piece.box == _NOWHERE)
    return Sheet(width, height, main, rest, outside, unplaced, strange)


def place(piece: Piece, size: tuple[float, float]) -> None:
    """Set a piece's coordinates in its frame of reading; heights are those of letters, not of the font."""
    x0, y0, x1, y1 = piece.box
    (width, height), way = size, piece.way
    if way == "left":
        x0, x1 = width - x1, width - x0
    elif way == "down":
        x0, y0, x1, y1 = y0, width - x1, y1, width - x0
    elif way == "up":
        x0, y0, x1, y1 = height - y1, x0, height - y0, x1
    elif way == "back":
        x0, y0, x1, y1 = width - x1, height - y1, width - x0, height - y0
    piece.x0, piece.x1 = x0, x1
    piece.base = piece.base if way in ("right", "left") else y1 - 0.22 * (y1 - y0)
    piece.y0, piece.y1 = piece.base - 0.72 * piece.size, piece.base + 0.2 * piece.size


def clean(content: str) -> str:
    """Text that can be printed and encoded; lone surrogates and controls come from wrong font tables."""
    if content.isascii() and content.isprintable():
        return content
    valid = content.encode("utf-8", "replace").decode("utf-8")
    return _CONTROL.sub(" ", valid)


def _pieces(page: Any, matrix: Any) -> tuple[list[Piece], int]:
    pieces: list[Piece] = []
    strange = 0
    found = page.get_text("dict", flags=FLAGS, clip=pymupdf.INFINITE_RECT())
    for number, block in enumerate(found["blocks"]):
        for line in block.get("lines", ()):
            spans = line["spans"]
            raw = "".join([span["text"] for span in spans])
            text = clean(raw)
            strange += 0 if text is raw else len(_CONTROL.findall(raw))
            if not text.strip():
                continue
            piece = _piece(line, text, matrix)
            piece.index, piece.block = len(pieces), number
            pieces.append(piece)
    return pieces, strange


def _piece(line: dict[str, Any], text: str, matrix: Any) -> Piece:
    spans = line["spans"]
    main = spans[0] if len(spans) == 1 else max(spans, key=lambda span: len(span["text"].strip()))
    box, base = line["bbox"], main["origin"][1]
    towards = line["dir"]
    if matrix is not None:
        box, base, towards = _turned(box, main["origin"], towards, matrix)
    if not all(abs(edge) < 1e6 for edge in box):  # also for what is not a number
        box, base = _NOWHERE, 0.0
    size = min(max(main["size"], 0.1), 2000.0)
    way = _way(towards, line["wmode"])
    if way == "right" and box[3] - box[1] > 4 * size:  # a font that names a wrong height for its letters
        box = (box[0], base - 0.8 * size, box[2], base + 0.25 * size)
    bold = bool(main["flags"] & _BOLD) and all(span["flags"] & _BOLD or len(span["text"]) < 3 for span in spans)
    piece = Piece(text, tuple(box), size, bold, way, 0, 0, _faint(main))
    piece.base = base
    return piece


def _turned(box: Any, origin: Any, towards: Any, matrix: Any) -> tuple[Any, float, tuple[float, float]]:
    rect = pymupdf.Rect(box) * matrix
    end = (towards[0] * matrix.a + towards[1] * matrix.c, towards[0] * matrix.b + towards[1] * matrix.d)
    return (rect.x0, rect.y0, rect.x1, rect.y1), (pymupdf.Point(origin) * matrix).y, end


def _way(towards: tuple[float, float], vertical: int) -> str:
    x, y = towards
    if vertical:
        return "down"
    if abs(x) >= abs(y):
        return "right" if x >= 0 else "back"
    return "down" if y > 0 else "up"


def _faint(span: dict[str, Any]) -> bool:
    color = span["color"]
    white = min(color >> 16 & 255, color >> 8 & 255, color & 255) >= _WHITE
    return bool(white or span["size"] < 1.5 or span.get("alpha", 255) < 16)


def _inside(box: Box, width: float, height: float) -> bool:
    return -2 < (box[0] + box[2]) / 2 < width + 2 and -2 < (box[1] + box[3]) / 2 < height + 2


def _main_way(pieces: Sequence[Piece]) -> str:
    letters: Counter[str] = Counter()
    for piece in pieces:
        letters[piece.way] += len(piece.text)
    return letters.most_common(1)[0][0] if letters else "right"


def _reads_left(pieces: Sequence[Piece]) -> bool:
    """Whether most letters are of a script that is written from right to left."""
    text = "".join([piece.text for piece in pieces])
    if text.isascii():
        return False
    return len(_RIGHT_TO_LEFT.findall(text)) > len(_LEFT_TO_RIGHT.findall(text))


def wide(text: str) -> int:
    """A text's width in half-width letters: a Chinese, Japanese or Korean sign counts two."""
    return len(text) if text.isascii() else sum(2 if unicodedata.east_asian_width(sign) in "WF" else 1 for sign in text)
