"""The document formats, one line each: a new one is a file in this folder and a line here."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Format:
    """A file type and the module that reads it.

    `operations` are the module's functions that may be called. With `in_worker` the module is only ever imported in
    a worker process; `most_bytes` is the size beyond which a file is not opened (R-SRCH-10, R-READ-9).
    """

    file_type: str
    module: str
    operations: tuple[str, ...]
    in_worker: bool
    most_bytes: int


_MB = 1_048_576

FORMATS = (
    Format("markdown", "markdown", ("extract",), in_worker=False, most_bytes=20 * _MB),
    Format("txt", "text", ("extract",), in_worker=False, most_bytes=20 * _MB),
    Format("docx", "word", ("text", "extract", "block_picture"), in_worker=True, most_bytes=200 * _MB),
    Format("pdf", "pdf", ("text", "extract", "page_text", "page_picture"), in_worker=True, most_bytes=200 * _MB),
    Format("html", "html", ("page", "plain"), in_worker=True, most_bytes=20 * _MB),
    Format("image", "image", ("picture",), in_worker=True, most_bytes=20 * _MB),
)
