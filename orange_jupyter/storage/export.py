"""A session as a document to keep: JSON for programs, Markdown for people (R-SESS-1)."""

from __future__ import annotations

import json
from typing import Any, assert_never

from pydantic.alias_generators import to_camel

from orange_jupyter.core.corpus import Citation
from orange_jupyter.core.deltas import ModelRetry, Progress
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
from orange_jupyter.core.messages import Text, Value
from orange_jupyter.storage.session_rows import SessionRecord
from orange_jupyter.storage.transcript import Turn


def export_json(record: SessionRecord, turns: tuple[Turn, ...]) -> str:
    """The whole visible history, every event, as one JSON document."""
    whole = {"session": summary(record) | {"turns": [_turn(turn) for turn in turns]}}
    return json.dumps(whole, ensure_ascii=False, indent=2) + "\n"


def summary(record: SessionRecord) -> dict[str, Any]:
    """The fields of one session in `session list` (12-schemas.md, Command line)."""
    return {
        "sessionId": record.session_id,
        "title": record.title,
        "model": record.model,
        "tier": record.tier.value,
        "plan": record.plan,
        "memory": record.memory,
        "knowledgeBases": list(record.knowledge_base_ids),
        "turns": record.turns,
        "updatedAt": record.updated_at,
    }


def export_markdown(record: SessionRecord, turns: tuple[Turn, ...]) -> str:
    """The questions, tool calls, answers and sources as Markdown that reads well on its own."""
    head = [f"# {record.title or record.session_id}", "", f"- {record.model or 'no model'} · {record.created_at}"]
    return "\n".join([*head, *(line for turn in turns for line in _markdown(turn))]) + "\n"


def _turn(turn: Turn) -> dict[str, Any]:
    events = [_document(event) for event in turn.events]
    return {"turnId": turn.turn_id, "events": events} | ({"partial": turn.partial} if turn.partial else {})


def _document(value: Any) -> Any:
    """A value as JSON with camelCase names (R-SCH-2); what is already JSON inside it keeps its own names."""
    match value:
        case Citation():
            return value.as_json()
        case Value():
            return {to_camel(name): _document(getattr(value, name)) for name in type(value).model_fields}
        case tuple():
            return [_document(item) for item in value]
        case _:
            return value


def _markdown(turn: Turn) -> list[str]:
    lines: list[str] = []
    for event in turn.events:
        lines += _lines(event)
    if turn.partial:
        lines += ["", turn.partial, "", "*(still running)*"]
    return lines


def _lines(event: Event) -> list[str]:
    match event:
        case TurnStarted():
            return ["", f"## {event.number}. {event.started_at}", "", *_quoted(event.text)]
        case PartDone(part=Text(text=text)):
            return ["", text]
        case CallFinished():
            mark = "✓" if event.ok else "✗"
            return ["", f"- {mark} `{event.tool}` {event.summary} ({event.decision})"]
        case Notice():
            return ["", f"> {event.level}: {event.text}"]
        case TurnFinished():
            return _end(event)
        case StepStarted() | StepFinished() | ModelRetry() | PartDone() | CallStarted() | Progress():
            return []
        case ApprovalAsked() | ApprovalEnded():
            return []
        case _:
            assert_never(event)


def _quoted(text: str) -> list[str]:
    return [f"> {line}".rstrip() for line in text.splitlines()]


def _end(event: TurnFinished) -> list[str]:
    lines = [line for citation in event.citations for line in _source(citation)]
    if event.stop_reason is not StopReason.ANSWER:
        lines.append(f"*{event.stop_reason.value}*" + (f": {event.error}" if event.error else ""))
    return ["", *lines] if lines else []


def _source(citation: Citation) -> list[str]:
    page = f", p. {citation.page}" if citation.page else ""
    where = " › ".join(citation.heading_path)
    return [f"- [{citation.citation_id}] {citation.path}{page}" + (f" — {where}" if where else "")]
