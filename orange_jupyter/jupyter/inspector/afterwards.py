"""Citations in the record of a turn that has ended open their page, as long as the kernel lives (R-UI-3).

The record itself has no script; one widget below it, which shows nothing, hears what is pressed there. Where it is
gone, a citation opens what the record holds.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from orange_jupyter.core.corpus import Citation
from orange_jupyter.jupyter.entrance import Guard
from orange_jupyter.jupyter.inspector.cited import others
from orange_jupyter.jupyter.inspector.messages import Cite, Drawn, Message
from orange_jupyter.jupyter.inspector.paper import UNITS, Others, Paper
from orange_jupyter.jupyter.people import Front
from orange_jupyter.jupyter.ports import Office, Where
from orange_jupyter.jupyter.runtime import Runtime
from orange_jupyter.jupyter.screen import EMPTY, Screen
from orange_jupyter.jupyter.strings import Language
from orange_jupyter.jupyter.turn_display import TurnDisplay
from orange_jupyter.jupyter.view import TurnView

if TYPE_CHECKING:
    from orange_jupyter.jupyter.inspector.live import Inspection, Post  # that module loads the Markdown parser
    from orange_jupyter.jupyter.sheet import Surroundings
    from orange_jupyter.jupyter.widgets.inspector import CitedWidget

ALIVE = 40
"""Turns of one kernel whose citations open pages; those of older ones open what their record holds."""

Find = Callable[[Citation], Awaitable[Paper | None]]
"""The document of a citation, looked up anew; None where it cannot be found."""


@dataclass(frozen=True, slots=True)
class Source:
    """A cited document: its citation, its number in the record, which of its page's passages it is, and the quotation
    that the passage did not hold when the record was written."""

    citation: Citation
    number: int
    others: Others
    missing: str | None


@dataclass(frozen=True, slots=True)
class Cited:
    """The documents that a record cites, by citation id; `prefix` begins the HTML ids of the record `record`."""

    record: str
    prefix: str
    sources: Mapping[str, Source]


def cited(view: TurnView, language: Language, places: Mapping[str, Surroundings]) -> Cited | None:
    """What the record of this turn cites and the inspector can show; None without any."""
    from orange_jupyter.jupyter.record import record_id
    from orange_jupyter.jupyter.sheet import sheet

    if view.started is None or not any(one.file_type in UNITS for one in view.known.values()):
        return None
    citing = sheet(view, language, view.started.number, "", places).citing
    sources = {
        one.citation_id: Source(one, number, others(view, one.citation_id), citing.missing.get(one.citation_id))
        for number, one in enumerate(citing.used, 1)
        if one.file_type in UNITS
    }
    return Cited(record_id(view.started.turn_id), citing.prefix, sources) if sources else None


class TurnPages:
    """The pages of one turn: at most one is open, and at most one is being opened. Lives on the runtime's loop."""

    def __init__(self, sources: Mapping[str, Source], find: Find, guard: Guard, language: Language) -> None:
        self._sources = sources
        self._find = find
        self._guard = guard
        self._language: Language = language
        self._look: Inspection | None = None
        self._opening: asyncio.Task[Any] | None = None
        self.post: Post = lambda *_: None

    def hear(self, message: Message | Cite) -> None:
        """Take what a person did; a citation that this turn's record does not have is not answered."""
        match message:
            case Drawn():
                self._tell("ready")
            case Cite() if (source := self._sources.get(message.citation_id)) is not None:
                self.close()
                self._tell("opening", message.citation_id)
                self._opening = asyncio.create_task(self._guarded(source))
            case Cite():
                return
            case _ if self._look is not None:
                self._look.hear(message)

    def close(self) -> None:
        """Read nothing more."""
        look, self._look = self._look, None
        if look is not None:
            look.close()
        if self._opening is not None:
            self._opening.cancel()

    async def _guarded(self, source: Source) -> None:
        def failed(*_: str | None) -> None:
            self._tell("static", source.citation.citation_id)

        await self._guard(self._open(source), failed)

    async def _open(self, source: Source) -> None:
        """Show the page; where it cannot be read the record's own passage. Raises OrangeError."""
        from orange_jupyter.jupyter.inspector.live import Inspection

        paper = await self._find(source.citation)
        if paper is None:
            self._tell("static", source.citation.citation_id)
            return
        look = Inspection(paper, self.post, self._guard, self._language)
        look.others, look.quotation = source.others, source.missing
        await look.begin()
        self._look = look
        look.draw()

    def _tell(self, what: str, citation_id: str = "") -> None:
        self.post({"type": "inspect", "what": what, "citation": citation_id}, ())


@dataclass(frozen=True, slots=True)
class _Alive:
    where: Where
    pages: TurnPages
    widget: CitedWidget
    screen: Screen

    def close(self) -> None:
        self.pages.close()
        self.screen.remove_ear()
        self.widget.close()


class Afterwards:
    """The finished turns of one kernel. Lives on the runtime's loop."""

    def __init__(self, runtime: Runtime, guard: Guard) -> None:
        self._runtime = runtime
        self._guard = guard
        self._open: list[_Alive] = []

    async def follow(
        self, office: Office, display: TurnDisplay, where: Where, places: Mapping[str, Surroundings]
    ) -> None:
        """Let the citations of a record that was just written open pages, where a person can press them."""
        if display.screen.front is not Front.NOTEBOOK:
            return
        turn = await asyncio.to_thread(cited, display.view, where.language, places)
        if turn is None:
            return
        widget_class = await asyncio.to_thread(_widget_class)
        pages = TurnPages(turn.sources, lambda one: office.paper(one, where), self._guard, where.language)

        def hear(message: Message | Cite) -> None:  # on the kernel's thread: only enqueues
            self._runtime.call_soon(pages.hear, message)

        numbers = {str(one.number): name for name, one in turn.sources.items()}
        widget = widget_class(hear, language=where.language, record=turn.record, prefix=turn.prefix, cited=numbers)
        pages.post = widget.post
        display.screen.ear(_shown_as(widget))
        self._open.append(_Alive(where, pages, widget, display.screen))
        for old in self._open[:-ALIVE]:
            old.close()
        self._open = self._open[-ALIVE:]

    def leave(self, where: Where) -> None:
        """The cell was run again: nothing is listened to in its record before."""
        if where.cell_id is None:
            return
        for old in [one for one in self._open if (one.where.notebook, one.where.cell_id) == _cell(where)]:
            self._open.remove(old)
            old.close()


def _cell(where: Where) -> tuple[str | None, str | None]:
    return where.notebook, where.cell_id


def _widget_class() -> Callable[..., CitedWidget]:
    """The widget's class; anywidget and ipywidgets are loaded with it."""
    from orange_jupyter.jupyter.widgets.inspector import CitedWidget

    return CitedWidget


def _shown_as(widget: CitedWidget) -> dict[str, Any]:
    shown = widget._repr_mimebundle_()
    data: dict[str, Any] = shown[0] if isinstance(shown, tuple) else shown
    return data | EMPTY  # a page without widgets shows nothing instead of an object's address
