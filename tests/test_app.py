"""Sessions on real parts (store, index, files) with the scripted model: R-SESS-1…4, R-CTX-1…3, R-PERM-1, -3, -8, -10, R-APPR-5."""

from __future__ import annotations

import asyncio
import itertools
import json
import sys
import traceback
from dataclasses import replace

import pytest
from PIL import Image as Picture

from orange_jupyter.app import App, ForThisRun
from orange_jupyter.cli.tool import call as cli_call
from orange_jupyter.config import ModelSettings, Prices, Provider, add_model, use_model
from orange_jupyter.core.approval import Outcome
from orange_jupyter.core.errors import RightsError, SessionError
from orange_jupyter.core.events import StopReason
from orange_jupyter.core.grant import Tier
from orange_jupyter.core.limits import TurnLimits, circles
from orange_jupyter.core.messages import Image, Role, ToolCall, ToolResult, Usage
from orange_jupyter.core.ports import Answer
from orange_jupyter.core.repair import repair
from orange_jupyter.core.session import Said
from orange_jupyter.prices import Priced, cost
from orange_jupyter.providers.scripted import Script, Scripted, ScriptedCall, ScriptedReply
from orange_jupyter.storage.transcript import Transcript
from orange_jupyter.terminal import Nobody
from orange_jupyter.turns import Collector

SEARCH = ScriptedReply(calls=(ScriptedCall(name="search", arguments={"query": "melt"}),))


class Waiting(Nobody):
    """An Approver that leaves every question open until `answer` is set."""

    def __init__(self):
        self.asked = asyncio.Event()
        self.answers: asyncio.Queue[Outcome] = asyncio.Queue()
        self.confirmed = Outcome.APPROVED

    async def ask(self, request):
        self.asked.set()
        return Answer(await self.answers.get(), request.digest)

    async def confirm(self, _):
        return self.confirmed


class Heard:
    """A view that keeps what it hears; `first` is set at the first piece of text."""

    def __init__(self):
        self.events = []
        self.first = asyncio.Event()

    async def hear(self, event):
        self.events.append(event)

    def delta(self, delta):
        if delta.kind == "text_delta":
            self.first.set()


@pytest.fixture
async def world(tmp_path):
    """A KB, an installation, and a function that opens an app whose model follows a script."""
    folder = tmp_path / "notes"
    (folder / ".orange").mkdir(parents=True)
    (folder / ".orange" / "config.toml").write_text('[[knowledge_bases]]\nid = "kb_m"\nname = "notes"\npath = "."\n')
    (folder / "melt.md").write_text("# Melt\n\nThe melt factor is 4.6.\n", encoding="utf-8")
    environ = {"ORANGE_HOME": str(tmp_path / "home"), "ORANGE_CACHE": str(tmp_path / "cache"), "HOME": str(tmp_path)}
    apps = []

    async def opened(*replies, approver=None, run=None, vision=False):
        app = await App.open(environ, str(folder), approver or Nobody(), run=run)
        apps.append(app)
        config = app.ground.folders.config
        add_model(config, "scripted", ModelSettings(provider=Provider.SCRIPTED, script="unused.json"))
        use_model(config, "scripted")
        scripted = Scripted(Script(replies=tuple(replies), vision=vision))

        async def model(_):
            return scripted

        app.model = model
        return app, scripted

    opened.folder = folder
    opened.tmp = tmp_path
    yield opened
    for app in apps:
        await app.close()


async def ask(opened, text, *views):
    collector = Collector()
    finished = await opened.session.send(text, Said(views=(collector, *views)))
    return collector.turn(finished, opened.session.state)


async def test_a_request_is_a_prefix_of_the_next_one(world):
    """R-CTX-1, R-CTX-3: one system message first, tools beside, results as role=tool; bytes stay between steps and turns."""
    app, model = await world(
        SEARCH, ScriptedReply(text="It is 4.6 [c1]."), SEARCH, ScriptedReply(text="Still 4.6 [c1].")
    )
    opened = await app.create()
    first = await ask(opened, "What is the melt factor?")
    await ask(opened, "And now?")
    assert [citation.path for citation in first.citations] == ["melt.md"]
    shapes = [[message.model_dump_json() for message in request.messages] for request in model.requests]
    tools = [[tool.model_dump_json() for tool in request.tools] for request in model.requests]
    for before, after in itertools.pairwise(shapes):
        assert after[: len(before)] == before
    assert tools[0] == tools[-1]
    roles = [message.role for message in model.requests[-1].messages]
    assert roles == [
        Role.SYSTEM,
        Role.USER,
        Role.ASSISTANT,
        Role.TOOL,
        Role.ASSISTANT,
        Role.USER,
        Role.ASSISTANT,
        Role.TOOL,
    ]
    assert model.requests[-1].messages == (model.requests[-1].messages[0], *repair(model.requests[-1].messages[1:]))


