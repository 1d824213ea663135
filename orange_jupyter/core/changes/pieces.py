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

    def moved(self, by: int) -> Splice:
        """The same one so many characters further on."""
        return Splice(start=self.start + by, end=self.end + by, text=self.text)


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


class Placed:
    """Pieces with what is needed to look up many places in them, each in logarithmic time."""

    def __init__(self, pieces: Pieces) -> None:
        self.pieces = pieces
        self._begins = starts(pieces)
        self._numbers: dict[Source, list[int]] = {}
        for number, piece in enumerate(pieces):
            self._numbers.setdefault(piece.source, []).append(number)

    @property
    def length(self) -> int:
        """The text's length."""
        return self._begins[-1]

    def between(self, start: int, end: int) -> Pieces:
        """The pieces of a stretch of the text."""
        number = max(bisect_right(self._begins, start) - 1, 0)
        found: list[Piece] = []
        while number < len(self.pieces) and self._begins[number] < end:
            piece, offset = self.pieces[number], self._begins[number]
            low, high = max(start - offset, 0), min(end - offset, piece.end - piece.start)
            found.append(Piece(piece.source, piece.start + low, piece.start + high))
            number += 1
        return tuple(found)

    def find(self, wanted: Piece) -> int | None:
        """Where the first character of a piece lies in the text, or None."""
        numbers = self._numbers.get(wanted.source, [])
        place = bisect_right(numbers, wanted.start, key=lambda number: self.pieces[number].start) - 1
        if place < 0:
            return None
        piece = self.pieces[numbers[place]]
        inside = wanted.start < piece.end
        return self._begins[numbers[place]] + wanted.start - piece.start if inside else None

    def left(self, wanted: Piece) -> list[tuple[int, int]]:
        """Where the text still has characters of a piece, as [start, end) in order."""
        numbers = self._numbers.get(wanted.source, [])
        place = max(bisect_right(numbers, wanted.start, key=lambda number: self.pieces[number].start) - 1, 0)
        found: list[tuple[int, int]] = []
        for number in numbers[place:]:
            piece = self.pieces[number]
            if piece.start >= wanted.end:
                break
            low, high = max(piece.start, wanted.start), min(piece.end, wanted.end)
            if low < high:
                at = self._begins[number] - piece.start
                found.append((at + low, at + high))
        return found
