"""Calls of one reply that only look are asked for at once, so that a person reviews them in one panel (A17).

Still only one of them runs at a time, in order where nobody has to be waited for; results are taken in the order of
the reply.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from orange_jupyter.core.approval import ApprovalRequest, Outcome, TierRequest
from orange_jupyter.core.desk import Desk
from orange_jupyter.core.dispatch import Ran, run_call
from orange_jupyter.core.grant import Effect
from orange_jupyter.core.messages import ToolCall
from orange_jupyter.core.policy import Verdict, decide
from orange_jupyter.core.ports import Answer, Approver

LOOKING = frozenset({Effect.LOOK, Effect.LOOK_OUTSIDE, Effect.WEB, Effect.BROWSER_LOOK})
"""Effects that change nothing: which of two such calls runs first does not matter."""

Take = Callable[[ToolCall, Ran], Awaitable[None]]


def groups(desk: Desk, calls: Sequence[ToolCall]) -> list[list[ToolCall]]:
    """The calls in order; neighbours that only look and may have to be asked for stand together."""
    found: list[list[ToolCall]] = []
    before = False
    for call in calls:
        joins = _looks_and_asks(desk, call)
        if joins and before:
            found[-1].append(call)
        else:
            found.append([call])
        before = joins
    return found


async def run_together(desk: Desk, calls: Sequence[ToolCall], take: Take) -> None:
    """Run a group; `take` gets each call's outcome, in order, also of those that ended before a stop.

    Raises StoreError, CancelledError, and what `take` raises.
    """
    if len(calls) == 1:
        await take(calls[0], await run_call(desk, calls[0]))
        return
    alone = asyncio.Lock()
    tasks = [asyncio.create_task(_run(desk, call, alone)) for call in calls]
    taken = 0
    try:
        for call, task in zip(calls, tasks, strict=True):
            ran = await task
            taken += 1
            await take(call, ran)
    except BaseException:  # cancelled, or the store failed: what ran is kept all the same, nothing goes on
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
        for call, task in list(zip(calls, tasks, strict=True))[taken:]:
            if not task.cancelled() and task.exception() is None:
                await take(call, task.result())
        raise


def _looks_and_asks(desk: Desk, call: ToolCall) -> bool:
    tool = desk.tools.get(call.name)
    if tool is None or call.arguments is None or not LOOKING.issuperset(tool.effects):
        return False
    grant = desk.grant()
    return any(decide(grant, effect, tool.name).verdict is Verdict.ASK for effect in tool.effects)


async def _run(desk: Desk, call: ToolCall, alone: asyncio.Lock) -> Ran:
    aside = _Aside(desk.approver, alone)
    await aside.take_turn()
    try:
        return await run_call(replace(desk, approver=aside), call)
    finally:
        aside.leave()


class _Aside:
    """An Approver that lets the next call begin while its own waits for the person."""

    def __init__(self, approver: Approver, alone: asyncio.Lock) -> None:
        self._approver = approver
        self._alone = alone
        self._holds = False

    async def take_turn(self) -> None:
        """Wait until no other call of the group runs."""
        await self._alone.acquire()
        self._holds = True

    def leave(self) -> None:
        """Let the next one run."""
        if self._holds:
            self._holds = False
            self._alone.release()

    async def ask(self, request: ApprovalRequest) -> Answer:
        """Ask beside the other calls; go on only when none of them runs."""
        self.leave()
        try:
            return await self._approver.ask(request)
        finally:
            await self.take_turn()

    async def confirm(self, request: TierRequest) -> Outcome:
        """As the person's approver does."""
        return await self._approver.confirm(request)
