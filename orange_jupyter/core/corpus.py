"""Values about notes and documents: what is listed, searched, cited and read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from orange_jupyter.core.messages import Value
from orange_jupyter.core.paths import FileInfo, Place


class Citation(Value):
    """A passage that a tool gave and the model may cite as `[c1]` (12-schemas.md, Citation).

    `start` and `end` are code points in the text that `read` gives for the file, or for the page or block.
    """

    citation_id: str
    file_id: str
    knowledge_base_id: str
    knowledge_base: str
    path: str
    file_type: str
    title: str
    heading_path: tuple[str, ...] = ()
    page: int | None = None
    block: int | None = None
    passage: str
    start: int
    end: int
    score: float
    updated_at: str
    content_hash: str

    def as_json(self) -> dict[str, Any]:
        """The camelCase object of the schema; absent `page` and `block` are left out."""
        whole: dict[str, Any] = {
            "citationId": self.citation_id,
            "fileId": self.file_id,
            "knowledgeBaseId": self.knowledge_base_id,
            "knowledgeBase": self.knowledge_base,
            "path": self.path,
            "fileType": self.file_type,
            "title": self.title,
            "headingPath": list(self.heading_path),
        }
        if self.page is not None:
            whole["page"] = self.page
        if self.block is not None:
            whole["block"] = self.block
        return whole | {
            "passage": self.passage,
            "start": self.start,
            "end": self.end,
            "score": self.score,
            "updatedAt": self.updated_at,
            "contentHash": self.content_hash,
        }


@dataclass(frozen=True, slots=True)
class Listing:
    """A page of entries, sorted by path; `cursor` is None at the end. `warnings` name what could not be looked at."""

    entries: tuple[FileInfo, ...]
    total: int
    cursor: str | None
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ListQuery:
    """What `list` asks. `place` None means all selected KBs; `depth` None is unlimited."""

    place: Place | None = None
    query: str | None = None
    prefix: str | None = None
    file_type: str | None = None
    depth: int | None = None
    cursor: str | None = None
    limit: int = 120


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """A search over the index. Times are ns since the epoch, from inclusive, to exclusive; tags without `#`."""

    text: str
    knowledge_base_ids: tuple[str, ...]
    folder: Place | None = None
    path_prefix: str | None = None
    tags: tuple[str, ...] = ()
    file_types: tuple[str, ...] = ()
    updated_after: int | None = None
    updated_before: int | None = None
    limit: int = 4


@dataclass(frozen=True, slots=True)
class Hit:
    """One passage found. `start`/`end` are code points in the text that `read` gives (for a PDF: in its page)."""

    info: FileInfo
    title: str
    heading_path: tuple[str, ...]
    passage: str
    start: int
    end: int
    score: float
    content_hash: str
    page: int | None = None
    block: int | None = None


@dataclass(frozen=True, slots=True)
class Hits:
    """What a search found and what it looked at; `indexing` is (done, total) while documents are still coming in."""

    hits: tuple[Hit, ...]
    files: int
    warnings: tuple[str, ...] = ()
    indexing: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class EvidencePiece:
    """A stretch of kept evidence (R-EVID-2); `offset` and `next_offset` in code points, None at the end."""

    content: str
    offset: int
    next_offset: int | None
    total_chars: int
    source_tool: str
    content_type: str
    storage_kind: str
