"""Checks that a quotation stands in the passage it cites; pure text, forgiving of spaces, quotes and ellipses."""

from __future__ import annotations

import re
import unicodedata

_MARKS = str.maketrans({mark: None for mark in "*_`#>~|\\"} | {mark: "-" for mark in "–—−‐‑"})
_QUOTES = str.maketrans({mark: '"' for mark in "“”„«»「」『』"} | {mark: "'" for mark in "‘’"})
_SPACES = re.compile(r"\s+")
_GAP = re.compile(r"\s*(?:\[?…\]?|\[?\.\.\.+\]?|\[?……\]?)\s*")
_AT_END = re.compile(r"[“「『\"]([^“”「」『』\"]{4,400})[”」』\"][\s,，。.;；:：、!！?？)）]*$")


def is_quoted(quotation: str, source: str) -> bool:
    """Whether every piece of the quotation (split at ellipses) stands in the source, in order."""
    whole = _plain(source)
    start = 0
    for piece in _GAP.split(quotation):
        wanted = _plain(piece).strip(" .,;:!?\"'，。；：！？、")
        found = whole.find(wanted, start)
        if found < 0:
            return False
        start = found + len(wanted)
    return True


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


def _plain(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text.translate(_QUOTES)).translate(_QUOTES).translate(_MARKS).casefold()
    # spaces mean nothing between Chinese characters and differ where a document breaks lines: drop them all
    return _SPACES.sub("", folded)
