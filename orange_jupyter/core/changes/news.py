"""What the person decided, in words for the model: told once, at its next step (R-CHG-12)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress

from orange_jupyter.core.changes.alone import alone
from orange_jupyter.core.changes.deciding import text_of
from orange_jupyter.core.changes.hiding import Hide
from orange_jupyter.core.changes.means import Means
from orange_jupyter.core.changes.pieces import Piece, Placed
from orange_jupyter.core.changes.splices import Layer, settle
from orange_jupyter.core.changes.values import HunkChoice, OpState, Proposal
from orange_jupyter.core.errors import ChangeError, RunError
from orange_jupyter.core.masking import Masked

_SHOWN = 2_000
_HEAD = "Decisions on your proposed changes (told by the notebook, not said by the person):"


async def news(means: Means, session_id: str) -> str:
    """What was decided since the model was last told, "" for nothing; it counts as told from now on."""
    if not await _untold(means, session_id):
        return ""
    try:
        untold = await alone(means, lambda: _taken(means, session_id))
    except RunError:  # somebody decides just now: told at the next step
        return ""
    return "\n".join([_HEAD, *[await _line(means, one) for one in untold]]) if untold else ""


async def known(means: Means, session_id: str, operation_id: str) -> None:
    """The model has this outcome as its call's own result; it is no news (while others decide: told twice)."""
    with suppress(RunError):
        await alone(means, lambda: _taken(means, session_id, operation_id))


async def _taken(means: Means, session_id: str, operation_id: str | None = None) -> list[Proposal]:
    untold = [one for one in await _untold(means, session_id) if operation_id in (None, one.id)]
    await means.store.update([one.model_copy(update={"told": True}) for one in untold])
    return untold


async def _untold(means: Means, session_id: str) -> list[Proposal]:
    return [one for one in await means.store.of_session(session_id) if not one.told]


async def _line(means: Means, proposal: Proposal) -> str:
    operation = proposal.operation
    about = f"- {operation.operation_id} ({operation.kind} {operation.path}): {operation.state}"
    return f"{about}.{await _hunks(means, proposal)}" if proposal.state is OpState.APPLIED else f"{about}."


async def _hunks(means: Means, proposal: Proposal) -> str:
    hunks: Sequence[HunkChoice] = proposal.choice.hunks if proposal.choice else ()
    left = [str(one.number) for one in hunks if not one.taken]
    edited = [one for one in hunks if one.taken and one.text is not None]
    said = f" The person left out hunk {', '.join(left)}." if left else ""
    shown = await _readable(means, proposal, edited) if edited else {}
    for one in edited:
        words = shown.get(one.number)
        said += f" The person wrote hunk {one.number} " + (
            "anew; read the file to see it." if words is None else f"as: {words[:_SHOWN]!r}."
        )
    return said


async def _readable(means: Means, proposal: Proposal, edited: Sequence[HunkChoice]) -> dict[int, str]:
    """What the person wrote, by hunk, as `read` of the whole note would show it; what is not there is left out."""
    everything = await means.store.sets([proposal.operation.change_set_id])
    siblings = [one for one in everything if one.chain == proposal.chain]
    if proposal.base is None:
        return {}
    try:
        text = text_of(proposal.base, await means.store.kept(proposal.base.sha256))
    except ChangeError:
        return {}
    hide = means.hide(proposal.operation.path, proposal.spot.relative)
    return await asyncio.to_thread(_masked, text, (siblings, proposal), edited, hide)


def _masked(
    text: str, what: tuple[Sequence[Proposal], Proposal], edited: Sequence[HunkChoice], hide: Hide
) -> dict[int, str]:
    siblings, proposal = what
    written = settle(text, [Layer(one.splices) for one in siblings])
    note, placed = Masked(written.text, tuple(hide(written.text))), Placed(written.pieces)
    layer = next(number for number, one in enumerate(siblings, 1) if one.id == proposal.id)
    own = list(enumerate(proposal.splices))
    shown: dict[int, str] = {}
    for one in sorted(edited, key=lambda hunk: hunk.number):
        found = next(((place, splice) for place, splice in own if _plain(splice.text) == _plain(one.text or "")), None)
        if found is None:
            continue
        place, splice = found
        own = [each for each in own if each[0] > place]
        spans = placed.left(Piece((layer, place), 0, len(splice.text)))
        if sum(end - start for start, end in spans) == len(splice.text):
            shown[one.number] = _plain("".join(note.masked_slice(*span) for span in spans))
    return shown


def _plain(words: str) -> str:
    return words.replace("\r\n", "\n").removesuffix("\n")
