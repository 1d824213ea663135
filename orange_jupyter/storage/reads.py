"""Which state of a file a session read last, so that a later piece can say `changed` (R-READ-2)."""

from __future__ import annotations

import sqlite3

from orange_jupyter.storage.database import Database
from orange_jupyter.storage.protected import encodable


class SessionReads:
    """The reads of one session (ports.Reads)."""

    def __init__(self, database: Database, session_id: str) -> None:
        self._database = database
        self._session_id = session_id

    async def note(self, key: str, content_hash: str) -> str | None:
        """Keep the state of the file `key`; returns the one before, or None. Raises StoreError."""
        row = (self._session_id, encodable(key))

        def work(connection: sqlite3.Connection) -> str | None:
            before = connection.execute(
                "SELECT content_hash FROM reads WHERE session_id = ? AND file = ?", row
            ).fetchone()
            connection.execute("INSERT OR REPLACE INTO reads VALUES (?, ?, ?)", (*row, content_hash))
            return before[0] if before else None

        return await self._database.run(work)
