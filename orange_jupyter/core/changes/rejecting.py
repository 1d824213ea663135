"""Rejects what a person does not want, with what builds on it; always allowed, also in plan mode (R-PLAN-2)."""

from __future__ import annotations

from collections.abc import Sequence

from orange_jupyter.core.changes.alone import alone
from orange_jupyter.core.changes.applying import Decided
from orange_jupyter.core.changes.means import Means, without
from orange_jupyter.core.changes.values import OpState, Proposal
from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import ChangeError


async def reject(means: Means, operation_ids: Sequence[str]) -> tuple[Decided, ...]:
    """Reject open operations and those that depend on them; the others keep their places. One result for each id given,
    then one for each that went with it. Raises RunError busy, StoreError."""
    return await alone(means, lambda: _reject(means, operation_ids))


async def _reject(means: Means, operation_ids: Sequence[str]) -> tuple[Decided, ...]:
    found = await means.store.find(operation_ids)
    everything = await means.store.sets(list(dict.fromkeys(one.operation.change_set_id for one in found)))
    gone = with_dependents([one for one in found if one.state.open], everything)
    at = means.clock.now()
    rejected = {one.id: one.moved_to(OpState.REJECTED, at, told=False) for one in gone}
    waiting = [one for one in everything if one.state.open]
    await means.store.update([*rejected.values(), *await without(means, gone, waiting)])
    results = [Decided(rejected[one.id]) if one.id in rejected else Decided(one, _decided(one)) for one in found]
    given = set(operation_ids)
    return (*results, *(Decided(one) for name, one in rejected.items() if name not in given))


def with_dependents(chosen: Sequence[Proposal], everything: Sequence[Proposal]) -> list[Proposal]:
    """The chosen operations and all open ones that build on them, in order."""
    names = {one.id for one in chosen}
    for one in everything:  # in order: what an operation builds on was proposed before it
        if one.state.open and names & set(one.operation.depends_on):
            names.add(one.id)
    return [one for one in everything if one.id in names and one.state.open]


def _decided(proposal: Proposal) -> ChangeError:
    return ChangeError(Code.NOTHING_TO_DO, f"This change is {proposal.state} already.")
