"""How the operations on one file find their place where others were not taken.

A file's pending operations are layers over its base text: layer k is written against the text *as proposed* by the
layers below. A person may take some hunks of some layers. What was taken finds its place by where its characters come
from, never by searching, so nothing is ever applied "about there".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise

from orange_jupyter.core.changes.pieces import BASE, Piece, Pieces, Placed, Source, Splice, replaced
from orange_jupyter.core.changes.reaching import near

Splices = tuple[Splice, ...]


class Fate(Enum):
    """What becomes of a layer: put onto the text, still to be decided, or gone."""

    TAKEN = "taken"
    WAITING = "waiting"
    DROPPED = "dropped"


@dataclass(frozen=True, slots=True)
class Layer:
    """One operation's splices as `proposed` (sorted, never overlapping) and, where a person changed them, `chosen`."""

    proposed: Splices
    fate: Fate = Fate.TAKEN
    chosen: Splices | None = None


@dataclass(frozen=True, slots=True)
class Settled:
    """A file after a decision: the new `text`; for each layer its splices and whether it found its place.

    A taken layer's splices are layered over the old base among the taken ones alone, a waiting one's over the new text
    among the waiting ones. A waiting layer that builds on what is gone is `tied` and has none. `pieces` say where the
    characters of `text` come from.
    """

    text: str
    splices: tuple[Splices, ...]
    tied: tuple[int, ...]
    pieces: Pieces = ()


class Tied(Exception):
    """A taken layer, `number` from 1, builds on text that was not taken."""

    def __init__(self, number: int) -> None:
        super().__init__(f"layer {number} builds on text that was not taken")
        self.number = number


def spliced(text: str, splices: Sequence[Splice]) -> str:
    """The text after the splices, which are sorted and do not overlap."""
    parts: list[str] = []
    at = 0
    for splice in splices:
        parts += [text[at : splice.start], splice.text]
        at = splice.end
    return "".join([*parts, text[at:]])


def ordered(splices: Sequence[Splice]) -> Splices:
    """Sorted by place. Raises ValueError where two overlap or insert at one point."""
    found = tuple(sorted(splices, key=lambda one: (one.start, one.end)))
    for one, other in pairwise(found):
        if other.start < one.end or other.start == one.start:
            raise ValueError("overlapping splices")
    return found


def settle(base: str, layers: Sequence[Layer]) -> Settled:
    """Put the taken layers onto the base and give the waiting ones their place over the result. Raises Tied."""
    stack = _Stack(whole(base), layers)
    actual = stack.base
    texts: dict[Source, str] = {BASE: base}
    splices: list[Splices] = [()] * len(layers)
    for number in stack.with_fate(Fate.TAKEN):
        splices[number - 1], actual, sources = stack.put(number, Placed(actual))
        texts |= sources
    text = "".join(texts[piece.source][piece.start : piece.end] for piece in actual)
    tied = _wait(stack, actual, splices)
    return Settled(text, tuple(splices), tied, actual)


def lifted(before: Pieces, after: Pieces, waiting: Sequence[Splices]) -> tuple[tuple[Splices, ...], tuple[int, ...]]:
    """Layers that were written over the text `before`, over the text `after` of the same sources; those that have no
    place there are named, from 1, and have no splices."""
    stack = _Stack(_apart(before), [Layer(one, Fate.WAITING) for one in waiting])
    splices: list[Splices] = [()] * len(waiting)
    tied = _wait(stack, _apart(after), splices)
    return tuple(splices), tied


def whole(base: str) -> Pieces:
    """A base text as pieces of itself."""
    return (Piece(BASE, 0, len(base)),) if base else ()


def _apart(pieces: Pieces) -> Pieces:
    """With sources that no layer over them has."""
    return tuple(Piece((-1 - one.source[0], one.source[1]), one.start, one.end) for one in pieces)


def _wait(stack: _Stack, actual: Pieces, splices: list[Splices]) -> tuple[int, ...]:
    """Give the waiting layers their place over a text; those that have none."""
    tied: list[int] = []
    for number in stack.with_fate(Fate.WAITING):
        try:
            splices[number - 1], actual, _ = stack.put(number, Placed(actual))
        except Tied:
            tied.append(number)
    return tuple(tied)


def compose(base: str, layers: Sequence[Layer]) -> str:
    """The base with all layers that are taken. Raises Tied."""
    return settle(base, layers).text


def needs(length: int, proposed: Sequence[Splices]) -> tuple[int, ...]:
    """Which layers (from 1) the last one builds on: without any of them it has no place over a base of `length`."""
    base = (Piece(BASE, 0, length),) if length else ()
    stack = _Stack(base, [Layer(one) for one in proposed])
    return tuple(number for number in near(proposed) if _last_is_tied(stack, number, len(proposed)))


def _last_is_tied(stack: _Stack, left_out: int, last: int) -> bool:
    actual = Placed(stack.below[left_out - 1].pieces)
    for number in range(left_out + 1, last + 1):
        try:
            _, pieces, _ = stack.put(number, actual)
        except Tied:  # another one that builds on what was left out; the last one may do without it
            if number == last:
                return True
        else:
            actual = Placed(pieces)
    return False


class _Stack:
    """The layers, and the text as proposed below each of them."""

    def __init__(self, base: Pieces, layers: Sequence[Layer]) -> None:
        self._layers = tuple(layers)
        self.base = base
        self.below: list[Placed] = [Placed(self.base)]
        for number, layer in enumerate(layers[:-1], 1):
            named = [(one, (number, place)) for place, one in enumerate(layer.proposed)]
            self.below.append(Placed(replaced(self.below[-1].pieces, named)))

    def with_fate(self, fate: Fate) -> list[int]:
        """The numbers of such layers, in order."""
        return [number for number, layer in enumerate(self._layers, 1) if layer.fate is fate]

    def put(self, number: int, above: Placed) -> tuple[Splices, Pieces, dict[Source, str]]:
        """A layer's splices in the actual text, that text after them, and the sources they bring. Raises Tied."""
        layer = self._layers[number - 1]
        chosen = layer.proposed if layer.chosen is None else layer.chosen
        known = {splice: (number, place) for place, splice in enumerate(layer.proposed)}
        below = self.below[number - 1]
        moved = tuple(_moved(below, above, one, number) for one in chosen)
        sources = [known.get(one, (number, -1 - place)) for place, one in enumerate(chosen)]
        texts = {source: one.text for source, one in zip(sources, chosen, strict=True)}
        return moved, replaced(above.pieces, list(zip(moved, sources, strict=True))), texts


def _moved(proposed: Placed, actual: Placed, splice: Splice, number: int) -> Splice:
    """The splice's place in the actual text: its characters, or both neighbours of an insertion, lie there together.

    The text's own begin and end are neighbours too.
    """
    length = proposed.length
    inserts = splice.start == splice.end
    first = splice.start - 1 if inserts and splice.start > 0 else splice.start
    last = splice.end if inserts and splice.end < length else splice.end - 1
    if last < first:  # an insertion into an empty text
        if actual.pieces:
            raise Tied(number)
        return Splice(start=0, end=0, text=splice.text)
    wanted = proposed.between(first, last + 1)
    begin = actual.find(wanted[0])
    if begin is None or actual.between(begin, begin + last + 1 - first) != wanted:
        raise Tied(number)
    start = begin + splice.start - first
    if inserts and ((splice.start == 0 and start > 0) or (splice.end == length and start < actual.length)):
        raise Tied(number)  # it was put at an end of the text, which is elsewhere
    return Splice(start=start, end=start + splice.end - splice.start, text=splice.text)
