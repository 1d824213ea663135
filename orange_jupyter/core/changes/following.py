"""What follows an applied batch for the operations that were not in it: new places, new fingerprints."""

from __future__ import annotations

from orange_jupyter.core.changes.means import Means
from orange_jupyter.core.changes.overlay import covers, moved
from orange_jupyter.core.changes.ports import Act, Applied, Step, StepResult
from orange_jupyter.core.changes.values import Kind, OpState, Proposal
from orange_jupyter.core.errors import ToolError


async def follow(means: Means, now: dict[str, Proposal], done: Applied) -> dict[str, Proposal]:
    """The operations with their places after the moves that were done, and the state that pending moves and deletes
    expect, after our own changes beneath them."""
    pairs = [(step, result) for step, result in zip(done.steps, done.results, strict=True) if result.done]
    for step, _ in pairs:
        if step.act is Act.MOVE:
            now = {name: _gone_along(one, step) for name, one in now.items()}
    followed = {}
    for name, one in now.items():
        followed[name] = await _expecting(means, one, pairs) if _waits(one) else one
    return followed


def _gone_along(proposal: Proposal, step: Step) -> Proposal:
    target = step.target
    if proposal.id in step.operations or target is None or not covers(step.spot, proposal.spot):
        return proposal
    if proposal.operation.kind in (Kind.CREATE_FILE, Kind.CREATE_FOLDER) and proposal.state.open:
        return proposal
    return proposal.model_copy(update={"spot": moved(proposal.spot, step.spot, target)})


def _waits(proposal: Proposal) -> bool:
    kind = proposal.operation.kind
    return proposal.state is OpState.PENDING and (kind.moves or kind is Kind.DELETE)


async def _expecting(means: Means, proposal: Proposal, pairs: list[tuple[Step, StepResult]]) -> Proposal:
    touched = [(step, result) for step, result in pairs if covers(proposal.spot, step.target or step.spot)]
    if not touched:
        return proposal
    for step, result in reversed(touched):
        if step.spot == proposal.spot and step.act is Act.WRITE:
            return proposal.model_copy(update={"fingerprint": result.sha256})
    try:
        tree = await means.applier.tree(proposal.spot)
    except ToolError:
        return proposal
    return proposal.model_copy(update={"fingerprint": tree.digest})
