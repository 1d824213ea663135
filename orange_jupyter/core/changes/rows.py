"""A hunk as rows to draw: unified, or old and new side by side (R-CHG-2, R-CHG-12)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from orange_jupyter.core.changes.hunks import Hunk
from orange_jupyter.core.changes.lines import Block, body, changed, ending, lines_of
from orange_jupyter.core.changes.mates import mates
from orange_jupyter.core.changes.words import Runs, marked, unmarked, whole

Kind = Literal["same", "removed", "added"]
Note = Literal["", "no newline at the end", "CRLF", "LF"]
Pair = tuple["Row | None", "Row | None"]

_NOTES: dict[str, Note] = {"": "no newline at the end", "\r\n": "CRLF", "\n": "LF"}


@dataclass(frozen=True, slots=True)
class Row:
    """One line, without its ending; `old` and `new` are its line numbers from 1, before and after.

    `note` names an ending that differs from its counterpart's. `mate` is the counterpart's line number: of a removed
    line the new one, of an added line the old one, None where it has none.
    """

    kind: Kind
    old: int | None
    new: int | None
    runs: Runs
    note: Note = ""
    mate: int | None = None

    @property
    def text(self) -> str:
        """The line's text."""
        return "".join(run.text for run in self.runs)


@dataclass(frozen=True, slots=True)
class _Sides:
    """The lines of a hunk with their endings, and the numbers of the first ones."""

    old: list[str]
    new: list[str]
    first_old: int
    first_new: int


def rows(text: str, hunk: Hunk, context: int = 2) -> tuple[Row, ...]:
    """The rows of a hunk of `text`, with up to `context` untouched lines above and below, never another hunk's."""
    above = _above(text, hunk.start, min(context, hunk.room[0]))
    below = _below(text, hunk.end, min(context, hunk.room[1]))
    sides = _Sides(lines_of(hunk.before), lines_of(hunk.after), hunk.old[0], hunk.new[0])
    head = [_same(line, hunk.old[0] - len(above) + n, hunk.new[0] - len(above) + n) for n, line in enumerate(above)]
    tail = [_same(line, hunk.old[1] + 1 + n, hunk.new[1] + 1 + n) for n, line in enumerate(below)]
    return (*head, *_changed(sides), *tail)


def paired(some: Sequence[Row]) -> tuple[Pair, ...]:
    """The rows side by side: counterparts and untouched lines stand together, a line that has none beside nothing."""
    done: list[Pair] = []
    removed: list[Row] = []
    added: list[Row] = []
    for row in [*some, None]:
        if row is not None and row.kind == "removed" and not added:
            removed.append(row)
        elif row is not None and row.kind == "added":
            added.append(row)
        else:
            done += _side_by_side(removed, added)
            removed, added = [], []
            if row is not None and row.kind == "removed":
                removed = [row]
            elif row is not None:
                done.append((row, row))
    return tuple(done)


def _side_by_side(removed: list[Row], added: list[Row]) -> Iterator[Pair]:
    left, right = removed[::-1], added[::-1]
    while left or right:
        if left and right and _together(left[-1], right[-1]):
            yield left.pop(), right.pop()
        elif left and (left[-1].mate is None or not right):
            yield left.pop(), None
        else:
            yield None, right.pop()


def _together(removed: Row, added: Row) -> bool:
    """Counterparts, or two that have none."""
    return removed.mate == added.new or (removed.mate is None and added.mate is None)


def _same(line: str, old: int, new: int) -> Row:
    return Row("same", old, new, unmarked(body(line)))


def _changed(sides: _Sides) -> Iterator[Row]:
    at = 0
    blocks = changed(sides.old, sides.new)
    shift = 0
    for block in [*blocks, Block(len(sides.old), len(sides.old), len(sides.new), len(sides.new))]:
        for number in range(at, block.old):
            yield _same(sides.old[number], sides.first_old + number, sides.first_new + number + shift)
        yield from _of_block(sides, block)
        at, shift = block.old_end, block.new_end - block.old_end


def _of_block(sides: _Sides, block: Block) -> Iterator[Row]:
    found = mates(sides.old[block.old : block.old_end], sides.new[block.new : block.new_end])
    marks = {
        (old, new): marked(body(sides.old[block.old + old]), body(sides.new[block.new + new])) for old, new in found
    }
    theirs = {new: old for old, new in found}
    ours = dict(found)
    for old in range(block.old_end - block.old):
        line, new = sides.old[block.old + old], ours.get(old)
        other = None if new is None else sides.new[block.new + new]
        runs = whole(body(line)) if new is None else marks[old, new][0]
        mate = None if new is None else sides.first_new + block.new + new
        yield Row("removed", sides.first_old + block.old + old, None, runs, _note(line, other), mate)
    for place in range(block.new_end - block.new):
        line, before = sides.new[block.new + place], theirs.get(place)
        other = None if before is None else sides.old[block.old + before]
        runs = whole(body(line)) if before is None else marks[before, place][1]
        mate = None if before is None else sides.first_old + block.old + before
        yield Row("added", None, sides.first_new + block.new + place, runs, _note(line, other), mate)


def _note(line: str, other: str | None) -> Note:
    """The ending's name where the counterpart's is another one; of lines without one only the lack of a newline."""
    own = ending(line)
    if other is None:
        return "" if own else _NOTES[own]
    return "" if own == ending(other) or (own and not ending(other)) else _NOTES[own]


def _above(text: str, start: int, most: int) -> list[str]:
    begin = start
    for _ in range(most):
        begin = text.rfind("\n", 0, max(begin - 1, 0)) + 1
    return lines_of(text[begin:start])


def _below(text: str, end: int, most: int) -> list[str]:
    until = end
    for _ in range(most):
        until = text.find("\n", until) + 1 or len(text)
    return lines_of(text[end:until])
