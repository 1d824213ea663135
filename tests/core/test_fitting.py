"""Which pictures of the turn that runs give way when the window is too small (R-CTX-3)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orange_jupyter.core.context import Turned, pack, system_message
from orange_jupyter.core.errors import ModelError
from orange_jupyter.core.fitting import PICTURE_TOKENS, fitted, pictures, weight
from orange_jupyter.core.grant import Grant
from orange_jupyter.core.messages import Image, Message, Role, Text, ToolCall, ToolResult
from orange_jupyter.core.ports import ModelInfo


def images(number: int) -> tuple[Image, ...]:
    return tuple(
        Image(sha256=f"{at:064x}", media_type="image/png", width=9, height=9, caption=f"scan.pdf, page {at}")
        for at in range(number)
    )


def question(number: int = 0) -> Message:
    return Message(role=Role.USER, parts=(Text(text="What is there?"), *images(number)))


def step(name: str, *counts: int, text: str = "") -> list[Message]:
    """A reply with a call for each count, and the results with so many pictures."""
    calls = tuple(ToolCall(id=f"{name}{at}", name="read", arguments={}) for at in range(len(counts)))
    found = [
        ToolResult(call_id=call.id, name="read", content='{"ok":true}' + text, ok=True, images=images(count))
        for call, count in zip(calls, counts, strict=True)
    ]
    return [Message(role=Role.ASSISTANT, parts=calls), *(Message(role=Role.TOOL, parts=(one,)) for one in found)]


def counted(messages: tuple[Message, ...]) -> list[int]:
    return [pictures((message,)) for message in messages if message.role is not Role.ASSISTANT]


def room(number: float) -> int:
    return int(PICTURE_TOKENS * number)


def test_what_fits_is_left_as_it_is() -> None:
    current = (question(2), *step("a", 3), *step("b", 3))
    assert fitted(current, weight(current)) == current


def test_the_oldest_pictures_of_tools_go_first_then_the_person_s() -> None:
    """A quarter of the room is freed at a time."""
    current = [question(2), *step("a", 2), *step("b", 2), *step("c", 2), *step("d", 2)]
    assert counted(fitted(current, room(9.5))) == [2, 0, 0, 2, 2]
    assert counted(fitted(current[:3], room(3.5))) == [0, 2]


def test_pictures_that_the_model_has_not_seen_go_last_and_those_of_the_newest_message_never() -> None:
    """The person's go only where they must."""
    current = [question(2), *step("a", 2), *step("b", 2, 2)]
    assert counted(fitted(current, room(6.5))) == [2, 0, 2, 2]
    assert counted(fitted(current, room(5.5))) == [0, 0, 2, 2]
    assert counted(fitted(current, room(3.9))) == [0, 0, 0, 2]
    assert counted(fitted(current, room(1))) == [0, 0, 0, 2]


def test_a_turn_that_is_too_long_without_its_pictures_still_raises() -> None:
    """R-MOD-4: words never give way; the newest pictures neither."""
    system = system_message(Grant(), ())
    for current in ([question(), *step("a", 30)], [question(2), *step("a", 2, text="word " * 40_000)]):
        with pytest.raises(ModelError, match="does not fit the model's window"):
            pack(system, (), current, tools=(), model=ModelInfo(name="m", context_window=32_768))


@given(
    st.lists(st.lists(st.integers(0, 4), min_size=1, max_size=3), min_size=1, max_size=12),
    st.integers(0, 4),
    st.integers(5, 30),
)
def test_what_was_taken_out_once_stays_out(counts: list[list[int]], asked: int, most: int) -> None:
    """R-CTX-3: of any two requests of a turn the later has no picture that the earlier had not."""
    current = [question(asked)]
    before: tuple[Message, ...] = ()
    for number, one in enumerate(counts):
        current += step(f"s{number}-", *one)
        now = fitted(current, room(most))
        assert len(now) == len(current)
        assert all(later == old or not pictures((later,)) for old, later in zip(before, now, strict=False))
        assert now[-1] == current[-1]
        assert weight(now) <= weight(current)
        before = now


def test_pictures_of_earlier_turns_take_no_room() -> None:
    """R-CTX-1, R-CTX-3: only their notes are sent, so they drive no turn out of the window."""
    history = [
        Turned(f"t{at}", (question(8), Message(role=Role.ASSISTANT, parts=(Text(text=f"answer {at}"),))))
        for at in range(3)
    ]
    model = ModelInfo("m", context_window=8_000, max_output=1_000)
    assert model.context_window < 24 * PICTURE_TOKENS
    request = pack(system_message(Grant(), ()), history, [question()], tools=(), model=model)
    said = [message.text for message in request.messages if message.role is Role.ASSISTANT]
    assert said == ["answer 0", "answer 1", "answer 2"]
    assert pictures(request.messages) == 0
