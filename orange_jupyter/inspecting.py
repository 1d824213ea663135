"""A session's files for the inspector (`jupyter.inspector.paper.Paper`): each part is read anew from the disk."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from dataclasses import replace

from orange_jupyter.app import App, Opened
from orange_jupyter.core.codes import Code
from orange_jupyter.core.corpus import Citation
from orange_jupyter.core.document import DocumentText, Picture, PictureLimits
from orange_jupyter.core.errors import PathError, ReadError, ToolError
from orange_jupyter.core.masking import Masked
from orange_jupyter.core.paths import FileBytes, Place
from orange_jupyter.core.result import PAGE_BREAK
from orange_jupyter.jupyter.figures import PAGE, Figure
from orange_jupyter.jupyter.inspector.paper import UNITS, Block, Leaf, Saw
from orange_jupyter.seen import Part, saw_of
from orange_jupyter.storage.transcript import Transcript
from orange_jupyter.surroundings import DOCUMENT_BYTES, link_to

KEPT = 6
"""Parts that are kept ready, so that going back is quick; each is used only while the file's bytes are the same."""
BEFORE, AFTER, PICTURES = 4, 12, 4
"""DOCX: blocks that are shown before and after the one that is asked for, and pictures among them."""
NEAR_SECONDS = 2.0
"""What the text of a neighbouring page may take."""
SCREEN = PictureLimits()
INLINE = PictureLimits(max_width=800, max_height=800, max_bytes=400_000, jpeg_quality=75)


