"""`%orange show`: a cited passage by its id, a note, a page of a PDF (R-UI-3)."""

from __future__ import annotations

import asyncio

from orange_jupyter.commands.standing import Standing, plain
from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import PathError, ReadError, UsageError
from orange_jupyter.core.parts import Reach
from orange_jupyter.core.paths import FileInfo
from orange_jupyter.documents.text import decode
from orange_jupyter.jupyter.ports import CommandReply
from orange_jupyter.jupyter.strings import language_of
from orange_jupyter.jupyter.widgets.citation import note_panel, passage_panel
from orange_jupyter.surroundings import BYTES, DOCUMENT_BYTES, link_to, surroundings

USAGE = "%orange show FILE [PAGE], or %orange show c3"


async def show(at: Standing, words: tuple[str, ...]) -> CommandReply:
    """Show a passage that was cited, a note, or one page's text."""
    if not words:
        raise UsageError(at.say("show.needs", usage=USAGE))
    name, page = _named(at, words)
    session = at.opened.session
    reach = await at.app.reach(session.state.knowledge_bases)
    if words[0].startswith("c") and words[0][1:].isdigit() and len(words) == 1:
        return await _citation(at, reach, words[0])
    place = await reach.workspace.place(name)
    if place.outside:
        raise PathError(
            Code.OUTSIDE_WORKSPACE,
            at.say("show.outside", path=place.shown),
            hint=at.say("show.outside.hint"),
        )
    info = await reach.workspace.stat(place)
    text, name = await _text(at, reach, (info, page))
    language = language_of(at.where.language)
    link = await asyncio.to_thread(link_to, place, at.where.folder)
    panel = note_panel(name, text, language, link=link)
    return CommandReply(text, {"ok": True, "path": place.shown}, panel["text/html"])


def _named(at: Standing, words: tuple[str, ...]) -> tuple[str, int | None]:
    """(file, page): a name may hold spaces; a number at the end is a page."""
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
    place = await surroundings(citation, reach, at.app.ground.documents, at.where.folder)
    panel = passage_panel(citation, place, language_of(at.where.language))
    return CommandReply(plain(citation.passage), {"ok": True, "citation": citation.as_json()}, panel["text/html"])


async def _text(at: Standing, reach: Reach, what: tuple[FileInfo, int | None]) -> tuple[str, str]:
    info, page = what
    if info.file_type in ("markdown", "txt", "other"):
        if page is not None:
            raise ReadError(Code.UNSUPPORTED_TYPE, at.say("show.pages", path=info.place.shown), hint=USAGE)
        content = await reach.workspace.read(info.place, limit=BYTES)
        base = info.place.knowledge_base
        return decode(content.data, base.encoding if base else None).text, info.place.shown
    if info.file_type not in ("pdf", "docx"):
        raise ReadError(Code.UNSUPPORTED_TYPE, at.say("show.type", path=info.place.shown, kind=info.file_type))
    content = await reach.workspace.read(info.place, limit=DOCUMENT_BYTES)
    document = await at.app.ground.documents.text(content.data, info.file_type)
    parts = document.pages or tuple(block.text for block in document.blocks)
    if page is None:
        return "\n\n".join(parts), info.place.shown
    if page > len(parts):
        raise ReadError(
            Code.OUT_OF_RANGE,
            at.say("show.range", n=page, path=info.place.shown, last=len(parts)),
            details={"valid": [1, len(parts)]},
        )
    return parts[page - 1], f"{info.place.shown}, {page}"
