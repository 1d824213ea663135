"""A key typed where it does not belong: which words of a line are one, and texts without it (R-ALL-5). Pure."""

from __future__ import annotations

import difflib
import re
import urllib.parse
from collections.abc import Sequence
from typing import Final

from orange_jupyter.core.looks import looks_random
from orange_jupyter.core.masking import MASK
from orange_jupyter.core.shapes import replace_shapes, secret_spans

LIKE_A_KEY: Final = 24
"""Characters from which a word of letters and digits alone on a `model` line is taken for a key, not for a name."""

_NAMING: Final = ("kb", "session", "show", "changes", "undo")
"""Commands whose words are paths, titles and ids: there only a known shape is a key."""
_NEAR: Final = 0.7
_BREAKS: Final = re.compile("[=:,;\"'`<>()\\[\\]{}“”‘’「」]")
_PATH: Final = re.compile(r"[/\\]")
_OF_A_KEY: Final = re.compile(r"key|token|secret|sig|auth|pass|pwd|cred", re.IGNORECASE)
_IDS: Final = ("accounts", "projects", "deployments", "endpoints", "workspaces", "organizations")
"""Parts of an address after which an id stands that is no secret."""


def pasted_keys(words: Sequence[str]) -> tuple[str, ...]:
    """The words of a `%orange` line (without `%orange`) that hold a key: by shape, or by where they stand.

    A first word that is no command is taken for a `model` that was mistyped.
    """
    found = [word for word in words if secret_spans(word)]
    first = _nearest(words[0], ("model", "key", *_NAMING)) if words else ""
    if first == "model" and len(words) > 2 and _nearest(words[1], ("key", "use", "test", "add", "list")) == "key":
        found += [word for word in words[3:] if not word.startswith("--")]
        found += [value for value in (words[2].partition("=")[2],) if value]
    if first not in _NAMING:
        found += like_keys(words)
    return tuple(dict.fromkeys(found))


def cell_keys(words: Sequence[str]) -> tuple[str, ...]:
    """The words of a `%%orange` line that hold a key; those after `--kb` and `--image` are names of files."""
    looked: list[str] = []
    option = ""
    for word in words:
        option = word.partition("=")[0] if word.startswith("--") else option
        if option not in ("--kb", "--image"):
            looked.append(word)
    return tuple(dict.fromkeys(like_keys(looked)))


def like_keys(words: Sequence[str]) -> list[str]:
    """The words, or parts of `NAME=WORD`, in quotes or brackets too, or of an address, that look like a key.

    A path is none: a file, a folder or a published model may be named by a hash.
    """
    found: list[str] = []
    for word in words:
        address = word[word.find("http") :] if "://" in word else ""
        parts = () if _PATH.search(word) else _BREAKS.split(word)
        found += [part for part in parts if _like_a_key(part)]
        found += _keys_of_address(address)
    return found


def without_keys(text: str, keys: Sequence[str] = ()) -> str:
    """The text with these keys, as whole words, and everything of a key's shape, masked."""
    for key in sorted(keys, key=len, reverse=True):
        before, after = (
            r"(?<![A-Za-z0-9_])" if key[0].isalnum() else "",
            r"(?![A-Za-z0-9_])" if key[-1].isalnum() else "",
        )
        text = re.sub(f"{before}{re.escape(key)}{after}", MASK, text)
    return replace_shapes(text, MASK)


def _nearest(word: str, known: Sequence[str]) -> str:
    close = difflib.get_close_matches(word.casefold(), known, n=1, cutoff=_NEAR)
    return close[0] if close else ""


def _like_a_key(word: str) -> bool:
    one_run = len(word) >= LIKE_A_KEY and word.isascii() and word.isalnum()
    mixed = one_run and any(c.isdigit() for c in word) and any(c.isalpha() for c in word)
    return mixed or looks_random(word)


def _keys_of_address(address: str) -> list[str]:
    """Keys in the path and the query of an address; an account's id, as Cloudflare's addresses hold one, is none."""
    try:
        parts = urllib.parse.urlsplit(address)
    except ValueError:
        return []
    named = [pair.partition("=")[::2] for pair in f"{parts.query}&{parts.fragment}".split("&")]
    found = [value for name, value in named if value and (_OF_A_KEY.search(name) or _like_a_key(value))]
    gateway = parts.netloc.casefold() == "gateway.ai.cloudflare.com"
    steps = parts.path.split("/")
    for before, step in zip(["", *steps], steps, strict=False):
        if _like_a_key(step) and before not in _IDS and not (gateway and before == "v1"):
            found.append(step)
    return found
