"""The tables, as a list of migrations: entry n brings a store of version n to n + 1 (R09)."""

from __future__ import annotations

_FIRST = (
    """CREATE TABLE sessions (
        session_id TEXT PRIMARY KEY,
        title TEXT NOT NULL,
        model TEXT NOT NULL,
        tier TEXT NOT NULL,
        workspace_tier TEXT NOT NULL,
        plan INTEGER NOT NULL,
        memory INTEGER NOT NULL,
        knowledge_base_ids TEXT NOT NULL,
        selected_tools TEXT NOT NULL,
        permission_version INTEGER NOT NULL,
        notebook TEXT,
        created_at TEXT NOT NULL,
        updated_at TEXT NOT NULL,
        turns INTEGER NOT NULL DEFAULT 0,
        touched INTEGER NOT NULL
    )""",
    "CREATE INDEX sessions_by_notebook ON sessions (notebook, touched)",
    """CREATE TABLE cells (
        session_id TEXT NOT NULL REFERENCES sessions ON DELETE CASCADE,
        cell_id TEXT NOT NULL,
        place INTEGER NOT NULL,
        PRIMARY KEY (session_id, cell_id)
    )""",
    "CREATE INDEX cells_by_cell ON cells (cell_id)",
    """CREATE TABLE records (
        seq INTEGER PRIMARY KEY AUTOINCREMENT,
        session_id TEXT NOT NULL REFERENCES sessions ON DELETE CASCADE,
        turn_id TEXT NOT NULL,
        sort TEXT NOT NULL,
        kind TEXT NOT NULL,
        body TEXT NOT NULL
    )""",
    "CREATE INDEX records_by_session ON records (session_id, sort, seq)",
    "CREATE INDEX records_by_kind ON records (session_id, kind, turn_id)",
    """CREATE TABLE partials (
        session_id TEXT NOT NULL REFERENCES sessions ON DELETE CASCADE,
        turn_id TEXT NOT NULL,
        text TEXT NOT NULL,
        PRIMARY KEY (session_id, turn_id)
    )""",
    """CREATE TABLE decisions (
        session_id TEXT NOT NULL REFERENCES sessions ON DELETE CASCADE,
        operation_id TEXT NOT NULL,
        turn_id TEXT NOT NULL,
        call_id TEXT NOT NULL,
        tool TEXT NOT NULL DEFAULT '',
        effect TEXT NOT NULL DEFAULT '',
        operation TEXT NOT NULL DEFAULT '',
        target TEXT NOT NULL DEFAULT '',
        asked_version INTEGER,
        asked_at TEXT NOT NULL DEFAULT '',
        outcome TEXT,
        reason TEXT NOT NULL DEFAULT '',
        ended_version INTEGER,
        ended_at TEXT,
        PRIMARY KEY (session_id, operation_id)
    )""",
    """CREATE TABLE evidence (
        ref TEXT PRIMARY KEY,
        session_id TEXT NOT NULL REFERENCES sessions ON DELETE CASCADE,
        place INTEGER NOT NULL,
        call_id TEXT NOT NULL,
        tool TEXT NOT NULL,
        content_type TEXT NOT NULL,
        storage_kind TEXT NOT NULL,
        size INTEGER NOT NULL,
        body TEXT
    )""",
    "CREATE INDEX evidence_by_session ON evidence (session_id, place)",
    """CREATE TABLE citations (
        session_id TEXT NOT NULL REFERENCES sessions ON DELETE CASCADE,
        number INTEGER NOT NULL,
        passage_key TEXT NOT NULL,
        body TEXT NOT NULL,
        PRIMARY KEY (session_id, number),
        UNIQUE (session_id, passage_key)
    )""",
    """CREATE TABLE reads (
        session_id TEXT NOT NULL REFERENCES sessions ON DELETE CASCADE,
        file TEXT NOT NULL,
        content_hash TEXT NOT NULL,
        PRIMARY KEY (session_id, file)
    )""",
)

_CHANGES = (
    """CREATE TABLE changes (
        operation_id TEXT PRIMARY KEY,
        session_id TEXT NOT NULL REFERENCES sessions ON DELETE CASCADE,
        change_set_id TEXT NOT NULL,
        place INTEGER NOT NULL UNIQUE,
        state TEXT NOT NULL,
        decided_at TEXT,
        chain TEXT NOT NULL,
        base TEXT,
        emptied INTEGER NOT NULL DEFAULT 0,
        body BLOB NOT NULL
    )""",
    "CREATE INDEX changes_by_session ON changes (session_id, place)",
    "CREATE INDEX changes_by_set ON changes (change_set_id, place)",
    "CREATE INDEX changes_by_chain ON changes (chain)",
)

MIGRATIONS: tuple[tuple[str, ...], ...] = (_FIRST, _CHANGES)
