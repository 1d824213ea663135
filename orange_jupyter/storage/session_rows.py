"""A session as it is stored: its fields, its row, and how one is found by id or title."""

from __future__ import annotations

import difflib
import json
import sqlite3
import unicodedata
from typing import Any, Final, TypedDict

from orange_jupyter.core.errors import SessionError
from orange_jupyter.core.grant import Tier
from orange_jupyter.core.messages import Value

MAX_CELLS: Final = 500
"""Cell ids that are remembered of one session; the oldest go first."""


class SessionFields(TypedDict, total=False):
    """What may be set when a session is made and changed later."""

    title: str
    model: str
    tier: Tier
    plan: bool
    memory: bool
    knowledge_base_ids: tuple[str, ...]
    selected_tools: tuple[str, ...]
    permission_version: int
    notebook: str | None


class SessionRecord(Value):
    """One session as it is stored.

    `tier` is always a workspace tier here: a full one ends with its kernel (R-PERM-10). `ended_full` is the full
    tier the session was in, to be named to the person and offered again; setting `tier` clears it.
    """

    session_id: str
    title: str
    model: str
    tier: Tier
    ended_full: Tier | None = None
    plan: bool = False
    memory: bool = False
    knowledge_base_ids: tuple[str, ...] = ()
    selected_tools: tuple[str, ...] = ()
    permission_version: int = 1
    notebook: str | None = None
    cell_ids: tuple[str, ...] = ()
    created_at: str
    updated_at: str
    turns: int = 0


DEFAULTS: Final = SessionFields(
    title="",
    model="",
    tier=Tier.WORKSPACE_READONLY,
    plan=False,
    memory=False,
    knowledge_base_ids=(),
    selected_tools=(),
    permission_version=1,
    notebook=None,
)


def columns_of(fields: SessionFields) -> dict[str, Any]:
    """The columns that these fields fill; a workspace tier is also the one to come back to."""
    columns: dict[str, Any] = dict(fields)
    for name in ("knowledge_base_ids", "selected_tools"):
        if name in columns:
            columns[name] = json.dumps(list(columns[name]), ensure_ascii=False)
    if "title" in columns:
        columns["title"] = unicodedata.normalize("NFC", columns["title"]).strip()
    if "tier" in columns and not Tier(columns["tier"]).full:
        columns["workspace_tier"] = columns["tier"]
    return columns


def _record(connection: sqlite3.Connection, row: tuple[Any, ...]) -> SessionRecord:
    tier, workspace_tier = Tier(row[3]), Tier(row[4])
    cells = connection.execute("SELECT cell_id FROM cells WHERE session_id = ? ORDER BY place", (row[0],)).fetchall()
    return SessionRecord(
        session_id=row[0],
        title=row[1],
        model=row[2],
        tier=workspace_tier,
        ended_full=tier if tier.full else None,
        plan=bool(row[5]),
        memory=bool(row[6]),
        knowledge_base_ids=tuple(json.loads(row[7])),
        selected_tools=tuple(json.loads(row[8])),
        permission_version=row[9],
        notebook=row[10],
        cell_ids=tuple(cell for (cell,) in cells),
        created_at=row[11],
        updated_at=row[12],
        turns=row[13],
    )


def every(connection: sqlite3.Connection) -> tuple[SessionRecord, ...]:
    """All sessions, the last used first."""
    rows = connection.execute("SELECT * FROM sessions ORDER BY touched DESC").fetchall()
    return tuple(_record(connection, row) for row in rows)


def by_id(connection: sqlite3.Connection, session_id: str) -> SessionRecord:
    """One session. Raises SessionError unknown."""
    row = connection.execute("SELECT * FROM sessions WHERE session_id = ?", (session_id,)).fetchone()
    if row is None:
        raise SessionError(f"There is no session {session_id} (any more).", hint="See %orange session list.")
    return _record(connection, row)


def find(connection: sqlite3.Connection, name: str) -> SessionRecord:
    """One session by id or title, exact first, then without case. Raises SessionError."""
    records = every(connection)
    title = unicodedata.normalize("NFC", name).strip()
    for matching in (
        [one for one in records if one.session_id == name],
        [one for one in records if one.title == title],
        [one for one in records if one.title.casefold() == title.casefold()],
    ):
        if len(matching) == 1:
            return matching[0]
        if matching:
            ids = ", ".join(one.session_id for one in matching)
            raise SessionError(f"{len(matching)} sessions are called {title!r}: {ids}.", hint="Use the id.")
    near = difflib.get_close_matches(title, [one.title for one in records] + [one.session_id for one in records], 1)
    raise SessionError(
        f"There is no session {name!r}.", hint=f"Did you mean {near[0]!r}?" if near else "See %orange session list."
    )


def sharing(connection: sqlite3.Connection, cell_ids: tuple[str, ...]) -> list[SessionRecord]:
    """Sessions that ran in any of these cells, the one with most of them first."""
    marks = ", ".join("?" * len(cell_ids[:MAX_CELLS]))
    rows = connection.execute(
        f"SELECT session_id, count(*) AS shared FROM cells JOIN sessions USING (session_id) "  # noqa: S608 - only marks
        f"WHERE cell_id IN ({marks}) GROUP BY session_id ORDER BY shared DESC, touched DESC",
        cell_ids[:MAX_CELLS],
    ).fetchall()
    return [by_id(connection, session_id) for session_id, _ in rows]
