"""What a batch will do: checks that each choice is what its person saw, and lays the steps in order. Reads only."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from orange_jupyter.core.changes.closing import require_name_closed, require_text_closed
from orange_jupyter.core.changes.deciding import (
    bytes_of,
    digest,
    layered,
    needed_steps,
    step_of,
    text_of,
    tied_layers,
    tied_to,
)
from orange_jupyter.core.changes.following import on_disk
from orange_jupyter.core.changes.hiding import Sourced
from orange_jupyter.core.changes.means import Means
from orange_jupyter.core.changes.overlay import landing, taken_along
from orange_jupyter.core.changes.ports import Act, Step
from orange_jupyter.core.changes.splices import Fate, Settled, settle, spliced
from orange_jupyter.core.changes.values import Choice, Proposal, Spot
from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import ChangeError, ToolError


@dataclass(slots=True)
class Plan:
    """What a batch will do; `texts` are settled files by chain, `data` their bytes, `members` their open operations.

    `fresh` are the waiting operations that may follow what it changes in their folders (`following.unchanged`).
    """

    steps: list[Step] = field(default_factory=list)
    refused: dict[str, ToolError] = field(default_factory=dict)
    texts: dict[str, Settled] = field(default_factory=dict)
    data: dict[str, bytes] = field(default_factory=dict)
    members: dict[str, list[Proposal]] = field(default_factory=dict)
    fresh: frozenset[str] = frozenset()


async def planned(means: Means, wanted: Mapping[str, Choice], everything: Sequence[Proposal]) -> Plan:
    """The steps for what can be done of what is wanted, and why the rest cannot. Raises StoreError."""
    plan = Plan()
    for one in everything:
        if one.id in wanted and (error := _not_as_seen(one, wanted[one.id])):
            plan.refused[one.id] = error
        elif one.id in wanted and one.operation.kind.text and not one.chain:
            plan.refused[one.id] = _nowhere()
    chosen = [one.id for one in everything if one.id in wanted and one.id not in plan.refused]
    plan.refused.update(tied_to(chosen, everything))
    chosen = [name for name in chosen if name not in plan.refused]
    await _settle_texts(means, plan, ({name: wanted[name] for name in chosen}, everything))
    chosen = [name for name in chosen if name not in plan.refused]
    _encode(plan, [one for one in everything if one.id in chosen])
    chosen = [name for name in chosen if name not in plan.refused]
    plan.refused.update(tied_to(chosen, everything))
    await _lay_steps(means, plan, [one for one in everything if one.id in chosen and one.id not in plan.refused])
    return plan


def _not_as_seen(proposal: Proposal, choice: Choice) -> ToolError | None:
    if not proposal.state.open:
        return ChangeError(Code.NOTHING_TO_DO, f"This change is {proposal.state} already.")
    if digest(proposal) != choice.digest:
        return ChangeError(
            Code.APPROVAL_MISMATCH,
            "What was shown is not what would be applied now (something changed). Nothing was done.",
            hint="Look at the change again.",
        )
    return None


async def _settle_texts(means: Means, plan: Plan, what: tuple[Mapping[str, Choice], Sequence[Proposal]]) -> None:
    wanted, everything = what
    chosen = [one for one in everything if one.id in wanted]
    for chain in dict.fromkeys(one.chain for one in chosen if one.chain):
        members = [one for one in everything if one.chain == chain and one.state.open]
        plan.members[chain] = members
        now = _lies(members[0], everything)
        try:
            plan.texts[chain] = await _settled(means, plan, members, (wanted, (now, landing(now, chosen))))
        except ToolError as error:
            plan.refused.update({one.id: error for one in members if one.id in wanted})


def _lies(one: Proposal, everything: Sequence[Proposal]) -> Spot:
    place = next(number for number, each in enumerate(everything) if each.id == one.id)
    return on_disk(one, everything[:place])


async def opened_by_moves(means: Means, plan: Plan, everything: Sequence[Proposal]) -> dict[str, ToolError]:
    """The moves of a plan after which a value would stand open under its note's new name; for notes that are written
    the plan has looked at that already."""
    written = {_lies(plan.members[chain][0], everything) for chain in plan.data}
    names = {name for step in plan.steps for name in step.operations}
    chosen = [one for one in everything if one.id in names]
    refused: dict[str, ToolError] = {}
    for one in chosen:
        now = _lies(one, everything)
        if one.operation.kind.moves and now not in written:
            try:
                await require_name_closed(means, (now, landing(now, chosen)))
            except ChangeError as error:
                refused[one.id] = error
    return refused


async def _settled(
    means: Means, plan: Plan, members: Sequence[Proposal], how: tuple[Mapping[str, Choice], tuple[Spot, Spot]]
) -> Settled:
    wanted, way = how
    base = members[0].base
    if base is None or any(one.base != base for one in members):
        raise _nowhere()
    text = text_of(base, await means.store.kept(base.sha256))

    def work() -> tuple[Settled, tuple[int, ...], list[str]]:
        below = [text]
        for one in members[:-1]:
            below.append(spliced(below[-1], one.splices))
        found = layered(members, below, wanted)
        empty = [
            one.id for one, layer in zip(members, found, strict=True) if layer.fate is Fate.WAITING and one.id in wanted
        ]
        layers, tied = tied_layers(text, found)
        return settle(text, layers), tied, empty

    settled, tied, empty = await asyncio.to_thread(work)
    await require_text_closed(means, way, (text, Sourced(settled.text, settled.pieces)))
    plan.refused.update({name: _nothing_taken() for name in empty})
    for number in tied:
        plan.refused[members[number - 1].id] = ChangeError(
            Code.STALE_SOURCE, "This builds on text of another change that you left out or edited.",
            hint="Propose it again on the new text, or drop it.",
        )  # fmt: skip
    return settled


def _encode(plan: Plan, chosen: Sequence[Proposal]) -> None:
    """The bytes of every file that is written. A text that a file's encoding lacks refuses what is chosen of it."""
    for chain, members in plan.members.items():
        mine, base = [one for one in chosen if one.chain == chain], members[0].base
        if mine and base is not None:
            try:
                plan.data[chain] = bytes_of(base, plan.texts[chain].text)
            except ChangeError as error:
                plan.refused.update({one.id: error for one in mine})


def _nothing_taken() -> ChangeError:
    return ChangeError(
        Code.NOTHING_TO_DO,
        "Every part of this change is left out, or says what the file says already: nothing would be written.",
        hint="Reject it, or take a part of it.",
    )


def _nowhere() -> ChangeError:
    hint = "Propose it again on the new text, or drop it."
    return ChangeError(Code.STALE_SOURCE, "This builds on text that is not there.", hint=hint)


async def _lay_steps(means: Means, plan: Plan, chosen: Sequence[Proposal]) -> None:
    written: dict[Spot, str] = {}
    last = {one.chain: one.id for one in chosen if one.chain}
    for one in chosen:
        if not one.operation.kind.text:
            plan.steps.append(step_of(one, written, plan.steps))
            if one.operation.kind.moves and one.target is not None:
                written = taken_along(written, one.spot, one.target)
        elif last[one.chain] == one.id and one.base is not None:
            data = plan.data[one.chain]
            names = tuple(other.id for other in chosen if other.chain == one.chain)
            after = {number for other in chosen if other.id in names for number in needed_steps(other, plan.steps)}
            step = Step(Act.WRITE, names, one.spot, data=data, expected=one.base.sha256, after=tuple(sorted(after)))
            plan.steps.append(step)
            written[one.spot] = await means.store.keep(data)
