"""Everything behind the notebook (`jupyter.ports.Office`): the notebook's session, its turns and its commands."""

from __future__ import annotations

import asyncio
import re
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any

from orange_jupyter.app import App, Opened, environment
from orange_jupyter.beginning import attached, told_first
from orange_jupyter.commands import run_command
from orange_jupyter.commands.kb import find
from orange_jupyter.commands.standing import Standing
from orange_jupyter.core.corpus import Citation
from orange_jupyter.core.errors import ModelError, UsageError
from orange_jupyter.core.events import StopReason, TurnFinished
from orange_jupyter.core.grant import Tier
from orange_jupyter.core.parts import Reach
from orange_jupyter.core.ports import Approver, ReportProgress
from orange_jupyter.core.session import Said
from orange_jupyter.core.titles import title_by
from orange_jupyter.illustrations import illustrated
from orange_jupyter.inspecting import SessionPaper, cited_paper
from orange_jupyter.jupyter.approver import STAGE
from orange_jupyter.jupyter.figures import wanted
from orange_jupyter.jupyter.ports import Candidates, CellRequest, CellView, CommandReply, Where
from orange_jupyter.jupyter.queues import Queues
from orange_jupyter.jupyter.sheet import Surroundings
from orange_jupyter.jupyter.strings import says
from orange_jupyter.jupyter.view import TurnView
from orange_jupyter.names import names
from orange_jupyter.reviewing import SessionReview, review_of
from orange_jupyter.session_changes import proposed
from orange_jupyter.surroundings import Sources, passages
from orange_jupyter.turns import Collector, Turn

KEPT_TURNS = 50
VARIABLES = 20_000


class NotebookOffice:
    """The office of one kernel. Lives on the runtime's loop; `candidates` and `title` are cheap from any thread."""

    def __init__(self, app: App, *, strict: bool) -> None:
        self._app = app
        self._strict = strict
        self._current: Opened | None = None
        self._notebook: str | None = None
        self._turns: OrderedDict[str, Turn] = OrderedDict()
        self._candidates = Candidates()
        self._opening = asyncio.Lock()
        self._queues = Queues()
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def strict(self) -> bool:
        """`headless.strict` of the settings."""
        return self._strict

    @property
    def app(self) -> App:
        """The app behind it, for the Python API of the same kernel."""
        return self._app

    async def send(self, cell: CellRequest, *, view: CellView) -> TurnFinished:
        """Run one turn in the session that the cell means. Raises OrangeError where it could not begin."""
        self._app.language = cell.where.language
        opened = await self._session_for(cell)
        session = opened.session
        await self._apply(opened, cell)
        if cell.where.cell_id:
            await self._app.ground.sessions.remember_cells(session.state.session_id, cell.where.cell_id)
        collector = Collector()
        said = Said(
            images=await attached(self._app, opened, cell.images),
            beside=_variables(cell),
            views=(collector, view),
            notices=await told_first(self._app, opened, cell.where.language, len(cell.images)),
            steps=cell.options.steps,
        )
        with self._queues.standing(session.state.session_id, session.state.title, cell, view):
            finished = await session.send(cell.text, said)
        changes = await proposed(self._app.means, session.state.session_id, finished.turn_id, self._app.mask)
        self._turns[finished.turn_id] = collector.turn(finished, session.state, changes)
        while len(self._turns) > KEPT_TURNS:
            self._turns.popitem(last=False)
        if finished.stop_reason is StopReason.ANSWER and session.state.turns == 1:
            self._background(self._entitle(opened, cell.text, finished.answer))
        await self._learn_names()
        return finished

    async def _entitle(self, opened: Opened, question: str, answer: str) -> None:
        """Let a language model name the session, unless the person did meanwhile; what fails here is no news."""
        before = opened.session.state.title
        model = await self._app.model(opened.session.state.model)
        try:
            title = await title_by(model, question, answer) if model.info.host else ""
        except ModelError:
            return
        finally:
            await model.close()
        if title and opened.session.state.title == before:
            await opened.session.rename(title)

    def _background(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _session_for(self, cell: CellRequest) -> Opened:
        async with self._opening:
            if cell.options.new:
                self._current = await self._app.create(notebook=cell.where.notebook)
            elif cell.options.session:
                record = await self._app.ground.sessions.get(cell.options.session)
                self._current = await self._app.resume(record, notebook=cell.where.notebook)
            return await self._now(cell.where)

    async def _now(self, where: Where) -> Opened:
        """The notebook's current session: found again, or made (R-SESS-1)."""
        if self._current is not None and self._notebook == where.notebook:
            return self._current
        before, self._notebook = self._current, where.notebook
        if before is not None and where.notebook is not None:
            # The notebook was renamed under its kernel: its session goes with it.
            await self._app.ground.sessions.update(before.record.session_id, notebook=where.notebook)
            return before
        if before is not None:
            return before
        found = None
        if where.notebook is not None:
            cells = (where.cell_id,) if where.cell_id else ()
            found = await self._app.ground.sessions.for_notebook(where.notebook, cells)
        if found is None:
            self._current = await self._app.create(notebook=where.notebook)
        else:
            self._current = await self._app.resume(found, notebook=where.notebook)
        await self._learn_names()
        return self._current

    async def _apply(self, opened: Opened, cell: CellRequest) -> None:
        """Tier, plan, KBs and model of the options, from this turn on (R-NB-2); never up into a full tier."""
        options, session = cell.options, opened.session
        if options.tier is not None:
            current = session.state.tier
            if options.tier.full and options.tier.rank > current.rank:
                raise _not_entered(options.tier, cell)
            await session.set_tier(options.tier)
        if options.plan is not None:
            await session.set_plan(options.plan)
        if options.knowledge_bases:
            await session.select(await _chosen(self._app, cell))
        if options.model is not None:
            await session.use_model(options.model)

    def title(self, session_id: str) -> str:
        """A session's title, "" where it is not open here."""
        opened = self._app.opened(session_id)
        return opened.session.state.title if opened else ""

    async def places(self, citations: Sequence[Citation], where: Where) -> Mapping[str, Surroundings]:
        """Where the cited passages stand, by citation id."""
        reach = await self._app.reach((await self._now(where)).session.state.knowledge_bases)
        return await passages(citations, self._sources(reach, where))

    async def figures(
        self, view: TurnView, places: Mapping[str, Surroundings], where: Where
    ) -> Mapping[str, Surroundings]:
        """The places with the small pictures of a finished turn's record."""
        reach = await self._app.reach((await self._now(where)).session.state.knowledge_bases)
        cited = view.finished.citations if view.finished else ()
        return await illustrated(cited, places, wanted(view), self._sources(reach, where), self._app.ground.blobs)

    def _sources(self, reach: Reach, where: Where) -> Sources:
        return Sources(reach, self._app.ground.documents, where.folder, self._app.find_secrets)

    async def paper(self, citation: Citation, where: Where) -> SessionPaper | None:
        """The document of a citation, to be looked at; None for notes and where it is gone."""
        return await cited_paper(self._app, await self._now(where), citation, where.folder)

    async def turn(self, finished: TurnFinished) -> Turn:
        """The finished turn as an object."""
        return self._turns[finished.turn_id]

    async def command(self, words: tuple[str, ...], where: Where) -> CommandReply:
        """Run a `%orange` line. Raises OrangeError."""
        async with self._opening:
            opened = await self._now(where)
        if words[:1] == ("stop",):
            stopped = await opened.session.stop()
            return CommandReply(says(where.language)("stopped" if stopped else "idle"), {"ok": True})
        reply = await run_command(Standing(self._app, where, opened, self._use, _secret, _progress()), words)
        await self._learn_names()
        return reply

    async def review(self, where: Where, session_id: str | None = None, turn_id: str = "") -> SessionReview:
        """The changes of a session (None: the notebook's), or those of one of its turns."""
        opened = self._app.opened(session_id) if session_id else None
        if opened is None:
            async with self._opening:
                opened = await self._now(where)
        return review_of(self._app, opened, turn_id=turn_id)

    def _use(self, opened: Opened) -> None:
        self._current = opened

    async def stop(self, session_id: str | None = None) -> bool:
        """Stop the running turn of a session and wait for its end."""
        opened = self._app.opened(session_id) if session_id else self._current
        return await opened.session.stop() if opened else False

    async def set_tier(self, tier: Tier, *, session_id: str | None = None) -> Tier:
        """Change the tier; a full one asks the person."""
        return await (await self._meant(session_id)).session.set_tier(tier)

    async def set_plan(self, plan: bool, *, session_id: str | None = None) -> None:
        """Switch plan mode."""
        await (await self._meant(session_id)).session.set_plan(plan)

    async def _meant(self, session_id: str | None) -> Opened:
        opened = self._app.opened(session_id) if session_id else self._current
        if opened is None:
            raise UsageError("This session is not open in this kernel any more.")
        return opened

    def candidates(self) -> Candidates:
        """Names for completion, as they were after the last cell."""
        return self._candidates

    async def _learn_names(self) -> None:
        state = self._current.session.state if self._current else None
        self._candidates = await names(self._app, state) or self._candidates

    async def close(self) -> None:
        """Stop what runs and free everything."""
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)
        await self._app.close()


