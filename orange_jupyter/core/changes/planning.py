"""What a batch will do: checks that each choice is what its person saw, and lays the steps in order. Reads only."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

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
from orange_jupyter.core.changes.hiding import Hide, require_closed
from orange_jupyter.core.changes.means import Means
from orange_jupyter.core.changes.overlay import taken_along
from orange_jupyter.core.changes.ports import Act, Step
from orange_jupyter.core.changes.splices import Settled, settle, spliced
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
    for chain in dict.fromkeys(one.chain for one in everything if one.chain and one.id in wanted):
        members = [one for one in everything if one.chain == chain and one.state.open]
        plan.members[chain] = members
        try:
            plan.texts[chain] = await _settled(means, plan, members, wanted)
        except ToolError as error:
            plan.refused.update({one.id: error for one in members if one.id in wanted})


async def _settled(means: Means, plan: Plan, members: Sequence[Proposal], wanted: Mapping[str, Choice]) -> Settled:
    base = members[0].base
    if base is None or any(one.base != base for one in members):
        raise _nowhere()
    text = text_of(base, await means.store.kept(base.sha256))

    def work() -> tuple[Settled, tuple[int, ...]]:
        below = [text]
        for one in members[:-1]:
            below.append(spliced(below[-1], one.splices))
        layers, tied = tied_layers(text, layered(members, below, wanted))
        return settle(text, layers), tied

    settled, tied = await asyncio.to_thread(work)
    spot = members[-1].spot
    hide: Hide = lambda one: means.hide(spot, one)  # noqa: E731 (a name for what two texts are looked at with)
    await asyncio.to_thread(require_closed, text, settled.text, hide)
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
