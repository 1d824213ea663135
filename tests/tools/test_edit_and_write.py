"""`edit` and `write` as a model calls them: what they take, what they refuse, what they answer."""

from __future__ import annotations

import json
import time

import pytest

from tests.tools.changing import code, desk, operation, sha256

FIELDS = ["ok", "changeSetId", "operationId", "operation", "path", "state", "summary", "charsBefore", "charsAfter", "affectedFiles", "warnings", "notices"]  # fmt: skip


async def test_every_operation_is_answered_with_ids_counts_and_no_text(tmp_path):
    """R-EDIT-0, R-WRIT-0, R-CHG-1, R-CHG-3, C21: the fields of 12-schemas.md; no word of the file in the answer."""
    async with desk(tmp_path) as kb:
        note = "SECRETWORD one\nSECRETWORD two\n"
        for name in "abcdefg":
            (kb.root / f"{name}.md").write_text(note)
        made = [
            await kb.edit("replace", "a.md", oldText="SECRETWORD one", newText="NEWWORD"),
            await kb.edit("append", "b.md", content="NEWWORD"),
            await kb.edit(
                "multi_replace", "c.md", edits=[{"oldText": "SECRETWORD", "newText": "NEWWORD", "occurrence": 2}]
            ),
            await kb.edit("rewrite", "d.md", content="NEWWORD\n"),
            await kb.edit("move", "e.md", destination="./h.md"),
            await kb.edit("rename", "f.md", destination="i.md"),
            await kb.edit("delete", "g.md"),
            await kb.write("j.md", "NEWWORD\n"),
            await kb.write("k"),
        ]
        kinds = [
            "replace",
            "append",
            "multi_replace",
            "rewrite",
            "move",
            "rename",
            "delete",
            "create_file",
            "create_folder",
        ]
        assert [one["operation"] for one in made] == kinds
        assert {one["changeSetId"] for one in made} == {made[0]["changeSetId"]}
        for one in made:
            assert [name for name in one if name != "destination"] == FIELDS
            assert "SECRETWORD" not in json.dumps(one)
            assert "NEWWORD" not in json.dumps(one)
        assert [(one["charsBefore"], one["charsAfter"]) for one in made[:2]] == [(30, 23), (30, 37)]
        kept = await kb.all()
        assert kept[made[0]["operationId"]].operation.base_hash == sha256(note.encode())
        assert [one["destination"] for one in made if "destination" in one] == ["h.md", "i.md"]
        assert [(kb.root / f"{name}.md").read_text() for name in "abcdefg"] == [note] * 7


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"operation": "replace", "path": "a.md", "oldText": "x"}, "newText"),
        ({"operation": "replace", "path": "a.md", "oldText": "", "newText": "x"}, "oldText"),
        ({"operation": "replace", "path": "a.md", "oldText": "x", "newText": "y", "occurrence": 0}, "occurrence"),
        ({"operation": "replace", "path": "a.md", "oldText": "x", "newText": "y", "occurrence": -1}, "occurrence"),
        ({"operation": "replace", "path": "a.md", "oldText": "x", "newText": "y", "occurrence": "1"}, "occurrence"),
        ({"operation": "replace", "path": "a.md", "fileId": "f_x", "oldText": "x", "newText": "y"}, "path, fileId"),
        ({"operation": "replace", "oldText": "x", "newText": "y"}, "path, fileId"),
        ({"operation": "append", "path": "a.md"}, "content"),
        ({"operation": "append", "path": "a.md", "content": "x", "oldText": "y"}, "oldText"),
        ({"operation": "append", "path": "a.md", "content": "x" * (5 * 1_048_576 + 1)}, "content"),
        ({"operation": "multi_replace", "path": "a.md", "edits": []}, "edits"),
        ({"operation": "multi_replace", "path": "a.md", "edits": [{"oldText": "a", "newText": "b"}] * 101}, "edits"),
        ({"operation": "multi_replace", "path": "a.md", "edits": [{"oldText": "a"}]}, "newText"),
        ({"operation": "move", "path": "a.md"}, "destination"),
        ({"operation": "rename", "path": "a.md", "destination": "d/b.md"}, "destination"),
        ({"operation": "rename", "path": "a.md", "destination": "b.md", "destinationKnowledgeBaseId": "k"}, "KnowledgeBaseId"),
        ({"operation": "delete", "path": "a.md", "content": "x"}, "content"),
        ({"operation": "withdraw", "path": "a.md", "operationId": "op_x"}, "operationId alone"),
        ({"operation": "patch", "path": "a.md"}, "operation"),
        ({"operation": "append", "path": "a.md", "content": "a\0b"}, "NUL"),
    ],
)  # fmt: skip
async def test_arguments_that_do_not_fit_are_named(tmp_path, given, why):
    """R-EDIT-0, R-SCH-2, C15: invalid_argument says which; nothing is staged."""
    async with desk(tmp_path) as kb:
        (kb.root / "a.md").write_text("x\n")
        answer = await kb("edit", **given)
        assert code(answer) == "invalid_argument"
        assert why in json.dumps(answer["error"], ensure_ascii=False)
        assert not await kb.pending()
        assert len(kb.result) < 2_000


