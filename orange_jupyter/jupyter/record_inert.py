"""HTML that may stand in a Markdown document: no blank line ends it early, and no text in it becomes Markdown (U05).

Exporters such as nbconvert paste an output's HTML into Markdown, where an HTML block ends at the first blank line.
"""

from __future__ import annotations

import re

_PIECE = re.compile(
    r"<style>.*?</style>"  # our own sheet, without line breaks
    r"|<(?:\"[^\"]*\"|[^\">])*>"
    r"|[^<]+",
    re.DOTALL,
)
_BREAK = re.compile(r"\r\n|[\r\v\f\x1c\x1d\x1e\x85]")
_ACTIVE = re.compile(r"&#?\w+;|://|\bwww\.|[\n\u2028\u2029!`*_\[\]#|~\\$^{}@<>]", re.IGNORECASE)
_IN_A_TAG = re.compile(r"&#?\w+;|[\n\u2028\u2029!`*\[\]<>]")
_AT_START = re.compile(r"([ \t]*)(?:([-+=:%(])|(\d{1,9})([.)]))")


def inert(written: str) -> str:
    """Well-formed HTML (attributes in double quotes) whose texts hold no line break and no sign that Markdown reads.

    What a browser makes of it is the same: the signs are character references. Linear, and done twice it is the same.
    """
    return "".join(_piece(found.group()) for found in _PIECE.finditer(_BREAK.sub("\n", written)))


def _piece(piece: str) -> str:
    if piece.startswith("<style>"):
        return piece
    if piece.startswith("<"):
        return "<" + _IN_A_TAG.sub(_reference, piece[1:-1]) + ">"
    if not piece.strip(" \t\n"):
        return "\n" if "\n" in piece else piece
    start = _AT_START.match(piece)
    if start:
        blank, sign, number, dot = start.groups()
        piece = f"{blank}{number or ''}&#{ord(sign or dot)};{piece[start.end() :]}"
    return _ACTIVE.sub(_reference, piece)


def _reference(found: re.Match[str]) -> str:
    sign = found.group()
    if sign.startswith("&"):
        return sign
    if sign == "://":
        return "&#58;//"
    return f"{sign[:-1]}&#{ord(sign[-1])};"