class SessionPaper:
    """One file of a session's knowledge bases. Lives on the app's loop; made by `paper_at` and `cited_paper`."""

    def __init__(self, app: App, opened: Opened, place: Place, kind: tuple[str, str | None, int]) -> None:
        self.name = place.shown
        self.base = place.knowledge_base.name if place.knowledge_base else ""
        self.file_type, self._file_id, self.first = kind
        self.link: str | None = None
        self.citation_id = ""
        self._app = app
        self._opened = opened
        self._cited: Citation | None = None
        self._hash: str | None = None
        self._document: tuple[str, DocumentText, Masked] | None = None
        self._leaves: OrderedDict[tuple[str, int], Leaf] = OrderedDict()
        self._named: set[str] = set()

    def cite(self, citation: Citation) -> None:
        """Mark a citation's passage."""
        self._cited, self._hash, self.citation_id = citation, citation.content_hash, citation.citation_id
        self.first = citation.page or citation.block or 1

    async def leaf(self, part: int) -> Leaf:
        """A part as it is on the disk now. Raises ToolError."""
        content = await self._read()
        known = content.content_hash, part
        if known not in self._leaves:
            match self.file_type:
                case "pdf":
                    leaf = await self._page(content, part)
                case "docx":
                    leaf = await self._block(content, part)
                case _:
                    leaf = await self._picture(content, part)
            self._leaves[known] = replace(leaf, changed=content.content_hash != self._hash)
        self._leaves.move_to_end(known)
        while len(self._leaves) > KEPT:
            self._leaves.popitem(last=False)
        return self._leaves[known]

    async def figure(self, leaf: Leaf) -> Figure | None:
        """A small picture with the passage marked, for a saved notebook. Raises ToolError."""
        documents = self._app.ground.documents
        content = await self._read()
        if leaf.hidden or leaf.picture is None:
            return None
        if self.file_type == "image":
            small = await documents.picture(content.data, PAGE)
            return Figure(small.data, small.media_type, small.width, small.height)
        span = await self._span(content, leaf.part)
        small = await documents.page_picture(content.data, leaf.part, PAGE, span=span)
        return Figure(small.data, small.media_type, small.width, small.height, leaf.count, bool(leaf.marks))

    async def saw(self, part: int) -> Saw:
        """What the models of this session saw of a part. Raises StoreError."""
        session_id = self._opened.session.state.session_id
        transcript = Transcript(self._app.ground.database, session_id, mask=self._app.mask)
        asked = Part(self._file_id, self.name, self.file_type, part)

        def look() -> Saw:  # a long session's events take long to parse: off the loop
            return saw_of(asyncio.run(transcript.events()), asked)

        saw = await asyncio.to_thread(look)
        self._named |= {one.sha256 for one in saw.sent}
        sizes = [await self._size(one.sha256) for one in saw.sent[:1]]
        return replace(
            saw, sent=tuple(replace(one, size=size) for one, size in zip(saw.sent, sizes, strict=False)) + saw.sent[1:]
        )

    async def pixels(self, sha256: str) -> bytes:
        """A picture that `saw` named; no other. Raises EvidenceError."""
        if sha256 not in self._named:
            raise ReadError(Code.NOT_FOUND, "This picture was not shown to a model in this session.")
        return await self._app.ground.blobs.get(sha256)

    async def _size(self, sha256: str) -> int:
        try:
            return len(await self._app.ground.blobs.get(sha256))
        except ToolError:
            return 0

    async def _read(self) -> FileBytes:
        """The file as it is now, found again by its id where it has one."""
        workspace = (await self._app.reach(self._opened.session.state.knowledge_bases)).workspace
        place = await (workspace.by_id(self._file_id) if self._file_id else workspace.place(self.name))
        if place.outside:
            raise PathError(Code.OUTSIDE_WORKSPACE, f"{place.shown} is outside the selected knowledge bases.")
        content = await workspace.read(place, limit=DOCUMENT_BYTES)
        self.name = place.shown
        self._hash = self._hash or content.content_hash
        return content

    async def _page(self, content: FileBytes, part: int) -> Leaf:
        documents, data = self._app.ground.documents, content.data
        span = await self._span(content, part)
        sheet = await documents.page_text(data, part, span=span)
        before = await self._near(data, part - 1) if part > 1 else ""
        after = await self._near(data, part + 1) if part < sheet.page_count else ""
        at = len(before) + len(PAGE_BREAK)
        masked = await asyncio.to_thread(self._masked, [before, sheet.text, after])
        picture, fault = await self._drawn(data, part)
        pieces = _pieces(masked, (at, at + len(sheet.text)), span)
        leaf = Leaf(part, sheet.page_count, content.info.size, *pieces, marks=sheet.marks, picture=picture)
        hidden, lost = _hidden(masked, at, at + len(sheet.text)), span is None and self._here(part)
        return replace(leaf, columns=sheet.columns, hidden=hidden, lost=lost, fault=fault)

    async def _near(self, data: bytes, part: int) -> str:
        """The text of a page beside the shown one, into which a key may run; "" where that page is slow or damaged."""
        try:
            async with asyncio.timeout(NEAR_SECONDS):
                return (await self._app.ground.documents.page_text(data, part)).text
        except (ReadError, TimeoutError):
            return ""

    async def _drawn(self, data: bytes, part: int) -> tuple[Picture | None, str]:
        """A page's picture; a page that takes too long to draw, or cannot be drawn, still has its text."""
        try:
            return await self._app.ground.documents.page_picture(data, part, SCREEN), ""
        except ReadError as error:
            return None, error.message

    async def _span(self, content: FileBytes, part: int) -> tuple[int, int] | None:
        """Where the cited passage stands in this part: as it was cited, or found again where the file has changed."""
        cited = self._cited
        if cited is None or not self._here(part):
            return None
        if content.content_hash == cited.content_hash:
            return cited.start, cited.end
        if self.file_type == "pdf":
            text = (await self._app.ground.documents.page_text(content.data, part)).text
        else:
            text = (await self._whole(content))[0].blocks[part - 1].text
        at = text.find(cited.passage)
        return (at, at + len(cited.passage)) if at >= 0 else None

    def _here(self, part: int) -> bool:
        """Whether the cited passage belongs to this part."""
        cited = self._cited
        return cited is not None and part == (cited.page if self.file_type == "pdf" else cited.block)

    async def _block(self, content: FileBytes, part: int) -> Leaf:
        document, masked = await self._whole(content)
        count = len(document.blocks)
        if not 1 <= part <= count:
            message = f"Block {part} does not exist; {self.name} has blocks 1–{count}."
            raise ReadError(Code.OUT_OF_RANGE, message, details={"first": 1, "last": count})
        starts = _starts(document)
        own = starts[part - 1], starts[part - 1] + len(document.blocks[part - 1].text)
        span = await self._span(content, part)
        near = document.blocks[max(0, part - 1 - BEFORE) : part + AFTER]
        blocks, pictures = [], 0
        for block in near:
            text = masked.masked_slice(starts[block.number - 1], starts[block.number - 1] + len(block.text))
            picture = None
            if block.kind == "image" and pictures < PICTURES:
                picture, pictures = await self._embedded(content, block.number), pictures + 1
            blocks.append(Block(block.number, block.kind, text, picture))
        leaf = Leaf(part, count, content.info.size, *_pieces(masked, own, span), blocks=tuple(blocks))
        return replace(leaf, hidden=_hidden(masked, *own), lost=span is None and self._here(part))

    async def _embedded(self, content: FileBytes, number: int) -> Picture | None:
        try:
            return await self._app.ground.documents.block_picture(content.data, number, INLINE)
        except ToolError:
            return None  # EMF, missing media …: the block says that it cannot be shown

    async def _whole(self, content: FileBytes) -> tuple[DocumentText, Masked]:
        if self._document is None or self._document[0] != content.content_hash:
            document = await self._app.ground.documents.text(content.data, "docx")
            masked = await asyncio.to_thread(self._masked, [block.text for block in document.blocks])
            self._document = content.content_hash, document, masked
        return self._document[1:]

    def _masked(self, texts: list[str]) -> Masked:
        """Several parts as one text: a key may run over the end of one (R-READ-15)."""
        whole = PAGE_BREAK.join(texts)
        return Masked(whole, self._app.find_secrets(whole))

    async def _picture(self, content: FileBytes, part: int) -> Leaf:
        if part != 1:
            raise ReadError(Code.OUT_OF_RANGE, f"{self.name} is one picture.", details={"first": 1, "last": 1})
        picture = await self._app.ground.documents.picture(content.data, SCREEN)
        return Leaf(1, 1, content.info.size, picture=picture)


