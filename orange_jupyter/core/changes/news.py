"""What the person decided, in words for the model: told once, at its next step (R-CHG-12)."""

from __future__ import annotations

from collections.abc import Sequence

from orange_jupyter.core.changes.means import Means
from orange_jupyter.core.changes.values import HunkChoice, OpState, Proposal

_SHOWN = 2_000
_HEAD = "Decisions on your proposed changes (told by the notebook, not said by the person):"


async def news(means: Means, session_id: str) -> str:
    """What was decided since the model was last told, "" for nothing; it counts as told from now on."""
    untold = [one for one in await means.store.of_session(session_id) if not one.told]
    if not untold:
        return ""
    await means.store.update([one.model_copy(update={"told": True}) for one in untold])
    return "\n".join([_HEAD, *(_line(one) for one in untold)])


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
