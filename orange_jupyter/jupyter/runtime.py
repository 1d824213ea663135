"""The agent's own thread and event loop, one per kernel; cells only hand coroutines over (architecture, decision 1)."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from typing import Any, TypeVar

from orange_jupyter.core.errors import SessionError

Result = TypeVar("Result")

SLICE = 0.05
"""Seconds between two looks of a waiting thread, so that an interrupt is seen at once (notebook-facts)."""


class Runtime:
    """A daemon thread with an event loop, started at its first use. Every method may be called from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._closed = False

    @property
    def running(self) -> bool:
        """Whether the thread was started and lives."""
        return self._thread is not None and self._thread.is_alive()

    def submit(self, work: Coroutine[Any, Any, Result]) -> Future[Result]:
        """Start a coroutine on the runtime's loop, in a copy of the caller's context. Raises SessionError when closed.

        The copied context keeps the parent header, so that displays land in the caller's cell.
        """
        try:
            loop = self._started()
        except SessionError:
            work.close()
            raise
        return asyncio.run_coroutine_threadsafe(work, loop)

    def run(self, work: Coroutine[Any, Any, Result], timeout: float | None = None) -> Result:
        """Run a coroutine and wait for it in slices; KeyboardInterrupt and TimeoutError cancel it.

        Raises what the coroutine raises, TimeoutError, and SessionError on the runtime's own thread.
        """
        try:
            self._started()
            if threading.current_thread() is self._thread:
                raise SessionError("This would wait for itself: use `await` inside the agent's own thread.")
        except SessionError:
            work.close()
            raise
        until = None if timeout is None else time.monotonic() + timeout
        leash = _Leash()
        try:
            return _wait(self.submit(leash.hold(work)), until)
        except BaseException:
            # An interrupt may strike inside `submit`, before there is a future to cancel.
            leash.dropped = True
            self.call_soon(leash.cancel)
            raise

    def call_soon(self, call: Callable[..., object], *arguments: Any) -> None:
        """Call something on the loop, soon; dropped once the runtime is closed (a late click has nobody to go to)."""
        with self._lock:
            if not self._closed and self._loop is not None:
                self._loop.call_soon_threadsafe(call, *arguments)

    def close(self, timeout: float = 2.0) -> None:
        """Cancel everything, wait for its end at most `timeout` seconds, stop the thread. Twice is once."""
        with self._lock:
            loop, thread = self._loop, self._thread
            self._closed = True
            if loop is None or thread is None or loop.is_closed():
                return
            loop.call_soon_threadsafe(loop.stop)
        if thread is not threading.current_thread():
            thread.join(timeout)

    def _started(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._closed:
                raise SessionError("Orange was closed in this kernel.", hint="Load it again with %load_ext.")
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(target=_live, args=(self._loop,), name="orange", daemon=True)
                self._thread.start()
            return self._loop


class _Leash:
    """Holds on to work from before it starts, so that it can always be cancelled."""

    def __init__(self) -> None:
        self.dropped = False
        self._task: asyncio.Task[Any] | None = None

    async def hold(self, work: Coroutine[Any, Any, Result]) -> Result:
        """Do the work, unless it was dropped before it began."""
        self._task = asyncio.current_task()
        if self.dropped:
            work.close()
            raise asyncio.CancelledError
        return await work

    def cancel(self) -> None:
        """Cancel the work; on the loop."""
        if self._task is not None:
            self._task.cancel()


def _wait(future: Future[Result], until: float | None) -> Result:
    while True:
        try:
            return future.result(SLICE)
        except FutureTimeout:
            if future.done():
                return future.result()
            if until is not None and time.monotonic() >= until:
                raise


def _live(loop: asyncio.AbstractEventLoop) -> None:
    """Run the loop until it is stopped; then cancel what is left and let it end."""
    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
        left = asyncio.all_tasks(loop)
        for task in left:
            task.cancel()
        if left:
            loop.run_until_complete(asyncio.wait(left, timeout=1.5))
        loop.run_until_complete(loop.shutdown_asyncgens())
    finally:
        loop.close()
