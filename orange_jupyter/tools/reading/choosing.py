"""Which pictures of a document follow its text (R-READ-6): by what was asked, and by what can be read as text. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from itertools import islice
from typing import Any, Final

from orange_jupyter.core.document import Block, DocumentText
from orange_jupyter.core.held import MOST_PICTURES
from orange_jupyter.tools.reading.asked import Asked, Images
from orange_jupyter.tools.reading.pictures import Choice, Wanted, place_of

PAGES_UNASKED: Final = 4
"""Pages of a long scan at a time (R-READ-8)."""
HIDDEN_VALUE: Final = (
    "this page holds a hidden value, so its picture is not sent; the person can open the file to see it (%orange show)"
)
_NAMED: Final = 12
_CAPTION: Final = 200


def pages_without_text(document: DocumentText) -> frozenset[int]:
    """The pages, from 1, that have no text layer, or one that nobody could read."""
    empty = {number for number, text in enumerate(document.pages, 1) if not text.strip()}
    return frozenset(empty | set(document.unreadable))


def page_pictures(document: DocumentText, asked: Asked, shown: Sequence[int]) -> Choice:
    """The pages of a PDF that are to be seen; `shown` are those that the returned piece of text touches."""
    if asked.images is Images.NONE or not document.pages:
        return Choice()
    blind = pages_without_text(document)
    if asked.pages is not None:
        pages = range(asked.pages[0], asked.pages[1] + 1)
        fifth = next(islice((at for at, page in enumerate(pages) if page in blind), PAGES_UNASKED, None), MOST_PICTURES)
        if fifth < MOST_PICTURES:
            return _pages(pages, fifth, f"{PAGES_UNASKED} pages without readable text")
        return _pages(pages, MOST_PICTURES)
    first = shown[0] if shown else 1
    if asked.images is Images.ALWAYS or len(blind) == len(document.pages):
        return _pages(range(first, len(document.pages) + 1), PAGES_UNASKED)
    garbled = [page for page in shown if page in blind and document.pages[page - 1].strip()]
    empty = [page for page in shown if not document.pages[page - 1].strip()]
    choice = _pages(garbled, PAGES_UNASKED)
    return replace(choice, left_out=(*choice.left_out, *_offered(empty)))


def block_pictures(document: DocumentText, asked: Asked, blocks: Sequence[tuple[Block, str]]) -> Choice:
    """The pictures that belong to blocks: of a PDF's block its page, of a DOCX its embedded pictures.

    `blocks` are those from the returned piece on, each with its text as it may be shown.
    """
    if asked.images is Images.NONE or (asked.block is None and asked.images is not Images.ALWAYS):
        return Choice()
    if document.file_type == "pdf":
        return Choice(tuple(Wanted(block.page, block.number) for block, _ in blocks if block.page is not None))
    found = [Wanted(None, block.number, text[:_CAPTION]) for block, text in blocks if block.kind == "image"]
    rest = found[MOST_PICTURES:]
    reason = f"at most {MOST_PICTURES} pictures a message; read this block"
    named: list[dict[str, Any]] = [{"block": one.block, "reason": reason} for one in rest[:_NAMED]]
    if len(rest) > _NAMED:
        named.append(
            {"block": rest[_NAMED].block, "reason": f"this one and {len(rest) - _NAMED - 1} later ones: {reason}"}
        )
    return Choice(tuple(found[:MOST_PICTURES]), tuple(named))


def without_hidden(choice: Choice, hidden: AbstractSet[int]) -> Choice:
    """The choice without the pages that hold a masked value: a picture would show it (R-READ-15)."""
    kept = tuple(one for one in choice.wanted if one.page not in hidden)
    named = tuple(place_of(one) | {"reason": HIDDEN_VALUE} for one in choice.wanted if one.page in hidden)
    return Choice(kept, (*named, *choice.left_out))


def _offered(pages: Sequence[int]) -> tuple[dict[str, Any], ...]:
    """Pages without text among pages with text may be blank or scanned: they are offered, not sent."""
    named = [{"page": page, "reason": f"no text on this page; read page={page} to see it"} for page in pages[:_NAMED]]
    if len(pages) > _NAMED:
        named[-1] = {"page": pages[_NAMED - 1], "reason": f"no text on this page and {len(pages) - _NAMED} later ones"}
    return tuple(named)


def _pages(pages: Sequence[int], most: int, bound: str = "") -> Choice:
    """The first `most` of them; the rest is named, with the pages to read next."""
    wanted = tuple(Wanted(page) for page in pages[:most])
    rest = pages[most:]
    if not rest:
        return Choice(wanted)
    following = rest[0] if len(rest) == 1 else f"{rest[0]} and pageEnd={rest[:PAGES_UNASKED][-1]}"
    named = f"page {rest[0]}" if len(rest) == 1 else f"pages {rest[0]}–{rest[-1]}"
    reason = f"{named} did not fit: at most {bound or f'{most} pages'} at a time; read page={following} next"
    return Choice(wanted, ({"page": rest[0], "reason": reason},))
