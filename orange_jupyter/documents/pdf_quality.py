"""Whether a page's text layer can be read: a wrong font table gives letters that no language has (documents-facts)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

_WORD = re.compile(r"\S+")
_INSIDE = re.compile(r"[^\W\d_][@$%#~^\\][^\W\d_]|^[$@%][^\W\d_]{2}|[^\W\d_]@$")
_LETTERS = re.compile(r"[A-Za-z]+")
_VOWEL = re.compile("[aeiouyAEIOUY]")
_LEAST = 40


def readable(text: str, strange: int) -> bool:
    """Whether a page's text looks like text; `strange` is how many control characters stood in it.

    Judged are pages of forty characters and more: private-use, unassigned and replacement characters, control
    characters between letters, signs inside words, and long words without a vowel.
    """
    signs = [sign for sign in text if not sign.isspace()]
    if len(signs) + strange < _LEAST:
        return True
    bad = (
        0 if text.isascii() else sum(unicodedata.category(sign) in ("Co", "Cn", "Cc") or sign == "�" for sign in signs)
    )
    if bad + strange > 0.2 * (len(signs) + strange):
        return False
    words = _WORD.findall(text)
    odd = sum(map(_odd, words))
    return not (odd > 8 and odd + 0.3 * strange > 0.08 * len(words))


def _odd(word: str) -> bool:
    if _INSIDE.search(word) and word.count("@") != 1:
        return True
    if "@" in word and "." not in word:
        return True
    letters = _LETTERS.fullmatch(word.strip(".,;:!?()[]\"'"))
    return bool(letters and len(letters[0]) > 5 and not _VOWEL.search(letters[0]))


def named(pages: Sequence[int]) -> str:
    """Page numbers as a person writes them: 1–3, 7."""
    parts: list[list[int]] = []
    for page in sorted(pages):
        if parts and page == parts[-1][-1] + 1:
            parts[-1].append(page)
        else:
            parts.append([page])
    return ", ".join(str(part[0]) if len(part) == 1 else f"{part[0]}–{part[-1]}" for part in parts)
