"""Which items of a turn are drawn: the newest, every card that waits, and the page of earlier ones that is unfolded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from orange_jupyter.core.corpus import Citation
from orange_jupyter.jupyter.strings import Language
from orange_jupyter.jupyter.view import Card, Item, Line
from orange_jupyter.jupyter.widgets.folds import fold, gap, part

ITEMS = "items"
"""The name of the bar over earlier items."""
NODES = 2800
"""Nodes that the newest items make in a page; half of them are folded when there are more."""
PAGE = 40
"""Items of a page of earlier ones."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """The places of the items that are drawn. `folded` items are not, but those of page `page`."""

    places: tuple[int, ...]
    folded: int
    page: int | None

    def before(self, place: int, language: Language) -> dict[str, dict[str, Any]]:
        """The bars that stand before an item."""
        found: dict[str, dict[str, Any]] = {}
        if not self.folded:
            return found
        if place == self.places[0]:
            found["fold-items"] = self._bar(language)
        if self.page is not None and place == self.folded and self._end < self.folded:
            found["fold-rest"] = gap(language, self._end + 1, self.folded)
        return found

    @property
    def _end(self) -> int:
        return min(((self.page or 0) + 1) * PAGE, self.folded)

    def _bar(self, language: Language) -> dict[str, Any]:
        bar = fold(ITEMS, language, lines=self.folded, page=self.page, pages=-(-self.folded // PAGE))
        shown = "" if self.page is None else part(language, self.page * PAGE + 1, self._end)
        return bar | {"part": shown, "blocks": ""}


class ItemWindow:
    """Moves its beginning on as a turn grows, in strides, so that little moves under the eyes of a reader."""

    def __init__(self) -> None:
        self._first = 0
        self._page: int | None = None

    def turn_to(self, page: int) -> None:
        """Unfold a page of earlier items; any other number folds it."""
        self._page = page if 0 <= page * PAGE < self._first else None

    def choose(self, items: Sequence[Item], weight: Callable[[int], int]) -> Chosen:
        """What is drawn of the items; `weight` says how many nodes the one at a place makes."""
        if self._first > len(items):
            self._first, self._page = 0, None
        self._advance(len(items), weight)
        places = set(range(self._first, len(items)))
        for place in range(self._first):
            item = items[place]
            if isinstance(item, Card) and item.ended is None:
                places.add(place)
        if self._page is not None:
            places |= set(range(self._page * PAGE, min((self._page + 1) * PAGE, self._first)))
        return Chosen(tuple(sorted(places)), self._first, self._page)

    def _advance(self, count: int, weight: Callable[[int], int]) -> None:
        total = 0
        half = count
        for place in range(count - 1, self._first - 1, -1):
            total += weight(place)
            if total <= NODES // 2 or place == count - 1:
                half = place
            if total > NODES:
                self._first = half
                return


class Known:
    """The citations that a turn's tools gave, gathered as the turn goes on, without walking it all again."""

    def __init__(self) -> None:
        self.citations: dict[str, Citation] = {}
        self._settled = 0

    def follow(self, items: Sequence[Item]) -> None:
        """Take what has come since."""
        settled = True
        for place in range(min(self._settled, len(items)), len(items)):
            item = items[place]
            if isinstance(item, Line) and item.finished is not None:
                self.citations |= {one.citation_id: one for one in item.finished.citations}
            settled = settled and not (isinstance(item, Line) and item.finished is None)
            if settled:
                self._settled = place + 1
