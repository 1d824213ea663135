"""Applies what a person accepted: checks that it is what they saw, and follows up what still waits (R-CHG-4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from orange_jupyter.core.changes.alone import alone
from orange_jupyter.core.changes.following import follow, unchanged
from orange_jupyter.core.changes.means import Means, rebased
from orange_jupyter.core.changes.planning import Plan, opened_by_moves, planned
from orange_jupyter.core.changes.ports import Act, Applied, Step, StepResult
from orange_jupyter.core.changes.rights import require_applying
from orange_jupyter.core.changes.values import Choice, OpState, Proposal, TextBase
from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import ChangeError, ToolError
from orange_jupyter.core.grant import Grant

_STALE = (Code.STALE_SOURCE, Code.TARGET_EXISTS)


@dataclass(frozen=True, slots=True)
class Decided:
    """One operation after a decision; `error` where it was not done as asked, `note` and `warnings` for the person."""

    proposal: Proposal
    error: ToolError | None = None
    note: str = ""
    warnings: tuple[str, ...] = ()


async def apply(means: Means, grant: Grant, choices: Sequence[Choice]) -> tuple[Decided, ...]:
    """Apply chosen operations of any session, in the order in which they were proposed; one result for each choice.

    What cannot be applied stays open with its error. Raises RightsError, RunError busy; ChangeError only where nothing
    was begun.
    """
    require_applying(grant)
    return await alone(means, lambda: _apply(means, choices))


async def _apply(means: Means, choices: Sequence[Choice]) -> tuple[Decided, ...]:
    wanted = {choice.operation_id: choice for choice in choices}
    found = await means.store.find(list(wanted))
    everything = await means.store.sets(list(dict.fromkeys(one.operation.change_set_id for one in found)))
    plan = await planned(means, wanted, everything)
    if opened := await opened_by_moves(means, plan, everything):
        plan = await planned(means, {name: one for name, one in wanted.items() if name not in opened}, everything)
        plan.refused |= opened
    if not plan.steps:
        return await _concluded(means, plan, Applied("", (), ()), (wanted, everything))
    chosen = {name for step in plan.steps for name in step.operations}
    everything = tuple(
        one.model_copy(update={"choice": wanted[one.id]}) if one.id in chosen else one for one in everything
    )
    await means.store.update([one for one in everything if one.id in chosen])  # what a cut-off batch is finished by
    plan.fresh = await unchanged(means, everything, plan.steps)
    done = await means.applier.apply(plan.steps)
    return await _concluded(means, plan, done, (wanted, everything))


async def conclude(means: Means, done: Applied) -> tuple[Decided, ...]:
    """Bring the store up to a batch that a killed process left and recovery finished or took back."""
    names = [name for step in done.steps for name in step.operations]
    found = await means.store.find(names)
    everything = await means.store.sets(list(dict.fromkeys(one.operation.change_set_id for one in found)))
    wanted = {one.id: one.choice for one in found if one.choice is not None and one.state.open}
    plan = await planned(means, wanted, everything)
    known = {name for step in plan.steps for name in step.operations}
    pairs = [(step, result) for step, result in zip(done.steps, done.results, strict=True)
             if known.issuperset(step.operations)]  # fmt: skip
    done = Applied(done.batch_id, tuple(step for step, _ in pairs), tuple(result for _, result in pairs))
    return await _concluded(means, plan, done, (wanted, everything))


async def _concluded(
    means: Means, plan: Plan, done: Applied, what: tuple[Mapping[str, Choice], Sequence[Proposal]]
) -> tuple[Decided, ...]:
    changed, decided = await _followed(means, plan, done, what)
    await means.store.update(changed)
    if done.batch_id:
        await means.applier.forget(done.batch_id)
    return tuple(decided[name] for name in what[0] if name in decided)


async def _followed(
    means: Means,
    plan: Plan,
    done: Applied,
    what: tuple[Mapping[str, Choice], Sequence[Proposal]],
) -> tuple[list[Proposal], dict[str, Decided]]:
    """Every operation as it is now, and the outcome of each choice."""
    wanted, everything = what
    now = {one.id: one for one in everything}
    decided = {name: Decided(now[name], error) for name, error in plan.refused.items()}
    for step, result in zip(done.steps, done.results, strict=True):
        for name in step.operations:
            now[name] = _after(means, now[name], (step, result, plan), (wanted[name], done.batch_id))
            error = None if result.done else ChangeError(result.code or Code.IO_ERROR, result.message)
            decided[name] = Decided(now[name], error, result.note, result.warnings)
        if result.done and step.act is Act.WRITE:
            _rebase_waiting(plan, now, step, result)
    now = await follow(means, now, done, plan.fresh)
    decided = {name: Decided(now[name], one.error, one.note, one.warnings) for name, one in decided.items()}
    before = {one.id: one for one in everything}
    return [one for name, one in now.items() if one != before[name]], decided


def _after(means: Means, proposal: Proposal, ended: tuple[Step, StepResult, Plan], how: tuple[Choice, str]) -> Proposal:
    step, result, plan = ended
    choice, batch = how
    at = means.clock.now()
    if not result.done:
        state = OpState.STALE if result.code in _STALE else OpState.FAILED
        return proposal.moved_to(state, at, error=result.message, code=result.code)
    applied = f"sha256:{result.sha256}" if result.sha256 else None
    operation = proposal.operation.model_copy(update={"applied_hash": applied})
    proposal = proposal.model_copy(update={"operation": operation})
    changes: dict[str, object] = {"choice": choice, "told": False, "error": None, "code": None}
    if step.act is Act.WRITE:
        place = [one.id for one in plan.members[proposal.chain]].index(proposal.id)
        splices = plan.texts[proposal.chain].splices[place]
        changes |= {"taken": splices, "splices": splices, "chain": f"{proposal.chain}:{batch}"}
    return proposal.moved_to(OpState.APPLIED, at, **changes)


def _rebase_waiting(plan: Plan, now: dict[str, Proposal], step: Step, result: StepResult) -> None:
    chain = next(chain for chain, members in plan.members.items() if any(one.id in step.operations for one in members))
    members, settled = plan.members[chain], plan.texts[chain]
    old = members[0].base
    base = TextBase(sha256=result.sha256, encoding=old.encoding if old else "utf-8", bom=old.bom if old else "")
    waiting = tuple(() if one.id in step.operations else settled.splices[place] for place, one in enumerate(members))
    for one in rebased(members, waiting, settled.tied, base):
        now[one.id] = one
