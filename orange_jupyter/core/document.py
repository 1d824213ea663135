"""Values about one document or picture: its blocks, chunks and pixels."""

from __future__ import annotations

from dataclasses import dataclass, field

Box = tuple[float, float, float, float]
"""x0, y0, x1, y1 from the top left of a page as a viewer shows it (rotated where the file says so)."""


@dataclass(frozen=True, slots=True)
class Block:
    """A structure block of a document. `number` counts from 1 through the document; `box` is in PDF points.

    `kind` is heading, paragraph, list, table, textbox, footnote, comment, equation or image; an image block's text
    is its caption or alternative text, and `Documents.block_picture` gives its pixels.
    """

    number: int
    kind: str
    text: str
    level: int | None = None
    heading_path: tuple[str, ...] = ()
    page: int | None = None
    box: Box | None = None


@dataclass(frozen=True, slots=True)
class PageText:
    """One page of a PDF for a person who looks at it: its text as `read` gives it, and where a stretch of it stands.

    `width` and `height` are in points; `marks` are boxes in shares of them (0 … 1), one a line of the stretch that was
    asked for; `columns` is how many columns of text the page has, 0 where it has no text layer.
    """

    page: int
    page_count: int
    text: str
    width: float
    height: float
    columns: int = 1
    marks: tuple[Box, ...] = ()
    title: str = ""
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DocumentText:
    """The text of a DOCX (`blocks`) or PDF (`pages`, one string a page, and `blocks` with their page).

    `unreadable` are the pages, from 1, whose text layer says nothing a person could read.
    """

    file_type: str
    pages: tuple[str, ...] = ()
    blocks: tuple[Block, ...] = ()
    title: str = ""
    warnings: tuple[str, ...] = ()
    unreadable: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture made ready for a model or a person: within the limits, orientation applied."""

    data: bytes = field(repr=False)
    media_type: str
    width: int
    height: int
    frames: int = 1
    original_width: int = 0
    original_height: int = 0


@dataclass(frozen=True, slots=True)
class PictureLimits:
    """Bounds of a picture (R-READ-8, R-IMG-1): pixels a side and bytes of the encoded file."""

    max_width: int = 2000
    max_height: int = 2000
    max_bytes: int = 3_538_944
    jpeg_quality: int = 80


@dataclass(frozen=True, slots=True)
class Chunk:
    """A stretch of a file's text that is searched and cited as one passage.

    `start`/`end` are code points in the text that `read` gives: for a PDF in the text of `page` (`block` is then the
    block in which the chunk begins), for a DOCX in the text of `block`, else in the whole note (front matter
    included, BOM and encoding decoded away). `text` is what stands there, but for credentials, which are
    `⟦masked:n⟧`; a stretch that is nothing else is no chunk.
    """

    text: str
    start: int
    end: int
    heading_path: tuple[str, ...] = ()
    page: int | None = None
    block: int | None = None


@dataclass(frozen=True, slots=True)
class Extract:
    """All that the index keeps of one file: title, tags (casefolded, without `#`), chunks in reading order."""

    title: str
    tags: tuple[str, ...]
    chunks: tuple[Chunk, ...]
    page_count: int | None = None
    block_count: int | None = None
    warnings: tuple[str, ...] = ()
