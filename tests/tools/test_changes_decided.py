"""What becomes of decisions: told to the model, kept over a restart, bound to what was seen, undone while they stand."""

from __future__ import annotations

import asyncio

from orange_jupyter.app import App, ForThisRun
from orange_jupyter.config import ModelSettings, Provider, add_model, use_model
from orange_jupyter.core.changes.again import elsewhere
from orange_jupyter.core.changes.applying import apply
from orange_jupyter.core.changes.news import news
from orange_jupyter.core.changes.values import Choice, HunkChoice, Spot
from orange_jupyter.core.grant import Tier
from orange_jupyter.core.session import Said
from orange_jupyter.providers.scripted import Script, Scripted, ScriptedCall, ScriptedReply
from orange_jupyter.terminal import Yes
from tests.tools.changing import Desk, desk, environ, operation


async def test_the_model_is_told_once_what_the_person_decided(tmp_path):
    """R-CHG-12: rejected, left out and edited hunks stand in the next request, and in no later one as news."""
    note = "".join(f"line {n}\n" for n in range(20))
    edits = [{"oldText": f"line {n}\n", "newText": f"LINE {n}\n"} for n in (2, 17)]
    calls = (
        ScriptedCall(name="edit", arguments={"operation": "multi_replace", "path": "a.md", "edits": edits}),
        ScriptedCall(name="write", arguments={"kind": "file", "targetPath": "n.md", "content": "x\n"}),
        ScriptedCall(name="write", arguments={"kind": "file", "targetPath": "o.md", "content": "x\n"}),
    )
    replies = (ScriptedReply(calls=calls), *(ScriptedReply(text=text) for text in ("done", "I see", "and again")))
    model = Scripted(Script(replies=replies))
    async with desk(tmp_path) as kb:
        kb.app.model = lambda _: _given(model)
        add_model(kb.app.ground.folders.config, "scripted", ModelSettings(provider=Provider.SCRIPTED, script="x.json"))
        use_model(kb.app.ground.folders.config, "scripted")
        opened = await kb.app.create()
        own = Desk(kb.app, opened, kb.root)
        (kb.root / "a.md").write_text(note)
        await opened.session.send("Change it", Said())
        edit, made, rejected = [one.id for one in await own.pending()]
        hunks = (HunkChoice(number=1, text="by hand"), HunkChoice(number=2, taken=False))
        await own.apply(edit, hunks=hunks)
        await own.apply(made)
        await own.reject(rejected)
        assert (kb.root / "a.md").read_text() == note.replace("line 2\n", "by hand\n")
        await opened.session.send("Go on", Said())
        told = [message.text for message in model.requests[-1].messages if "Decisions on your" in message.text]
        assert len(told) == 1
        lines = told[0].splitlines()[1:]
        assert f"{edit} (multi_replace a.md): applied. The person left out hunk 2. The person wrote hunk 1" in lines[0]
        assert "'by hand" in lines[0]
        assert f"{made} (create_file n.md): applied." in lines[1]
        assert f"{rejected} (create_file o.md): rejected." in lines[2]
        await opened.session.send("And now?", Said())
        told = [message.text for message in model.requests[-1].messages if "Decisions on your" in message.text]
        assert len(told) == 1


async def test_the_news_never_put_back_what_was_decided_meanwhile(tmp_path):
    """R-CHG-9, R-CHG-12: while somebody decides, the news wait; ten undos beside them all stand."""
    async with desk(tmp_path) as kb:
        for number in range(10):
            (kb.root / f"{number}.md").write_text("one\n")
            name = await kb.replace(f"{number}.md", "one", "1")
            await kb.applied(name)
            await asyncio.gather(kb.undo(name), *(news(kb.app.means, kb.changes.session_id) for _ in range(3)))
            assert await kb.states(name) == ["undone"]
        async with kb.app.means.alone():
            await kb.app.means.store.update(
                [one.model_copy(update={"told": False}) for one in (await kb.all()).values()]
            )
            waiting = asyncio.ensure_future(news(kb.app.means, kb.changes.session_id))
            await asyncio.wait([waiting], timeout=0.2)
            assert not waiting.done()
        assert (await waiting).count("undone") == 10


async def _given(model: Scripted) -> Scripted:
    return model


async def test_pending_changes_are_decided_after_a_restart_by_another_folder_s_kernel(tmp_path):
    """R-CHG-10, R-SCH-10: the root is remembered; the next kernel needs no KB to apply and undo."""
    async with desk(tmp_path) as kb:
        (kb.root / "a.md").write_text("one\n")
        name = await kb.replace("a.md", "one", "1")
        session = kb.opened.session.state.session_id
    elsewhere_folder = tmp_path / "other"
    elsewhere_folder.mkdir()
    run = ForThisRun(tier=Tier.WORKSPACE_WRITE)
    app = await App.open(environ(tmp_path), str(elsewhere_folder), Yes(), run=run)
    again = Desk(app, await app.resume(await app.ground.sessions.get(session)), tmp_path / "kb")
    await again.applied(name)
    assert (tmp_path / "kb" / "a.md").read_text() == "1\n"
    assert [one.error for one in await again.undo(name)] == [None]
    assert (tmp_path / "kb" / "a.md").read_text() == "one\n"
    await app.close()


