"""Waiting by await, or blocking where nothing can be clicked: in slices, so that an interrupt is seen at once."""

from __future__ import annotations

import asyncio
import concurrent.futures
import time
from collections.abc import Callable
from contextlib import suppress

from orange_jupyter.jupyter.runtime import SLICE
from orange_jupyter.jupyter.waiting import STOP_SECONDS, Job


class Interrupted(KeyboardInterrupt):
    """The person interrupted the kernel; shown as one line. Run All stops at this cell."""

    def _render_traceback_(self) -> list[str]:
        return ["KeyboardInterrupt: the turn was stopped."]


async def wait_awaiting(job: Job) -> None:
    """Await the end of a job on the kernel's loop. An interrupt stops it, waits at most 3 s and is raised again."""
    ending = asyncio.wrap_future(job.future)
    try:
        while not job.done:
            job.prompts.serve()
            await asyncio.wait({ending}, timeout=SLICE)
    except (asyncio.CancelledError, KeyboardInterrupt):
        job.stop()
        until = time.monotonic() + STOP_SECONDS
        with suppress(asyncio.CancelledError):  # a second interrupt does not wait any more
            while not job.done and time.monotonic() < until:
                await asyncio.wait({ending}, timeout=SLICE)
        raise Interrupted from None


def wait_blocking(job: Job, *, until: Callable[[], bool] = bool) -> None:
    """The same where nothing can await: below `%%time`, with `%autoawait off`. Ends early when `until` says so."""
    try:
        while not (job.done or until()):
            job.prompts.serve()
            concurrent.futures.wait([job.future], SLICE)
    except KeyboardInterrupt:
        job.stop()
        concurrent.futures.wait([job.future], STOP_SECONDS)
        raise Interrupted from None
