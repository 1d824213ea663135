"""What the person decided, in words for the model: told once, at its next step (R-CHG-12)."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from orange_jupyter.core.changes.alone import alone
from orange_jupyter.core.changes.means import Means
from orange_jupyter.core.changes.values import HunkChoice, OpState, Proposal
from orange_jupyter.core.errors import RunError

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
    return "\n".join([_HEAD, *(_line(one) for one in untold)]) if untold else ""


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


def _line(proposal: Proposal) -> str:
    operation = proposal.operation
    about = f"- {operation.operation_id} ({operation.kind} {operation.path}): {operation.state}"
    return f"{about}.{_hunks(proposal)}" if proposal.state is OpState.APPLIED else f"{about}."


def _hunks(proposal: Proposal) -> str:
    hunks: Sequence[HunkChoice] = proposal.choice.hunks if proposal.choice else ()
    left = [str(one.number) for one in hunks if not one.taken]
    edited = [one for one in hunks if one.taken and one.text is not None]
    said = f" The person left out hunk {', '.join(left)}." if left else ""
    return said + "".join(f" The person wrote hunk {one.number} as: {(one.text or '')[:_SHOWN]!r}." for one in edited)
