"""What happened: the one stream of typed events for the transcript, the views and the tests.

A turn is TurnStarted … TurnFinished; a step is StepStarted … StepFinished inside it. Deltas are not events:
they go to the listeners at once and become durable with their part (`ports.Listener.delta`).
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import Field, JsonValue

from orange_jupyter.core.approval import ApprovalRequest, Outcome
from orange_jupyter.core.codes import Code
from orange_jupyter.core.corpus import Citation
from orange_jupyter.core.deltas import ModelRetry, Progress
from orange_jupyter.core.grant import Tier
from orange_jupyter.core.messages import Image, Reasoning, Text, ToolCall, ToolResult, Usage, Value


class StopReason(StrEnum):
    """Why a turn ended (12-schemas.md, `ask`)."""

    ANSWER = "answer"
    PLAN = "plan"
    STOPPED = "stopped"
    STEP_LIMIT = "step_limit"
    TOKEN_LIMIT = "token_limit"  # noqa: S105 - the specification's name of a limit, no secret
    COST_LIMIT = "cost_limit"
    TIME_LIMIT = "time_limit"
    LOOP = "loop"
    MODEL_ERROR = "model_error"
    PERMISSION_CHANGED = "permission_changed"
    TAKEN_OVER = "taken_over"
    INTERRUPTED = "interrupted"  # a turn that ended with its process, killed or closed (R-SESS-2)


class TurnStarted(Value):
    """A person's message was taken."""

    kind: Literal["turn_started"] = "turn_started"
    turn_id: str
    session_id: str
    number: int
    text: str
    images: tuple[Image, ...] = ()
    model: str
    host: str = ""
    tier: Tier
    plan: bool = False
    permission_version: int
    knowledge_bases: tuple[str, ...] = ()
    started_at: str


class StepStarted(Value):
    """A model request begins; `step` counts from 1."""

    kind: Literal["step_started"] = "step_started"
    step: int
    limit: int


class PartDone(Value):
    """An assistant part is complete and durable."""

    kind: Literal["part_done"] = "part_done"
    part: Annotated[Text | Reasoning | ToolCall, Field(discriminator="kind")]


class CallStarted(Value):
    """A tool call was parsed and is being decided or run. `target` is what the tool line names."""

    kind: Literal["call_started"] = "call_started"
    call_id: str
    tool: str
    arguments: dict[str, JsonValue]
    target: str = ""


class ApprovalAsked(Value):
    """The turn waits for a person."""

    kind: Literal["approval_asked"] = "approval_asked"
    call_id: str
    request: ApprovalRequest


class ApprovalEnded(Value):
    """A request for approval was answered, cancelled or expired."""

    kind: Literal["approval_ended"] = "approval_ended"
    call_id: str
    operation_id: str
    outcome: Outcome
    reason: str = ""
    permission_version: int
    at: str


class CallFinished(Value):
    """A tool call ended. `envelope` is the structured value, masked and bounded; `result` went to the model.

    `decision` is "allowed", "approved", "denied", "refused", "cancelled", "expired" or "needs_person".
    """

    kind: Literal["call_finished"] = "call_finished"
    call_id: str
    tool: str
    arguments: dict[str, JsonValue]
    ok: bool
    code: Code | None = None
    decision: str
    summary: str
    seconds: float
    result: ToolResult
    envelope: dict[str, Any]
    citations: tuple[Citation, ...] = ()
    details_ref: str | None = None
    total_chars: int = 0


class StepFinished(Value):
    """A step ended; `usage` is this request's."""

    kind: Literal["step_finished"] = "step_finished"
    step: int
    usage: Usage


class Notice(Value):
    """One line for the person: `level` is "info", "warning" or "error"."""

    kind: Literal["notice"] = "notice"
    level: Literal["info", "warning", "error"]
    text: str
    hint: str | None = None


class TurnFinished(Value):
    """The turn ended. `citations` are those the answer used, in order of first use (R-SRCH-9)."""

    kind: Literal["turn_finished"] = "turn_finished"
    turn_id: str
    stop_reason: StopReason
    answer: str
    citations: tuple[Citation, ...] = ()
    unknown_citations: tuple[str, ...] = ()
    usage: Usage = Usage()
    steps: int = 0
    seconds: float = 0.0
    error: str | None = None
    hint: str | None = None
    fault: str | None = None
    finished_at: str


Event = Annotated[
    TurnStarted
    | StepStarted
    | ModelRetry
    | PartDone
    | CallStarted
    | ApprovalAsked
    | ApprovalEnded
    | Progress
    | CallFinished
    | StepFinished
    | Notice
    | TurnFinished,
    Field(discriminator="kind"),
]
