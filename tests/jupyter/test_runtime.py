"""The runtime's thread: started lazily, context kept, interruptible, closed in time."""

from __future__ import annotations

import asyncio
import signal
import threading
import time
from collections.abc import Iterator
from contextvars import ContextVar

import pytest

from orange_jupyter.core.errors import SessionError
from orange_jupyter.jupyter.runtime import Runtime

CELL: ContextVar[str] = ContextVar("cell", default="none")


@pytest.fixture
def runtime() -> Iterator[Runtime]:
    runtime = Runtime()
    yield runtime
    runtime.close()


async def name_of_thread() -> str:
    return threading.current_thread().name


def test_the_thread_starts_with_the_first_work_and_is_one(runtime: Runtime) -> None:
    """Architecture, decision 1."""
    assert not runtime.running
    assert runtime.run(name_of_thread()) == "orange"
    assert runtime.submit(name_of_thread()).result(5) == "orange"
    assert [thread.name for thread in threading.enumerate()].count("orange") == 1


def test_work_keeps_the_context_of_its_cell(runtime: Runtime) -> None:
    """Decision 4: what is displayed later lands in the cell that started it."""

    async def cell_later() -> str:
        await asyncio.sleep(0.05)
        return await asyncio.create_task(cell())

    async def cell() -> str:
        return CELL.get()

    token = CELL.set("first")
    first = runtime.submit(cell_later())
    CELL.set("second")
    second = runtime.submit(cell_later())
    CELL.reset(token)
    assert (first.result(5), second.result(5)) == ("first", "second")


def test_run_raises_what_the_work_raises_and_times_out(runtime: Runtime) -> None:
    ended = threading.Event()

    async def fails() -> None:
        raise SessionError("busy")

    async def sleeps() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            ended.set()

    with pytest.raises(SessionError, match="busy"):
        runtime.run(fails())
    with pytest.raises(TimeoutError):
        runtime.run(sleeps(), timeout=0.1)
    assert ended.wait(5)


def test_an_interrupt_of_the_waiting_thread_cancels_the_work(runtime: Runtime) -> None:
    """R-SESS-4: the wait is in slices, so SIGINT is seen at once."""
    started, ended = threading.Event(), threading.Event()

    async def sleeps() -> None:
        started.set()
        try:
            await asyncio.sleep(60)
        finally:
            ended.set()

    def interrupt() -> None:
        started.wait(5)
        signal.raise_signal(signal.SIGINT)

    presser = threading.Thread(target=interrupt)
    presser.start()
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        runtime.run(sleeps())
    presser.join()
    assert time.monotonic() - began < 2
    assert ended.wait(5)


def test_waiting_on_its_own_thread_is_refused(runtime: Runtime) -> None:
    async def waits() -> None:
        runtime.run(name_of_thread())

    with pytest.raises(SessionError, match="wait for itself"):
        runtime.run(waits())


def test_close_cancels_everything_within_two_seconds_and_twice_is_once(runtime: Runtime) -> None:
    """R-SESS-4; work that refuses to end does not hold the kernel up; later clicks are dropped."""
    ended: list[str] = []

    async def polite() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            ended.append("polite")

    async def stubborn() -> None:
        while not ended:
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                ended.append("stubborn")
                await asyncio.sleep(0.5)

    works = [runtime.submit(polite()), runtime.submit(stubborn())]
    runtime.run(name_of_thread())
    began = time.monotonic()
    runtime.close()
    assert time.monotonic() - began < 2
    assert set(ended) == {"polite", "stubborn"}
    assert all(work.done() for work in works)
    assert not runtime.running
    runtime.close()
    runtime.call_soon(ended.append, "late")
    assert "late" not in ended
    for start in (runtime.submit, runtime.run):
        with pytest.raises(SessionError, match="was closed"):
            start(name_of_thread())
