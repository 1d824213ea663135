"""Pictures for the model: image files, pages of a PDF, a note's pictures, within R-READ-8's budget."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from orange_jupyter.core.document import Picture, PictureLimits
from orange_jupyter.core.errors import ToolError
from orange_jupyter.core.messages import Image
from orange_jupyter.core.paths import FileBytes
from orange_jupyter.core.tool import Result, ToolContext
from orange_jupyter.tools.reading.asked import Asked, Images, heading_fields

IMAGES_A_MESSAGE = 8
PAGES_UNASKED = 4
NOTE_PICTURES = 4
PICTURE_BYTES = 20 * 1_048_576
NO_VISION = "The model in use is not set up to see pictures."


@dataclass(frozen=True, slots=True)
class Attached:
    """Envelope fields about pictures, and the pictures that follow in a message."""

    fields: dict[str, Any] = field(default_factory=dict)
    images: tuple[Image, ...] = ()


def _no_vision(context: ToolContext) -> dict[str, Any]:
    return {"visionUnavailable": {"reason": context.model.vision_reason or NO_VISION}}


async def read_picture(context: ToolContext, content: FileBytes) -> Result:
    """An image file: its size for everybody, its pixels for a model that sees. Raises ReadError."""
    picture = await context.documents.picture(content.data, PictureLimits())
    name = posixpath.basename(content.info.place.relative)
    fields = await heading_fields(context, content, None, posixpath.splitext(name)[0])
    image = await _kept(context, picture, (content.info.place.shown, None, None))
    about: dict[str, Any] = {"id": image.picture_id, "width": picture.width, "height": picture.height}
    about["format"] = picture.media_type.removeprefix("image/")
    if picture.frames > 1:
        about["frames"] = picture.frames
    fields["image"] = about
    size = f"{picture.original_width or picture.width} × {picture.original_height or picture.height} px"
    if not context.model.vision:
        return Result(fields | _no_vision(context), f"{size}, not shown to the model")
    return Result(fields, size, images=(image,))


async def attach_pages(context: ToolContext, content: FileBytes, what: tuple[Asked, tuple[int, int], bool]) -> Attached:
    """Pictures of PDF pages when they are asked for, or when there is no text to read (R-READ-6)."""
    asked, (first, last), has_text = what
    unasked = asked.pages is None and has_text and asked.images is not Images.ALWAYS
    if asked.images is Images.NONE or unasked:
        return Attached()
    if not context.model.vision:
        return Attached(_no_vision(context))
    most = IMAGES_A_MESSAGE if asked.pages is not None else PAGES_UNASKED
    images, listed, left_out = [], [], []
    for page in range(first, min(last, first + most - 1) + 1):
        try:
            picture = await context.documents.page_picture(content.data, page, PictureLimits())
        except ToolError as error:
            left_out.append({"page": page, "reason": error.message})
            continue
        image = await _kept(context, picture, (content.info.place.shown, page, None))
        images.append(image)
        listed.append({"id": image.picture_id, "page": page, "width": image.width, "height": image.height})
    if last >= first + most:
        reason = f"at most {most} pages at a time; read pages {first + most}–{last} next"
        left_out.append({"page": first + most, "reason": reason})
    fields: dict[str, Any] = {"documentImages": listed}
    if left_out:
        fields["imagesLeftOut"] = left_out
    return Attached(fields, tuple(images))


async def attach_note_pictures(context: ToolContext, refs: Sequence[dict[str, Any]]) -> Attached:
    """Up to four local pictures that a note refers to (R-READ-10)."""
    there = [ref for ref in refs if ref["exists"] and "skipped" not in ref]
    if not there:
        return Attached()
    if not context.model.vision:
        return Attached(_no_vision(context))
    images, listed, left_out = [], [], []
    for ref in there[:NOTE_PICTURES]:
        try:
            place = await context.workspace.place(ref["path"])
            content = await context.workspace.read(place, limit=PICTURE_BYTES)
            picture = await context.documents.picture(content.data, PictureLimits())
        except ToolError as error:
            left_out.append({"reason": f"{ref['path']}: {error.message}"})
            continue
        image = await _kept(context, picture, (ref["path"], None, None))
        images.append(image)
        caption = ref.get("alt") or ref["path"]
        listed.append({"id": image.picture_id, "caption": caption, "width": image.width, "height": image.height})
    left_out += [{"reason": f"{ref['path']}: at most {NOTE_PICTURES} at a time"} for ref in there[NOTE_PICTURES:]]
    fields: dict[str, Any] = {"documentImages": listed}
    if left_out:
        fields["imagesLeftOut"] = left_out
    return Attached(fields, tuple(images))


async def _kept(context: ToolContext, picture: Picture, where: tuple[str, int | None, int | None]) -> Image:
    """The picture among the kept ones; `where` is (path as shown, PDF page, DOCX block)."""
    path, page, block = where
    sha256 = await context.blobs.put(picture.data, picture.media_type)
    part = f", page {page}" if page is not None else f", block {block}" if block is not None else ""
    return Image(
        sha256=sha256,
        media_type=picture.media_type,
        width=picture.width,
        height=picture.height,
        caption=path + part,
        path=path,
        page=page,
        block=block,
    )
