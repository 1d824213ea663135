"""White strips between columns of text, and what tells them from the strips between the cells of a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from operator import attrgetter

from orange_jupyter.documents.pdf_lines import Piece
from orange_jupyter.documents.pdf_rows import (
    Row,
    aligned_share,
    full_width,
    is_column,
    is_prose,
    rows,
    usual_step,
    usual_width,
)

_BASE = attrgetter("base")
_INDEX = attrgetter("index")
_MOST_CANDIDATES = 24


@dataclass(slots=True)
class Gutter:
    """A white strip from `y0` to `y1` and the pieces around it. `prose`: both sides are columns of running text."""

    x: float
    y0: float
    y1: float
    left: list[Piece] = field(default_factory=list)
    right: list[Piece] = field(default_factory=list)
    above: list[Piece] = field(default_factory=list)
    below: list[Piece] = field(default_factory=list)
    prose: bool = False


def find_gutter(pieces: Sequence[Piece], unit: float) -> Gutter | None:
    """The tallest gutter of a part of a page, or None where the part is one column, a table, or loose words."""
    by_height = sorted(pieces, key=_BASE)
    places = _candidates(pieces, unit)
    strips = _tallest(by_height, places, frozenset(), unit)
    if not strips:
        return None
    gutter = _alone(by_height, strips, unit)
    cells = _cells(by_height, unit)
    if gutter is None and cells:
        strips = _tallest(by_height, places, cells, unit)
    for _, at, start, end in () if gutter else strips[:_MOST_CANDIDATES]:
        found = _gutter(by_height, at, (start, end), unit)
        if accepted(found, unit):
            return found
    return gutter


Strip = tuple[float, float, int, int]
"""The height in which both sides have text, the place, and a stretch of the pieces from top to bottom."""


def _tallest(by_height: Sequence[Piece], places: Sequence[float], cells: frozenset[int], unit: float) -> list[Strip]:
    strips = [strip for at in places for strip in _strips(by_height, at, cells, unit)]
    return sorted(strips, key=lambda strip: strip[0], reverse=True)


def _alone(by_height: Sequence[Piece], strips: Sequence[Strip], unit: float) -> Gutter | None:
    """The tallest strip if no other is nearly as tall and it parts two wide lists (a cheat sheet, two indexes)."""
    tall, at, start, end = strips[0]
    second = max((other[0] for other in strips[1:] if abs(other[1] - at) > 3 * unit), default=0.0)
    if tall < 1.6 * second or tall < 0.6 * (by_height[-1].y1 - by_height[0].y0):
        return None
    gutter = _gutter(by_height, at, (start, end), unit)
    left, right = rows(gutter.left, unit), rows(gutter.right, unit)
    if min(len(left), len(right)) < 8 or min(full_width(left), full_width(right)) < 17 * unit:
        return None
    gutter.prose = is_column(left, unit) and is_column(right, unit)
    return gutter


def side_note_left(gutter: Gutter, unit: float) -> bool:
    """Whether what stands left is a note beside the text on the right: narrow and short against it."""
    left, right = rows(gutter.left, unit), rows(gutter.right, unit)
    letters = sum([len(piece.text) for piece in gutter.left])
    others = sum([len(piece.text) for piece in gutter.right])
    return usual_width(left) < 0.6 * usual_width(right) and letters < 0.3 * others and is_column(right, unit)


def _cells(by_height: Sequence[Piece], unit: float) -> frozenset[int]:
    """The indexes of pieces that stand in a wide table: rows of four short pieces and more, and what is between."""
    found: set[int] = set()
    run: list[Row] = []
    count = since = 0
    for line in (*rows(by_height, unit), None):
        kind = 0 if line is None else _grid(line)
        since = 0 if kind > 0 else since + 1
        if line is None or kind == 0 or since > 4:
            if count > 2:
                found.update(piece.index for row in run[: len(run) - since + 1] for piece in row.pieces)
            run, count, since = [], 0, 0
        elif kind > 0 or run:
            run.append(line)
            count += kind > 0
    return frozenset(found)


def _grid(line: Row) -> int:
    """1 for a row of four short pieces and more, 0 for one with a long piece, -1 for one that may be part of a cell."""
    widths = sorted([piece.x1 - piece.x0 for piece in line.pieces])
    size = line.pieces[0].size
    if widths[-1] > 18 * size:
        return 0
    return 1 if len(widths) > 3 and widths[len(widths) // 2] < 9 * size else -1


def _candidates(pieces: Sequence[Piece], unit: float) -> list[float]:
    """Places where few pieces cross: the minima of how many lie over each x."""
    step = 0.3 * unit
    low, high = min([piece.x0 for piece in pieces]), max([piece.x1 for piece in pieces])
    count = min(int((high - low) / step) + 2, 4000)
    change = [0] * (count + 2)
    for piece in pieces:
        change[max(0, min(count, int((piece.x0 - low) / step)))] += 1
        change[max(0, min(count, int((piece.x1 - low) / step))) + 1] -= 1
    found: list[tuple[int, float]] = []
    covered = before = start = 0
    falling = False
    for at in range(count + 1):
        now = covered + change[at]
        if now < covered:
            start, falling = at, True
        elif now > covered and falling:
            found.append((covered, low + (start + at) / 2 * step))
            falling = False
        covered, before = now, covered
    del before
    found.sort()
    return [at for _, at in found[:_MOST_CANDIDATES]]


def _strips(by_height: Sequence[Piece], at: float, cells: frozenset[int], unit: float) -> Iterator[Strip]:
    """The stretches of `by_height` that do not cross `at`, with text on both sides: (height, at, start, end)."""
    start = 0
    for number, piece in enumerate((*by_height, None)):
        if piece is not None and not (piece.x0 < at < piece.x1) and piece.index not in cells:
            continue
        if number - start > 3:
            tall = _shared_height(by_height[start:number], at, unit)
            if tall > 2 * unit:
                yield tall, at, start, number
        start = number + 1


def _shared_height(pieces: Sequence[Piece], at: float, unit: float) -> float:
    left = [piece for piece in pieces if piece.x1 <= at]
    right = [piece for piece in pieces if piece.x1 > at]
    if len(left) < 2 or len(right) < 2:
        return 0.0
    if min([piece.x0 for piece in right]) - max([piece.x1 for piece in left]) < 0.5 * unit:
        return 0.0
    return min(left[-1].base, right[-1].base) - max(left[0].base, right[0].base) + unit


def _gutter(by_height: Sequence[Piece], at: float, stretch: tuple[int, int], unit: float) -> Gutter:
    start, end = stretch
    above, below = list(by_height[:start]), list(by_height[end:])
    inside = list(by_height[start:end])
    start = _lone_right(inside, at, unit)
    above, inside = above + inside[:start], inside[start:]
    start, end = _narrowed(inside, at, unit)
    above, inside, below = above + inside[:start], inside[start:end], inside[end:] + below
    left = [piece for piece in inside if piece.x1 <= at]
    right = [piece for piece in inside if piece.x1 > at]
    return Gutter(at, inside[0].y0, inside[-1].y1, left, right, above, below)


def _lone_right(inside: Sequence[Piece], at: float, unit: float) -> int:
    """How many pieces at the top stand on the right alone, well above both columns (a date, a section's name)."""
    count = 0
    while count < len(inside) and inside[count].x1 > at:
        count += 1
    if 0 < count < len(inside) and count <= 3 and inside[count].y0 - inside[count - 1].y1 > 1.5 * unit:
        return count
    return 0


def _narrowed(inside: Sequence[Piece], at: float, unit: float) -> tuple[int, int]:
    """The part of a strip without what a wide gap over both sides parts from the columns: authors, a legal line."""
    lines = rows(inside, unit)
    if len(lines) < 6:
        return 0, len(inside)
    least = max(2.2 * unit, 2.0 * usual_step(lines))
    start, bottom, passed = 0, lines[0].y1, 0
    for number, line in enumerate(lines[:-1], 1):
        bottom, passed = max(bottom, line.y1), passed + len(line.pieces)
        gap = lines[number].y0 - bottom
        if gap < least:
            continue
        if number <= 8 and number < 0.4 * len(lines) and _loose(lines[:number], at):
            start = passed
        elif (len(lines) - number <= 3 and number > 6) or _parted(lines[:number], lines[number:], at, gap / unit):
            return start, passed
    return start, len(inside)


def _parted(upper: Sequence[Row], lower: Sequence[Row], at: float, gap: float) -> bool:
    """Whether a gap over both columns (in letters' heights) is read across, as around a picture over both: a wide
    one, or one at which the content stream, which goes down column by column from the left, starts anew."""
    first, then = ([piece for line in lines for piece in line.pieces] for lines in (upper, lower))
    if gap > 8:
        return min_side(first, at) > 0 < min_side(then, at)
    if gap < 3 or max(piece.index for piece in first) > min(piece.index for piece in then):
        return False
    return all(
        steps_across(part, at) < 3 < min_side(part, at) and min(part, key=_INDEX).x1 <= at for part in (first, then)
    )


def steps_across(pieces: Sequence[Piece], at: float) -> int:
    """How often the stream changes from one side of `at` to the other."""
    sides = [piece.x1 > at for piece in sorted(pieces, key=_INDEX)]
    return sum(one != other for one, other in pairwise(sides))


def min_side(pieces: Sequence[Piece], at: float) -> int:
    """How many pieces the emptier side of `at` has."""
    right = sum(piece.x1 > at for piece in pieces)
    return min(right, len(pieces) - right)


def _loose(lines: Sequence[Row], at: float) -> bool:
    """Whether rows are short words beside each other and not two columns' text."""
    pieces = [piece for line in lines for piece in line.pieces]
    left = [piece for piece in pieces if piece.x1 <= at]
    return not left or not is_prose(left, pieces[0].size)


def accepted(gutter: Gutter, unit: float) -> bool:
    """Whether a strip parts columns: two of prose, or one with a side note that does not share its rows.

    Sets `prose`.
    """
    left, right = rows(gutter.left, unit), rows(gutter.right, unit)
    if min(len(left), len(right)) < 2:
        return False
    running = (is_column(left, unit), is_column(right, unit))
    widths = sorted((full_width(left), full_width(right)))
    gutter.prose = all(running)
    return all(running) or (any(running) and widths[0] > 5 * unit and aligned_share(left, right, unit) < 0.7)
