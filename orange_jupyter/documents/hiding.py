"""Keeps credentials out of what is indexed and cited: found in the whole text, hidden in its passages (R-READ-15)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from orange_jupyter.core.document import Chunk, Extract
from orange_jupyter.core.masking import COVER, MASK, FindSecrets, Masked

_COVERED = re.compile(f"{COVER}+")
_NOTHING = re.compile(rf"[\s{COVER}]*+")
Name = Callable[[str], str]
"""Makes a title or heading fit to be shown."""


def hidden_in_note(masked: Masked, parse: Callable[[str], Extract]) -> Extract:
    """What `parse` makes of a note; offsets are those of the real text, a passage shows `⟦masked:n⟧` as `read` does."""
    if not masked.spans:
        return parse(masked.text)
    found = parse(masked.covered)
    places = [(chunk.start, chunk.end) for chunk in found.chunks]
    return _hidden(found, masked, places, lambda text: _COVERED.sub(MASK, text))


def hidden_in_document(found: Extract, find: FindSecrets) -> Extract:
    """The same for a document whose passages were cut elsewhere; together they are its whole text but for blanks."""
    whole, places = _joined(found.chunks)
    return _hidden(found, Masked(whole, find(whole)), places, lambda text: Masked(text, find(text)).shown)


def _hidden(found: Extract, masked: Masked, places: Sequence[tuple[int, int]], name: Name) -> Extract:
    if not masked.spans:
        return replace(found, title=name(found.title))
    covered = masked.covered
    chunks = tuple(
        replace(chunk, text=masked.masked_slice(*place), heading_path=tuple(map(name, chunk.heading_path)))
        for chunk, place in zip(found.chunks, places, strict=True)
        if not _NOTHING.fullmatch(covered, *place)
    )
    return replace(found, title=name(found.title), chunks=chunks)


def _joined(chunks: Sequence[Chunk]) -> tuple[str, list[tuple[int, int]]]:
    """The passages as one text, and where each stands in it; one that was cut inside a word goes on without a gap."""
    pieces: list[str] = []
    places: list[tuple[int, int]] = []
    at, before = 0, None
    for chunk in chunks:
        here = (chunk.page, chunk.block, chunk.start)
        gap = "" if before in (None, here) else "\n"
        pieces += [gap, chunk.text]
        places.append((at + len(gap), at + len(gap) + len(chunk.text)))
        at, before = places[-1][1], (chunk.page, chunk.block, chunk.end)
    return "".join(pieces), places
