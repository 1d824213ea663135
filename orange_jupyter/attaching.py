"""Pictures that a person attaches to a question, made ready before the turn for the model that will see them."""

from __future__ import annotations

import asyncio

from orange_jupyter.app import App
from orange_jupyter.core.document import PictureLimits
from orange_jupyter.core.errors import ReadError, UsageError
from orange_jupyter.core.held import MOST_PICTURES
from orange_jupyter.core.messages import Image, Role
from orange_jupyter.storage.transcript import Transcript

PICTURE_BYTES = 20 * 1_048_576


async def limits_for(app: App, model: str, session_id: str | None) -> PictureLimits:
    """The limits of a picture for the next question in a session (R-IMG-2); None for a new one. Raises ConfigError."""
    replied = None
    if session_id is not None:
        messages = await Transcript(app.ground.database, session_id).messages()
        said = (one.model for one in reversed(messages) if one.role is Role.ASSISTANT and one.model)
        replied = next(said, None)
    return await asyncio.to_thread(app.models.pictures, model, replied)


async def made_ready(app: App, data: bytes, limits: PictureLimits, *, name: str, path: str = "") -> Image:
    """One picture within the limits, kept; `path` where it lies in a KB. Raises ReadError that names it, StoreError."""
    try:
        picture = await app.ground.documents.picture(data, limits)
    except ReadError as error:
        raise ReadError(error.code, f"{name}: {error.message}", hint=error.hint, details=error.details) from None
    sha256 = await app.ground.blobs.put(picture.data, picture.media_type)
    return Image(
        sha256=sha256,
        media_type=picture.media_type,
        width=picture.width,
        height=picture.height,
        caption=name,
        path=path,
    )


def check_count(paths: tuple[str, ...] | list[str]) -> None:
    """Raises UsageError for more pictures than a message may hold (R-READ-8)."""
    if len(paths) > MOST_PICTURES:
        raise UsageError(
            f"{len(paths)} pictures are too many: at most {MOST_PICTURES} go with a question.",
            hint="Ask about the others in the next question.",
        )
