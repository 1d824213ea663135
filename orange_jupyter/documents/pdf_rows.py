"""Rows of pieces of a PDF page, and whether they look like a column of running text. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import attrgetter

from orange_jupyter.documents.pdf_lines import Piece, wide

_BASE = attrgetter("base")
_X0 = attrgetter("x0")


@dataclass(slots=True)
class Row:
    """Pieces on one baseline, from left to right."""

    pieces: list[Piece]
    base: float
    x0: float
    x1: float
    y0: float
    y1: float


def rows(pieces: Sequence[Piece], unit: float) -> list[Row]:
    """The pieces in rows from top to bottom."""
    found: list[list[Piece]] = []
    base = 0.0
    for piece in sorted(pieces, key=_BASE):
        if found and piece.base - base < 0.4 * min(max(piece.size, 0.6 * unit), 1.5 * unit):
            found[-1].append(piece)
        else:
            found.append([piece])
            base = piece.base
    return [_row(row) for row in found]


def _row(pieces: list[Piece]) -> Row:
    one = pieces[0]
    if len(pieces) == 1:
        return Row(pieces, one.base, one.x0, one.x1, one.y0, one.y1)
    pieces.sort(key=_X0)
    x1, y0, y1 = one.x1, one.y0, one.y1
    for piece in pieces:
        x1 = max(x1, piece.x1)
        y0 = min(y0, piece.y0)
        y1 = max(y1, piece.y1)
    return Row(pieces, pieces[0].base, pieces[0].x0, x1, y0, y1)


def column_width(pieces: Sequence[Piece], unit: float) -> float:
    """The usual width of a line of a column of running text, 0 for what is none."""
    lines = rows(pieces, unit)
    return usual_width(lines) if is_column(lines, unit) else 0.0


def is_prose(pieces: Sequence[Piece], unit: float) -> bool:
    """Whether pieces look like a column of running text."""
    return is_column(rows(pieces, unit), unit)


def is_column(lines: Sequence[Row], unit: float) -> bool:
    """Whether rows are running text: wide enough, set close, most lines full, few of them in many pieces."""
    width = full_width(lines)
    if len(lines) < 3 or width < 10 * max(unit, letter_size(lines)) or usual_step(lines) > 2.1 * letter_size(lines):
        return False
    full = sum(line.x1 - line.x0 > 0.75 * width for line in lines)
    letters = sum([wide(piece.text) for line in lines for piece in line.pieces])
    parts = sum([len(line.pieces) for line in lines])
    return full >= 0.4 * len(lines) and letters >= 16 * len(lines) and parts <= 2.2 * len(lines)


def letter_size(lines: Sequence[Row]) -> float:
    """The usual size of letters, in points."""
    sizes = sorted([line.pieces[0].size for line in lines])
    return sizes[len(sizes) // 2]


def usual_step(lines: Sequence[Row]) -> float:
    """The usual distance from a baseline to the next."""
    steps = sorted([lower.base - upper.base for upper, lower in pairwise(lines)])
    return steps[len(steps) // 2]


def usual_width(lines: Sequence[Row]) -> float:
    """The width of the middle one of all lines by width."""
    return sorted([line.x1 - line.x0 for line in lines])[len(lines) // 2]


def full_width(lines: Sequence[Row]) -> float:
    """From the leftmost to the rightmost letter."""
    return max([line.x1 for line in lines]) - min([line.x0 for line in lines])


def aligned_share(left: Sequence[Row], right: Sequence[Row], unit: float) -> float:
    """The share of the shorter side's rows that stand on a baseline of the other side."""
    few, many = (left, right) if len(left) <= len(right) else (right, left)
    bases = {round(line.base / unit * 5) for line in many}
    near = sum(any(round(line.base / unit * 5) + by in bases for by in (-1, 0, 1)) for line in few)
    return near / len(few)
