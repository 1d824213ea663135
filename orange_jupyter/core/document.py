"""Values about one document or picture: its blocks, chunks and pixels."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Block:
    """A structure block of a document. `number` counts from 1; `box` is x0, y0, x1, y1 in PDF points."""

    number: int
    kind: str
    text: str
    level: int | None = None
    heading_path: tuple[str, ...] = ()
    page: int | None = None
    box: tuple[float, float, float, float] | None = None


@dataclass(frozen=True, slots=True)
class DocumentText:
    """The text of a DOCX (`blocks`) or PDF (`pages`, one string a page, and `blocks` with their page)."""

    file_type: str
    pages: tuple[str, ...] = ()
    blocks: tuple[Block, ...] = ()
    title: str = ""
    warnings: tuple[str, ...] = ()


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

    `start`/`end` are code points in the text that `read` gives: for a PDF in the text of `page`, for a DOCX in the
    text of `block`, else in the whole note (front matter included, BOM and encoding decoded away). `text` is what
    stands there, but for credentials, which are `⟦masked:n⟧`; a stretch that is nothing else is no chunk.
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
