"""Blocks of a PDF page from its pieces in order: lines are joined to paragraphs, rows to tables; headings are told
by size and weight. Pure; a block's text is its lines joined by a line break."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from orange_jupyter.core.document import Box
from orange_jupyter.documents.pdf_lines import Piece
from orange_jupyter.documents.pdf_table import is_row, tables

_ITEM = re.compile(r"(?:[•‣◦▪●■□–—*·o-]|\(?(?:\d{1,3}|[a-zA-Z]|[ivxIVX]{1,5})[.)])\s+\S")
_NOTE = re.compile(r"(?:\d{1,3}\b|[*†‡¶]|[¹²³⁰-⁹]+|\[\d{1,3}\])\s*\S")
_SENTENCE_END = (".", "!", "?", ":", "。", "！", "？", "”", '"')


@dataclass(slots=True)
class Line:
    """A line of a block: its pieces, text and box as displayed; the frame's x0 … base are for joining only."""

    pieces: list[Piece]
    text: str
    box: Box
    x0: float
    x1: float
    base: float
    size: float
    bold: bool


@dataclass(slots=True)
class PageBlock:
    """A block of one page. `kind` is paragraph, list, table or footnote; `heading` follows when all pages are known."""

    kind: str
    lines: list[Line] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The lines as they stand."""
        return "\n".join([line.text for line in self.lines])

    @property
    def box(self) -> Box:
        """Around all lines, in points as displayed."""
        return joined_box([line.box for line in self.lines])


def blocks(stretches: Sequence[Sequence[Piece]], height: float) -> list[PageBlock]:
    """The blocks of a page, in order; `stretches` never share a block."""
    found: list[PageBlock] = []
    for stretch in stretches:
        lines = [line for line in _lines(stretch) if line.text]
        at = 0
        for start, end in tables([line.pieces for line in lines]):
            found += _paragraphs(lines[at:start])
            rows = [_line(line.pieces, " | ") for line in lines[start:end]]
            found.append(PageBlock("table", rows))
            at = end
        found += _paragraphs(lines[at:])
    _mark_notes(found, height)
    return found


def joined_box(boxes: Sequence[Box]) -> Box:
    """The smallest box around all."""
    return (
        round(min([box[0] for box in boxes]), 1),
        round(min([box[1] for box in boxes]), 1),
        round(max([box[2] for box in boxes]), 1),
        round(max([box[3] for box in boxes]), 1),
    )


def _lines(stretch: Sequence[Piece]) -> Iterator[Line]:
    """Pieces that follow each other on one baseline are one line."""
    held: list[Piece] = []
    for piece in stretch:
        if held and not _continues(held[-1], piece):
            yield _line(held, " ")
            held = []
        held.append(piece)
    if held:
        yield _line(held, " ")


def _continues(one: Piece, other: Piece) -> bool:
    size = max(one.size, other.size)
    return abs(other.base - one.base) < 0.45 * size and other.x0 > one.x1 - 0.6 * size


def _line(pieces: Sequence[Piece], gap: str) -> Line:
    text = pieces[0].text.strip() if len(pieces) == 1 else _joined(pieces, gap)
    main = max(pieces, key=lambda piece: len(piece.text))
    return Line(
        list(pieces),
        text,
        pieces[0].box if len(pieces) == 1 else joined_box([piece.box for piece in pieces]),
        pieces[0].x0,
        pieces[-1].x1,
        main.base,
        main.size,
        all(piece.bold for piece in pieces),
    )


def _joined(pieces: Sequence[Piece], gap: str) -> str:
    text = pieces[0].text.strip()
    for one, other in pairwise(pieces):
        near = other.x0 - one.x1 < 0.1 * max(one.size, other.size)
        spaced = one.text[-1:].isspace() or other.text[:1].isspace()
        between = ("" if near and not spaced else " ") if gap == " " or not is_row([one, other]) else gap
        text += between + other.text.strip()
    return text.strip()


def _paragraphs(lines: Sequence[Line]) -> list[PageBlock]:
    found: list[PageBlock] = []
    if not lines:
        return found
    lead = _lead(lines)
    right = max(line.x1 for line in lines)
    for line in lines:
        item = bool(_ITEM.match(line.text))
        block = found[-1] if found else None
        if block is None or _parted(block, line, lead) or _ended(block, line, right) or _new_item(block, item):
            found.append(PageBlock("list" if item else "paragraph"))
        found[-1].lines.append(line)
    return found


def _lead(lines: Sequence[Line]) -> float:
    """The usual distance of baselines, in sizes of letters."""
    steps = sorted(
        [(lower.base - upper.base) / upper.size for upper, lower in pairwise(lines) if lower.base > upper.base]
    )
    return min(max(steps[len(steps) // 2], 1.0), 1.9) if steps else 1.2


def _parted(block: PageBlock, line: Line, lead: float) -> bool:
    """Whether a line stands apart from a block: by a gap, another size or weight, or beside it."""
    last = block.lines[-1]
    size = max(last.size, line.size)
    step = line.base - last.base
    if step > 1.3 * lead * size or step < -0.3 * size:
        return True
    if abs(last.size - line.size) > 0.13 * size and min(len(last.text), len(line.text)) > 2:
        return True
    return last.bold != line.bold or line.x0 > last.x1 + size or last.x0 > line.x1 + size


def _ended(block: PageBlock, line: Line, right: float) -> bool:
    """Whether a new paragraph begins: the line is indented against the block, or the last one ended early."""
    last = block.lines[-1]
    left = min([one.x0 for one in block.lines])
    if block.kind == "list":
        short = last.x1 < right - 0.25 * (right - left) or last.text.endswith(_SENTENCE_END)
        return short and line.x0 < block.lines[0].x0 - 0.5 * line.size
    indented = 0.7 * line.size < line.x0 - left < 5 * line.size and line.x0 - last.x0 > 0.7 * line.size
    if indented and last.x0 - left < 0.3 * line.size:
        return right - last.x1 < right - line.x0 or last.text.endswith(_SENTENCE_END)
    early = last.x1 < right - 0.25 * (right - left)
    return early and abs(line.x0 - left) < 0.3 * line.size and last.text.endswith(_SENTENCE_END)


def _new_item(block: PageBlock, item: bool) -> bool:
    return item and block.kind != "list" and not block.lines[-1].text.endswith(("-", ","))


def _mark_notes(found: Sequence[PageBlock], height: float) -> None:
    """Small print low on the page that begins with a note's sign is a footnote."""
    body = body_size(found)
    for block in found:
        first = block.lines[0]
        small = not first.bold and first.size < 0.93 * body and first.box[1] > 0.55 * height
        if small and block.kind != "table" and _NOTE.match(block.text):
            block.kind = "footnote"


