"""Reads documents: PDF by page, DOCX by block and heading, in pieces, with page pictures on request (R-READ-4, -6)."""

from __future__ import annotations

import asyncio
import posixpath
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from orange_jupyter.core.codes import Code
from orange_jupyter.core.document import Block, DocumentText
from orange_jupyter.core.errors import ReadError
from orange_jupyter.core.masking import FindSecrets, Masked, Span
from orange_jupyter.core.paths import FileBytes
from orange_jupyter.core.result import PAGE_BREAK
from orange_jupyter.core.tool import Result, ToolContext
from orange_jupyter.tools.reading.asked import Asked, heading_fields, piece
from orange_jupyter.tools.reading.choosing import block_pictures, page_pictures, without_hidden
from orange_jupyter.tools.reading.pictures import Attached, Choice, attach

_NUMBER = re.compile(
    r"\A(?:第[一二三四五六七八九十百\d]+[章节節条條部篇]\s*|[一二三四五六七八九十]+、\s*|[(（]?\w{1,4}[.)）]\s+|\d+(?:\.\d+)*\.?\s+)"
)
"""What Word sets before a heading: `2.1`, `IV.`, `(a)`, `第三章`."""


@dataclass(frozen=True, slots=True)
class _Texts:
    """A document's pages or blocks, masked as one text: a key may run over several of them (R-READ-15)."""

    masked: Masked
    starts: tuple[int, ...]

    def part(self, index: int, start: int, end: int) -> str:
        """What may be shown of `[start, end)` of a page or block; `index` counts from 0 through the document."""
        at = self.starts[index]
        return self.masked.masked_slice(at + start, at + end)

    @property
    def touched(self) -> frozenset[int]:
        """The pages or blocks, counted from 0, that a masked value stands in or runs over."""
        return frozenset(
            index
            for first, last in self.masked.spans
            for index in range(max(bisect_right(self.starts, first) - 1, 0), bisect_left(self.starts, last))
        )

    @property
    def fields(self) -> dict[str, Any]:
        return {"maskedValues": self.masked.count} if self.masked.count else {}


def _masked(texts: Sequence[str], find_secrets: FindSecrets) -> _Texts:
    starts = accumulate((len(text) + len(PAGE_BREAK) for text in texts), initial=0)
    whole = PAGE_BREAK.join(texts)
    return _Texts(Masked(whole, find_secrets(whole)), tuple(starts))


def _hidden_pages(document: DocumentText, find_secrets: FindSecrets) -> frozenset[int]:
    """The pages of a PDF, from 1, that hold a masked value: by the pages' text, or by that of their blocks."""
    pages = _masked(document.pages, find_secrets).touched
    blocks = _masked([block.text for block in document.blocks], find_secrets).touched
    found = (document.blocks[index].page for index in blocks)
    return frozenset({index + 1 for index in pages} | {page for page in found if page is not None})


async def _attach(context: ToolContext, content: FileBytes, what: tuple[DocumentText, Choice]) -> Attached:
    """The chosen pictures, without those of pages that hold a masked value (R-READ-15)."""
    document, choice = what
    if choice.wanted and context.model.vision and document.file_type == "pdf":
        choice = without_hidden(choice, await asyncio.to_thread(_hidden_pages, document, context.find_secrets))
    return await attach(context, content, choice)


async def read_document(context: ToolContext, content: FileBytes, asked: Asked) -> Result:
    """A piece of a DOCX or PDF. Raises ReadError."""
    kind = content.info.file_type
    document = await context.documents.text(content.data, kind)
    _check_parts(kind, asked)
    if kind == "pdf" and asked.block is None:
        return await _pages(context, content, (document, asked))
    return await _blocks(context, content, (document, asked))


def _check_parts(kind: str, asked: Asked) -> None:
    if kind == "pdf" and asked.heading is not None:
        raise ReadError(Code.UNSUPPORTED_TYPE, "`heading` is for DOCX; a PDF is read by page or block.")
    if kind == "docx" and asked.pages is not None:
        raise ReadError(Code.UNSUPPORTED_TYPE, "`page` is for PDF; a DOCX is read by block or heading.")


async def _pages(context: ToolContext, content: FileBytes, what: tuple[DocumentText, Asked]) -> Result:
    document, asked = what
    count = len(document.pages)
    first, last = asked.pages or (1, count)
    if last > count:
        raise ReadError(
            Code.OUT_OF_RANGE,
            f"Page {last} does not exist; {content.info.place.shown} has pages 1–{count}.",
            details={"valid": [1, count]},
        )
    masked = await asyncio.to_thread(_masked, document.pages, context.find_secrets)
    texts = document.pages[first - 1 : last]
    total = len(PAGE_BREAK.join(texts))
    start, end, following = piece(total, asked)
    fields = await heading_fields(context, content, asked, _title(document, content))
    fields |= {"offset": start, "nextOffset": following, "totalChars": total, "pageCount": count}
    pieces = _slices(texts, start, end, keep_empty=[True] * len(texts))
    fields["pages"] = [
        {"page": first + index, "text": masked.part(first - 1 + index, *piece)} for index, piece in pieces
    ]
    fields |= masked.fields
    choice = page_pictures(document, asked, [first + index for index, _ in pieces])
    attached = await _attach(context, content, (document, choice))
    shown = f"page {first}" if first == last else f"pages {first}–{last}"
    return _result(fields | attached.fields, (f"{shown} of {count}, {end - start:,} characters", document, attached))


