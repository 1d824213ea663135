"""Random chains of proposals and decisions on a note with hidden values, beside a plain model of its text.

Every line of the note is its own word, so each operation is one line's; the model knows what each line must say.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from orange_jupyter.core.changes.again import propose_again
from orange_jupyter.core.changes.applying import apply
from orange_jupyter.core.changes.deciding import digest
from orange_jupyter.core.changes.values import Choice, HunkChoice, OpState, Proposal
from orange_jupyter.core.errors import ToolError
from tests.tools.changing import Desk, desk

CHAINS, STEPS = 7, 14
SECRETS = ("4711ab", "hunter22x", "q7Tq0vX3mW8rB5kL2nP9sD4z")
"""Each stands hidden behind its label, and is never in what a model or a person writes."""
LABELS = (
    (("密码", "编号"), ("：", "密钥：")),
    (("秘钥", "数目"), ("为 ", "密碼为 ")),
    (("口令", "号数"), ("= ", "令牌= ")),
)
"""What may stand before each of them, in two parts: the first of one, or the second of the other, hides it."""


@dataclass
class Cell:
    """A line or a part of one: what it said at first, and what applied operations made of it, in their order."""

    first: str
    options: tuple[str, ...] = ()
    end: str = ""
    made: dict[str, str] = field(default_factory=dict)

    def now(self, among: set[str]) -> str:
        """What it says while these operations stand."""
        said = [text for name, text in self.made.items() if name in among]
        return said[-1] if said else self.first


class Chain:
    """A note, its model and the person who decides."""

    def __init__(self, here: Desk, name: str, chance: random.Random) -> None:
        self.here, self.name, self.chance = here, name, chance
        self.ending = chance.choice(("\n", "\r\n"))
        self.cells: list[Cell] = []
        self.secrets = list(SECRETS)
        for number in range(5):
            self.cells.append(Cell(f"l{number}z", end=self.ending))
            if number < len(SECRETS):
                self.cells += [Cell(options[0], options) for options in LABELS[number]]
                self.cells.append(Cell(SECRETS[number], (SECRETS[number],), self.ending))
        self.path = here.root / name
        self.path.write_bytes(self.data(set()))
        self.count = 0
        self.whole = True
        self.history: list[bytes] = []
        self.vain = False

    def data(self, among: set[str]) -> bytes:
        """The note's bytes while these operations stand."""
        return "".join(cell.now(among) + cell.end for cell in self.cells).encode()

    async def states(self) -> dict[str, Proposal]:
        """This note's operations."""
        return {name: one for name, one in (await self.here.all()).items() if one.spot.relative == self.name}

    async def standing(self) -> set[str]:
        """Those that are applied."""
        return {name for name, one in (await self.states()).items() if one.state is OpState.APPLIED}

    async def check(self, what: str) -> None:
        """No byte lost or altered, nothing hidden in what a model reads, on the disk or pending."""
        assert self.path.read_bytes() == self.data(await self.standing()), what
        for view in ("pending", "disk"):
            seen = await self.here("read", path=self.name, view=view)
            assert seen["ok"], (what, seen)
            for secret in self.secrets:
                assert secret not in str(seen), (what, view)
            if view == "disk":
                assert seen["maskedValues"] == len(self.secrets), what

    async def propose(self) -> None:
        """A model edits a line, or a part of one: one without a secret, a label, or (in vain) a part of a value."""
        self.count += 1
        number = self.chance.randrange(len(self.cells))
        if self.chance.random() < 0.75:
            number = self.chance.choice([place for place, one in enumerate(self.cells) if len(one.options) > 1])
        cell = self.cells[number]
        pending = {name for name, one in (await self.states()).items() if one.state is OpState.PENDING}
        old = cell.now(await self.standing() | pending)
        new = self.chance.choice(cell.options) if cell.options else f"l{number}z{self.count}"
        if cell.options == (old,):
            answer = await self.here.edit("replace", self.name, oldText=old[:4], newText="x")
            assert not answer["ok"], "a part of a hidden value was found"
        elif old and old != new:
            answer = await self.here.edit("replace", self.name, oldText=old, newText=new)
            if answer["ok"]:
                cell.made[answer["operationId"]] = new

    async def decide(self) -> str:
        """One act of the person."""
        known = await self.states()
        self.history.append(self.path.read_bytes())
        waiting = [one for one in known.values() if one.state is OpState.PENDING]
        applied = [one for one in known.values() if one.state is OpState.APPLIED]
        act = self.chance.choice(("apply", "apply", "edit", "reject", "undo", "undo", "outside"))
        if act == "apply" and waiting:
            some = self.chance.sample(waiting, self.chance.choice((1, len(waiting), len(waiting))))
            await self.here.apply(*(one.id for one in some))
        elif act == "edit" and waiting:
            await self.edit(self.chance.choice(waiting))
        elif act == "reject" and waiting:
            await self.here.reject(self.chance.choice(waiting).id)
        elif act == "undo" and applied and not self.vain:
            some = self.chance.sample(applied, self.chance.choice((1, 1, 1, len(applied))))
            await self.here.undo(*(one.id for one in some))
        elif act == "outside" and waiting and self.chance.random() < 0.5:
            await self.outside(waiting)
        await self.again()
        now = self.path.read_bytes()
        if act in ("apply", "edit") and now != self.history[-1] and now in self.history:
            self.vain = (
                True  # the bytes are those of before: an earlier change's result stands again, and may be undone
            )
        return act

    async def outside(self, waiting: list[Proposal]) -> None:
        """An editor saves the note: what waits is in conflict, and what was applied is not undone any more."""
        standing = await self.standing()
        for cell in self.cells:
            cell.first = cell.now(standing)
            cell.made = {name: text for name, text in cell.made.items() if name not in standing}
        cell = self.cell_of(self.chance.choice(waiting))
        if cell.options:
            self.cells[-1].first = f"l{len(self.cells)}z外{self.count}"
        else:  # what was to be edited is a part of a value now
            self.secrets.append(f"abc{cell.first}9")
            cell.first = f"密鑰是{self.secrets[-1]}"
            cell.options = (cell.first,)
        self.whole = False
        self.path.write_bytes(self.data(set()))
        decided = await self.here.apply(*(one.id for one in waiting))
        assert all(one.error is not None for one in decided)
        left = [one.proposal.id for one in decided if one.proposal.state is OpState.PENDING]
        await self.here.reject(*left)  # refused for what it would open, before anybody looked at the disk

    async def edit(self, one: Proposal) -> None:
        """The person writes the line; a secret's line they leave alone."""
        cell = self.cell_of(one)
        if cell.options:
            return
        text = f"l{self.cells.index(cell)}z手{self.count}"
        choice = Choice(operation_id=one.id, digest=digest(one), hunks=(HunkChoice(number=1, text=text),))
        (decided,) = await apply(self.here.app.means, self.here.opened.session.grant(), [choice])
        if decided.error is None:
            cell.made[one.id] = text

    async def again(self) -> None:
        """What is stale is proposed again, or dropped."""
        for one in (await self.states()).values():
            if one.state is not OpState.STALE:
                continue
            cell, asked = self.cell_of(one), one.asked[0]
            pending = {name for name, each in (await self.states()).items() if each.state is OpState.PENDING}
            now = cell.now(await self.standing() | pending)
            try:
                new = await propose_again(self.here.changes, one.id)
            except ToolError:
                await self.here.reject(one.id)
            else:
                assert len(cell.options) != 1, "a part of a hidden value was replaced"
                cell.made[new.id] = now.replace(asked.old_text, asked.new_text)

    def cell_of(self, one: Proposal) -> Cell:
        """What an operation changes."""
        return next(cell for cell in self.cells if one.id in cell.made)

    async def end(self) -> None:
        """All that waits is rejected, all that is applied undone at once: every byte is back."""
        await self.here.reject(*(name for name, one in (await self.states()).items() if one.state.open))
        decided = await self.here.undo(*(() if self.vain else await self.standing()))
        await self.check("end")
        if self.whole and not self.vain:
            assert not await self.standing(), decided
            assert self.path.read_bytes() == self.data(set())


async def test_chains_with_hidden_values_lose_alter_and_open_nothing(tmp_path):
    """R-EDIT-4, R-EDIT-6, R-READ-14, R-READ-15, R-CHG-4, R-CHG-9: after each of the random steps and at the end."""
    chance = random.Random(2)  # in these chains undo and propose again must refuse something
    applied = undone = 0
    async with desk(tmp_path) as here:
        for number in range(CHAINS):
            chain = Chain(here, f"c{number}.md", chance)
            for step in range(STEPS):
                await chain.propose()
                what = await chain.decide() if chance.random() < 0.6 else "proposed"
                await chain.check(f"chain {number} step {step}: {what}")
            states = [one.state for one in (await chain.states()).values()]
            applied += states.count(OpState.APPLIED)
            undone += states.count(OpState.UNDONE)
            await chain.end()
    assert applied > CHAINS
    assert undone > 0
