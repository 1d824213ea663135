"""A small real Office for kernel tests: the question's first words say what the turn does. No model, no disk."""

from __future__ import annotations

import asyncio
import hashlib
import itertools
from collections.abc import Mapping, Sequence
from typing import Any

from orange_jupyter.core.approval import ApprovalRequest, Outcome, TierRequest
from orange_jupyter.core.codes import Code
from orange_jupyter.core.corpus import Citation
from orange_jupyter.core.deltas import TextDelta
from orange_jupyter.core.errors import RightsError, SessionError, UsageError
from orange_jupyter.core.events import (
    ApprovalAsked,
    ApprovalEnded,
    PartDone,
    StepFinished,
    StepStarted,
    StopReason,
    TurnFinished,
    TurnStarted,
)
from orange_jupyter.core.grant import Effect, Tier
from orange_jupyter.core.messages import Image, Text, Usage
from orange_jupyter.core.ports import Approver, Listener
from orange_jupyter.jupyter.approver import STAGE
from orange_jupyter.jupyter.extension import Extension, loaded
from orange_jupyter.jupyter.ports import Candidates, CellRequest, CellView, CommandReply, Where
from orange_jupyter.jupyter.queues import Queues
from orange_jupyter.jupyter.view import TurnView

NOW = "2026-11-30T12:00:00Z"
DRAWN = (Image(sha256="0" * 64, media_type="image/png", width=8, height=8, caption="figure"),)
COMMAND = "echo 你好 && rm 'two  words.txt'"


class FakeTurn:
    """What --out binds."""

    def __init__(self, finished: TurnFinished) -> None:
        self.answer = finished.answer

    def document(self) -> dict[str, Any]:
        return {"ok": True, "answer": self.answer}


class NoChanges:
    """A review of a session without changes."""

    async def look(self) -> tuple[tuple[()], int]:
        return (), 0


