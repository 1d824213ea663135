"""What credentials look like: anchored shapes, each in time proportional to the text. Pure.

A shape starts at a fixed word, repeats are possessive or bounded, so no text makes it slow (measured in the tests).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from orange_jupyter.core.looks import looks_chosen, looks_random, may_follow
from orange_jupyter.core.named_shapes import NAMED
from orange_jupyter.core.token_shapes import PRIVATE_KEY, PUTTY_KEY, TOKENS, Shape

SHAPES: Final[tuple[Shape, ...]] = (*TOKENS, PRIVATE_KEY, PUTTY_KEY, *NAMED)

_LONG: Final = re.compile(r"[A-Za-z0-9_+/=.-]{20}")
"""Without such a run of characters nothing in a text can be a `value` or `long`: most notes hold none."""

_ALONE: Final = re.compile(
    r"[)\]}>,;.!?*_\"'`，。；]{0,4}+(?:[ \t]*+(?:[\r\n\v\f\x85\u2028\u2029]|\\{1,3}[nr]|$|\|)|\\{1,3}\"|</|<br"
    r"|[ \t]++(?:#|//|<!--|--|;|[(（]))|[\"'`，。；」』”’]"
)
"""What follows a value that is not a word of a sentence."""
_BLANKS: Final = " \t\xa0\u3000\r\n*_`\"'\\]“”‘’「『《【"
"""What between a name and a value does not join them."""


def replace_shapes(text: str, mask: str) -> str:
    """The text with everything that looks like a credential replaced by `mask`."""

    def replaced(found: re.Match[str]) -> str:
        if not _is_secret(found):
            return found.group()
        return found.string[found.start() : _kept(found)] + mask

    for shape in _fitting(text):
        text = shape.sub(replaced, text)
    return text


def secret_spans(text: str) -> tuple[tuple[int, int], ...]:
    """Where the shapes occur, as [start, end) in code points, in order and apart from each other."""
    spans: list[tuple[int, int]] = []
    for shape in _fitting(text):
        for found in filter(_is_secret, shape.finditer(text)):
            spans.append((_kept(found), found.end()))
    return merged(spans)


def _fitting(text: str) -> Iterator[re.Pattern[str]]:
    """The shapes that can occur in a text."""
    long: bool | None = None
    there: dict[str, bool] = {}
    for words, shape in SHAPES:
        if not any(there[word] if word in there else there.setdefault(word, word in text) for word in words):
            continue
        asks = bool(shape.groupindex.keys() & {"value", "long"})
        if asks and long is None:  # the whole text is looked through only where a shape asks for it
            long = _LONG.search(text) is not None
        if long or not asks:
            yield shape


def _is_secret(found: re.Match[str]) -> bool:
    groups = found.re.groupindex
    if "named" in groups:
        return _is_named(found)
    return "value" not in groups or looks_random(found["value"])


def _is_named(found: re.Match[str]) -> bool:
    name, value = found["name"], found["named"]
    if value is None:
        return looks_chosen(found["quoted"], name=name, alone=True, quoted=True)
    between = found.string[found.end("name") : found.start("named")]
    option = found.string.startswith("--", max(0, found.start() - 2))
    if not (between.strip(_BLANKS) or option or may_follow(value, name=name)):
        return False
    alone = _ALONE.match(found.string, found.end()) is not None
    below = "\n" in between or "\r" in between
    return (alone or not below) and looks_chosen(value, name=name, alone=alone)


def _kept(found: re.Match[str]) -> int:
    """Where the secret begins: what stands before it stays."""
    groups = found.re.groupindex
    if "named" in groups:
        return found.start("quoted" if found["named"] is None else "named")
    return found.end("keep") if "keep" in groups else found.start()


def has_private_key(text: str) -> bool:
    """Whether a PEM private key (also a cut one) stands in the text."""
    return PRIVATE_KEY[1].search(text) is not None


def merged(spans: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Spans in order, overlapping ones joined, empty ones left out."""
    joined: list[tuple[int, int]] = []
    for start, end in sorted(span for span in spans if span[0] < span[1]):
        if joined and start < joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return tuple(joined)