def _starts(document: DocumentText) -> list[int]:
    """Where each block begins in the blocks' joined text."""
    starts, at = [], 0
    for block in document.blocks:
        starts.append(at)
        at += len(block.text) + len(PAGE_BREAK)
    return starts


def _pieces(masked: Masked, own: tuple[int, int], span: tuple[int, int] | None) -> tuple[str, str, str]:
    """(before, marked, after) of a part that stands at `own` in the masked text."""
    first, last = own
    start, end = (min(first + place, last) for place in span) if span else (last, last)
    return masked.masked_slice(first, start), masked.masked_slice(start, end), masked.masked_slice(end, last)


def _hidden(masked: Masked, first: int, last: int) -> int:
    """How many masked values a part holds."""
    return sum(start < last and end > first for start, end in masked.spans)


async def paper_at(app: App, opened: Opened, name: str, *, part: int | None = None, folder: str = ".") -> SessionPaper:
    """A PDF, DOCX or picture by its path. Raises PathError, ReadError unsupported_type for other files."""
    reach = await app.reach(opened.session.state.knowledge_bases)
    place = await reach.workspace.place(name)
    if place.outside:
        raise PathError(Code.OUTSIDE_WORKSPACE, f"{place.shown} is outside the selected knowledge bases.")
    info = await reach.workspace.stat(place)
    if info.file_type not in UNITS:
        raise ReadError(Code.UNSUPPORTED_TYPE, f"{place.shown} ({info.file_type}) has no pages.")
    paper = SessionPaper(app, opened, place, (info.file_type, info.file_id, part or 1))
    paper.link = await asyncio.to_thread(link_to, place, folder)
    return paper


async def cited_paper(app: App, opened: Opened, citation: Citation, folder: str) -> SessionPaper | None:
    """The file of a citation with its passage marked; None for notes, and where it is gone."""
    if citation.file_type not in UNITS:
        return None
    reach = await app.reach(opened.session.state.knowledge_bases)
    try:
        place = await reach.workspace.by_id(citation.file_id)
    except ToolError:
        return None
    paper = SessionPaper(app, opened, place, (citation.file_type, citation.file_id, 1))
    paper.cite(citation)
    paper.link = await asyncio.to_thread(link_to, place, folder)
    return paper
