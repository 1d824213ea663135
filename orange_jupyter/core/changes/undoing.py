"""Takes back what was applied, while its result still stands (R-CHG-9)."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from contextlib import suppress

from orange_jupyter.core.changes.alone import alone
from orange_jupyter.core.changes.applying import Decided
from orange_jupyter.core.changes.closing import require_name_closed
from orange_jupyter.core.changes.following import follow, unchanged
from orange_jupyter.core.changes.means import Means
from orange_jupyter.core.changes.ports import Act, Applied, Step, StepResult
from orange_jupyter.core.changes.reverting import moved_along, reverted, waiting_on
from orange_jupyter.core.changes.rights import require_applying
from orange_jupyter.core.changes.values import Kind, OpState, Proposal, Spot
from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import ChangeError, ToolError
from orange_jupyter.core.grant import Grant

_TOGETHER = (Code.PARENT_MISSING, Code.MASKED_TEXT)


async def undo(means: Means, grant: Grant, operation_ids: Sequence[str]) -> tuple[Decided, ...]:
    """Undo applied operations, the latest first; one result for each. What cannot be undone stays as it is.

    Raises RightsError where the rights do not allow it, RunError busy.
    """
    require_applying(grant)
    return await alone(means, lambda: _undo(means, operation_ids))


async def _undo(means: Means, operation_ids: Sequence[str]) -> tuple[Decided, ...]:
    found = {one.id: one for one in await means.store.find(operation_ids)}
    sessions = dict.fromkeys(one.session_id for one in found.values())
    everything = [one for name in sessions for one in await means.store.of_session(name)]
    left = [one.id for one in reversed(everything) if one.id in found]
    results: dict[str, Decided] = {}
    while left:  # what was proposed last goes first; where it was applied first it waits for the next round
        for name in left:
            results[name] = await _tried(means, found[name])
        still = [name for name in left if results[name].error is not None]
        if len(still) == len(left):
            results |= await _together(means, [results[name] for name in still])
            still = [name for name in left if results[name].error is not None]
        if len(still) == len(left):
            break
        left = still
    return tuple(results[name] for name in dict.fromkeys(operation_ids) if name in results)


async def _tried(means: Means, proposal: Proposal) -> Decided:
    try:
        return (await _undo_some(means, [proposal.id]))[0]
    except ToolError as error:
        return Decided(proposal, error)


async def _together(means: Means, failed: Sequence[Decided]) -> dict[str, Decided]:
    """Changes of one note that only go all at once: each alone would open a value, or the others build on it."""
    chains: dict[str, list[str]] = {}
    for one in failed:
        if one.error is not None and one.error.code in _TOGETHER and one.proposal.operation.kind.text:
            chains.setdefault(one.proposal.chain, []).append(one.proposal.id)
    done: dict[str, Decided] = {}
    for names in chains.values():
        if len(names) > 1:
            with suppress(ToolError):
                done |= {one.proposal.id: one for one in await _undo_some(means, names)}
    return done


async def _undo_some(means: Means, operation_ids: Sequence[str]) -> tuple[Decided, ...]:
    """Undo one operation, or several that one write of a note made."""
    some = await means.store.find(operation_ids)
    for one in some:
        if one.state is not OpState.APPLIED:
            raise ChangeError(Code.NOTHING_TO_DO, f"This change is {one.state}; there is nothing to undo.")
    step = await (_write(means, some) if some[0].operation.kind.text else _step(means, some[0]))
    fresh = await unchanged(means, await means.store.of_session(some[0].session_id), [step])
    done = await means.applier.apply([step])
    return await conclude_undo(means, done, some, fresh)


async def conclude_undo(
    means: Means, done: Applied, some: Sequence[Proposal], fresh: frozenset[str] = frozenset()
) -> tuple[Decided, ...]:
    """Keep the outcome of an undo step; also of one that a killed process left."""
    result = done.results[0]
    if not result.done:
        await means.applier.forget(done.batch_id)
        return tuple(Decided(one, _not_undone(one, result), result.note) for one in some)
    everything = await means.store.of_session(some[0].session_id)  # what waits may be in another change set by now
    now = {one.id: one for one in everything}
    names = {one.id for one in some}
    for one in await _applied_with(means, some[0]):
        if one.id in names:
            now[one.id] = one.moved_to(OpState.UNDONE, means.clock.now(), told=False)
        elif one.state is OpState.APPLIED:
            operation = one.operation.model_copy(update={"applied_hash": f"sha256:{result.sha256}"})
            now[one.id] = one.model_copy(update={"operation": operation})
    now |= {one.id: one for one in await _waiting(means, some, result)}
    now = await follow(means, now, done, fresh)
    before = {one.id: one for one in everything}
    await means.store.update([one for one in now.values() if one != before[one.id]])
    await means.applier.forget(done.batch_id)
    return tuple(Decided(now[one.id], None, result.note, result.warnings) for one in some)


async def _waiting(means: Means, some: Sequence[Proposal], result: StepResult) -> list[Proposal]:
    """What waits on the note's text, over the text that came back, whose bytes are kept for it."""
    waiting = await waiting_on(means, some[0])
    if not waiting:
        return []
    try:
        change = await reverted(means, some, await _applied_with(means, some[0]))
    except ToolError:  # what came back is not kept any more: nothing can be moved along
        return []
    await means.store.keep(change.data)
    return [one for chain in waiting for one in await moved_along(chain, change, result.sha256)]


def _not_undone(proposal: Proposal, result: StepResult) -> ChangeError:
    code = result.code or Code.IO_ERROR
    if code is not Code.STALE_SOURCE:
        return ChangeError(code, result.message)
    where = proposal.operation.destination or proposal.operation.path
    return ChangeError(code, f"{where} is not as this change left it, so it is not undone.")


async def _applied_with(means: Means, proposal: Proposal) -> list[Proposal]:
    """The operations of one write, in their order, with those that are undone: the others were written over them."""
    if not proposal.operation.kind.text:
        return [proposal]
    everything = await means.store.sets([proposal.operation.change_set_id])
    return [one for one in everything if one.chain == proposal.chain]


async def _write(means: Means, some: Sequence[Proposal]) -> Step:
    change = await reverted(means, some, await _applied_with(means, some[0]))
    names = tuple(one.id for one in some)
    return Step(Act.WRITE, names, some[0].spot, data=change.data, expected=_applied(some[0]))


async def _step(means: Means, proposal: Proposal) -> Step:
    kind, names = proposal.operation.kind, (proposal.id,)
    if kind in (Kind.CREATE_FILE, Kind.CREATE_FOLDER):
        return Step(Act.TRASH, names, proposal.spot, expected=_applied(proposal))
    if kind.moves and proposal.target is not None:
        expected = await _where_it_went(means, proposal, proposal.target)
        await require_name_closed(means, (proposal.target, proposal.spot), known=proposal.fingerprint)
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
