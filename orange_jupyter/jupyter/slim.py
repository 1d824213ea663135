"""Old tool lines of a long turn give up their results, which the session's record has: memory stays bounded."""

from __future__ import annotations

from dataclasses import replace

from orange_jupyter.core.events import CallFinished
from orange_jupyter.jupyter.view import Item, Line, TurnView

FULL = 400
"""Items at the end of a turn that keep everything; the record shows the results of none, the controls of these."""
STRIDE = 200
"""Items after which the older ones are gone through again."""


def slimmed(view: TurnView) -> TurnView:
    """The view whose old lines hold no results. Cheap: looks only at what has come since the last time."""
    end = len(view.items) - FULL
    if end <= 0 or end % STRIDE:
        return view
    start = max(0, end - STRIDE)
    return replace(view, items=(*view.items[:start], *map(_slim, view.items[start:end]), *view.items[end:]))


def is_slim(finished: CallFinished) -> bool:
    """Whether a call's result was given up."""
    return not finished.envelope


def _slim(item: Item) -> Item:
    if not isinstance(item, Line) or item.finished is None:
        return item
    result = item.finished.result.model_copy(update={"content": ""})
    return replace(item, finished=item.finished.model_copy(update={"envelope": {}, "result": result}))
