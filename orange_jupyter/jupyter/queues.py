"""Which cells stand in a session's queue, so that a cell that waits can name the one it waits for (screen 10)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from orange_jupyter.jupyter.ports import CellRequest, CellView


class Queues:
    """The cells of each session in their order, the running one first. Lives on the runtime's loop."""

    def __init__(self) -> None:
        self._cells: dict[str, list[CellRequest]] = {}

    @contextmanager
    def standing(self, session_id: str, title: str, cell: CellRequest, view: CellView) -> Iterator[None]:
        """Stand in the queue of a session while the block runs; behind another cell, its view hears which."""
        queue = self._cells.setdefault(session_id, [])
        if queue:
            view.waits_for(title, queue[0].number)
        queue.append(cell)
        try:
            yield
        finally:
            queue[:] = [one for one in queue if one is not cell]
