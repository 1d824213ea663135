"""What a record shows of a long answer: its beginning and its end, and how much stands between them (R-SAVE-1)."""

from __future__ import annotations

from dataclasses import dataclass

from orange_jupyter.jupyter.landmarks import Landmarks, line_start
from orange_jupyter.jupyter.said import Said

WHOLE = 100_000
"""Characters of an answer that is shown whole; with 200,000 of HTML this keeps a record near 300 kB at most."""
WHOLE_LINES = 6000
"""Lines of it: 33,000 paragraphs of one letter took 2.4 s."""
CUT = 24_000
"""Characters that are shown of an answer that is longer than that: enough to know it, light for the page."""
SHARE = 0.6
"""The beginning's share of what is shown."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Beginning and end of an answer, code fences closed and opened again where it was cut. `cut` counts characters."""

    head: str
    tail: str = ""
    cut: int = 0


def excerpt(answer: str, *, whole: int = WHOLE) -> Excerpt:
    """The part of an answer that is shown: all of one of at most `whole` characters and WHOLE_LINES lines."""
    if len(answer) <= whole and answer.count("\n") < WHOLE_LINES:
        return Excerpt(answer)
    limit, lines = min(whole, CUT) if len(answer) > WHOLE else whole, WHOLE_LINES
    said = Said(0, answer)
    first = _few(answer[: int(limit * SHARE)], int(lines * SHARE))
    end = len(first) if len(first) < int(limit * SHARE) else max(first.rfind("\n"), len(first) // 2)
    last = answer[-int(limit * (1 - SHARE)) :].splitlines(keepends=True)[-int(lines * (1 - SHARE)) :]
    start = line_start(said, max(end, len(answer) - sum(map(len, last))))
    marks = Landmarks()
    while marks.follow(said):
        pass
    closing, opening = marks.at(said, end)[1], marks.at(said, start)[1]
    head = answer[:end] + (f"\n{closing}" if closing else "")
    return Excerpt(head, (f"{opening}\n" if opening else "") + answer[start:], start - end)


def _few(text: str, lines: int) -> str:
    return "".join(text.splitlines(keepends=True)[:lines])
