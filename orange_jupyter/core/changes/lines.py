r"""A text's lines, and which of them two texts do not share. A line ends with `\n` or `\r\n`; a lone `\r` is in it."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import accumulate

_MOST_PAIRS = 60_000
"""Lines of one side times lines of the other that are compared by difflib; SequenceMatcher can need their product
times the commonest line's count, so a larger stretch without a common unique line is one block."""


@dataclass(frozen=True, slots=True)
class Block:
    """Lines `[old, old_end)` of one text that became lines `[new, new_end)` of the other, counted from 0."""

    old: int
    old_end: int
    new: int
    new_end: int


def lines_of(text: str) -> list[str]:
    """The lines with their endings; together they are the text."""
    *ended, last = text.split("\n")
    found = [f"{line}\n" for line in ended]
    return [*found, last] if last else found


def bounds(text: str) -> list[int]:
    """Where each line begins, in code points, and the text's length; `[0]` for an empty text."""
    return [0, *accumulate(map(len, lines_of(text)))]


def around(text: str, span: tuple[int, int], lines: int) -> tuple[int, int]:
    """The whole lines that a span reaches into, with so many more above and below where there are."""
    low, high = span
    for _ in range(lines + 1):
        low = text.rfind("\n", 0, max(low - 1, 0)) + 1
        high = text.find("\n", high) + 1 or len(text)
    return low, high


def plain_lines(text: str) -> list[str]:
    r"""The lines with `\n` for any ending, to compare them without regard to it; the lack of one still counts."""
    return lines_of(text.replace("\r\n", "\n"))


def body(line: str) -> str:
    """A line without its ending."""
    return line.removesuffix("\n").removesuffix("\r") if line.endswith("\n") else line


def ending(line: str) -> str:
    r"""A line's ending: `\r\n`, `\n`, or nothing."""
    return line[len(body(line)) :]


def changed(old: Sequence[str], new: Sequence[str]) -> list[Block]:
    """Where they differ, in order; between two blocks is at least one line that both have."""
    done: list[Block] = []
    for block in _between_anchors(_without_ends(old, new, Block(0, len(old), 0, len(new))), old, new):
        for one in _compared(_without_ends(old, new, block), old, new):
            last = done[-1] if done else None
            if last is not None and (last.old_end, last.new_end) == (one.old, one.new):
                done[-1] = Block(last.old, one.old_end, last.new, one.new_end)
            else:
                done.append(one)
    return done


def shared_ends(old: Sequence[str], new: Sequence[str]) -> tuple[int, int]:
    """How many items they share at the head, and how many of the rest at the tail."""
    most = min(len(old), len(new))
    head = next((number for number in range(most) if old[number] != new[number]), most)
    most -= head
    tail = next((number for number in range(most) if old[-1 - number] != new[-1 - number]), most)
    return head, tail


def _without_ends(old: Sequence[str], new: Sequence[str], block: Block) -> Block:
    head, tail = shared_ends(old[block.old : block.old_end], new[block.new : block.new_end])
    return Block(block.old + head, block.old_end - tail, block.new + head, block.new_end - tail)


def _between_anchors(block: Block, old: Sequence[str], new: Sequence[str]) -> Iterator[Block]:
    """The stretches between lines that stand once in both, in the same order; a small block as it is."""
    if (block.old_end - block.old) * (block.new_end - block.new) <= _MOST_PAIRS:
        yield block
        return
    at_old, at_new = block.old, block.new
    for here, there in [*_anchors(block, old, new), (block.old_end, block.new_end)]:
        if here > at_old or there > at_new:
            yield Block(at_old, here, at_new, there)
        at_old, at_new = here + 1, there + 1


def _anchors(block: Block, old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """The longest rising sequence of lines that stand once in both (patience)."""
    ours, theirs = old[block.old : block.old_end], new[block.new : block.new_end]
    count_ours, count_theirs = Counter(ours), Counter(theirs)
    place = {line: number for number, line in enumerate(theirs, block.new) if count_theirs[line] == 1}
    pairs = [(n, place[one]) for n, one in enumerate(ours, block.old) if one in place and count_ours[one] == 1]
    tops: list[int] = []
    ends: list[int] = []
    before: list[int] = []
    for number, (_, there) in enumerate(pairs):
        pile = bisect_left(tops, there)
        before.append(ends[pile - 1] if pile else -1)
        tops[pile : pile + 1] = [there]
        ends[pile : pile + 1] = [number]
    found: list[tuple[int, int]] = []
    at = ends[-1] if ends else -1
    while at >= 0:
        found.append(pairs[at])
        at = before[at]
    return found[::-1]


def _compared(block: Block, old: Sequence[str], new: Sequence[str]) -> Iterator[Block]:
    ours, theirs = old[block.old : block.old_end], new[block.new : block.new_end]
    if not ours and not theirs:
        return
    if len(ours) * len(theirs) in (0, 1) or len(ours) * len(theirs) > _MOST_PAIRS:
        yield block
        return
    for tag, start, end, first, last in SequenceMatcher(None, ours, theirs).get_opcodes():
        if tag != "equal":
            yield Block(block.old + start, block.old + end, block.new + first, block.new + last)
