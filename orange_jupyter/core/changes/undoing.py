"""Takes back what was applied, while its result still stands (R-CHG-9)."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Sequence

from orange_jupyter.core.changes.alone import alone
from orange_jupyter.core.changes.applying import Decided
from orange_jupyter.core.changes.deciding import bytes_of, text_of
from orange_jupyter.core.changes.following import follow, unchanged
from orange_jupyter.core.changes.means import Means
from orange_jupyter.core.changes.ports import Act, Applied, Step, StepResult
from orange_jupyter.core.changes.rights import require_applying
from orange_jupyter.core.changes.splices import Fate, Layer, Tied, settle
from orange_jupyter.core.changes.values import Kind, OpState, Proposal, Spot
from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import ChangeError, ToolError
from orange_jupyter.core.grant import Grant


async def undo(means: Means, grant: Grant, operation_ids: Sequence[str]) -> tuple[Decided, ...]:
    """Undo applied operations, the latest first; one result for each. What cannot be undone stays as it is.

    Raises RightsError where the rights do not allow it, RunError busy.
    """
    require_applying(grant)
    return await alone(means, lambda: _undo(means, operation_ids))


async def _undo(means: Means, operation_ids: Sequence[str]) -> tuple[Decided, ...]:
    found = {one.id: one for one in await means.store.find(operation_ids)}
    everything = await means.store.sets(list(dict.fromkeys(one.operation.change_set_id for one in found.values())))
    left = [one.id for one in reversed(everything) if one.id in found]
    results: dict[str, Decided] = {}
    while left:  # what was proposed last goes first; where it was applied first it waits for the next round
        for name in left:
            results[name] = await _tried(means, found[name])
        still = [name for name in left if results[name].error is not None]
        if len(still) == len(left):
            break
        left = still
    return tuple(results[name] for name in dict.fromkeys(operation_ids) if name in results)


async def _tried(means: Means, proposal: Proposal) -> Decided:
    try:
        return await _undo_one(means, proposal)
    except ToolError as error:
        return Decided(proposal, error)


async def _undo_one(means: Means, proposal: Proposal) -> Decided:
    proposal = (await means.store.find([proposal.id]))[0]
    if proposal.state is not OpState.APPLIED:
        raise ChangeError(Code.NOTHING_TO_DO, f"This change is {proposal.state}; there is nothing to undo.")
    siblings = await _applied_with(means, proposal)
    step = await _step(means, proposal, siblings)
    fresh = await unchanged(means, await means.store.sets([proposal.operation.change_set_id]), [step])
    done = await means.applier.apply([step])
    return await conclude_undo(means, done, proposal, fresh)


async def conclude_undo(
    means: Means, done: Applied, proposal: Proposal, fresh: frozenset[str] = frozenset()
) -> Decided:
    """Keep the outcome of an undo step; also of one that a killed process left."""
    siblings = await _applied_with(means, proposal)
    result = done.results[0]
    if not result.done:
        await means.applier.forget(done.batch_id)
        return Decided(proposal, ChangeError(result.code or Code.IO_ERROR, result.message), result.note)
    everything = await means.store.sets([proposal.operation.change_set_id])
    now = {one.id: one for one in everything}
    now.update({one.id: one for one in _after(means, proposal, siblings, result)})
    now = await follow(means, now, done, fresh)
    await means.store.update([now[one.id] for one in everything if now[one.id] != one])
    await means.applier.forget(done.batch_id)
    return Decided(now[proposal.id], None, result.note, result.warnings)


def _after(means: Means, proposal: Proposal, siblings: Sequence[Proposal], result: StepResult) -> list[Proposal]:
    changed = [proposal.moved_to(OpState.UNDONE, means.clock.now(), told=False)]
    for one in siblings:
        if one.id != proposal.id and one.state is OpState.APPLIED:
            operation = one.operation.model_copy(update={"applied_hash": f"sha256:{result.sha256}"})
            changed.append(one.model_copy(update={"operation": operation}))
    return changed


async def _applied_with(means: Means, proposal: Proposal) -> list[Proposal]:
    """The operations of one write, in their order, with those that are undone: the others were written over them."""
    if not proposal.operation.kind.text:
        return [proposal]
    everything = await means.store.sets([proposal.operation.change_set_id])
    return [one for one in everything if one.chain == proposal.chain]


async def _step(means: Means, proposal: Proposal, siblings: Sequence[Proposal]) -> Step:
    kind, names, applied = proposal.operation.kind, (proposal.id,), _applied(proposal)
    if kind.text:
        return Step(
            Act.WRITE, names, proposal.spot, data=await _text_without(means, proposal, siblings), expected=applied
        )
    if kind in (Kind.CREATE_FILE, Kind.CREATE_FOLDER):
        return Step(Act.TRASH, names, proposal.spot, expected=applied)
    if kind.moves and proposal.target is not None:
        expected = await _where_it_went(means, proposal, proposal.target)
        return Step(Act.MOVE, names, proposal.target, target=proposal.spot, expected=expected)
    return Step(Act.RESTORE, names, proposal.spot, kept=proposal.id)


def _applied(proposal: Proposal) -> str:
    return (proposal.operation.applied_hash or "").removeprefix("sha256:")


async def _where_it_went(means: Means, proposal: Proposal, target: Spot) -> str:
    """What must lie at a move's target to go back: the file as moved, or as our own changes left it; "" for any folder
    or link. Another file there is not ours to move."""
    if not proposal.fingerprint or await _is_folder(means, target):
        return ""
    everything = await means.store.sets([proposal.operation.change_set_id])
    ours = [one for one in everything if one.operation.kind.text and one.spot == target]
    known = {proposal.fingerprint, *map(_applied, ours), *(one.base.sha256 for one in ours if one.base)}
    if ours:
        now = hashlib.sha256((await means.look(target)).data).hexdigest()
        if now in known:
            return now
    return _applied(proposal)


async def _is_folder(means: Means, spot: Spot) -> bool:
    try:
        await means.applier.tree(spot)
    except ToolError:
        return False
    return True


async def _text_without(means: Means, proposal: Proposal, siblings: Sequence[Proposal]) -> bytes:
    base = proposal.base
    if base is None:
        raise ChangeError(Code.NOT_AVAILABLE, "The text before this change is not kept any more.")
    data = await means.store.kept(base.sha256)
    standing = {one.id for one in siblings if one.state is OpState.APPLIED} - {proposal.id}
    if not standing:
        return data
    layers = [Layer(one.splices, Fate.TAKEN if one.id in standing else Fate.DROPPED) for one in siblings]
    try:
        settled = await asyncio.to_thread(settle, text_of(base, data), layers)
    except Tied as tied:
        other = siblings[tied.number - 1]
        raise ChangeError(
            Code.PARENT_MISSING,
            f"{other.operation.summary} ({other.id}) builds on this change.",
            hint="Undo that one first.",
            details={"needs": other.id},
        ) from None
    return bytes_of(base, settled.text)
