"""The `pdf` format: text by page in the order of reading, blocks, passages, and a page as a picture.

Runs only in a worker process: PyMuPDF holds the GIL and knows no threads. `sort=True` is never used: it puts the
columns of half of all two-column pages in a wrong order (documents-facts.md). Here: a file; pdf_page: one page;
pdf_lines, pdf_gutters, pdf_order, pdf_blocks: from glyphs to blocks.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import accumulate
from typing import Any

import pymupdf
from PIL import Image

from orange_jupyter.core.codes import Code
from orange_jupyter.core.document import Block, Box, Chunk, DocumentText, Extract, PageText, Picture, PictureLimits
from orange_jupyter.core.errors import ReadError
from orange_jupyter.documents import pdf_actions, pdf_marks
from orange_jupyter.documents.chunks import chunk_plain
from orange_jupyter.documents.pdf_blocks import heading_levels
from orange_jupyter.documents.pdf_lines import clean
from orange_jupyter.documents.pdf_page import MOST_BYTES, MOST_PAGES, Page, Reader, warnings
from orange_jupyter.documents.pdf_quality import named
from orange_jupyter.documents.raster import MAX_SIDE, encode

_MAX_ZOOM = 4.0
_FAULTS = (RuntimeError, ValueError, pymupdf.mupdf.FzErrorBase)
_OUT_OF_MEMORY = ("malloc", "alloc", "out of memory")
_EMPTY_TITLES = frozenset({"untitled", "unknown", "none", "title", "document1"})
_PROGRAM = re.compile(r"^Microsoft (?:Word|PowerPoint|Excel) - ")


def text(data: bytes, *, plain: bool = False) -> DocumentText:
    """All pages' text and blocks, numbered from 1 through the document; `box` in points from the page's top left.

    A page's text is its blocks' texts joined by a blank line, in the order of reading (R-READ-3). A page that cannot
    be read is "" with a warning. With `plain` nothing of the pages is drawn, so hidden text is not looked for.
    Raises ReadError type_mismatch, damaged, encrypted.
    """
    with _opened(data) as document:
        pages, said = _pages(Reader(document, ordered=_in_budget(document, data), plain=plain))
        said += pdf_actions.warnings(document, data)
        title = _title(document)
    strange = tuple(page.number for page in pages if "unreadable" in page.faults)
    return DocumentText("pdf", tuple(page.text for page in pages), _numbered(pages), title, said, strange)


def extract(data: bytes, *, name: str, plain: bool = False) -> Extract:
    """Title (the PDF's own, else `name`) and passages by page, each with the block in which it begins.

    Raises ReadError as `text` does.
    """
    read = text(data, plain=plain)
    chunks: list[Chunk] = []
    for number, page in enumerate(read.pages, 1):
        blocks = [block for block in read.blocks if block.page == number]
        starts = [0, *accumulate(len(block.text) + 2 for block in blocks)]
        for chunk in chunk_plain(page, page=number):
            block = blocks[bisect_right(starts, chunk.start) - 1]
            path = block.heading_path
            if block.kind == "heading":
                path = (*path, " ".join(block.text.split()))
            chunks.append(replace(chunk, block=block.number, heading_path=path))
    return Extract(
        title=read.title or name,
        tags=(),
        chunks=tuple(chunks),
        page_count=len(read.pages),
        block_count=len(read.blocks),
        warnings=read.warnings,
    )


def page_text(data: bytes, page: int, span: Sequence[int] | None = None, *, plain: bool = False) -> PageText:
    """One page's text, size, columns and warnings, and one box a line of `span`, in shares of the page.

    Raises ReadError out_of_range, damaged, encrypted.
    """
    with _opened(data) as document:
        _check_page(document, page)
        reader = Reader(document, ordered=_in_budget(document, data), plain=plain)
        found = _read(reader, page)
        if found is None:
            raise _damaged(f"page {page} cannot be read")
        places = pdf_marks.marks(found.blocks, span, (found.width, found.height)) if span else ()
        said = warnings([found], ordered=reader.ordered)
        about = (found.width, found.height, found.columns, places, _title(document), said)
        return PageText(page, document.page_count, found.text, *about)


def page_picture(data: bytes, page: int, limits: PictureLimits, span: Sequence[int] | None = None) -> Picture:
    """One page, rendered to fill the limits, `span` marked. Raises ReadError out_of_range, damaged, encrypted."""
    marks = page_text(data, page, span).marks if span else ()
    with _opened(data) as document:
        _check_page(document, page)
        try:
            return _rendered(document, page, limits, marks)
        except _FAULTS as error:
            _refuse_exhaustion(error)
            raise _damaged(f"page {page} cannot be drawn") from None


def _check_page(document: Any, page: int) -> None:
    if not 1 <= page <= document.page_count:
        raise ReadError(
            Code.OUT_OF_RANGE,
            f"Page {page} does not exist; the PDF has pages 1–{document.page_count}.",
            details={"first": 1, "last": document.page_count},
        )


def _rendered(document: Any, page: int, limits: PictureLimits, marks: Sequence[Box] = ()) -> Picture:
    sheet = document[page - 1]
    width, height = max(sheet.rect.width, 1.0), max(sheet.rect.height, 1.0)
    zoom = min(min(limits.max_width, MAX_SIDE) / width, min(limits.max_height, MAX_SIDE) / height, _MAX_ZOOM)
    drawn = sheet.get_pixmap(matrix=pymupdf.Matrix(zoom, zoom), alpha=False, colorspace=pymupdf.csRGB)
    image = Image.frombytes("RGB", (drawn.width, drawn.height), drawn.samples)
    if marks:
        image = pdf_marks.marked(image, marks)
    return encode(image, limits, original=(round(width), round(height)))


@contextmanager
def _opened(data: bytes) -> Iterator[Any]:
    """The document, closed afterwards, with at least one readable page and no password."""
    if b"%PDF-" not in data[:1024]:
        raise _not_pdf(data)
    try:
        document = pymupdf.open(stream=data, filetype="pdf")
    except _FAULTS as error:
        _refuse_exhaustion(error)
        raise _damaged("it cannot be opened") from None
    try:
        _check(document)
        yield document
    finally:
        document.close()


def _check(document: Any) -> None:
    if document.needs_pass:
        raise ReadError(
            Code.ENCRYPTED, "The PDF needs a password.", hint="Save a copy without a password and read that."
        )
    try:
        count = document.page_count
    except _FAULTS:
        count = 0
    if not document.is_pdf or count < 1:
        raise _damaged("no page of it can be found")


def _in_budget(document: Any, data: bytes) -> bool:
    return len(data) <= MOST_BYTES and document.page_count <= MOST_PAGES


def _pages(reader: Reader) -> tuple[list[Page], tuple[str, ...]]:
    """All pages and what is to be said of them. Raises ReadError damaged if none can be read."""
    pages: list[Page] = []
    broken: list[int] = []
    for number in range(1, reader.document.page_count + 1):
        page = _read(reader, number)
        if page is None:
            broken.append(number)
        pages.append(page or Page(number))
    if len(broken) == len(pages):
        raise _damaged("none of its pages can be read")
    said = warnings(pages, ordered=reader.ordered)
    if reader.plain:
        said += ("Drawing this file makes its reader crash; whether text is hidden on its pages was not looked at.",)
    if broken:
        one = len(broken) == 1
        what = f"Page {broken[0]}" if one else f"Pages {named(broken)}"
        said += (f"{what} could not be read; look at {'it as a picture' if one else 'them as pictures'}.",)
    return pages, said


def _read(reader: Reader, number: int) -> Page | None:
    """A page, or None where PyMuPDF gives up on it."""
    try:
        return reader.page(number)
    except _FAULTS as error:
        _refuse_exhaustion(error)
        return None


def _numbered(pages: Sequence[Page]) -> tuple[Block, ...]:
    """The document's blocks: headings told from the rest by size and weight over all pages, with their paths."""
    levels = heading_levels([block for page in pages for block in page.blocks])
    found: list[Block] = []
    path: dict[int, str] = {}
    for page in pages:
        for block in page.blocks:
            content = block.text
            level = levels.get(id(block))
            if level is not None:
                path = {above: title for above, title in path.items() if above < level}
            about = (tuple(path.values()), page.number, block.box)
            found.append(Block(len(found) + 1, block.kind if level is None else "heading", content, level, *about))
            if level is not None:
                path[level] = " ".join(content.split())
    return tuple(found)


def _title(document: Any) -> str:
    title = " ".join(clean((document.metadata or {}).get("title") or "").split())
    title = _PROGRAM.sub("", title)
    return "" if title.casefold() in _EMPTY_TITLES or len(title) > 300 else title


def _refuse_exhaustion(error: Exception) -> None:
    """MuPDF reports a failed allocation as an ordinary error; it is the worker's memory limit (D01)."""
    if any(word in str(error).lower() for word in _OUT_OF_MEMORY):
        raise MemoryError from error


def _not_pdf(data: bytes) -> ReadError:
    if not data:
        return _damaged("the file is empty")
    return ReadError(
        Code.TYPE_MISMATCH,
        "The file's name says PDF, but its content is something else.",
        hint="Read it under a name that fits its content.",
    )


def _damaged(reason: str) -> ReadError:
    return ReadError(Code.DAMAGED, f"The PDF is damaged: {reason}.", hint="Open it in a viewer and save it again.")
