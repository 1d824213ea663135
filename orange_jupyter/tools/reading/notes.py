"""Reads text: notes and other text files, decoded, in pieces, with the note's picture references (R-READ-10, -13)."""

from __future__ import annotations

import asyncio
import posixpath
from dataclasses import dataclass
from typing import Any

from orange_jupyter.core.errors import PathError
from orange_jupyter.core.masking import FindSecrets, Masked, mask_file, uncovered
from orange_jupyter.core.paths import FileBytes, FileInfo, file_type
from orange_jupyter.core.result import as_json
from orange_jupyter.core.tool import Result, ToolContext
from orange_jupyter.documents.frontmatter import read_front_matter
from orange_jupyter.documents.image_refs import ImageRef, image_refs
from orange_jupyter.documents.structure import sections
from orange_jupyter.documents.text import Decoded, decode
from orange_jupyter.tools.reading.asked import Asked, Images, heading_fields, piece
from orange_jupyter.tools.reading.pictures import Attached, attach_note_pictures

MOST_REFS = 60
MASKED_ROOM = 7_000
"""Characters of JSON that a piece may have beside its other fields (R-CTX-2)."""


@dataclass(frozen=True, slots=True)
class _Text:
    decoded: Decoded
    masked: Masked
    title: str
    refs: tuple[ImageRef, ...]


async def read_text(context: ToolContext, content: FileBytes, asked: Asked) -> Result:
    """A piece of a text file. Raises ReadError encoding_unknown, type_mismatch, out_of_range."""
    info = content.info
    encoding = info.place.knowledge_base.encoding if info.place.knowledge_base else None
    whole = await asyncio.to_thread(_decode, content, encoding, (asked, context.find_secrets))
    text = whole.decoded.text
    start, end, _ = piece(len(text), asked)
    end = _fitting(whole.masked, start, end)
    following = end if end < len(text) else None
    fields = await heading_fields(context, content, asked, whole.title)
    fields |= {"offset": start, "nextOffset": following, "totalChars": len(text)}
    if whole.decoded.encoding != "utf-8" or whole.decoded.bom:
        fields["encoding"] = whole.decoded.encoding
    if whole.masked.count:
        fields["maskedValues"] = whole.masked.count
    fields["content"] = whole.masked.masked_slice(start, end)
    attached = Attached()
    if info.file_type == "markdown" and not info.place.outside:
        refs = [await _reference(context, info, ref) for ref in whole.refs[:MOST_REFS]]
        fields["imageRefs"] = refs
        if asked.images is Images.ALWAYS:
            attached = await attach_note_pictures(context, refs)
            fields |= attached.fields
    warnings = (whole.decoded.warning,) if whole.decoded.warning else ()
    if info.place.note:
        warnings = (*warnings, info.place.note)
    part = "whole file" if start == 0 and following is None else f"characters {start:,}–{end:,} of {len(text):,}"
    said = f", {attached.said}" if attached.said else ""
    return Result(
        fields,
        f"{part}, {end - start:,} characters{said}",
        warnings=warnings,
        images=attached.images,
        untrusted=info.place.outside,
    )


def _fitting(masked: Masked, start: int, end: int) -> int:
    """An end with which a piece that holds masked values is not cut later, where lengths are those of its tokens."""
    while end > start + 1:
        shown = masked.masked_slice(start, end)
        if len(as_json(shown)) <= MASKED_ROOM or shown == masked.text[start:end]:
            break
        end = start + (end - start) // 2
    return end


def _decode(content: FileBytes, encoding: str | None, what: tuple[Asked, FindSecrets]) -> _Text:
    asked, find_secrets = what
    info, decoded = content.info, decode(content.data, encoding)
    name = info.place.relative.rsplit("/", 1)[-1]
    masked = mask_file(name, decoded.text, find_secrets)
    stem = name.rsplit(".", 1)[0]
    if info.file_type != "markdown":
        return _Text(decoded, masked, stem, ())
    text = masked.covered
    front = read_front_matter(text)
    first = next((part.title for part in sections(text, front.end) if part.level == 1 and part.title), "")
    refs = image_refs(text, asked.offset, min(asked.offset + asked.limit, len(text)))
    return _Text(decoded, masked, uncovered(front.title or first or stem), refs)


async def _reference(context: ToolContext, note: FileInfo, ref: ImageRef) -> dict[str, Any]:
    """One `![…](…)` as the person's files have it; nothing outside the KB is looked at (R-READ-10)."""
    about: dict[str, Any] = {"path": ref.path, "exists": False}
    if ref.alt:
        about["alt"] = ref.alt
    skipped = _skipped(note, ref)
    if skipped is not None:
        return about | {"skipped": skipped}
    for target in dict.fromkeys((ref.path, ref.destination)):
        found = await _look(context, note, target)
        if found is not None:
            return about | found
    return about | {"skipped": "svg" if file_type(ref.path) == "svg" else "missing"}


def _skipped(note: FileInfo, ref: ImageRef) -> str | None:
    lowered = ref.path.lower()
    if "://" in lowered.split("?", 1)[0] or lowered.startswith(("//", "data:", "mailto:")):
        return "remote"
    if ref.path.startswith("/"):
        return "absolute"
    folder = posixpath.dirname(note.place.relative)
    if posixpath.normpath(posixpath.join(folder, ref.path)).startswith(".."):
        return "escapes-knowledge-base"
    return None


async def _look(context: ToolContext, note: FileInfo, target: str) -> dict[str, Any] | None:
    base = note.place.knowledge_base
    relative = posixpath.normpath(posixpath.join(posixpath.dirname(note.place.relative), target))
    if base is None or relative.startswith(".."):
        return None
    prefix = note.place.shown[: len(note.place.shown) - len(note.place.relative)]
    try:
        place = await context.workspace.place(prefix + relative)
        info = await context.workspace.stat(place)
    except PathError:
        return None
    if info.place.outside or info.file_type not in ("image", "svg"):
        return None
    found = {"path": info.place.shown, "exists": True, "fileId": info.file_id}
    return found | {"skipped": "svg"} if info.file_type == "svg" else found
