"""Where output is cut, half a key may stand on either side, and half a key does not look like one (S03). Linear."""

from __future__ import annotations

import re
from typing import Final

from orange_jupyter.core.masking import MASK

_MARK: Final = re.compile(r"\n?\[… [0-9,]+ bytes left out …\]\n")
_LONGEST: Final = 400
_SHORTEST: Final = 6
_KEY_END: Final = re.compile(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----")
_LONGEST_KEY: Final = 20_000
_KEY_LINE: Final = re.compile(r"[A-Za-z0-9+/=]*\s?")
_INK: Final = "".join(map(chr, range(0x21, 0x7F)))


def without_halves(text: str) -> str:
    """The text without the words next to a cut, and without the end of a private key that begins in it."""
    pieces: list[str] = []
    at = 0
    for found in _MARK.finditer(text):
        pieces += [_without_last(text[at : found.start()]), found.group()]
        at = found.end()
    return "".join([*pieces, _without_first(text[at:])]) if pieces else text


def _without_last(text: str) -> str:
    start = max(len(text.rstrip(_INK)), len(text) - _LONGEST)
    return text[:start] + MASK if len(text) - start >= _SHORTEST else text


def _without_first(text: str) -> str:
    found = _KEY_END.search(text)
    if found and "-----BEGIN" not in text[: found.start()]:
        begun = found.start()
        for line in reversed(text[max(0, begun - _LONGEST_KEY) : begun].split("\n")):
            if not _KEY_LINE.fullmatch(line):
                break
            begun -= len(line) + 1
        text = text[: max(begun + 1, 0)] + MASK + text[found.end() :]
    end = min(len(text) - len(text.lstrip(_INK)), _LONGEST)
    return MASK + text[end:] if end >= _SHORTEST else text
