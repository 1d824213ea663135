"""What follows an applied batch for the operations that were not in it: new places, new fingerprints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from orange_jupyter.core.changes.means import Means
from orange_jupyter.core.changes.overlay import covers, drift, moved, standing, taken_along
from orange_jupyter.core.changes.ports import Act, Applied, Step
from orange_jupyter.core.changes.values import Kind, OpState, Proposal, Spot
from orange_jupyter.core.errors import ToolError
from orange_jupyter.core.paths import shown_name


@dataclass(frozen=True, slots=True)
class _Way:
    """Where a step took what lay at `source`; `shown` is how people see `target`."""

    source: Spot
    target: Spot
    shown: str

    def goes(self, spot: Spot, *, slot: bool) -> bool:
        """Whether a thing at `spot` went along; a `slot` is a name in a folder, and only goes with that folder."""
        return covers(self.source, spot) and not (slot and spot == self.source)

    def path(self, spot: Spot) -> str:
        """A place beneath `target` as people see it."""
        return f"{self.shown.rstrip('/')}{shown_name(spot.relative[len(self.target.relative) :])}"


async def unchanged(means: Means, everything: Sequence[Proposal], steps: Sequence[Step]) -> frozenset[str]:
    """The waiting moves and deletes of folders in which these steps change something and, until now, nobody else did.

    Only they may expect another tree afterwards: what somebody else put there a person has not seen (C19).
    """
    found = []
    for number, one in enumerate(everything):
        spot = on_disk(one, everything[:number])
        if _waits(one) and any(_within(spot, step) for step in steps):
            try:
                tree = await means.applier.tree(spot)
            except ToolError:
                continue
            if tree.digest == one.fingerprint:
                found.append(one.id)
    return frozenset(found)


async def follow(
    means: Means, now: dict[str, Proposal], done: Applied, fresh: frozenset[str] = frozenset()
) -> dict[str, Proposal]:
    """The operations with their places after the moves that were done, and the state that pending moves and deletes
    expect, after our own changes beneath them; `fresh` are those of `unchanged`."""
    steps = [(step, result.sha256) for step, result in zip(done.steps, done.results, strict=True) if result.done]
    for step, _ in steps:
        if step.act is Act.MOVE:
            now = _all_gone_along(now, step)
    written = _written(steps)
    everything = list(now.values())
    for number, one in enumerate(everything):
        if _waits(one):
            before = everything[:number]
            known = _expecting(one, (on_disk(one, before), written))
            now[one.id] = await _counted(means, known, before) if one.id in fresh else known
    return now


def renamed(proposal: Proposal, way: tuple[Spot, Spot], shown: str) -> Proposal:
    """An operation that builds on another one, after that one's name became another."""
    return _gone_along(proposal, _Way(*way, shown))


def on_disk(proposal: Proposal, before: Sequence[Proposal]) -> Spot:
    """Where the thing that a waiting operation acts on lies on the disk now: open moves before it are still to come."""
    return standing(proposal.spot, [one for one in before if one.state.open]).spot


def _written(steps: Sequence[tuple[Step, str]]) -> dict[Spot, tuple[str, str]]:
    """The files that were written, where they lie after all steps: what was in them, and what is (sha256)."""
    written: dict[Spot, tuple[str, str]] = {}
    for step, sha256 in steps:
        if step.act is Act.WRITE:
            written[step.spot] = step.expected, sha256
        elif step.act is Act.MOVE and step.target is not None:
            written = taken_along(written, step.spot, step.target)
    return written


def _all_gone_along(now: dict[str, Proposal], step: Step) -> dict[str, Proposal]:
    """What was proposed before a move goes along with it; what was proposed after it counted on it, and a spot that it
    freed is another thing's. A move that is taken back takes along all that lies there."""
    order, mover = list(now), now.get(step.operations[0])
    if mover is None or step.target is None:
        return now
    back = step.spot == mover.target
    before = set(order if back else order[: order.index(mover.id)]) - {mover.id}
    way = _Way(step.spot, step.target, mover.operation.path if back else mover.operation.destination or "")
    return {name: _gone_along(one, way) if name in before else one for name, one in now.items()}


def _gone_along(proposal: Proposal, way: _Way) -> Proposal:
    """The proposal with its places moved. What is applied lies at the target of a move; its other place is a name."""
    kind, applied = proposal.operation.kind, proposal.state is OpState.APPLIED
    if not (applied or proposal.state.open):
        return proposal
    creates = kind in (Kind.CREATE_FILE, Kind.CREATE_FOLDER)
    slot = not applied if creates else applied and not kind.text
    update: dict[str, object] = {}
    shown: dict[str, str] = {}
    if way.goes(proposal.spot, slot=slot):
        spot = update["spot"] = moved(proposal.spot, way.source, way.target)
        shown["path"] = way.path(spot)
    if proposal.target is not None and way.goes(proposal.target, slot=not applied):
        target = update["target"] = moved(proposal.target, way.source, way.target)
        shown["destination"] = way.path(target)
    if not update:
        return proposal
    if applied and not (creates or kind.text):
        shown = {}  # how it was called when it was done
    return proposal.model_copy(update={**update, "operation": proposal.operation.model_copy(update=shown)})


def _waits(proposal: Proposal) -> bool:
    kind = proposal.operation.kind
    return proposal.state is OpState.PENDING and (kind.moves or kind is Kind.DELETE)


def _within(folder: Spot, step: Step) -> bool:
    return covers(folder, step.spot) or (step.target is not None and covers(folder, step.target))


def _expecting(proposal: Proposal, what: tuple[Spot, dict[Spot, tuple[str, str]]]) -> Proposal:
    spot, written = what
    expected, sha256 = written.get(spot, ("", ""))
    if sha256 and proposal.fingerprint == expected:
        return proposal.model_copy(update={"fingerprint": sha256})
    return proposal


async def _counted(means: Means, proposal: Proposal, before: Sequence[Proposal]) -> Proposal:
    """A folder's move or deletion with what lies in it now, and what those that still wait bring and take."""
    waiting = [one for one in before if one.state.open]
    try:
        tree = await means.applier.tree(on_disk(proposal, before))
    except ToolError:
        return proposal
    coming, going = drift(proposal.spot, waiting)
    files = sum(one.operation.affected_files for one in coming) - sum(one.operation.affected_files for one in going)
    operation = proposal.operation.model_copy(update={"affected_files": max(tree.files + files, 0)})
    return proposal.model_copy(update={"fingerprint": tree.digest, "operation": operation})
