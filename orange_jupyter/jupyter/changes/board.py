"""What the live review shows now, as named pieces of HTML, and what its buttons act on; pure (R-CHG-2)."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from orange_jupyter.core.changes.showing import Shown
from orange_jupyter.core.changes.values import OpState
from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import ChangeError
from orange_jupyter.jupyter.changes.cards import Outcome, conflict, decided
from orange_jupyter.jupyter.changes.files import NO_EDITS, Look, block, file
from orange_jupyter.jupyter.changes.listing import label, row, totals
from orange_jupyter.jupyter.changes.pages import (
    FIRST_HUNKS,
    FOLD_LINES,
    FOLDED,
    MORE_LINES,
    Extent,
    Pages,
    hunks_of,
    is_large,
    weight,
)
from orange_jupyter.jupyter.icons import icon
from orange_jupyter.jupyter.record_html import state
from orange_jupyter.jupyter.strings import Language, text

OPEN_OPERATIONS = 10
"""So many diffs are drawn at first, and of them so many lines; any other is sent when a person opens it."""
OPEN_LINES = 800


@dataclass(frozen=True, slots=True)
class Drawing:
    """Pieces of HTML by name, in their order, and by operation id what the front end must know of it."""

    pieces: Mapping[str, str]
    operations: Mapping[str, Mapping[str, Any]]
    split: bool = False


@dataclass(slots=True)
class Board:
    """The review's state on this side: what is open, in which form, what a person wrote. One thread at a time."""

    language: Language
    everything: tuple[Shown, ...] = ()
    older: int = 0
    split: bool = False
    disk: dict[str, str | None] = field(default_factory=dict)
    outcomes: dict[str, Outcome] = field(default_factory=dict)
    edits: dict[tuple[str, str], dict[int, str]] = field(default_factory=dict)
    _extents: dict[str, Extent] = field(default_factory=dict)
    _begun: set[str] = field(default_factory=set)
    _pages: Pages = field(default_factory=Pages)

    def take(self, everything: Sequence[Shown], older: int = 0) -> None:
        """Show these operations from now on; what was opened stays open."""
        self.everything = tuple(everything)
        self.older = older
        self._pages.keep({one.proposal.id: one.digest for one in everything})
        known = {(one.proposal.id, one.digest) for one in everything}
        self.edits = {key: kept for key, kept in self.edits.items() if key in known}
        lines = OPEN_LINES
        for one in self.waiting:
            if one.proposal.id in self._begun:
                continue
            self._begun.add(one.proposal.id)
            if one.below is None or len(self._extents) >= OPEN_OPERATIONS:
                continue
            size = weight(one)[0]
            if is_large(one):
                self._extents[one.proposal.id] = FOLDED
                self._pages.page(one, Extent(1), NO_EDITS)  # cut now, so that the first press is quick
            elif size <= lines:
                self._extents[one.proposal.id] = Extent(FOLD_LINES * 2)
                lines -= size

    @property
    def waiting(self) -> list[Shown]:
        """What can be applied or rejected: open, and not in conflict."""
        return [one for one in self.everything if one.proposal.state in (OpState.PENDING, OpState.FAILED)]

    @property
    def stale(self) -> list[Shown]:
        """What is in conflict."""
        return [one for one in self.everything if one.proposal.state is OpState.STALE]

    def find(self, operation_id: str, digest: str) -> Shown | None:
        """An operation as it was shown, None where it is not that any more."""
        for one in self.everything:
            if one.proposal.id == operation_id and one.digest == digest:
                return one
        return None

    def unfold(self, operation_id: str, how: str) -> None:
        """Draw more of an operation's diff, or fold it."""
        one = next((one for one in self.waiting if one.proposal.id == operation_id), None)
        if one is None or one.below is None:
            return
        before = self._extents.get(operation_id, FOLDED)
        match how:
            case "first":
                after = Extent(FOLD_LINES, FIRST_HUNKS)
            case "all":
                after = Extent(MORE_LINES)
            case "more":
                after = Extent(before.rows + MORE_LINES)
            case "open":
                after = before if before.rows or is_large(one) else Extent(MORE_LINES)
            case _:
                after = FOLDED
        self._extents[operation_id] = after

    def write(self, shown: Shown, number: int, words: str | None) -> str:
        """A hunk with a person's words, or the proposal's again; its block as HTML. Raises ChangeError."""
        every = hunks_of(shown)
        if not shown.proposal.operation.kind.text or not 1 <= number <= len(every):
            raise ChangeError(Code.OUT_OF_RANGE, f"There is no hunk {number}.")
        part = self._pages.part(shown, number, words)
        mine = self.edits.setdefault((shown.proposal.id, shown.digest), {})
        if words is None:
            mine.pop(number, None)
        else:
            mine[number] = words
        return block(shown, part, self._pages, Look(self.language, split=self.split))

    def draw(self) -> Drawing:
        """Everything as it is now. Slow for large diffs: off the loop."""
        pieces: dict[str, str] = {}
        waiting = self.waiting
        pieces["head"] = self._head(waiting) if waiting else ""
        for one in waiting:
            pieces[f"row:{one.proposal.id}"] = row(one, waiting, self.language, openable=one.below is not None)
        for one in waiting:
            if one.below is not None and one.proposal.id in self._extents:
                look = Look(self.language, self._extents[one.proposal.id], self.split, self._mine(one))
                pieces[f"file:{one.proposal.id}"] = file(one, self._pages, look)
        for one in self.stale:
            pieces[f"card:{one.proposal.id}"] = conflict(one, self.disk.get(one.proposal.id), self.language)
        for name, card in decided(self.everything, self.outcomes, self.language):
            pieces[f"card:{name}"] = card
        if not self.everything or (self.older and not waiting):
            pieces["card:none"] = self._nothing()
        operations = {one.proposal.id: self._known(one) for one in self.everything}
        return Drawing(pieces, operations, self.split)

    def _mine(self, one: Shown) -> Mapping[int, str]:
        return self.edits.get((one.proposal.id, one.digest), NO_EDITS)

    def _known(self, one: Shown) -> dict[str, Any]:
        """What the front end must know of an operation to select it and to decide it."""
        name = one.proposal.id
        drawn = self._extents.get(name, FOLDED).rows > 0
        waiting = {each.proposal.id for each in self.waiting}
        return {
            "digest": one.digest,
            "waits": name in waiting,
            "on": drawn or one.below is None,  # what was not shown is not selected by itself
            "label": label(one.proposal.operation, self.language),
            "needs": [each for each in one.proposal.operation.depends_on if each in waiting],
            "hunks": len(one.hunks) if one.proposal.operation.kind.text else 0,
            "counts": [one.added, one.removed],
            "edits": {str(number): words for number, words in self._mine(one).items()},
        }

    def _head(self, waiting: Sequence[Shown]) -> str:
        title = html.escape(text(self.language, "change.review", n=len(waiting)))
        wait = state(("is-wait", "ask"), text(self.language, "change.waiting"))
        more = html.escape(text(self.language, "change.older", n=self.older)) if self.older else ""
        older = f'<span class="oj-sub">{more}</span>' if more else ""
        return (
            f'{icon("edit")}<h3 tabindex="-1">{title}</h3>{wait}'
            f'<span class="oj-sub">{totals(waiting, self.language)}</span>{older}'
        )

    def _nothing(self) -> str:
        words = text(self.language, "change.older", n=self.older) if self.older else text(self.language, "change.none")
        return f'<p class="oj-sub">{html.escape(words)}</p>'
