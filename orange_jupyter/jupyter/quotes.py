"""Checks that a quotation stands in the passage it cites: word for word, forgiving of Markdown, spaces and ellipses."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from orange_jupyter.jupyter.readings import readings, unmarked

_DROPPED = frozenset("*_`#>~|\\$")
_DASHES = str.maketrans({mark: "-" for mark in "–—−‐‑"})
_QUOTES = str.maketrans({mark: '"' for mark in "“”„«»「」『』"} | {mark: "'" for mark in "‘’"})
_GAP = re.compile(r"\s*(?:\[?…\]?|\[?\.\.\.+\]?|\[?……\]?)\s*")
_AT_END = re.compile(r"[“「『\"]([^“”「」『』\"]{4,400})[”」』\"][\s,，。.;；:：、!！?？)）]*$")
_CJK = 0x2E80
LONG = 100
"""Characters from which a quotation may break off within a word: it was cut to a length, its words are the note's."""


@dataclass(frozen=True, slots=True)
class _Folded:
    """Text without spaces and marks, which differ where a document breaks lines; `cuts` are the places they stood."""

    text: str
    cuts: frozenset[int]

    def find(self, wanted: str, start: int, *, opens: bool, closes: bool) -> int:
        """The place of `wanted`, -1 where there is none. Where it `opens` or `closes` no word may be cut."""
        found = self.text.find(wanted, start)
        while found >= 0 and (
            (opens and not self._is_edge(found)) or (closes and not self._is_edge(found + len(wanted)))
        ):
            found = self.text.find(wanted, found + 1)
        return found

    def _is_edge(self, place: int) -> bool:
        """Whether words may be cut here: `run 1` is not in `run 17`, `6 mm` not in `4.6 mm`."""
        if place in self.cuts or place <= 0 or place >= len(self.text):
            return True
        before, after = self.text[place - 1], self.text[place]
        if _in_word(before) and _in_word(after):
            return False
        if after == "." and before.isdigit():
            return place + 1 in self.cuts or not self.text[place + 1 : place + 2].isdigit()
        return not (before == "." and after.isdigit() and self.text[max(0, place - 2)].isdigit())


def is_quoted(quotation: str, source: str) -> bool:
    """Whether every piece of the quotation (split at ellipses) stands in the Markdown source, in order."""
    pieces = [_fold(unmarked(piece)).text.strip(" .,;:!?\"'") for piece in _GAP.split(quotation)]
    return any(_in_order(pieces, _fold(reading)) for reading in readings(source))


def quotation_before(text: str) -> str | None:
    """The words in quotation marks right before the end of `text`, None where there are none."""
    tail = text[-420:]
    found = _AT_END.search(tail)
    return found.group(1) if found else None


def without_attribution(quotation: str) -> str:
    """A block quotation without its last line where that names the source (`— notes.md`)."""
    lines = quotation.rstrip().split("\n")
    if len(lines) > 1 and lines[-1].lstrip().startswith(("—", "–", "--")):
        lines.pop()
    return "\n".join(lines)


def _in_order(pieces: list[str], whole: _Folded) -> bool:
    start = 0
    for place, piece in enumerate(pieces):
        # beside an ellipsis a word may be cut: what was left out is said
        last = place == len(pieces) - 1 and (len(piece) < LONG or piece[-1:].isdigit())
        found = whole.find(piece, start, opens=place == 0, closes=last)
        if found < 0:
            return False
        start = found + len(piece)
    return True


def _in_word(character: str) -> bool:
    return character.isalnum() and ord(character) < _CJK


@lru_cache(maxsize=256)
def _fold(text: str) -> _Folded:
    # NFKC makes full-width punctuation ASCII, so that "，" and "," are one
    plain = unicodedata.normalize("NFKC", text.translate(_QUOTES)).translate(_QUOTES).translate(_DASHES).casefold()
    plain = plain.replace("。", ".").replace("、", ",")
    kept: list[str] = []
    cuts: set[int] = set()
    for character in plain:
        if character.isspace() or character in _DROPPED:
            cuts.add(len(kept))
        else:
            kept.append(character)
    return _Folded("".join(kept), frozenset(cuts))
