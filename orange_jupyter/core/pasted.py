"""A key typed where it does not belong: which words of a line are one, and texts without it (R-ALL-5). Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from orange_jupyter.core.masking import MASK
from orange_jupyter.core.shapes import replace_shapes, secret_spans

LIKE_A_KEY: Final = 24
"""Characters from which a word of letters and digits alone on a `model` line is taken for a key, not for a name."""


def pasted_keys(words: Sequence[str]) -> tuple[str, ...]:
    """The words of a `%orange` line (without `%orange`) that hold a key: by shape, or by where they stand."""
    found = [word for word in words if secret_spans(word)]
    if tuple(words[:2]) == ("model", "key"):
        found += [word for word in words[3:] if not word.startswith("--")]
    if tuple(words[:1]) in (("model",), ("key",)):
        found += like_keys(words[1:])
    return tuple(dict.fromkeys(found))


def like_keys(words: Sequence[str]) -> list[str]:
    """The words, or values of `--option=value`, that look like a key of no known shape."""
    return [word for one in words if _like_a_key(word := one.partition("=")[2] if one.startswith("--") else one)]


def without_keys(text: str, keys: Sequence[str] = ()) -> str:
    """The text with these keys, and everything of a key's shape, masked."""
    for key in keys:
        text = text.replace(key, MASK)
    return replace_shapes(text, MASK)


def _like_a_key(word: str) -> bool:
    one_run = len(word) >= LIKE_A_KEY and word.isascii() and word.isalnum()
    return one_run and any(c.isdigit() for c in word) and any(c.isalpha() for c in word)
