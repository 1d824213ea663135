"""A knowledge base with a session in each tier, a person with prepared answers, and somebody who listens."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from orange_jupyter.app import App, ForThisRun, Opened
from orange_jupyter.core.approval import ApprovalRequest, Outcome
from orange_jupyter.core.deltas import Delta, Output
from orange_jupyter.core.dispatch import Ran, run_call
from orange_jupyter.core.events import Event
from orange_jupyter.core.grant import Tier
from orange_jupyter.core.messages import ToolCall
from orange_jupyter.core.parts import Reach
from orange_jupyter.core.ports import Approver
from orange_jupyter.core.turn import Audience
from orange_jupyter.storage.ids import new_id
from tests.core.stage import Person


class Room:
    """`root` is the KB's folder; calling the room runs one tool call and gives its uncut envelope."""

    def __init__(self, tmp: Path, approver: Approver | None = None) -> None:
        self.tmp = tmp
        self.root = tmp / "kb"
        self.person = Person()
        self.heard: list[Event] = []
        self.shown: list[Output] = []
        self.ran: Ran | None = None
        self._approver = approver or self.person
        self._opened: dict[Tier, tuple[App, Opened]] = {}
        self._reached: dict[Tier, Reach] = {}

    async def opened(self, tier: Tier) -> tuple[App, Opened]:
        """The app and session of a tier."""
        if tier not in self._opened:
            folders = {"ORANGE_HOME": self.tmp / "home", "ORANGE_CACHE": self.tmp / "cache", "HOME": self.tmp}
            environ = {name: str(folder) for name, folder in folders.items()} | {"PATH": "/usr/local/bin:/usr/bin:/bin"}
            run = ForThisRun(tier=tier, folders=(str(self.root),), patience=60.0)
            app = await App.open(environ, str(self.root), self._approver, run=run)
            self._opened[tier] = app, await app.create()
        return self._opened[tier]

    async def __call__(self, tool: str, tier: Tier, **arguments: Any) -> dict[str, Any]:
        app, opened = await self.opened(tier)
        state = opened.session.state
        if tier not in self._reached:
            self._reached[tier] = await app.reach(state.knowledge_bases)
        bench = opened.session.bench(await app.model(state.model), self._reached[tier])
        desk = bench.desk(new_id("t_"), Audience(opened.session.recorder, (self,)))
        self.ran = await run_call(desk, ToolCall(id=new_id("call_"), name=tool, arguments=arguments))
        return self.ran.envelope

    async def hear(self, event: Event) -> None:
        """Remember it."""
        self.heard.append(event)

    def delta(self, delta: Delta) -> None:
        """Remember what commands write."""
        if isinstance(delta, Output):
            self.shown.append(delta)

    async def asked(self, tool: str, tier: Tier, **arguments: Any) -> ApprovalRequest:
        """What the person is asked for a call; they deny."""
        self.person.outcome = Outcome.DENIED
        await self(tool, tier, **arguments)
        self.person.outcome = Outcome.APPROVED
        return self.person.asked[-1]

    async def while_asked(
        self, meanwhile: Callable[[], Awaitable[None]] | None, tool: str, tier: Tier, **arguments: Any
    ) -> dict[str, Any]:
        """A call that is approved; `meanwhile` happens before the click."""
        self.person.meanwhile = meanwhile
        try:
            return await self(tool, tier, **arguments)
        finally:
            self.person.meanwhile = None

    async def close(self) -> None:
        """Close the apps."""
        for app, _ in self._opened.values():
            await app.close()
