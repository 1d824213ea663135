"""The `pdf` format: text by page in the file's own order, passages by page, and a page as a picture.

Runs only in a worker process: PyMuPDF holds the GIL and knows no threads. `sort=True` is never used: it puts the
columns of half of all two-column pages in a wrong order (documents-facts.md).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pymupdf
from PIL import Image, ImageDraw

from orange_jupyter.core.codes import Code
from orange_jupyter.core.document import Block, Box, DocumentText, Extract, PageText, Picture, PictureLimits
from orange_jupyter.core.errors import ReadError
from orange_jupyter.documents.chunks import chunk_plain
from orange_jupyter.documents.raster import MAX_SIDE, encode

_FLAGS = pymupdf.TEXTFLAGS_BLOCKS & ~pymupdf.TEXT_PRESERVE_LIGATURES & ~pymupdf.TEXT_PRESERVE_IMAGES
_MAX_ZOOM = 4.0
_FAULTS = (RuntimeError, ValueError, pymupdf.mupdf.FzErrorBase)
_OUT_OF_MEMORY = ("malloc", "alloc", "out of memory")
_EMPTY_TITLES = frozenset({"untitled", "unknown", "none", "title", "document1"})
_PROGRAM = re.compile(r"^Microsoft (?:Word|PowerPoint|Excel) - ")


def text(data: bytes) -> DocumentText:
    """All pages' text and blocks, numbered from 1 through the document; `box` in points from the page's top left.

    A page's text is its blocks' texts joined by a blank line. A page that cannot be read is "" with a warning.
    Raises ReadError type_mismatch, damaged, encrypted.
    """
    pages: list[str] = []
    blocks: list[Block] = []
    warnings: list[str] = []
    with _opened(data) as document:
        for number in range(1, document.page_count + 1):
            try:
                found = _page_blocks(document, number, len(blocks))
            except _FAULTS as error:
                _refuse_exhaustion(error)
                found = []
                warnings.append(f"Page {number} could not be read; look at it as a picture.")
            blocks += found
            pages.append("\n\n".join(block.text for block in found))
        if len(warnings) == document.page_count:
            raise _damaged("none of its pages can be read")
        title = _title(document)
    if not any(pages):
        warnings.append("The PDF has no text layer; its pages can be looked at as pictures.")
    return DocumentText("pdf", tuple(pages), tuple(blocks), title, tuple(warnings))


def extract(data: bytes, *, name: str) -> Extract:
    """Title (the PDF's own, else `name`) and passages by page. Raises ReadError as `text` does."""
    read = text(data)
    chunks = [chunk for number, page in enumerate(read.pages, 1) for chunk in chunk_plain(page, page=number)]
    return Extract(
        title=read.title or name,
        tags=(),
        chunks=tuple(chunks),
        page_count=len(read.pages),
        block_count=len(read.blocks),
        warnings=read.warnings,
    )


def page_text(data: bytes, page: int, span: Sequence[int] | None = None) -> PageText:
    """One page's text, size and the boxes of `span` on it. Raises ReadError out_of_range, damaged, encrypted."""
    with _opened(data) as document:
        _check_page(document, page)
        try:
            blocks = _page_blocks(document, page, 0)
            rect = document[page - 1].rect
        except _FAULTS as error:
            _refuse_exhaustion(error)
            raise _damaged(f"page {page} cannot be read") from None
        content = "\n\n".join(block.text for block in blocks)
        marks = _marks(blocks, span, (rect.width, rect.height)) if span else ()
        return PageText(
            page, document.page_count, content, rect.width, rect.height, int(bool(blocks)), marks, _title(document)
        )


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


def _marks(blocks: Sequence[Block], span: Sequence[int], size: tuple[float, float]) -> tuple[Box, ...]:
    """The boxes of the blocks that `span` touches, in shares of the page."""
    marks: list[Box] = []
    at = 0
    for block in blocks:
        if block.box and at < span[1] and span[0] < at + len(block.text):
            x0, y0, x1, y1 = block.box
            marks.append((x0 / size[0], y0 / size[1], x1 / size[0], y1 / size[1]))
        at += len(block.text) + 2
    return tuple(marks)


def _rendered(document: Any, page: int, limits: PictureLimits, marks: Sequence[Box] = ()) -> Picture:
    sheet = document[page - 1]
    width, height = max(sheet.rect.width, 1.0), max(sheet.rect.height, 1.0)
    zoom = min(min(limits.max_width, MAX_SIDE) / width, min(limits.max_height, MAX_SIDE) / height, _MAX_ZOOM)
    drawn = sheet.get_pixmap(matrix=pymupdf.Matrix(zoom, zoom), alpha=False, colorspace=pymupdf.csRGB)
    image = Image.frombytes("RGB", (drawn.width, drawn.height), drawn.samples)
    if marks:
        image = _marked(image, marks)
    return encode(image, limits, original=(round(width), round(height)))


def _marked(image: Image.Image, marks: Sequence[Box]) -> Image.Image:
    """The picture with a see-through fill and an outline over each box."""
    over = Image.new("RGBA", image.size, (0, 0, 0, 0))
    pen = ImageDraw.Draw(over)
    width, height = image.size
    for x0, y0, x1, y1 in marks:
        box = (x0 * width, y0 * height, x1 * width, y1 * height)
        pen.rectangle(box, fill=(255, 214, 64, 96), outline=(176, 74, 0, 255), width=max(1, width // 700))
    return Image.alpha_composite(image.convert("RGBA"), over).convert("RGB")


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


def _page_blocks(document: Any, number: int, before: int) -> list[Block]:
    found: list[Block] = []
    for x0, y0, x1, y1, content, _, kind in document[number - 1].get_text("blocks", flags=_FLAGS):
        clean = _clean(content)
        if kind == 0 and clean:
            box = (round(x0, 1), round(y0, 1), round(x1, 1), round(y1, 1))
            found.append(Block(before + len(found) + 1, "paragraph", clean, page=number, box=box))
    return found


def _clean(content: str) -> str:
    """Text that can be printed and encoded; lone surrogates and NULs come from wrong font tables."""
    valid = content.encode("utf-8", "replace").decode("utf-8").replace("\0", "")
    return "\n".join(line.rstrip() for line in valid.split("\n")).strip()


def _title(document: Any) -> str:
    title = " ".join(_clean((document.metadata or {}).get("title") or "").split())
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
