"""The office behind the notebook, on real parts: commands, options, sessions of notebooks (R-NB-2, R-NB-3, R-NB-5, R-SESS-1, R-PERM-10)."""

from __future__ import annotations

import asyncio
import json
import os
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image

from orange_jupyter.app import App
from orange_jupyter.commands import COMMANDS
from orange_jupyter.core.errors import PathError, SessionError, UsageError
from orange_jupyter.core.events import StopReason
from orange_jupyter.core.grant import Tier
from orange_jupyter.core.titles import cleaned
from orange_jupyter.jupyter.options import parse_options
from orange_jupyter.jupyter.ports import CellRequest, Where
from orange_jupyter.office import NotebookOffice
from orange_jupyter.providers.scripted import Scripted, ScriptedReply
from orange_jupyter.terminal import Nobody


class View:
    """A view that keeps the events."""

    def __init__(self):
        self.events = []

    async def hear(self, event):
        self.events.append(event)

    def delta(self, delta):
        pass

    def notices(self):
        return [event.text for event in self.events if event.kind == "notice"]


async def kernel_in(tmp_path):
    """`await office(line, text)` runs a cell, `await office.say("kb list")` a line; one kernel at `office.folder`."""
    folder = tmp_path / "work"
    (folder / "kb").mkdir(parents=True)
    (folder / "kb" / "melt.md").write_text("# Melt\n\nThe melt factor of run 17 is 4.6.\n", encoding="utf-8")
    environ = {"ORANGE_HOME": str(tmp_path / "home"), "ORANGE_CACHE": str(tmp_path / "cache"), "HOME": str(tmp_path)}
    kernels = []

    async def kernel():
        app = await App.open(environ, str(folder), Nobody())
        kernels.append(app)
        return NotebookOffice(app, strict=False)

    async def cell(line, text, *, notebook="a.ipynb", cell_id=None, variables=(), images=()):
        where = Where(notebook=str(folder / notebook), cell_id=cell_id, folder=str(folder))
        cell.view = View()
        request = CellRequest(text, parse_options(line), where, images, variables)
        return await cell.now.send(request, view=cell.view)

    async def say(line, *, notebook="a.ipynb", language="en"):
        where = Where(notebook=str(folder / notebook), cell_id=None, folder=str(folder), language=language)
        return await cell.now.command(tuple(line.split()), where)

    async def restart():
        await cell.now.close()
        kernels.clear()
        cell.now = await kernel()

    cell.now = await kernel()
    cell.say, cell.folder, cell.restart, cell.tmp = say, folder, restart, tmp_path
    yield cell
    for app in kernels:
        await app.close()


office = pytest.fixture(kernel_in)


async def test_a_fresh_notebook_says_how_to_make_a_knowledge_base_and_then_answers(office):
    """R-NB-5, R-NB-6: nothing is chosen silently; `kb add` registers with a relative path, selects and indexes."""
    await office("", "What is the melt factor?")
    assert any("No knowledge base" in text for text in office.view.notices())
    reply = await office.say("kb add kb")
    assert "1 files" in reply.markdown or "1 file" in reply.markdown
    config = (office.folder / ".orange" / "config.toml").read_text("utf-8")
    assert str(office.folder) not in config
    finished = await office("", "What is the melt factor of run 17?")
    assert [one.path for one in finished.citations] == ["melt.md"]
    assert not office.view.notices()


