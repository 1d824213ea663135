"""The order in which a person reads a page: columns, then lines. Pure geometry over pieces of text.

A page is cut at the tallest white strip between two columns of prose (a gutter), into what stands above it, left,
right and below; each part is cut again. A strip between the cells of a table is no gutter. Inside a part the
order of the content stream is kept (it is right on most pages), but never what stands below before what stands above.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from operator import attrgetter

from orange_jupyter.documents.pdf_gutters import Gutter, find_gutter, side_note_left, steps_across
from orange_jupyter.documents.pdf_lines import Piece
from orange_jupyter.documents.pdf_mend import areas, mended, runs, stacked
from orange_jupyter.documents.pdf_rows import column_width, rows

_DEEPEST = 12
_MOST_EXCESS = 0.2
_MOST_TURNED = 0.1
_MOST_PIECES = 4000
_MOST_RUNS = 300


@dataclass(slots=True)
class Order:
    """The pieces of a page in the order of reading, in leaves: parts of the page without a gutter inside.

    `kept` tells that the order is the content stream's own.
    """

    leaves: list[list[Piece]]
    columns: int
    kept: bool


@dataclass(slots=True)
class _Cutting:
    """What is gathered while a page is cut."""

    unit: float
    leaves: list[list[Piece]] = field(default_factory=list)
    gutters: list[Gutter] = field(default_factory=list)


def order(pieces: Sequence[Piece], height: float) -> Order:
    """Put a page's pieces in order. `pieces` come in stream order, placed in the frame of reading."""
    if not pieces:
        return Order([], 0, True)
    if len(pieces) > _MOST_PIECES:
        return streamed(pieces)
    cutting = _Cutting(_unit(pieces))
    head, body, foot = _edges(pieces, cutting.unit, height)
    for part in (head, body, foot):
        _cut(part, cutting, 0)
    for number, leaf in enumerate(cutting.leaves):
        for piece in leaf:
            piece.leaf = number
    columns = _columns(cutting.gutters)
    if _excess(pieces, cutting) > _MOST_EXCESS or any(map(_woven, cutting.gutters)):
        return Order(cutting.leaves, columns, False)
    if _turned(pieces, cutting) > _MOST_TURNED:
        return Order([_settled(leaf) for leaf in cutting.leaves], columns, False)
    parts = cutting.leaves if _trusted(cutting) else [list(pieces)]
    put = [piece for part in parts for piece in mended(part)]
    return Order(runs(put), columns, put == list(pieces))


def streamed(pieces: Sequence[Piece]) -> Order:
    """The content stream's order, without a look at the columns."""
    return Order(runs(pieces), int(bool(pieces)), True)


def _unit(pieces: Sequence[Piece]) -> float:
    """The page's size of letters: the median over characters, roughly."""
    sizes = sorted((piece.size, len(piece.text)) for piece in pieces)
    half = sum(count for _, count in sizes) / 2
    for size, count in sizes:
        half -= count
        if half <= 0:
            return max(size, 0.5)
    return max(sizes[-1][0], 0.5)


def _edges(pieces: Sequence[Piece], unit: float, height: float) -> tuple[list[Piece], list[Piece], list[Piece]]:
    """The running head and foot of a page, one row each, and what is between them."""
    found = rows(pieces, unit)
    body = list(found)
    head: list[Piece] = []
    foot: list[Piece] = []
    if len(found) > 4:
        first, second, previous, last = found[0], found[1], found[-2], found[-1]
        if first.y1 < height * 0.12 and second.y0 - first.y1 > 0.9 * unit:
            head, body = first.pieces, body[1:]
        if last.y0 > height * 0.88 and last.y0 - previous.y1 > 0.9 * unit:
            foot, body = last.pieces, body[:-1]
    return head, [piece for row in body for piece in row.pieces], foot


def _cut(pieces: list[Piece], cutting: _Cutting, depth: int) -> None:
    gutter = find_gutter(pieces, cutting.unit) if depth < _DEEPEST and len(pieces) > 3 else None
    if gutter is None:
        if pieces:
            cutting.leaves.append([piece for row in rows(pieces, cutting.unit) for piece in row.pieces])
        return
    cutting.gutters.append(gutter)
    sides = (gutter.left, gutter.right)
    if side_note_left(gutter, cutting.unit):
        sides = (gutter.right, gutter.left)
    for part in (gutter.above, *sides, gutter.below):
        _cut(part, cutting, depth + 1)


