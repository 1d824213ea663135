"""Which part of a file is wanted, and the fields that every reading shares."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import ReadError
from orange_jupyter.core.paths import FileBytes
from orange_jupyter.core.times import iso
from orange_jupyter.core.tool import ToolContext


class Images(StrEnum):
    """When pictures go along (R-READ-6)."""

    AUTO = "auto"
    ALWAYS = "always"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Asked:
    """The part that is wanted: `pages` is (first, last), both from 1."""

    offset: int
    limit: int
    pages: tuple[int, int] | None
    block: int | None
    heading: str | None
    images: Images


async def heading_fields(context: ToolContext, content: FileBytes, asked: Asked | None, title: str) -> dict[str, Any]:
    """The fields before the content: which file, of when, and `changed` where an earlier piece saw another state."""
    info = content.info
    base = info.place.knowledge_base
    fields: dict[str, Any] = {}
    if info.file_id is not None:
        fields["fileId"] = info.file_id
    if base is not None:
        fields["knowledgeBaseId"] = base.id
    fields |= {
        "path": info.place.shown,
        "fileType": info.file_type,
        "title": title,
        "size": info.size,
        "updatedAt": iso(info.mtime_ns),
        "contentHash": content.content_hash,
    }
    before = await context.reads.note(info.file_id or info.place.relative, content.content_hash)
    later_piece = asked is not None and asked.offset > 0
    if content.changed_during_read or (later_piece and before not in (None, content.content_hash)):
        fields["changed"] = True
    return fields


def piece(total: int, asked: Asked) -> tuple[int, int, int | None]:
    """(start, end, next offset or None) in code points. Raises ReadError out_of_range with the valid range."""
    if asked.offset > total:
        raise ReadError(
            Code.OUT_OF_RANGE,
            f"The offset {asked.offset:,} is behind the end; this text has {total:,} characters.",
            details={"valid": [0, total]},
        )
    end = min(asked.offset + asked.limit, total)
    return asked.offset, end, end if end < total else None
