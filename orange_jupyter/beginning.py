"""What goes with a question from a cell: lines to be told first, and the pictures that were named."""

from __future__ import annotations

import asyncio
import os

from orange_jupyter.app import App, Opened
from orange_jupyter.core.document import PictureLimits
from orange_jupyter.core.errors import UsageError
from orange_jupyter.core.events import Notice
from orange_jupyter.core.messages import Image
from orange_jupyter.core.paths import file_type

PICTURE_BYTES = 20 * 1_048_576


async def told_first(app: App, opened: Opened, pictures: int = 0) -> tuple[Notice, ...]:
    """Lines that a turn begins with, each once: a full tier that ended, missing KBs, ignored project settings."""
    state = opened.session.state
    notices = []
    ended = opened.record.ended_full
    if ended is not None and state.turns == opened.record.turns:
        text = f"{ended} ended with its kernel; the session is in {state.tier}."
        notices.append(Notice(level="info", text=text, hint=f"Enter it again: %orange tier {ended}"))
    if pictures:
        model = await app.model(state.model)
        await model.close()
        if not model.info.vision:
            text = f"{state.model} does not see pictures; {pictures} {'was' if pictures == 1 else 'were'} not sent."
            hint = "Choose a model that sees: %orange model use NAME."
            notices.append(Notice(level="warning", text=text, hint=hint))
    reach = await app.reach(state.knowledge_bases)
    if not reach.bases:
        hint = "%orange kb add . makes this notebook's folder one."
        notices.append(Notice(level="warning", text="No knowledge base is selected.", hint=hint))
    for base in reach.bases:
        if not await asyncio.to_thread(os.access, base.root, os.R_OK | os.X_OK):
            text = f"The folder of {base.name} is missing or cannot be read: {base.root}."
            notices.append(Notice(level="warning", text=text, hint="Bring it back, or %orange kb remove it."))
    if state.turns == 0:
        bases = await asyncio.to_thread(app.bases)
        notices += [Notice(level="info", text=line) for line in bases.ignored]
    fresh = [notice for notice in notices if notice.text not in app.said]
    app.said.update(notice.text for notice in fresh)
    return tuple(fresh)


async def attached(app: App, paths: tuple[str, ...], knowledge_bases: tuple[str, ...]) -> tuple[Image, ...]:
    """Pictures that the person attaches: from the selected KBs only, since pixels leave the machine (R-READ-9)."""
    images = []
    reach = await app.reach(knowledge_bases)
    for path in paths:
        place = await reach.workspace.place(path)
        if place.outside or file_type(place.relative) != "image":
            raise UsageError(f"{path} is not a picture in the selected knowledge bases.")
        content = await reach.workspace.read(place, limit=PICTURE_BYTES)
        picture = await app.ground.documents.picture(content.data, PictureLimits())
        sha256 = await app.ground.blobs.put(picture.data, picture.media_type)
        images.append(
            Image(
                sha256=sha256,
                media_type=picture.media_type,
                width=picture.width,
                height=picture.height,
                caption=place.shown,
            )
        )
    return tuple(images)