def _columns(gutters: Sequence[Gutter]) -> int:
    """How many columns stand side by side at the place where most do."""
    tall = [gutter for gutter in gutters if gutter.prose]
    return 1 + max((sum(one.y0 < at.y1 and at.y0 < one.y1 for one in tall) for at in tall), default=0)


def _excess(pieces: Sequence[Piece], cutting: _Cutting) -> float:
    """The share of text to which the stream jumps where a reader would not: between leaves, or back inside one.

    A jump a leaf is no fault. Weighted by characters, so that the labels of a chart count little.
    """
    total = sum([len(piece.text) for piece in pieces])
    jumped = (1 - len(cutting.leaves)) * total / len(pieces)
    for one, other in pairwise(pieces):
        back = other.base < one.base - 0.5 * max(one.size, other.size)
        if one.leaf != other.leaf or (back and other.x0 < one.x1 + 3 * cutting.unit):
            jumped += (len(one.text) + len(other.text)) / 2
    return max(0.0, jumped) / total


def _woven(gutter: Gutter) -> bool:
    """Whether the stream goes from column to column again and again, as row by row."""
    steps = steps_across([*gutter.left, *gutter.right], gutter.x)
    return steps > 3 and steps > 0.35 * min(len(gutter.left), len(gutter.right))


def _turned(pieces: Sequence[Piece], cutting: _Cutting) -> float:
    """The share of pairs of characters that the stream gives in an order that no reader follows: what stands lower
    before what stands above it, or the right column of two before the left."""
    boxes = areas(runs(pieces))
    if len(boxes) > _MOST_RUNS:
        least = sorted(box[4] for box in boxes)[-_MOST_RUNS]
        boxes = [box for box in boxes if box[4] > least]
    wrong = right = 0.0
    for at, box in enumerate(boxes):
        for other in boxes[at + 1 :]:
            place = stacked(box, other)
            if place:
                right, wrong = right + box[4] * other[4] * (place > 0), wrong + box[4] * other[4] * (place < 0)
    widths = [column_width(leaf, cutting.unit) for leaf in cutting.leaves]
    main = {number for number, width in enumerate(widths) if width > 0.6 * max(widths)}
    for gutter in cutting.gutters:
        swapped, kept = _swapped(gutter, main) if gutter.prose else (0.0, 0.0)
        wrong, right = wrong + swapped, right + kept
    total = sum([len(piece.text) for piece in pieces])
    return wrong / max(wrong + right, 0.1 * total * total)


def _trusted(cutting: _Cutting) -> bool:
    """Whether a page's parts come in the order that was found: not where there are only notes beside the text."""
    return any(gutter.prose or _even(gutter) for gutter in cutting.gutters)


def _even(gutter: Gutter) -> bool:
    """Whether both sides of a gutter are about as wide, though one holds no running text (a table in a column)."""
    widths = [max(piece.x1 for piece in side) - min(piece.x0 for piece in side) for side in (gutter.left, gutter.right)]
    return min(widths) > 0.6 * max(widths)


def _swapped(gutter: Gutter, main: set[int]) -> tuple[float, float]:
    """How many pairs of characters of a right and a left column the stream gives right first, and left first.

    Only the leaves in `main` count, so that side notes may come at any time.
    """
    left = right = swapped = kept = 0.0
    for piece in sorted([*gutter.left, *gutter.right], key=attrgetter("index")):
        count = len(piece.text) if piece.leaf in main else 0
        if piece.x1 > gutter.x:
            right += count
            kept += count * left
        else:
            left += count
            swapped += count * right
    return swapped, kept


def _settled(leaf: list[Piece]) -> list[Piece]:
    """A leaf in the stream's order where that never steps back, else as it is."""
    stream = sorted(leaf, key=lambda piece: piece.index)
    return leaf if len(runs(stream)) > 1 else stream
