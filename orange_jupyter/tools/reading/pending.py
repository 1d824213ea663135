"""`read` of a note that has pending changes: as it would be after them, marked `pendingView` (R-READ-14)."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace

from orange_jupyter.core.changes.deciding import bytes_of
from orange_jupyter.core.changes.overlay import Standing
from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import PathError
from orange_jupyter.core.masking import Span
from orange_jupyter.core.paths import FileBytes, FileInfo, Place, file_type
from orange_jupyter.core.shapes import merged
from orange_jupyter.core.times import nanoseconds
from orange_jupyter.core.tool import ToolContext
from orange_jupyter.tools.changing.hiding import hider


async def stands(context: ToolContext, place: Place) -> Standing | None:
    """What pending changes make of a place inside; None where there are none. Raises PathError not_found if gone."""
    if place.outside or not await context.changes.pending():
        return None
    found = await context.changes.stands(await context.workspace.spot(place))
    if found.gone is not None:
        raise PathError(
            Code.NOT_FOUND,
            f"There is no {place.shown} after the pending change {found.gone.id} ({found.gone.operation.summary}).",
            hint='`view: "disk"` shows the disk as it is.',
        )
    return found


def disk_place(context: ToolContext, place: Place, found: Standing) -> Place:
    """Where the content of a thing lies on the disk now: elsewhere after a pending move."""
    if not found.through or found.created is not None:
        return place
    base = next(base for base in context.workspace.knowledge_bases if base.root == found.spot.root)
    return Place(base, found.spot.relative, place.shown)


@dataclass(frozen=True, slots=True)
class Noted:
    """A note as it would be, and the values in it that the disk's text hides."""

    content: FileBytes
    hidden: tuple[Span, ...]


async def pending_note(context: ToolContext, place: Place) -> Noted | None:
    """A note with its pending changes; None where nothing pending changes it. Raises ChangeError stale_source."""
    spot = await context.workspace.spot(place)
    view = await context.changes.view(spot)
    if not view.overlaid:
        return None
    data = bytes_of(view.base, view.text)
    kind = file_type(place.relative)
    if view.standing.created is None:
        disk = await context.workspace.stat(disk_place(context, place, view.standing))
        info = FileInfo(place, kind, len(data), disk.mtime_ns, disk.inode, disk.file_id)
    else:
        info = FileInfo(place, kind, len(data), nanoseconds(view.standing.created.operation.created_at, "createdAt"), 0)
    names = hider(context, spot.relative, view.standing.spot.relative)
    hidden = merged([*view.hidden(hider(context, view.standing.spot.relative)), *names(view.text)])
    return Noted(FileBytes(data, info, "sha256:" + hashlib.sha256(data).hexdigest()), hidden)


def hiding(context: ToolContext, spans: tuple[Span, ...]) -> ToolContext:
    """The context in which these stretches of the text that is read next are hidden too."""
    find = context.find_secrets
    return replace(context, find_secrets=lambda text: merged([*find(text), *spans]))


async def by_real_name(context: ToolContext, place: Place) -> ToolContext:
    """The context for a file that may be read through a link: what its real name hides is hidden too."""
    if place.outside:
        return context
    hide = hider(context, (await context.workspace.spot(place)).relative)
    return replace(context, find_secrets=lambda text: merged(hide(text)))
