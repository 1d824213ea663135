"""Work of the Python API on the runtime, with a place for its questions, waited for by the thread that asked."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, Generic, TypeVar

from orange_jupyter.jupyter.approver import STAGE
from orange_jupyter.jupyter.prompts import Prompts
from orange_jupyter.jupyter.runtime import SLICE, Runtime
from orange_jupyter.jupyter.stage import CellStage
from orange_jupyter.jupyter.waiting import STOP_SECONDS, Job

Result = TypeVar("Result")


class Errand(Generic[Result]):
    """One call of the Python API. Made, waited for and stopped on the caller's thread; `run` is the runtime's."""

    def __init__(self, runtime: Runtime, work: Coroutine[Any, Any, Result], stage: CellStage | None) -> None:
        self._runtime = runtime
        self._work = work
        self._stage = stage
        self._task: asyncio.Task[Any] | None = None
        self._dropped = False
        prompts = stage.prompts if stage else Prompts()
        self.job = Job(runtime.submit(self._run()), self.stop, prompts)

    def stop(self) -> None:
        """Stop the work, once: a second time must not cut its end short. From any thread."""
        if not self._dropped:
            self._dropped = True
            self._runtime.call_soon(self._cancel)

    async def reached(self, other: asyncio.Future[Any] | None = None) -> None:
        """Wait for the end, or for `other`, asking at prompts between; cancelling the caller stops the work."""
        ending = asyncio.wrap_future(self.job.future)
        waited = {ending} if other is None else {ending, other}
        try:
            while not any(one.done() for one in waited):
                self.job.prompts.serve()
                await asyncio.wait(waited, timeout=SLICE, return_when=asyncio.FIRST_COMPLETED)
        except (asyncio.CancelledError, KeyboardInterrupt):
            await self.ended()
            raise

    async def ended(self) -> None:
        """Stop what still runs and wait at most 3 s for its end."""
        if not self.job.done:
            self.stop()
            await asyncio.wait({asyncio.wrap_future(self.job.future)}, timeout=STOP_SECONDS)

    async def awaited(self) -> Result:
        """Wait on a running loop. Raises what the work raises."""
        await self.reached()
        return self.result()

    def result(self) -> Result:
        """What the work gave; only at its end. Raises what it raised."""
        result: Result = self.job.future.result()
        return result

    async def _run(self) -> Result:
        self._task = asyncio.current_task()
        try:
            if self._dropped:
                raise asyncio.CancelledError
            if self._stage is not None:
                STAGE.set(self._stage)
                await self._stage.prepare()
            return await self._work
        finally:
            self._work.close()
            if self._stage is not None:
                self._stage.close()

    def _cancel(self) -> None:
        if self._task is not None:
            self._task.cancel()