async def open_office(approver: Approver, where: Where) -> NotebookOffice:
    """Build the office for a notebook's folder. Raises ConfigError, StoreError."""
    app = await App.open(environment(), where.folder, approver)
    settings = await asyncio.to_thread(app.ground.settings)
    return NotebookOffice(app, strict=settings.headless.strict)


async def _chosen(app: App, cell: CellRequest) -> tuple[str, ...]:
    """The ids of the knowledge bases that a cell names. Raises UsageError."""
    bases = (await asyncio.to_thread(app.bases)).bases
    say = says(cell.where.language)
    return tuple(find(bases, word, say).id for word in cell.options.knowledge_bases)


def _not_entered(tier: Tier, cell: CellRequest) -> UsageError:
    say = says(cell.where.language)
    return UsageError(say("cell.tier", tier=tier), hint=say("cell.tier.hint", tier=tier))


def _progress() -> ReportProgress:
    """Shows a bar in the cell that runs now, from any thread; nothing where nobody looks on."""
    stage = STAGE.get()
    report: ReportProgress | None = getattr(stage, "report", None)
    return report if report is not None else lambda _what, _done, _total: None


async def _secret(question: str) -> str | None:
    stage = STAGE.get()
    ask: Callable[[str], object] | None = getattr(stage, "secret", None)
    if ask is None:
        raise UsageError("A key can be asked for in a notebook or terminal only.")
    answer = await ask(question)  # type: ignore[misc]
    return str(answer) if answer is not None else None


def _variables(cell: CellRequest) -> str:
    """The named variables (R-NB-2), each in a fence that is longer than any inside it."""
    shown = []
    for name, value in cell.variables:
        fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", value)), default=0))
        shown.append(f"{name} =\n{fence}\n{value[:VARIABLES]}\n{fence}")
    return "\n\n".join(["Variables of the notebook:", *shown]) if shown else ""
