"""The record of one session: written, read again, closed after a death."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from orange_jupyter.core.approval import Outcome
from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import StoreError
from orange_jupyter.core.events import (
    ApprovalEnded,
    CallFinished,
    CallStarted,
    Event,
    PartDone,
    StepStarted,
    StopReason,
    TurnFinished,
)
from orange_jupyter.core.masking import Masker
from orange_jupyter.core.messages import Message, Reasoning, Role, Text, ToolCall, ToolResult
from orange_jupyter.core.ports import Clock
from orange_jupyter.storage.database import Database
from orange_jupyter.storage.export import export_json, export_markdown
from orange_jupyter.storage.lease import Lease, Leases
from orange_jupyter.storage.sessions import Sessions
from orange_jupyter.storage.transcript import Transcript
from tests.storage.turns import asked, call, call_finished, ended, finished, started, well_formed, whole_turn

KEY = "sk-proj-" + "Ab3dEf6hIj9kLm2nOp5q"


@pytest_asyncio.fixture
async def lease(sessions: Sessions, leases: Leases) -> AsyncIterator[Lease]:
    made = await sessions.create(title="Titel 标题", model="m")
    held = await leases.acquire(made.session_id)
    yield held
    held.release()


async def write(transcript: Transcript, turn_id: str, *entries: Event | Message) -> None:
    for entry in entries:
        if isinstance(entry, Message):
            await transcript.append_message(turn_id, entry)
        else:
            await transcript.append_event(turn_id, entry)


async def test_events_and_messages_come_back_as_they_were(database: Database, lease: Lease, clock: Clock) -> None:
    """R-SESS-2."""
    transcript = await Transcript.open(database, lease, clock=clock)
    turn = whole_turn("t1", lease.session_id)
    await write(transcript, "t1", *turn)
    events = tuple(entry for entry in turn if not isinstance(entry, Message))
    assert await transcript.events() == events
    assert await transcript.events("t1") == events
    assert await transcript.events("t2") == ()
    assert await transcript.messages() == tuple(entry for entry in turn if isinstance(entry, Message))
    again = await Transcript.open(database, lease, clock=clock)
    assert await again.events() == events
    assert well_formed(await again.messages())


async def test_a_turn_counts_in_its_session(database: Database, sessions: Sessions, lease: Lease, clock: Clock) -> None:
    transcript = await Transcript.open(database, lease, clock=clock)
    await write(transcript, "t1", *whole_turn("t1", lease.session_id))
    await write(transcript, "t2", started("t2", lease.session_id, number=2))
    record = await sessions.get(lease.session_id)
    assert (record.turns, record.updated_at) == (2, "2026-11-30T17:05:00Z")
    first, second = await transcript.turns()
    assert (first.turn_id, second.turn_id) == ("t1", "t2")
    assert first.finished is not None
    assert second.started is not None
    assert second.finished is None


async def test_partial_text_is_replaced_and_dropped_when_its_part_arrives(
    database: Database, lease: Lease, clock: Clock
) -> None:
    transcript = await Transcript.open(database, lease, clock=clock)
    await write(transcript, "t1", started("t1", lease.session_id), StepStarted(step=1, limit=5))
    await transcript.save_partial("t1", "Hi")
    await transcript.save_partial("t1", "Hier. 在")
    assert (await transcript.turns())[0].partial == "Hier. 在"
    await write(transcript, "t1", PartDone(part=Text(text="Hier. 在这里。")))
    assert (await transcript.turns())[0].partial == ""


@pytest.mark.parametrize("length", range(1, 18))
async def test_a_turn_that_died_after_any_entry_is_closed_and_well_formed(
    database: Database, lease: Lease, clock: Clock, length: int
) -> None:
    """R-SESS-2, R01: cut after each of the 17 entries; the history keeps all, the next request is well-formed."""
    transcript = await Transcript.open(database, lease, clock=clock)
    kept = whole_turn("t1", lease.session_id)[:length]
    await write(transcript, "t1", *kept)
    again = await Transcript.open(database, lease, clock=clock)
    events = await again.events()
    before = tuple(entry for entry in kept if not isinstance(entry, Message))
    assert events[: len(before)] == before
    last = events[-1]
    assert isinstance(last, TurnFinished)
    assert (last.stop_reason is StopReason.INTERRUPTED) == (length < 17)
    open_calls = {one.call_id for one in events if isinstance(one, CallStarted)}
    assert open_calls == {one.call_id for one in events if isinstance(one, CallFinished)}
    messages = await again.messages()
    assert well_formed(messages)
    assert messages[0].text == "Wo steht das? 在哪里？"
    await write(again, "t2", Message(role=Role.USER, parts=(Text(text="weiter"),)))
    assert well_formed(await again.messages())
    once_more = await Transcript.open(database, lease, clock=clock)
    assert await once_more.events() == events


async def test_the_text_that_was_still_coming_is_kept_and_shown(database: Database, lease: Lease, clock: Clock) -> None:
    """R-SESS-2."""
    transcript = await Transcript.open(database, lease, clock=clock)
    await write(transcript, "t1", *whole_turn("t1", lease.session_id)[:13])
    await transcript.save_partial("t1", "Hier. 在")
    again = await Transcript.open(database, lease, clock=clock)
    (turn,) = await again.turns()
    assert turn.finished is not None
    assert (turn.finished.stop_reason, turn.finished.answer, turn.finished.steps) == (
        StopReason.INTERRUPTED,
        "Hier. 在",
        2,
    )
    assert turn.finished.usage.input_tokens == 10
    assert PartDone(part=Text(text="Hier. 在")) in turn.events
    assert turn.partial == ""
    assert (await again.messages())[-1] == Message(role=Role.ASSISTANT, parts=(Text(text="Hier. 在"),))


async def test_a_call_that_had_finished_keeps_its_result_and_a_lost_one_says_so(
    database: Database, lease: Lease, clock: Clock
) -> None:
    """R-SESS-2: two calls in flight, one result on disk but not yet in the messages."""
    transcript = await Transcript.open(database, lease, clock=clock)
    await write(
        transcript,
        "t1",
        started("t1", lease.session_id),
        Message(role=Role.USER, parts=(Text(text="x"),)),
        StepStarted(step=1, limit=5),
        PartDone(part=Reasoning(text="hm")),
        PartDone(part=call("a")),
        PartDone(part=call("b")),
        CallStarted(call_id="a", tool="search", arguments={}),
        CallStarted(call_id="b", tool="search", arguments={}),
        call_finished("a"),
    )
    again = await Transcript.open(database, lease, clock=clock)
    messages = await again.messages()
    assert [message.role for message in messages] == [Role.USER, Role.ASSISTANT, Role.TOOL, Role.TOOL, Role.ASSISTANT]
    assert [part.kind for part in messages[1].parts] == ["reasoning", "tool_call", "tool_call"]
    first, second = messages[2].parts[0], messages[3].parts[0]
    assert first == call_finished("a").result
    assert isinstance(second, ToolResult)
    assert json.loads(second.content)["error"]["code"] == Code.CANCELLED
    assert "may have had effects" in second.content


async def test_decisions_are_kept_with_time_and_version(database: Database, lease: Lease, clock: Clock) -> None:
    """R-APPR-5: asked, and each way of ending; the first end stands."""
    transcript = await Transcript.open(database, lease, clock=clock)
    await write(transcript, "t1", started("t1", lease.session_id))
    for outcome in Outcome:
        await write(transcript, "t1", asked(f"op_{outcome}"), ended(outcome, f"op_{outcome}"))
        await write(transcript, "t1", ended(Outcome.APPROVED, f"op_{outcome}"))
    found = await transcript.decisions()
    assert [one.outcome for one in found] == list(Outcome)
    assert {(one.asked_version, one.ended_version, one.asked_at, one.tool) for one in found} == {
        (3, 4, "2026-11-30T17:05:00Z", "read")
    }


async def test_a_question_whose_kernel_died_has_expired(database: Database, lease: Lease, clock: Clock) -> None:
    """R-APPR-3, R-APPR-5."""
    transcript = await Transcript.open(database, lease, clock=clock)
    await write(transcript, "t1", started("t1", lease.session_id), asked())
    assert [one.outcome for one in await transcript.decisions()] == [None]
    again = await Transcript.open(database, lease, clock=clock)
    assert [one.outcome for one in await again.decisions()] == [Outcome.EXPIRED]
    assert any(isinstance(event, ApprovalEnded) for event in await again.events())


async def test_no_key_reaches_the_disk(database: Database, lease: Lease, clock: Clock) -> None:
    """R-ALL-5, R-APPR-2, S01: in a question, an argument, a result, a card, a partial."""
    transcript = await Transcript.open(database, lease, clock=clock, mask=Masker().mask)
    card = asked().model_copy(update={"request": asked().request.model_copy(update={"target": KEY, "arguments": KEY})})
    leak = ToolCall(id="c", name="read", arguments={"path": [KEY]}, raw=json.dumps({"path": KEY}))
    await write(
        transcript,
        "t1",
        started("t1", lease.session_id, text=f"my key is {KEY}"),
        PartDone(part=leak),
        card,
        call_finished().model_copy(update={"envelope": {"content": {"deep": [KEY]}}}),
        Message(role=Role.ASSISTANT, parts=(Text(text=KEY), leak)),
    )
    await transcript.save_partial("t1", f"so far {KEY}")
    files = [file.read_bytes() for file in database.file.parent.iterdir() if file.is_file()]
    assert not any(KEY.encode() in data for data in files)
    assert "my key is ⟦masked⟧" in repr(await transcript.events())


async def test_odd_text_is_kept(database: Database, lease: Lease, clock: Clock) -> None:
    """NUL, emoji, bytes that were no UTF-8."""
    transcript = await Transcript.open(database, lease, clock=clock)
    await write(transcript, "t1", started("t1", lease.session_id, text="a\0b 🍊"))
    odd = call_finished().model_copy(update={"envelope": {"path": "caf\udce9.md"}})
    await write(transcript, "t1", odd)
    first, second = await transcript.events()
    assert first == started("t1", lease.session_id, text="a\0b 🍊")
    assert isinstance(second, CallFinished)
    assert second.envelope == {"path": "caf\\udce9.md"}


async def test_an_entry_of_another_version_is_named(database: Database, lease: Lease, clock: Clock) -> None:
    """R09."""
    transcript = await Transcript.open(database, lease, clock=clock)
    await write(transcript, "t1", finished("t1"))
    await database.run(lambda one: one.execute("""UPDATE records SET body = '{"kind": "later"}'""").fetchall())
    with pytest.raises(StoreError, match="another version"):
        await transcript.events()


async def test_a_session_is_exported_for_programs_and_people(
    database: Database, sessions: Sessions, lease: Lease, clock: Clock
) -> None:
    """R-SESS-1: JSON and Markdown."""
    transcript = await Transcript.open(database, lease, clock=clock)
    await write(transcript, "t1", *whole_turn("t1", lease.session_id))
    record, turns = await sessions.get(lease.session_id), await transcript.turns()
    whole = json.loads(export_json(record, turns))
    assert whole["session"]["title"] == "Titel 标题"
    assert whole["session"]["turns"][0]["events"][0]["text"] == "Wo steht das? 在哪里？"
    page = export_markdown(record, turns)
    assert page.startswith("# Titel 标题\n")
    for line in ("> Wo steht das? 在哪里？", "- ✓ `search` 3 passages (allowed)", "Hier. 在这里。"):
        assert line in page.splitlines()
    await write(transcript, "t2", started("t2", lease.session_id, number=2))
    await Transcript.open(database, lease, clock=clock)
    assert "*interrupted*" in export_markdown(record, await transcript.turns())


async def test_messages_come_back_with_their_turn(database: Database, lease: Lease, clock: Clock) -> None:
    """R-CTX-1: the packing knows where a turn begins."""
    transcript = await Transcript.open(database, lease, clock=clock)
    await write(transcript, "t1", *whole_turn("t1", lease.session_id))
    await write(transcript, "t2", Message(role=Role.USER, parts=(Text(text="weiter"),)))
    found = await transcript.by_turn()
    assert [turn_id for turn_id, _ in found] == ["t1"] * 4 + ["t2"]
    assert tuple(message for _, message in found) == await transcript.messages()
