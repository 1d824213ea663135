"""A small stage for core tests: a tool that leaves traces, a person with prepared answers, kept evidence."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from pydantic import Field

from orange_jupyter.core.approval import ApprovalRequest, Outcome, TierRequest
from orange_jupyter.core.codes import Code
from orange_jupyter.core.corpus import EvidencePiece
from orange_jupyter.core.deltas import Delta
from orange_jupyter.core.desk import Desk
from orange_jupyter.core.errors import EvidenceError
from orange_jupyter.core.events import Event
from orange_jupyter.core.grant import Effect, Grant, Switches, Tier
from orange_jupyter.core.messages import ToolCall
from orange_jupyter.core.ports import Answer
from orange_jupyter.core.tool import Action, Arguments, Result, Tool, ToolContext

ALL_ON = Switches(network=True, browser=True, exec=True, mcp=True, memory=True)


class Touch(Arguments):
    """Arguments of the test tools."""

    path: str = Field(max_length=50)
    times: int = Field(default=1, ge=1, le=3)


class Trace:
    """Every planning and every run, in order."""

    def __init__(self) -> None:
        self.planned: list[str] = []
        self.ran: list[str] = []
        self.operand = "hash-1"


def touch(effect: Effect, trace: Trace, *, name: str = "touch", fields: dict[str, Any] | None = None) -> Tool[Touch]:
    """A tool with one effect that leaves traces."""

    async def plan(_: ToolContext, arguments: Touch) -> Action:
        trace.planned.append(arguments.path)
        return Action(effect, "touch", arguments.path, operands=((arguments.path, trace.operand),))

    async def run(_: ToolContext, arguments: Touch, action: Action) -> Result:
        trace.ran.append(action.target)
        return Result(fields if fields is not None else {"touched": arguments.path}, "touched")

    return Tool(name, "Touches.", Touch, (effect,), plan, run, target=lambda arguments: arguments.path)


class Person:
    """An Approver whose answers are prepared; `asked` holds what was asked, `meanwhile` runs while it waits."""

    def __init__(self, outcome: Outcome = Outcome.APPROVED, *, reason: str = "") -> None:
        self.outcome = outcome
        self.reason = reason
        self.digest: str | None = None
        self.asked: list[ApprovalRequest] = []
        self.meanwhile: Callable[[], Awaitable[None]] | None = None

    async def ask(self, request: ApprovalRequest) -> Answer:
        """Answer as prepared, with the request's digest unless another is set."""
        self.asked.append(request)
        if self.meanwhile is not None:
            await self.meanwhile()
        return Answer(self.outcome, request.digest if self.digest is None else self.digest, self.reason)

    async def confirm(self, request: TierRequest) -> Outcome:
        """Answer as prepared."""
        return self.outcome


class Kept:
    """Evidence in memory."""

    def __init__(self) -> None:
        self.texts: dict[str, tuple[str, str]] = {}

    async def keep(self, call_id: str, tool: str, text: str) -> str:
        """Keep under a counted ref."""
        ref = f"tr_{len(self.texts)}"
        self.texts[ref] = (tool, text)
        return ref

    async def piece(self, ref: str, offset: int, limit: int) -> EvidencePiece:
        """A stretch of it."""
        if ref not in self.texts:
            raise EvidenceError(Code.NOT_FOUND, "no such evidence")
        tool, text = self.texts[ref]
        content = text[offset : offset + limit]
        following = offset + len(content)
        return EvidencePiece(
            content,
            offset,
            following if following < len(text) else None,
            len(text),
            tool,
            "application/json",
            "inspectable",
        )


class Still:
    """A clock that stands."""

    def now(self) -> str:
        """Always the same moment."""
        return "2026-11-30T12:00:00Z"

    def monotonic(self) -> float:
        """No time passes."""
        return 0.0


class Stage:
    """A desk with a changeable grant; `events` and `deltas` are what was heard."""

    def __init__(self, *tools: Tool[Any], tier: Tier = Tier.FULL_CONFIRM, person: Person | None = None) -> None:
        self.grant = Grant(tier=tier, switches=ALL_ON)
        self.person = person or Person()
        self.evidence = Kept()
        self.events: list[Event] = []
        self.deltas: list[Delta] = []
        self.secrets: dict[str, str] = {}
        self.desk = Desk(
            session_id="s_1",
            turn_id="t_1",
            tools={tool.name: tool for tool in tools},
            grant=lambda: self.grant,
            context=lambda grant, progress: _context(grant, progress, self),
            approver=self.person,
            evidence=self.evidence,
            mask=self._mask,
            clock=Still(),
            nonce="nonce",
            hear=self._hear,
            delta=self.deltas.append,
        )

    def change_rights(self, **changes: Any) -> None:
        """A change of rights as the session makes it: the version moves."""
        self.grant = self.grant.model_copy(update={**changes, "version": self.grant.version + 1})

    def heard(self, kind: str) -> list[Any]:
        """The events of one kind."""
        return [event for event in self.events if event.kind == kind]

    async def _hear(self, event: Event) -> None:
        self.events.append(event)
        await asyncio.sleep(0)

    def _mask(self, text: str) -> str:
        for secret, mask in self.secrets.items():
            text = text.replace(secret, mask)
        return text


def _context(grant: Grant, progress: Any, stage: Stage) -> ToolContext:
    nothing: Any = None
    return ToolContext(
        session_id="s_1",
        turn_id="t_1",
        grant=grant,
        workspace=nothing,
        changes=nothing,
        library=nothing,
        documents=nothing,
        evidence=stage.evidence,
        citations=nothing,
        reads=nothing,
        blobs=nothing,
        clock=Still(),
        model=nothing,
        progress=progress,
        runner=nothing,
    )


def call(name: str = "touch", arguments: dict[str, Any] | None = None, *, identity: str = "call_1") -> ToolCall:
    """A call as a model makes it."""
    return ToolCall(id=identity, name=name, arguments={"path": "a.md"} if arguments is None else arguments)
