"""The port `Documents` on this machine: notes are read here, in a thread, documents and pictures in the pool."""

from __future__ import annotations

import asyncio
import importlib
import os
from collections.abc import Mapping
from dataclasses import asdict, replace
from functools import partial
from typing import Any, cast

from orange_jupyter.core.codes import Code
from orange_jupyter.core.document import DocumentText, Extract, PageText, Picture, PictureLimits
from orange_jupyter.core.errors import ReadError
from orange_jupyter.core.masking import FindSecrets, mask_file
from orange_jupyter.core.paths import shown_name
from orange_jupyter.core.shapes import secret_spans
from orange_jupyter.documents.formats import FORMATS, Format
from orange_jupyter.documents.frames import Result
from orange_jupyter.documents.hiding import hidden_in_document, hidden_in_note
from orange_jupyter.documents.pool import Pool
from orange_jupyter.documents.process import WorkerLimits
from orange_jupyter.documents.text import decode

_PLAINLY = frozenset({("pdf", "text"), ("pdf", "extract"), ("pdf", "page_text")})


class LocalDocuments:
    """Implements `core.ports.Documents` over FORMATS. Used from one event loop; `close` ends the workers."""

    def __init__(
        self,
        workers: int | None = None,
        *,
        limits: WorkerLimits | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """Starts nothing yet. `workers` at once at most: one a core by default, at least two and at most four."""
        self._pool = Pool(workers or workers_here(), limits=limits, environment=environment)
        self._find_secrets: FindSecrets = secret_spans

    async def text(self, data: bytes, file_type: str) -> DocumentText:
        """The text of a `docx` or `pdf`. Raises ReadError."""
        return cast(DocumentText, await self._run(data, file_type, "text"))

    async def picture(self, data: bytes, limits: PictureLimits) -> Picture:
        """An image file within limits. Raises ReadError."""
        return cast(Picture, await self._run(data, "image", "picture", limits=asdict(limits)))

    async def page_picture(
        self, data: bytes, page: int, limits: PictureLimits, *, span: tuple[int, int] | None = None
    ) -> Picture:
        """A PDF page as a picture, `span` of its text marked; `page` counts from 1. Raises ReadError out_of_range …"""
        call = {"page": page, "limits": asdict(limits), "span": span}
        return cast(Picture, await self._run(data, "pdf", "page_picture", **call))

    async def page_text(self, data: bytes, page: int, *, span: tuple[int, int] | None = None) -> PageText:
        """A PDF page's text and size, and where `span` stands on it. Raises ReadError out_of_range …"""
        return cast(PageText, await self._run(data, "pdf", "page_text", page=page, span=span))

    async def block_picture(self, data: bytes, block: int, limits: PictureLimits) -> Picture:
        """The picture of an image block of a DOCX. Raises ReadError out_of_range, unsupported_type …"""
        return cast(Picture, await self._run(data, "docx", "block_picture", block=block, limits=asdict(limits)))

    async def extract(self, data: bytes, file_type: str, *, name: str, encoding: str | None = None) -> Extract:
        """Title, tags and chunks of a searchable file, credentials hidden; `name` is its name. Raises ReadError.

        A document waits behind every other call: only the index asks for this, and most of it in the background.
        """
        stem = file_stem(name)
        entry = _format(file_type, "extract", len(data))
        if entry.in_worker:
            call = {"file_type": file_type, "operation": "extract", "arguments": {"name": stem}}
            found = cast(Extract, await self._call(call, data, background=True))
            return await asyncio.to_thread(hidden_in_document, found, self._find_secrets)
        return await asyncio.to_thread(self._extract_note, entry, data, (name, encoding))

    async def web_page(self, data: bytes, *, charset: str, url: str, markup: bool) -> DocumentText:
        """What came from `url` as one page of text: Markdown of HTML (`markup`), else the text as it is.

        `charset` is what the server said, or "". Raises ReadError.
        """
        if markup:
            return cast(DocumentText, await self._run(data, "html", "page", charset=charset, url=url))
        return cast(DocumentText, await self._run(data, "html", "plain", charset=charset))

    def hide(self, find_secrets: FindSecrets) -> None:
        """Keep what this finds out of every later `extract`; what looks like a credential is kept out from the start.

        Workers are not told: they read untrusted files.
        """
        self._find_secrets = find_secrets

    async def close(self) -> None:
        """End the workers."""
        await self._pool.close()

    def _extract_note(self, entry: Format, data: bytes, about: tuple[str, str | None]) -> Extract:
        name, encoding = about
        decoded = decode(data, encoding)
        module = importlib.import_module(f"{__package__}.{entry.module}")
        masked = mask_file(name, decoded.text, self._find_secrets)
        found = hidden_in_note(masked, partial(module.extract, name=file_stem(name)))
        return replace(found, warnings=(*found.warnings, decoded.warning)) if decoded.warning else found

    async def _run(self, data: bytes, file_type: str, operation: str, **arguments: Any) -> Result:
        _format(file_type, operation, len(data))
        call = {"file_type": file_type, "operation": operation, "arguments": arguments}
        return await self._call(call, data)

    async def _call(self, call: dict[str, Any], data: bytes, *, background: bool = False) -> Result:
        """Run a call in a worker; a PDF that crashed it is read once more without drawing anything of it."""
        try:
            return await self._pool.run(call, data, background=background)
        except ReadError as error:
            if error.code is not Code.PARSER_CRASHED or (call["file_type"], call["operation"]) not in _PLAINLY:
                raise
        plainly = {**call, "arguments": {**call["arguments"], "plain": True}}
        return await self._pool.run(plainly, data, background=background)


def workers_here() -> int:
    """One a core that this process may use, at least two (one is kept for whoever waits) and at most four."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(4, max(2, cores))


def file_stem(name: str) -> str:
    """A file's name without folder and ending, in characters that can be shown (P12, P13)."""
    base = name.rpartition("/")[2]
    stem, dot, _ = base.rpartition(".")
    return shown_name(stem if dot and stem else base)


def _format(file_type: str, operation: str, size: int) -> Format:
    entry = next((entry for entry in FORMATS if entry.file_type == file_type), None)
    if entry is None or operation not in entry.operations:
        raise ReadError(
            Code.UNSUPPORTED_TYPE,
            f"Files of the type {file_type} have no {operation.replace('_', ' ')}.",
            hint="Read it as text, or convert it to Markdown, DOCX or PDF.",
        )
    if size > entry.most_bytes:
        raise ReadError(
            Code.TOO_LARGE,
            f"The file is {size:,} bytes; at most {entry.most_bytes:,} are read of this type.",
            hint="Split it, or save the part you need in a file of its own.",
        )
    return entry
