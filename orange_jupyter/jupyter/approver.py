"""Asks the person in the notebook: a card where one can be drawn, a prompt where not, nobody headless (R-APPR-1..5)."""

from __future__ import annotations

import asyncio
import hmac
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Literal, Protocol

from orange_jupyter.core.approval import ApprovalRequest, Outcome, TierRequest
from orange_jupyter.core.ports import Answer
from orange_jupyter.core.visible import visible
from orange_jupyter.jupyter.people import Front

HANDSHAKE_SECONDS = 8.0
"""How long a card may take to be drawn before a prompt is used; Lab draws within one."""

Request = ApprovalRequest | TierRequest


class Stage(Protocol):
    """Where a question of one cell can be put. Its methods are called on the runtime's loop."""

    @property
    def front(self) -> Front:
        """Who is in front of the cell."""
        ...

    def show(self, request: Request) -> None:
        """Draw the live card. The controls give it a nonce of its own and pass on only what carries it."""
        ...

    def withdraw(self, request: Request, outcome: Outcome) -> None:
        """Take the card's buttons away and say how it ended."""
        ...

    async def drawn(self) -> Literal[True]:
        """Wait until somebody's page has drawn the controls."""
        ...

    async def prompt(self, text: str) -> str | None:
        """Ask with `input()`; None where the front end takes no input."""
        ...


STAGE: ContextVar[Stage | None] = ContextVar("orange_stage", default=None)
"""The stage of the cell that a task works for; tasks inherit it, so a question always finds its own cell."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A person's answer as it comes from a card; nothing in it is trusted."""

    operation_id: str
    digest: str
    outcome: Outcome
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Pending:
    """A question that waits."""

    digest: str
    answer: asyncio.Future[Reply]

    def fits(self, reply: Reply) -> bool:
        """Whether a reply answers this very question."""
        known = reply.outcome in (Outcome.APPROVED, Outcome.DENIED)
        return known and hmac.compare_digest(reply.digest.encode("utf-8", "replace"), self.digest.encode())


class NotebookApprover:
    """The Approver of one kernel. Lives on the runtime's loop."""

    def __init__(self, *, handshake: float = HANDSHAKE_SECONDS) -> None:
        self._pending: dict[str, Pending] = {}
        self._ended: dict[str, Outcome] = {}
        self._handshake = handshake

    async def ask(self, request: ApprovalRequest) -> Answer:
        """Wait for the answer to one call; NEEDS_PERSON at once where nobody can answer (A18)."""
        reply = await self._asked(request, request.digest)
        if reply is None:
            return Answer(Outcome.NEEDS_PERSON, "")
        return Answer(reply.outcome, reply.digest, reply.reason)

    async def confirm(self, request: TierRequest) -> Outcome:
        """Wait for a click on the live card, or the tier's name typed at a prompt (R-PERM-3)."""
        reply = await self._asked(request, "")
        return Outcome.NEEDS_PERSON if reply is None else reply.outcome

    def take(self, reply: Reply) -> str | None:
        """Take an answer; the first that fits counts, once. Returns why it does not count, as a key of the strings."""
        pending = self._pending.get(reply.operation_id)
        if pending is None:
            return "card.rights_changed" if self._was_cancelled(reply) else "card.expired"
        if pending.answer.done():
            return "card.sent"
        if not pending.fits(reply):
            return "card.expired"
        pending.answer.set_result(reply)
        return None

    def _was_cancelled(self, reply: Reply) -> bool:
        return self._ended.get(reply.operation_id) is Outcome.CANCELLED

    async def _asked(self, request: Request, digest: str) -> Reply | None:
        stage = STAGE.get()
        if stage is None or not stage.front.person:
            return None
        pending = Pending(digest, asyncio.get_running_loop().create_future())
        name = request.operation_id
        self._pending[name] = pending
        outcome = Outcome.CANCELLED
        try:
            reply = await self._answer(stage, request, pending)
            outcome = reply.outcome if reply else Outcome.NEEDS_PERSON
            return reply
        finally:
            del self._pending[name]
            self._ended[name] = outcome
            stage.withdraw(request, outcome)

    async def _answer(self, stage: Stage, request: Request, pending: Pending) -> Reply | None:
        if stage.front is Front.NOTEBOOK:
            stage.show(request)
            if await self._seen(stage, pending):
                return await pending.answer
        return await _typed(stage, request, pending)

    async def _seen(self, stage: Stage, pending: Pending) -> bool:
        """Whether somebody's page has drawn the card in time."""
        drawn = asyncio.create_task(stage.drawn())
        pending.answer.add_done_callback(lambda _: drawn.cancel())
        await asyncio.wait({drawn}, timeout=self._handshake)
        seen = pending.answer.done() or (drawn.done() and drawn.result())
        drawn.cancel()
        return seen


async def _typed(stage: Stage, request: Request, pending: Pending) -> Reply | None:
    """The answer typed at a prompt: `yes` for a call, the tier's name for a tier; anything else is no."""
    wanted = "yes" if isinstance(request, ApprovalRequest) else str(request.wanted)
    typed = await stage.prompt(f"{question(request)}\nType {wanted} to allow it, anything else to refuse: ")
    if typed is None:
        return None
    outcome = Outcome.APPROVED if typed.strip() == wanted else Outcome.DENIED
    return Reply(request.operation_id, pending.digest, outcome)


def question(request: Request) -> str:
    """Everything that the card would show, in lines, with invisible characters as escapes (R-APPR-2)."""
    if isinstance(request, TierRequest):
        from orange_jupyter.jupyter.widgets.full_tier import tier_words

        return tier_words(request, "en")
    rows = [f"Allow {request.tool} {request.operation} {request.target}", request.arguments]
    rows += [f"{name}: {value}" for name, value in request.facts] + list(request.warnings)
    return "\n".join(visible(row)[0] for row in rows)
