"""What may stay in a notebook of a change's rows: values that are hidden from a model are tokens (R-READ-15)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from orange_jupyter.core.changes.hiding import carried, hider, outputs
from orange_jupyter.core.changes.lines import bounds
from orange_jupyter.core.changes.pieces import Splice
from orange_jupyter.core.changes.rows import Row
from orange_jupyter.core.changes.showing import Shown
from orange_jupyter.core.changes.splices import spliced
from orange_jupyter.core.changes.words import Run, Runs
from orange_jupyter.core.masking import FindSecrets, Masked
from orange_jupyter.jupyter.changes.pages import RECORD_CHARACTERS, Hide, clipped


@dataclass(frozen=True)
class _Side:
    """A text with what is hidden of it."""

    masked: Masked

    @cached_property
    def begins(self) -> list[int]:
        """Where its lines begin."""
        return bounds(self.masked.text)

    def shown(self, row: Row, number: int) -> str:
        """What may be shown of the row that is its line `number`, from 1."""
        start = self.begins[number - 1]
        return self.masked.masked_slice(start, start + len(row.text))


class Veils:
    """Looks at each text of a chain of changes once: what one makes is what the next one changes."""

    def __init__(self, find: FindSecrets) -> None:
        self._find = find
        self._known: dict[tuple[tuple[str, ...], str], _Side] = {}

    def of(self, shown: Shown) -> Hide:
        """What may stay of an operation's rows."""
        below = shown.below or ""
        splices = shown.proposal.splices or tuple(
            Splice(start=0, end=0, text=text) for text in (shown.proposal.content,) if text and shown.below == ""
        )
        hide = hider(self._find, shown.proposal.operation.path, shown.proposal.spot.relative)
        before = self._known.get((hide.names, below)) or _Side(Masked(below, tuple(hide(below))))
        text = spliced(below, splices)
        spans = hide.near(text, outputs(splices), carried(before.masked.spans, splices))
        after = self._known[hide.names, text] = _Side(Masked(text, tuple(spans)))
        return _hiding(before, after)


def _hiding(before: _Side, after: _Side) -> Hide:
    def hide(row: Row) -> Runs:
        side, number = (before, row.old) if row.new is None else (after, row.new)
        runs = row.runs
        if side.masked.spans and number is not None and number < len(side.begins):
            words = side.shown(row, number)
            runs = runs if words == row.text else (Run(words, row.kind != "same"),)
        runs, cut = clipped(runs, RECORD_CHARACTERS)
        return (*runs, Run(f"… (+{cut:,})", changed=False)) if cut else runs

    return hide
