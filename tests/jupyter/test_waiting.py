"""Which way of waiting serves where; prompts between two threads; slices and interrupts."""

from __future__ import annotations

import asyncio
import builtins
import threading
from collections.abc import Callable
from concurrent.futures import Future
from types import SimpleNamespace

import pytest

from orange_jupyter.jupyter.approver import NotebookApprover
from orange_jupyter.jupyter.people import Front
from orange_jupyter.jupyter.prompts import Prompts
from orange_jupyter.jupyter.runtime import Runtime
from orange_jupyter.jupyter.screen import Screen
from orange_jupyter.jupyter.stage import CellStage
from orange_jupyter.jupyter.wait_await import Interrupted, wait_awaiting, wait_blocking
from orange_jupyter.jupyter.wait_detached import Detached
from orange_jupyter.jupyter.waiting import Job, Way, choose


@pytest.mark.parametrize(
    ("front", "awaited", "detach", "kernel", "pump", "way"),
    [
        (Front.NOTEBOOK, True, False, "7.4.0", True, Way.AWAIT),
        (Front.NOTEBOOK, True, False, "7.4.0", False, Way.AWAIT),
        (Front.NOTEBOOK, True, False, "7.10.1", True, Way.AWAIT),
        (Front.NOTEBOOK, True, False, "8.0.0a1", False, Way.AWAIT),
        (Front.NOTEBOOK, True, True, "7.4.0", True, Way.DETACHED),
        (Front.NOTEBOOK, False, False, "7.4.0", True, Way.PUMP),
        (Front.NOTEBOOK, False, False, "7.4.0", False, Way.DETACHED),
        (Front.NOTEBOOK, True, False, "7.3.0", True, Way.PUMP),
        (Front.NOTEBOOK, True, False, "6.31.0", True, Way.PUMP),
        (Front.NOTEBOOK, False, True, "6.31.0", True, Way.DETACHED),
        (Front.NOTEBOOK, True, False, "6.31.0", False, Way.DETACHED),
        (Front.NOTEBOOK, True, False, "", False, Way.DETACHED),
        (Front.NOBODY, True, True, "6.31.0", True, Way.AWAIT),
        (Front.NOBODY, False, True, "7.4.0", True, Way.BLOCK),
        (Front.TERMINAL, True, False, "", False, Way.AWAIT),
        (Front.TERMINAL, False, True, "", False, Way.BLOCK),
    ],
)
def test_the_way_follows_kernel_and_people(
    front: Front, awaited: bool, detach: bool, kernel: str, pump: bool, way: Way
) -> None:
    """R-UI-2, R-HL-1: the table of architecture decision 2; without a person a run is never left behind."""
    assert choose(front, awaited=awaited, detach=detach, kernel=kernel, pump=pump) is way


def job(stop: Callable[[], None] = lambda: None) -> Job:
    return Job(Future(), stop)


def stage() -> CellStage:
    shell = SimpleNamespace(display_pub=SimpleNamespace(publish=print))
    return CellStage(Screen(shell, Front.NOTEBOOK), Runtime(), NotebookApprover(), "en")


def test_detached_jobs_are_listed_until_they_end() -> None:
    detached, first, second = Detached(), job(), job()
    one, two = stage(), stage()
    detached.add(first, one)
    detached.add(second, two)
    assert detached.left() == [(first, one), (second, two)]
    first.future.set_result(None)
    assert detached.left() == [(second, two)]


async def test_a_prompt_is_answered_on_the_cells_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """Prompts are asked on one thread and typed on another; a front end without input gives None."""
    prompts = Prompts()
    threads: list[str] = []

    def typing(text: str) -> str:
        threads.append(threading.current_thread().name)
        if text == "refused":
            raise RuntimeError("no stdin")
        return text.upper()

    monkeypatch.setattr(builtins, "input", typing)
    stopped = threading.Event()

    def serve() -> None:
        while not stopped.wait(0.005):
            prompts.serve()

    cell = threading.Thread(target=serve, name="cell")
    cell.start()
    assert await prompts.ask("name? ") == "NAME? "
    assert await prompts.ask("refused") is None
    stopped.set()
    cell.join()
    assert threads == ["cell", "cell"]


async def test_nobody_is_asked_once_the_cell_does_not_wait() -> None:
    prompts = Prompts()
    waiting = asyncio.create_task(prompts.ask("a"))
    await asyncio.sleep(0)
    prompts.leave()
    assert await waiting is None
    assert await prompts.ask("b") is None


async def test_a_cancelled_await_stops_the_job_waits_and_raises_an_interrupt() -> None:
    """A21: the job's own end is waited for, so that the record is whole."""
    ended: list[str] = []

    def stop() -> None:
        ended.append("stop")
        asyncio.get_running_loop().call_later(0.1, work.future.set_result, None)

    async def run_code() -> None:
        try:  # IPython, too, catches it inside the cell's own task
            await wait_awaiting(work)
        except Interrupted:
            ended.append("interrupted")

    work = job(stop)
    cell = asyncio.create_task(run_code())
    await asyncio.sleep(0)
    cell.cancel()
    await cell
    assert ended == ["stop", "interrupted"]
    assert work.done


def test_a_blocking_wait_ends_with_the_job_or_early() -> None:
    work = job()
    looks: list[int] = []
    wait_blocking(work, until=lambda: looks.append(1) or len(looks) > 2)  # type: ignore[func-returns-value]
    assert not work.done
    threading.Timer(0.05, work.future.set_result, [None]).start()
    wait_blocking(work)
    assert work.done
