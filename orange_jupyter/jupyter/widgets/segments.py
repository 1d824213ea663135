"""Text for the front end in pieces, each with its look, so that nothing of it is ever parsed as HTML (R-APPR-2)."""

from __future__ import annotations

from functools import lru_cache
from urllib.parse import urlsplit

from orange_jupyter.core.visible import escape, is_invisible

Segment = tuple[str, str]
"""(text, look): look is "" for plain, "esc" for an invisible character's escape, "b" for strong, "code" for code."""


_hides = lru_cache(maxsize=8192)(is_invisible)


def segments(text: str) -> list[Segment]:
    """The whole text, invisible characters as escapes of their own. A lone surrogate is such a character."""
    if not any(map(_hides, set(text))):
        return [(text, "")]
    pieces: list[Segment] = []
    plain: list[str] = []
    for character in text:
        if is_invisible(character):
            if plain:
                pieces.append(("".join(plain), ""))
                plain = []
            pieces.append((escape(character), "esc"))
        else:
            plain.append(character)
    if plain or not pieces:
        pieces.append(("".join(plain), ""))
    return pieces


def address(text: str) -> list[Segment]:
    """A web address with its host strong, in full; any other text as `segments`."""
    if not text.lower().startswith(("http://", "https://")):
        return segments(text)
    try:
        host = urlsplit(text).hostname or ""
    except ValueError:
        host = ""
    at = text.lower().find(host, text.find("//") + 2) if host else -1
    at = _behind_user(text, host, at)
    if at < 0:
        return segments(text)
    end = at + len(host)
    return [
        *segments(text[:at]),
        *((piece, look or "b") for piece, look in segments(text[at:end])),
        *segments(text[end:]),
    ]


def _behind_user(text: str, host: str, at: int) -> int:
    """The host's place where a user name stands before it: `https://good.example@evil.example/`."""
    start = text.find("//") + 2
    stops = [stop for stop in (text.find(mark, start) for mark in "/?#") if stop >= 0]
    user = text.rfind("@", start, min(stops, default=len(text)))
    return text.lower().find(host, user + 1) if user >= 0 else at


def marked(text: str) -> list[Segment]:
    """Our own words with `**strong**` and backticks for code, as the strings write them."""
    pieces: list[Segment] = []
    for at, part in enumerate(text.split("**")):
        for inner, piece in enumerate(part.split("`")):
            look = "code" if inner % 2 else ("b" if at % 2 else "")
            if piece:
                pieces.append((piece, look))
    return pieces


def count_escapes(*parts: list[Segment]) -> int:
    """How many invisible characters the parts hold."""
    return sum(look == "esc" for part in parts for _, look in part)
