"""`%orange show`: a cited passage by its id, a note, a page of a PDF, a block of a DOCX, a picture (R-UI-3, R-UI-4)."""

from __future__ import annotations

import asyncio

from orange_jupyter.commands.standing import Standing, plain
from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import PathError, ReadError, ToolError, UsageError
from orange_jupyter.core.parts import Reach
from orange_jupyter.core.paths import FileInfo
from orange_jupyter.documents.text import decode
from orange_jupyter.inspecting import SessionPaper, cited_paper, paper_at
from orange_jupyter.jupyter.inspector.inspections import opened
from orange_jupyter.jupyter.inspector.paper import UNITS
from orange_jupyter.jupyter.ports import CommandReply
from orange_jupyter.jupyter.strings import language_of
from orange_jupyter.jupyter.widgets.citation import note_panel, passage_panel
from orange_jupyter.surroundings import BYTES, link_to, masked_note, surroundings

USAGE = "%orange show FILE [PAGE], or %orange show c3"


async def show(at: Standing, words: tuple[str, ...]) -> CommandReply:
    """Show a passage that was cited, a note, a document at a page or block, or a picture."""
    if not words:
        raise UsageError(at.say("show.needs", usage=USAGE))
    reach = await at.app.reach(at.opened.session.state.knowledge_bases)
    if words[0].startswith("c") and words[0][1:].isdigit() and len(words) == 1:
        return await _citation(at, reach, words[0])
    name, part = _named(at, words)
    place = await reach.workspace.place(name)
    if place.outside:
        raise PathError(
            Code.OUTSIDE_WORKSPACE,
            at.say("show.outside", path=place.shown),
            hint=at.say("show.outside.hint"),
        )
    info = await reach.workspace.stat(place)
    if info.file_type in UNITS:
        return await _document(at, await paper_at(at.app, at.opened, name, part=part, folder=at.where.folder))
    return await _note(at, reach, (info, part))


def _named(at: Standing, words: tuple[str, ...]) -> tuple[str, int | None]:
    """(file, page): a name may hold spaces; a number at the end is a page or a block."""
    if len(words) > 1 and words[-1].isdigit():
        if int(words[-1]) < 1:
            raise UsageError(at.say("show.page", word=words[-1], usage=USAGE))
        return " ".join(words[:-1]), int(words[-1])
    return " ".join(words), None


async def _citation(at: Standing, reach: Reach, identity: str) -> CommandReply:
    known = await at.opened.session.citations()
    if identity not in known:
        raise UsageError(at.say("show.unknown", id=identity), hint=at.say("show.unknown.hint"))
    citation = known[identity]
    data = {"ok": True, "citation": citation.as_json()}
    paper = await cited_paper(at.app, at.opened, citation, at.where.folder)
    if paper is not None:
        try:
            return await _document(at, paper, data)
        except ToolError:
            pass  # the file cannot be read any more: the passage that was kept is shown
    place = await surroundings(citation, reach, at.app.ground.documents, at.where.folder, at.app.find_secrets)
    panel = passage_panel(citation, place, language_of(at.where.language))
    return CommandReply(plain(citation.passage), data, panel["text/html"])


async def _document(at: Standing, paper: SessionPaper, data: dict[str, object] | None = None) -> CommandReply:
    """A document or picture: the figure that stays, and what a live view needs."""
    language = language_of(at.where.language)
    try:
        shown = await opened(paper, language)
    except ReadError as error:
        if error.code is not Code.OUT_OF_RANGE:
            raise
        last = error.details.get("last")
        message = at.say("show.range", n=paper.first, path=paper.name, last=last)
        raise ReadError(Code.OUT_OF_RANGE, message, details={"valid": [1, last]}) from None
    about = data or {"ok": True, "path": paper.name, "part": shown.leaf.part, "parts": shown.leaf.count}
    return CommandReply(shown.markdown, about, shown.html, pages=shown)


async def _note(at: Standing, reach: Reach, what: tuple[FileInfo, int | None]) -> CommandReply:
    info, page = what
    place = info.place
    if info.file_type not in ("markdown", "txt", "other"):
        raise ReadError(Code.UNSUPPORTED_TYPE, at.say("show.type", path=place.shown, kind=info.file_type))
    if page is not None:
        raise ReadError(Code.UNSUPPORTED_TYPE, at.say("show.pages", path=place.shown), hint=USAGE)
    content = await reach.workspace.read(place, limit=BYTES)
    base = place.knowledge_base
    decoded = decode(content.data, base.encoding if base else None).text
    text = (await asyncio.to_thread(masked_note, place, decoded, at.app.find_secrets)).shown
    link = await asyncio.to_thread(link_to, place, at.where.folder)
    panel = note_panel(place.shown, text, language_of(at.where.language), link=link)
    return CommandReply(text, {"ok": True, "path": place.shown}, panel["text/html"])
