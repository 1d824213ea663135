"""Any stored transcript is well-formed when it is sent: R-SESS-2, R-CTX-3; wire row 14."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orange_jupyter.core.messages import Image, Message, Role, Text, ToolCall, ToolResult
from orange_jupyter.core.repair import interrupted, repair, without_pictures

IDS = st.sampled_from(["a", "b", "c", ""])
PARTS = st.one_of(
    st.builds(Text, text=st.sampled_from(["", "hello"])),
    st.builds(ToolCall, id=IDS, name=st.just("search"), arguments=st.just({})),
)
RESULT = st.builds(ToolResult, call_id=IDS, name=st.just("search"), content=st.just("{}"), ok=st.booleans())
MESSAGES = st.one_of(
    st.builds(Message, role=st.just(Role.USER), parts=st.tuples(st.just(Text(text="q")))),
    st.builds(Message, role=st.just(Role.ASSISTANT), parts=st.lists(PARTS, max_size=4).map(tuple)),
    st.builds(Message, role=st.just(Role.TOOL), parts=st.tuples(RESULT)),
)


@given(st.lists(MESSAGES, max_size=12))
def test_repair_is_idempotent_and_every_call_has_exactly_one_result(messages):
    """Wire row 14: results follow their calls in order of emission before anybody else speaks."""
    fixed = repair(messages)
    assert repair(fixed) == fixed
    index = 0
    while index < len(fixed):
        message = fixed[index]
        assert message.role is not Role.TOOL
        wanted = [call.id for call in message.calls] if message.role is Role.ASSISTANT else []
        following = fixed[index + 1 : index + 1 + len(wanted)]
        assert [part.call_id for result in following for part in result.parts] == wanted
        assert len(set(wanted)) == len(wanted)
        index += 1 + len(wanted)


def test_a_call_whose_turn_died_says_so_to_the_model():
    """R-SESS-2: "interrupted: no result", and what the person said stays."""
    call = ToolCall(id="x", name="read", arguments={"path": "a.md"})
    fixed = repair([Message(role=Role.USER, parts=(Text(text="q"),)), Message(role=Role.ASSISTANT, parts=(call,))])
    assert fixed[-1].parts == (interrupted(call),)
    assert '"cancelled"' in interrupted(call).content


def test_pictures_of_earlier_turns_become_a_note_with_their_id():
    """R-CTX-3: pixels are sent in their own turn only."""
    image = Image(sha256="ab" * 32, media_type="image/png", width=10, height=10, caption="figure 2")
    message = Message(role=Role.USER, parts=(Text(text="look"), image))
    noted = without_pictures(message)
    assert "img_" + "ab" * 8 in noted.text
    assert "figure 2" in noted.text
    result = ToolResult(call_id="c", name="read", content="{}", ok=True, images=(image,))
    (noted,) = without_pictures(Message(role=Role.TOOL, parts=(result,))).parts
    assert noted.images == ()
    assert json.loads(noted.content)["picturesShownBefore"] == ["img_" + "ab" * 8 + ", figure 2"]
    assert without_pictures(Message(role=Role.TOOL, parts=(noted,))).parts == (noted,)


@pytest.mark.parametrize("content", ["x" * 9_000, json.dumps({"ok": True, "content": "雪" * 8_900, "offset": 0})])
def test_the_note_leaves_a_result_valid_and_within_its_bound(content):
    """R-CTX-2, R-CTX-3: also a full one, and one that is no JSON; the same note every time."""
    image = Image(sha256="ab" * 32, media_type="image/png", width=10, height=10, caption="c" * 40)
    result = ToolResult(call_id="c", name="read", content=content, ok=True, images=(image,) * 8)
    message = Message(role=Role.TOOL, parts=(result,))
    (noted,) = without_pictures(message).parts
    assert len(noted.content) <= 9_000
    assert len(json.loads(noted.content)["picturesShownBefore"]) == 8
    assert without_pictures(message).parts == (noted,)
