"""Tables among the lines of a PDF page: rows of cells that begin or end on the same places. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from orange_jupyter.documents.pdf_lines import Piece

_LEAST_ROWS = 3


def is_row(pieces: Sequence[Piece]) -> bool:
    """Whether a line has cells: pieces with a wide gap between them."""
    return any(other.x0 - one.x1 > 0.9 * max(one.size, other.size) for one, other in pairwise(pieces))


def tables(lines: Sequence[Sequence[Piece]]) -> Iterator[tuple[int, int]]:
    """The stretches of lines that are tables: three rows and more whose cells clearly align."""
    start = 0
    while start < len(lines):
        end = start
        while end < len(lines) and is_row(lines[end]):
            end += 1
        if end - start >= _LEAST_ROWS and _aligned(lines[start:end]):
            yield start, end
        start = max(end, start + 1)


def _aligned(lines: Sequence[Sequence[Piece]]) -> bool:
    """Whether most cells after a row's first begin, end or centre where one of a neighbouring row does."""
    cells = near = 0
    for number, row in enumerate(lines):
        others = lines[number - 1] if number else lines[1]
        tolerance = 0.7 * row[0].size
        for piece in row[1:]:
            cells += 1
            near += any(_same_place(piece, other, tolerance) for other in others[1:])
    return near >= 0.7 * cells


def _same_place(one: Piece, other: Piece, tolerance: float) -> bool:
    middle = abs(one.x0 + one.x1 - other.x0 - other.x1) / 2
    return min(abs(one.x0 - other.x0), abs(one.x1 - other.x1), middle) < tolerance
