"""The worker pool: limits, crashes, cancellation, and nothing left behind."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import psutil
import pytest

from orange_jupyter.core.codes import Code
from orange_jupyter.core.document import Picture, PictureLimits
from orange_jupyter.core.errors import ReadError
from orange_jupyter.documents.frames import FrameError, pack_result, unpack_result
from orange_jupyter.documents.pool import Pool
from orange_jupyter.documents.process import WorkerLimits, import_paths
from tests.documents import samples

TEXT = {"file_type": "pdf", "operation": "text", "arguments": {}}
DRAW = {
    "file_type": "pdf",
    "operation": "page_picture",
    "arguments": {"page": 1, "limits": {"max_width": 2000, "max_height": 2000}},
}
PDF = samples.pdf(samples.words("hi"))
SLOW = samples.slow_pdf()


@pytest.fixture
async def pool() -> AsyncIterator[Pool]:
    """One worker with short limits."""
    pool = Pool(limits=WorkerLimits(seconds=20))
    yield pool
    await pool.close()


async def _until(true: Callable[[], bool], seconds: float = 30) -> None:
    async with asyncio.timeout(seconds):
        while not true():
            await asyncio.sleep(0.01)


async def _busy(pid: int) -> None:
    """Wait until a worker has worked for 0.3 s from now on: start-up does not count."""
    worker = psutil.Process(pid)
    begun = worker.cpu_times().user
    await _until(lambda: worker.cpu_times().user > begun + 0.3)


def _gone(pid: int) -> bool:
    return not psutil.pid_exists(pid)


async def test_a_worker_starts_when_needed_and_stays_warm(pool: Pool) -> None:
    """Decision 9: no process before the first call; the second call uses the same one."""
    assert pool.pids == ()
    await pool.run(TEXT, PDF)
    first = pool.pids
    await pool.run(TEXT, PDF)
    assert pool.pids == first
    assert len(first) == 1


async def test_a_call_over_its_time_is_killed_and_the_next_one_works() -> None:
    """D01: parser_limit after the time limit, the process gone and reaped, the loop free meanwhile."""
    pool = Pool(limits=WorkerLimits(seconds=3))
    await pool.run(TEXT, PDF)
    (pid,) = pool.pids
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            await asyncio.sleep(0.01)
            ticks += 1

    ticking = asyncio.create_task(tick())
    began = time.monotonic()
    with pytest.raises(ReadError) as caught:
        await pool.run(DRAW, SLOW)
    assert caught.value.code is Code.PARSER_LIMIT
    assert caught.value.hint
    assert time.monotonic() - began < 8
    assert ticks > 50
    ticking.cancel()
    await _until(lambda: _gone(pid))
    assert await pool.run(TEXT, PDF)
    await pool.close()


async def test_a_call_over_its_memory_is_a_limit_and_the_next_one_works() -> None:
    """D01, D06, O6: a picture that needs more memory than a worker has."""
    pool = Pool(limits=WorkerLimits(memory=150 * 1_048_576))
    call = {"file_type": "image", "operation": "picture", "arguments": {"limits": {}}}
    with pytest.raises(ReadError) as caught:
        await pool.run(call, samples.bare_png(7900, 7900))
    assert caught.value.code is Code.PARSER_LIMIT
    assert isinstance(await pool.run(call, samples.bare_png(20, 20)), Picture)
    await pool.close()


@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGABRT, signal.SIGKILL])
async def test_a_crash_is_a_typed_error_and_the_next_call_works(pool: Pool, number: int) -> None:
    """D03: a worker that dies in the middle of a call; no zombie is left."""
    await pool.run(TEXT, PDF)
    (pid,) = pool.pids
    running = asyncio.create_task(pool.run(DRAW, SLOW))
    await _busy(pid)
    os.kill(pid, number)
    with pytest.raises(ReadError) as caught:
        await running
    assert caught.value.code is Code.PARSER_CRASHED
    assert await pool.run(TEXT, PDF)
    assert _gone(pid)


async def test_a_worker_that_died_while_idle_costs_one_typed_error(pool: Pool) -> None:
    """D03: found at the next call."""
    await pool.run(TEXT, PDF)
    (pid,) = pool.pids
    os.kill(pid, signal.SIGKILL)
    with pytest.raises(ReadError) as caught:
        await pool.run(TEXT, PDF)
    assert caught.value.code is Code.PARSER_CRASHED
    assert await pool.run(TEXT, PDF)


async def test_cancelling_the_caller_kills_the_worker(pool: Pool) -> None:
    """R-ALL-6: Stop ends the parser at once; the pool goes on."""
    await pool.run(TEXT, PDF)
    (pid,) = pool.pids
    running = asyncio.create_task(pool.run(DRAW, SLOW))
    await _busy(pid)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    await _until(lambda: _gone(pid), 10)
    assert await pool.run(TEXT, PDF)


async def test_cancelling_at_any_moment_leaves_no_process() -> None:
    """O3: also while the process is being started; every child is reaped after `close`."""
    before = {child.pid for child in psutil.Process().children()}
    pool = Pool(2)
    for wait in (0.0, 0.0001, 0.001, 0.003, 0.01, 0.05, 0.1, 0.2):
        calls = [asyncio.create_task(pool.run(TEXT, PDF)) for _ in range(3)]
        await asyncio.sleep(wait)
        for call in calls:
            call.cancel()
        await asyncio.gather(*calls, return_exceptions=True)
    await pool.close()
    await _until(lambda: {child.pid for child in psutil.Process().children()} <= before)


async def test_closing_ends_idle_and_running_workers() -> None:
    """D03, O3: `close` waits until all are gone; later calls are refused."""
    pool = Pool(2)
    await pool.run(TEXT, PDF)
    running = asyncio.create_task(pool.run(DRAW, SLOW))
    (pid,) = pool.pids
    await _busy(pid)
    await pool.close()
    assert _gone(pid)
    for refused in (running, pool.run(TEXT, PDF)):
        with pytest.raises(ReadError) as caught:
            await refused
        assert caught.value.code is Code.PARSER_CRASHED


async def test_calls_wait_for_a_free_worker_and_share_them() -> None:
    """Decision 9: at most `size` processes; all calls are answered."""
    pool = Pool(2)
    await asyncio.gather(*(pool.run(TEXT, PDF) for _ in range(12)))
    assert len(pool.pids) == 2
    await pool.close()


async def test_a_worker_has_no_secret_no_socket_and_no_way_to_write(
    pool: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R-ALL-4, O4: an empty environment, its own session, no listening socket, no file size, no terminal."""
    monkeypatch.setenv("SOME_API_KEY", "CANARY")
    await pool.run(TEXT, PDF)
    (pid,) = pool.pids
    worker = psutil.Process(pid)
    assert "SOME_API_KEY" not in worker.environ()
    assert worker.net_connections() == []
    assert os.getsid(pid) == pid
    assert worker.cwd() == os.path.sep
    assert worker.rlimit(psutil.RLIMIT_FSIZE) == (0, 0)
    assert worker.rlimit(psutil.RLIMIT_CORE) == (0, 0)


