"""Looking calls of one reply wait for the person side by side, and run one at a time (A17, R-APPR-2, R-APPR-3)."""

from __future__ import annotations

import asyncio

import pytest

from orange_jupyter.core.approval import ApprovalRequest, Outcome
from orange_jupyter.core.grant import Effect, Tier
from orange_jupyter.core.ports import Answer
from orange_jupyter.core.together import groups, run_together
from tests.core.stage import Person, Stage, Trace, call, touch


class Panel(Person):
    """A person who answers when a test says so, in any order."""

    def __init__(self) -> None:
        super().__init__()
        self.waiting: dict[str, asyncio.Future[Outcome]] = {}

    async def ask(self, request: ApprovalRequest) -> Answer:
        self.asked.append(request)
        self.waiting[request.target] = asyncio.get_running_loop().create_future()
        return Answer(await self.waiting[request.target], request.digest, "not this one")

    async def until(self, count: int) -> None:
        async with asyncio.timeout(5):
            while len(self.waiting) < count:
                await asyncio.sleep(0)


def calls(count: int, name: str = "touch"):
    return [call(name, {"path": f"{n}.csv"}, identity=f"call_{n}") for n in range(count)]


async def test_thirty_outside_reads_are_asked_at_once_and_each_is_answered_by_itself():
    """A17: no answer counts for a neighbour; results come in the reply's order, whatever was answered first."""
    trace, person = Trace(), Panel()
    stage = Stage(touch(Effect.LOOK_OUTSIDE, trace), person=person)
    taken: list[tuple[str, bool]] = []

    async def take(one, ran):
        taken.append((one.id, ran.result.ok))

    (group,) = groups(stage.desk, calls(30))
    running = asyncio.create_task(run_together(stage.desk, group, take))
    await person.until(30)
    assert trace.ran == []
    for n in (7, 2, 29):
        person.waiting[f"{n}.csv"].set_result(Outcome.APPROVED)
    for n in range(30):
        if n not in (2, 7, 29):
            person.waiting[f"{n}.csv"].set_result(Outcome.DENIED)
    await running
    assert sorted(trace.ran) == ["2.csv", "29.csv", "7.csv"]
    assert taken == [(f"call_{n}", n in (2, 7, 29)) for n in range(30)]
    assert len({request.digest for request in person.asked}) == 30
    assert [event.outcome for event in stage.heard("approval_ended")].count(Outcome.APPROVED) == 3


async def test_only_one_call_of_a_group_runs_at_a_time():
    """Citations are numbered and evidence is kept as if they had come one after another."""
    trace, person = Trace(), Panel()
    stage = Stage(touch(Effect.LOOK_OUTSIDE, trace), person=person)
    running = asyncio.create_task(run_together(stage.desk, calls(5), _nothing))
    await person.until(5)
    for future in person.waiting.values():
        future.set_result(Outcome.APPROVED)
    await running
    kinds = [event.kind for event in stage.events if event.kind in ("approval_ended", "call_finished")]
    assert kinds == ["approval_ended", "call_finished"] * 5


async def test_a_stop_withdraws_all_that_wait_and_keeps_what_ran():
    """R-APPR-3, R-APPR-5: every question is closed in the record; a result that was there is not lost."""
    trace, person = Trace(), Panel()
    stage = Stage(touch(Effect.LOOK_OUTSIDE, trace), person=person)
    taken: list[str] = []

    async def take(one, _):
        taken.append(one.id)

    running = asyncio.create_task(run_together(stage.desk, calls(3), take))
    await person.until(3)
    person.waiting["1.csv"].set_result(Outcome.APPROVED)
    async with asyncio.timeout(5):
        while not trace.ran:
            await asyncio.sleep(0)
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert taken == ["call_1"]
    outcomes = [event.outcome for event in stage.heard("approval_ended")]
    assert sorted(outcomes) == [Outcome.APPROVED, Outcome.CANCELLED, Outcome.CANCELLED]
    assert trace.ran == ["1.csv"]


async def test_rights_that_change_while_the_panel_waits_cancel_all_of_it():
    """R-PERM-8: nothing of the panel runs under rights that it was not asked for."""
    trace, person = Trace(), Panel()
    stage = Stage(touch(Effect.LOOK_OUTSIDE, trace), person=person)
    running = asyncio.create_task(run_together(stage.desk, calls(3), _nothing))
    await person.until(3)
    stage.change_rights(tier=Tier.WORKSPACE_READONLY)
    for future in person.waiting.values():
        future.set_result(Outcome.APPROVED)
    await running
    assert trace.ran == []
    assert {event.outcome for event in stage.heard("approval_ended")} == {Outcome.EXPIRED}


@pytest.mark.parametrize(
    ("effect", "tier", "together"),
    [
        (Effect.LOOK_OUTSIDE, Tier.FULL_CONFIRM, True),
        (Effect.WEB, Tier.FULL_CONFIRM, True),
        (Effect.LOOK_OUTSIDE, Tier.FULL_AUTO, False),
        (Effect.LOOK, Tier.FULL_CONFIRM, False),
        (Effect.RUN, Tier.FULL_CONFIRM, False),
        (Effect.PROPOSE, Tier.FULL_CONFIRM, False),
        (Effect.BROWSER_ACT, Tier.FULL_CONFIRM, False),
    ],
)
def test_only_calls_that_look_and_are_asked_for_stand_together(effect, tier, together):
    """A command that was approved second must not run first."""
    stage = Stage(touch(effect, Trace()), tier=tier)
    assert len(groups(stage.desk, calls(3))) == (1 if together else 3)


def test_another_call_in_between_keeps_its_place():
    stage = Stage(touch(Effect.WEB, Trace()), touch(Effect.RUN, Trace(), name="exec"))
    first, second, third, fourth = calls(4)
    run = call("exec", identity="call_x")
    unreadable = call(identity="call_y").model_copy(update={"arguments": None})
    order = groups(stage.desk, [first, second, run, third, unreadable, fourth])
    assert [[one.id for one in group] for group in order] == [
        ["call_0", "call_1"],
        ["call_x"],
        ["call_2"],
        ["call_y"],
        ["call_3"],
    ]


async def _nothing(_one, _ran) -> None:
    return
