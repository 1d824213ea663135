"""Holds every tool's pictures to the limits of the model that will see them (R-IMG-2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from orange_jupyter.core.document import PictureLimits
from orange_jupyter.core.errors import ToolError
from orange_jupyter.core.messages import Image
from orange_jupyter.core.tool import Result, ToolContext

MOST_PICTURES: Final = 8
CAP_SIDE: Final = 2_048
CAP_BYTES: Final = 4_194_304
"""What is sent at all (R-READ-8): pictures a message, pixels a side, bytes a picture."""


@dataclass(frozen=True, slots=True)
class _Over:
    """A picture that is kept for the person but does not go to the model."""

    image: Image
    reason: str


async def held(context: ToolContext, result: Result) -> Result:
    """The result with pictures that fit: shrunk, else as they were, else named in `imagesLeftOut` and only kept."""
    if not result.images:
        return result
    fitting = [await _fitted(context, image) for image in result.images[:MOST_PICTURES]]
    beyond = [_Over(image, f"at most {MOST_PICTURES} pictures a message") for image in result.images[MOST_PICTURES:]]
    over = [*(one for one in fitting if isinstance(one, _Over)), *beyond]
    images = tuple(one for one in fitting if isinstance(one, Image))
    return replace(result, images=images, fields=_told(result.fields, over))


async def _fitted(context: ToolContext, image: Image) -> Image | _Over:
    limits = context.model.pictures
    data = await context.blobs.get(image.sha256)
    if _within(image, len(data), limits):
        return image
    try:
        picture = await context.documents.picture(data, limits)
    except ToolError as error:
        caps = PictureLimits(CAP_SIDE, CAP_SIDE, CAP_BYTES)
        return image if _within(image, len(data), caps) else _Over(image, error.message)
    sha256 = await context.blobs.put(picture.data, picture.media_type)
    changed = {"sha256": sha256, "media_type": picture.media_type, "width": picture.width, "height": picture.height}
    return image.model_copy(update=changed)


def _within(image: Image, size: int, limits: PictureLimits) -> bool:
    width, height = min(limits.max_width, CAP_SIDE), min(limits.max_height, CAP_SIDE)
    return image.width <= width and image.height <= height and size <= min(limits.max_bytes, CAP_BYTES)


def _told(fields: dict[str, Any], over: Sequence[_Over]) -> dict[str, Any]:
    if not over:
        return fields
    named = [{"reason": f"{one.image.picture_id} is kept for the person only: {one.reason}"} for one in over]
    return fields | {"imagesLeftOut": [*fields.get("imagesLeftOut", ()), *named]}
