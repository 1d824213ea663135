"""The open reviews of one kernel: what one of them decides, all show."""

from __future__ import annotations

from orange_jupyter.jupyter.changes.cards import Outcome
from orange_jupyter.jupyter.changes.live import LiveReview
from orange_jupyter.jupyter.entrance import Guard
from orange_jupyter.jupyter.ports import Review
from orange_jupyter.jupyter.runtime import Runtime
from orange_jupyter.jupyter.screen import Screen
from orange_jupyter.jupyter.strings import Language

REVIEWS = 20
"""Reviews of one kernel that stay alive; of older ones the record stays."""


class Reviews:
    """Lives on the runtime's loop. `outcomes` are what the hands said of applied operations, by id."""

    def __init__(self, runtime: Runtime, guard: Guard) -> None:
        self.runtime = runtime
        self.guard = guard
        self.outcomes: dict[str, Outcome] = {}
        self._open: list[LiveReview] = []

    async def show(self, review: Review, screen: Screen, language: Language) -> LiveReview | None:
        """Show a review below what a cell's record shows; None where there is nothing to show. Raises StoreError."""
        one = LiveReview(review, screen, language, self)
        if not await one.begin():
            return None
        self._open.append(one)
        for old in self._open[:-REVIEWS]:
            old.close()
        self._open = self._open[-REVIEWS:]
        return one

    async def refresh(self, *, but: LiveReview | None = None) -> None:
        """Draw what is so now: something was decided, proposed or withdrawn."""
        self._open = [one for one in self._open if not one.over]
        for one in self._open:
            if one is not but:
                await one.refresh()
