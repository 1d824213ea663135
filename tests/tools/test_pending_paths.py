"""Pending moves, new files, folders and deletions under and over edits: what each path means, and what is applied."""

from __future__ import annotations

import os
from pathlib import Path

from tests.tools.changing import code, desk, operation


async def test_a_file_written_where_another_was_moved_away_is_another_file(tmp_path):
    """R-EDIT-4, R-READ-14: a.md goes to b.md, a new a.md comes: each path shows its own text, and so does the disk."""
    async with desk(tmp_path) as kb:
        (kb.root / "a.md").write_text("old one\n")
        before = kb.tree()
        ids = [
            await kb.replace("a.md", "old one", "old 1"),
            operation(await kb.edit("rename", "a.md", destination="b.md")),
            operation(await kb.write("a.md", "new one\n")),
            await kb.replace("a.md", "new one", "new 1"),
            await kb.replace("b.md", "old 1", "old 11"),
        ]
        assert (await kb("read", path="a.md"))["content"] == "new 1\n"
        assert (await kb("read", path="b.md"))["content"] == "old 11\n"
        assert (await kb("read", path="a.md", view="disk"))["content"] == "old one\n"
        await kb.applied()
        assert kb.tree() == {"a.md": b"new 1\n", "b.md": b"old 11\n"}
        assert [one.error for one in await kb.undo(*ids)] == [None] * 5
        assert kb.tree() == before


async def test_a_new_file_waits_for_the_move_that_frees_its_name(tmp_path):
    """R-CHG-2, R-WRIT-2, C22: chosen alone it is refused with what it needs, not tried on the old file."""
    async with desk(tmp_path) as kb:
        (kb.root / "a.md").write_text("old\n")
        moved = operation(await kb.edit("rename", "a.md", destination="b.md"))
        made = operation(await kb.write("a.md", "new\n"))
        decided = await kb.apply(made)
        assert decided[0].error.code == "parent_missing"
        assert decided[0].error.details == {"needs": moved}
        assert (kb.root / "a.md").read_text() == "old\n"
        await kb.applied(moved, made)
        assert kb.tree() == {"a.md": b"new\n", "b.md": b"old\n"}


async def test_a_folder_that_is_deleted_waits_for_what_is_saved_from_it(tmp_path):
    """R-CHG-2: moved out first, then the folder goes; the deletion alone is refused, and the note is never in the trash."""
    async with desk(tmp_path) as kb:
        (kb.root / "d").mkdir()
        (kb.root / "d" / "a.md").write_text("keep\n")
        saved = operation(await kb.edit("move", "d/a.md", destination="a.md"))
        gone = operation(await kb.edit("delete", "d"))
        assert (await kb.apply(gone))[0].error.code == "parent_missing"
        await kb.applied(saved, gone)
        assert kb.tree() == {"a.md": b"keep\n"}
        await kb.undo(saved, gone)
        assert kb.tree() == {"d": None, "d/a.md": b"keep\n"}


async def test_edits_go_along_with_a_folder_that_is_moved(tmp_path):
    """R-EDIT-4: before and after the move, whichever part of it is applied first."""
    for first in ("edit", "move", "all"):
        base = tmp_path / first
        base.mkdir()
        async with desk(base) as kb:
            (kb.root / "d").mkdir()
            (kb.root / "d" / "a.md").write_text("one\ntwo\n")
            before = kb.tree()
            edit = await kb.replace("d/a.md", "one", "1")
            made = operation(await kb.write("d/new.md", "new\n"))
            move = operation(await kb.edit("rename", "d", destination="e"))
            late = await kb.replace("e/a.md", "two", "2")
            assert code(await kb("read", path="d/a.md")) == "not_found"
            assert (await kb("read", path="e/new.md"))["content"] == "new\n"
            for part in {"edit": [[edit], [move, late, made]], "move": [[move], [edit, late, made]], "all": [[]]}[
                first
            ]:
                await kb.applied(*part)
            assert kb.tree() == {"e": None, "e/a.md": b"1\n2\n", "e/new.md": b"new\n"}
            paths = {one.operation.path for one in (await kb.all()).values() if one.id in (edit, made)}
            assert paths == {"e/a.md", "e/new.md"}
            undone = await kb.undo(late, move, made, edit)
            assert [one.error for one in undone] == [None] * 4, first
            assert kb.tree() == before


async def test_an_edit_in_a_folder_that_was_deleted_waits_and_comes_back_with_it(tmp_path):
    """R-CHG-9: the edit fails while its file is in the trash, nothing is lost, and after the undo it applies."""
    async with desk(tmp_path) as kb:
        (kb.root / "d").mkdir()
        (kb.root / "d" / "a.md").write_text("one\n")
        edit = await kb.replace("d/a.md", "one", "1")
        gone = operation(await kb.edit("delete", "d"))
        assert code(await kb.edit("replace", "d/a.md", oldText="1", newText="2")) == "not_found"
        await kb.applied(gone)
        assert (await kb.apply(edit))[0].error.code == "not_found"
        await kb.undo(gone)
        await kb.applied(edit)
        assert kb.tree() == {"d": None, "d/a.md": b"1\n"}


async def test_two_changes_never_want_one_new_name(tmp_path):
    """R-WRIT-2: on the disk or pending; also by a move, a rename and into a folder."""
    async with desk(tmp_path) as kb:
        for name in ("a.md", "b.md"):
            (kb.root / name).write_text("x\n")
        await kb.write("n.md", "new\n")
        await kb.write("f")
        operation(await kb.edit("move", "a.md", destination="f/"))
        (kb.root / "g.md").write_text("g\n")
        taken = [
            await kb.write("n.md", "again\n"),
            await kb.write("b.md", "again\n"),
            await kb.edit("move", "b.md", destination="n.md"),
            await kb.edit("rename", "g.md", destination="n.md"),
            await kb.edit("move", "b.md", destination="f/a.md"),
            await kb.write("f"),
            await kb.write("f/a.md", "again\n"),
        ]
        assert [code(one) for one in taken] == ["target_exists"] * 7


