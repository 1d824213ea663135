"""A session: one conversation with its rights; one turn at a time, in order, and stoppable (R-SESS-3, R-SESS-4)."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

from orange_jupyter.core.approval import Outcome, TierRequest
from orange_jupyter.core.bench import Bench
from orange_jupyter.core.codes import Code
from orange_jupyter.core.context import Turned
from orange_jupyter.core.corpus import Citation
from orange_jupyter.core.errors import RightsError, SessionError
from orange_jupyter.core.events import Notice, StopReason, TurnFinished, TurnStarted
from orange_jupyter.core.grant import Grant, Tier
from orange_jupyter.core.messages import Image, Message
from orange_jupyter.core.parts import Parts, Reach, State
from orange_jupyter.core.ports import Listener, Model
from orange_jupyter.core.titles import clean_title, title_from
from orange_jupyter.core.turn import Audience, Live, Play, play


@dataclass(frozen=True, slots=True)
class Said:
    """What goes with a message: pictures, text beside it (variables), who looks on, and lines to be told first."""

    images: tuple[Image, ...] = ()
    beside: str = ""
    views: tuple[Listener, ...] = ()
    notices: tuple[Notice, ...] = ()
    steps: int | None = None


class Session:
    """One conversation. Lives on one asyncio loop; every method is called there."""

    def __init__(self, state: State, parts: Parts) -> None:
        self._state = state
        self._parts = parts
        self._order = asyncio.Lock()
        self._live: Live | None = None

    @property
    def state(self) -> State:
        """The state now."""
        return self._state

    @property
    def busy(self) -> bool:
        """Whether a turn runs or waits."""
        return self._order.locked()

    def grant(self) -> Grant:
        """The rights in force now."""
        state = self._state
        switches = self._parts.switches.model_copy(update={"memory": state.memory})
        return Grant(tier=state.tier, plan=state.plan, switches=switches, version=state.permission_version)

    async def send(self, text: str, said: Said = Said()) -> TurnFinished:
        """Run one turn after those before it. Raises SessionError for an empty message; else always a TurnFinished."""
        if not text.strip():
            hint = "Write it under the %%orange line."
            raise SessionError("The question is empty.", hint=hint, code=Code.INVALID_ARGUMENT)
        async with self._order:
            live = Live()
            live.task = asyncio.create_task(self._turn(text, said, live))
            self._live = live
            try:
                return await asyncio.shield(live.task)
            except asyncio.CancelledError:
                live.stop(StopReason.STOPPED)
                await asyncio.wait({live.task})
                raise
            finally:
                self._live = None

    async def _turn(self, text: str, said: Said, live: Live) -> TurnFinished:
        parts, state = self._parts, self._state
        reach = await parts.reach(state.knowledge_bases)
        model = await parts.model(state.model)
        written, text, beside = text + said.beside, parts.mask(text), parts.mask(said.beside)
        told = (*await parts.before_turn(model.info, written != text + beside), *said.notices)
        turn_id = parts.new_id("t")
        audience = Audience(parts.recorder, said.views)
        started = TurnStarted(
            turn_id=turn_id,
            session_id=state.session_id,
            number=state.turns + 1,
            text=text,
            images=said.images,
            model=model.info.name,
            host=model.info.host,
            tier=state.tier,
            plan=state.plan,
            permission_version=state.permission_version,
            knowledge_bases=tuple(base.name for base in reach.bases),
            started_at=parts.clock.now(),
        )
        await self._store(turns=state.turns + 1, title=state.title or title_from(text))
        agent = self.bench(model, reach).agent(turn_id, audience, steps=said.steps)
        history = _by_turn(await parts.transcript.by_turn())
        try:
            what = Play(started, history, audience, parts.citations, parts.clock, told, beside)
            return await play(agent, what, live)
        finally:
            await model.close()

    def bench(self, model: Model, reach: Reach) -> Bench:
        """What turns and single calls of this session work at."""
        return Bench(self._parts, self._state.session_id, self.grant, model, reach)

    async def stop(self, reason: StopReason = StopReason.STOPPED) -> bool:
        """Stop the running turn and wait for its end; False when none runs."""
        live = self._live
        if live is None or live.task is None:
            return False
        live.stop(reason)
        await asyncio.wait({live.task})
        return True

    @property
    def recorder(self) -> Listener:
        """Who makes this session's events durable."""
        return self._parts.recorder

    async def citations(self) -> dict[str, Citation]:
        """Every citation that a tool gave in this session, by id."""
        return await self._parts.citations.known()

    async def set_tier(self, tier: Tier) -> Tier:
        """Change the tier; a full one asks the person first (R-PERM-3). Returns the tier now in force.

        Raises RightsError needs_person where nobody can answer, approval_denied where the person stays.
        """
        current = self._state.tier
        if tier is current:
            return current
        if tier.full and tier.rank > current.rank:
            await self._confirm(tier)
        fallback = self._state.workspace_tier if tier.full else tier
        await self._change_rights(tier=tier, workspace_tier=fallback)
        return tier

    async def _confirm(self, tier: Tier) -> None:
        before = self._state.permission_version
        request = TierRequest(
            operation_id=self._parts.new_id("op"),
            session_id=self._state.session_id,
            current=self._state.tier,
            wanted=tier,
            permission_version=before,
            asked_at=self._parts.clock.now(),
        )
        outcome = await self._parts.approver.confirm(request)
        if outcome is Outcome.NEEDS_PERSON:
            raise RightsError(Code.NEEDS_PERSON, f"Nobody is here to confirm {tier}; the tier stays {request.current}.")
        if outcome is not Outcome.APPROVED or self._state.permission_version != before:
            raise RightsError(Code.APPROVAL_DENIED, f"{tier} was not entered; the tier stays {self._state.tier}.")

    async def set_plan(self, plan: bool) -> None:
        """Switch plan mode; the tier is untouched (R-PLAN-3)."""
        if plan != self._state.plan:
            await self._change_rights(plan=plan)

    async def select(self, knowledge_bases: tuple[str, ...]) -> None:
        """Select KBs by id. Raises what opening them raises; nothing changes then."""
        if knowledge_bases != self._state.knowledge_bases:
            await self._parts.reach(knowledge_bases)
            await self._change_rights(knowledge_bases=knowledge_bases)

    async def use_model(self, name: str) -> None:
        """Use another model from the next turn on. Raises ConfigError, UsageError for an unknown one."""
        await (await self._parts.model(name)).close()
        await self._store(model=name)

    async def rename(self, title: str) -> None:
        """Give the session a title."""
        await self._store(title=clean_title(title))

    async def _change_rights(self, **changes: Any) -> None:
        """Every change of rights moves the version and interrupts the running turn (R-PERM-8)."""
        await self._store(**changes, permission_version=self._state.permission_version + 1)
        await self.stop(StopReason.PERMISSION_CHANGED)

    async def _store(self, **changes: Any) -> None:
        self._state = self._state.model_copy(update=changes)
        await self._parts.save(self._state)


def _by_turn(messages: tuple[tuple[str, Message], ...]) -> tuple[Turned, ...]:
    turns: dict[str, list[Message]] = {}
    for turn_id, message in messages:
        turns.setdefault(turn_id, []).append(message)
    return tuple(Turned(turn_id, tuple(said)) for turn_id, said in turns.items())
