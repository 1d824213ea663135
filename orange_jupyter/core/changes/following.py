"""What follows an applied batch for the operations that were not in it: new places, new fingerprints."""

from __future__ import annotations

from orange_jupyter.core.changes.means import Means
from orange_jupyter.core.changes.overlay import covers, moved
from orange_jupyter.core.changes.ports import Act, Applied, Step, StepResult
from orange_jupyter.core.changes.values import Kind, OpState, Proposal, Spot
from orange_jupyter.core.errors import ToolError
from orange_jupyter.core.paths import shown_name


async def follow(means: Means, now: dict[str, Proposal], done: Applied) -> dict[str, Proposal]:
    """The operations with their places after the moves that were done, and the state that pending moves and deletes
    expect, after our own changes beneath them."""
    pairs = [(step, result) for step, result in zip(done.steps, done.results, strict=True) if result.done]
    for step, _ in pairs:
        if step.act is Act.MOVE:
            now = _all_gone_along(now, step)
    followed = {}
    for name, one in now.items():
        followed[name] = await _expecting(means, one, pairs) if _waits(one) else one
    return followed


def _all_gone_along(now: dict[str, Proposal], step: Step) -> dict[str, Proposal]:
    """What was proposed before a move goes along with it; what was proposed after it counted on it, and a spot that it
    freed is another thing's. A move that is taken back takes along all that lies there."""
    order, mover = list(now), now.get(step.operations[0])
    if mover is None or step.target is None:
        return now
    back = step.spot == mover.target
    before = set(order if back else order[: order.index(mover.id)])
    shown = mover.operation.path if back else mover.operation.destination or ""
    return {
        name: _gone_along(one, (step.spot, step.target, shown)) if name in before and name != mover.id else one
        for name, one in now.items()
    }


def _gone_along(proposal: Proposal, way: tuple[Spot, Spot, str]) -> Proposal:
    source, target, shown = way
    changes: dict[str, object] = {}
    path = proposal.operation.path
    if covers(source, proposal.spot):
        spot = changes["spot"] = moved(proposal.spot, source, target)
        path = _shown(shown, spot.relative[len(target.relative) :])
    destination = proposal.operation.destination
    if proposal.target is not None and proposal.state.open and _lies_in(source, proposal.target):
        changes["target"] = aim = moved(proposal.target, source, target)
        destination = _shown(shown, aim.relative[len(target.relative) :])
    if not changes:
        return proposal
    operation = proposal.operation.model_copy(update={"path": path, "destination": destination})
    return proposal.model_copy(update={**changes, "operation": operation})


def _lies_in(folder: Spot, spot: Spot) -> bool:
    return folder != spot and covers(folder, spot)


def _shown(folder: str, rest: str) -> str:
    return f"{folder.rstrip('/')}{shown_name(rest)}"


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