def body_size(found: Sequence[PageBlock]) -> float:
    """The size in which most letters are set, 0 without text."""
    letters: dict[float, int] = {}
    for block in found:
        for line in block.lines:
            size = round(line.size * 2) / 2
            letters[size] = letters.get(size, 0) + len(line.text)
    return max(letters, key=lambda size: letters[size]) if letters else 0.0


def heading_levels(found: Sequence[PageBlock]) -> dict[int, int]:
    """The level of each heading of a document by the `id` of its block: 1 for the largest, six at most.

    A heading is short and set larger than the text, or bold where the text is not.
    """
    body = body_size(found)
    letters = sum([len(line.text) for block in found for line in block.lines])
    bold = sum([len(line.text) for block in found for line in block.lines if line.bold])
    weigh = bold < 0.3 * letters
    headings = [block for block in found if _is_heading(block, body, weigh=weigh)]
    ranks = sorted({_rank(block) for block in headings}, reverse=True)
    return {id(block): min(ranks.index(_rank(block)) + 1, 6) for block in headings}


def _rank(block: PageBlock) -> float:
    return round(block.lines[0].size * 2) / 2


def _is_heading(block: PageBlock, body: float, *, weigh: bool) -> bool:
    text = block.text
    if block.kind not in ("paragraph", "list") or len(block.lines) > 3 or len(text) > 200:
        return False
    if sum(map(str.isalpha, text)) < 2 or block.lines[0].pieces[0].way not in ("right", "left", "down"):
        return False
    first = block.lines[0]
    if first.size > 1.15 * body:
        return True
    heavy = weigh and first.bold and first.size > 0.93 * body
    return heavy and not text.endswith((".", ",", ";", ":")) and len(text) < 120
