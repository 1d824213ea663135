"""A finished turn as an object and as the document that `ask --json` prints (R-NB-4, R-SCH-10)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from orange_jupyter.change_documents import operation_document
from orange_jupyter.core.changes.values import Operation
from orange_jupyter.core.codes import Code
from orange_jupyter.core.corpus import Citation
from orange_jupyter.core.deltas import Delta
from orange_jupyter.core.errors import ModelFault
from orange_jupyter.core.events import (
    CallFinished,
    Event,
    Notice,
    PartDone,
    StepFinished,
    StepStarted,
    StopReason,
    TurnFinished,
    TurnStarted,
)
from orange_jupyter.core.messages import Text, Usage
from orange_jupyter.core.parts import State

_CODES = {
    StopReason.STOPPED: Code.CANCELLED,
    StopReason.INTERRUPTED: Code.CANCELLED,
    StopReason.STEP_LIMIT: Code.LIMIT_REACHED,
    StopReason.TOKEN_LIMIT: Code.LIMIT_REACHED,
    StopReason.COST_LIMIT: Code.LIMIT_REACHED,
    StopReason.LOOP: Code.LIMIT_REACHED,
    StopReason.TIME_LIMIT: Code.TIMED_OUT,
    StopReason.MODEL_ERROR: Code.IO_ERROR,
    StopReason.PERMISSION_CHANGED: Code.PERMISSION_CHANGED,
    StopReason.TAKEN_OVER: Code.TAKEN_OVER,
}
_WHY = {
    StopReason.STOPPED: "The turn was stopped.",
    StopReason.STEP_LIMIT: "The turn used all its steps without an answer.",
    StopReason.TOKEN_LIMIT: "The turn used all its tokens.",
    StopReason.COST_LIMIT: "The turn reached its cost limit.",
    StopReason.TIME_LIMIT: "The turn used all its time.",
    StopReason.LOOP: "The model repeated the same calls.",
    StopReason.PERMISSION_CHANGED: "The rights changed, so the turn was ended.",
}


@dataclass(frozen=True, slots=True)
class Call:
    """One tool call of a step: what was asked, how it was decided, what it gave in a line."""

    call_id: str
    tool: str
    arguments: dict[str, Any]
    ok: bool
    decision: str
    summary: str
    code: str | None = None
    envelope: dict[str, Any] = field(default_factory=dict, repr=False)

    def document(self) -> dict[str, Any]:
        """The object in `steps[].calls[]`."""
        code = {"code": self.code} if self.code else {}
        return {
            "callId": self.call_id,
            "tool": self.tool,
            "arguments": self.arguments,
            "ok": self.ok,
            **code,
            "decision": self.decision,
            "summary": " ".join([self.summary, *self.warnings]),
        }

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the tool warned of; the schema has no field for it, so a document tells it behind the summary."""
        return tuple(f"Warning: {line}" for line in self.envelope.get("warnings", ()))


@dataclass(frozen=True, slots=True)
class Step:
    """One model request with what it said and called."""

    step: int
    text: str = ""
    calls: tuple[Call, ...] = ()
    usage: Usage = field(default_factory=Usage)

    def document(self) -> dict[str, Any]:
        """The object in `steps[]`."""
        text = {"text": self.text} if self.text else {}
        calls = [call.document() for call in self.calls]
        return {"step": self.step, **text, "calls": calls, "usage": usage_document(self.usage)}


