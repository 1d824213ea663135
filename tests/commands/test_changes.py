"""`%orange changes`, `%orange undo`, `session.changes`: what waits and what a person decides, in one kernel."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from orange_jupyter.app import App
from orange_jupyter.cli.tool import call
from orange_jupyter.core.errors import ChangeError, RightsError, UsageError
from orange_jupyter.core.grant import Tier
from orange_jupyter.jupyter.ports import Where

FACTOR = {"operation": "replace", "path": "melt.md", "oldText": "4.6", "newText": "4.8"}
KEY = "sk-ant-api03-" + "Q7x" * 20


@pytest.fixture
async def notebook(app, office, say):
    """`await notebook.tool(name, **arguments)` is a call in the notebook's own session, `notebook.say` a line."""

    class Notebook:
        note = Path(app.folder) / "kb" / "melt.md"
        root = Path(app.folder) / "kb"

        def __init__(self) -> None:
            self.say = say

        async def tool(self, name, **arguments):
            where = Where(str(Path(app.folder) / "a.ipynb"), None, app.folder)
            return (await call(app, await office._now(where), name, arguments)).envelope

        async def edit(self, **changes):
            return (await self.tool("edit", **(FACTOR | changes)))["operationId"]

    made = Notebook()
    await say("kb add kb")
    await say("tier workspace-write")
    return made


def states(reply):
    return [one["state"] for one in reply.data["results"]]


async def test_what_waits_is_listed_shown_applied_and_taken_back(notebook):
    """R-NB-3, R-CHG-1, R-CHG-9, R10: and after undo the file is byte for byte as it was."""
    before = notebook.note.read_bytes()
    name = await notebook.edit()
    listed = await notebook.say("changes")
    assert all(
        word in listed.markdown for word in (name.replace("_", "\\_"), "melt.md", "+1 −1", "%orange changes apply")
    )
    assert (
        "-The melt factor of run 17 is 4.6.\n+The melt factor of run 17 is 4.8.\n"
        in (await notebook.say(f"changes show {name}")).markdown
    )
    assert notebook.note.read_bytes() == before
    assert states(await notebook.say("changes apply")) == ["applied"]
    assert notebook.note.read_bytes() == before.replace(b"4.6", b"4.8")
    assert states(await notebook.say("undo")) == ["undone"]
    assert notebook.note.read_bytes() == before
    with pytest.raises(ChangeError, match="No change of this session is applied"):
        await notebook.say("undo")


async def test_undo_without_an_id_takes_the_last_one_and_with_one_that_one(notebook):
    """R-CHG-9: the last that was applied, not the last that was proposed."""
    first = await notebook.edit()
    second = await notebook.edit(oldText="run 17", newText="run 18")
    await notebook.say(f"changes apply {first} {second}")
    assert (await notebook.say("undo")).data["results"][0]["operationId"] == second
    assert (await notebook.say(f"undo {first}")).data["results"][0]["operationId"] == first
    assert b"run 17 is 4.6" in notebook.note.read_bytes()


async def test_an_operation_without_its_parent_names_it(notebook):
    """R-CHG-2: the line that helps stands in the answer and works as it is."""
    folder = (await notebook.tool("write", kind="folder", targetPath="new"))["operationId"]
    inner = (await notebook.tool("write", kind="folder", targetPath="new/in"))["operationId"]
    file = (await notebook.tool("write", kind="file", targetPath="new/in/a.md", content="x\n"))["operationId"]
    reply = await notebook.say(f"changes apply {file}")
    error = reply.data["results"][0]["error"]
    assert (reply.data["ok"], states(reply), error["code"]) == (False, ["pending"], "parent_missing")
    assert error["details"]["needs"] == [folder, inner]
    assert not (notebook.root / "new").exists()
    line = error["hint"].partition("%orange ")[2]
    assert line == f"changes apply {folder} {inner} {file}"
    assert states(await notebook.say(line)) == ["applied"] * 3
    assert (notebook.root / "new" / "in" / "a.md").read_bytes() == b"x\n"


async def test_a_note_that_changed_meanwhile_is_kept_and_the_conflict_says_what_to_do(notebook):
    """R-CHG-4: nothing is written; the list goes on to say why, and rejecting clears it."""
    name = await notebook.edit()
    notebook.note.write_text("Another text of the person.\n", encoding="utf-8")
    reply = await notebook.say("changes apply")
    assert (states(reply), reply.data["results"][0]["error"]["code"]) == (["stale"], "stale_source")
    assert notebook.note.read_text(encoding="utf-8") == "Another text of the person.\n"
    listed = await notebook.say("changes")
    assert "conflict" in listed.markdown
    assert f"%orange changes reject {name}" in listed.markdown.replace("\\", "")
    assert listed.data["warnings"]
    assert states(await notebook.say("changes reject")) == ["rejected"]
    assert "No change waits" in (await notebook.say("changes")).markdown


