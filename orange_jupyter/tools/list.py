"""`list`: what lies in the knowledge bases, sorted by path, in pages (R-LIST-*)."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from orange_jupyter.core.corpus import Listing, ListQuery
from orange_jupyter.core.grant import Effect
from orange_jupyter.core.paths import FileInfo, shown_name
from orange_jupyter.core.result import envelope, fitting
from orange_jupyter.core.times import iso
from orange_jupyter.core.tool import Action, Arguments, Result, Tool, ToolContext


class ListArguments(Arguments):
    """What `list` takes (12-schemas.md)."""

    path: str | None = Field(default=None, description="A folder; default: all selected knowledge bases.")
    query: str | None = Field(default=None, description="Part of the path or name, no case.")
    prefix: str | None = Field(default=None, description="Literal start of the path.")
    file_type: str | None = Field(
        default=None, description="One of markdown, txt, docx, pdf, image, svg, folder, other."
    )
    depth: int | None = Field(default=None, ge=1, description="1 is the folder's own entries; default: all below.")
    cursor: str | None = Field(default=None, description="nextCursor of the page before.")
    limit: int = Field(default=120, ge=1, le=120)


async def _plan(context: ToolContext, arguments: ListArguments) -> Action:
    if arguments.path is None:
        return Action(Effect.LOOK, "list", "all knowledge bases")
    place = await context.workspace.place(arguments.path)
    if place.outside:
        facts = (("folder", place.shown), ("reads", "names, sizes and times only"))
        return Action(Effect.LOOK_OUTSIDE, "list outside", place.shown, facts=facts, place=place)
    return Action(Effect.LOOK, "list", place.shown, place=place)


async def _run(context: ToolContext, arguments: ListArguments, action: Action) -> Result:
    listing = await context.workspace.entries(_query(arguments, action, arguments.limit))
    fields = _fields(listing)
    cursor = None
    count = fitting(envelope(fields), "entries")
    if count < len(listing.entries):
        shorter = await context.workspace.entries(_query(arguments, action, max(1, count)))
        cursor = (max(1, count), shorter.cursor or "")
    summary = f"{listing.total} entries" if listing.total != 1 else "1 entry"
    return Result(fields, summary, warnings=listing.warnings, cursor=cursor)


def _query(arguments: ListArguments, action: Action, limit: int) -> ListQuery:
    return ListQuery(
        place=action.place,
        query=arguments.query,
        prefix=arguments.prefix,
        file_type=arguments.file_type,
        depth=arguments.depth,
        cursor=arguments.cursor,
        limit=limit,
    )


def _fields(listing: Listing) -> dict[str, Any]:
    return {
        "entries": [entry(info) for info in listing.entries],
        "total": listing.total,
        "nextCursor": listing.cursor,
    }


def entry(info: FileInfo) -> dict[str, Any]:
    """One entry of a listing (R-LIST-2); the counts only where they are known."""
    base = info.place.knowledge_base
    whole: dict[str, Any] = {"fileId": info.file_id} if info.file_id is not None else {}
    whole |= {
        "knowledgeBaseId": base.id if base else None,
        "path": info.place.shown,
        "name": shown_name(info.place.relative.rsplit("/", 1)[-1]),
        "fileType": info.file_type,
        "size": info.size,
        "updatedAt": iso(info.mtime_ns),
    }
    if info.file_type == "image":
        whole["requiresVision"] = True
    counts = {"pageCount": info.page_count, "blockCount": info.block_count, "fileCount": info.file_count}
    return whole | {key: count for key, count in counts.items() if count is not None}


LIST = Tool(
    name="list",
    description="List files and folders of the selected knowledge bases, in pages.",
    arguments=ListArguments,
    effects=(Effect.LOOK, Effect.LOOK_OUTSIDE),
    plan=_plan,
    run=_run,
    target=lambda arguments: arguments.path or arguments.query or "",
)