async def test_stop_in_mid_stream_keeps_what_was_said_and_the_next_turn_goes_on(world):
    """R-SESS-4, A21: the partial answer is durable and goes to the model with the next question."""
    app, model = await world(
        ScriptedReply(text="The gauge record has a gap " * 200, chunk=8, delay=0.01), ScriptedReply(text="fine")
    )
    opened, heard = await app.create(), Heard()
    turn = asyncio.create_task(ask(opened, "Look at the gauge", heard))
    await heard.first.wait()
    assert await asyncio.wait_for(opened.session.stop(), 2)
    stopped = await turn
    assert stopped.stop_reason is StopReason.STOPPED
    assert "The gauge record".startswith(stopped.answer[:16])
    assert stopped.answer
    after = await ask(opened, "Go on")
    assert after.answer == "fine"
    said = [message.text for message in model.requests[-1].messages if message.role is Role.ASSISTANT]
    assert said == [stopped.answer]


@pytest.mark.parametrize("ticks", range(0, 60, 3))
async def test_cancelling_a_turn_at_any_moment_leaves_a_well_formed_record(world, ticks):
    """A21, R-SESS-2: the caller is cancelled after so many turns of the loop; the next turn works."""
    app, model = await world(
        SEARCH, ScriptedReply(text="It is 4.6 [c1]. " * 5, chunk=4), *[ScriptedReply(text="ok", always=True)]
    )
    opened = await app.create()
    turn = asyncio.create_task(ask(opened, "What is the melt factor?"))
    for _ in range(ticks * 4):
        await asyncio.sleep(0)
    turn.cancel()
    await asyncio.wait({turn})
    again = await ask(opened, "Again?")
    assert again.stop_reason is StopReason.ANSWER
    sent = model.requests[-1].messages[1:]
    assert repair(sent) == sent
    transcript = Transcript(app.ground.database, opened.record.session_id)
    assert all(turn.finished is not None for turn in await transcript.turns())


async def test_turns_of_one_session_run_in_order_and_a_waiting_one_can_be_stopped(world):
    """R-SESS-3: the second waits for the first; the third leaves the queue."""
    slow = ScriptedReply(text="first " * 20, chunk=6, delay=0.005)
    app, model = await world(slow, ScriptedReply(text="second"))
    opened, heard = await app.create(), Heard()
    one = asyncio.create_task(ask(opened, "one", heard))
    await heard.first.wait()
    two, three = asyncio.create_task(ask(opened, "two")), asyncio.create_task(ask(opened, "three"))
    await asyncio.sleep(0)
    three.cancel()
    assert (await one).answer.startswith("first")
    assert (await two).answer == "second"
    with pytest.raises(asyncio.CancelledError):
        await three
    assert [request.messages[-1].text for request in model.requests] == ["one", "two"]


async def test_a_change_of_rights_cancels_the_question_and_interrupts_the_turn(world):
    """R-PERM-8, A02: the late click does nothing, the record says cancelled, the version moved."""
    outside = world.tmp / "secret.txt"
    outside.write_text("CANARY")
    read = ScriptedReply(calls=(ScriptedCall(name="read", arguments={"path": str(outside)}),))
    approver = Waiting()
    app, _ = await world(read, ScriptedReply(text="never"), approver=approver, run=ForThisRun(tier=Tier.FULL_CONFIRM))
    opened = await app.create()
    turn = asyncio.create_task(ask(opened, "Read it"))
    await approver.asked.wait()
    version = opened.session.state.permission_version
    await opened.session.set_plan(True)
    approver.answers.put_nowait(Outcome.APPROVED)
    ended = await turn
    assert ended.stop_reason is StopReason.PERMISSION_CHANGED
    assert opened.session.state.permission_version == version + 1
    decisions = await Transcript(app.ground.database, opened.record.session_id).decisions()
    assert [(one.tool, one.outcome) for one in decisions] == [("read", Outcome.CANCELLED)]


