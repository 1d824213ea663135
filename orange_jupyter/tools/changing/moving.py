"""Moves, renames and deletes of notes, documents, pictures and whole folders (R-EDIT-3, R-CHG-5, R-CHG-6)."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass, replace

from orange_jupyter.core.changes.drafting import Draft
from orange_jupyter.core.changes.overlay import covers, drift, taken_out
from orange_jupyter.core.changes.ports import Tree
from orange_jupyter.core.changes.values import Kind, Proposal, Spot
from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import ArgumentError, ChangeError, PathError
from orange_jupyter.core.paths import FileInfo, Place, file_type, shown_name
from orange_jupyter.core.tool import Action, Result, ToolContext
from orange_jupyter.tools.changing.answering import answered, with_turn
from orange_jupyter.tools.changing.hiding import hider
from orange_jupyter.tools.changing.places import (
    Located,
    action_of,
    disk_place,
    effect_of,
    folder_for,
    info_of,
    locate,
    place_in_base,
    require_free,
)

MOST_BYTES = 2 * 1_073_741_824
"""Files are compared by their whole content; larger ones are not moved by the model (bytes)."""
_NAMED = 5


@dataclass(frozen=True, slots=True)
class _Thing:
    """What is to be moved or deleted; `tree` where it is a folder.

    Pending changes bring some files into that before, `coming`, and take some out, `going`.
    """

    located: Located
    info: FileInfo | None
    tree: Tree | None
    fingerprint: str
    coming: tuple[Proposal, ...] = ()
    going: tuple[Proposal, ...] = ()

    @property
    def files(self) -> int:
        """How many files that will be (R-CHG-5)."""
        own = self.tree.files if self.tree else 1
        come, go = (sum(one.operation.affected_files for one in some) for some in (self.coming, self.going))
        return max(own + come - go, 0)

    @property
    def size(self) -> int:
        """How many bytes that will be."""
        own = self.tree.bytes if self.tree else (self.info.size if self.info else 0)
        come, go = (sum(map(_size, some)) for some in (self.coming, self.going))
        return max(own + come - go, 0)

    @property
    def names(self) -> str:
        """The first files that will be in it."""
        own = self.located.spot.relative
        gone = [one.spot.relative for one in self.going]
        inside = [f"{own}/{name}" for name in (self.tree.names if self.tree else ())]
        stay = [name for name in inside if not any(name == one or name.startswith(f"{one}/") for one in gone)]
        come = [(one.target or one.spot).relative for one in self.coming]
        shown = [shown_name(name.removeprefix(f"{own}/")) for name in (*stay, *come)]
        return ", ".join(shown[:_NAMED]) + (" …" if len(shown) > _NAMED or self.files > len(shown) else "")

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a person must know before saying yes."""
        if self.tree is None:
            return ()
        found = []
        if self.tree.hidden or self.tree.unindexed:
            found.append(f"{self.tree.hidden:,} hidden and {self.tree.unindexed:,} unindexed files are in it too.")
        if self.tree.protected:
            found.append(f"It holds protected names: {', '.join(self.tree.protected[:5])}.")
        if self.coming or self.going:
            found.append(f"With the changes before this one it holds {self.files:,} files: {self.names}")
        return tuple(found)


def _size(proposal: Proposal) -> int:
    if proposal.size is not None:
        return proposal.size
    return len((proposal.content or "").encode("utf-8", "surrogatepass"))


async def plan_move(context: ToolContext, kind: Kind, place: Place, to: tuple[str, str | None]) -> Action:
    """The action of a move or rename; `to` is the destination as given and its KB."""
    thing = await _thing(context, place)
    target = await _target(context, kind, thing, to)
    inside = thing.tree.protected if thing.tree else ()
    effect = effect_of(thing.located.spot, target.spot, inside=inside)
    facts = (("to", target.place.shown), ("files", f"{thing.files:,}"))
    return action_of(effect, kind, thing.located, facts)


async def plan_delete(context: ToolContext, place: Place) -> Action:
    """The action of a delete."""
    thing = await _thing(context, place)
    effect = effect_of(thing.located.spot, inside=thing.tree.protected if thing.tree else ())
    return action_of(effect, Kind.DELETE, thing.located, (("files", f"{thing.files:,}, to the system's trash"),))


async def move(context: ToolContext, kind: Kind, place: Place, to: tuple[str, str | None]) -> Result:
    """Propose a move or rename. Raises ChangeError target_exists, kb_root, overlapping_paths, parent_missing …"""
    thing = await _thing(context, place)
    target = await _target(context, kind, thing, to)
    _require_kept_type(thing, target)
    if covers(thing.located.spot, target.spot):
        raise ChangeError(
            Code.OVERLAPPING_PATHS,
            f"{target.place.shown} is, or lies in, {place.shown} itself.",
            hint="Choose another destination.",
        )
    await _require_hidden(context, thing, target)
    await require_free(context, target)
    depends_on = (*thing.located.stands.through, *await folder_for(context, target))
    what = f"{kind} {_sort(thing)}: {place.shown} → {target.place.shown}"
    draft = _draft(kind, thing, what, depends_on)
    draft = replace(draft, destination=target.place.shown, target=target.spot)
    return await answered(context, await context.changes.propose(with_turn(context, draft)))


