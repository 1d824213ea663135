"""The wire rows that the core keeps by itself: the order of a request, the estimate, circles (rows 28, 29, 30)."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from orange_jupyter.core.context import Turned, pack, system_message
from orange_jupyter.core.fitting import tokens
from orange_jupyter.core.grant import Grant, Tier
from orange_jupyter.core.limits import circles, signature
from orange_jupyter.core.messages import Message, Role, Text, ToolCall, ToolResult, ToolSchema
from orange_jupyter.core.ports import ModelInfo

GRANT = Grant(tier=Tier.WORKSPACE_READONLY)
TOOLS = (
    ToolSchema(name="search", description="", parameters={}),
    ToolSchema(name="later", description="", parameters={}),
)


def said(role: Role, text: str) -> Message:
    return Message(role=role, parts=(Text(text=text),))


def step(number: int) -> tuple[Message, Message]:
    call = ToolCall(id=f"c{number}", name="search", arguments={"query": "茶"})
    result = ToolResult(call_id=call.id, name="search", content='{"ok":true}', ok=True)
    return Message(role=Role.ASSISTANT, parts=(call,)), Message(role=Role.TOOL, parts=(result,))


def test_a_request_is_tools_system_history_and_the_person_s_words_and_grows_only_at_its_end() -> None:
    """Wire row 28: no clock in the system message, tools in the order given, each step's request begins with the last."""
    system = system_message(GRANT, ())
    assert system_message(GRANT, ()) == system
    past = [Turned("t1", (said(Role.USER, "早"), said(Role.ASSISTANT, "morning")))]
    current = [said(Role.USER, "now 现在")]
    seen: tuple[Message, ...] = ()
    for number in range(4):
        request = pack(system, past, current, tools=TOOLS, model=ModelInfo(name="m"))
        assert request.tools == TOOLS
        assert request.messages == (system, *past[0].messages, *current)
        assert request.messages[: len(seen)] == seen
        seen = request.messages
        current += step(number)


def test_chinese_counts_a_token_a_character() -> None:
    """Wire row 29: characters divided by four would be wrong for it."""
    assert tokens("茶" * 4_000) >= 4_000
    assert 250 <= tokens("word" * 250) <= 300


def call(**arguments: object) -> ToolCall:
    return ToolCall(id="any", name="read", arguments=arguments)


def test_the_sign_of_a_call_is_tool_arguments_and_result_whatever_their_order() -> None:
    """Wire row 30: ids and the order of keys do not count; a result that changes does."""
    same = {signature(call(path="a", line=1), {"ok": True}), signature(call(line=1, path="a"), {"ok": True})}
    assert len(same) == 1
    assert signature(call(path="a", line=1), {"ok": True, "data": 2}) not in same
    assert signature(call(path="b", line=1), {"ok": True}) not in same


@given(st.lists(st.sampled_from("abcdef"), min_size=1, max_size=5), st.lists(st.sampled_from("xyz"), max_size=6))
def test_three_times_the_same_sequence_is_a_circle_and_polling_that_changes_is_none(
    once: list[str], before: list[str]
) -> None:
    """Wire row 30: periods 1 to 5, whatever came before."""
    assert circles([*before, *once, *once, *once])
    assert not circles([f"{one}{number}" for number, one in enumerate([*once] * 3)])
