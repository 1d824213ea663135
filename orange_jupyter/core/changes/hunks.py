"""An operation's splices as hunks of whole lines: what a person sees, takes, leaves out or writes anew (R-CHG-12)."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from orange_jupyter.core.changes.lines import around, bounds, lines_of, shared_ends
from orange_jupyter.core.changes.matching import fitted
from orange_jupyter.core.changes.pieces import Splice
from orange_jupyter.core.changes.rewriting import line_splices
from orange_jupyter.core.changes.splices import Splices, ordered, spliced
from orange_jupyter.core.changes.values import HunkChoice
from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import ChangeError

_JOINED = 2
"""Changes with at most so many untouched lines between them are one hunk."""
_MARGIN = 3


@dataclass(frozen=True, slots=True)
class Hunk:
    """Neighbouring changed lines, `number` from 1.

    `old` and `new` are the first and last of them, from 1, before and after; where there are none the last is the first
    less one. `before` and `after` are their text with its line endings, `before` stands at `[start, end)`, in code
    points. `splices` are indices. `room` is how many untouched lines above and below are this hunk's to show.
    """

    number: int
    old: tuple[int, int]
    new: tuple[int, int]
    before: str
    after: str
    splices: tuple[int, ...]
    start: int
    end: int
    room: tuple[int, int]


@dataclass(frozen=True, slots=True)
class _Touched:
    """Splices by their indices, the lines from 0 that they reach into (`low`, `high`), and those that they change."""

    splices: tuple[int, ...]
    low: int
    high: int
    first: int
    last: int


def hunks(text: str, splices: Sequence[Splice]) -> tuple[Hunk, ...]:
    """The hunks of sorted splices, in order. Raises ValueError where splices overlap."""
    some = ordered(splices)
    if not some:
        return ()
    low, high = around(text, (some[0].start, some[-1].end), _MARGIN)
    inner = _hunks(text[low:high], tuple(one.moved(-low) for one in some))
    above, below = text.count("\n", 0, low), text.count("\n", high) + (not text.endswith("\n") and high < len(text))
    return tuple(_lifted(one, (low, above, below), ends=(one is inner[0], one is inner[-1])) for one in inner)


def _lifted(hunk: Hunk, by: tuple[int, int, int], *, ends: tuple[bool, bool]) -> Hunk:
    """A hunk of a stretch of a text as one of the text: `by` characters and lines above it, and lines below it."""
    low, above, below = by
    return replace(
        hunk,
        old=(hunk.old[0] + above, hunk.old[1] + above),
        new=(hunk.new[0] + above, hunk.new[1] + above),
        start=hunk.start + low,
        end=hunk.end + low,
        room=(hunk.room[0] + above * ends[0], hunk.room[1] + below * ends[1]),
    )


def _hunks(text: str, some: Splices) -> tuple[Hunk, ...]:
    begins = bounds(text)
    found: list[_Touched] = []
    for place, splice in enumerate(some):
        one = _trimmed(text, begins, some, _Touched((place,), *_reached(text, begins, splice), 0, 0))
        if found and (one.low < found[-1].high or one.first - found[-1].last <= _JOINED):
            last = found.pop()
            both = last.splices + one.splices
            one = _Touched(both, last.low, max(last.high, one.high), last.first, max(last.last, one.last))
        found.append(one)
    return tuple(_numbered(text, begins, some, [_trimmed(text, begins, some, one) for one in found]))


def taken(text: str, splices: Sequence[Splice], choices: Sequence[HunkChoice]) -> Splices:
    """The splices that a person takes: those of hunks that are left out are gone, a hunk with a text of theirs has one.

    That text is given as an editor shows it, without its last line's ending, with any line endings; it gets the file's.
    An empty one means no lines. Hunks that are not named, or whose text is as proposed, keep their splices.
    Raises ChangeError out_of_range for a number that is no hunk's, invalid_argument for one that is named twice.
    """
    some = ordered(splices)
    found = hunks(text, some)
    chosen: dict[int, HunkChoice] = {}
    for choice in choices:
        if not 1 <= choice.number <= len(found):
            raise ChangeError(
                Code.OUT_OF_RANGE,
                f"There is no hunk {choice.number}; this change has {len(found):,}.",
                hint="Show the change again and choose from its hunks, which count from 1.",
                details={"hunk": choice.number, "count": len(found)},
            )
        if choice.number in chosen:
            raise ChangeError(Code.INVALID_ARGUMENT, f"Hunk {choice.number} is named twice; name it once.")
        if "\0" in (choice.text or ""):
            raise ChangeError(Code.INVALID_ARGUMENT, "The text holds a NUL character.", hint="Take it out.")
        chosen[choice.number] = choice
    return tuple(one for hunk in found for one in _of_hunk(text, some, hunk, chosen.get(hunk.number)))


def shown_after(hunk: Hunk) -> str:
    r"""The after-text for an editor: lines end with `\n`, the last one's ending is left out."""
    return hunk.after.replace("\r\n", "\n").removesuffix("\n")