async def delete(context: ToolContext, place: Place) -> Result:
    """Propose to move something to the system's trash. Raises ChangeError kb_root, PathError not_found."""
    thing = await _thing(context, place)
    saved = taken_out(thing.located.spot, await context.changes.pending())
    counted = (one.id for one in (*thing.coming, *thing.going))  # so nobody deletes more than was shown
    depends_on = tuple(dict.fromkeys((*thing.located.stands.through, *saved, *counted)))
    draft = _draft(Kind.DELETE, thing, f"move to trash: {place.shown}", depends_on)
    return await answered(context, await context.changes.propose(with_turn(context, draft)))


async def _thing(context: ToolContext, place: Place) -> _Thing:
    located = await locate(context, place, follow=False)
    _require_no_root(context, located)
    created = located.stands.created
    if created is not None:
        raise ChangeError(
            Code.UNSUPPORTED_TYPE,
            f"{place.shown} is not on the disk yet: it is your own pending change {created.id}.",
            hint="Withdraw that one and write it where it should be.",
        )
    if await _is_link(context, place, located):  # the link itself is meant, whatever it leads to (C18)
        return _Thing(located, None, None, "")
    info = await info_of(context, located)
    if info is None or info.file_type == "folder":
        tree = await context.changes.means.applier.tree(located.stands.spot)
        coming, going = drift(located.spot, await context.changes.pending())
        return _Thing(located, info, tree, tree.digest, coming, going)
    if info.file_type == "other":
        raise ChangeError(
            Code.UNSUPPORTED_TYPE,
            f"{place.shown} is not a note, document, picture or folder; it is not moved or deleted.",
        )
    content = await context.workspace.read(disk_place(context, located), limit=MOST_BYTES)
    return _Thing(located, info, None, content.content_hash.removeprefix("sha256:"))


def _require_no_root(context: ToolContext, located: Located) -> None:
    spot = located.spot
    inner = [
        base.name
        for base in context.workspace.knowledge_bases
        if covers(spot, Spot(root=spot.root, relative=posixpath.relpath(base.root, spot.root)))
    ]
    if not spot.relative or inner:
        raise ChangeError(
            Code.KB_ROOT,
            f"{located.place.shown} is, or holds, the root of a knowledge base; it is not moved or deleted.",
            hint="Name a file or folder inside it.",
        )


async def _is_link(context: ToolContext, place: Place, located: Located) -> bool:
    if located.stands.gone is not None:
        return False
    try:
        return await context.workspace.spot(place) != located.spot
    except PathError as error:
        if error.code is not Code.LINK_ESCAPE:
            raise
        return True


async def _target(context: ToolContext, kind: Kind, thing: _Thing, to: tuple[str, str | None]) -> Located:
    destination, base_id = to
    shown = thing.located.place.shown
    name = posixpath.basename(shown)
    if kind is Kind.RENAME:
        if not destination or "/" in destination or destination in (".", "..") or "\0" in destination:
            raise ArgumentError(
                Code.INVALID_ARGUMENT,
                "rename takes a name without `/` as its destination.",
                hint="Use move for another folder.",
                details={"field": "destination"},
            )
        folder = posixpath.dirname(shown)
        path = f"{folder}/{destination}" if folder else f"./{destination}"
        return await locate(context, await context.workspace.place(path), follow=False)
    place = await place_in_base(context, destination.rstrip("/") or destination, base_id)
    located = await locate(context, place)
    if destination.endswith("/") or await _is_folder(context, located):
        into = f"{destination.rstrip('/')}/{name}"
        return await locate(context, await place_in_base(context, into, base_id), follow=False)
    return await locate(context, place, follow=False)


async def _is_folder(context: ToolContext, located: Located) -> bool:
    stands = located.stands
    if stands.created is not None:
        return stands.created.operation.kind is Kind.CREATE_FOLDER
    try:
        info = await info_of(context, located)
    except PathError:
        return False
    return info is not None and info.file_type == "folder"


def _require_kept_type(thing: _Thing, target: Located) -> None:
    if thing.info is None or thing.tree is not None:
        return
    if file_type(target.spot.relative) != thing.info.file_type:
        raise ChangeError(
            Code.UNSUPPORTED_TYPE,
            f"{target.place.shown} would be another type of file than {thing.located.place.shown}.",
            hint="Keep its ending.",
        )


async def _require_hidden(context: ToolContext, thing: _Thing, target: Located) -> None:
    """Raises ChangeError masked_text where values are hidden by the file's name and would stand open under the new one
    (R-READ-15)."""
    if thing.info is None or thing.info.file_type not in ("markdown", "txt"):
        return
    view = await context.changes.view(thing.located.spot)
    hide = hider(context, thing.located.place.relative, thing.located.spot.relative)
    before = {*hide(view.text), *view.hidden(hider(context, view.standing.spot.relative))}
    if not before <= set(hider(context, target.spot.relative)(view.text)):
        raise ChangeError(
            Code.MASKED_TEXT,
            f"Values of {thing.located.place.shown} are hidden because of its name; they would stand open.",
            hint="Keep its name, or ask the person to rename it.",
        )


def _sort(thing: _Thing) -> str:
    return "folder" if thing.tree else "file"


def _draft(kind: Kind, thing: _Thing, summary: str, depends_on: tuple[str, ...]) -> Draft:
    place = thing.located.place
    return Draft(
        kind=kind,
        knowledge_base_id=place.knowledge_base.id if place.knowledge_base else "",
        path=place.shown,
        spot=thing.located.spot,
        summary=summary,
        affected_files=thing.files,
        size=thing.size,
        warnings=thing.warnings,
        depends_on=depends_on,
        fingerprint=thing.fingerprint,
    )