async def test_a_full_tier_is_entered_by_a_person_only(world):
    """R-PERM-1, R-PERM-3, A19: nobody there, or a person who stays: the tier stays; lowering needs no confirmation."""
    app, _ = await world()
    opened = await app.create()
    assert opened.session.state.tier is Tier.WORKSPACE_READONLY
    with pytest.raises(RightsError, match="Nobody is here"):
        await opened.session.set_tier(Tier.FULL_AUTO)
    approver = Waiting()
    other, _ = await world(approver=approver)
    second = await other.create()
    approver.confirmed = Outcome.DENIED
    with pytest.raises(RightsError, match="was not entered"):
        await second.session.set_tier(Tier.FULL_CONFIRM)
    approver.confirmed = Outcome.APPROVED
    assert await second.session.set_tier(Tier.FULL_AUTO) is Tier.FULL_AUTO
    approver.confirmed = Outcome.DENIED
    assert await second.session.set_tier(Tier.FULL_CONFIRM) is Tier.FULL_CONFIRM
    assert await second.session.set_tier(Tier.WORKSPACE_WRITE) is Tier.WORKSPACE_WRITE


async def test_a_full_tier_ends_with_its_process(world):
    """R-PERM-10: opened again, the session is in the workspace tier it had, and knows what ended."""
    app, _ = await world(approver=Waiting())
    opened = await app.create()
    await opened.session.set_tier(Tier.WORKSPACE_WRITE)
    await opened.session.set_tier(Tier.FULL_AUTO)
    session_id = opened.record.session_id
    await app.close()
    again, _ = await world()
    record = await again.ground.sessions.get(session_id)
    assert (record.tier, record.ended_full) == (Tier.WORKSPACE_WRITE, Tier.FULL_AUTO)
    assert (await again.resume(record)).session.state.tier is Tier.WORKSPACE_WRITE


async def test_plan_mode_never_raises_the_tier(world):
    """R-PLAN-3: off again, the tier is what was set."""
    app, _ = await world()
    session = (await app.create()).session
    await session.set_tier(Tier.WORKSPACE_WRITE)
    await session.set_plan(True)
    assert session.grant().plan
    await session.set_plan(False)
    assert session.state.tier is Tier.WORKSPACE_WRITE


async def test_a_second_process_is_told_who_has_the_session(world):
    """R-SESS-3, R02: busy, with the notebook's name; free again when the first one closes."""
    app, _ = await world()
    opened = await app.create(notebook="/home/ann/melt.ipynb")
    other, _ = await world()
    record = await other.ground.sessions.get(opened.record.session_id)
    with pytest.raises(SessionError, match=r"melt\.ipynb"):
        await other.resume(record)
    await app.close()
    assert (await other.resume(record)).record.session_id == record.session_id


async def test_pictures_go_to_a_model_that_sees_and_become_a_note_in_the_next_turn(world):
    """R-READ-7, R-READ-9, R-CTX-3, R-MOD-8: never base64 in the envelope; without vision the reason."""
    Picture.new("RGB", (40, 30), (200, 80, 20)).save(world.folder / "figure.png")
    look = ScriptedReply(calls=(ScriptedCall(name="read", arguments={"path": "figure.png"}),))
    app, model = await world(look, ScriptedReply(text="orange"), ScriptedReply(text="later"), vision=True)
    opened = await app.create()
    await ask(opened, "What is in the figure?")
    await ask(opened, "And before?")
    results = [part for message in model.requests[1].messages for part in message.parts if isinstance(part, ToolResult)]
    assert [image.media_type.partition("/")[0] for image in results[0].images] == ["image"]
    assert "base64" not in results[0].content
    later = [part for message in model.requests[2].messages for part in message.parts]
    assert not any(isinstance(part, Image) or (isinstance(part, ToolResult) and part.images) for part in later)
    blind_app, _ = await world(look, ScriptedReply(text="cannot see"))
    turn = await ask(await blind_app.create(), "What is in the figure?")
    assert "visionUnavailable" in turn.steps[0].calls[0].envelope