def test_a_module_in_the_working_directory_is_not_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Threat B: a `pymupdf.py` among somebody's notes never runs in a worker."""
    (tmp_path / "pymupdf.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w').close()")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.syspath_prepend("")
    assert str(tmp_path) not in import_paths()

    async def read() -> None:
        pool = Pool()
        assert await pool.run(TEXT, PDF)
        await pool.close()

    asyncio.run(read())
    assert not (tmp_path / "ran").exists()


PARENT = """
import asyncio, sys
from orange_jupyter.documents.pool import Pool
from tests.documents.test_workers import DRAW, PDF, SLOW, TEXT

async def main():
    pool = Pool()
    await pool.run(TEXT, PDF)
    print(pool.pids[0], flush=True)
    if sys.argv[1] == "busy":
        await pool.run(DRAW, SLOW)
    await asyncio.sleep(60)

asyncio.run(main())
"""


@pytest.mark.parametrize("state", ["idle", "busy"])
async def test_a_worker_ends_when_its_parent_is_killed(state: str) -> None:
    """O3: within two seconds of SIGKILL, also from inside native code that never looks at a pipe."""
    root = str(Path(__file__).parents[2])
    with subprocess.Popen([sys.executable, "-c", PARENT, state], stdout=subprocess.PIPE, cwd=root) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        if state == "busy":
            await _busy(pid)
        parent.kill()
    await _until(lambda: _gone(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE, 2)


async def test_a_worker_whose_parent_ended_while_it_started_ends_too() -> None:
    """R-SESS-4: the lifeline was closed before the worker looked, so no signal tells it."""
    reading, writing = os.pipe()
    os.close(writing)
    code = "import sys; from orange_jupyter.documents.worker import main; main(2**31, 20.0, int(sys.argv[1]))"
    started = await asyncio.create_subprocess_exec(
        sys.executable, "-c", code, str(reading), pass_fds=(reading,), stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    os.close(reading)
    assert await asyncio.wait_for(started.wait(), 20) == 0  # stdin is still open: nothing else ends it
    assert started.stdin is not None
    started.stdin.close()


def test_the_pool_works_on_a_loop_in_another_thread_while_the_main_thread_waits() -> None:
    """Decision 1: the agent's loop is not the main thread's."""
    answers: list[object] = []

    async def read() -> None:
        pool = Pool()
        answers.append(await pool.run(TEXT, PDF))
        await pool.close()

    thread = threading.Thread(target=lambda: asyncio.run(read()))
    thread.start()
    thread.join(30)
    assert len(answers) == 1


async def test_the_event_loop_is_never_blocked(unblocked: None) -> None:
    """Decision 9, trap blockbuster: starting, asking and ending a worker happen in threads."""
    pool = Pool()
    assert await pool.run(TEXT, PDF)
    await pool.close()


@pytest.mark.parametrize(
    ("head", "body"),
    [
        ({}, b""),
        ({"kind": "text"}, b"{}"),
        ({"kind": "text"}, b'{"file_type": 5}'),
        ({"kind": "extract"}, b"[]"),
        ({"kind": "picture", "facts": ["image/png", "1", 1, 1, 1, 1]}, b""),
        ({"kind": "error", "code": "no_such_code", "message": "x"}, b""),
        ({"kind": "pickle"}, b"cos\nsystem\n(S'true'\ntR."),
    ],
)
def test_a_wrong_answer_of_a_worker_is_refused(head: dict[str, object], body: bytes) -> None:
    """Decision 9: what a worker sends is validated; nothing in it runs."""
    with pytest.raises(FrameError):
        unpack_result(head, body)


def test_results_travel_whole() -> None:
    """Decision 9: a picture with its facts."""
    picture = Picture(b"\0\xff", "image/png", 1, 2, 3, 4, 5)
    assert unpack_result(*pack_result(picture)) == picture
    assert PictureLimits() == PictureLimits(**{})
