"""Chains of edits on one note, some applied, some rejected, some written by the person: against a simple model."""

from __future__ import annotations

import random

from orange_jupyter.core.changes.drafting import Asked
from orange_jupyter.core.changes.matching import Edit
from orange_jupyter.core.changes.values import HunkChoice, Kind, OpState, Proposal
from tests.tools.changing import Desk, desk, proposed

LINES = 9
NOTES = (("utf-8", b""), ("utf-8", b"\xef\xbb\xbf"), ("utf-16-le", b"\xff\xfe"), ("gb18030", b""))


class Model:
    """A note of numbered lines, and what each operation makes of its line: who was applied last on it stands."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.encoding, self.bom = chance.choice(NOTES)
        self.endings = [chance.choice(("\n", "\r\n")) for _ in range(LINES)]
        self.written: dict[str, dict[int, str]] = {}
        self.order: list[str] = []

    def value(self, line: int, *, among: set[str]) -> str:
        """What a line says when these operations count."""
        said = [self.written[one][line] for one in self.order if one in among and line in self.written[one]]
        return said[-1] if said else f"第{line}行 old"

    def data(self, *, among: set[str]) -> bytes:
        """The note's bytes."""
        lines = [self.value(line, among=among) + self.endings[line] for line in range(LINES)]
        return self.bom + "".join(lines).encode(self.encoding)

    def edits(self, number: int, *, among: set[str]) -> tuple[Asked, dict[int, str]]:
        """An edit of one or two lines as they stand with the pending operations done."""
        lines = (
            self.chance.sample(range(0, LINES, 4), 2) if self.chance.random() < 0.4 else [self.chance.randrange(LINES)]
        )
        new = {line: f"第{line}行 by {number}" for line in lines}
        edits = tuple(Edit(old_text=self.value(line, among=among), new_text=new[line]) for line in lines)
        return Asked(Kind.REPLACE if len(edits) == 1 else Kind.MULTI_REPLACE, edits), new


async def test_50_chains_are_what_the_person_took_and_undo_gives_back_every_byte(tmp_path):
    """R-EDIT-4, R-CHG-4, R-CHG-9, R-CHG-12, R10: random edits and decisions; 50 of 50 as the model, 50 of 50 undone."""
    chance = random.Random(20261130)
    (tmp_path / "kb").mkdir()
    right, back, taken = 0, 0, 0
    async with desk(tmp_path, encoding="gb18030") as kb:
        for number in range(50):
            name, model = f"c{number}.md", Model(chance)
            (kb.root / name).write_bytes(model.data(among=set()))
            applied = await _decided(kb, name, model)
            right += (kb.root / name).read_bytes() == model.data(among=applied)
            taken += len(applied)
            await _undone(kb, chance, applied)
            back += (kb.root / name).read_bytes() == model.data(among=set())
            assert not await kb.pending()
    assert (right, back) == (50, 50)
    assert taken > 100


async def _decided(kb: Desk, name: str, model: Model) -> set[str]:
    """Some edits and some decisions in turn until nothing is open; the operations that were applied."""
    applied: set[str] = set()
    for number in range(8):
        pending = {one.id for one in await kb.pending()}
        asked, new = model.edits(number, among=applied | pending)
        one = await proposed(kb, name, asked)
        model.written[one.id] = new
        model.order.append(one.id)
        if model.chance.random() < 0.4:
            applied |= await _decide(kb, model)
            assert (kb.root / name).read_bytes() == model.data(among=applied), number
    while await kb.pending():
        applied |= await _decide(kb, model)
    return applied


async def _decide(kb: Desk, model: Model) -> set[str]:
    """One act of the person: reject one, apply a few, or apply one with a hunk left out or written anew."""
    pending = await kb.pending()
    some = model.chance.sample(pending, model.chance.randrange(1, len(pending) + 1))
    act = model.chance.random()
    if act < 0.3:
        await kb.reject(some[0].id)
        return set()
    if act < 0.5:
        return await _apply_in_part(kb, model, some[0])
    decided = await kb.apply(*(one.id for one in some))
    return {one.proposal.id for one in decided if one.error is None}


async def _apply_in_part(kb: Desk, model: Model, one: Proposal) -> set[str]:
    lines = sorted(model.written[one.id])
    first, last = lines[0], lines[-1]
    hunks = [HunkChoice(number=1, text=f"第{first}行 by hand")]
    if first != last:
        hunks.append(HunkChoice(number=2, taken=False))
    decided = await kb.apply(one.id, hunks=tuple(hunks))
    if decided[0].error is not None:
        return set()
    model.written[one.id] = {first: f"第{first}行 by hand"}
    await _drop_what_lost_its_place(kb)
    return {one.id}


async def _drop_what_lost_its_place(kb: Desk) -> None:
    """What was written over the person's own words has no place any more: it is stale, and the person drops it."""
    for other in await kb.pending():
        if other.state is OpState.STALE:
            assert other.chain == ""
            await kb.reject(other.id)


async def _undone(kb: Desk, chance: random.Random, applied: set[str]) -> None:
    left = chance.sample(sorted(applied), len(applied))
    while left:
        still = []
        for name in left:
            done = (await kb.undo(name))[0]
            if done.error is not None:
                assert done.error.code in ("parent_missing", "stale_source"), done
                still.append(name)
        assert len(still) < len(left), left
        left = still
