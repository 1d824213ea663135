"""Two kernels, two clicks, a cancelled task, a killed process: each change is done once, and the record says so."""

from __future__ import annotations

import asyncio
import json
import random
import subprocess
import sys
from pathlib import Path

import pytest

from orange_jupyter.core.changes.applying import apply
from orange_jupyter.core.changes.rejecting import reject
from orange_jupyter.core.changes.undoing import undo
from tests.tools.changing import Desk, desk, opened_desk, operation

ROOT = Path(__file__).parents[2]


async def test_two_kernels_that_decide_one_change_at_once_do_it_once(tmp_path):
    """C23, R-CHG-4, cases/edits 10: the same append applied by two at once; 20 of 20 stand once and count as applied."""
    async with desk(tmp_path) as kb:
        other = await opened_desk(tmp_path)
        for number in range(20):
            note = kb.root / f"n{number}.md"
            note.write_text("a\n")
            name = operation(await kb.edit("append", note.name, content="more\n"))
            choices = await kb.choices(name)
            both = await asyncio.gather(
                *(apply(one.app.means, one.opened.session.grant(), choices) for one in (kb, other))
            )
            codes = [str(one[0].error.code) if one[0].error else "" for one in both]
            assert sorted(codes) == ["", "nothing_to_do"]
            assert note.read_text() == "a\nmore\n"
            assert await kb.states(name) == ["applied"]
        await other.app.close()


async def test_applying_rejecting_and_undoing_at_once_leave_file_and_record_of_one_mind(tmp_path):
    """C23, R-CHG-9: whoever is first wins; the file holds the text exactly where the record says applied."""
    chance = random.Random(7)
    async with desk(tmp_path) as kb:
        other = await opened_desk(tmp_path)
        for number in range(20):
            note = kb.root / f"n{number}.md"
            note.write_text("a\n")
            name = operation(await kb.edit("append", note.name, content="more\n"))
            choices, grant = await kb.choices(name), kb.opened.session.grant()
            acts = [
                apply(kb.app.means, grant, choices),
                apply(other.app.means, grant, choices),
                reject(other.app.means, [name]),
                kb.changes.withdraw(name),
                undo(other.app.means, grant, [name]),
            ]
            chance.shuffle(acts)
            await asyncio.gather(*acts, return_exceptions=True)
            state = (await kb.states(name))[0]
            assert (state == "applied") == (note.read_text() == "a\nmore\n"), (number, state)
            assert state in ("applied", "rejected", "withdrawn", "undone")
        await other.app.close()


async def test_edits_that_are_proposed_at_once_build_on_each_other(tmp_path):
    """R-EDIT-4: ten edits of one note at the same moment are ten layers, each over the one before."""
    async with desk(tmp_path) as kb:
        (kb.root / "a.md").write_text("".join(f"line {n}\n" for n in range(10)))
        made = await asyncio.gather(
            *(kb.edit("replace", "a.md", oldText=f"line {n}\n", newText=f"LINE {n}!\n") for n in range(10))
        )
        assert len({operation(one) for one in made}) == 10
        await kb.applied()
        assert (kb.root / "a.md").read_text() == "".join(f"LINE {n}!\n" for n in range(10))


async def test_a_task_that_is_cancelled_while_it_applies_leaves_no_half(tmp_path):
    """R-CHG-7: Stop at any moment of Apply: where the disk has the text the record says applied; 30 of 30."""
    async with desk(tmp_path) as kb:
        outcomes = set()
        for number in range(30):
            note = kb.root / f"n{number}.md"
            note.write_text("a\n")
            name = operation(await kb.edit("append", note.name, content="more\n"))
            task = asyncio.ensure_future(kb.apply(name))
            await asyncio.sleep(number * 0.001)
            task.cancel()
            await asyncio.wait([task])
            state = (await kb.states(name))[0]
            assert (state, note.read_text()) in (("applied", "a\nmore\n"), ("pending", "a\n"))
            outcomes.add(state)
        assert outcomes == {"applied", "pending"}


async def _killed(tmp: Path, *script: tuple[str, str, list[str], bool]) -> list[list[str]]:
    """Processes that die one after another; how the operations of each stood after a start elsewhere."""
    words = [sys.executable, "-m", "tests.tools.cut_off", str(tmp), json.dumps(script)]
    ran = await asyncio.to_thread(
        subprocess.run, words, cwd=ROOT, check=False, timeout=100, capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stderr
    return [json.loads(line) for line in ran.stdout.splitlines()]


async def _all_kinds(kb: Desk) -> list[str]:
    for name in ("a.md", "b.md", "c.md", "d.md"):
        (kb.root / name).write_text(f"{name}\n")
    return [
        operation(await kb.edit("append", "a.md", content="more\n")),
        operation(await kb.edit("replace", "a.md", oldText="a.md", newText="A")),
        operation(await kb.write("neu")),
        operation(await kb.write("neu/n.md", "new\n")),
        operation(await kb.edit("move", "b.md", destination="neu/b.md")),
        operation(await kb.edit("rename", "c.md", destination="e.md")),
        operation(await kb.edit("delete", "d.md")),
    ]


@pytest.mark.parametrize("at", ["disk", "store"])
async def test_a_kernel_that_dies_after_the_disk_has_the_changes_loses_and_doubles_nothing(tmp_path, at):
    """R-CHG-7, R-CHG-10: killed before or after the store knows; the next one that decides finds all applied, once."""
    async with desk(tmp_path) as kb:
        ids = await _all_kinds(kb)
        before = kb.tree()
        await _killed(tmp_path, ("apply", at, ids, False))
        after = kb.tree()
        assert (kb.root / "a.md").read_text() == "A\nmore\n"
        assert {str(one.error.code) for one in await kb.apply(*ids) if one.error} <= {"nothing_to_do"}
        assert await kb.states(*ids) == ["applied"] * len(ids)
        assert kb.tree() == after
        undone = await kb.undo(*ids)
        assert [one.error for one in undone] == [None] * len(ids)
        assert kb.tree() == before


@pytest.mark.parametrize("at", ["disk", "store"])
async def test_one_change_cut_off_anywhere_is_applied_and_undone_once(tmp_path, at):
    """R-CHG-7, R-CHG-9: each kind alone, killed while applying and again while undoing; a start elsewhere knows all."""
    async with desk(tmp_path) as kb:
        ids = await _all_kinds(kb)
        before = kb.tree()
    script = [("apply", at, [name], True) for name in ids] + [("undo", at, [name], True) for name in reversed(ids)]
    assert await _killed(tmp_path, *script) == [["applied"]] * len(ids) + [["undone"]] * len(ids)
    async with desk(tmp_path) as kb:
        assert kb.tree() == before
