"""Writes the record of a review anew, beside the clicks: for large notes that takes longer than a click may."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from orange_jupyter.core.changes.showing import Shown
from orange_jupyter.jupyter.changes.record import Kept, below, change_record
from orange_jupyter.jupyter.ports import Review
from orange_jupyter.jupyter.screen import Screen
from orange_jupyter.jupyter.strings import Language

if TYPE_CHECKING:
    from orange_jupyter.jupyter.changes.reviews import Reviews


class Writer:
    """The record of one review, below what the cell's record showed before. Lives on the runtime's loop."""

    def __init__(self, review: Review, screen: Screen, language: Language, reviews: Reviews) -> None:
        self.identity = f"oj-ch-{secrets.token_hex(5)}"
        self._review = review
        self._screen = screen
        self._language: Language = language
        self._reviews = reviews
        self._due: tuple[Sequence[Shown], int] | None = None
        self._writing: asyncio.Task[Any] | None = None

    def write(self, everything: Sequence[Shown], older: int) -> None:
        """Write soon; of several the last."""
        self._due = everything, older
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._write())

    async def written(self) -> None:
        """Wait until the record is as it should be."""
        if self._writing is not None:
            await self._writing

    async def _write(self) -> None:
        while self._due is not None:
            (everything, older), self._due = self._due, None
            at = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
            outcomes = dict(self._reviews.outcomes)
            kept = Kept(everything, outcomes, self._language, self._review.find_secrets, at, self.identity, older)
            self._screen.amend(partial(below, bundle=await asyncio.to_thread(change_record, kept)))
