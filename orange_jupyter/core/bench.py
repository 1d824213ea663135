"""Where a turn works: builds the desk for its calls and the agent for its loop from a session's parts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from orange_jupyter.core.changes.news import news
from orange_jupyter.core.desk import Desk
from orange_jupyter.core.grant import Grant
from orange_jupyter.core.loop import Agent
from orange_jupyter.core.messages import Message
from orange_jupyter.core.parts import Parts, Reach
from orange_jupyter.core.ports import Model, ReportProgress
from orange_jupyter.core.tool import ToolContext
from orange_jupyter.core.turn import Audience


@dataclass(frozen=True, slots=True)
class Bench:
    """A session's parts with the model and KBs of now; `grant` is asked anew whenever rights matter."""

    parts: Parts
    session_id: str
    grant: Callable[[], Grant]
    model: Model
    reach: Reach

    def agent(self, turn_id: str, audience: Audience, *, steps: int | None = None) -> Agent:
        """What `run_turn` runs with; `steps` bounds this turn only."""

        async def keep(message: Message) -> None:
            await self.parts.transcript.append_message(turn_id, message)

        return Agent(
            model=self.model,
            desk=self.desk(turn_id, audience),
            bases=self.reach.bases,
            keep=keep,
            news=self._news,
            limits=replace(self.parts.limits, steps=steps) if steps else self.parts.limits,
        )

    async def _news(self) -> str:
        return self.parts.mask(await news(self.parts.changes.means, self.session_id))

    def desk(self, turn_id: str, audience: Audience) -> Desk:
        """What `run_call` works with; also for single calls from the command line."""
        parts = self.parts
        return Desk(
            session_id=self.session_id,
            turn_id=turn_id,
            tools=parts.tools,
            grant=self.grant,
            context=lambda grant, progress: self._context(turn_id, grant, progress),
            approver=parts.approver,
            evidence=parts.evidence,
            mask=parts.mask,
            clock=parts.clock,
            nonce=parts.nonce,
            hear=audience.hear,
            delta=audience.delta,
        )

    def _context(self, turn_id: str, grant: Grant, progress: ReportProgress) -> ToolContext:
        parts = self.parts
        return ToolContext(
            session_id=self.session_id,
            turn_id=turn_id,
            grant=grant,
            workspace=self.reach.workspace,
            changes=parts.changes,
            library=self.reach.library,
            documents=parts.documents,
            evidence=parts.evidence,
            citations=parts.citations,
            reads=parts.reads,
            blobs=parts.blobs,
            clock=parts.clock,
            model=self.model.info,
            progress=progress,
            runner=parts.runner,
            find_secrets=parts.find_secrets,
        )
