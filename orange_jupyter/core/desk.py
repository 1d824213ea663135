"""What one turn's tool calls work with, and how a call is turned down."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from orange_jupyter.core.deltas import Delta, Output, Progress
from orange_jupyter.core.errors import ToolError
from orange_jupyter.core.events import Event
from orange_jupyter.core.grant import Grant
from orange_jupyter.core.keeping import Evidence
from orange_jupyter.core.ports import Approver, Clock, ReportProgress
from orange_jupyter.core.result import map_strings
from orange_jupyter.core.tool import Tool, ToolContext

Hear = Callable[[Event], Awaitable[None]]
"""Takes one event; durable when it returns."""


@dataclass(frozen=True, slots=True)
class Desk:
    """What `run_call` works with in one turn. `grant` and `context` are asked anew for each call.

    `nonce` is secret to this process, so that an approval cannot be made elsewhere.
    """

    session_id: str
    turn_id: str
    tools: Mapping[str, Tool[Any]]
    grant: Callable[[], Grant]
    context: Callable[[Grant, ReportProgress], ToolContext]
    approver: Approver
    evidence: Evidence
    mask: Callable[[str], str]
    clock: Clock
    nonce: str
    hear: Hear
    delta: Callable[[Delta], None]


class Refused(Exception):
    """A call that was turned down, with how: "refused", "denied", "expired", "needs_person" or "cancelled"."""

    def __init__(self, error: ToolError, decision: str) -> None:
        super().__init__(error.message)
        self.error = error
        self.decision = decision


def masked(desk: Desk, value: Any) -> Any:
    """The same structure with secrets masked in every string."""
    return map_strings(value, desk.mask)


def progress(desk: Desk, call_id: str) -> ReportProgress:
    """A reporter that any thread may call; its reports reach the listeners on the turn's loop."""
    loop = asyncio.get_running_loop()

    def report(what: str, done: int, total: int | None) -> None:
        loop.call_soon_threadsafe(desk.delta, Progress(what=what, done=done, total=total, call_id=call_id))

    return report


def context(desk: Desk, call_id: str) -> ToolContext:
    """What one call may use, with the rights of now."""

    def show(text: str, left_out: int) -> None:
        desk.delta(Output(call_id=call_id, text=text, left_out=left_out))

    return replace(desk.context(desk.grant(), progress(desk, call_id)), show_output=show)
