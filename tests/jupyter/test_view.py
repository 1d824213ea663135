"""Events and deltas folded into what a person sees."""

from __future__ import annotations

import json

import pytest

from orange_jupyter.core.approval import Outcome
from orange_jupyter.core.deltas import ModelRetry, Progress, ReasoningDelta, Restarted, TextDelta
from orange_jupyter.core.events import ApprovalAsked, PartDone, StepStarted, StopReason
from orange_jupyter.core.messages import Text, Usage
from orange_jupyter.jupyter.said import Said
from orange_jupyter.jupyter.view import State, TurnView
from orange_jupyter.jupyter.widgets.scene import indexing
from tests.jupyter.turns import ANSWER, REQUEST, ended, finished, running_events, started, view_of, whole_events


def test_a_running_turn_has_its_step_lines_tokens_and_word() -> None:
    """R-UI-1."""
    view = view_of(running_events())
    assert (view.state, view.step, view.step_limit) == (State.RUNNING, 4, 50)
    assert [line.tool for line in view.lines] == ["search", "read", "read"]
    assert [bool(line.finished) for line in view.lines] == [True, True, False]
    assert view.usage == Usage(input_tokens=9214, output_tokens=412)
    assert set(view.known) == {"c1", "c2", "c3", "c4"}


def test_deltas_grow_one_open_text_and_the_part_closes_it() -> None:
    """R-UI-1."""
    view = view_of([started(), StepStarted(step=1, limit=50)])
    assert view.state is State.WAITING
    view = view.deltas([ReasoningDelta(text="hm"), TextDelta(text="a"), TextDelta(text="b")]).deltas(
        [TextDelta(text="c")]
    )
    assert (view.items, view.reasoning, view.state) == ((Said(1, "abc"),), "hm", State.RUNNING)
    view = view.hear(PartDone(part=Text(text="abcd")))
    assert view.items == (Said(1, "abcd", done=True),)
    assert view.answer == "abcd"


def test_a_step_that_begins_again_drops_its_text_openly() -> None:
    """Wire row 23."""
    view = view_of([started(), StepStarted(step=1, limit=50)])
    view = view.deltas([TextDelta(text="half"), Restarted(reason="The stream broke."), TextDelta(text="whole")])
    assert [item.text for item in view.items if isinstance(item, Said)] == ["whole"]
    assert view.notices[0].text == "The stream broke."


def test_a_retry_is_said_until_the_first_byte() -> None:
    """Screen 1."""
    retry = ModelRetry(attempt=2, of=5, seconds=4, reason="the server answered 429")
    view = view_of([started(), StepStarted(step=1, limit=50)]).deltas([retry])
    assert view.retry == retry
    assert view.deltas([TextDelta(text="x")]).retry is None


def test_cards_wait_until_they_are_answered_and_never_after_the_end() -> None:
    """R-APPR-3."""
    view = view_of([*running_events(), ApprovalAsked(call_id="x3", request=REQUEST)])
    assert [card.request.operation_id for card in view.waiting] == ["op_1"]
    assert view.hear(ended(Outcome.DENIED)).waiting == ()
    assert view.hear(finished()).waiting == ()


@pytest.mark.parametrize(
    ("reason", "state"),
    [
        (StopReason.ANSWER, State.DONE),
        (StopReason.PLAN, State.DONE),
        (StopReason.STOPPED, State.STOPPED),
        (StopReason.TAKEN_OVER, State.STOPPED),
        (StopReason.STEP_LIMIT, State.LIMIT),
        (StopReason.TOKEN_LIMIT, State.LIMIT),
        (StopReason.COST_LIMIT, State.LIMIT),
        (StopReason.TIME_LIMIT, State.LIMIT),
        (StopReason.LOOP, State.FAILED),
        (StopReason.MODEL_ERROR, State.FAILED),
        (StopReason.PERMISSION_CHANGED, State.INTERRUPTED),
        (StopReason.INTERRUPTED, State.INTERRUPTED),
    ],
)
def test_every_reason_to_stop_has_its_state(reason: StopReason, state: State) -> None:
    """DESIGN.md, turn head."""
    assert view_of([*running_events(), finished(reason=reason)]).state is state


def test_stopping_stays_the_word_until_the_turn_has_ended() -> None:
    """Screen 1: Stop was pressed."""
    view = view_of(running_events()).stopping().deltas([TextDelta(text="late")]).hear(StepStarted(step=5, limit=50))
    assert view.state is State.STOPPING
    assert view.hear(finished(reason=StopReason.STOPPED)).state is State.STOPPED


def test_a_dead_turn_is_interrupted_and_a_finished_one_stays_done() -> None:
    """R-SESS-2."""
    assert view_of(running_events()).interrupted().state is State.INTERRUPTED
    assert view_of(whole_events()).interrupted().state is State.DONE


def test_progress_shows_until_its_call_or_step_is_over() -> None:
    """R-UI-1."""
    view = view_of(running_events()).deltas([Progress(what="indexing", done=1, total=3)])
    assert view.progress is not None
    assert view_of(whole_events()).progress is None


def test_the_finished_answer_is_the_loops_own() -> None:
    assert view_of(whole_events()).answer == ANSWER
    assert TurnView().answer == ""


def test_a_model_that_is_being_loaded_is_shown_until_it_is_loaded() -> None:
    """R-MOD-7: how long it has taken so far, and nothing once it is there."""
    loading = Progress(what="loading 小模型 tiny.gguf (2 MB)", done=3)
    view = TurnView().deltas((loading,))
    assert view.progress == loading
    assert view.deltas((loading.model_copy(update={"total": 3}),)).progress is None
    shown = {language: indexing(loading, language) for language in ("en", "zh")}
    assert "小模型 tiny.gguf (2 MB)" in json.dumps(shown["en"]["title"], ensure_ascii=False)
    assert (shown["en"]["count"], shown["zh"]["count"], shown["en"]["total"]) == ("3 s", "3 秒", None)
