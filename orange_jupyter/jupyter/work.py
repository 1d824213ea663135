"""What a cell or a line does on the runtime's loop, from opening the office to the last display."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Coroutine, Mapping, MutableMapping
from typing import TYPE_CHECKING, Any

from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import RightsError
from orange_jupyter.core.events import TurnFinished
from orange_jupyter.jupyter.approver import STAGE
from orange_jupyter.jupyter.entrance import Entrance
from orange_jupyter.jupyter.figures import illustrable
from orange_jupyter.jupyter.inspector.cited import CitedPages
from orange_jupyter.jupyter.inspector.messages import AskPixels, AskSaw, Leave, Shut
from orange_jupyter.jupyter.inspector.messages import Turn as LookTurn
from orange_jupyter.jupyter.people import Front
from orange_jupyter.jupyter.ports import CellRequest, CommandReply, Office, Where
from orange_jupyter.jupyter.screen import Screen
from orange_jupyter.jupyter.stage import CellStage
from orange_jupyter.jupyter.strings import text
from orange_jupyter.jupyter.turn_display import TurnDisplay
from orange_jupyter.jupyter.widgets.messages import ChooseTier, LeaveQueue, Message, OpenPassage, StopTurn, SwitchPlan

if TYPE_CHECKING:
    from orange_jupyter.jupyter.sheet import Surroundings


class TurnWork:
    """One `%%orange` cell: its turn, its switches, its result."""

    def __init__(
        self, entrance: Entrance, request: CellRequest, display: TurnDisplay, names: MutableMapping[str, object]
    ) -> None:
        self._strict = self._stopped = False
        self._entrance = entrance
        self._request = request
        self._display = display
        self._names = names
        self._task: asyncio.Task[Any] | None = None
        self._switching: set[asyncio.Task[Any]] = set()
        self._look = CitedPages(entrance.guard, request.where.language)
        display.stage.act = self._act

    @property
    def stage(self) -> CellStage:
        """Where the turn's controls are."""
        return self._display.stage

    @property
    def missed_person(self) -> bool:
        """Whether something was refused because nobody is here, where that must raise (`headless.strict`)."""
        nobody = self._display.screen.front is Front.NOBODY
        return self._strict and nobody and self._display.needed_person

    def stop(self) -> None:
        """Stop the turn; from any thread."""
        self._entrance.runtime.call_soon(self._stop)

    async def run(self) -> None:
        """Open the office, run the turn, leave its record. Raises OrangeError where the turn could not begin."""
        STAGE.set(self._display.stage)
        async with self._display.drawing():
            self._task = asyncio.create_task(self._send())
            await asyncio.wait({self._task})
        self._look.close()
        if not self._task.cancelled():
            self._task.result()
        if self._display.finished is None:
            self._display.screen.fail(text(self._request.where.language, "state.stopped"))
            return
        await self._leave(await self._entrance.office(self._request.where), self._display.finished)

    async def _send(self) -> None:
        office, _ = await asyncio.gather(self._entrance.office(self._request.where), self._display.stage.prepare())
        self._strict = office.strict
        await office.send(self._request, view=self._display)

    async def _leave(self, office: Office, finished: TurnFinished) -> None:
        options, started = self._request.options, self._display.view.started
        self._entrance.afterwards.leave(self._request.where)
        if options.out or options.json:
            turn = await office.turn(finished)
            if options.out:
                self._names[options.out] = turn
            if options.json:
                self._display.screen.record(_as_json(turn.document()))
                return
        self._display.session = office.title(started.session_id) if started else ""
        places = await office.places(finished.citations, self._request.where)
        await self._display.settle(places)
        view = self._display.view
        await self._entrance.guard(self._review(office, finished), self._display.tell)
        pages = self._entrance.afterwards.follow(office, self._display, self._request.where, places)
        await self._entrance.guard(pages, self._display.tell)
        figures = await self._figures(office, places)
        if figures is not places or self._display.view is not view:  # or the review failed: the record says so
            await self._display.settle(figures)

    async def _figures(self, office: Office, places: Mapping[str, Surroundings]) -> Mapping[str, Surroundings]:
        """The places with pictures, made after the record has come, so that nothing waits for them; Stop ends it."""
        drawn = self._display.screen.front is not Front.TERMINAL and illustrable(self._display.view)
        if self._stopped or not drawn:
            return places
        found: dict[str, Surroundings] = {}

        async def draw() -> None:
            found.update(await office.figures(self._display.view, places, self._request.where))

        self._task = task = asyncio.create_task(self._entrance.guard(draw(), self._display.tell))
        await asyncio.wait({task})
        return found or places

    async def _review(self, office: Office, finished: TurnFinished) -> None:
        """Show the changes that the turn proposed below its record, to be decided while other cells run."""
        reviews, started, where = self._entrance.reviews, self._display.view.started, self._request.where
        await reviews.refresh()
        review = await office.review(where, started.session_id if started else None, finished.turn_id)
        await reviews.show(review, self._display.screen, where.language)

    def _stop(self) -> None:
        """Cancel once: a second press must not cut the turn's end short."""
        self._stopped = True
        if self._task is not None and not self._task.cancelling():
            self._display.stopping()
            self._task.cancel()

    def _act(self, message: Message) -> None:
        match message:
            case StopTurn() | LeaveQueue():
                self._stop()
            case ChooseTier() | SwitchPlan():
                self._beside(self._switch(message))
            case OpenPassage():
                self._beside(self._open(message.citation_id))
            case LookTurn() | Leave() | AskSaw() | AskPixels() | Shut():
                self._look.hear(message)
            case _:
                return

    def _beside(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(self._entrance.guard(work, self._display.tell))
        self._switching.add(task)
        task.add_done_callback(self._switching.discard)

    async def _open(self, citation_id: str) -> None:
        citation = self._display.view.known.get(citation_id)
        if citation is None:
            return
        office = await self._entrance.office(self._request.where)
        paper = await office.paper(citation, self._request.where)
        if paper is not None and await self._look.open(paper, self._display):
            return
        places = await office.places((citation,), self._request.where)
        if (controls := self._display.stage.controls) is not None:
            controls.show_passage(citation, places.get(citation_id) or nowhere())

    async def _switch(self, message: ChooseTier | SwitchPlan) -> None:
        office = await self._entrance.office(self._request.where)
        started = self._display.view.started
        session = started.session_id if started else None
        if isinstance(message, ChooseTier):
            await office.set_tier(message.tier, session_id=session)
        else:
            await office.set_plan(message.on, session_id=session)


class LineWork:
    """One `%orange` line."""

    def __init__(
        self, entrance: Entrance, words: tuple[str, ...], where: Where, screen: Screen, stage: CellStage
    ) -> None:
        self._entrance = entrance
        self._words = words
        self._where = where
        self._screen = screen
        self._stage = stage
        self._task: asyncio.Task[CommandReply] | None = None
        self.missed_person = False
        """Whether it was refused because nobody is here, where that must raise (`headless.strict`)."""
        stage.act = self._act

    def stop(self) -> None:
        """Stop the command; from any thread."""
        self._entrance.runtime.call_soon(self._stop)

    async def run(self) -> None:
        """Run the command and show its reply. Raises OrangeError."""
        STAGE.set(self._stage)
        self._task = asyncio.create_task(self._command())
        await asyncio.wait({self._task})
        if self._task.cancelled():
            self._screen.fail(text(self._where.language, "state.stopped"))
        else:
            await self._leave(self._task.result())

    async def _leave(self, reply: CommandReply) -> None:
        reviews = self._entrance.reviews
        if self._words[:1] in (("changes",), ("undo",)):
            await reviews.refresh()
        if reply.review is None or not await reviews.show(reply.review, self._screen, self._where.language):
            self._screen.record(shown_reply(reply))
        if reply.pages is not None:
            await self._entrance.inspections.show(reply.pages, self._screen, self._where.language)

    async def _command(self) -> CommandReply:
        office = await self._entrance.office(self._where)
        try:
            return await office.command(self._words, self._where)
        except RightsError as error:
            self.missed_person = office.strict and error.code is Code.NEEDS_PERSON
            raise

    def _act(self, message: Message) -> None:
        if isinstance(message, StopTurn | LeaveQueue):
            self._stop()

    def _stop(self) -> None:
        if self._task is not None:
            self._task.cancel()


def nowhere() -> Surroundings:
    """The place of a passage that cannot be found; that module loads the Markdown parser."""
    from orange_jupyter.jupyter.sheet import Surroundings

    return Surroundings()


def told(markdown: str) -> dict[str, Any]:
    """The display of Markdown that was written here."""
    plain = re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", markdown)  # Markdown's own escapes are for Markdown
    return {"text/markdown": markdown, "text/plain": plain}


def shown_reply(reply: CommandReply) -> dict[str, Any]:
    """The display of what a line answers."""
    return told(reply.markdown) | ({"text/html": reply.html} if reply.html is not None else {})


def _as_json(document: dict[str, Any]) -> dict[str, Any]:
    return {"application/json": document, "text/plain": json.dumps(document, ensure_ascii=False, indent=2)}
