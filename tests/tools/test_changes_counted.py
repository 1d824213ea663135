"""What a review says of a change before it is decided: how many files, how large, what is odd about them."""

from __future__ import annotations

import stat
from pathlib import Path

from orange_jupyter.core.changes.values import HunkChoice
from orange_jupyter.core.errors import ChangeError
from orange_jupyter.reviewing import review_of
from tests.tools.changing import Desk, desk, operation


async def _count(here: Desk, name: str) -> int:
    return (await here.all())[name].operation.affected_files


async def test_a_folder_s_deletion_counts_what_will_be_in_it(tmp_path: Path) -> None:
    """R-CHG-5: with both names, and the deletion is not applied without what was counted."""
    async with desk(tmp_path) as here:
        (here.root / "f").mkdir()
        (here.root / "f" / "x.md").write_text("x\n")
        (here.root / "c.md").write_text("cc\n")
        move = operation(await here.edit("move", "c.md", destination="f/"))
        answer = await here.edit("delete", "f")
        name = operation(answer)
        assert answer["affectedFiles"] == 2
        assert "x.md, c.md" in answer["warnings"][-1]
        assert (await here.all())[name].size == 5
        (alone,) = await here.apply(name)
        assert isinstance(alone.error, ChangeError)
        assert alone.error.code == "parent_missing"
        await here.applied(move)
        assert await _count(here, name) == 2
        await here.applied(name)
        assert here.tree() == {}


async def test_files_that_go_before_are_not_counted(tmp_path: Path) -> None:
    async with desk(tmp_path) as here:
        (here.root / "f").mkdir()
        for name in ("x.md", "y.md", "z.md"):
            (here.root / "f" / name).write_text(f"{name}\n")
        out = operation(await here.edit("move", "f/x.md", destination="x.md"))
        gone = operation(await here.edit("delete", "f/y.md"))
        new = operation(await here.write("f/n.md", "new\n"))
        answer = await here.edit("delete", "f")
        assert answer["affectedFiles"] == 2
        assert answer["warnings"][-1].endswith("2 files: z.md, n.md")
        await here.applied(out)
        assert await _count(here, operation(answer)) == 2
        await here.applied(gone, new, operation(answer))
        assert here.tree() == {"x.md": b"x.md\n"}


async def test_a_folder_that_moves_counts_what_comes_too(tmp_path: Path) -> None:
    """A file that was moved twice counts once; a folder that waits for its new name is no file of its own."""
    async with desk(tmp_path) as here:
        (here.root / "f").mkdir()
        (here.root / "f" / "x.md").write_text("x\n")
        (here.root / "c.md").write_text("c\n")
        await here.edit("rename", "c.md", destination="d.md")
        await here.edit("move", "d.md", destination="f/")
        assert (await here.edit("rename", "f", destination="g"))["affectedFiles"] == 2
        assert (await here.edit("delete", "g"))["affectedFiles"] == 2


async def test_a_read_only_file_is_changed_only_with_a_warning(tmp_path: Path) -> None:
    async with desk(tmp_path) as here:
        note = here.root / "n.md"
        note.write_text("alpha\n")
        note.chmod(0o444)
        answer = await here.edit("replace", "n.md", oldText="alpha", newText="beta")
        assert any("read-only" in one for one in answer["warnings"])
        await here.applied(operation(answer))
        assert (note.read_text(), stat.S_IMODE(note.stat().st_mode)) == ("beta\n", 0o444)


async def test_a_change_of_which_nothing_is_left_is_not_applied(tmp_path: Path) -> None:
    """R-CHG-12: it stays open; what was chosen with it on the same note is applied."""
    async with desk(tmp_path) as here:
        (here.root / "n.md").write_text("alpha\n\n\n\n\nomega\n")
        empty, full = await here.replace("n.md", "alpha", "A"), await here.replace("n.md", "omega", "O")
        choices = await here.choices(empty, hunks=(HunkChoice(number=1, taken=False),)) + await here.choices(full)
        decided = {one.proposal.id: one.error for one in await _apply(here, choices)}
        assert isinstance(decided[empty], ChangeError)
        assert decided[empty].code == "nothing_to_do"
        assert decided[full] is None
        assert await here.states(empty, full) == ["pending", "applied"]
        assert (here.root / "n.md").read_text() == "alpha\n\n\n\n\nO\n"
        (same,) = await here.apply(empty, hunks=(HunkChoice(number=1, text="alpha"),))
        assert same.error is not None
        await here.applied(empty)


async def _apply(here: Desk, choices):
    from orange_jupyter.core.changes.applying import apply

    return await apply(here.app.means, here.opened.session.grant(), choices)


async def test_a_folder_that_changed_is_not_undone_and_the_words_fit(tmp_path: Path) -> None:
    """R-CHG-9: nothing is to be proposed or dropped any more."""
    async with desk(tmp_path) as here:
        name = operation(await here.write("nf"))
        await here.applied(name)
        (here.root / "nf" / "theirs.md").write_text("x\n")
        (undone,) = await here.undo(name)
        assert undone.error is not None
        said = f"{undone.error.message} {undone.error.hint}"
        assert "ropose" not in said
        assert "not undone" in said


async def test_a_near_miss_names_a_line_once(tmp_path: Path) -> None:
    async with desk(tmp_path) as here:
        (here.root / "n.md").write_text("The Snow melts, the Snow stays.\nother\nsnow Snow\n")
        answer = await here.edit("replace", "n.md", oldText="the  snow", newText="x")
        lines = [one["line"] for one in answer["error"]["details"]["near"]]
        assert lines
        assert len(set(lines)) == len(lines)


async def test_a_review_knows_where_its_files_are(tmp_path: Path) -> None:
    """Screen 5: relative to the notebook's folder; under a waiting new name it is the old file that is there."""
    async with desk(tmp_path) as here:
        (here.root / "sub").mkdir()
        (here.root / "sub" / "n.md").write_text("alpha\n")
        await here.edit("rename", "sub/n.md", destination="m.md")
        edit = await here.replace("sub/m.md", "alpha", "beta")
        found, _ = await review_of(here.app, here.opened).look()
        assert {one.proposal.id: one.link for one in found if one.link} == {edit: "sub/n.md"}