async def test_misses_say_how_many_there_are_and_stage_nothing(tmp_path):
    """R-EDIT-1, C15, C16, cases/edits 1, 7, 8, 9: counts, lines, near misses; all or none against the original text."""
    async with desk(tmp_path) as kb:
        (kb.root / "a.md").write_text("alpha\nbeta\nalpha\n结论：见图①，（表 2）。\n")
        tries = {
            "no_match": {"oldText": "结论:见图1,(表 2)。", "newText": "x"},
            "not_unique": {"oldText": "alpha", "newText": "x"},
            "occurrence_out_of_range": {"oldText": "alpha", "newText": "x", "occurrence": 3},
            "nothing_to_do": {"oldText": "beta", "newText": "beta"},
        }
        for wanted, given in tries.items():
            answer = await kb.edit("replace", "a.md", **given)
            assert code(answer) == wanted
            assert answer["error"].get("hint") or wanted in ("nothing_to_do", "occurrence_out_of_range")
        assert (await kb.edit("replace", "a.md", **tries["not_unique"]))["error"]["details"] == {
            "count": 2,
            "lines": [1, 3],
        }
        assert "line 4" in (await kb.edit("replace", "a.md", **tries["no_match"]))["error"]["hint"]
        many = {
            "overlapping_edits": [("alpha\nbeta", "x"), ("beta\n", "y")],
            "no_match": [("beta", "GAMMA"), ("GAMMA", "y")],
            "not_unique": [("beta", "b"), ("alpha", "y")],
        }
        for wanted, edits in many.items():
            given = [{"oldText": old, "newText": new} for old, new in edits]
            assert code(await kb.edit("multi_replace", "a.md", edits=given)) == wanted
        assert not await kb.pending()


async def test_replacements_are_literal_and_the_rest_stays(tmp_path):
    r"""cases/edits 2, 3, 4, 5, 6, C08, C09: `$1`, `\title`, `\n`, `$$` as they are; BOM, CRLF, hard breaks, no final newline."""
    async with desk(tmp_path) as kb:
        before = "\ufeff# x²  \r\nLF line\nold a\r\n结论：见图①，（表 2）。\rCR\r\nend"
        (kb.root / "a.md").write_bytes(before.encode())
        await kb.edit(
            "replace", "a.md", oldText="# x²  \nLF line\nold a\n", newText="# x²  \nLF line\n$1 \\title \\n $$\nmore\n"
        )
        await kb.applied()
        after = before.replace("old a\r\n", "$1 \\title \\n $$\r\nmore\r\n")
        assert (kb.root / "a.md").read_bytes() == after.encode()
        await kb.edit("rewrite", "a.md", content="\ufeff" + after[1:].replace("\r\n", "\n").replace("end", "END"))
        await kb.applied()
        assert (kb.root / "a.md").read_bytes() == after.replace("end", "END").encode()


async def test_only_notes_are_edited_and_written(tmp_path):
    """R-EDIT-3, R-WRIT-1: other types move, rename and go to the trash; their text is not touched."""
    async with desk(tmp_path) as kb:
        for name in ("p.png", "d.docx", "q.pdf", "s.py", "n.ipynb"):
            (kb.root / name).write_bytes(b"x")
        (kb.root / "f").mkdir()
        (kb.root / "f.md").mkdir()
        for name in ("p.png", "d.docx", "q.pdf", "s.py", "f", "f.md"):
            assert code(await kb.edit("append", name, content="y")) == "unsupported_type"
        for name in ("p.png", "d.docx", "q.pdf"):
            operation(await kb.edit("move", name, destination="f/"))
        assert code(await kb.edit("rename", "s.py", destination="t.py")) == "unsupported_type"
        assert code(await kb.write("x.py", "y")) == "unsupported_type"
        assert code(await kb.write("x", "y")) == "unsupported_type"
        missing = await kb.write("no/such/x.md", "y")
        assert (code(missing), missing["error"]["details"]) == ("parent_missing", {"folder": "no/such"})
        assert code(await kb("write", kind="folder", targetPath="g", content="x")) == "invalid_argument"
        assert code(await kb("write", kind="file", targetPath="g.md")) == "invalid_argument"
        assert (
            code(await kb("write", kind="file", targetPath="g.md", content="", knowledgeBaseId="none"))
            == "outside_workspace"
        )


