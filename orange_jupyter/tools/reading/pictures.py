"""Pictures for the model: image files, a document's pages and pictures, a note's pictures, within R-READ-8's budget."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from orange_jupyter.core.document import Picture
from orange_jupyter.core.errors import ToolError
from orange_jupyter.core.messages import Image
from orange_jupyter.core.paths import FileBytes
from orange_jupyter.core.tool import Result, ToolContext
from orange_jupyter.tools.reading.asked import Images, heading_fields

NOTE_PICTURES = 4
PICTURE_BYTES = 20 * 1_048_576
NO_VISION = "The model in use is not set up to see pictures."
NOT_SHOWN = "not shown to the model"


@dataclass(frozen=True, slots=True)
class Attached:
    """Envelope fields about pictures, the pictures that follow in a message, and what the tool line says of them."""

    fields: dict[str, Any] = field(default_factory=dict)
    images: tuple[Image, ...] = ()
    said: str = ""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A picture that should follow: of a PDF's `page`, or of a DOCX's `block`; `caption` is the block's own text."""

    page: int | None = None
    block: int | None = None
    caption: str = ""


@dataclass(frozen=True, slots=True)
class Choice:
    """The pictures that should follow, in order, and `imagesLeftOut` of those beyond the budget."""

    wanted: tuple[Wanted, ...] = ()
    left_out: tuple[dict[str, Any], ...] = ()


async def read_picture(context: ToolContext, content: FileBytes, images: Images) -> Result:
    """An image file: its size for everybody, its pixels for a model that sees. Raises ReadError."""
    picture = await context.documents.picture(content.data, context.model.pictures)
    name = posixpath.basename(content.info.place.relative)
    fields = await heading_fields(context, content, None, posixpath.splitext(name)[0])
    size = f"{picture.original_width or picture.width} × {picture.original_height or picture.height} px"
    if picture.frames > 1:
        size += f", the first of {picture.frames:,} frames"
    image = await _kept(context, picture, (content.info.place.shown, Wanted()))
    fields["image"] = _about(image, picture)
    if images is Images.NONE:
        return Result(fields, size)
    if not context.model.vision:
        return Result(fields | _no_vision(context), f"{size}, {NOT_SHOWN}")
    return Result(fields, size, images=(image,))


async def attach(context: ToolContext, content: FileBytes, choice: Choice) -> Attached:
    """A document's pictures that were chosen; one that cannot be made is named with the reason (R-READ-6, R-READ-8)."""
    if not choice.wanted:
        offered = choice.left_out if context.model.vision else ()
        return Attached({"imagesLeftOut": list(offered)} if offered else {})
    if not context.model.vision:
        return _unseen(context)
    images: list[Image] = []
    listed: list[dict[str, Any]] = []
    left_out: list[dict[str, Any]] = []
    for one in choice.wanted:
        try:
            picture = await _drawn(context, content.data, one)
        except ToolError as error:
            left_out.append(place_of(one) | {"reason": error.message})
            continue
        image = await _kept(context, picture, (content.info.place.shown, one))
        images.append(image)
        caption = {"caption": one.caption} if one.caption else {}
        size = {"width": image.width, "height": image.height}
        listed.append({"id": image.picture_id, **place_of(one), **caption, **size})
    return _attached(images, listed, [*left_out, *choice.left_out])


async def attach_note_pictures(context: ToolContext, refs: Sequence[dict[str, Any]]) -> Attached:
    """Up to four local pictures that a note refers to, each once (R-READ-10)."""
    there = {ref["path"]: ref for ref in refs if ref["exists"] and "skipped" not in ref}
    if not there:
        return Attached()
    if not context.model.vision:
        return _unseen(context)
    images: list[Image] = []
    listed: list[dict[str, Any]] = []
    left_out: list[dict[str, Any]] = []
    for path, ref in list(there.items())[:NOTE_PICTURES]:
        try:
            place = await context.workspace.place(path)
            content = await context.workspace.read(place, limit=PICTURE_BYTES)
            picture = await context.documents.picture(content.data, context.model.pictures)
        except ToolError as error:
            left_out.append({"reason": f"{path}: {error.message}"})
            continue
        image = await _kept(context, picture, (path, Wanted()))
        images.append(image)
        caption = ref.get("alt") or path
        listed.append({"id": image.picture_id, "caption": caption, "width": image.width, "height": image.height})
    rest = list(there)[NOTE_PICTURES:]
    left_out += [{"reason": f"{path}: at most {NOTE_PICTURES} pictures of a note at a time; read it"} for path in rest]
    return _attached(images, listed, left_out)


def _no_vision(context: ToolContext) -> dict[str, Any]:
    return {"visionUnavailable": {"reason": context.model.vision_reason or NO_VISION}}


def _unseen(context: ToolContext) -> Attached:
    return Attached(_no_vision(context), said=f"pictures {NOT_SHOWN}")


def _attached(images: list[Image], listed: list[dict[str, Any]], left_out: list[dict[str, Any]]) -> Attached:
    fields: dict[str, Any] = {"documentImages": listed}
    if left_out:
        fields["imagesLeftOut"] = left_out
    return Attached(fields, tuple(images), "1 picture" if len(images) == 1 else f"{len(images)} pictures")


def _about(image: Image, picture: Picture) -> dict[str, Any]:
    about: dict[str, Any] = {"id": image.picture_id, "width": picture.width, "height": picture.height}
    about["format"] = picture.media_type.removeprefix("image/")
    return about | ({"frames": picture.frames} if picture.frames > 1 else {})


async def _drawn(context: ToolContext, data: bytes, wanted: Wanted) -> Picture:
    if wanted.page is not None:
        return await context.documents.page_picture(data, wanted.page, context.model.pictures)
    return await context.documents.block_picture(data, wanted.block or 0, context.model.pictures)


def place_of(wanted: Wanted) -> dict[str, Any]:
    """Its page and block, as the envelope names them."""
    page = {"page": wanted.page} if wanted.page is not None else {}
    return page | ({"block": wanted.block} if wanted.block is not None else {})


async def _kept(context: ToolContext, picture: Picture, where: tuple[str, Wanted]) -> Image:
    """The picture among the kept ones; `where` is the path as shown and the part of it."""
    path, part = where
    sha256 = await context.blobs.put(picture.data, picture.media_type)
    shown = [path, *(f"{name} {number}" for name, number in place_of(part).items())]
    return Image(
        sha256=sha256,
        media_type=picture.media_type,
        width=picture.width,
        height=picture.height,
        caption=", ".join(shown),
        path=path,
        page=part.page,
        block=part.block,
    )