async def test_every_call_goes_through_run_call(world):
    """R-PERM-7: one spy in a tool's run sees the same function above it for the model's and the command line's calls."""
    seen = []
    app, _ = await world(SEARCH, ScriptedReply(text="done"))
    opened = await app.create()
    parts = opened.session._parts
    spied = {}
    for name, tool in parts.tools.items():

        async def run(context, arguments, action, tool=tool):
            stack = [frame.name for frame in traceback.extract_stack(sys._getframe())]
            task = asyncio.current_task()
            stack += [frame.f_code.co_name for frame in (task.get_stack() if task else [])]
            seen.append((tool.name, "run_call" in stack))
            return await tool.run(context, arguments, action)

        spied[name] = replace(tool, run=run)
    opened.session._parts = replace(parts, tools=spied)
    await ask(opened, "go")
    await cli_call(app, opened, "list", {})
    assert [name for name, _ in seen] == ["search", "list"]
    assert all(through for _, through in seen)


async def test_a_file_that_vanishes_between_search_and_read_is_a_clear_error(world):
    """Bad input: the model reads not_found and goes on."""
    read = ScriptedReply(calls=(ScriptedCall(name="read", arguments={"path": "melt.md"}),))
    app, _ = await world(SEARCH, read, ScriptedReply(text="It is gone."))
    opened = await app.create()

    class Remover(Heard):
        async def hear(self, event):
            if event.kind == "call_finished" and event.tool == "search":
                (world.folder / "melt.md").unlink()

    turn = await ask(opened, "melt?", Remover())
    assert turn.steps[1].calls[0].code == "not_found"
    assert turn.answer == "It is gone."


@pytest.mark.parametrize("text", ["", "   \n\t "])
async def test_an_empty_question_is_refused_before_anything_is_recorded(world, text):
    """Bad input: one line, nothing stored."""
    app, model = await world()
    opened = await app.create()
    with pytest.raises(SessionError, match="empty"):
        await opened.session.send(text)
    assert model.requests == []


async def test_a_megabyte_of_question_is_one_readable_line(world):
    """Bad input: it does not fit the window; the earlier turn is there."""
    app, _ = await world(ScriptedReply(text="hello"))
    opened = await app.create()
    await ask(opened, "hi")
    turn = await ask(opened, "雪" * 1_000_000)
    assert turn.stop_reason is StopReason.MODEL_ERROR
    assert "does not fit" in turn.error
    turns = await Transcript(app.ground.database, opened.record.session_id).turns()
    assert [one.finished.answer for one in turns] == ["hello", ""]


@pytest.mark.parametrize("finish", ["length", "content_filter"])
async def test_a_reply_that_was_cut_runs_none_of_its_calls(world, finish):
    """Wire row 11: the model is told and calls again."""
    cut = ScriptedReply(calls=(ScriptedCall(name="list"),), finish=finish)
    app, model = await world(cut, ScriptedReply(text="ok"))
    turn = await ask(await app.create(), "list")
    assert turn.steps[0].calls == ()
    assert "limit_reached" in model.requests[1].messages[-1].parts[0].content


async def test_malformed_calls_may_be_repaired_twice_then_the_turn_ends(world):
    """R-MOD-3: three unreadable calls in a row end the turn with a clear line."""
    broken = ScriptedReply(calls=(ScriptedCall(name="list", raw="{oops"),))
    app, _ = await world(broken, broken, broken, ScriptedReply(text="never"))
    turn = await ask(await app.create(), "list")
    assert turn.stop_reason is StopReason.MODEL_ERROR
    assert "unreadable" in turn.error


async def test_an_empty_reply_gets_one_nudge(world):
    """Wire row 12."""
    app, model = await world(ScriptedReply(text=""), ScriptedReply(text="here"))
    assert (await ask(await app.create(), "hi")).answer == "here"
    assert "empty" in model.requests[1].messages[-1].text


async def test_the_step_limit_ends_a_turn_that_never_answers(world):
    """R-MOD-5: `step_limit`, and what was found stays."""
    app, _ = await world(*[SEARCH] * 60)
    opened = await app.create()
    collector = Collector()
    finished = await opened.session.send("loop", Said(views=(collector,), steps=3))
    assert (finished.stop_reason, finished.steps) == (StopReason.STEP_LIMIT, 3)


async def test_call_ids_that_a_model_repeats_become_unique(world):
    """Wire row 5: so an approval can never stand for two calls."""
    same = ScriptedReply(calls=(ScriptedCall(name="list", id="x"), ScriptedCall(name="list", id="x")))
    app, model = await world(same, same, ScriptedReply(text="done"))
    await ask(await app.create(), "list")
    ids = [part.id for message in model.requests[-1].messages for part in message.parts if isinstance(part, ToolCall)]
    assert len(ids) == len(set(ids)) == 4