@dataclass(frozen=True, slots=True)
class Turn:
    """A finished turn: `answer` is Markdown with `[c1]`, `citations` those it used, `changes` what it proposed."""

    turn_id: str
    question: str
    answer: str
    citations: tuple[Citation, ...]
    steps: tuple[Step, ...]
    usage: Usage
    stop_reason: StopReason
    state: State
    changes: tuple[Operation, ...] = ()
    notices: tuple[str, ...] = ()
    error: str | None = None
    hint: str | None = None
    fault: str | None = None

    @property
    def code(self) -> Code:
        """The code of the closed list for a turn that did not end with an answer."""
        if self.fault is not None:
            return ModelFault(self.fault).code
        return _CODES.get(self.stop_reason, Code.INTERNAL)

    @property
    def ok(self) -> bool:
        """Whether the turn ended with an answer or a plan."""
        return self.stop_reason in (StopReason.ANSWER, StopReason.PLAN)

    @property
    def needs_person(self) -> bool:
        """Whether something was refused because nobody was there to be asked (R-APPR-4)."""
        return any(call.code == "needs_person" for step in self.steps for call in step.calls)

    def document(self) -> dict[str, Any]:
        """The document of `ask --json`."""
        failed = {"error": {"code": str(self.code), "message": self.error or _WHY.get(self.stop_reason, "")}}
        if self.hint:
            failed["error"]["hint"] = self.hint
        return {
            "ok": self.ok,
            **({} if self.ok else failed),
            "answer": self.answer,
            "citations": [citation.as_json() for citation in self.citations],
            "changes": [operation_document(one) for one in self.changes],
            "steps": [step.document() for step in self.steps],
            "usage": usage_document(self.usage),
            "stopReason": str(self.stop_reason),
            "session": session_document(self.state),
            "turnId": self.turn_id,
        }


def usage_document(usage: Usage) -> dict[str, Any]:
    """`usage` of a step or turn; `cost` only where it is known."""
    cost = {} if usage.cost is None else {"cost": usage.cost}
    return {
        "inputTokens": usage.input_tokens,
        "cacheReadTokens": usage.cache_read_tokens,
        "cacheWriteTokens": usage.cache_write_tokens,
        "outputTokens": usage.output_tokens,
        "reasoningTokens": usage.reasoning_tokens,
        **cost,
    }


def session_document(state: State) -> dict[str, Any]:
    """`session` of `ask --json`."""
    return {
        "sessionId": state.session_id,
        "title": state.title,
        "tier": str(state.tier),
        "plan": state.plan,
        "model": state.model,
    }


class Collector:
    """A Listener that gathers a turn's steps; `turn` makes the object when it has ended."""

    def __init__(self) -> None:
        self._started: TurnStarted | None = None
        self._steps: list[Step] = []
        self._notices: list[str] = []

    async def hear(self, event: Event) -> None:
        """Take one event."""
        match event:
            case TurnStarted():
                self._started = event
            case StepStarted():
                self._steps.append(Step(event.step))
            case PartDone(part=Text() as part) if self._steps:
                self._steps[-1] = _with_text(self._steps[-1], part)
            case CallFinished() if self._steps:
                self._steps[-1] = _with_call(self._steps[-1], event)
            case StepFinished() if self._steps:
                last = self._steps[-1]
                self._steps[-1] = Step(last.step, last.text, last.calls, event.usage)
            case Notice():
                self._notices.append(event.text)
            case _:
                pass

    def delta(self, delta: Delta) -> None:
        """Pieces are of no use here; the parts come as events."""

    def turn(self, finished: TurnFinished, state: State, changes: tuple[Operation, ...] = ()) -> Turn:
        """The turn as an object; `changes` are what it proposed."""
        return Turn(
            turn_id=finished.turn_id,
            question=self._started.text if self._started else "",
            answer=finished.answer,
            citations=finished.citations,
            steps=tuple(self._steps),
            usage=finished.usage,
            stop_reason=finished.stop_reason,
            state=state,
            changes=changes,
            notices=tuple(self._notices),
            error=finished.error,
            hint=finished.hint,
            fault=finished.fault,
        )


def _with_text(step: Step, part: Text) -> Step:
    return Step(step.step, step.text + part.text, step.calls, step.usage)


def _with_call(step: Step, event: CallFinished) -> Step:
    call = Call(
        call_id=event.call_id,
        tool=event.tool,
        arguments=event.arguments,
        ok=event.ok,
        decision=event.decision,
        summary=event.summary,
        code=str(event.code) if event.code else None,
        envelope=event.envelope,
    )
    return Step(step.step, step.text, (*step.calls, call), step.usage)
