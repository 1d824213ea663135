"""Text operations on a note: exact, on the text as it would be after what is pending (R-EDIT-1, -4, -6)."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from orange_jupyter.core.changes.drafting import Asked, Draft, TextView
from orange_jupyter.core.changes.matching import Edit
from orange_jupyter.core.changes.values import Kind, Proposal
from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import ChangeError
from orange_jupyter.core.paths import Place, file_type
from orange_jupyter.core.tool import Result, ToolContext
from orange_jupyter.tools.changing.answering import answered, refuse_masked, require_text, with_turn
from orange_jupyter.tools.changing.hiding import hider
from orange_jupyter.tools.changing.places import Located, info_of, locate


@dataclass(frozen=True, slots=True)
class TextChange:
    """What is asked of a note's text."""

    kind: Kind
    edits: tuple[Edit, ...] = ()
    content: str = ""


async def change_text(context: ToolContext, place: Place, change: TextChange) -> Result:
    """Propose it. Raises ChangeError (no_match, not_unique, unsupported_type, masked_text …), PathError, ReadError."""
    located = await locate(context, place)
    _require_note(place, located)
    info = await info_of(context, located)
    if info is not None and info.file_type == "folder":
        raise ChangeError(Code.UNSUPPORTED_TYPE, f"{place.shown} is a folder.", hint="Name a note in it.")
    async with context.changes.means.alone():
        proposal = await _proposed(context, located, change)
    return await answered(context, proposal)


async def _proposed(context: ToolContext, located: Located, change: TextChange) -> Proposal:
    place, view = located.place, await context.changes.view(located.spot)
    refuse_masked(tuple(text for edit in change.edits for text in (edit.old_text, edit.new_text)), view.text)
    refuse_masked((change.content,), view.text)
    require_text(change.content, *(edit.new_text for edit in change.edits))
    base = place.knowledge_base
    draft = Draft(
        kind=change.kind,
        knowledge_base_id=base.id if base else "",
        path=place.shown,
        spot=located.spot,
        summary="",
        warnings=_warnings(located, view, change),
    )
    marked = change.kind is Kind.REWRITE and view.base.bom  # the file has its mark; a second one would be text
    content = change.content.removeprefix("\ufeff") if marked else change.content
    on_disk = view.standing.spot.relative
    below = await asyncio.to_thread(view.hidden, hider(context, on_disk))
    hide = hider(context, place.relative, located.spot.relative)
    asked = Asked(change.kind, change.edits, content, hide, below, view.changed())
    return await context.changes.propose_text(with_turn(context, draft), view, asked)


def _require_note(place: Place, located: Located) -> None:
    for name in (place.relative, located.spot.relative):
        if file_type(name) not in ("markdown", "txt"):
            raise ChangeError(
                Code.UNSUPPORTED_TYPE,
                f"{place.shown} is not a note (.md, .markdown, .txt); its text is not edited.",
                hint="Only move, rename and delete work on other files.",
            )


def _warnings(located: Located, view: TextView, change: TextChange) -> tuple[str, ...]:
    found = [located.link] if located.link else []
    if change.kind is Kind.APPEND and view.text and not view.text.endswith("\n"):
        found.append("The file does not end with a newline: the text continues its last line.")
    if view.standing.created is None:
        if view.now.links > 1:
            found.append(f"The file has other hard links ({view.now.links - 1}): they keep the old text.")
        if view.now.read_only:
            found.append("The file is read-only. Applying this changes it all the same; it stays read-only.")
    return tuple(found)