async def test_masked_values_are_never_written_back(tmp_path):
    """R-EDIT-6: a token is refused; a replacement beside the value keeps the real one; the token itself may stand in a file."""
    key = "sk-" + "a1B2c3D4" * 6
    async with desk(tmp_path) as kb:
        (kb.root / "a.md").write_text(f"api_key = {key}\nlimit = 4\n")
        shown = (await kb("read", path="a.md"))["content"]
        assert key not in shown
        token = shown.split(" = ")[1].split("\n")[0]
        assert code(await kb.edit("replace", "a.md", oldText="limit = 4", newText=f"x {token}")) == "masked_text"
        assert code(await kb.edit("rewrite", "a.md", content=shown)) == "masked_text"
        assert code(await kb.write("b.md", shown)) == "masked_text"
        await kb.replace("a.md", "limit = 4", "limit = 5")
        await kb.applied()
        assert (kb.root / "a.md").read_text() == f"api_key = {key}\nlimit = 5\n"
        (kb.root / "c.md").write_text(f"The token {token} is literal.\n")
        await kb.replace("c.md", f"The token {token}", f"This token {token}")


async def test_read_shows_what_is_pending_and_withdrawing_takes_it_back(tmp_path):
    """R-READ-14, R-EDIT-4: marked pendingView with the hash it would have; a layer in the middle goes, the rest stays."""
    async with desk(tmp_path) as kb:
        (kb.root / "a.md").write_text("one\ntwo\nthree\n")
        ids = [await kb.replace("a.md", old, f"{old.upper()} and more") for old in ("one", "two", "three")]
        seen = await kb("read", path="a.md")
        assert seen["pendingView"] is True
        assert seen["contentHash"] == sha256(b"ONE and more\nTWO and more\nTHREE and more\n")
        gone = await kb("edit", operation="withdraw", operationId=ids[1])
        assert gone["state"] == "withdrawn"
        assert (await kb("read", path="a.md"))["content"] == "ONE and more\ntwo\nTHREE and more\n"
        assert (await kb("read", path="a.md", view="disk"))["content"] == "one\ntwo\nthree\n"
        over = await kb.replace("a.md", "ONE and", "1 and")
        refused = await kb("edit", operation="withdraw", operationId=ids[0])
        assert (code(refused), refused["error"]["details"]) == ("parent_missing", {"needs": [over]})
        await kb.applied()
        assert (kb.root / "a.md").read_text() == "1 and more\ntwo\nTHREE and more\n"
        again = await kb("edit", operation="withdraw", operationId=ids[0])
        assert code(again) == "not_found"
        assert "pendingView" not in await kb("read", path="a.md")


async def test_an_edit_of_a_large_note_is_answered_shortly_and_soon(tmp_path):
    """C21, R-EDIT-2: 5 MB; less than 2 kB of answer; a second of processor time for the edit and for applying it."""
    async with desk(tmp_path) as kb:
        (kb.root / "big.md").write_text("".join(f"第 {n} 行 of the note, with some words.\n" for n in range(110_000)))
        began = time.process_time()
        assert (await kb.edit("replace", "big.md", oldText="第 500 行 ", newText="第五百行 "))["ok"]
        assert len(kb.result.encode()) < 2_000
        await kb.applied()
        assert time.process_time() - began < 3


async def test_a_hundred_pending_edits_of_one_note_stay_cheap(tmp_path):
    """R-EDIT-4: ties are looked for where the edit lies; appends build on each other, and the last one is soon there."""
    async with desk(tmp_path) as kb:
        (kb.root / "a.md").write_text("".join(f"line {n} x\n" for n in range(500)))
        for n in range(60):
            await kb.replace("a.md", f"line {n * 7} x", f"LINE {n * 7} y")
        for n in range(40):
            operation(await kb.edit("append", "a.md", content=f"end {n}\n"))
        began = time.process_time()
        await kb.replace("a.md", "line 499 x", "LINE 499")
        assert time.process_time() - began < 2
        began = time.process_time()
        await kb.applied()
        assert time.process_time() - began < 4
        assert (kb.root / "a.md").read_text().endswith("LINE 499\n" + "".join(f"end {n}\n" for n in range(40)))
