"""The page that a citation of the running answer opened, inside the turn's controls (R-UI-3, screen 6)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from orange_jupyter.core.citing import cited_ids
from orange_jupyter.core.errors import ToolError
from orange_jupyter.jupyter.entrance import Guard
from orange_jupyter.jupyter.inspector.messages import Message
from orange_jupyter.jupyter.inspector.paper import Others, Paper
from orange_jupyter.jupyter.strings import Language
from orange_jupyter.jupyter.view import TurnView

if TYPE_CHECKING:
    from orange_jupyter.jupyter.inspector.live import Inspection  # that module loads the Markdown parser
    from orange_jupyter.jupyter.turn_display import TurnDisplay


class CitedPages:
    """At most one inspection a turn: opening another citation closes it. Lives on the runtime's loop."""

    def __init__(self, guard: Guard, language: Language) -> None:
        self._guard = guard
        self._language: Language = language
        self._open: Inspection | None = None

    async def open(self, paper: Paper, display: TurnDisplay) -> bool:
        """Show a cited page in the controls; False where it cannot be read, so that the passage alone is shown."""
        from orange_jupyter.jupyter.inspector.live import Inspection

        def post(message: dict[str, Any], pictures: Sequence[bytes]) -> None:
            if display.stage.controls is not None:
                display.stage.controls.post(message, pictures)

        self.close()
        look = Inspection(paper, post, self._guard, self._language)
        look.others = others(display.view, paper.citation_id)
        if display.stage.controls is not None:
            look.quotation = display.stage.controls.quotation(paper.citation_id)
        try:
            await look.begin()
        except ToolError:
            return False
        self._open = look
        look.draw()
        return True

    def hear(self, message: Message) -> None:
        """Take what a person did in it."""
        if self._open is not None:
            self._open.hear(message)

    def close(self) -> None:
        """Read nothing more for it."""
        before, self._open = self._open, None
        if before is not None:
            before.close()


def others(view: TurnView, citation_id: str) -> Others:
    """Which of the passages that the answer cites on the same page this one is."""
    known = view.known
    this = known.get(citation_id)
    used = [known[one] for one in cited_ids(view.answer) if one in known]
    if this is None or this not in used:
        return Others()
    same = [one for one in used if (one.file_id, one.page, one.block) == (this.file_id, this.page, this.block)]
    return Others(same.index(this) + 1, len(same))
