"""Marks within a line: what a change of a line changed, by words, and in Chinese by characters (R-CHG-12)."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import groupby

from orange_jupyter.core.changes.lines import shared_ends

# Han, kana, bopomofo, hangul: one character is one token.
_CJK = (
    "\u1100-\u11ff\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3031-\u318f\u31a0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff66-\uff9f\U0001b000-\U0001b2ff\U00020000-\U0003ffff"
)
# What is drawn on the character before it: accents, vowel signs, variation selectors, a joiner and what it joins.
_MARKS = (
    "\u0300-\u036f\u0483-\u0489\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed\u1ab0-\u1aff\u1dc0-\u1dff"
    "\u20d0-\u20ff\u302a-\u302f\u3099\u309a\ufe00-\ufe0f\ufe20-\ufe2f\U0001f3fb-\U0001f3ff\U000e0100-\U000e01ef"
)
_INDIC = "\u0900-\u0dff\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
_ON = f"(?:[{_MARKS}]|\u200d.)*"
_TOKEN = re.compile(
    rf"[{_CJK}]{_ON}"
    rf"|\d+(?:[.,]\d+)*{_ON}"
    rf"|(?:(?![{_CJK}])[\w{_INDIC}{_MARKS}])+(?:['’](?:(?![{_CJK}\d])\w)+)*"
    rf"|[ \t]+"
    rf"|.{_ON}",
    re.DOTALL,
)
_MOST_TOKENS = 2000
_MOST_WORK = 50_000
_SMALL = 8
_FARTHEST = 200
_LEAST_ALIKE = 0.3


@dataclass(frozen=True, slots=True)
class Run:
    """A stretch of a line, and whether the change put it in or took it away."""

    text: str
    changed: bool


Runs = tuple[Run, ...]


@dataclass(slots=True)
class _Part:
    old: str
    new: str
    same: bool


def tokens(line: str) -> list[str]:
    """Words, numbers with their decimal point, spaces, single CJK characters and signs; together they are the line."""
    return _TOKEN.findall(line)


def alike(before: Sequence[str], after: Sequence[str]) -> float:
    """How much of both sides' tokens, spaces left out, the other has too: 0 to 1."""
    ours, theirs = (Counter(one for one in side if not one.isspace()) for side in (before, after))
    size = ours.total() + theirs.total()
    return 2 * (ours & theirs).total() / size if size else 1.0


def marked(before: str, after: str) -> tuple[Runs, Runs]:
    """A line before and after a change, as runs that together give exactly it.

    Small bits between changes count as changed, so that a mark reads as one; lines that share little, or have too many
    tokens in what differs (2,000), are marked whole.
    """
    parts = _parts(tokens(before), tokens(after))
    _join_small(parts)
    kept = sum(_width(part.new) for part in parts if part.same)
    if kept < _LEAST_ALIKE * min(_width(before), _width(after)):
        parts = [_Part(before, after, same=False)]
    return _runs([(part.old, part.same) for part in parts]), _runs([(part.new, part.same) for part in parts])


def unmarked(line: str) -> Runs:
    """A line without marks."""
    return _runs([(line, True)])


def whole(line: str) -> Runs:
    """A line that is new or gone as a whole."""
    return _runs([(line, False)])


def _parts(old: list[str], new: list[str]) -> list[_Part]:
    head, tail = shared_ends(old, new)
    first, last = "".join(old[:head]), "".join(old[len(old) - tail :])
    middle = _compared(old[head : len(old) - tail], new[head : len(new) - tail])
    parts = [_Part(first, first, same=True), *middle, _Part(last, last, same=True)]
    for left, part, right in zip(parts, parts[1:], parts[2:], strict=False):
        if left.same and right.same and not part.same and "" in (part.old, part.new):
            _slide(left, part, right)
    return parts


def _slide(left: _Part, part: _Part, right: _Part) -> None:
    """Of the places where an insertion or deletion could as well be, take one that begins or ends beside a sign."""
    text = part.old or part.new
    line = left.new + text + right.new
    first, last, size = len(left.new), len(left.new), len(text)
    while first and last - first < _FARTHEST and line[first - 1] == line[first - 1 + size]:
        first -= 1
    while last + size < len(line) and last - first < _FARTHEST and line[last] == line[last + size]:
        last += 1
    here = len(left.new)
    best = max(range(first, last + 1), key=lambda at: (_edges(line, at, size), at == here))
    left.old = left.new = line[:best]
    right.old = right.new = line[best + size :]
    moved = line[best : best + size]
    part.old, part.new = (moved, "") if part.old else ("", moved)


def _edges(line: str, at: int, size: int) -> int:
    """How well a mark of `[at, at + size)` stands: one for each end that does not lie between two word characters."""
    edges = (at, at + size)
    return sum(edge in (0, len(line)) or not (line[edge - 1] + line[edge]).isalnum() for edge in edges) - sum(
        unicodedata.combining(line[edge]) > 0 for edge in edges if edge < len(line)
    )


def _compared(old: list[str], new: list[str]) -> list[_Part]:
    if max(len(old), len(new)) > _MOST_TOKENS or not old or not new or _work(old, new) > _MOST_WORK:
        return [_Part("".join(old), "".join(new), same=False)]
    # A space starts no match, it only continues one: a thousand equal spaces would cost their square.
    matcher = SequenceMatcher(str.isspace, old, new, autojunk=False)
    return [
        _Part("".join(old[start:end]), "".join(new[first:last]), same=tag == "equal")
        for tag, start, end, first, last in matcher.get_opcodes()
    ]


def _work(old: list[str], new: list[str]) -> int:
    """How many pairs of equal tokens there are: what each step of the comparison looks at, at most."""
    counts = Counter(token for token in old if not token.isspace())
    return sum(counts[token] for token in new)


def _join_small(parts: list[_Part]) -> None:
    """Common bits between two changes that are no longer than either, or only space, become part of the change."""
    small: list[_Part] = []
    for left, part, right in zip(parts, parts[1:], parts[2:], strict=False):
        if part.same and not left.same and not right.same and (part.new.isspace() or _is_small(left, part, right)):
            small.append(part)
    for part in small:
        part.same = False


def _is_small(left: _Part, part: _Part, right: _Part) -> bool:
    changes = [max(_width(one.old), _width(one.new)) for one in (left, right)]
    return _width(part.new) <= min(_SMALL, *changes)


def _width(text: str) -> int:
    """Columns: a character that is no ASCII counts for two, as Chinese does."""
    return len(text) if text.isascii() else sum(1 if one < "\u1100" else 2 for one in text)


def _runs(pieces: Sequence[tuple[str, bool]]) -> Runs:
    some = [(text, same) for text, same in pieces if text]
    grouped = groupby(some, key=lambda one: one[1])
    return tuple(Run("".join(text for text, _ in group), not same) for same, group in grouped)
