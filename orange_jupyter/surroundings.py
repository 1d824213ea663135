"""Where a cited passage stands now: the text around it, its line, and a link that the notebook can open (R-UI-3)."""

from __future__ import annotations

import asyncio
import os

from orange_jupyter.core.corpus import Citation
from orange_jupyter.core.errors import ToolError
from orange_jupyter.core.parts import Reach
from orange_jupyter.core.paths import Place
from orange_jupyter.core.ports import Documents
from orange_jupyter.documents.text import decode
from orange_jupyter.jupyter.sheet import Surroundings

AROUND = 1500
BYTES = 20 * 1_048_576
DOCUMENT_BYTES = 200 * 1_048_576


async def surroundings(citation: Citation, reach: Reach, documents: Documents, folder: str) -> Surroundings:
    """The place of one citation; without text around it where the file cannot be read any more.

    `folder` is the notebook's: the link is relative to it. `changed` when the file is another than was cited.
    """
    try:
        place = await reach.workspace.by_id(citation.file_id)
        link = await asyncio.to_thread(link_to, place, folder)
        text, content_hash = await _text(citation, reach, (place, documents))
    except ToolError:
        return Surroundings(changed=True)
    at = citation.start if text[citation.start : citation.end] == citation.passage else text.find(citation.passage)
    changed = content_hash != citation.content_hash
    if at < 0:
        return Surroundings(link=link, changed=True)
    end = at + len(citation.passage)
    notes = citation.file_type in ("markdown", "txt")
    return Surroundings(
        link=link,
        before=_from_line(text[max(0, at - AROUND) : at]) if at > AROUND else text[:at],
        after=text[end : end + AROUND].rsplit("\n", 1)[0] if end + AROUND < len(text) else text[end:],
        line=text.count("\n", 0, at) + 1 if notes else None,
        changed=changed,
    )


async def _text(citation: Citation, reach: Reach, where: tuple[Place, Documents]) -> tuple[str, str]:
    place, documents = where
    if citation.file_type in ("markdown", "txt"):
        content = await reach.workspace.read(place, limit=BYTES)
        base = place.knowledge_base
        decoded = await asyncio.to_thread(decode, content.data, base.encoding if base else None)
        return decoded.text, content.content_hash
    content = await reach.workspace.read(place, limit=DOCUMENT_BYTES)
    document = await documents.text(content.data, citation.file_type)
    if citation.page is not None and citation.page <= len(document.pages):
        return document.pages[citation.page - 1], content.content_hash
    if citation.block is not None and citation.block <= len(document.blocks):
        return document.blocks[citation.block - 1].text, content.content_hash
    return "", content.content_hash


def _from_line(text: str) -> str:
    return text.split("\n", 1)[-1]


def link_to(place: Place, folder: str) -> str | None:
    """A relative path from the notebook's folder that a saved notebook can hold; None for a place outside it."""
    base = place.knowledge_base
    if base is None:
        return None
    relative = os.path.relpath(os.path.join(base.root, place.relative), os.path.realpath(folder))
    return None if relative.startswith("..") else relative.replace(os.sep, "/")