async def test_a_target_that_appears_is_never_overwritten_and_another_name_is_offered(tmp_path):
    """C07, R-WRIT-2, R-CHG-4: write, move and rename; the stranger's file stays, the change waits."""
    async with desk(tmp_path) as kb:
        for name in ("b.md", "c.md"):
            (kb.root / name).write_text(f"{name}\n")
        ids = [
            operation(await kb.write("n.md", "mine\n")),
            operation(await kb.edit("move", "b.md", destination="m.md")),
            operation(await kb.edit("rename", "c.md", destination="r.md")),
        ]
        for name in ("n.md", "m.md", "r.md"):
            (kb.root / name).write_text("theirs\n")
        before = kb.tree()
        assert [str(one.error.code) for one in await kb.apply(*ids)] == ["target_exists"] * 3
        assert kb.tree() == before
        assert await kb.states(*ids) == ["stale"] * 3


async def test_a_folder_that_got_one_more_file_is_not_deleted(tmp_path):
    """C19, R-CHG-5: the counts are true, hidden files too; what was not shown is not deleted."""
    async with desk(tmp_path) as kb:
        (kb.root / "d" / ".hidden").mkdir(parents=True)
        for name in ("a.md", ".dot", ".hidden/x", "code.py"):
            (kb.root / "d" / name).write_text("x")
        made = await kb.edit("delete", "d")
        assert made["affectedFiles"] == 4
        assert "2 hidden" in made["warnings"][0]
        (kb.root / "d" / "late.txt").write_text("late")
        before = kb.tree()
        assert (await kb.apply(operation(made)))[0].error.code == "stale_source"
        assert kb.tree() == before


async def test_our_own_changes_in_a_folder_are_followed_and_a_strangers_are_not(tmp_path):
    """C19, R-CHG-4: an edit in a folder that waits to be deleted; with a stranger's file in it the deletion is stale."""
    for stranger in (False, True):
        base = tmp_path / str(stranger)
        base.mkdir()
        async with desk(base) as kb:
            (kb.root / "d").mkdir()
            (kb.root / "d" / "a.md").write_text("one\n")
            edit = await kb.replace("d/a.md", "one", "1")
            gone = operation(await kb.edit("delete", "d"))
            if stranger:
                (kb.root / "d" / "late.md").write_text("late\n")
            await kb.applied(edit)
            error = (await kb.apply(gone))[0].error
            assert (str(error.code) if error else "") == ("stale_source" if stranger else "")
            assert (kb.root / "d").exists() is stranger


async def test_a_link_is_deleted_as_a_link_and_what_it_leads_to_stays(tmp_path):
    """C18: a dangling link, a link to a folder, a link that leaves; the targets are as before."""
    async with desk(tmp_path) as kb:
        outside = tmp_path / "o"
        outside.mkdir()
        (outside / "secret.md").write_text("CANARY")
        (kb.root / "real").mkdir()
        (kb.root / "real" / "a.md").write_text("x\n")
        for name, target in (("dangling.md", "nowhere"), ("to-folder", "real"), ("out.md", str(outside / "secret.md"))):
            (kb.root / name).symlink_to(target)
        ids = [operation(await kb.edit("delete", name)) for name in ("dangling.md", "to-folder", "out.md")]
        decided = await kb.apply(*ids)
        assert [one.error for one in decided] == [None] * 3
        assert sorted(os.listdir(kb.root)) == ["real"]
        assert (kb.root / "real" / "a.md").read_text() == "x\n"
        assert (outside / "secret.md").read_text() == "CANARY"


async def test_names_of_other_forms_and_cases_are_themselves(tmp_path):
    """cases/edits 12, P12: case, NFC and NFD, bytes that are no UTF-8; edited, renamed, deleted, undone."""
    nfc, nfd = "Caf\u00e9.md", "Cafe\u0301.md"
    async with desk(tmp_path) as kb:
        (kb.root / nfc).write_text("composed\n")
        (kb.root / nfd).write_text("decomposed\n")
        raw = Path(os.fsdecode(os.fsencode(kb.root) + b"/\xff\xfe.md"))
        raw.write_text("bytes\n")
        before = kb.tree()
        listed = {one["name"]: one["fileId"] for one in (await kb("list"))["entries"]}
        odd = listed["\\xff\\xfe.md"]
        ids = [
            operation(await kb("edit", operation="replace", fileId=odd, oldText="bytes", newText="字节")),
            operation(await kb("edit", operation="replace", fileId=listed[nfd], oldText="decomposed", newText="NFD")),
            operation(await kb("edit", operation="rename", fileId=odd, destination="good.md")),
            operation(await kb("edit", operation="rename", fileId=listed[nfc], destination="CAF\u00c9.md")),
        ]
        await kb.applied(*ids)
        names = {"good.md": "字节\n", nfd: "NFD\n", "CAF\u00c9.md": "composed\n"}
        assert kb.tree() == {name: text.encode() for name, text in names.items()}
        assert [one.error for one in await kb.undo(*ids)] == [None] * 4
        assert kb.tree() == before
        gone = operation(await kb("edit", operation="delete", fileId=odd))
        await kb.applied(gone)
        assert not raw.exists()
        await kb.undo(gone)
        assert kb.tree() == before
