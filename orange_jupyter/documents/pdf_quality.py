"""Whether a page's text layer can be read: a wrong font table gives letters that no language has (documents-facts)."""

from __future__ import annotations

import re
from collections.abc import Sequence

_UNKNOWN = re.compile("[\ue000-\uf8ff\ufff0-\uffff\U000f0000-\U0010ffff]")
_ODD = re.compile(
    r"""[^\W\d_][$%#~^\\][^\W\d_]            # a sign inside a word
    | (?<!\S)[$@%][^\W\d_]{2}                # or before it
    | (?<!\S)[^\s.@]*@[^\s.@]*(?!\S)         # an at sign that is no address
    | (?<![^\W\d_])[b-df-hj-np-tv-xz]{6,}(?![^\W\d_])  # a long word without a vowel""",
    re.VERBOSE | re.IGNORECASE,
)
_LEAST = 40


def readable(text: str, strange: int) -> bool:
    """Whether a page's text looks like text; `strange` is how many control characters stood in it.

    Judged are pages of forty characters and more: private-use and replacement characters, control characters
    between letters, signs inside words, and long words without a vowel.
    """
    words = text.split()
    count = sum(map(len, words)) + strange
    if count < _LEAST:
        return True
    bad = strange if text.isascii() else strange + len(_UNKNOWN.findall(text))
    odd = len(_ODD.findall(text))
    return bad <= 0.1 * count and (odd <= 8 or odd + 0.3 * strange <= 0.08 * len(words))


def named(pages: Sequence[int]) -> str:
    """Page numbers as a person writes them: 1–3, 7."""
    parts: list[list[int]] = []
    for page in sorted(pages):
        if parts and page == parts[-1][-1] + 1:
            parts[-1].append(page)
        else:
            parts.append([page])
    return ", ".join(str(part[0]) if len(part) == 1 else f"{part[0]}–{part[-1]}" for part in parts)
