"""Decisions one at a time, each to its end: between the disk and the store nothing comes in between (R-CHG-7)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from orange_jupyter.core.changes.means import Means

T = TypeVar("T")


async def alone(means: Means, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Do `work` while no other task or process decides on changes. Raises RunError busy, and what `work` raises.

    A task that is cancelled meanwhile ends when the work has: what is on the disk is in the store too.
    """
    async with means.alone():
        doing = asyncio.ensure_future(work())
        try:
            return await asyncio.shield(doing)
        except asyncio.CancelledError:
            await _ended(doing)
            raise


async def _ended(doing: asyncio.Future[T]) -> None:
    while not doing.done():
        try:
            await asyncio.wait([doing])
        except asyncio.CancelledError:
            continue
    if not doing.cancelled():
        doing.exception()  # looked at: nobody else does
