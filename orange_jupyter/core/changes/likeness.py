"""The lines of a text that are most alike to one that does not stand in it; the work is bounded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

from orange_jupyter.core.changes.words import alike, tokens

_MOST_LINES, _MOST_NEEDLES, _MOST_TOKENS = 15, 30, 400
_OFTEN = 40
_WIDE, _MARGIN = 120, 24
_LEAST_ALIKE = 0.4


@dataclass(frozen=True, slots=True)
class Likeness:
    """A place, as an offset in code points, how alike it is (0 to 1), and the difference in words."""

    at: int
    degree: float
    why: str


@dataclass(frozen=True, slots=True)
class _Needle:
    """A word, or two CJK characters, of what was given, and where in it."""

    text: str
    at: int
    count: int


def likest(text: str, old: str) -> list[Likeness]:
    """Places like `old`, best first: where its other lines stand, else the windows that share its rarest words."""
    aligned = _aligned(text, old.replace("\r\n", "\n").split("\n"))
    if aligned is not None:
        return [aligned]
    found: dict[int, Likeness] = {}
    for needle in _needles(text, old):
        begin = max(old.rfind("\n", 0, needle.at) + 1, needle.at - _WIDE)
        end = old.find("\n", needle.at)
        given = old[begin : min(len(old) if end < 0 else end, needle.at + _WIDE)].strip()
        for place in _places(text, needle.text):
            start, window = _window(text, place, needle.at - begin, len(given))
            one = _compared(start, window, given)
            if one.degree >= _LEAST_ALIKE and (start not in found or found[start].degree < one.degree):
                found[start] = one
    return sorted(found.values(), key=lambda one: (-one.degree, one.at))


def _aligned(text: str, lines: list[str]) -> Likeness | None:
    """The first line that differs where most of the other lines stand in the same order."""
    some = sorted((n for n, line in enumerate(lines) if line.strip()), key=lambda n: -len(lines[n]))
    if len(some) < 2:
        return None
    votes: Counter[int] = Counter()
    for number in some[:_MOST_LINES]:
        place = text.find(lines[number])
        if place >= 0 and len(lines[number].strip()) > 3:
            votes[text.count("\n", 0, place) - number] += 1
    if not votes:
        return None
    shift = votes.most_common(1)[0][0]
    at = _begin(text, max(shift, 0))
    for number in range(max(-shift, 0), len(lines)):
        end = text.find("\n", at)
        line = text[at : len(text) if end < 0 else end].removesuffix("\r")
        given = lines[number]
        fits = (
            line == given
            or (number == 0 and line.endswith(given))
            or line.startswith(given) * (number == len(lines) - 1)
        )
        if not fits:
            return Likeness(at, 1.0, f"{_compared(at, line, given).why}, in line {number + 1} of what was given")
        if end < 0:
            break
        at = end + 1
    return None


def _begin(text: str, line: int) -> int:
    at = 0
    for _ in range(line):
        at = text.find("\n", at) + 1
    return at


def _needles(text: str, old: str) -> list[_Needle]:
    """The rarest words of `old` that the text has; longer ones before shorter ones."""
    words: dict[str, int] = {}
    at = 0
    before = ""
    for token in tokens(old[: 20 * _MOST_TOKENS])[: 4 * _MOST_TOKENS]:
        wide = token[0] >= "\u2e80" and token.isalnum()
        word = before + token if wide else token
        if len(word) > 1 and token.isalnum():
            words.setdefault(word, at + len(token) - len(word))
        before = token if wide else ""
        at += len(token)
    some = sorted(words, key=lambda word: -len(word) * (1 if word.isascii() else 3))[:_MOST_NEEDLES]
    counted = [_Needle(word, words[word], text.count(word)) for word in some]
    return sorted((one for one in counted if one.count), key=lambda one: (one.count, -len(one.text)))[:5]


def _places(text: str, needle: str) -> Iterator[int]:
    at = text.find(needle)
    for _ in range(_OFTEN):
        if at < 0:
            return
        yield at
        at = text.find(needle, at + len(needle))


def _window(text: str, place: int, before: int, size: int) -> tuple[int, str]:
    """The line around a place, no wider than what it is compared with and a margin."""
    start = max(place - before - _MARGIN, 0)
    start = max(start, text.rfind("\n", start, place) + 1)
    end = place - before + size + _MARGIN
    stop = text.find("\n", place, end)
    return start, text[start : end if stop < 0 else stop]


def _compared(start: int, window: str, given: str) -> Likeness:
    ours, theirs = tokens(window)[:_MOST_TOKENS], tokens(given)[:_MOST_TOKENS]
    degree = alike(ours, theirs)
    if degree < _LEAST_ALIKE:
        return Likeness(start, degree, f"stands where {_quoted(given)} was given")
    steps = [one for one in SequenceMatcher(None, theirs, ours, autojunk=False).get_opcodes() if one[0] != "equal"]
    inner = [one for one in steps if one[0] != "insert" or 0 < one[1] < len(theirs)]
    if not inner:
        return Likeness(start, degree, "is the nearest text")
    _, low, high, first, last = inner[0]
    at = start + len("".join(ours[:first]))
    if first == last:
        return Likeness(at, degree, f"lacks {_quoted(''.join(theirs[low:high]))}")
    has = f"has {_quoted(''.join(ours[first:last]))}"
    if low == high:
        return Likeness(at, degree, f"{has} that was not given")
    return Likeness(at, degree, f"{has} where {_quoted(''.join(theirs[low:high]))} was given")


def _quoted(text: str) -> str:
    return f"“{text if len(text) <= 40 else text[:39] + '…'}”"
