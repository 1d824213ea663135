"""Which earlier operations on a file lie where the last one does: only on those can it build."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

from orange_jupyter.core.changes.pieces import Splice

_Span = tuple[int, int]


def near(proposed: Sequence[Sequence[Splice]]) -> tuple[int, ...]:
    """The layers (from 1) that touch, directly or through others, what the last layer replaces, or its neighbours.

    Each layer's splices are sorted and count in the text as proposed below it. Never too few: a layer that is not
    here leaves the last one's place as it is.
    """
    *below, last = proposed
    spans = [(one.start - 1, one.end + 1) for one in last]
    found: list[int] = []
    for number in range(len(below), 0, -1):
        splices = below[number - 1]
        outputs = _outputs(splices)
        if any(_touch(span, output) for span in spans for output in outputs):
            found.append(number)
            spans = _joined([*spans, *((start - 1, end + 1) for start, end in outputs)])
        spans = _joined([_before(span, splices, outputs) for span in spans])
    return tuple(reversed(found))


def _outputs(splices: Sequence[Splice]) -> list[_Span]:
    """Where the splices' texts lie in the text after them."""
    grown = [0, *accumulate(len(one.text) - (one.end - one.start) for one in splices)]
    return [(one.start + by, one.start + by + len(one.text)) for one, by in zip(splices, grown, strict=False)]


def _touch(one: _Span, other: _Span) -> bool:
    return one[0] <= other[1] and other[0] <= one[1]


def _before(span: _Span, splices: Sequence[Splice], outputs: Sequence[_Span]) -> _Span:
    """The span in the text below the splices; one that reaches into a splice's text takes all that it replaced."""
    return _offset(span[0], splices, outputs, end=False), _offset(span[1], splices, outputs, end=True)


def _offset(at: int, splices: Sequence[Splice], outputs: Sequence[_Span], *, end: bool) -> int:
    place = bisect_right(outputs, at, key=lambda one: one[0]) - 1
    if place < 0:
        return at
    splice, output = splices[place], outputs[place]
    if at > output[1]:
        return splice.end + at - output[1]
    return splice.end if end else splice.start


def _joined(spans: Sequence[_Span]) -> list[_Span]:
    done: list[_Span] = []
    for span in sorted(spans):
        if done and span[0] <= done[-1][1]:
            done[-1] = (done[-1][0], max(done[-1][1], span[1]))
        else:
            done.append(span)
    return done
