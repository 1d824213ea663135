"""Texts without the differences that the eye passes over: case, composition, width, spaces, quotes, what is invisible.

A folded text is for finding a place to show, never for an edit.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from itertools import accumulate, groupby

from orange_jupyter.core.visible import is_invisible

_CHUNK = 4096
_LOOKALIKES = str.maketrans(
    "“”„‟«»「」『』‘’‚‛ʼ′`´‐‑‒–—―−。、【】《》〈〉·・",
    '""""""""""\'\'\'\'\'\'\'\'-------.,[]<><>··',
)


class Folded:
    """A folded text that knows where its characters come from."""

    def __init__(self, text: str, alphabet: str = "") -> None:
        """`alphabet` holds the characters of what will be looked for in it."""
        self._source = text
        own = map(chr, range(128)) if text.isascii() else set(text)
        self._table = {ord(one): fold(one) for one in {*own, *alphabet}}
        chunks = [text[at : at + _CHUNK].translate(self._table) for at in range(0, len(text), _CHUNK)]
        self._begins = [0, *accumulate(map(len, chunks))]
        self.text = "".join(chunks)

    def of(self, text: str) -> str:
        """Another text folded likewise."""
        return text.translate(self._table)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The source's `[start, end)` of a stretch of the folded text that is not empty."""
        return self._origin(start), self._origin(end - 1) + 1

    def _origin(self, place: int) -> int:
        chunk = bisect_right(self._begins, place) - 1
        at = self._begins[chunk]
        for offset, one in enumerate(self._source[chunk * _CHUNK : (chunk + 1) * _CHUNK], chunk * _CHUNK):
            at += len(self._table[ord(one)])
            if at > place:
                return offset
        return len(self._source)


def fold(character: str) -> str:
    """What is compared of one character; nothing of spaces, line ends and what is invisible."""
    if character.isspace() or is_invisible(character):
        return ""
    plain = unicodedata.normalize("NFKD", character.translate(_LOOKALIKES)).translate(_LOOKALIKES)
    folded = unicodedata.normalize("NFKD", plain.casefold())
    return "".join(one for one in folded if not one.isspace())


def difference(there: str, given: str) -> tuple[int, str]:
    """Where in `there` two texts with the same folding first differ, and how, in words."""
    most = min(len(there), len(given))
    at = next((number for number in range(most) if there[number] != given[number]), most)
    if there.casefold() == given.casefold():
        return at, "differs in case"
    if unicodedata.normalize("NFC", there) == unicodedata.normalize("NFC", given):
        composed, separate = "composed characters (NFC)", "separate accents (NFD)"
        if there == unicodedata.normalize("NFC", there):
            return at, f"has {composed} where {separate} were given"
        return at, f"has {separate} where {composed} were given"
    return _first(there, given, at)


def _first(there: str, given: str, at: int) -> tuple[int, str]:
    if not _folded(there[at : at + 1]) or not _folded(given[at : at + 1]):
        while at and not fold(there[at - 1]):
            at -= 1
        ours, theirs = _unseen(there, at), _unseen(given, at)
    else:
        ours, theirs = there[at], given[at]
        while len(_folded(ours)) != len(_folded(theirs)) and len(ours) + len(theirs) < 12:
            if len(_folded(ours)) < len(_folded(theirs)):
                ours = there[at : at + len(ours) + 1]
            else:
                theirs = given[at : at + len(theirs) + 1]
    if not theirs:
        return at, f"has {named(ours)} that was not given"
    count, _, rest = named(theirs).partition(" ")
    verb = "were" if rest and count.isdigit() else "was"
    return at, f"has {named(ours)} where {named(theirs)} {verb} given"


def _unseen(text: str, at: int) -> str:
    end = at
    while end < len(text) and not fold(text[end]):
        end += 1
    return text[at:end]


def _folded(text: str) -> str:
    return "".join(map(fold, text))


def named(text: str) -> str:
    """A few characters in words, so that what cannot be seen or told apart can be named."""
    if not text:
        return "nothing"
    groups = ((one, len(list(same))) for one, same in groupby(text.replace("\r\n", "\r")))
    if len(text) > 12:
        return f"{len(text):,} characters"
    return " and ".join(_name(one, count, crlf="\r\n" in text) for one, count in groups)


def _name(character: str, count: int, *, crlf: bool) -> str:
    known = {" ": "space", "\t": "tab", "\n": "line break", "\r": "CRLF line break" if crlf else "lone CR"}
    number = f"U+{ord(character):04X}"
    if character in known:
        return f"a {known[character]}" if count == 1 else f"{count:,} {known[character]}s"
    if not fold(character) or unicodedata.combining(character):
        name = f"{unicodedata.name(character, 'control character').lower()} ({number})"
        article = "an" if name[0] in "aeiou" else "a"
        return f"{article} {name}" if count == 1 else f"{count:,} × {name}"
    if character.isascii() and character.isalnum():
        return character * count
    return f"{character * count} ({number})"
