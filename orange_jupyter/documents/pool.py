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


class Pool:
    """Up to `size` workers, started when first needed and kept warm. Used from one event loop.

    A worker that reaches a limit, crashes or whose caller is cancelled is killed; the next call starts a fresh one.
    """

    def __init__(
        self, size: int = 1, *, limits: WorkerLimits = WorkerLimits(), environment: Mapping[str, str] | None = None
    ) -> None:
        """`environment` is the workers' whole environment; empty by default, so that no secret is in it."""
        self._limits = limits
        self._environment = dict(environment or {})
        self._idle: list[WorkerProcess] = []
        self._busy: set[WorkerProcess] = set()
        self._turns = asyncio.Semaphore(max(1, size))
        self._closed = False

    @property
    def pids(self) -> tuple[int, ...]:
        """The process ids of the workers that live now."""
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
            try:
                result = await self._ask(worker, call, data)
            except ReadError as error:
                self._put_back(worker, keep=error.code not in (Code.PARSER_LIMIT, Code.PARSER_CRASHED))
                raise
            except BaseException:
                self._put_back(worker, keep=False)
                raise
            self._put_back(worker, keep=True)
            return result

    async def close(self) -> None:
        """End all workers and wait until they are gone; a running call ends as parser_crashed."""
        self._closed = True
        for worker in self._busy:
            worker.kill()
        idle, self._idle = self._idle, []
        await asyncio.gather(*(asyncio.to_thread(worker.end) for worker in idle))

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


def _crashed() -> ReadError:
    return ReadError(
        Code.PARSER_CRASHED,
        "The file made its reader crash; nothing else was harmed.",
        hint="The file is damaged or hostile: open it in a viewer and save it again, or leave it out.",
    )
