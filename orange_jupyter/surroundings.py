"""Where a cited passage stands now: the text around it, its line, and a link that the notebook can open (R-UI-3)."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from orange_jupyter.core.corpus import Citation
from orange_jupyter.core.errors import ToolError
from orange_jupyter.core.masking import FindSecrets, Masked, Span, mask_file, telling
from orange_jupyter.core.parts import Reach
from orange_jupyter.core.paths import Place
from orange_jupyter.core.ports import Documents
from orange_jupyter.core.result import PAGE_BREAK
from orange_jupyter.core.shapes import secret_spans
from orange_jupyter.documents.text import decode
from orange_jupyter.jupyter.figures import MASKED
from orange_jupyter.jupyter.sheet import Surroundings

AROUND = 1500
BYTES = 20 * 1_048_576
DOCUMENT_BYTES = 200 * 1_048_576
_NOTES = ("markdown", "txt")


@dataclass(frozen=True, slots=True)
class Sources:
    """What cited files are opened with; `folder` is the notebook's, to which links are relative."""

    reach: Reach
    documents: Documents
    folder: str
    find_secrets: FindSecrets = secret_spans


@dataclass(frozen=True, slots=True)
class _Opened:
    """A cited file as it is now: its whole text, and where each page or block stands in it (a note: one part)."""

    link: str | None
    content_hash: str
    masked: Masked
    parts: tuple[Span, ...]

    def part(self, citation: Citation) -> Span:
        """Where the citation's page or block stands; an empty stretch where there is none such."""
        number = citation.page or citation.block or 1
        return self.parts[number - 1] if number <= len(self.parts) else (0, 0)

    def hides(self, part: Span) -> bool:
        """Whether a hidden value stands there, even in part (R-READ-15)."""
        return any(first < part[1] and part[0] < last for first, last in self.masked.spans)


async def passages(citations: Sequence[Citation], sources: Sources) -> dict[str, Surroundings]:
    """The places of citations by their id; each file is read once, one after the other."""
    found: dict[str, Surroundings] = {}
    for file_id in dict.fromkeys(one.file_id for one in citations):
        cited = [one for one in citations if one.file_id == file_id]
        try:
            opened = await _open(cited[0], sources)
        except ToolError:
            found |= {one.citation_id: Surroundings(changed=True) for one in cited}
            continue
        found |= {one.citation_id: _around(one, opened) for one in cited}
    return found


async def surroundings(
    citation: Citation, reach: Reach, documents: Documents, folder: str, find_secrets: FindSecrets = secret_spans
) -> Surroundings:
    """The place of one citation; without text around it where the file cannot be read any more.

    `folder` is the notebook's: the link is relative to it. `changed` when the file is another than was cited.
    """
    found = await passages((citation,), Sources(reach, documents, folder, find_secrets))
    return found[citation.citation_id]


def _around(citation: Citation, opened: _Opened) -> Surroundings:
    first, last = opened.part(citation)
    changed = opened.content_hash != citation.content_hash
    found = _found(citation, opened, (first, last))
    if found is None:
        return Surroundings(link=opened.link, changed=True)
    start, end = found
    before = opened.masked.masked_slice(max(first, start - AROUND), start)
    after = opened.masked.masked_slice(end, min(last, end + AROUND))
    return Surroundings(
        link=opened.link,
        before=before.split("\n", 1)[-1] if start - first > AROUND else before,
        after=after.rsplit("\n", 1)[0] if end + AROUND < last else after,
        line=opened.masked.text.count("\n", 0, start) + 1 if citation.file_type in _NOTES else None,
        changed=changed,
        no_figure=MASKED if citation.file_type == "pdf" and opened.hides((first, last)) else "",
    )


def _found(citation: Citation, opened: _Opened, part: Span) -> Span | None:
    """Where the passage stands in the whole text: at its offsets, hidden values as their tokens, else where it reads
    the same."""
    start, end = part[0] + citation.start, part[0] + citation.end
    same = end <= part[1] and opened.content_hash == citation.content_hash
    if same and (citation.passage == opened.masked.masked_slice(start, end) or opened.hides((start, end))):
        return start, end
    at = opened.masked.text.find(citation.passage, *part)
    return (at, at + len(citation.passage)) if at >= 0 else None


async def _open(citation: Citation, sources: Sources) -> _Opened:
    """Raises ToolError where the file is gone or cannot be read."""
    place = await sources.reach.workspace.by_id(citation.file_id)
    link = await asyncio.to_thread(link_to, place, sources.folder)
    if citation.file_type in _NOTES:
        content = await sources.reach.workspace.read(place, limit=BYTES)
        base = place.knowledge_base
        note = await asyncio.to_thread(decode, content.data, base.encoding if base else None)
        masked = await asyncio.to_thread(masked_note, place, note.text, sources.find_secrets)
        return _Opened(link, content.content_hash, masked, ((0, len(note.text)),))
    content = await sources.reach.workspace.read(place, limit=DOCUMENT_BYTES)
    document = await sources.documents.text(content.data, citation.file_type)
    texts = document.pages if citation.page is not None else tuple(block.text for block in document.blocks)
    ends = accumulate((len(text) + len(PAGE_BREAK) for text in texts), initial=0)
    parts = tuple((first, after - len(PAGE_BREAK)) for first, after in pairwise(ends))
    whole = PAGE_BREAK.join(texts)
    spans = await asyncio.to_thread(sources.find_secrets, whole)
    return _Opened(link, content.content_hash, Masked(whole, spans), parts)


def masked_note(place: Place, text: str, find: FindSecrets) -> Masked:
    """A note's text, masked by its own name and, behind a link, by that of the file it leads to (R-READ-15)."""
    real = os.path.realpath(os.path.join(place.knowledge_base.root if place.knowledge_base else "/", place.relative))
    return mask_file(telling(place.relative, real), text, find)


def link_to(place: Place, folder: str) -> str | None:
    """A relative path from the notebook's folder that a saved notebook can hold; None for a place outside it."""
    base = place.knowledge_base
    if base is None:
        return None
    return link_between(os.path.join(base.root, place.relative), folder)


def link_between(file: str, folder: str) -> str | None:
    """The same for a file's real path."""
    relative = os.path.relpath(file, os.path.realpath(folder))
    return None if relative.startswith("..") else relative.replace(os.sep, "/")
