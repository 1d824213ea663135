"""What still waits follows an undo: our own write makes nothing stale that does not build on it (R-EDIT-4, R-CHG-9)."""

from __future__ import annotations

from pathlib import Path

from tests.tools.changing import desk, operation

NOTE = "alpha\nbeta\ngamma\n"


async def test_an_independent_change_waits_on_over_an_undo(tmp_path: Path) -> None:
    """R-READ-14: the note can be read and edited, and what waits is applied byte for byte."""
    async with desk(tmp_path) as here:
        (here.root / "n.md").write_text(NOTE)
        first, other = await here.replace("n.md", "alpha", "A"), await here.replace("n.md", "gamma", "C")
        await here.applied(first)
        (undone,) = await here.undo(first)
        assert undone.error is None
        assert (await here("read", path="n.md"))["content"] == "alpha\nbeta\nC\n"
        more = await here.replace("n.md", "beta", "B")
        assert await here.states(other, more) == ["pending", "pending"]
        await here.applied(other, more)
        assert (here.root / "n.md").read_text() == "alpha\nB\nC\n"


async def test_chains_and_other_change_sets_follow_too(tmp_path: Path) -> None:
    """Proposed after the application, in a change set of their own, one on the other, with CRLF and a mark."""
    async with desk(tmp_path) as here:
        data = "\ufeffalpha\r\nbeta\r\ngamma\r\ndelta\r\n".encode()
        (here.root / "n.md").write_bytes(data)
        first, second = await here.replace("n.md", "alpha", "A1\nA2"), await here.replace("n.md", "delta", "D")
        await here.applied(first, second)
        below = await here.replace("n.md", "gamma", "C")
        above = await here.replace("n.md", "C", "CC")
        assert (await here.all())[below].operation.change_set_id != (await here.all())[first].operation.change_set_id
        for name in (first, second):
            (undone,) = await here.undo(name)
            assert undone.error is None
            assert (await here("read", path="n.md"))["pendingView"]
        assert (here.root / "n.md").read_bytes() == data
        await here.applied(below, above)
        assert (here.root / "n.md").read_bytes() == data.replace(b"gamma", b"CC")
        for name in (above, below):
            await here.undo(name)
        assert (here.root / "n.md").read_bytes() == data


async def test_what_builds_on_the_undone_is_stale_and_can_be_proposed_again(tmp_path: Path) -> None:
    """Nothing that waits is lost, and it hinders nobody."""
    async with desk(tmp_path) as here:
        (here.root / "n.md").write_text(NOTE)
        first = await here.replace("n.md", "alpha", "A one")
        await here.applied(first)
        built, free = await here.replace("n.md", "one", "two"), await here.replace("n.md", "gamma", "C")
        await here.undo(first)
        assert await here.states(built, free) == ["stale", "pending"]
        assert (await here("read", path="n.md"))["content"] == "alpha\nbeta\nC\n"
        await here.applied(free)
        assert (here.root / "n.md").read_text() == "alpha\nbeta\nC\n"


async def test_the_same_text_in_another_note_stays_as_it_is(tmp_path: Path) -> None:
    """Equal bytes are not the same note; a pending move does not hide which one it is."""
    async with desk(tmp_path) as here:
        for name in ("n.md", "m.md"):
            (here.root / name).write_text(NOTE)
        first, twin = await here.replace("n.md", "alpha", "A"), await here.replace("m.md", "alpha", "A")
        await here.applied(first, twin)
        move = operation(await here.edit("move", "n.md", destination="moved.md"))
        mine, theirs = await here.replace("moved.md", "gamma", "C"), await here.replace("m.md", "gamma", "C")
        (undone,) = await here.undo(first)
        assert undone.error is None
        await here.applied(move, mine, theirs)
        assert here.tree() == {"m.md": b"A\nbeta\nC\n", "moved.md": b"alpha\nbeta\nC\n"}