async def test_plan_mode_and_readonly_look_and_reject_but_do_not_apply(notebook):
    """R-PLAN-2, R-SCH-8: and nothing is undone there either."""
    first, second = await notebook.edit(), await notebook.edit(oldText="Melt\n", newText="Snow melt\n")
    await notebook.say(f"changes apply {first}")
    there = notebook.note.read_bytes()
    for line, code in (("plan on", "denied_by_plan"), ("tier workspace-readonly", "denied_by_tier")):
        await notebook.say(line)
        for refused in ("changes apply", f"changes apply {second}", "undo"):
            with pytest.raises(RightsError) as raised:
                await notebook.say(refused)
            assert raised.value.code == code
        assert second in (await notebook.say(f"changes show {second}")).markdown
        await notebook.say("plan off")
    await notebook.say("plan on")
    assert states(await notebook.say(f"changes reject {second}")) == ["rejected"]
    assert notebook.note.read_bytes() == there


async def test_a_secret_in_a_note_stays_out_of_lists_diffs_and_documents(notebook):
    """S03, R-ALL-5: a diff of a cell's output is saved; the file keeps its true bytes."""
    notebook.note.write_text(f"# Keys\n\nThe gauge {KEY} is 4.6.\n", encoding="utf-8")
    await notebook.edit()
    made = await notebook.tool("write", kind="file", targetPath="k.md", content=f"a\n{KEY}\n")
    seen = [await notebook.say(line) for line in ("changes", "changes show", f"changes show {made['operationId']}")]
    assert all(KEY not in reply.markdown + json.dumps(reply.data) for reply in seen)
    assert "⟦masked⟧ is 4.8" in seen[1].markdown
    assert "hidden" in seen[1].markdown
    await notebook.say("changes apply")
    assert notebook.note.read_text(encoding="utf-8") == f"# Keys\n\nThe gauge {KEY} is 4.8.\n"
    assert (notebook.root / "k.md").read_text(encoding="utf-8") == f"a\n{KEY}\n"


async def test_a_private_key_over_many_lines_is_hidden_on_each_of_them(notebook):
    """S03: a diff shows parts of it, and a part alone does not look like a key."""
    body = [("MIIEvQIBADANBg" + str(n) * 3) * 4 for n in range(9)]
    pem = "\n".join(["-----BEGIN PRIVATE KEY-----", *body, "-----END PRIVATE KEY-----"])
    notebook.note.write_text(f"# Key\n\n{pem}\nfactor 4.6\n", encoding="utf-8")
    await notebook.edit()
    shown = (await notebook.say("changes show")).markdown
    assert "+factor 4.8" in shown
    assert not any(line in shown for line in body)


async def test_names_that_steer_the_eye_are_shown_as_escapes(notebook):
    """R-APPR-2, A07: invisible characters of a proposal cannot be missed in the terminal's text."""
    await notebook.edit(newText="4.8\u202e")
    shown = (await notebook.say("changes show")).markdown
    assert "\\u202e" in shown
    assert "\u202e" not in shown
    assert "1 invisible character" in shown


async def test_an_unknown_id_does_nothing_at_all(notebook):
    """R-SCH-10: also not to those that are known; another session's operations are unknown here."""
    name = await notebook.edit()
    await notebook.say("session new other")
    with pytest.raises(UsageError, match="no change"):
        await notebook.say(f"changes apply {name}")
    await notebook.say("tier workspace-write")
    own = await notebook.edit()
    with pytest.raises(UsageError, match="no change"):
        await notebook.say(f"changes apply {own} op_unknown")
    assert b"4.6" in notebook.note.read_bytes()


async def test_status_says_how_many_wait_and_completion_knows_their_ids(notebook, office):
    """R-NB-3."""
    assert (await notebook.say("status")).data["pendingChanges"] == 0
    name = await notebook.edit()
    reply = await notebook.say("status")
    assert reply.data["pendingChanges"] == 1
    assert office.candidates().changes == (name,)
    await notebook.say("changes apply")
    assert (office.candidates().changes, office.candidates().applied) == ((), (name,))


async def test_a_deleted_session_takes_its_changes_along(notebook, app: App):
    """R-SESS-1: and the note is not touched."""
    name = await notebook.edit()
    session = (await notebook.say("status")).data["session"]["sessionId"]
    await notebook.say(f"session delete {session}")
    assert await app.means.store.find([name]) == ()
    assert "No change waits" in (await notebook.say("changes")).markdown
    assert b"4.6" in notebook.note.read_bytes()


@pytest.mark.parametrize("tier", [Tier.WORKSPACE_WRITE, Tier.FULL_CONFIRM, Tier.FULL_AUTO])
@pytest.mark.parametrize("path", [".git/notes.md", ".orange/a.md", ".vscode/x.txt"])
async def test_a_protected_name_asks_in_every_tier(notebook, app, tier, path):
    """A11, R-PERM-9: with nobody to ask it is refused, and nothing waits that could be applied later."""
    at = notebook.root / path
    at.parent.mkdir()
    at.write_text("factor 4.6\n", encoding="utf-8")
    opened = next(iter(app._opened.values()))
    opened.session._state = opened.session.state.model_copy(update={"tier": tier})
    refused = await notebook.tool("edit", **(FACTOR | {"path": path}))
    assert (refused["ok"], refused["error"]["code"]) == (False, "needs_person")
    gone = await notebook.tool("edit", operation="delete", path=path)
    assert gone["error"]["code"] == "needs_person"
    assert (await notebook.say("status")).data["pendingChanges"] == 0
    assert at.read_text(encoding="utf-8") == "factor 4.6\n"
