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
from orange_jupyter.documents.queue import Turns
from orange_jupyter.documents.worker import over_limit

_MOST_CALLS = 500
"""Calls before a worker is replaced, so that what a library leaks does not add up."""

_PATIENCE = 3
"""How many times longer than its processor time a background call may take: nobody waits for it, and on a busy machine
a long book must not be recorded as one that cannot be read."""


class Pool:
    """Up to `size` workers, started when first needed and kept warm. Used from one event loop.

    A worker that reaches a limit, crashes or whose caller is cancelled is killed; the next call starts a fresh one.
    Calls that somebody waits for come before those in the background, which leave one worker free where there are two.
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
        self._turns = Turns(self._size, kept=1 if self._size > 1 else 0)
        self._closed = False

    @property
    def pids(self) -> tuple[int, ...]:
        """The process ids of the workers that are idle or busy now."""
        return tuple(worker.pid for worker in (*self._idle, *self._busy) if worker.pid is not None)

    async def run(self, call: dict[str, Any], data: bytes, *, background: bool = False) -> Result:
        """One call in a worker; waiting for a free one does not count against its time.

        Raises ReadError: the parser's own, parser_limit at the time or memory limit, parser_crashed.
        """
        async with self._turns.one(background=background):
            if self._closed:
                raise ReadError(Code.PARSER_CRASHED, "The document readers have been closed.", hint="Start again.")
            worker = self._idle.pop() if self._idle else WorkerProcess(self._limits, self._environment)
            self._busy.add(worker)
            keep = False
            try:
                seconds = self._limits.seconds * (_PATIENCE if background else 1)
                async with asyncio.timeout(seconds):
                    result = await asyncio.to_thread(_answer, worker, call, data)
                keep = worker.served < _MOST_CALLS
            except TimeoutError:
                raise over_limit("time") from None
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
        await self._turns.all_free()
        await asyncio.gather(*self._leaving)

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


def _answer(worker: WorkerProcess, call: dict[str, Any], data: bytes) -> Result:
    """Ask and unpack, both in the calling thread: to validate a long text takes a while. Raises ReadError."""
    try:
        return unpack_result(*worker.ask(call, data))
    except WorkerEnded as ended:
        if ended.signal == signal.SIGXCPU:
            raise over_limit("time") from None
        raise _crashed() from None
    except FrameError:
        raise _crashed() from None


def _crashed() -> ReadError:
    return ReadError(
        Code.PARSER_CRASHED,
        "The file made its reader crash; nothing else was harmed.",
        hint="The file is damaged or hostile: open it in a viewer and save it again, or leave it out.",
    )
