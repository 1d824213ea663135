"""What goes with a question from a cell: lines to be told first, and the pictures that were named."""

from __future__ import annotations

import asyncio
import os

from orange_jupyter.app import App, Opened
from orange_jupyter.attaching import PICTURE_BYTES, check_count, limits_for, made_ready
from orange_jupyter.core.errors import UsageError
from orange_jupyter.core.events import Notice
from orange_jupyter.core.messages import Image
from orange_jupyter.core.paths import file_type
from orange_jupyter.jupyter.strings import Language, text


async def told_first(app: App, opened: Opened, language: Language, pictures: int = 0) -> tuple[Notice, ...]:
    """Lines that a turn begins with, each once: what ended with the kernel, missing KBs, ignored project settings."""
    notices = _ended(opened, language)
    state = opened.session.state
    if pictures:
        model = await app.model(state.model)
        await model.close()
        if not model.info.vision:
            blind = text(language, "life.blind", model=state.model, n=pictures)
            notices.append(Notice(level="warning", text=blind, hint=text(language, "life.blind.hint")))
    reach = await app.reach(state.knowledge_bases)
    if not reach.bases:
        hint = text(language, "life.no_kb.hint")
        notices.append(Notice(level="warning", text=text(language, "life.no_kb"), hint=hint))
    for base in reach.bases:
        if not await asyncio.to_thread(os.access, base.root, os.R_OK | os.X_OK):
            missing = text(language, "life.kb_missing", name=base.name, root=base.root)
            notices.append(Notice(level="warning", text=missing, hint=text(language, "life.kb_missing.hint")))
    if state.turns == 0:
        bases = await asyncio.to_thread(app.bases)
        notices += [Notice(level="info", text=line) for line in bases.ignored]
    fresh = [notice for notice in notices if notice.text not in app.said]
    app.said.update(notice.text for notice in fresh)
    return tuple(fresh)


def _ended(opened: Opened, language: Language) -> list[Notice]:
    """What ended with the session's last kernel: a turn in the middle (R-SESS-2), a full tier (R-PERM-10)."""
    state, ended = opened.session.state, opened.record.ended_full
    if state.turns != opened.record.turns:
        return []
    notices = []
    if opened.cut_off is not None:
        hint = text(language, "life.cut_off.hint")
        notices.append(Notice(level="info", text=text(language, f"life.{opened.cut_off}"), hint=hint))
    if ended is not None:
        words = text(language, "life.full_ended", tier=ended, now=state.tier)
        notices.append(Notice(level="info", text=words, hint=text(language, "life.full_again", tier=ended)))
    return notices


async def attached(app: App, opened: Opened, paths: tuple[str, ...]) -> tuple[Image, ...]:
    """Pictures that the person attaches: from the selected KBs only, since pixels leave the machine (R-READ-9).

    Raises UsageError, ReadError, PathError that name the picture, before anything of the turn is said or kept.
    """
    check_count(paths)
    if not paths:
        return ()
    state = opened.session.state
    reach = await app.reach(state.knowledge_bases)
    limits = await limits_for(app, state.model, state.session_id)
    images = []
    for path in paths:
        place = await reach.workspace.place(path)
        if place.outside or file_type(place.relative) != "image":
            raise UsageError(f"{path} is not a picture in the selected knowledge bases.")
        content = await reach.workspace.read(place, limit=PICTURE_BYTES)
        images.append(await made_ready(app, content.data, limits, name=place.shown, path=place.shown))
    return tuple(images)
