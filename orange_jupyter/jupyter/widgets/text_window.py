"""The newest part of a streaming text, rendered; earlier parts in pages when they are asked for (R-UI-1).

However long the text is, a window holds about NODES nodes and renders at most BACKLOG characters a drawing.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from orange_jupyter.jupyter.citing import Citing, Reading
from orange_jupyter.jupyter.landmarks import Landmarks, line_start
from orange_jupyter.jupyter.markdown import OPEN_LIMIT, BlockStream, as_written, nodes, render_blocks
from orange_jupyter.jupyter.said import Said
from orange_jupyter.jupyter.strings import Language
from orange_jupyter.jupyter.widgets.folds import fold, part

BACKLOG = OPEN_LIMIT
"""Characters that one drawing renders at most (20 ms); of more that came at once only the newest are rendered."""
KEPT = 8_000
"""Characters of them that are."""
OPEN_LINES = 600
"""Lines that one drawing renders at most."""
NODES = 2400
"""Nodes of the closed blocks that stay in the page; half of them go when there are more."""
PAGE = 8_000
"""Characters of a page of earlier text."""


class TextWindow:
    """One text of a turn as the controls show it. Owned by the view thread.

    `run` changes when the front end must begin anew; `first` counts the closed blocks that were dropped in this run.
    """

    def __init__(self, name: str, citing: Citing, language: Language) -> None:
        self.citing = citing
        self._name = name
        self._language: Language = language
        self._said = Said(0, "")
        self._marks = Landmarks()
        self._page: int | None = None
        self._open = ""
        self._run = 0
        self._begin_at(0)

    @property
    def weight(self) -> int:
        """About how many nodes this text makes in a page."""
        return sum(map(nodes, self._stream.closed)) + nodes(self._open) + 6

    def feed(self, said: Said) -> None:
        """Take the text so far. One that is not the last one with more at its end begins anew."""
        if not said.continues(self._said):
            self.citing = replace(self.citing, numbers={}, missing={}, reading=Reading())
            self._marks, self._page = Landmarks(), None
            self._begin_at(0)
        self._said = said
        self._marks.follow(said)
        tail = self._tail(said) if len(said) - self._begin - self._stream.offset <= BACKLOG else None
        if tail is None or tail.count("\n") > OPEN_LINES:
            tail = self._skip(said)
        self._open = self._stream.take(tail)
        self._trim()

    def turn_to(self, page: int) -> None:
        """Unfold a page of earlier text; any other number folds it."""
        self._page = page if 0 <= page < self._pages else None

    def entry(self) -> dict[str, Any]:
        """What the front end draws."""
        return {
            "kind": "said",
            "first": self._first,
            "closed": list(self._stream.closed),
            "open": self._open,
            "live": not self._said.done,
            "run": self._run,
            "fold": self._fold() if self._from else None,
        }

    @property
    def _pages(self) -> int:
        return -(-self._from // PAGE)

    def _begin_at(self, place: int) -> None:
        """Show the text from a place on."""
        self._begin = self._from = place
        self._opening = ""
        self._stream = BlockStream(self.citing)
        self._first = 0
        self._run += 1

    def _skip(self, said: Said) -> str:
        """Begin again near the end; returns the text from there, inside the fence that is open there."""
        place = line_start(said, len(said) - KEPT)
        newest = said.between(place, len(said)).splitlines(keepends=True)[-OPEN_LINES // 2 :]
        self._begin_at(len(said) - sum(map(len, newest)))
        _, fence = self._marks.at(said, self._begin)
        self._opening = f"{fence}\n" if fence else ""
        return self._opening + "".join(newest)

    def _tail(self, said: Said) -> str:
        """The open block and what has come since."""
        place = self._stream.offset - len(self._opening)
        if place < 0:
            return self._opening + said.between(self._begin, len(said))
        return said.between(self._begin + place, len(said))

    def _trim(self) -> None:
        """Drop the oldest closed blocks where there are too many nodes."""
        weights = [nodes(block) for block in self._stream.closed]
        left, gone = sum(weights), 0
        if left <= NODES:
            return
        while left > NODES // 2 and gone < len(weights) - 1:
            left -= weights[gone]
            gone += 1
        if gone:
            self._from = self._begin + self._stream.ends[gone - 1] - len(self._opening)
        self._stream.forget(gone)
        self._first += gone

    def _fold(self) -> dict[str, Any]:
        lines, _ = self._marks.at(self._said, self._from)
        shown: dict[str, Any] = {"part": "", "blocks": ""}
        if self._page is not None and self._page < self._pages:
            shown = self._unfolded(self._page)
        bar = fold(self._name, self._language, lines=max(1, lines), page=self._page, pages=self._pages)
        return bar | shown

    def _unfolded(self, page: int) -> dict[str, Any]:
        start = line_start(self._said, page * PAGE) if page else 0
        end = min(line_start(self._said, (page + 1) * PAGE), self._from)
        source = self._said.between(start, end)
        before, fence = self._marks.at(self._said, start)
        marked = f"{fence}\n{source}" if fence else source
        citing = replace(self.citing, numbers=dict(self.citing.numbers), missing={}, reading=Reading())
        written = "".join(render_blocks(marked, citing)) if source.count("\n") <= OPEN_LINES else ""
        if not written or nodes(written) > NODES // 2:
            written = as_written(source)
        return {"part": part(self._language, before + 1, before + max(1, source.count("\n"))), "blocks": written}
