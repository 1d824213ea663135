"""What closes a turn that died with its process, so that the record is whole and the next request well-formed.

Pure: the entries of one turn go in, the entries to add come out (R-SESS-2). Core's order is not assumed: the
process may have ended between any two of them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Final

from orange_jupyter.core.approval import Outcome
from orange_jupyter.core.codes import Code
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
from orange_jupyter.core.messages import Message, Reasoning, Role, Text, ToolCall, ToolResult, Usage

Entry = Event | Message

WHY: Final = "The process ended while this ran; it may have had effects."
_MARK: Final = "[The turn was interrupted here.]"


def closing(turn_id: str, entries: Sequence[Entry], *, partial: str, now: str) -> tuple[Entry, ...]:
    """The events and messages that end a turn without a TurnFinished; `partial` is unfinished visible text."""
    events = [entry for entry in entries if not isinstance(entry, Message)]
    ends: list[Event] = [*_approvals(events, now), *_calls(events)]
    text: list[Event] = [PartDone(part=Text(text=partial))] if partial else []
    finished = _finished(turn_id, [*events, *text], now)
    return (*ends, *text, *_messages([*entries, *ends, *text]), finished)


def _approvals(events: Iterable[Event], now: str) -> list[ApprovalEnded]:
    asked: dict[str, ApprovalAsked] = {}
    for event in events:
        if isinstance(event, ApprovalAsked):
            asked[event.request.operation_id] = event
        elif isinstance(event, ApprovalEnded):
            asked.pop(event.operation_id, None)
    return [
        ApprovalEnded(
            call_id=event.call_id,
            operation_id=operation_id,
            outcome=Outcome.EXPIRED,
            reason="The process that asked has ended.",
            permission_version=event.request.permission_version,
            at=now,
        )
        for operation_id, event in asked.items()
    ]


def _calls(events: Iterable[Event]) -> list[CallFinished]:
    open_calls: dict[str, CallStarted] = {}
    for event in events:
        if isinstance(event, CallStarted):
            open_calls[event.call_id] = event
        elif isinstance(event, CallFinished):
            open_calls.pop(event.call_id, None)
    return [
        CallFinished(
            call_id=call.call_id,
            tool=call.tool,
            arguments=call.arguments,
            ok=False,
            code=Code.CANCELLED,
            decision="cancelled",
            summary="interrupted",
            seconds=0.0,
            result=_lost(call.call_id, call.tool),
            envelope=_envelope(),
        )
        for call in open_calls.values()
    ]


def _envelope() -> dict[str, object]:
    return {"ok": False, "error": {"code": Code.CANCELLED.value, "message": WHY}}


def _lost(call_id: str, name: str) -> ToolResult:
    return ToolResult(call_id=call_id, name=name, content=json.dumps(_envelope()), ok=False)


def _messages(entries: Sequence[Entry]) -> list[Message]:
    """What the model's side lacks: the question, the last step's reply, a result for each call, an end."""
    said = [entry for entry in entries if isinstance(entry, Message)]
    new: list[Message] = []
    if not any(message.role is Role.USER for message in said):
        new += [
            Message(role=Role.USER, parts=(Text(text=event.text), *event.images))
            for event in entries
            if isinstance(event, TurnStarted)
        ]
    new += _reply(entries)
    new += _results([*said, *new], entries)
    last = [*said, *new][-1:]
    if last and last[0].role is not Role.ASSISTANT:
        # Some servers' templates refuse two questions in a row.
        new.append(Message(role=Role.ASSISTANT, parts=(Text(text=_MARK),)))
    return new


def _reply(entries: Sequence[Entry]) -> list[Message]:
    """The last step's parts, unless its message was written."""
    step = _last_step(entries)
    if any(isinstance(entry, Message) and entry.role is Role.ASSISTANT for entry in step):
        return []
    parts = tuple(entry.part for entry in step if isinstance(entry, PartDone))
    if all(isinstance(part, Reasoning) for part in parts):
        return []
    return [Message(role=Role.ASSISTANT, parts=parts)]


def _results(said: Sequence[Message], entries: Sequence[Entry]) -> list[Message]:
    answered = {part.call_id for message in said for part in message.parts if isinstance(part, ToolResult)}
    known = {entry.call_id: entry.result for entry in entries if isinstance(entry, CallFinished)}
    calls: list[ToolCall] = [call for message in said for call in message.calls if call.id not in answered]
    return [Message(role=Role.TOOL, parts=(known.get(call.id) or _lost(call.id, call.name),)) for call in calls]


def _last_step(entries: Sequence[Entry]) -> Sequence[Entry]:
    starts = [number for number, entry in enumerate(entries) if isinstance(entry, StepStarted)]
    return entries[starts[-1] :] if starts else entries


def _finished(turn_id: str, events: Sequence[Event], now: str) -> TurnFinished:
    texts = [
        entry.part.text for entry in _last_step(events) if isinstance(entry, PartDone) and isinstance(entry.part, Text)
    ]
    used = [event.usage for event in events if isinstance(event, StepFinished)]
    return TurnFinished(
        turn_id=turn_id,
        stop_reason=StopReason.INTERRUPTED,
        answer="".join(texts),
        usage=sum(used, Usage()),
        steps=sum(isinstance(event, StepStarted) for event in events),
        error="The turn was interrupted: its process ended.",
        hint="The question and the text so far are kept; send the message again.",
        finished_at=now,
    )
