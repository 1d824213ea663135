"""What a person sees of a turn: events and deltas folded into one frozen state that record and controls draw."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import assert_never

from orange_jupyter.core.corpus import Citation
from orange_jupyter.core.deltas import Delta, ModelRetry, Output, Progress, ReasoningDelta, Restarted, TextDelta
from orange_jupyter.core.events import (
    ApprovalAsked,
    ApprovalEnded,
    CallFinished,
    CallStarted,
    Event,
    Notice,
    PartDone,
    StepFinished,
    StepStarted,
    StopReason,
    TurnFinished,
    TurnStarted,
)
from orange_jupyter.core.messages import Reasoning, Text, ToolCall, Usage
from orange_jupyter.jupyter.items import Card, Item, Line, answered, finished_line, with_output
from orange_jupyter.jupyter.said import Said

__all__ = ("Card", "Item", "Line", "State", "TurnView")

NO_USAGE = Usage()
REASONING_KEPT = 20_000
"""Characters of reasoning, the newest, that a view keeps; the transcript has all of it."""


class State(StrEnum):
    """The word at the head of a turn; the values are the ends of the keys `state.…` of the strings."""

    WAITING = "waiting"
    RUNNING = "running"
    STOPPING = "stopping"
    DONE = "done"
    STOPPED = "stopped"
    FAILED = "failed"
    INTERRUPTED = "interrupted"
    LIMIT = "limit"

    @property
    def live(self) -> bool:
        """Whether the turn still goes on."""
        return self in (State.WAITING, State.RUNNING, State.STOPPING)


@dataclass(frozen=True, slots=True)
class TurnView:
    """One turn as it can be drawn now. `items` are in the order they happened."""

    started: TurnStarted | None = None
    state: State = State.WAITING
    step: int = 0
    step_limit: int = 0
    retry: ModelRetry | None = None
    usage: Usage = NO_USAGE
    items: tuple[Item, ...] = ()
    reasoning: str = ""
    notices: tuple[Notice, ...] = ()
    progress: Progress | None = None
    finished: TurnFinished | None = None

    def hear(self, event: Event) -> TurnView:
        """The state after one event. Pure."""
        match event:
            case TurnStarted() | StepStarted() | StepFinished() | TurnFinished():
                return self._live(event)
            case PartDone() | Notice() | Progress() | ModelRetry():
                return self._tell(event)
            case CallStarted() | CallFinished() | ApprovalAsked() | ApprovalEnded():
                return self._call(event)
            case _:
                assert_never(event)

    def deltas(self, deltas: Iterable[Delta]) -> TurnView:
        """The state after pieces of a stream; many at once cost one copy of the open text."""
        text: list[str] = []
        reasoning: list[str] = []
        view = self
        for delta in deltas:
            match delta:
                case TextDelta():
                    text.append(delta.text)
                case ReasoningDelta():
                    reasoning.append(delta.text)
                case Restarted():
                    text, reasoning = [], []
                    view = view._restart(delta)
                case ModelRetry() | Progress() | Output():
                    view = view._tell(delta)
                case _:
                    assert_never(delta)
        if not text and not reasoning:
            return view
        view = replace(view, retry=None, reasoning=_newest(view.reasoning, reasoning), state=State.RUNNING)
        if self.state is State.STOPPING:
            view = replace(view, state=State.STOPPING)
        return view._say("".join(text), done=False) if text else view

    def stopping(self) -> TurnView:
        """The state after Stop was pressed and until the turn has ended."""
        return replace(self, state=State.STOPPING) if self.state.live else self

    def interrupted(self) -> TurnView:
        """The state of a turn that died with its process."""
        return replace(self, state=State.INTERRUPTED) if self.state.live else self

    @property
    def lines(self) -> tuple[Line, ...]:
        """The tool calls, in order."""
        return tuple(item for item in self.items if isinstance(item, Line))

    @property
    def cards(self) -> tuple[Card, ...]:
        """The requests for approval, in order."""
        return tuple(item for item in self.items if isinstance(item, Card))

    @property
    def waiting(self) -> tuple[Card, ...]:
        """The requests that wait for the person."""
        return tuple(card for card in self.cards if card.ended is None) if self.state.live else ()

    @property
    def asking(self) -> bool:
        """Whether it is the person that the turn waits for."""
        return bool(self.waiting) and self.state is not State.STOPPING

    @property
    def known(self) -> dict[str, Citation]:
        """Every citation that a tool gave in this turn, or that the answer used, by id."""
        given = [citation for line in self.lines if line.finished for citation in line.finished.citations]
        used = self.finished.citations if self.finished else ()
        return {citation.citation_id: citation for citation in (*given, *used)}

    @property
    def answer(self) -> str:
        """The answer: of a finished turn as the loop gave it, else the text of the last step that said something."""
        if self.finished and self.finished.answer:
            return self.finished.answer
        said = [item for item in self.items if isinstance(item, Said)]
        return "\n\n".join(item.text for item in said if item.step == said[-1].step) if said else ""

    def _unless_stopping(self) -> State:
        return self.state if self.state is State.STOPPING else State.WAITING

    def _busy(self) -> State:
        return self.state if self.state is State.STOPPING else State.RUNNING

    def _live(self, event: TurnStarted | StepStarted | StepFinished | TurnFinished) -> TurnView:
        match event:
            case TurnStarted():
                return TurnView(started=event)
            case StepStarted():
                return replace(self, step=event.step, step_limit=event.limit, retry=None, state=self._unless_stopping())
            case StepFinished():
                return replace(self, usage=self.usage + event.usage, progress=None)
            case TurnFinished():
                return self._end(event)
            case _:
                assert_never(event)

    def _tell(self, event: PartDone | Notice | Progress | ModelRetry | Output) -> TurnView:
        match event:
            case PartDone():
                return self._part(event.part)
            case Notice():
                return replace(self, notices=(*self.notices, event))
            case Progress():
                over = event.what.startswith("loading ") and event.done == event.total
                return replace(self, progress=None if over else event)
            case ModelRetry():
                return replace(self, retry=event)
            case Output():
                return replace(self, items=with_output(self.items, event))
            case _:
                assert_never(event)

    def _part(self, part: Text | Reasoning | ToolCall) -> TurnView:
        match part:
            case Text():
                return replace(self, state=self._busy())._say(part.text, done=True)
            case Reasoning():
                return replace(self, reasoning=_newest("", [part.text]))
            case ToolCall():
                return self
            case _:
                assert_never(part)

    def _say(self, text: str, *, done: bool) -> TurnView:
        last = self.items[-1] if self.items else None
        if isinstance(last, Said) and not last.done and last.step == self.step:
            said = Said(self.step, text, done=True) if done else last.grown(text)
            return replace(self, items=(*self.items[:-1], said))
        return replace(self, items=(*self.items, Said(self.step, text, done)))

    def _restart(self, delta: Restarted) -> TurnView:
        kept = tuple(item for item in self.items if not (isinstance(item, Said) and item.step == self.step))
        notice = Notice(level="info", text=delta.reason)
        return replace(self, items=kept, reasoning="", notices=(*self.notices, notice))

    def _call(self, event: CallStarted | CallFinished | ApprovalAsked | ApprovalEnded) -> TurnView:
        match event:
            case CallStarted():
                line = Line(event.call_id, event.tool, event.arguments, event.target, self.step)
                return replace(self, items=(*self.items, line), state=self._busy())
            case CallFinished():
                return replace(self, items=finished_line(self.items, event, self.step), progress=None)
            case ApprovalAsked():
                return replace(self, items=(*self.items, Card(event.call_id, event.request)))
            case ApprovalEnded():
                return replace(self, items=tuple(answered(item, event) for item in self.items))
            case _:
                assert_never(event)

    def _end(self, event: TurnFinished) -> TurnView:
        items = tuple(replace(item, done=True) if isinstance(item, Said) else item for item in self.items)
        return replace(
            self,
            finished=event,
            state=_ending(event.stop_reason),
            items=items,
            usage=event.usage,
            progress=None,
            retry=None,
        )


def _newest(before: str, more: Iterable[str]) -> str:
    return (before + "".join(more))[-REASONING_KEPT:]


def _ending(reason: StopReason) -> State:
    match reason:
        case StopReason.ANSWER | StopReason.PLAN:
            return State.DONE
        case StopReason.STOPPED | StopReason.TAKEN_OVER:
            return State.STOPPED
        case StopReason.STEP_LIMIT | StopReason.TOKEN_LIMIT | StopReason.COST_LIMIT | StopReason.TIME_LIMIT:
            return State.LIMIT
        case StopReason.LOOP | StopReason.MODEL_ERROR:
            return State.FAILED
        case StopReason.PERMISSION_CHANGED | StopReason.INTERRUPTED:
            return State.INTERRUPTED
        case _:
            assert_never(reason)
