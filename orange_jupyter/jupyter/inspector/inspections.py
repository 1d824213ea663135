"""The open inspections of one kernel: each outlives its cell and works while another cell runs."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from orange_jupyter.jupyter.entrance import Guard
from orange_jupyter.jupyter.inspector.live import Inspection
from orange_jupyter.jupyter.inspector.messages import Message
from orange_jupyter.jupyter.inspector.paper import Leaf, Paper
from orange_jupyter.jupyter.inspector.record import Kept, figure_html, figure_markdown
from orange_jupyter.jupyter.people import Front
from orange_jupyter.jupyter.runtime import Runtime
from orange_jupyter.jupyter.screen import EMPTY, Screen
from orange_jupyter.jupyter.strings import Language

if TYPE_CHECKING:
    from orange_jupyter.jupyter.widgets.inspector import InspectorWidget

ALIVE = 12
"""Inspections of one kernel that stay alive; of older ones the figure stays."""


@dataclass(frozen=True, slots=True)
class Opened:
    """A file that is to be shown: what stays in the notebook, and what a live view needs beside it."""

    paper: Paper
    leaf: Leaf
    html: str
    markdown: str
    identity: str


async def opened(paper: Paper, language: Language) -> Opened:
    """Read the first part of a file and make the figure that stays. Raises ToolError."""
    leaf = await paper.leaf(paper.first)
    figure = await paper.figure(leaf)
    identity = f"oj-look-{secrets.token_hex(5)}"
    kept = Kept(paper, leaf, figure, language, identity)
    written, markdown = await asyncio.to_thread(lambda: (figure_html(kept), figure_markdown(kept)))
    return Opened(paper, leaf, written, markdown, identity)


class Inspections:
    """Lives on the runtime's loop."""

    def __init__(self, runtime: Runtime, guard: Guard) -> None:
        self._runtime = runtime
        self._guard = guard
        self._open: list[tuple[Inspection, InspectorWidget, Screen]] = []

    async def show(self, what: Opened, screen: Screen, language: Language) -> None:
        """Show a live view below what a cell's record shows, where a person can use one."""
        if screen.front is not Front.NOTEBOOK:
            return
        widget_class = await asyncio.to_thread(_widget_class)
        inspection: Inspection | None = None

        def hear(message: Message) -> None:  # on the kernel's thread: only enqueues
            if inspection is not None:
                self._runtime.call_soon(inspection.hear, message)

        widget = widget_class(hear, language=language, record=what.identity)
        inspection = Inspection(what.paper, widget.post, self._guard, language)
        await inspection.begin()
        screen.controls(_shown_as(widget))
        self._open.append((inspection, widget, screen))
        for old, its_widget, its_screen in self._open[:-ALIVE]:
            old.close()
            its_screen.remove_controls()
            its_widget.close()
        self._open = self._open[-ALIVE:]


def _widget_class() -> Callable[..., InspectorWidget]:
    """The widget's class; anywidget and ipywidgets are loaded with it."""
    from orange_jupyter.jupyter.widgets.inspector import InspectorWidget

    return InspectorWidget


def _shown_as(widget: InspectorWidget) -> dict[str, Any]:
    shown = widget._repr_mimebundle_()
    data: dict[str, Any] = shown[0] if isinstance(shown, tuple) else shown
    return data | EMPTY  # a page without widgets shows nothing instead of an object's address
