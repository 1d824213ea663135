"""Joins the view, the record and the controls of one turn; everything is drawn from one task (decisions 3 and 4)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from time import monotonic
from typing import TYPE_CHECKING

from orange_jupyter.core.approval import Outcome
from orange_jupyter.core.deltas import Delta, TextDelta
from orange_jupyter.core.events import ApprovalEnded, Event, Notice, StepFinished, TurnFinished, TurnStarted
from orange_jupyter.jupyter.screen import EMPTY, Screen
from orange_jupyter.jupyter.slim import slimmed
from orange_jupyter.jupyter.stage import CellStage
from orange_jupyter.jupyter.strings import Language, text
from orange_jupyter.jupyter.view import TurnView

if TYPE_CHECKING:
    from orange_jupyter.jupyter.sheet import Surroundings

INTERVAL = 0.05
"""Seconds between two drawings: at most 20 a second (decision 4)."""
RECORD_INTERVAL = 1.0
"""Seconds between two records of a running turn: one may have 300 kB, and quick steps come by hundreds."""
TEXT_INTERVAL = 2.0
"""Seconds between two records while text streams, so that a notebook saved meanwhile has the text so far."""
TEXT_SHARE = 50
"""A record that takes long to write comes less often: at most one part in so many of the time goes to records."""
PATIENCE = 1.0
"""Seconds after which a turn that has not begun shows that it waits."""


class TurnDisplay:
    """The Listener of one turn. Lives on the runtime's loop, in the context of its cell; `reserve` is called there."""

    def __init__(self, screen: Screen, stage: CellStage, language: Language) -> None:
        self.view = TurnView()
        self.session = ""
        self.needed_person = False
        self.screen = screen
        self.stage = stage
        self._language: Language = language
        self._deltas: list[Delta] = []
        self._dirty = asyncio.Event()
        self._record_due = self._text_due = False
        self._recorded = float("-inf")
        self._record_cost = 0.0

    def reserve(self) -> None:
        """Take the two places in the cell: the record's first, the controls below it."""
        self.screen.record(EMPTY)
        self.stage.reserve()

    async def hear(self, event: Event) -> None:
        """Take an event; drawn soon, the record once a step."""
        self._fold()
        self.view = slimmed(self.view.hear(event))
        if isinstance(event, ApprovalEnded) and event.outcome is Outcome.NEEDS_PERSON:
            self.needed_person = True
        if isinstance(event, TurnStarted | StepFinished):
            self._record_due = True
        if isinstance(event, TurnStarted):
            self.stage.open(event.turn_id)
        self._dirty.set()

    def delta(self, delta: Delta) -> None:
        """Take a piece of a stream."""
        self._deltas.append(delta)
        self._dirty.set()

    def waits_for(self, session: str, cell: int | None) -> None:
        """Say at once that another cell's turn comes first; the person may leave."""
        label = text(self._language, "busy.cell" if cell else "busy.other", n=cell)
        self.stage.busy(session, label)

    def stopping(self) -> None:
        """Show that Stop was heard."""
        self.view = self.view.stopping()
        self._dirty.set()

    def tell(self, message: str, hint: str | None = None) -> None:
        """Add a line for the person, for instance why a switch did not move."""
        self.view = self.view.hear(Notice(level="error", text=message, hint=hint))
        self._dirty.set()

    @property
    def finished(self) -> TurnFinished | None:
        """The turn's end, once it was heard."""
        return self.view.finished

    @asynccontextmanager
    async def drawing(self) -> AsyncIterator[None]:
        """Draw while the block runs. The controls stay until the record has its last form, which is `settle`."""
        painter = asyncio.create_task(self._paint())
        try:
            yield
        finally:
            painter.cancel()
            await asyncio.wait({painter})
            self._fold()
            self.stage.push(self.view)
        if not painter.cancelled():
            painter.result()  # a drawing that failed must not go unheard

    async def settle(self, places: Mapping[str, Surroundings]) -> None:
        """Write the record's last form, then take the controls away."""
        self._fold()
        await self._write(places)
        self.stage.close()

    async def _paint(self) -> None:
        try:
            await asyncio.wait_for(self._dirty.wait(), PATIENCE)
        except TimeoutError:
            self.stage.open()  # it waits for another turn, or for the first opening: Stop is there already
            self._dirty.set()
        while True:
            await self._dirty.wait()
            self._dirty.clear()
            self._fold()
            wait = self.stage.push(self.view)
            if self._is_record_due():
                await self._keep()
            await asyncio.sleep(max(wait, INTERVAL))
            if wait or self._record_due or self._text_due:
                self._dirty.set()

    def _is_record_due(self) -> bool:
        """Whether the running turn's record is behind: by a step, or by text that a saved notebook would lack."""
        since = monotonic() - self._recorded
        steps = self._record_due and since > RECORD_INTERVAL
        words = self._text_due and since > max(TEXT_INTERVAL, TEXT_SHARE * self._record_cost)
        return self.finished is None and (steps or words)

    async def _keep(self) -> None:
        self._record_due = self._text_due = False
        began = monotonic()
        await self._write({})
        self._recorded = monotonic()
        self._record_cost = self._recorded - began

    async def _write(self, places: Mapping[str, Surroundings]) -> None:
        from orange_jupyter.jupyter.record import record

        view = self.view
        number = view.started.number if view.started else 0

        def written() -> dict[str, object]:
            return record(view, self._language, number=number, session=self.session, places=places)

        self.screen.record(await asyncio.to_thread(written))

    def _fold(self) -> None:
        deltas, self._deltas = self._deltas, []
        self._text_due = self._text_due or any(isinstance(delta, TextDelta) for delta in deltas)
        self.view = slimmed(self.view.deltas(deltas))
