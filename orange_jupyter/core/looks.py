"""Whether a word looks like a key of no known shape: long, letters and digits well mixed, no ordinary words. Pure."""

from __future__ import annotations

import re
from typing import Final

LONG: Final = 20
"""Characters from which a word can be a key."""
_RUN: Final = 16
"""Characters of letters and digits without a break, of which a key has one such run."""
_APART: Final = re.compile(r"[^A-Za-z0-9]+")
_DIGITS: Final = re.compile(r"[0-9]+")
_TOKENS: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_UUID: Final = re.compile(r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")
_DOI: Final = re.compile(r"10\.[0-9]{4,9}/")


def looks_random(word: str) -> bool:
    """Whether the word looks made by chance: no name, date, DOI, or citation key such as `vaswani2017attention`."""
    if _UUID.fullmatch(word):
        return True
    if len(word) < LONG or not word.isascii() or _DOI.match(word):
        return False
    if not any(one.isdigit() for one in word) or not any(one.isalpha() for one in word):
        return False
    return any(_mixed(run) for run in _APART.split(word))


def _mixed(run: str) -> bool:
    """Three groups of digits, or a new kind of character at every third: words and years have neither."""
    if len(run) < _RUN or run.isdigit():
        return False
    return len(_DIGITS.findall(run)) >= 3 or len(_TOKENS.findall(run)) * 3 >= len(run)