async def test_a_choice_of_what_was_seen_before_it_changed_does_nothing(tmp_path):
    """R-CHG-4: an edit below was applied in part, the one above moved: its old digest is refused, the new one applies."""
    async with desk(tmp_path) as kb:
        (kb.root / "a.md").write_text("one\ntwo\n")
        ids = [await kb.replace("a.md", "one", "first"), await kb.replace("a.md", "two", "2")]
        before = await kb.choices(ids[1])
        await kb.applied(ids[0])
        decided = await apply(kb.app.means, kb.opened.session.grant(), before)
        assert decided[0].error.code == "approval_mismatch"
        wrong = [Choice(operation_id=ids[1], digest="0" * 64)]
        assert (await apply(kb.app.means, kb.opened.session.grant(), wrong))[0].error.code == "approval_mismatch"
        assert (kb.root / "a.md").read_text() == "first\ntwo\n"
        await kb.applied(ids[1])
        assert (kb.root / "a.md").read_text() == "first\n2\n"


async def test_what_no_longer_stands_is_not_undone(tmp_path):
    """R-CHG-9: edited since, its old place taken, filled folder: each says why, and every byte stays."""
    async with desk(tmp_path) as kb:
        for name in "abc":
            (kb.root / f"{name}.md").write_text(f"{name}\n")
        ids = [
            operation(await kb.edit("append", "a.md", content="more\n")),
            operation(await kb.edit("rename", "b.md", destination="b2.md")),
            operation(await kb.edit("delete", "c.md")),
            operation(await kb.write("n.md", "new\n")),
            operation(await kb.write("f")),
        ]
        await kb.applied()
        (kb.root / "a.md").write_text("a\nmore\nand mine\n")
        (kb.root / "b.md").write_text("theirs\n")
        (kb.root / "c.md").write_text("theirs\n")
        (kb.root / "n.md").write_text("new and mine\n")
        (kb.root / "f" / "mine.md").write_text("mine\n")
        before = kb.tree()
        undone = await kb.undo(*ids)
        codes = [str(one.error.code) if one.error else "" for one in undone]
        assert codes == ["stale_source", "target_exists", "target_exists", "stale_source", "stale_source"]
        assert kb.tree() == before
        assert await kb.states(*ids) == ["applied"] * 5


async def test_undoing_all_finds_the_order_by_itself(tmp_path):
    """R-CHG-9: the later proposal was applied first; both undone with one act, named in either order."""
    for turn in (1, -1):
        async with desk(tmp_path) as kb:
            (kb.root / "a.md").write_text("one\ntwo\n")
            ids = [await kb.replace("a.md", "one", "1"), await kb.replace("a.md", "two", "2")]
            await kb.applied(ids[1])
            await kb.applied(ids[0])
            assert [one.error for one in await kb.undo(*ids[::turn])] == [None, None]
            assert (kb.root / "a.md").read_text() == "one\ntwo\n"


async def test_a_text_its_encoding_lacks_refuses_that_file_alone(tmp_path):
    """C11, R-CHG-12: the person's own words do not fit GB18030's file in Latin-1; the other file is applied."""
    (tmp_path / "kb").mkdir()
    async with desk(tmp_path, encoding="latin-1") as kb:
        (kb.root / "a.md").write_bytes("caf\xe9 one\n".encode("latin-1"))
        (kb.root / "b.md").write_text("one\n")
        before = (kb.root / "a.md").read_bytes()
        refused = await kb.edit("replace", "a.md", oldText="one", newText="融雪")
        assert refused["error"]["code"] == "encoding_unknown"
        first, second = await kb.replace("a.md", "one", "two"), await kb.replace("b.md", "one", "two")
        choices = await kb.choices(first, hunks=(HunkChoice(number=1, text="café 融雪"),)) + await kb.choices(second)
        decided = await apply(kb.app.means, kb.opened.session.grant(), choices)
        assert [str(one.error.code) if one.error else "" for one in decided] == ["encoding_unknown", ""]
        assert (kb.root / "a.md").read_bytes() == before
        assert (kb.root / "b.md").read_text() == "two\n"


async def test_another_name_takes_along_what_builds_on_a_new_file(tmp_path):
    """R-CHG-4: the name was taken meanwhile; under another one the file and the edit of it are applied."""
    async with desk(tmp_path) as kb:
        made = operation(await kb.write("n.md", "new\n"))
        edit = await kb.replace("n.md", "new", "newer")
        (kb.root / "n.md").write_text("theirs\n")
        assert [str(one.error.code) for one in await kb.apply(made)] == ["target_exists"]
        moved = await elsewhere(kb.changes, made, Spot(root=str(kb.root), relative="m.md"), "m.md")
        assert moved.operation.state == "pending"
        assert (await kb("read", path="m.md"))["content"] == "newer\n"
        await kb.applied(moved.id, edit)
        assert kb.tree() == {"m.md": b"newer\n", "n.md": b"theirs\n"}
