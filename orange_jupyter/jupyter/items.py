"""What happened in a turn, item by item: what was said, the tool calls, the questions to the person."""

from __future__ import annotations

from dataclasses import dataclass, replace

from pydantic import JsonValue

from orange_jupyter.core.approval import ApprovalRequest, Outcome
from orange_jupyter.core.deltas import Output
from orange_jupyter.core.events import ApprovalEnded, CallFinished
from orange_jupyter.jupyter.said import Said


@dataclass(frozen=True, slots=True)
class Line:
    """One tool call; `finished` is None while it is decided or runs, `output` what a command that runs wrote last."""

    call_id: str
    tool: str
    arguments: dict[str, JsonValue]
    target: str
    step: int
    finished: CallFinished | None = None
    output: Output | None = None


@dataclass(frozen=True, slots=True)
class Card:
    """One request for approval; `ended` is None while it waits."""

    call_id: str
    request: ApprovalRequest
    ended: ApprovalEnded | None = None

    @property
    def outcome(self) -> Outcome | None:
        """How it ended; None while it waits."""
        return self.ended.outcome if self.ended else None


Item = Said | Line | Card


def finished_line(items: tuple[Item, ...], event: CallFinished, step: int) -> tuple[Item, ...]:
    """The items with a call ended."""
    place, item = _line(items, event.call_id)
    if item is None:
        return (*items, Line(event.call_id, event.tool, event.arguments, "", step, event))
    return (*items[:place], replace(item, finished=event, output=None), *items[place + 1 :])


def with_output(items: tuple[Item, ...], output: Output) -> tuple[Item, ...]:
    """The items with what a call that runs has written."""
    place, item = _line(items, output.call_id)
    if item is None or item.finished is not None:
        return items
    return (*items[:place], replace(item, output=output), *items[place + 1 :])


def _line(items: tuple[Item, ...], call_id: str) -> tuple[int, Line | None]:
    """A call's place and line: looked for from the end, where it nearly always is."""
    for place in range(len(items) - 1, -1, -1):
        item = items[place]
        if isinstance(item, Line) and item.call_id == call_id:
            return place, item
    return 0, None


def answered(item: Item, event: ApprovalEnded) -> Item:
    """The item, of a card that this answers with how it ended."""
    if isinstance(item, Card) and item.request.operation_id == event.operation_id:
        return replace(item, ended=event)
    return item