async def test_options_change_the_session_from_this_turn_on(office):
    """R-NB-2, R-PERM-8: tier, plan, KBs and model; the version moves; a cell never enters a full tier."""
    await office.say("kb add kb")
    await office("--tier workspace-write --plan", "melt factor?")
    state = (await office.say("status")).data["session"]
    assert (state["tier"], state["plan"]) == ("workspace-write", True)
    await office("--no-plan --tier workspace-readonly --kb kb", "melt factor?")
    state = (await office.say("status")).data["session"]
    assert (state["tier"], state["plan"]) == ("workspace-readonly", False)
    with pytest.raises(UsageError, match="cannot raise the tier"):
        await office("--tier full-auto", "melt factor?")
    with pytest.raises(UsageError, match="nobody"):
        await office("--model nobody", "melt factor?")
    with pytest.raises(UsageError, match="no knowledge base"):
        await office("--kb melting", "melt factor?")
    assert (await office("--steps 1", "What is the melt factor?")).stop_reason is StopReason.STEP_LIMIT


async def test_a_notebook_finds_its_session_again_also_when_it_was_renamed(office):
    """R-SESS-1: by its path, then by the cells that ran in it; another notebook has a session of its own."""
    await office.say("kb add kb")
    await office("", "What is the melt factor?", cell_id="cell-1")
    before = (await office.say("status")).data["session"]["sessionId"]
    await office.restart()
    assert (await office.say("status")).data["session"]["sessionId"] == before
    await office.restart()
    await office("", "And now?", notebook="renamed.ipynb", cell_id="cell-1")
    assert (await office.say("status", notebook="renamed.ipynb")).data["session"]["sessionId"] == before
    await office.restart()
    assert (await office.say("status", notebook="other.ipynb")).data["session"]["sessionId"] != before


async def test_sessions_are_begun_used_renamed_exported_and_deleted(office):
    """R-SESS-1: and a name that is not there is a clear error."""
    await office("--new", "First question, please")
    first = (await office.say("status")).data["session"]["sessionId"]
    await office.say("session rename 融雪 参数")
    await office("--new", "Second")
    assert (await office.say("session list")).data["sessions"][0]["sessionId"] != first
    reply = await office.say("session export")
    assert "Second" in Path(reply.data["path"]).read_text("utf-8")
    assert Path(reply.data["path"]).name == "Second.md"
    await office.say(f"session use {first}")
    assert (await office.say("status")).data["session"]["title"] == "融雪 参数"
    await office.say(f"session delete {first}")
    assert first not in json.dumps((await office.say("session list")).data)
    with pytest.raises(SessionError, match="no session"):
        await office.say("session use nobody")


async def test_every_command_answers_and_help_lists_exactly_what_there_is(office):
    """R-NB-3, R-UI-8: nothing that comes later is listed; a wrong word names the nearest."""
    await office.say("kb add kb")
    finished = await office("", "What is the melt factor?")
    listed = (await office.say("help")).markdown
    for word in COMMANDS:
        assert f"%orange {word}" in listed.replace("\\", "")
    for word in ("compact", "memory", "skills", "mcp", "browser", "tools"):
        assert f"%orange {word}" not in listed
    assert "知识库" in (await office.say("help", language="zh")).markdown
    for line in (
        "status",
        "kb",
        "kb list",
        "kb scan",
        "model",
        "model list",
        "tier",
        "plan",
        "session",
        "changes",
        "changes list",
        "usage",
        "doctor",
    ):
        reply = await office.say(line)
        assert reply.markdown
        assert reply.data["ok"] is True, line
    shown = await office.say(f"show {finished.citations[0].citation_id}")
    assert "<mark" in shown.html
    assert "4.6" in (await office.say("show melt.md")).html
    for wrong, nearest in (
        ("stauts", "status"),
        ("kb lst", "list"),
        ("model usee", "use"),
        ("tier full-confrm", "full-confirm"),
    ):
        with pytest.raises(UsageError, match=nearest):
            await office.say(wrong)
    with pytest.raises(UsageError, match="on nor off"):
        await office.say("plan maybe")
    with pytest.raises(PathError):
        await office.say("show ../../etc/passwd")


