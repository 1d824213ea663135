"""`read`: a note, document or picture of the knowledge bases; outside text with approval (R-READ-*)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

from pydantic import Field, model_validator

from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import PathError, ReadError, ToolError
from orange_jupyter.core.grant import Effect
from orange_jupyter.core.paths import Place, file_type
from orange_jupyter.core.tool import Action, Arguments, Result, Tool, ToolContext
from orange_jupyter.tools.reading.asked import Asked, Images
from orange_jupyter.tools.reading.notes import read_text
from orange_jupyter.tools.reading.papers import read_document
from orange_jupyter.tools.reading.pending import by_real_name, disk_place, hiding, pending_note, stands
from orange_jupyter.tools.reading.pictures import read_picture

TEXT_BYTES = 20 * 1_048_576
DOCUMENT_BYTES = 200 * 1_048_576
PICTURE_BYTES = 20 * 1_048_576


class ReadArguments(Arguments):
    """What `read` takes (12-schemas.md): one of fileId, path, url; then which part."""

    file_id: str | None = Field(default=None, description="The fileId that search or list gave.")
    path: str | None = Field(default=None, description="A path as search or list gave it.")
    url: str | None = Field(default=None, description="A web page.", json_schema_extra={"effects": "web"})
    offset: int = Field(default=0, ge=0, description="In characters of the selected text.")
    limit: int = Field(default=6000, ge=1, le=8000, description="In characters.")
    page: int | None = Field(default=None, ge=1, description="PDF page, from 1.")
    page_end: int | None = Field(default=None, ge=1, description="Last page of a range.")
    block: int | None = Field(default=None, ge=1, description="One structure block of a DOCX or PDF, from 1.")
    heading: str | None = Field(default=None, description="A DOCX section by its heading; `A > B` for a path.")
    include_images: Literal["auto", "always", "none"] = Field(default="auto")
    view: Literal["pending", "disk"] = Field(default="pending", description="With your pending changes, or the disk.")

    @model_validator(mode="after")
    def _one_source(self) -> ReadArguments:
        if sum(source is not None for source in (self.file_id, self.path, self.url)) != 1:
            raise ValueError("give exactly one of fileId, path, url")
        if self.page_end is not None and (self.page is None or self.page_end < self.page):
            raise ValueError("pageEnd needs a page that is not after it")
        if sum(part is not None for part in (self.page, self.block, self.heading)) > 1:
            raise ValueError("page, block and heading exclude each other")
        return self


async def _plan(context: ToolContext, arguments: ReadArguments) -> Action:
    if arguments.url is not None:
        return Action(Effect.WEB, "read url", arguments.url)
    place = await _place(context, arguments)
    if not place.outside:
        return Action(Effect.LOOK, "read", place.shown, place=place)
    facts = (
        ("file", arguments.path or place.shown),
        ("real place", place.shown),
        ("reads", f"{arguments.limit:,} characters from {arguments.offset:,}, text only"),
        ("goes to", context.model.host or "nowhere: this model runs in the kernel"),
    )
    # Where no approval could help nothing is looked at: not even whether the file is there (P01, P06).
    operands = await _state(context, place) if context.grant.tier.full else ()
    return Action(Effect.LOOK_OUTSIDE, "read outside", place.shown, facts=facts, operands=operands, place=place)


async def _state(context: ToolContext, place: Place) -> tuple[tuple[str, str], ...]:
    info = await context.workspace.stat(place)
    return ((place.shown, f"{info.size}:{info.mtime_ns}:{info.inode}"),)


async def _place(context: ToolContext, arguments: ReadArguments) -> Place:
    if arguments.file_id is not None:
        return await context.workspace.by_id(arguments.file_id)
    return await context.workspace.place(arguments.path or "")


async def _run(context: ToolContext, arguments: ReadArguments, action: Action) -> Result:
    place = action.place
    if place is None:
        raise ToolError(Code.NO_BACKEND, "No web backend is set up.")
    kind = file_type(place.relative)
    _check_kind(place, kind)
    pending = await stands(context, place) if arguments.view == "pending" else None
    if pending is not None:
        noted = await pending_note(context, place) if kind in ("markdown", "txt") else None
        if noted is not None:
            _refuse_parts(arguments, kind)
            seen = await read_text(hiding(context, noted.hidden), noted.content, _asked(arguments))
            return replace(seen, fields=seen.fields | {"pendingView": True})
        place = disk_place(context, place, pending)
    return await _read_disk(context, arguments, (place, kind))


async def _read_disk(context: ToolContext, arguments: ReadArguments, what: tuple[Place, str]) -> Result:
    place, kind = what
    info = await context.workspace.stat(place)
    if info.file_type == "folder":
        raise PathError(Code.NOT_REGULAR_FILE, f"{place.shown} is a folder.", hint="Use list to see what lies in it.")
    if kind in ("docx", "pdf") and info.file_id is None:
        raise PathError(
            Code.USE_FILE_ID,
            f"{place.shown} is not a scanned document of the selected knowledge bases.",
            hint="Use the fileId that search or list gives.",
        )
    if kind == "image":
        content = await context.workspace.read(place, limit=PICTURE_BYTES)
        return await read_picture(context, content, Images(arguments.include_images))
    asked = _asked(arguments)
    if kind in ("docx", "pdf"):
        content = await context.workspace.read(place, limit=DOCUMENT_BYTES)
        return await read_document(context, content, asked)
    _refuse_parts(arguments, kind)
    content = await context.workspace.read(place, limit=TEXT_BYTES)
    return await read_text(await by_real_name(context, place), content, asked)


def _check_kind(place: Place, kind: str) -> None:
    if kind == "svg":
        raise ReadError(
            Code.SVG_NOT_RASTERISED,
            f"{place.shown} is an SVG, a vector file, which is not made into a picture.",
            hint="Ask the person for a PNG of it.",
        )
    if place.outside and kind == "image":
        raise ReadError(
            Code.IMAGE_OUTSIDE_WORKSPACE,
            "Pictures are read only from the selected knowledge bases.",
            hint="The person can copy the file into a knowledge base.",
        )
    if place.outside and kind in ("docx", "pdf"):
        raise PathError(
            Code.USE_FILE_ID,
            f"{place.shown} is outside the selected knowledge bases, where only text is read.",
            hint="Use the fileId of a scanned document; the person can add its folder with %orange kb add.",
        )


def _refuse_parts(arguments: ReadArguments, kind: str) -> None:
    for name, value in (("page", arguments.page), ("block", arguments.block), ("heading", arguments.heading)):
        if value is not None:
            raise ReadError(
                Code.UNSUPPORTED_TYPE,
                f"`{name}` is for documents; this is {kind}.",
                hint="Use offset and limit.",
                details={"field": name},
            )


def _asked(arguments: ReadArguments) -> Asked:
    pages = (arguments.page, arguments.page_end or arguments.page) if arguments.page is not None else None
    return Asked(
        offset=arguments.offset,
        limit=arguments.limit,
        pages=pages,
        block=arguments.block,
        heading=arguments.heading,
        images=Images(arguments.include_images),
    )


def _target(arguments: ReadArguments) -> str:
    named: Any = arguments.path or arguments.url or arguments.file_id
    return f"{named}, page {arguments.page}" if arguments.page else str(named)


READ = Tool(
    name="read",
    description="Read a note, document or picture by fileId or path, in pieces of up to 8,000 characters.",
    arguments=ReadArguments,
    effects=(Effect.LOOK, Effect.LOOK_OUTSIDE, Effect.WEB),
    plan=_plan,
    run=_run,
    target=_target,
)
