"""Makes the small pictures of a finished record: cited pages, marked, and what the model was shown (R-SAVE-1)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from orange_jupyter.core.corpus import Citation
from orange_jupyter.core.errors import ToolError
from orange_jupyter.core.keeping import Blobs
from orange_jupyter.core.messages import Image
from orange_jupyter.core.paths import FileBytes
from orange_jupyter.jupyter.figures import LATE, LEFT, MOST_PAGES, PAGE, SMALL, Figure
from orange_jupyter.jupyter.sheet import Surroundings
from orange_jupyter.surroundings import DOCUMENT_BYTES, Sources, link_to

SECONDS = 10.0
"""How long a finished cell may wait for its pictures; what is not made by then is left out and named."""


async def illustrated(
    cited: Sequence[Citation],
    places: Mapping[str, Surroundings],
    images: Sequence[Image],
    sources: Sources,
    blobs: Blobs,
) -> dict[str, Surroundings]:
    """The `places` of what is cited with its pages' pictures, and by their sha256 the images as small pictures.

    A page that cannot be drawn, that changed or that hides a value has none. Cancelling it costs a worker, no more.
    """
    found = dict(places)
    due = [one for one in cited if _has_page(one, places)]
    found |= {one.citation_id: replace(places[one.citation_id], no_figure=LATE) for one in due[:MOST_PAGES]}
    found |= {one.citation_id: replace(places[one.citation_id], no_figure=LEFT) for one in due[MOST_PAGES:]}
    with suppress(TimeoutError):
        async with asyncio.timeout(SECONDS):
            async for citation, figure in _pages(due[:MOST_PAGES], sources):
                name = citation.citation_id
                found[name] = replace(found[name], figure=figure, no_figure="")
            for one in images:
                found[one.sha256] = await _small(one, sources, blobs)
    return found


def _has_page(citation: Citation, places: Mapping[str, Surroundings]) -> bool:
    """Whether a page can be drawn as it was cited, and may be."""
    place = places.get(citation.citation_id)
    return citation.page is not None and place is not None and not place.changed and not place.no_figure


async def _pages(citations: Sequence[Citation], sources: Sources) -> AsyncIterator[tuple[Citation, Figure]]:
    """The pages that can be drawn; files are read again only when the next citation is of another one."""
    content: tuple[str, FileBytes] | None = None
    for citation in citations:
        with suppress(ToolError):
            if content is None or content[0] != citation.file_id:
                place = await sources.reach.workspace.by_id(citation.file_id)
                read = await sources.reach.workspace.read(place, limit=DOCUMENT_BYTES)
                content = (citation.file_id, read)
            if content[1].content_hash == citation.content_hash:
                yield citation, await _page(citation, content[1].data, sources)


async def _page(citation: Citation, data: bytes, sources: Sources) -> Figure:
    """The picture of a citation's page. Raises ReadError."""
    page, span = citation.page or 1, (citation.start, citation.end)
    seen = await sources.documents.page_text(data, page, span=span)
    marked = bool(seen.marks) and seen.text[slice(*span)] == citation.passage
    drawn = await sources.documents.page_picture(data, page, PAGE, span=span if marked else None)
    return Figure(drawn.data, drawn.media_type, drawn.width, drawn.height, pages=seen.page_count, marked=marked)


async def _small(one: Image, sources: Sources, blobs: Blobs) -> Surroundings:
    """A picture that the model was shown, made small, with a link to its file; without either where it is gone."""
    link, figure = None, None
    if one.path:
        with suppress(ToolError):
            place = await sources.reach.workspace.place(one.path)
            link = await asyncio.to_thread(link_to, place, sources.folder)
    with suppress(ToolError):
        small = await sources.documents.picture(await blobs.get(one.sha256), SMALL)
        figure = Figure(small.data, small.media_type, small.width, small.height)
    return Surroundings(link=link, figure=figure)
