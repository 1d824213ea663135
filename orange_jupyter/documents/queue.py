"""Who may use a worker next: calls that somebody waits for before those in the background."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

_Line = deque[asyncio.Future[None]]


class Turns:
    """`size` turns at once; those in the background leave `kept` of them free. Used from one event loop."""

    def __init__(self, size: int, *, kept: int) -> None:
        self._size = self._free = size
        self._kept = kept
        self._awaited: _Line = deque()
        self._background: _Line = deque()
        self._idle = asyncio.Event()
        self._idle.set()

    @asynccontextmanager
    async def one(self, *, background: bool) -> AsyncIterator[None]:
        """A turn, waited for in its line; cancelling gives up the place or the turn."""
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        (self._background if background else self._awaited).append(turn)
        self._call()
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():  # it came in the same moment
                self._give_back()
            raise
        try:
            yield
        finally:
            self._give_back()

    async def all_free(self) -> None:
        """Wait until nobody has a turn and nobody waits for one."""
        await self._idle.wait()

    def _give_back(self) -> None:
        self._free += 1
        self._call()

    def _call(self) -> None:
        for line, kept in ((self._awaited, 0), (self._background, self._kept)):
            while line and self._free > kept:
                turn = line.popleft()
                if not turn.cancelled():
                    self._free -= 1
                    turn.set_result(None)
        if self._free == self._size:
            self._idle.set()
        else:
            self._idle.clear()
