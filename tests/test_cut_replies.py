"""Replies that end too early or never: said to the person, never taken for a whole answer (wire row 11, U10)."""

from __future__ import annotations

import pytest

from orange_jupyter.core.events import StopReason
from orange_jupyter.core.messages import Finish
from orange_jupyter.core.replying import MOST_CHARACTERS
from orange_jupyter.providers.scripted import ScriptedCall, ScriptedReply
from tests.test_app import ask, world

__all__ = ["world"]
TEXT = "The sap flow was forty eight and"


async def test_an_answer_that_was_cut_says_so(world):
    """R-MOD-4: the text stays, and a line says that it is not whole."""
    app, _ = await world(ScriptedReply(text=TEXT, finish=Finish.LENGTH), ScriptedReply(text=TEXT))
    opened = await app.create()
    cut, whole = await ask(opened, "How much?"), await ask(opened, "How much?")
    assert (cut.answer, cut.stop_reason) == (TEXT, StopReason.ANSWER)
    assert any("cut at the model's output limit" in one for one in cut.notices)
    assert not whole.notices


async def test_an_answer_that_a_filter_cut_is_an_error_that_keeps_what_was_said(world):
    """R-MOD-4."""
    app, _ = await world(ScriptedReply(text=TEXT, finish=Finish.CONTENT_FILTER))
    turn = await ask(await app.create(), "How much?")
    assert turn.stop_reason is StopReason.MODEL_ERROR
    assert "content filter" in turn.error
    assert turn.answer == TEXT


@pytest.mark.parametrize("finish", [Finish.LENGTH, Finish.CONTENT_FILTER])
async def test_calls_that_are_cut_again_and_again_end_the_turn(world, finish: Finish):
    """R-MOD-3, R-MOD-5: three requests, not fifty, and the person is told what was cut."""
    cut = ScriptedReply(calls=(ScriptedCall(name="search", arguments={"query": "melt"}),), finish=finish, always=True)
    app, model = await world(cut)
    turn = await ask(await app.create(), "How much?")
    assert len(model.requests) == 3
    assert "cut at its output limit three times" in turn.error
    assert list(turn.notices) == ["The reply was cut, so its calls did not run: search."] * 3


async def test_a_reply_without_end_ends_at_two_million_characters(world):
    """U10: what was said until then is the answer; nothing larger is stored, masked or drawn."""
    app, _ = await world(ScriptedReply(text="snow melt " * 600_000, chunk=100_000))
    turn = await ask(await app.create(), "How much?")
    assert MOST_CHARACTERS - 500 <= len(turn.answer) <= MOST_CHARACTERS
    assert any("was cut there" in one for one in turn.notices)


@pytest.mark.parametrize(("finish", "words"), [(Finish.LENGTH, "output limit"), (Finish.CONTENT_FILTER, "filter")])
async def test_a_reply_that_ends_before_its_first_word_says_why(world, finish: Finish, words: str):
    """R-MOD-4: reasoning may use up the whole limit."""
    app, model = await world(ScriptedReply(reasoning="hm " * 50, finish=finish), ScriptedReply(text="never"))
    turn = await ask(await app.create(), "How much?")
    assert len(model.requests) == 1
    assert words in turn.error
