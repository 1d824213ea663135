"""The first listener of a turn: what a view shows is already on disk (ports.Listener)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from typing import Final, Protocol

from orange_jupyter.core.deltas import Delta, Restarted, TextDelta
from orange_jupyter.core.events import Event, PartDone, StepStarted, TurnFinished, TurnStarted
from orange_jupyter.core.messages import Text
from orange_jupyter.core.ports import Clock
from orange_jupyter.storage.transcript import Transcript

FLUSH_SECONDS: Final = 1.0
"""Text that streams is durable at least once a second (design: a part when complete, else once a second)."""


class Timer(Protocol):
    """A call that is still to come."""

    def cancel(self) -> None:
        """Take it back."""
        ...


Later = Callable[[float, Callable[[], None]], Timer]
"""Runs a function once, so many seconds from now, on the calling loop."""


def on_loop(seconds: float, call: Callable[[], None]) -> Timer:
    """`Later` on the running event loop."""
    return asyncio.get_running_loop().call_later(seconds, call)


class Recorder:
    """Writes one session's turns to its transcript. Used from one event loop; never blocks it."""

    def __init__(self, transcript: Transcript, *, clock: Clock, later: Later = on_loop) -> None:
        self._transcript = transcript
        self._clock = clock
        self._later = later
        self._turn_id = ""
        self._pieces: list[str] = []
        self._saved_at = clock.monotonic()
        self._saving: Future[None] | None = None
        self._timer: Timer | None = None

    async def hear(self, event: Event) -> None:
        """Take an event; it is on disk when this returns. Raises StoreError, also for a partial that failed before."""
        if isinstance(event, TurnStarted):
            self._turn_id = event.turn_id
        ends_text = isinstance(event, TurnStarted | StepStarted | TurnFinished) or (
            isinstance(event, PartDone) and isinstance(event.part, Text)
        )
        if ends_text:
            self._forget()
        await self._transcript.append_event(self._turn_id, event)
        self._report()

    def delta(self, delta: Delta) -> None:
        """Take a piece of visible text; reasoning is kept when its part is complete."""
        match delta:
            case TextDelta():
                self._pieces.append(delta.text)
                self._due()
            case Restarted():
                self._forget()
                self._saving = self._transcript.queue_partial(self._turn_id, "")
            case _:
                return

    def _due(self) -> None:
        left = self._saved_at + FLUSH_SECONDS - self._clock.monotonic()
        if left <= 0:
            self._flush()
        elif self._timer is None:
            self._timer = self._later(left, self._flush)

    def _flush(self) -> None:
        self._stop_timer()
        if not self._pieces:
            return
        if self._saving is not None and not self._saving.done():
            # A slow disk: one write waits at a time, the next takes all that came meanwhile.
            self._timer = self._later(FLUSH_SECONDS, self._flush)
            return
        self._pieces = ["".join(self._pieces)]
        self._saved_at = self._clock.monotonic()
        self._saving = self._transcript.queue_partial(self._turn_id, self._pieces[0])

    def _forget(self) -> None:
        self._stop_timer()
        self._pieces = []
        self._saved_at = self._clock.monotonic()

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _report(self) -> None:
        """Raise what the last partial ran into; it was queued before the event that is now durable."""
        saving, self._saving = self._saving, None
        if saving is not None and saving.done():
            saving.result()