async def _blocks(context: ToolContext, content: FileBytes, what: tuple[DocumentText, Asked]) -> Result:
    document, asked = what
    chosen = _chosen(document, asked)
    masked = await asyncio.to_thread(_masked, [block.text for block in document.blocks], context.find_secrets)
    texts = [block.text for block in chosen]
    total = len(PAGE_BREAK.join(texts))
    start, end, following = piece(total, asked)
    fields = await heading_fields(context, content, asked, _title(document, content))
    fields |= {"offset": start, "nextOffset": following, "totalChars": total, "blockCount": len(document.blocks)}
    if document.file_type == "pdf":
        fields["pageCount"] = len(document.pages)
    pieces = _slices(texts, start, end, keep_empty=[block.kind == "image" for block in chosen])
    shown = [(chosen[index], masked.part(chosen[index].number - 1, *piece)) for index, piece in pieces]
    fields["blocks"] = [_block(block, text) for block, text in shown]
    fields |= masked.fields
    said = f"block {asked.block}" if asked.block else f"{len(fields['blocks'])} of {len(document.blocks)} blocks"
    following_blocks = [(block, _captioned(masked, block)) for block in chosen[pieces[0][0] if pieces else 0 :]]
    choice = block_pictures(document, asked, following_blocks)
    attached = await _attach(context, content, (document, choice))
    return _result(fields | attached.fields, (f"{said}, {end - start:,} characters", document, attached))


def _result(fields: dict[str, Any], end: tuple[str, DocumentText, Attached]) -> Result:
    summary, document, attached = end
    summary = f"{summary}, {attached.said}" if attached.said else summary
    return Result(fields, summary, warnings=document.warnings, images=attached.images)


def _captioned(masked: _Texts, block: Block) -> str:
    return masked.part(block.number - 1, 0, len(block.text)) if block.kind == "image" else ""


def _title(document: DocumentText, content: FileBytes) -> str:
    return document.title or posixpath.splitext(posixpath.basename(content.info.place.relative))[0]


def _slices(texts: Sequence[str], start: int, end: int, *, keep_empty: Sequence[bool]) -> list[tuple[int, Span]]:
    """(index, range in it) of each text that [start, end) of the joined texts touches; `keep_empty` ones count too."""
    pieces = []
    at = 0
    for index, text in enumerate(texts):
        low, high = max(start - at, 0), min(end - at, len(text))
        if low < high or (keep_empty[index] and not text and start <= at <= end):
            pieces.append((index, (low, high)))
        at += len(text) + len(PAGE_BREAK)
    return pieces


def _block(block: Block, text: str) -> dict[str, Any]:
    whole: dict[str, Any] = {"block": block.number, "kind": block.kind, "text": text}
    if block.level is not None:
        whole["level"] = block.level
    whole["headingPath"] = list(block.heading_path)
    if block.page is not None:
        whole["page"] = block.page
    return whole


def _chosen(document: DocumentText, asked: Asked) -> list[Block]:
    if asked.block is not None:
        if asked.block > len(document.blocks):
            raise ReadError(
                Code.OUT_OF_RANGE,
                f"Block {asked.block} does not exist; there are blocks 1–{len(document.blocks)}.",
                details={"valid": [1, len(document.blocks)]},
            )
        return [document.blocks[asked.block - 1]]
    if asked.heading is not None:
        return _section(document.blocks, asked.heading)
    return list(document.blocks)


def _section(blocks: Sequence[Block], heading: str) -> list[Block]:
    """From a heading to the next one of the same or a higher level (R-READ-4)."""
    wanted = heading.split(" > ")
    headings = [index for index, block in enumerate(blocks) if block.kind == "heading"]
    places = [index for index in headings if _matches(blocks[index], wanted, _folded)]
    places = places or [index for index in headings if _matches(blocks[index], wanted, _unnumbered)]
    if not places:
        known = [blocks[index].text for index in headings[:12]]
        raise ReadError(
            Code.HEADING_NOT_FOUND,
            f"There is no heading {heading!r}.",
            hint=f"Headings: {'; '.join(known)}." if known else "This document has no headings; read by block.",
        )
    if len(places) > 1:
        numbers = [blocks[place].number for place in places]
        raise ReadError(
            Code.AMBIGUOUS_HEADING,
            f"{len(places)} headings read {heading!r}.",
            hint="Give the path `A > B`, or the block.",
            details={"blocks": numbers},
        )
    first = places[0]
    level = blocks[first].level or 1
    following = (
        index
        for index in range(first + 1, len(blocks))
        if blocks[index].kind == "heading" and (blocks[index].level or 1) <= level
    )
    return list(blocks[first : next(following, len(blocks))])


def _matches(block: Block, wanted: list[str], spell: Callable[[str], str]) -> bool:
    path = [spell(part) for part in block.heading_path]
    own = spell(block.text)
    if not path or path[-1] != own:
        path.append(own)
    return path[-len(wanted) :] == [spell(part) for part in wanted]


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()


def _unnumbered(text: str) -> str:
    """A heading without its number: `methods` for `2.1 Methods`."""
    return _NUMBER.sub("", _folded(text), count=1)
