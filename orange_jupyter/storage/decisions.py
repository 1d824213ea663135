"""Every decision of a person, with time and permission version (R-APPR-5); filled from the events of approvals."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass, fields
from typing import Any, Final

from orange_jupyter.core.approval import Outcome
from orange_jupyter.core.events import ApprovalAsked, ApprovalEnded
from orange_jupyter.storage.protected import Mask, encodable


@dataclass(frozen=True, slots=True)
class Decision:
    """One request for approval and its end; `outcome` None while it waits. Times are ISO 8601 UTC."""

    operation_id: str
    turn_id: str
    call_id: str
    tool: str
    effect: str
    operation: str
    target: str
    asked_version: int | None
    asked_at: str
    outcome: Outcome | None
    reason: str
    ended_version: int | None
    ended_at: str | None


_COLUMNS: Final = tuple(column.name for column in fields(Decision))


def note_asked(
    connection: sqlite3.Connection, session_id: str, *, turn_id: str, event: ApprovalAsked, mask: Mask
) -> None:
    """Write down what was asked; asking the same operation again changes nothing."""
    request = event.request
    connection.execute(
        "INSERT INTO decisions (session_id, operation_id, turn_id, call_id, tool, effect, operation, target, "
        "asked_version, asked_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
        (
            *(session_id, request.operation_id, turn_id, event.call_id, request.tool, request.effect),
            *(encodable(mask(request.operation)), encodable(mask(request.target))),
            *(request.permission_version, request.asked_at),
        ),
    )


def note_ended(
    connection: sqlite3.Connection, session_id: str, *, turn_id: str, event: ApprovalEnded, mask: Mask
) -> None:
    """Write down how it ended. The first end stands: an answer is used once (R-APPR-3)."""
    connection.execute(
        "INSERT INTO decisions (session_id, operation_id, turn_id, call_id) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
        (session_id, event.operation_id, turn_id, event.call_id),
    )
    connection.execute(
        "UPDATE decisions SET outcome = ?, reason = ?, ended_version = ?, ended_at = ? "
        "WHERE session_id = ? AND operation_id = ? AND outcome IS NULL",
        (
            *(event.outcome, encodable(mask(event.reason)), event.permission_version, event.at),
            *(session_id, event.operation_id),
        ),
    )


def decisions_of(connection: sqlite3.Connection, session_id: str) -> tuple[Decision, ...]:
    """A session's decisions in the order they were asked."""
    rows = connection.execute(
        f"SELECT {', '.join(_COLUMNS)} FROM decisions WHERE session_id = ? ORDER BY rowid",  # noqa: S608 - our own names
        (session_id,),
    ).fetchall()
    return tuple(_decision(dict(zip(_COLUMNS, row, strict=True))) for row in rows)


def _decision(row: dict[str, Any]) -> Decision:
    return Decision(**row | {"outcome": Outcome(row["outcome"]) if row["outcome"] else None})
