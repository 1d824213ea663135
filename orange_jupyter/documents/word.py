"""The `docx` format: a Word file's structure blocks in reading order. Runs only in a worker process.

The XML is walked in the `word_…` modules beside this one, because python-docx leaves out content controls and
insertions and refuses strict files (documents-facts.md); names are compared without their namespace, so both dialects
are read.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise

from orange_jupyter.core.codes import Code
from orange_jupyter.core.document import Block, Chunk, DocumentText, Extract, Picture, PictureLimits
from orange_jupyter.core.errors import ReadError
from orange_jupyter.documents import pixels
from orange_jupyter.documents.chunks import chunk_plain
from orange_jupyter.documents.ooxml import Package, damaged, limit
from orange_jupyter.documents.word_body import NAMELESS, Body, PicturePlace
from orange_jupyter.documents.word_xml import child

_MOST_NAMED = 40
_EMF, _WMF = b" EMF", (b"\xd7\xcd\xc6\x9a", b"\x01\x00\x09\x00", b"\x02\x00\x09\x00")
_OTHER_KINDS = {
    b"II*\0": "a TIFF picture",
    b"MM\0*": "a TIFF picture",
    b"%!PS": "an EPS drawing",
    b"II\xbc\x01": "an HD Photo",
}
_VECTOR_HINT = "Read its caption and the text around it, or export the document as PDF and read the page's picture."


def text(data: bytes) -> DocumentText:
    """Headings, paragraphs, lists, tables, text boxes, notes, comments, equations and pictures, numbered from 1.

    A heading's `heading_path` ends with itself. Inserted text is in, deleted text is out, with a warning. Notes and
    comments stand at the end of the section that refers to them, page headers and footers at the end of the document.
    Raises ReadError type_mismatch, encrypted, damaged, parser_limit.
    """
    with _read(data) as (package, body):
        title = _core_title(package) or body.title
        return DocumentText("docx", blocks=tuple(body.blocks), title=title, warnings=body.story.tally.warnings())


def extract(data: bytes, *, name: str) -> Extract:
    """Title (the file's own, else its first top heading, else `name`) and passages; each lies in one block.

    A heading is a passage of its own only where no text follows it; else it is in its blocks' heading path. Pictures
    are found by their alternative text or caption. Raises ReadError as `text` does.
    """
    read = text(data)
    first = next((block.text for block in read.blocks if block.kind == "heading" and block.level == 1), "")
    return Extract(
        title=read.title or first or name,
        tags=(),
        chunks=tuple(_chunks(read.blocks)),
        block_count=len(read.blocks),
        warnings=read.warnings,
    )


def block_picture(data: bytes, block: int, limits: PictureLimits) -> Picture:
    """The picture of an image block, within limits; `block` counts from 1.

    Raises ReadError out_of_range (no such block), unsupported_type (not an image block, or EMF, WMF, SVG, a chart, a
    link), damaged (the picture's part is missing or broken), too_large, and as `text` does.
    """
    with _read(data) as (package, body):
        place = body.pictures.get(block)
        if place is None:
            raise _no_picture(body, block)
        content = _stored(package, place, block)
    if (kind := _unshown(content)) is not None:
        raise _unsupported(f"The picture in block {block} is {kind} and cannot be shown.", _VECTOR_HINT)
    try:
        return pixels.picture(content, limits)
    except ReadError as error:
        if error.code is not Code.TYPE_MISMATCH:
            raise
        raise _unsupported(
            f"The picture in block {block} is of an unknown kind and cannot be shown.", _VECTOR_HINT
        ) from None


@contextmanager
def _read(data: bytes) -> Iterator[tuple[Package, Body]]:
    package = Package(data)
    try:
        body = Body(package)
        body.read(package.xml(package.main))
        yield package, body
    except RecursionError:
        raise limit("its parts are nested too deep") from None
    finally:
        package.close()


def _chunks(blocks: tuple[Block, ...]) -> Iterator[Chunk]:
    for block, following in pairwise([*blocks, None]):
        if block is None or (block.kind == "image" and _says_nothing_new(block, following)):
            continue
        if block.kind != "heading" or following is None or following.kind == "heading":
            yield from chunk_plain(block.text, block=block.number, heading_path=block.heading_path)


def _says_nothing_new(image: Block, following: Block | None) -> bool:
    return image.text in NAMELESS or (following is not None and " ".join(following.text.split()) == image.text)


def _stored(package: Package, place: PicturePlace, block: int) -> bytes:
    """The bytes of a picture's part."""
    if place.chart:
        raise _unsupported(f"Block {block} is a chart, which is drawn from its data and cannot be shown.", _VECTOR_HINT)
    relation = package.relations(place.part).get(place.relation)
    if relation is not None and relation.external:
        raise _unsupported(
            f"The picture in block {block} is a link to a place outside the document and is not fetched.",
            "Ask for the picture itself, or for a copy of the document with the picture in it.",
        )
    content = package.content(relation.target) if relation is not None else None
    if content is None:
        raise damaged(f"the picture of block {block} is missing from it")
    return content


def _no_picture(body: Body, block: int) -> ReadError:
    images = sorted(body.pictures)
    few = ", ".join(map(str, images[:_MOST_NAMED])) + (" …" if len(images) > _MOST_NAMED else "")
    hint = f"Image blocks: {few}." if images else "This document has no pictures."
    details = {"valid": [1, len(body.blocks)], "imageBlocks": images[:_MOST_NAMED]}
    if 1 <= block <= len(body.blocks):
        kind = body.blocks[block - 1].kind
        message = f"Block {block} is {'an' if kind[0] in 'aeiou' else 'a'} {kind}, not a picture."
        return ReadError(Code.UNSUPPORTED_TYPE, message, hint=hint, details=details)
    message = f"Block {block} does not exist; there are blocks 1–{len(body.blocks)}."
    return ReadError(Code.OUT_OF_RANGE, message, hint=hint, details=details)


def _unsupported(message: str, hint: str) -> ReadError:
    return ReadError(Code.UNSUPPORTED_TYPE, message, hint=hint)


def _unshown(content: bytes) -> str | None:
    """What kind of picture it is, by its first bytes, if it is one that is not shown."""
    if content[40:44] == _EMF or content.startswith(_WMF):
        return "an EMF or WMF drawing"
    if content.startswith(b"\x1f\x8b"):
        return "a packed EMF or WMF drawing"
    head = content[:1000].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if head.startswith(b"<") and b"<svg" in head:
        return "an SVG drawing"
    return next((kind for start, kind in _OTHER_KINDS.items() if content.startswith(start)), None)


def _core_title(package: Package) -> str:
    try:
        root = package.xml("docProps/core.xml")
    except ReadError as error:
        if error.code is not Code.DAMAGED:
            raise
        return ""
    found = child(root, "title")
    return " ".join((found.text or "").split())[:300] if found is not None else ""
