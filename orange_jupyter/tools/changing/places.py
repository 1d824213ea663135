"""Where a change acts: the resolved place with its real spot, its pending view, and the effect it has (R-PERM-9)."""

from __future__ import annotations

from dataclasses import dataclass

from orange_jupyter.core.changes.overlay import Standing, freed
from orange_jupyter.core.changes.values import Kind, Spot
from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import ChangeError, PathError
from orange_jupyter.core.grant import Effect
from orange_jupyter.core.paths import FileInfo, Place, is_protected
from orange_jupyter.core.tool import Action, ToolContext


@dataclass(frozen=True, slots=True)
class Located:
    """A path that a model gave: its place, the real spot, and what that means with the pending changes done."""

    place: Place
    spot: Spot
    stands: Standing

    @property
    def link(self) -> str | None:
        """A warning where the path is a link inside the KB: its target is what changes (C14)."""
        base = self.place.knowledge_base
        if base is None or (base.root, self.place.relative) == (self.spot.root, self.spot.relative):
            return None
        return f"{self.place.shown} is a link: what changes is {self.spot.relative}."


async def place_in_base(context: ToolContext, path: str, base_id: str | None) -> Place:
    """The place of a path in a KB named by id or name, else as the path says. Raises PathError outside_workspace."""
    if base_id is None:
        return await context.workspace.place(path)
    for base in context.workspace.knowledge_bases:
        if base_id in (base.id, base.name):
            first = base.id == context.workspace.knowledge_bases[0].id
            prefix = "./" if first else f"{base.id}/"
            return await context.workspace.place(path if path.startswith("/") else prefix + path)
    raise PathError(
        Code.OUTSIDE_WORKSPACE,
        f"The knowledge base {base_id} is not selected.",
        hint="The person can select it with `%orange kb select`.",
    )


async def locate(context: ToolContext, place: Place, *, follow: bool = True) -> Located:
    """The real spot of a place. Raises PathError link_escape, outside_workspace."""
    spot = await context.workspace.spot(place, follow=follow)
    return Located(place, spot, await context.changes.stands(spot))


async def info_of(context: ToolContext, located: Located) -> FileInfo | None:
    """What lies there on the disk, seen through the pending changes; None for what is only proposed.

    Raises PathError not_found (also where a pending change takes it away).
    """
    stands = located.stands
    if stands.gone is not None:
        raise PathError(
            Code.NOT_FOUND,
            f"There is no {located.place.shown} after the pending change {stands.gone.id}.",
            hint=f"{stands.gone.operation.summary}. Use its new path, or withdraw that operation.",
        )
    if stands.created is not None:
        return None
    return await context.workspace.stat(disk_place(context, located))


def disk_place(context: ToolContext, located: Located) -> Place:
    """Where the content lies on the disk now: another path than the one asked for after a pending move."""
    if located.stands.spot == located.spot:
        return located.place
    spot = located.stands.spot
    base = next(base for base in context.workspace.knowledge_bases if base.root == spot.root)
    return Place(base, spot.relative, spot.relative)


def effect_of(*spots: Spot | None, inside: tuple[str, ...] = ()) -> Effect:
    """PROPOSE, or LASTING where a protected name is touched: that asks on its own in every tier (R-PERM-9)."""
    touched = any(spot is not None and is_protected(spot.relative) for spot in spots)
    return Effect.LASTING if touched or inside else Effect.PROPOSE


def action_of(effect: Effect, kind: Kind, located: Located, facts: tuple[tuple[str, str], ...] = ()) -> Action:
    """The action of a change; a protected name's card says what would be changed."""
    warnings = ("This is a protected name: changing it can change how programs behave.",)
    return Action(
        effect,
        str(kind).replace("_", " "),
        located.place.shown,
        facts=(("file", located.place.shown), *facts) if effect is Effect.LASTING else (),
        warnings=warnings if effect is Effect.LASTING else (),
        place=located.place,
    )


async def folder_for(context: ToolContext, located: Located) -> tuple[str, ...]:
    """The operations that make the folder a new thing goes into, () where it is there already.

    Those that free its own name are among them. Raises ChangeError parent_missing, which says what to propose first
    (R-WRIT-1).
    """
    free = freed(located.spot, await context.changes.pending())
    return tuple(dict.fromkeys((*free, *await _folder_for(context, located))))


async def _folder_for(context: ToolContext, located: Located) -> tuple[str, ...]:
    relative = located.spot.relative.rpartition("/")[0]
    if not relative:
        return ()
    parent = Spot(root=located.spot.root, relative=relative)
    stands = await context.changes.stands(parent)
    if stands.created is not None and stands.created.operation.kind is Kind.CREATE_FOLDER:
        return stands.through
    shown = located.place.shown.rpartition("/")[0]
    if stands.gone is None and stands.created is None:
        base = next(base for base in context.workspace.knowledge_bases if base.root == stands.spot.root)
        try:
            info = await context.workspace.stat(Place(base, stands.spot.relative, shown))
        except PathError as error:
            if error.code is not Code.NOT_FOUND:
                raise
        else:
            if info.file_type == "folder":
                return stands.through
    raise ChangeError(
        Code.PARENT_MISSING,
        f"There is no folder {shown}.",
        hint=f'Propose it first: write with kind "folder" and targetPath "{shown}".',
        details={"folder": shown},
    )


async def require_free(context: ToolContext, located: Located) -> None:
    """Raises ChangeError target_exists where something lies there, on the disk or by a pending change (R-WRIT-2)."""
    stands = located.stands
    taken = stands.created is not None
    if not taken and stands.gone is None:
        try:
            await context.workspace.stat(disk_place(context, located))
            taken = True
        except PathError as error:
            if error.code is not Code.NOT_FOUND:
                raise
    if taken:
        raise ChangeError(
            Code.TARGET_EXISTS,
            f"There is something at {located.place.shown} already; nothing is ever overwritten.",
            hint="Choose another name, or edit what is there.",
        )
