"""Keeps credentials out of what is indexed and cited: found in the whole text, hidden in its passages (R-READ-15)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from orange_jupyter.core.document import Chunk, Extract
from orange_jupyter.core.masking import COVER, FindSecrets, Masked, uncovered
from orange_jupyter.core.shapes import merged

STRETCH = 400_000
BESIDE = 20_000
"""Code points. A private key of 16,384 bits has 12,700."""

_NOTHING = re.compile(rf"[\s{COVER}]*+")
Name = Callable[[str], str]
"""Makes a title or heading fit to be shown."""


def hidden_in_note(masked: Masked, parse: Callable[[str], Extract]) -> Extract:
    """What `parse` makes of a note; offsets are those of the real text, a passage shows `⟦masked:n⟧` as `read` does."""
    if not masked.spans:
        return parse(masked.text)
    found = parse(masked.covered)
    places = [(chunk.start, chunk.end) for chunk in found.chunks]
    return _hidden(found, masked, places, uncovered)


def hidden_in_document(found: Extract, find: FindSecrets) -> Extract:
    """The same for a document whose passages were cut elsewhere; together they are its whole text but for blanks."""
    whole, places = _joined(found.chunks)
    return _hidden(found, Masked(whole, spans(whole, find)), places, lambda text: Masked(text, find(text)).shown)


def spans(whole: str, find: FindSecrets) -> tuple[tuple[int, int], ...]:
    """What `find` finds in a text, looked for in stretches of it: one look at a long book would stop the kernel.

    Each stretch begins and ends at a line, and sees some of its neighbours': no key is that long.
    """
    if len(whole) <= STRETCH:
        return find(whole)
    found: list[tuple[int, int]] = []
    for start in range(0, len(whole), STRETCH):
        first = whole.rfind("\n", 0, max(0, start - BESIDE)) + 1
        last = whole.find("\n", start + STRETCH + BESIDE)
        found += [(a + first, b + first) for a, b in find(whole[first : last if last >= 0 else len(whole)])]
    return merged(found)


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
    """The passages as one text, and where each stands in it; one that was cut inside a word goes on without a gap.

    Offsets are those of a page's text, else of a block's: on a page, a passage may go on in a block that began before.
    """
    pieces: list[str] = []
    places: list[tuple[int, int]] = []
    at, before = 0, None
    for chunk in chunks:
        text = (chunk.page, chunk.block if chunk.page is None else None)
        here = (*text, chunk.start)
        gap = "" if before in (None, here) else "\n"
        pieces += [gap, chunk.text]
        places.append((at + len(gap), at + len(gap) + len(chunk.text)))
        at, before = places[-1][1], (*text, chunk.end)
    return "".join(pieces), places