async def test_knowledge_bases_are_listed_selected_renamed_and_removed(office):
    """R-NB-3, R-ALL-3: names are unique; removing never touches the folder."""
    (office.folder / "deep" / "kb").mkdir(parents=True)
    await office.say("kb add kb")
    await office.say("kb add deep/kb")
    listed = (await office.say("kb list")).data["knowledgeBases"]
    assert [one["name"] for one in listed] == ["kb", "kb-2"]
    await office.say("kb rename kb-2 papers")
    await office.say("kb select papers")
    assert [one["selected"] for one in (await office.say("kb list")).data["knowledgeBases"]] == [False, True]
    await office.say("kb remove papers")
    assert (office.folder / "deep" / "kb").is_dir()
    assert [one["name"] for one in (await office.say("kb list")).data["knowledgeBases"]] == ["kb"]


async def test_a_missing_folder_is_said_once_and_costs_nothing_else(office):
    """R-SRCH-10, bad input: the other KB still answers."""
    (office.folder / "gone").mkdir()
    await office.say("kb add kb")
    await office.say("kb add gone")
    os.rmdir(office.folder / "gone")
    finished = await office("", "What is the melt factor of run 17?")
    assert finished.citations
    assert sum("gone" in text for text in office.view.notices()) == 1
    await office("", "And the factor?")
    assert not any("missing" in text for text in office.view.notices())


async def test_a_project_file_never_widens_rights(office):
    """R-NB-5, K01, N12: tier, models, switches and a KB outside are ignored and named."""
    (office.folder / ".orange").mkdir()
    (office.tmp / "elsewhere").mkdir()
    (office.folder / ".orange" / "config.toml").write_text(
        'default_tier = "full-auto"\n[switches]\nnetwork = true\n[models.evil]\nprovider = "openai_compatible"\n'
        'base_url = "http://127.0.0.1:1/v1"\nmodel = "m"\n[[knowledge_bases]]\nid = "kb_1"\nname = "kb"\npath = "kb"\n'
        f'[[knowledge_bases]]\nid = "kb_2"\nname = "out"\npath = "{office.tmp / "elsewhere"}"\n'
    )
    await office("", "What is the melt factor?")
    told = " ".join(office.view.notices())
    assert "outside the project" in told
    assert "default_tier" in told
    status = (await office.say("status")).data
    assert (status["session"]["tier"], [one["name"] for one in status["knowledgeBases"]]) == (
        "workspace-readonly",
        ["kb"],
    )
    assert "evil" not in json.dumps((await office.say("model list")).data)


async def test_variables_and_pictures_go_along(office):
    """R-NB-2, R-READ-9: a bounded repr below the question; a picture only from the selected KBs."""
    await office.say("kb add kb")
    finished = await office("", "What is the melt factor?", variables=(("table", "| ``` |"),))
    turn = await office.now.turn(finished)
    assert turn.question == "What is the melt factor?"
    opened = office.now.app.opened((await office.say("status")).data["session"]["sessionId"])
    messages = await opened.session._parts.transcript.by_turn()
    assert "table =\n````\n| ``` |\n````" in messages[0][1].text
    Image.new("RGB", (8, 8)).save(office.tmp / "out.png")
    with pytest.raises(UsageError, match="not a picture in the selected"):
        await office("", "look", images=(str(office.tmp / "out.png"),))
    Image.new("RGB", (8, 8)).save(office.folder / "kb" / "in.png")
    assert (await office("", "What is the melt factor?", images=("in.png",))).stop_reason is StopReason.ANSWER


async def test_the_cited_passages_are_placed_for_the_record(office):
    """R-UI-3: line, surroundings, a link from the notebook's folder, and `changed` after an edit."""
    await office.say("kb add kb")
    where = Where(str(office.folder / "a.ipynb"), None, str(office.folder))
    finished = await office("", "What is the melt factor of run 17?")
    (place,) = (await office.now.places(finished.citations, where)).values()
    assert (place.link, place.changed) == ("kb/melt.md", False)
    (office.folder / "kb" / "melt.md").write_text("# Other\n")
    (place,) = (await office.now.places(finished.citations, where)).values()
    assert place.changed is True


