"""The content stream's order of a part of a PDF page, mended where it gives what stands lower before what stands above.

Stretches of the stream stay whole, and nothing moves without need: the cells of a table that is drawn cell by cell, or
two notes side by side, come as they are drawn. Pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter

from orange_jupyter.documents.pdf_lines import Piece

_INDEX = attrgetter("index")
_MOST_RUNS = 300
_JUMP = 2.0
"""A step down to the next baseline over which a stretch goes on, in sizes of letters."""

Area = tuple[float, float, float, float, float]
"""A stretch's box in the frame of reading (left, top, right, bottom), and its count of characters."""


def runs(pieces: Sequence[Piece], jump: float = 1e9) -> list[list[Piece]]:
    """The stream in stretches that stay in one leaf, do not step back up, nor down by more than `jump` letters."""
    found: list[list[Piece]] = []
    for piece in pieces:
        last = found[-1][-1] if found else None
        if last is None or last.leaf != piece.leaf or not _goes_on(last, piece, jump):
            found.append([])
        found[-1].append(piece)
    return found


def _goes_on(last: Piece, piece: Piece, jump: float) -> bool:
    size = max(piece.size, last.size)
    return -0.5 * size <= piece.base - last.base <= jump * size


def areas(parts: Sequence[Sequence[Piece]]) -> list[Area]:
    """The box and the count of characters of each stretch."""
    return [
        (
            min([piece.x0 for piece in part]),
            min([piece.y0 for piece in part]),
            max([piece.x1 for piece in part]),
            max([piece.y1 for piece in part]),
            float(sum([len(piece.text) for piece in part])),
        )
        for part in parts
    ]


def stacked(one: Area, other: Area) -> int:
    """1 where `one` stands above `other`, -1 where it stands below, 0 where they are side by side or overlap."""
    shared = min(one[2], other[2]) - max(one[0], other[0])
    if shared < 0.5 * min(one[2] - one[0], other[2] - other[0]):
        return 0
    return 1 if other[1] >= one[3] - 1 else -int(other[3] <= one[1] + 1)


def mended(leaf: Sequence[Piece]) -> list[Piece]:
    """A part of a page in the stream's order, but what stands above comes before what stands below."""
    stream = sorted(leaf, key=_INDEX)
    if len(runs(stream)) < 2:
        return stream
    parts = runs(stream, _JUMP)
    if len(parts) > _MOST_RUNS:
        return stream
    return [piece for part in _sorted(parts) for piece in part]


def _sorted(parts: Sequence[list[Piece]]) -> list[list[Piece]]:
    """The stretches, each as soon as all that stand above it have come."""
    boxes = areas(parts)
    above: list[set[int]] = [set() for _ in parts]
    for one, box in enumerate(boxes):
        for other in range(one + 1, len(boxes)):
            place = stacked(box, boxes[other])
            if place > 0:
                above[other].add(one)
            elif place < 0:
                above[one].add(other)
    left = list(range(len(parts)))
    found = []
    while left:
        here = next((number for number in left if above[number].isdisjoint(left)), left[0])
        left.remove(here)
        found.append(parts[here])
    return found
