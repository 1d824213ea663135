"""At start: what a killed process left half done is finished or taken back, and the store told (R-CHG-7)."""

from __future__ import annotations

from orange_jupyter.core.changes.applying import Decided, conclude
from orange_jupyter.core.changes.means import Means
from orange_jupyter.core.changes.ports import Act, Applied
from orange_jupyter.core.changes.undoing import conclude_undo
from orange_jupyter.core.changes.values import Kind, OpState, Proposal


async def recover(means: Means) -> tuple[Decided, ...]:
    """Every operation that was found half done, as it is now. Raises StoreError."""
    decided: list[Decided] = []
    for done in await means.applier.recover():
        decided += await _concluded(means, done)
    return tuple(decided)


async def _concluded(means: Means, done: Applied) -> tuple[Decided, ...]:
    found = await means.store.find([name for step in done.steps for name in step.operations])
    if len(done.steps) == 1 and found and all(_was_undone(one, done) for one in found):
        return await conclude_undo(means, done, found)
    return await conclude(means, done)


def _was_undone(proposal: Proposal, done: Applied) -> bool:
    """Whether a batch took an operation back; else it applied it, and the store may know that already."""
    step, kind = done.steps[0], proposal.operation.kind
    if proposal.state is not OpState.APPLIED or step.act is Act.RESTORE:
        return proposal.state is OpState.APPLIED
    if kind.moves:
        return step.spot == proposal.target
    if kind.text:
        return f"sha256:{done.results[0].sha256}" != proposal.operation.applied_hash
    return kind is not Kind.DELETE and step.act is Act.TRASH
