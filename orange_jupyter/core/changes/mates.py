"""Which removed and added lines correspond, so that marks show what changed in a line rather than that it did."""

from __future__ import annotations

from orange_jupyter.core.changes.lines import body
from orange_jupyter.core.changes.words import alike, tokens

_MOST_ALIGNED, _MOST_LINES = 400, 500
"""Blocks with at most so many pairs of lines are aligned; larger ones go line by line, and beyond that not at all."""
_LEAST_ALIKE = 0.3


def mates(old: list[str], new: list[str]) -> list[tuple[int, int]]:
    """Rising pairs of indices of removed and added lines: the most alike ones together."""
    if len(old) == len(new) == 1:
        return [(0, 0)]
    if max(len(old), len(new)) > _MOST_LINES:
        return []
    ours, theirs = ([tokens(body(line)) for line in side] for side in (old, new))
    if len(old) * len(new) > _MOST_ALIGNED:
        both = zip(ours, theirs, strict=False)
        return [(number, number) for number, (one, other) in enumerate(both) if _alike(one, other)]
    return _aligned([[_alike(one, other) for other in theirs] for one in ours], len(new))


def _aligned(score: list[list[float]], width: int) -> list[tuple[int, int]]:
    """The rising pairs with the greatest sum of scores; those that score nothing are none."""
    height = len(score)
    best = [[0.0] * (width + 1) for _ in range(height + 1)]
    for row in reversed(range(height)):
        for column in reversed(range(width)):
            both = score[row][column] and score[row][column] + best[row + 1][column + 1]
            best[row][column] = max(best[row + 1][column], best[row][column + 1], both)
    found: list[tuple[int, int]] = []
    row = column = 0
    while row < height and column < width:
        if score[row][column] and best[row][column] == score[row][column] + best[row + 1][column + 1]:
            found.append((row, column))
            row, column = row + 1, column + 1
        elif best[row][column] == best[row + 1][column]:
            row += 1
        else:
            column += 1
    return found


def _alike(one: list[str], other: list[str]) -> float:
    degree = alike(one, other)
    return degree if degree >= _LEAST_ALIKE else 0.0
