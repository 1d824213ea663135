"""The listener that writes: durable before it returns, partial text at least once a second."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field

import pytest
import pytest_asyncio
from blockbuster import blockbuster_ctx

from orange_jupyter.core.deltas import ReasoningDelta, Restarted, TextDelta
from orange_jupyter.core.errors import StoreError
from orange_jupyter.core.events import PartDone, StepStarted
from orange_jupyter.core.messages import Text
from orange_jupyter.core.ports import Listener
from orange_jupyter.storage.database import Database
from orange_jupyter.storage.recorder import Recorder
from orange_jupyter.storage.sessions import Sessions
from orange_jupyter.storage.transcript import Transcript
from tests.storage.turns import finished, started


@dataclass
class Tick:
    """One call that waits for its time."""

    at: float
    call: Callable[[], None]
    cancelled: bool = False

    def cancel(self) -> None:
        self.cancelled = True


@dataclass
class HandTime:
    """A clock and a timer that tests move."""

    seconds: float = 0.0
    ticks: list[Tick] = field(default_factory=list)

    def now(self) -> str:
        return "2026-11-30T17:05:00Z"

    def monotonic(self) -> float:
        return self.seconds

    def later(self, seconds: float, call: Callable[[], None]) -> Tick:
        self.ticks.append(Tick(self.seconds + seconds, call))
        return self.ticks[-1]

    def pass_(self, seconds: float) -> None:
        self.seconds += seconds
        due = [tick for tick in self.ticks if tick.at <= self.seconds]
        self.ticks = [tick for tick in self.ticks if tick.at > self.seconds]
        for tick in due:
            if not tick.cancelled:
                tick.call()


@dataclass
class Stage:
    """A recorder on a real store, one turn begun."""

    recorder: Recorder
    transcript: Transcript
    time: HandTime
    session_id: str

    async def partial(self) -> str:
        return (await self.transcript.turns())[0].partial


@pytest_asyncio.fixture
async def stage(database: Database, sessions: Sessions) -> AsyncIterator[Stage]:
    made, time = await sessions.create(), HandTime()
    transcript = Transcript(database, made.session_id)
    recorder = Recorder(transcript, clock=time, later=time.later)
    await recorder.hear(started("t1", made.session_id))
    await recorder.hear(StepStarted(step=1, limit=5))
    yield Stage(recorder, transcript, time, made.session_id)


async def test_an_event_is_on_disk_before_hear_returns(stage: Stage) -> None:
    """Architecture: what a view shows is already durable."""
    listener: Listener = stage.recorder
    await listener.hear(PartDone(part=Text(text="a")))
    assert len(await stage.transcript.events("t1")) == 3


async def test_streaming_text_is_kept_once_a_second_and_not_token_by_token(stage: Stage, database: Database) -> None:
    """Traps: 200 tokens a second for three seconds are at most four writes."""
    before = await database.run(lambda one: one.total_changes)
    for number in range(600):
        stage.recorder.delta(TextDelta(text=f"{number % 10}"))
        stage.time.pass_(0.005)
        if number % 50 == 49:
            await database.run(lambda one: None)  # the disk keeps up
    assert len(await stage.partial()) >= 400
    after = await database.run(lambda one: one.total_changes)
    assert 2 <= after - before <= 4


async def test_text_is_kept_after_a_second_even_if_nothing_more_comes(stage: Stage) -> None:
    stage.recorder.delta(TextDelta(text="Hier"))
    stage.recorder.delta(ReasoningDelta(text="hm"))
    assert await stage.partial() == ""
    stage.time.pass_(1.0)
    assert await stage.partial() == "Hier"
    stage.recorder.delta(TextDelta(text=" 在"))
    stage.time.pass_(1.0)
    assert await stage.partial() == "Hier 在"


async def test_a_part_or_a_restart_ends_the_partial(stage: Stage) -> None:
    """Wire row 23: text of a restarted step is dropped."""
    stage.recorder.delta(TextDelta(text="wrong"))
    stage.time.pass_(1.0)
    stage.recorder.delta(Restarted(reason="cut"))
    assert await stage.partial() == ""
    stage.recorder.delta(TextDelta(text="right"))
    await stage.recorder.hear(PartDone(part=Text(text="right")))
    stage.time.pass_(5.0)
    assert await stage.partial() == ""
    stage.recorder.delta(TextDelta(text="more"))
    stage.time.pass_(1.0)
    assert await stage.partial() == "more"
    await stage.recorder.hear(finished("t1"))
    stage.time.pass_(1.0)
    assert await stage.partial() == ""


async def test_recording_never_blocks_the_loop(database: Database, sessions: Sessions) -> None:
    """R-UI-1, on the loop's own timers."""
    made, time = await sessions.create(), HandTime()
    with blockbuster_ctx():
        recorder = Recorder(Transcript(database, made.session_id), clock=time)
        await recorder.hear(started("t1", made.session_id))
        recorder.delta(TextDelta(text="a"))
        time.seconds = 2.0
        recorder.delta(TextDelta(text="b"))
        await recorder.hear(finished("t1"))
    assert len(await Transcript(database, made.session_id).events()) == 2


async def test_a_partial_that_could_not_be_kept_ends_the_turn_with_its_reason(stage: Stage, database: Database) -> None:
    """R07: the failure is heard at the next event."""
    await database.run(lambda one: one.execute("PRAGMA max_page_count = 1").fetchall())
    pages = await database.run(lambda one: one.execute("PRAGMA page_count").fetchone()[0])
    await database.run(lambda one: one.execute(f"PRAGMA max_page_count = {pages}").fetchall())
    stage.recorder.delta(TextDelta(text="x" * 100_000))
    stage.time.pass_(1.0)
    with pytest.raises(StoreError, match="The disk is full"):
        await stage.recorder.hear(StepStarted(step=2, limit=5))
