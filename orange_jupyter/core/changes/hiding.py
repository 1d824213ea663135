"""Hidden values through changes: they keep their place and stay hidden, whatever is around (R-READ-15, R-EDIT-6)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence

from orange_jupyter.core.changes.splices import Splices
from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import ChangeError
from orange_jupyter.core.masking import Span
from orange_jupyter.core.shapes import merged

Hide = Callable[[str], Sequence[Span]]
"""Finds the values in a file's whole text that are never shown to a model, as [start, end), in order."""

_SHORTEST = 4
"""A shorter value may stand elsewhere in a text by chance."""


def nothing_hidden(_: str) -> Sequence[Span]:
    """For a text that nobody hides anything of."""
    return ()


def carried(spans: Sequence[Span], splices: Splices) -> tuple[Span, ...]:
    """Where spans of a text lie after splices; one that a splice touches covers what came in its place."""
    return merged(_carried(one, splices) for one in spans)


def _carried(span: Span, splices: Splices) -> Span:
    start, end = span
    before = sum(len(one.text) - (one.end - one.start) for one in splices if one.end <= start)
    within = 0
    for one in splices:
        if one.start < end and one.end > start:
            start, end = min(start, one.start), max(end, one.end)
            within += len(one.text) - (one.end - one.start)
    return start + before, end + before + within


def require_whole(after: str, values: Sequence[Span], hide: Hide) -> None:
    """Raises ChangeError masked_text where a hidden value would stand open, or joined with other text."""
    now = set(hide(after))
    if not now.issuperset(values):
        raise opened()


def require_closed(before: str, after: str, hide: Hide) -> None:
    """The same for what is taken of several changes: no value that was hidden stands open anywhere in the result."""
    values = {before[start:end] for start, end in hide(before)}
    if not values:
        return
    now = tuple(hide(after))
    for value in values:
        at = after.find(value) if len(value) >= _SHORTEST else -1
        while at >= 0:
            number = bisect_right(now, at, key=lambda one: one[0]) - 1
            if number < 0 or now[number][1] < at + len(value):
                raise opened()
            at = after.find(value, at + 1)


def opened() -> ChangeError:
    """A change after which a model could read what is hidden from it."""
    return ChangeError(
        Code.MASKED_TEXT,
        "After this change a value that is hidden from the model would stand open, or be changed; it is not made.",
        hint="Leave the words right before and after the hidden value as they are; or edit the file yourself.",
    )