async def test_the_record_of_a_session_survives_a_restart_of_everything(world):
    """R-SESS-1, R-SESS-2: title, model, KBs, history; `ask` goes on where it was."""
    app, _ = await world(ScriptedReply(text="one"))
    opened = await app.create(notebook="/n/melt.ipynb")
    await ask(opened, "Remember the number seven, please")
    await app.close()
    again, model = await world(ScriptedReply(text="two"))
    record = await again.ground.sessions.for_notebook("/n/melt.ipynb")
    assert record.title == "Remember the number seven, please"
    resumed = await again.resume(record, notebook="/n/melt.ipynb")
    assert resumed.session.state.knowledge_bases == ("kb_m",)
    await ask(resumed, "Which number?")
    assert "seven" in json.dumps([message.text for message in model.requests[0].messages])


async def test_a_fault_of_ours_is_in_the_private_log_under_its_reference_and_masked(world):
    """R-ALL-1, R-ALL-5, S04, U08: no traceback for the model, the whole of it in ORANGE_HOME/orange.log, mode 600."""
    app, _ = await world(SEARCH, ScriptedReply(text="done"))
    opened = await app.create()
    parts = opened.session._parts

    secret = "sk-ant-api03-" + "Q7x" * 20

    async def broken(*_):
        raise ValueError(secret)

    opened.session._parts = replace(parts, tools={**parts.tools, "search": replace(parts.tools["search"], run=broken)})
    turn = await ask(opened, "go")
    call = turn.steps[0].calls[0]
    assert call.code == "internal"
    log = world.tmp / "home" / "orange.log"
    text = log.read_text("utf-8")
    reference = call.summary.split("reference ")[1].rstrip(").")
    assert reference in text
    assert "Traceback" in text
    assert secret not in text
    assert "masked" in text
    assert log.stat().st_mode & 0o077 == 0


async def test_a_model_in_circles_gets_a_note_then_the_person_is_asked_then_the_turn_ends(world):
    """R-MOD-5, wire row 30: periods 1 to 5; headless there is no question; what was found stays."""
    app, model = await world(*[SEARCH] * 20)
    opened = await app.create()
    turn = await ask(opened, "go")
    assert turn.stop_reason is StopReason.LOOP
    assert len(turn.steps) == 6
    assert "same calls" in model.requests[3].messages[-1].text
    approver = Waiting()
    other, _ = await world(*[SEARCH] * 6, ScriptedReply(text="enough"), approver=approver)
    approver.answers.put_nowait(Outcome.APPROVED)
    again = await ask(await other.create(), "go")
    assert (again.stop_reason, again.answer) == (StopReason.ANSWER, "enough")


async def test_tokens_cost_and_time_end_a_turn(world):
    """R-MOD-5, R-CTX-4: each limit has its own reason; cost only where prices are known."""
    costly = ScriptedReply(calls=SEARCH.calls, usage=Usage(input_tokens=1000, cache_read_tokens=400, output_tokens=100))
    slow = ScriptedReply(text="word " * 400, chunk=4, delay=0.02)
    for limits, replies, reason in (
        (TurnLimits(tokens=1500), (costly, costly, costly), StopReason.TOKEN_LIMIT),
        (TurnLimits(cost=0.003), (costly, costly, costly), StopReason.COST_LIMIT),
        (TurnLimits(seconds=0.2), (slow,), StopReason.TIME_LIMIT),
    ):
        app, scripted = await world(*replies)
        priced = Priced(scripted, Prices(input=1.0, output=10.0, cache_read=0.1))

        async def model(_, priced=priced):
            return priced

        app.model = model
        opened = await app.create()
        opened.session._parts = replace(opened.session._parts, limits=limits, model=model)
        turn = await ask(opened, "go")
        assert turn.stop_reason is reason
    assert cost(costly.usage, Prices(input=1.0, output=10.0, cache_read=0.1)) == pytest.approx((600 + 40 + 1000) / 1e6)


@pytest.mark.parametrize("period", [1, 2, 3, 4, 5])
def test_circles_of_every_period_are_seen_and_progress_is_not(period):
    """R-MOD-5: three times the same sequence, not two; a result that changes is progress."""
    once = [f"s{number}" for number in range(period)]
    assert circles(["x", *once * 3])
    assert not circles(once * 2 + once[:-1])
    assert not circles([f"s{number}" for number in range(20)])
