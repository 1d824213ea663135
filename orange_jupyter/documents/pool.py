"""The persistent pool of worker processes that read untrusted files (decision 9, D01, D03)."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Mapping
from typing import Any

from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import ReadError
from orange_jupyter.documents.frames import FrameError, Result, unpack_result
from orange_jupyter.documents.process import WorkerEnded, WorkerLimits, WorkerProcess
from orange_jupyter.documents.worker import over_limit

_MOST_CALLS = 500
"""Calls before a worker is replaced, so that what a library leaks does not add up."""


class Pool:
    """Up to `size` workers, started when first needed and kept warm. Used from one event loop.

    A worker that reaches a limit, crashes or whose caller is cancelled is killed; the next call starts a fresh one.
    """

    def __init__(
        self, size: int = 1, *, limits: WorkerLimits | None = None, environment: Mapping[str, str] | None = None
    ) -> None:
        """`environment` is the workers' whole environment; empty by default, so that no secret is in it."""
        self._size = max(1, size)
        self._limits = limits or WorkerLimits()
        self._environment = dict(environment or {})
        self._idle: list[WorkerProcess] = []
        self._busy: set[WorkerProcess] = set()
        self._leaving: set[asyncio.Future[None]] = set()
        self._turns = asyncio.Semaphore(self._size)
        self._closed = False

    @property
    def pids(self) -> tuple[int, ...]:
        """The process ids of the workers that are idle or busy now."""
        return tuple(worker.pid for worker in (*self._idle, *self._busy) if worker.pid is not None)

    async def run(self, call: dict[str, Any], data: bytes) -> Result:
        """One call in a worker; waiting for a free one does not count against its time.

        Raises ReadError: the parser's own, parser_limit at the time or memory limit, parser_crashed.
        """
        async with self._turns:
            if self._closed:
                raise ReadError(Code.PARSER_CRASHED, "The document readers have been closed.", hint="Start again.")
            worker = self._idle.pop() if self._idle else WorkerProcess(self._limits, self._environment)
            self._busy.add(worker)
            keep = False
            try:
                result = await self._ask(worker, call, data)
                keep = worker.served < _MOST_CALLS
            except ReadError as error:
                keep = error.code not in (Code.PARSER_LIMIT, Code.PARSER_CRASHED)
                raise
            finally:
                self._put_back(worker, keep=keep)
            return result

    async def close(self) -> None:
        """End all workers and wait until they are gone; a running call ends as parser_crashed."""
        self._closed = True
        for worker in self._busy:
            worker.kill()
        while self._idle:
            self._let_go(self._idle.pop())
        for _ in range(self._size):
            await self._turns.acquire()
        for _ in range(self._size):
            self._turns.release()
        await asyncio.gather(*self._leaving)

    async def _ask(self, worker: WorkerProcess, call: dict[str, Any], data: bytes) -> Result:
        try:
            async with asyncio.timeout(self._limits.seconds):
                return unpack_result(*await asyncio.to_thread(worker.ask, call, data))
        except TimeoutError:
            raise over_limit("time") from None
        except WorkerEnded as ended:
            if ended.signal == signal.SIGXCPU:
                raise over_limit("time") from None
            raise _crashed() from None
        except FrameError:
            raise _crashed() from None

    def _put_back(self, worker: WorkerProcess, *, keep: bool) -> None:
        self._busy.discard(worker)
        if keep and not self._closed:
            self._idle.append(worker)
        else:
            worker.kill()
            self._let_go(worker)

    def _let_go(self, worker: WorkerProcess) -> None:
        """Reap a worker in a thread, so that none stays behind as a zombie."""
        leaving = asyncio.get_running_loop().run_in_executor(None, worker.end)
        self._leaving.add(leaving)
        leaving.add_done_callback(self._leaving.discard)


def _crashed() -> ReadError:
    return ReadError(
        Code.PARSER_CRASHED,
        "The file made its reader crash; nothing else was harmed.",
        hint="The file is damaged or hostile: open it in a viewer and save it again, or leave it out.",
    )
