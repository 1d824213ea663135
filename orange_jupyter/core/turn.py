"""One turn of a session: from the person's message to TurnFinished, whatever happens in between."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from orange_jupyter.core.citing import used
from orange_jupyter.core.context import Turned
from orange_jupyter.core.deltas import Delta
from orange_jupyter.core.errors import ModelError, OrangeError, StoreError
from orange_jupyter.core.events import Event, Notice, PartDone, StopReason, TurnFinished, TurnStarted
from orange_jupyter.core.keeping import Citations
from orange_jupyter.core.loop import Agent, Course, run_turn
from orange_jupyter.core.messages import Message, Role, Text
from orange_jupyter.core.ports import Clock, Listener


@dataclass(slots=True)
class Live:
    """The running turn as others may touch it: `reason` is set by whoever stops it, once."""

    task: asyncio.Task[TurnFinished] | None = None
    reason: StopReason | None = None

    def stop(self, reason: StopReason) -> None:
        """Cancel the turn once; a later stop changes nothing, so the end of the turn is never cut short."""
        if self.reason is None and self.task is not None and not self.task.done():
            self.reason = reason
            self.task.cancel()


@dataclass(frozen=True, slots=True)
class Audience:
    """Who hears a turn: the recorder first, so that a view never shows what is not durable."""

    recorder: Listener
    views: tuple[Listener, ...] = ()

    async def hear(self, event: Event) -> None:
        """Tell everybody, the recorder first. Raises StoreError where it cannot be kept."""
        await self.recorder.hear(event)
        await self.show(event)

    async def show(self, event: Event) -> None:
        """Tell the views only."""
        for view in self.views:
            await view.hear(event)

    def delta(self, delta: Delta) -> None:
        """Pass a piece of a stream on."""
        self.recorder.delta(delta)
        for view in self.views:
            view.delta(delta)


@dataclass(frozen=True, slots=True)
class Play:
    """What `play` needs beside the agent."""

    started: TurnStarted
    history: Sequence[Turned]
    audience: Audience
    citations: Citations
    clock: Clock
    notices: tuple[Notice, ...] = ()
    beside: str = ""


@dataclass(frozen=True, slots=True)
class _Ended:
    """How a turn ended; `mask` takes secrets out of the words of a server that stand in an error."""

    reason: StopReason
    error: OrangeError | None
    seconds: float
    mask: Callable[[str], str]


async def play(agent: Agent, play: Play, live: Live) -> TurnFinished:
    """Run the turn and always end it with a TurnFinished that everybody heard. Never raises OrangeError."""
    began = play.clock.monotonic()
    beside = (Text(text=f"\n\n{play.beside}"),) if play.beside else ()
    said = Message(role=Role.USER, parts=(Text(text=play.started.text), *beside, *play.started.images))
    course = Course(current=[said])
    error: OrangeError | None = None
    try:
        await play.audience.hear(play.started)
        for notice in play.notices:
            await play.audience.hear(notice)
        await agent.keep(said)
        async with asyncio.timeout(agent.limits.seconds):
            reason = await run_turn(agent, play.history, course)
    except TimeoutError:
        reason = StopReason.TIME_LIMIT
    except asyncio.CancelledError:
        reason = live.reason or StopReason.STOPPED
        live.reason = reason
    except OrangeError as caught:
        reason, error = StopReason.MODEL_ERROR, caught
    if live.reason is None:
        live.reason = reason
    error = await _keep_partial(agent, course) or error
    ended = _Ended(reason, error, play.clock.monotonic() - began, agent.desk.mask)
    return await _finish(play, course, ended)


async def _keep_partial(agent: Agent, course: Course) -> StoreError | None:
    """What was already said when the turn was stopped stays, for the person and for the next turn."""
    if not course.streamed.strip():
        return None
    course.answer = agent.desk.mask(course.streamed)
    part = Text(text=course.answer)
    try:
        await agent.desk.hear(PartDone(part=part))
        await agent.keep(Message(role=Role.ASSISTANT, parts=(part,), model=agent.model.info.name))
    except StoreError as error:
        return error
    return None


async def _finish(play: Play, course: Course, ended: _Ended) -> TurnFinished:
    error = ended.error
    try:
        citations, unknown = used(course.answer, await play.citations.known())
    except StoreError as failed:
        citations, unknown, error = (), (), error or failed
    finished = TurnFinished(
        turn_id=play.started.turn_id,
        stop_reason=ended.reason,
        answer=course.answer,
        citations=citations,
        unknown_citations=unknown,
        usage=course.usage,
        steps=course.step,
        seconds=round(ended.seconds, 3),
        error=ended.mask(error.message) if error else None,
        hint=ended.mask(error.hint) if error and error.hint else None,
        fault=str(error.fault) if isinstance(error, ModelError) else None,
        finished_at=play.clock.now(),
    )
    try:
        await play.audience.recorder.hear(finished)
    except StoreError as failed:
        finished = finished.model_copy(update={"error": finished.error or failed.message, "hint": failed.hint})
    await play.audience.show(finished)
    return finished