async def test_names_complete_after_the_first_cell(office):
    """R-NB-3: KBs, sessions, models, files."""
    await office.say("kb add kb")
    await office("", "What is the melt factor?")
    names = office.now.candidates()
    assert names.knowledge_bases == ("kb",)
    assert names.models == ("embedded",)
    assert "melt.md" in names.files
    assert names.sessions


async def test_a_key_is_never_taken_from_a_line(office):
    """R-MOD-2, U08: `model key NAME KEY` is refused, and what stood there is not repeated."""
    await office.say("model add lab --base-url http://127.0.0.1:9/v1 --model m")
    with pytest.raises(UsageError) as refused:
        await office.say("model key lab sk-ant-api03-canarycanarycanary")
    assert "canary" not in refused.value.message + (refused.value.hint or "")


async def test_a_full_tier_that_ended_with_its_kernel_is_said_once(office):
    """R-PERM-10: the session goes on in the workspace tier it had, and the confirmation is offered again."""
    await office.say("kb add kb")
    await office("", "What is the melt factor?")
    session_id = (await office.say("status")).data["session"]["sessionId"]
    await office.now.app.ground.sessions.update(session_id, tier=Tier.FULL_CONFIRM)
    await office.restart()
    await office("", "And now?")
    assert any("full-confirm ended with its kernel" in text for text in office.view.notices())
    assert (await office.say("status")).data["session"]["tier"] == "workspace-readonly"
    await office("", "And again?")
    assert not any("ended with its kernel" in text for text in office.view.notices())


@pytest.mark.parametrize(
    ("said", "title"),
    [
        ("# “Melt factor of run 17.”\n\nmore", "Melt factor of run 17"),
        ("《融雪系数》", "融雪系数"),
        ("x" * 60, ""),
        ("", ""),
    ],
)
def test_a_models_title_is_cleaned_or_left(said, title):
    """R-SESS-1: quotes, marks and a full stop go; what is too long is no title."""
    assert cleaned(said) == title


async def test_a_language_model_names_the_session_unless_the_person_did(office):
    """R-SESS-1: one small request after the first turn, without tools; a name the person gave stays."""

    class Named(Scripted):
        @property
        def info(self):
            return replace(super().info, host="127.0.0.1:1")

    model = Named(
        [
            ScriptedReply(text="4.6"),
            ScriptedReply(text="Melt factor"),
            ScriptedReply(text="5"),
            ScriptedReply(text="Never"),
        ]
    )

    async def the_model(_):
        return model

    office.now.app.model = the_model
    await office("", "What is the melt factor?")
    await asyncio.wait(office.now._tasks or {asyncio.create_task(asyncio.sleep(0))})
    assert (await office.say("status")).data["session"]["title"] == "Melt factor"
    assert model.requests[1].tools == ()
    finished = await office("", "And the second?")
    assert finished.answer == "5"
    assert len(model.requests) == 3


async def test_names_for_completion_can_be_given_as_they_are(office):
    """R-NB-3, R-SCH-4: files below the first KB by their path, of another one below its name; folders to add."""
    (office.folder / "kb" / "深 处").mkdir()
    (office.folder / "kb" / "深 处" / "a b.md").write_text("x\n", encoding="utf-8")
    (office.folder / "kb" / ".hidden").mkdir()
    (office.folder / "more").mkdir()
    (office.folder / "more" / "n.md").write_text("y\n", encoding="utf-8")
    await office.say("kb add kb")
    await office.say("kb add more")
    names = office.now.candidates()
    assert names.files == ("melt.md", "深 处/a b.md", "more/n.md")
    assert names.folders == (".", "kb", "more", "kb/深 处")
    assert names.knowledge_bases == ("kb", "more")
    for file in names.files:
        assert (await office.now.command(("show", file), Where(None, None, str(office.folder)))).markdown