def _of_hunk(text: str, splices: Splices, hunk: Hunk, choice: HunkChoice | None) -> Splices:
    own = tuple(splices[place] for place in hunk.splices)
    if choice is not None and not choice.taken:
        return ()
    if choice is None or choice.text is None:
        return own
    given = choice.text.replace("\r\n", "\n")
    if given == shown_after(hunk):
        return own
    new = _written(text, hunk, given)
    return () if new == hunk.before else (Splice(start=hunk.start, end=hunk.end, text=new),)


def _written(text: str, hunk: Hunk, given: str) -> str:
    """A person's lines with endings as in the file; what they left as proposed keeps the proposal's."""
    if not given:
        return ""
    last = hunk.after or hunk.before
    full = f"{given}\n" if last.endswith("\n") or not last else given
    if not hunk.after:
        return fitted(text, (hunk.start, hunk.end), full)
    above = text[text.rfind("\n", 0, max(hunk.start - 1, 0)) + 1 : hunk.start]
    below = text[hunk.end : text.find("\n", hunk.end) + 1 or len(text)]
    around = above + hunk.after + below
    own = len(above), len(above) + len(hunk.after)
    result = spliced(around, line_splices(around, own, full))
    return result[len(above) : len(result) - len(below)]


def _reached(text: str, begins: list[int], splice: Splice) -> tuple[int, int]:
    """The lines `[low, high)` from 0 that a splice reaches into: whole lines there become whole lines."""
    count = len(begins) - 1
    goes_on = splice.start == len(text) and not text.endswith("\n") and count > 0
    low = count - 1 if goes_on else bisect_right(begins, splice.start) - 1
    high = bisect_left(begins, splice.end)
    left = text[begins[low] : splice.start] + splice.text
    if begins[high] == splice.end and left and not left.endswith("\n"):
        high += 1
    return low, min(max(high, low), count)


def _texts(text: str, begins: list[int], splices: Splices, touched: _Touched) -> tuple[list[str], list[str]]:
    """The lines that are reached, before and after."""
    start, end = begins[touched.low], begins[touched.high]
    moved = [splices[place].moved(-start) for place in touched.splices]
    before = text[start:end]
    return lines_of(before), lines_of(spliced(before, moved))


def _trimmed(text: str, begins: list[int], splices: Splices, touched: _Touched) -> _Touched:
    """With the lines that it changes: without the same ones at its head and tail."""
    old, new = _texts(text, begins, splices, touched)
    head, tail = (0, 0) if old == new else shared_ends(old, new)
    return replace(touched, first=touched.low + head, last=touched.high - tail)


def _numbered(text: str, begins: list[int], splices: Splices, found: list[_Touched]) -> Iterator[Hunk]:
    shift = 0
    count = len(begins) - 1
    for number, one in enumerate(found, 1):
        old, new = _texts(text, begins, splices, one)
        head, tail = one.first - one.low, one.high - one.last
        after = new[head : len(new) - tail]
        above = (one.first - found[number - 2].last) // 2 if number > 1 else one.first
        below = (found[number].first - one.last + 1) // 2 if number < len(found) else count - one.last
        yield Hunk(
            number=number,
            old=(one.first + 1, one.last),
            new=(one.first + shift + 1, one.first + shift + len(after)),
            before="".join(old[head : len(old) - tail]),
            after="".join(after),
            splices=one.splices,
            start=begins[one.first],
            end=begins[one.last],
            room=(above, below),
        )
        shift += len(new) - len(old)
