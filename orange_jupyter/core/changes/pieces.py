"""A text as pieces of its sources: what came from the base, and what each operation put in."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from orange_jupyter.core.messages import Value

Source = tuple[int, int]
"""(layer, number): whose text a piece is. (0, 0) is the base; a layer's own texts count from 0, edited ones from −1."""

BASE: Source = (0, 0)


class Splice(Value):
    """Replaces `[start, end)`, in code points, by `text`."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Piece:
    """`[start, end)` of a source's text."""

    source: Source
    start: int
    end: int


Pieces = tuple[Piece, ...]


def replaced(pieces: Pieces, splices: Sequence[tuple[Splice, Source]]) -> Pieces:
    """The pieces after sorted splices, whose texts are whole sources; one pass."""
    done: list[Piece] = []
    rest = list(reversed(pieces))
    at = 0

    def take(until: int, *, keep: bool) -> None:
        nonlocal at
        while at < until:
            piece = rest.pop()
            size = min(piece.end - piece.start, until - at)
            if size < piece.end - piece.start:
                rest.append(Piece(piece.source, piece.start + size, piece.end))
            if keep:
                done.append(Piece(piece.source, piece.start, piece.start + size))
            at += size

    for splice, source in splices:
        take(splice.start, keep=True)
        take(splice.end, keep=False)
        if splice.text:
            done.append(Piece(source, 0, len(splice.text)))
    return joined([*done, *reversed(rest)])


def joined(pieces: Sequence[Piece]) -> Pieces:
    """Neighbours that continue each other made one."""
    done: list[Piece] = []
    for piece in pieces:
        last = done[-1] if done else None
        if last is not None and last.source == piece.source and last.end == piece.start:
            done[-1] = Piece(last.source, last.start, piece.end)
        else:
            done.append(piece)
    return tuple(done)


def ends(pieces: Pieces) -> list[int]:
    """Where each piece ends in the text."""
    return list(accumulate(piece.end - piece.start for piece in pieces))


def starts(pieces: Pieces) -> list[int]:
    """Where each piece begins, and the text's length."""
    return [0, *ends(pieces)]


def between(pieces: Pieces, start: int, end: int) -> Pieces:
    """The pieces of a stretch of the text."""
    begins = starts(pieces)
    number = max(bisect_right(begins, start) - 1, 0)
    found: list[Piece] = []
    while number < len(pieces) and begins[number] < end:
        piece, offset = pieces[number], begins[number]
        low, high = max(start - offset, 0), min(end - offset, piece.end - piece.start)
        found.append(Piece(piece.source, piece.start + low, piece.start + high))
        number += 1
    return tuple(found)


def find(pieces: Pieces, wanted: Piece) -> int | None:
    """Where the first character of a piece lies in the text, or None."""
    for piece, start in zip(pieces, starts(pieces), strict=False):
        if piece.source == wanted.source and piece.start <= wanted.start < piece.end:
            return start + wanted.start - piece.start
    return None
