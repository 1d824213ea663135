"""Where a text that does not stand in a file almost stands: hints with visible escapes, never used for an edit."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from orange_jupyter.core.changes.folding import Folded, difference, fold
from orange_jupyter.core.changes.likeness import likest
from orange_jupyter.core.visible import escape, is_invisible

_WIDTH = 160
_LOOKED_AT = 20
_ESCAPES = {"\t": "\\t", "\n": "\\n", "\r": "\\r"}


@dataclass(frozen=True, slots=True)
class NearMiss:
    """A place that looks alike: its `line` from 1, the file's own text there, shortened, with what cannot be seen as
    escapes, and `why` it did not match."""

    line: int
    shown: str
    why: str


def near_misses(text: str, old: str, *, most: int = 3) -> tuple[NearMiss, ...]:
    """At most `most` places, best first; the work is bounded for a file of 5 MB."""
    found = _same_to_the_eye(text, old, _LOOKED_AT) or [(one.at, one.why) for one in likest(text, old)[:_LOOKED_AT]]
    lines: dict[int, tuple[int, str]] = {}
    for at, why in found:  # a line is named once, for the first of its places
        lines.setdefault(text.count("\n", 0, at) + 1, (at, why))
    some = list(lines.items())[:most]
    return tuple(NearMiss(line, _shown(text, at), _visible(why)) for line, (at, why) in some)


def _same_to_the_eye(text: str, old: str, most: int) -> list[tuple[int, str]]:
    """Places that differ in case, composition, width, spaces, quotes or what is invisible, and nothing else."""
    folded = Folded(text, old)
    wanted = folded.of(old)
    found: list[tuple[int, str]] = []
    place = folded.text.find(wanted) if wanted else -1
    while place >= 0 and len(found) < most:
        start, end = _with_unseen_ends(text, folded.span(place, place + len(wanted)), old)
        at, why = difference(text[start:end], old)
        found.append((min(start + at, max(end - 1, start)), why))
        place = folded.text.find(wanted, place + len(wanted))
    return found


def _with_unseen_ends(text: str, span: tuple[int, int], old: str) -> tuple[int, int]:
    """The span with the spaces beside it, where what was given begins or ends with such."""
    start, end = span
    lead = old[: len(old) - len(old.lstrip())] or _unseen(old[0])
    trail = old[len(old.rstrip()) :] or _unseen(old[-1])
    while start and span[0] - start < _WIDTH and _beside(text[start - 1], lead):
        start -= 1
        if lead.startswith("\n") and text.count("\n", start, span[0]) == lead.count("\n"):
            break
    while end < len(text) and end - span[1] < _WIDTH and _beside(text[end], trail):
        end += 1
        if trail.endswith("\n") and text.count("\n", span[1], end) == trail.count("\n"):
            break
    return start, end


def _unseen(character: str) -> str:
    return "" if fold(character) else character


def _beside(character: str, given: str) -> bool:
    """Whether it belongs to the spaces that were given at an end; another line only where a line end was."""
    return bool(given) and not fold(character) and (character not in "\r\n" or "\n" in given)


def _shown(text: str, at: int) -> str:
    """The line around a place, at most 160 characters, cut ends as `…`."""
    low = text.rfind("\n", max(at - _WIDTH, 0), at) + 1
    high = text.find("\n", at, at + _WIDTH)
    high = len(text) if high < 0 else high
    left = _fitting((_escaped(text, n) for n in range(at - 1, low - 1, -1)), _WIDTH // 2 - 1)
    right = _fitting((_escaped(text, n) for n in range(at, high)), _WIDTH // 2 - 1)
    before = "" if at - len(left) == low else "…"
    after = "" if at + len(right) == high else "…"
    return f"{before}{''.join(reversed(left))}{''.join(right)}{after}"


def _fitting(units: Iterable[str], most: int) -> list[str]:
    done: list[str] = []
    for unit in units:
        most -= len(unit)
        if most < 0:
            break
        done.append(unit)
    return done


def _visible(text: str) -> str:
    return "".join(_escaped(text, number) for number in range(len(text)))


def _escaped(text: str, place: int) -> str:
    """One character, or its escape where it draws nothing, looks like a space, or is an accent of its own (NFD)."""
    one = text[place]
    if one in _ESCAPES:
        return _ESCAPES[one]
    if is_invisible(one) or (one != " " and unicodedata.category(one) == "Zs"):
        return escape(one)
    pair = text[max(place - 1, 0) : place + 1]
    if unicodedata.combining(one) and len(unicodedata.normalize("NFC", pair)) < len(pair):
        return escape(one)
    return one
