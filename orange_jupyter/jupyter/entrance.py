"""The way from cells to the office: the runtime, the one approver, and the office opened at its first use."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

from orange_jupyter.core.errors import OrangeError
from orange_jupyter.jupyter.approver import NotebookApprover
from orange_jupyter.jupyter.ports import Candidates, Door, Office, Where
from orange_jupyter.jupyter.runtime import Runtime

if TYPE_CHECKING:
    from orange_jupyter.jupyter.changes.reviews import Reviews  # these modules load the Markdown parser
    from orange_jupyter.jupyter.inspector.afterwards import Afterwards
    from orange_jupyter.jupyter.inspector.inspections import Inspections

Tell = Callable[[str, str | None], None]
"""Shows an error: message, hint."""
Guard = Callable[[Coroutine[Any, Any, Any], Tell], Coroutine[Any, Any, Any]]
"""Runs a coroutine; an error becomes one line instead of a traceback, and the result None."""


class Entrance:
    """What all cells of one kernel share."""

    def __init__(self, door: Door, guard: Guard) -> None:
        self.runtime = Runtime()
        self.approver = NotebookApprover()
        self.door = door
        self.guard = guard
        self._office: asyncio.Task[Office] | None = None
        self._reviews: Reviews | None = None
        self._inspections: Inspections | None = None
        self._afterwards: Afterwards | None = None

    async def office(self, where: Where) -> Office:
        """The office, opened by the first who needs it; on the runtime's loop. A failed opening is tried again."""
        if self._office is None or _failed(self._office):
            self._office = asyncio.create_task(_open(self.door, self.approver, where))
        return await asyncio.shield(self._office)

    @property
    def reviews(self) -> Reviews:
        """The reviews of this kernel, made when the first is shown; on the runtime's loop."""
        from orange_jupyter.jupyter.changes.reviews import Reviews

        self._reviews = self._reviews or Reviews(self.runtime, self.guard)
        return self._reviews

    @property
    def inspections(self) -> Inspections:
        """The pages that are looked at in this kernel, made when the first is shown; on the runtime's loop."""
        from orange_jupyter.jupyter.inspector.inspections import Inspections

        self._inspections = self._inspections or Inspections(self.runtime, self.guard)
        return self._inspections

    @property
    def afterwards(self) -> Afterwards:
        """The finished turns whose citations open pages, made with the first; on the runtime's loop."""
        from orange_jupyter.jupyter.inspector.afterwards import Afterwards

        self._afterwards = self._afterwards or Afterwards(self.runtime, self.guard)
        return self._afterwards

    def candidates(self) -> Candidates:
        """Names for completion; none while the office is not open. From any thread."""
        office = self._opened()
        return office.candidates() if office else Candidates()

    def close(self) -> None:
        """Stop everything that runs here, within about 2 s."""
        office = self._opened()
        if office is not None and self.runtime.running:
            closing = self.runtime.submit(office.close())
            try:
                closing.result(1.0)
            except (OrangeError, TimeoutError, OSError):
                closing.cancel()
        self.runtime.close()

    def _opened(self) -> Office | None:
        office = self._office
        return office.result() if office is not None and office.done() and not _failed(office) else None


def _failed(office: asyncio.Task[Office]) -> bool:
    return office.done() and (office.cancelled() or office.exception() is not None)


async def _open(door: Door, approver: NotebookApprover, where: Where) -> Office:
    return await door.open(approver, where)
