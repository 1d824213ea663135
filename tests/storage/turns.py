"""Events and messages of a small turn, as the tests of this room write them."""

from __future__ import annotations

from orange_jupyter.core.approval import ApprovalRequest, Outcome
from orange_jupyter.core.events import (
    ApprovalAsked,
    ApprovalEnded,
    CallFinished,
    CallStarted,
    Event,
    PartDone,
    StepFinished,
    StepStarted,
    StopReason,
    TurnFinished,
    TurnStarted,
)
from orange_jupyter.core.grant import Effect, Tier
from orange_jupyter.core.messages import Message, Role, Text, ToolCall, ToolResult, Usage

AT = "2026-11-30T17:05:00Z"


def started(turn_id: str, session_id: str, *, number: int = 1, text: str = "Wo steht das? 在哪里？") -> TurnStarted:
    return TurnStarted(
        turn_id=turn_id,
        session_id=session_id,
        number=number,
        text=text,
        model="m",
        tier=Tier.WORKSPACE_READONLY,
        permission_version=1,
        started_at=AT,
    )


def finished(turn_id: str, answer: str = "Hier. 在这里。") -> TurnFinished:
    return TurnFinished(turn_id=turn_id, stop_reason=StopReason.ANSWER, answer=answer, finished_at=AT)


def call(call_id: str = "call_1") -> ToolCall:
    return ToolCall(id=call_id, name="search", arguments={"query": "笔记"}, raw='{"query": "笔记"}')


def call_finished(call_id: str = "call_1") -> CallFinished:
    return CallFinished(
        call_id=call_id,
        tool="search",
        arguments={"query": "笔记"},
        ok=True,
        decision="allowed",
        summary="3 passages",
        seconds=0.5,
        result=ToolResult(call_id=call_id, name="search", content='{"ok": true}', ok=True),
        envelope={"ok": True, "citations": []},
    )


def asked(operation_id: str = "op_1") -> ApprovalAsked:
    request = ApprovalRequest(
        operation_id=operation_id,
        session_id="s",
        turn_id="t1",
        permission_version=3,
        tool="read",
        effect=Effect.LOOK_OUTSIDE,
        operation="read outside",
        target="/etc/hosts",
        arguments="{}",
        digest="d",
        asked_at=AT,
    )
    return ApprovalAsked(call_id="call_1", request=request)


def ended(outcome: Outcome, operation_id: str = "op_1") -> ApprovalEnded:
    return ApprovalEnded(
        call_id="call_1", operation_id=operation_id, outcome=outcome, reason="no", permission_version=4, at=AT
    )


def whole_turn(turn_id: str, session_id: str) -> tuple[Event | Message, ...]:
    """A turn of two steps with one call, as the loop records it."""
    return (
        started(turn_id, session_id),
        Message(role=Role.USER, parts=(Text(text="Wo steht das? 在哪里？"),)),
        StepStarted(step=1, limit=50),
        PartDone(part=Text(text="Ich sehe nach. ")),
        PartDone(part=call()),
        StepFinished(step=1, usage=Usage(input_tokens=10, output_tokens=2)),
        Message(role=Role.ASSISTANT, parts=(Text(text="Ich sehe nach. "), call())),
        CallStarted(call_id="call_1", tool="search", arguments={"query": "笔记"}, target="笔记"),
        asked(),
        ended(Outcome.APPROVED),
        call_finished(),
        Message(role=Role.TOOL, parts=(call_finished().result,)),
        StepStarted(step=2, limit=50),
        PartDone(part=Text(text="Hier. 在这里。")),
        StepFinished(step=2, usage=Usage(input_tokens=20, output_tokens=5)),
        Message(role=Role.ASSISTANT, parts=(Text(text="Hier. 在这里。"),)),
        finished(turn_id),
    )


def well_formed(messages: tuple[Message, ...]) -> bool:
    """Every call has one result right after it, no result is without its call, nobody speaks twice in a row."""
    waiting: list[str] = []
    before: Role | None = None
    for message in messages:
        if message.role is Role.TOOL:
            (result,) = message.parts
            if not isinstance(result, ToolResult) or result.call_id not in waiting:
                return False
            waiting.remove(result.call_id)
        else:
            if waiting or message.role is before or (before is Role.TOOL and message.role is Role.USER):
                return False
            waiting = [one.id for one in message.calls]
        before = message.role
    return not waiting
