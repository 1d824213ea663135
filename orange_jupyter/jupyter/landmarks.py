"""Where lines and code fences stand in a text that grows: how a view begins in its middle."""

from __future__ import annotations

import re
from bisect import bisect_right

from orange_jupyter.jupyter.said import Said

APART = 16_384
"""Characters between two marks."""
AT_ONCE = 2_000_000
"""Characters that are looked through in one drawing: 10 ms."""
_LEAD = re.compile(r"(?:^|\n) {0,3}$")
_FENCE = re.compile(r"(`{3,}|~{3,})([^\n]*)")


class Landmarks:
    """Marks of one text, each (place, lines before it, the fence that is open there). Owned by the view thread."""

    def __init__(self) -> None:
        self._places = [0]
        self._marks: list[tuple[int, str]] = [(0, "")]

    def follow(self, said: Said) -> bool:
        """Mark what has come since; True where a great deal came at once, so that another call marks more."""
        end = min(len(said), self._places[-1] + AT_ONCE)
        while self._places[-1] + 2 * APART <= end:
            start = self._places[-1]
            text = said.between(start, start + APART)
            text = text[: text.rfind("\n") + 1] or text  # a fence is never cut in two, unless a line is that long
            lines, fence = self._marks[-1]
            self._places.append(start + len(text))
            self._marks.append((lines + text.count("\n"), _open_after(text, fence)))
        return end < len(said)

    def at(self, said: Said, place: int) -> tuple[int, str]:
        """(lines before a place, the fence that is open there)."""
        mark = bisect_right(self._places, place) - 1
        lines, fence = self._marks[mark]
        text = said.between(self._places[mark], min(place, self._places[mark] + AT_ONCE))
        near = len(text) <= 4 * APART  # else what came is not marked yet, and too much to look through now
        return lines + text.count("\n"), _open_after(text, fence) if near else fence


def line_start(said: Said, place: int) -> int:
    """The first begin of a block or a line within the next 2,000 characters, else the place itself."""
    near = said.between(place, place + 2000)
    for mark in ("\n\n", "\n"):
        found = near.find(mark)
        if found >= 0:
            return place + found + len(mark)
    return place


def _open_after(text: str, fence: str) -> str:
    """The fence that is open after a text in which `fence` was open at its start; "" for none."""
    place = 0
    for at in _marks(text):
        found = _FENCE.match(text, at)
        if found is None or at < place or not _LEAD.search(text, max(0, at - 4), at):
            continue
        mark, rest = found.groups()
        if not fence:
            fence = mark
        elif mark.startswith(fence) and not rest.strip():
            fence = ""
        place = found.end()
    return fence


def _marks(text: str) -> list[int]:
    """Where three backticks or tildes stand; `find` is many times faster than a pattern."""
    places: list[int] = []
    for mark in ("```", "~~~"):
        at = text.find(mark)
        while at >= 0:
            places.append(at)
            at = text.find(mark, at + 3)
    return sorted(places)
