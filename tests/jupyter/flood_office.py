"""The fake office with turns that are far too long: 50 MB of answer, 10,000 tool lines; and a probe of its loop."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

import psutil

from benchmarks.stream_server import section
from orange_jupyter.core.deltas import TextDelta
from orange_jupyter.core.events import (
    CallFinished,
    CallStarted,
    PartDone,
    StepFinished,
    StepStarted,
    StopReason,
    TurnFinished,
)
from orange_jupyter.core.messages import Text, ToolResult, Usage
from orange_jupyter.core.ports import Approver, Listener
from orange_jupyter.jupyter.extension import Extension, loaded
from orange_jupyter.jupyter.ports import CellRequest, Where
from tests.jupyter.fake_office import FakeDoor, FakeOffice

PIECE = 4096
MEGABYTES = 50
LINES = 10_000
MEASURED: dict[str, float] = {}
"""What the last turn cost: `busy` s, the most CPU time that the loop spent without a pause; `late` s, by the clock;
`grown` MB of memory.
"""


async def probe() -> None:
    """Notice how long the loop does nothing but one thing."""
    while True:
        began, used = time.perf_counter(), time.thread_time()
        await asyncio.sleep(0.005)
        MEASURED["busy"] = max(MEASURED["busy"], time.thread_time() - used)
        MEASURED["late"] = max(MEASURED["late"], time.perf_counter() - began - 0.005)


def resident() -> float:
    """The process's memory in MB."""
    return psutil.Process().memory_info().rss / 1_000_000


class FloodOffice(FakeOffice):
    """`flood` and `lines` as the first word of a question; both wait at their end for a file `go` beside the notebook."""

    async def _answer(self, cell: CellRequest, view: Listener, number: int) -> str:
        word = cell.text.split()[0]
        if word not in ("flood", "lines"):
            return await super()._answer(cell, view, number)
        MEASURED.update(busy=0.0, late=0.0, before=resident())
        probing = asyncio.create_task(probe())
        try:
            await view.hear(StepStarted(step=1, limit=50))
            said = await (self._flood(view) if word == "flood" else self._lines(view))
            MEASURED["grown"] = resident() - MEASURED["before"]
            while not Path("go").exists():
                await asyncio.sleep(0.05)
            # the text is not validated again: what that costs is not the view's
            await view.hear(
                PartDone.model_construct(kind="part_done", part=Text.model_construct(kind="text", text=said))
            )
            await view.hear(StepFinished(step=1, usage=Usage(input_tokens=10, output_tokens=5)))
            await asyncio.sleep(0.3)
        finally:
            probing.cancel()
        return said

    async def _flood(self, view: Listener) -> str:
        pieces: list[str] = []
        size = at = 0
        while size < MEGABYTES * 1_000_000:
            at += 1
            text = section(at) * 3
            size += len(text.encode())
            pieces.append(text)
            for place in range(0, len(text), PIECE):
                view.delta(TextDelta(text=text[place : place + PIECE]))
            await asyncio.sleep(0.001)
        probed = dict(MEASURED)
        said = "".join(pieces)
        await asyncio.sleep(0.01)
        MEASURED.update(probed)
        return said

    def _finished(self, number: int, answer: str, reason: StopReason) -> TurnFinished:
        ended = super()._finished(number, "", reason)
        return ended.model_copy(update={"answer": answer})

    async def _lines(self, view: Listener) -> str:
        for at in range(LINES):
            await view.hear(
                CallStarted(call_id=f"x{at}", tool="read", arguments={"path": f"笔记 {at}.md"}, target=f"笔记 {at}.md")
            )
            await asyncio.sleep(0)
            await view.hear(finished_call(at))
            await asyncio.sleep(0)
        return f"{LINES} lines were read."


def finished_call(at: int) -> CallFinished:
    """A read that gave 2,000 characters."""
    envelope = {"ok": True, "tool": "read", "summary": "whole note", "data": {"text": f"第 {at} 条笔记。" * 200}}
    return CallFinished(
        call_id=f"x{at}",
        tool="read",
        arguments={"path": f"笔记 {at}.md"},
        ok=True,
        decision="allowed",
        summary="whole note, 2,000 characters",
        seconds=0.1,
        result=ToolResult(call_id=f"x{at}", name="read", content="{}", ok=True),
        envelope=envelope,
    )


class FloodDoor(FakeDoor):
    """Opens it."""

    async def open(self, approver: Approver, where: Where) -> FloodOffice:
        return FloodOffice(approver)


def load(shell: Any) -> None:
    """Load the extension with this office behind it."""
    if loaded(shell) is None:
        Extension(shell, FloodDoor()).load()