class FakeOffice:
    """One session; turns run one after the other."""

    def __init__(self, approver: Approver, *, strict: bool = False) -> None:
        self.strict = strict
        self.tier = Tier.WORKSPACE_WRITE
        self.version = 1
        self.ran: list[str] = []
        self._approver = approver
        self._order = asyncio.Lock()
        self._queues = Queues()
        self._numbers = itertools.count(1)
        self._task: asyncio.Task[Any] | None = None

    async def send(self, cell: CellRequest, *, view: CellView) -> TurnFinished:
        if not cell.text.strip():
            raise SessionError("The question is empty.", hint="Write it under the %%orange line.")
        wanted = cell.options.tier
        if wanted is not None and wanted.full and wanted.rank > self.tier.rank:
            hint = f"Run `%orange tier {wanted}` and confirm."
            raise UsageError(f"{wanted} was not entered. A cell, a file or Run All cannot raise the tier.", hint=hint)
        self.tier = wanted or self.tier
        with self._queues.standing("s_1", "周报", cell, view):
            return await self._send(cell, view)

    async def _send(self, cell: CellRequest, view: CellView) -> TurnFinished:
        async with self._order:
            number = next(self._numbers)
            await view.hear(self._started(cell, number))
            self._task = asyncio.create_task(self._answer(cell, view, number))
            try:
                answer, reason = await asyncio.shield(self._task), StopReason.ANSWER
            except asyncio.CancelledError:
                self._task.cancel()
                await asyncio.wait({self._task})
                answer, reason = "so far", StopReason.STOPPED
                if asyncio.current_task().cancelling():  # type: ignore[union-attr]
                    await view.hear(self._finished(number, answer, reason))
                    raise
            finished = self._finished(number, answer, reason)
            await view.hear(finished)
            return finished

    def _started(self, cell: CellRequest, number: int) -> TurnStarted:
        return TurnStarted(
            turn_id=f"t_{number}",
            session_id="s_1",
            number=number,
            text=cell.text,
            images=DRAWN if cell.text.startswith("draw") else (),
            model="fake",
            tier=self.tier,
            permission_version=self.version,
            started_at=NOW,
        )

    def _finished(self, number: int, answer: str, reason: StopReason) -> TurnFinished:
        return TurnFinished(
            turn_id=f"t_{number}", stop_reason=reason, answer=answer, steps=1, seconds=0.1, finished_at=NOW
        )

    async def _answer(self, cell: CellRequest, view: Listener, number: int) -> str:
        await view.hear(StepStarted(step=1, limit=50))
        word = cell.text.split()[0]
        said = f"answer to: {cell.text.strip()}"
        match word:
            case "slow":
                for at in range(600):
                    view.delta(TextDelta(text=f"{at} "))
                    await asyncio.sleep(0.1)
            case "brief":
                await asyncio.sleep(1.0)
            case "child":
                process = await asyncio.create_subprocess_exec("sleep", "600", start_new_session=True)
                try:
                    view.delta(TextDelta(text=f"pid {process.pid}"))
                    await process.wait()
                finally:
                    process.kill()
            case "ask":
                said = str(await self._ask(view, number))
            case "crash":
                raise ValueError("a bug with a secret")
            case "vars":
                said = repr((cell.options.model, cell.variables, cell.images))
        await view.hear(PartDone(part=Text(text=said)))
        await view.hear(StepFinished(step=1, usage=Usage(input_tokens=10, output_tokens=5)))
        return said

    async def _ask(self, view: Listener, number: int) -> Outcome:
        request = ApprovalRequest(
            operation_id=f"op_{number}",
            session_id="s_1",
            turn_id=f"t_{number}",
            permission_version=self.version,
            tool="exec",
            effect=Effect.RUN,
            operation="run a command",
            target="",
            arguments='{"command": "' + COMMAND + '"}',
            digest=hashlib.sha256(COMMAND.encode()).hexdigest(),
            asked_at=NOW,
        )
        await view.hear(ApprovalAsked(call_id="c_1", request=request.model_copy(update={"digest": ""})))
        outcome, reason = Outcome.CANCELLED, ""
        try:
            answer = await self._approver.ask(request)
            outcome, reason = answer.outcome, answer.reason
            if outcome is Outcome.APPROVED and answer.digest == request.digest:
                self.ran.append(COMMAND)
        finally:
            await view.hear(
                ApprovalEnded(
                    call_id="c_1",
                    operation_id=request.operation_id,
                    outcome=outcome,
                    reason=reason,
                    permission_version=self.version,
                    at=NOW,
                )
            )
        return outcome

    def title(self, session_id: str) -> str:
        return f"session {session_id}"

    async def review(self, where: Where, session_id: str | None = None, turn_id: str = "") -> Any:
        return NoChanges()

    async def places(self, citations: Sequence[Citation], where: Where) -> Mapping[str, Any]:
        return {}

    async def paper(self, citation: Citation, where: Where) -> None:
        return None

    async def figures(self, view: TurnView, places: Mapping[str, Any], where: Where) -> Mapping[str, Any]:
        await asyncio.sleep(60 if view.started and view.started.text.startswith("draw") else 0)
        return places

    async def turn(self, finished: TurnFinished) -> FakeTurn:
        return FakeTurn(finished)

    async def command(self, words: tuple[str, ...], where: Where) -> CommandReply:
        match words:
            case ("tier", name):
                return CommandReply(f"tier {await self.set_tier(Tier(name))}")
            case ("ran",):
                return CommandReply(f"ran {len(self.ran)}")
            case ("stop",):
                return CommandReply(f"stopped {await self.stop()}")
            case ("key",):
                return CommandReply(f"{len(await STAGE.get().secret('Key: ') or '')} characters")
            case ("escaped",):
                return CommandReply(r"workspace\-write \(v1\) `C:\new`")
            case ("fail",):
                raise RightsError(Code.DENIED_BY_TIER, "<b>no</b> $1", hint="Do another.")
            case _:
                return CommandReply(f"words {' | '.join(words)}")

    async def stop(self, session_id: str | None = None) -> bool:
        if self._task is None or self._task.done():
            return False
        self._task.cancel()
        await asyncio.wait({self._task})
        return True

    async def set_tier(self, tier: Tier, *, session_id: str | None = None) -> Tier:
        if tier.full:
            await self._confirm(tier)
        self.tier = tier
        self.version += 1
        await self.stop()
        return tier

    async def _confirm(self, tier: Tier) -> None:
        request = TierRequest(
            operation_id=f"op_tier_{self.version}",
            session_id="s_1",
            current=self.tier,
            wanted=tier,
            permission_version=self.version,
        )
        outcome = await self._approver.confirm(request)
        if outcome is Outcome.NEEDS_PERSON:
            raise RightsError(Code.NEEDS_PERSON, f"Nobody is here to confirm {tier}; the tier stays {self.tier}.")
        if outcome is not Outcome.APPROVED:
            raise RightsError(Code.APPROVAL_DENIED, f"{tier} was not entered; the tier stays {self.tier}.")

    async def set_plan(self, plan: bool, *, session_id: str | None = None) -> None:
        self.version += 1
        await self.stop()

    def candidates(self) -> Candidates:
        return Candidates(knowledge_bases=("notes", "水文 资料"), sessions=("周报",), models=("demo",))

    async def close(self) -> None:
        await self.stop()


class FakeDoor:
    """Opens the fake office."""

    def __init__(self, *, strict: bool = False, locale: str = "en_GB.UTF-8", slow: float = 0) -> None:
        self._strict = strict
        self._locale = locale
        self._slow = slow

    def locale(self, *, lab: bool) -> str:
        return self._locale

    async def open(self, approver: Approver, where: Where) -> FakeOffice:
        await asyncio.sleep(self._slow)
        return FakeOffice(approver, strict=self._strict)


def load(shell: Any, **settings: Any) -> None:
    """Load the extension with the fake office behind it."""
    if loaded(shell) is None:
        Extension(shell, FakeDoor(**settings)).load()
