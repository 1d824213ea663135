"""Undo of moves while their result stands, and a conflict's way out inside its change set (R-CHG-4, R-CHG-9)."""

from __future__ import annotations

from pathlib import Path

import pytest

from orange_jupyter.core.changes.again import overwrite, propose_again
from orange_jupyter.core.changes.values import HunkChoice
from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import ChangeError
from tests.tools.changing import desk, operation


async def test_a_move_is_not_undone_with_another_file_that_lies_there_now(tmp_path: Path) -> None:
    """R-CHG-9: the person's own file keeps its name."""
    async with desk(tmp_path) as here:
        (here.root / "a.md").write_text("mine\n")
        name = operation(await here.edit("move", "a.md", destination="b.md"))
        await here.applied(name)
        (here.root / "b.md").unlink()
        (here.root / "b.md").write_text("another\n")
        (undone,) = await here.undo(name)
        assert undone.error is not None
        assert here.tree() == {"b.md": b"another\n"}


async def test_a_move_is_undone_whatever_our_own_changes_wrote_in_it(tmp_path: Path) -> None:
    async with desk(tmp_path) as here:
        (here.root / "a.md").write_text("one two three\n")
        before = await here.replace("a.md", "one", "ONE")
        name = operation(await here.edit("move", "a.md", destination="b.md"))
        after = await here.replace("b.md", "three", "THREE")
        await here.applied(before, name, after)
        assert here.tree() == {"b.md": b"ONE two THREE\n"}
        for one in (before, name, after):
            (undone,) = await here.undo(one)
            assert undone.error is None, one
        assert here.tree() == {"a.md": b"one two three\n"}


@pytest.mark.parametrize("way", [propose_again, overwrite])
async def test_a_way_out_stays_in_the_change_set(tmp_path: Path, way) -> None:
    """R-EDIT-4: what was applied with it stays beside it, with its undo."""
    async with desk(tmp_path) as here:
        (here.root / "a.md").write_text("one\n")
        (here.root / "b.md").write_text("two\n")
        stale, fine = await here.replace("a.md", "one", "ONE"), await here.replace("b.md", "two", "TWO")
        (here.root / "a.md").write_text("one\nmore\n")
        await here.apply(stale, fine)
        assert await here.states(stale, fine) == ["stale", "applied"]
        new = await way(here.changes, stale)
        sets = {one.operation.change_set_id for one in (await here.all()).values()}
        assert len(sets) == 1
        await here.applied(new.id)


async def test_a_person_s_text_with_a_nul_is_refused(tmp_path: Path) -> None:
    async with desk(tmp_path) as here:
        (here.root / "a.md").write_text("one\n")
        name = await here.replace("a.md", "one", "ONE")
        (decided,) = await here.apply(name, hunks=(HunkChoice(number=1, text="A\0B"),))
        assert isinstance(decided.error, ChangeError)
        assert decided.error.code is Code.INVALID_ARGUMENT
        assert here.tree() == {"a.md": b"one\n"}


async def test_search_knows_what_was_applied_and_undone_at_the_next_call(tmp_path: Path) -> None:
    """R-CHG-11: text, a new name and a deletion are in the index before the next tool call; what is pending is not."""
    async with desk(tmp_path) as here:
        (here.root / "a.md").write_text("The walrus sleeps.\n")
        (here.root / "b.md").write_text("The otter swims.\n")

        async def paths(word: str) -> list[str]:
            return [one["path"] for one in (await here("search", query=word))["citations"]]

        assert await paths("walrus") == ["a.md"]
        changed = await here.replace("a.md", "walrus", "narwhal")
        assert (await paths("narwhal"), await paths("walrus")) == ([], ["a.md"])
        moved = operation(await here.edit("move", "b.md", destination="c.md"))
        await here.applied(changed, moved)
        assert (await paths("narwhal"), await paths("walrus"), await paths("otter")) == (["a.md"], [], ["c.md"])
        await here.undo(changed, moved)
        assert (await paths("narwhal"), await paths("walrus"), await paths("otter")) == ([], ["a.md"], ["b.md"])
        await here.applied(operation(await here.edit("delete", "b.md")))
        assert await paths("otter") == []
