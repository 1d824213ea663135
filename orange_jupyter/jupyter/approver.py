"""Asks the person in the notebook: a card where one can be drawn, a prompt where not, nobody headless (R-APPR-1..5)."""

from __future__ import annotations

import asyncio
import hmac
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Literal, Protocol

from orange_jupyter.core.approval import ApprovalRequest, Outcome, TierRequest
from orange_jupyter.core.ports import Answer
from orange_jupyter.jupyter.people import Front
from orange_jupyter.jupyter.strings import Language, text

HANDSHAKE_SECONDS = 8.0
"""How long a card may take to be drawn before a prompt is used; Lab draws within one."""

Request = ApprovalRequest | TierRequest


class Stage(Protocol):
    """Where a question of one cell can be put. Its methods are called on the runtime's loop."""

    @property
    def front(self) -> Front:
        """Who is in front of the cell."""
        ...

    @property
    def language(self) -> Language:
        """The session's language, for prompts."""
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
        if pending is None or pending.answer.done():
            return self.why(reply.operation_id)
        if not pending.fits(reply):
            return "card.expired"
        pending.answer.set_result(reply)
        return None

    def why(self, operation_id: str) -> str | None:
        """Why an answer to this question does not count any more, as a key of the strings; None while it waits."""
        pending = self._pending.get(operation_id)
        if pending is not None:
            return "card.answered" if pending.answer.done() else None
        match self._ended.get(operation_id):
            case Outcome.APPROVED | Outcome.DENIED:
                return "card.answered"
            case Outcome.CANCELLED:
                return "card.rights_changed"
            case _:
                return "card.expired"

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
    """The answer typed at a prompt: `yes` (or 是) for a call, the tier's name for a tier; anything else is no."""
    language = stage.language
    wanted = str(request.wanted) if isinstance(request, TierRequest) else text(language, "card.prompt.yes")
    typed = await stage.prompt(f"{question(request, language)}\n{text(language, 'card.prompt', wanted=wanted)}")
    if typed is None:
        return None
    words = (wanted,) if isinstance(request, TierRequest) else ("yes", wanted)
    outcome = Outcome.APPROVED if typed.strip() in words else Outcome.DENIED
    return Reply(request.operation_id, pending.digest, outcome)


def question(request: Request, language: Language) -> str:
    """Everything that the card would show, in lines, with invisible characters as escapes (R-APPR-2)."""
    if isinstance(request, TierRequest):
        from orange_jupyter.jupyter.widgets.full_tier import tier_words

        return tier_words(request, language)
    from orange_jupyter.jupyter.widgets.approval import card_words

    return card_words(request, language)
