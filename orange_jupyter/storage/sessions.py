"""The list of sessions: made, found, renamed, deleted, and found again when a notebook is reopened (R-SESS-1)."""

from __future__ import annotations

import os
import sqlite3
from typing import Final, Unpack

from orange_jupyter.core.grant import Tier
from orange_jupyter.core.ports import Clock
from orange_jupyter.storage.database import Database
from orange_jupyter.storage.ids import new_id
from orange_jupyter.storage.lease import Lease, Leases
from orange_jupyter.storage.session_rows import (
    DEFAULTS,
    MAX_CELLS,
    SessionFields,
    SessionRecord,
    by_id,
    columns_of,
    every,
    find,
    sharing,
)

_NEXT_TOUCH: Final = "(SELECT coalesce(max(touched), 0) + 1 FROM sessions)"


class Sessions:
    """The sessions of one ORANGE_HOME."""

    def __init__(self, database: Database, clock: Clock, leases: Leases) -> None:
        self._database = database
        self._clock = clock
        self._leases = leases

    async def create(self, **fields: Unpack[SessionFields]) -> SessionRecord:
        """A new session with an id of its own; what is not given has its default. Raises StoreError."""
        session_id, now = new_id("s_"), self._clock.now()
        whole = DEFAULTS | fields

        def work(connection: sqlite3.Connection) -> SessionRecord:
            columns = columns_of(whole)
            columns.setdefault("workspace_tier", Tier.WORKSPACE_READONLY)
            columns |= {"session_id": session_id, "created_at": now, "updated_at": now}
            names = ", ".join(columns)
            marks = ", ".join("?" * len(columns))
            connection.execute(
                f"INSERT INTO sessions ({names}, touched) VALUES ({marks}, {_NEXT_TOUCH})",  # noqa: S608 - fixed names
                tuple(columns.values()),
            )
            return by_id(connection, session_id)

        return await self._database.run(work)

    async def get(self, name: str) -> SessionRecord:
        """The session with this id or title. Raises SessionError: unknown (names the nearest), or several."""
        return await self._database.run(lambda connection: find(connection, name))

    async def list(self) -> tuple[SessionRecord, ...]:
        """All sessions, the last used first."""
        return await self._database.run(every)

    async def update(self, session_id: str, **fields: Unpack[SessionFields]) -> SessionRecord:
        """Change some fields. A full tier keeps the workspace tier to come back to. Raises SessionError unknown."""
        now = self._clock.now()

        def work(connection: sqlite3.Connection) -> SessionRecord:
            columns = columns_of(fields) | {"updated_at": now}
            sets = ", ".join(f"{name} = ?" for name in columns)
            connection.execute(
                f"UPDATE sessions SET {sets}, touched = {_NEXT_TOUCH} WHERE session_id = ?",  # noqa: S608 - fixed names
                (*columns.values(), session_id),
            )
            return by_id(connection, session_id)

        return await self._database.run(work)

    async def rename(self, session_id: str, title: str) -> SessionRecord:
        """Give a session another title; surrounding blanks are dropped. Raises SessionError unknown."""
        return await self.update(session_id, title=title)

    async def delete(self, session_id: str, lease: Lease | None = None) -> None:
        """Remove a session with all that was kept of it. `lease` is the caller's own, if it has the session open.

        Raises SessionError: unknown, or busy in another kernel.
        """
        own = lease or await self._leases.acquire(session_id)

        def work(connection: sqlite3.Connection) -> None:
            by_id(connection, session_id)
            connection.execute("DELETE FROM sessions WHERE session_id = ?", (session_id,))

        try:
            await self._database.run(work)
        finally:
            if lease is None:
                own.release()

    async def remember_cells(self, session_id: str, *cell_ids: str) -> None:
        """Keep the ids of cells that this session ran in, so that a renamed notebook finds it again."""

        def work(connection: sqlite3.Connection) -> None:
            for cell_id in cell_ids:
                connection.execute(
                    "INSERT OR REPLACE INTO cells "
                    "SELECT ?, ?, coalesce(max(place), 0) + 1 FROM cells WHERE session_id = ?",
                    (session_id, cell_id, session_id),
                )
            connection.execute(
                "DELETE FROM cells WHERE session_id = ? AND place <= "
                "(SELECT max(place) FROM cells WHERE session_id = ?) - ?",
                (session_id, session_id, MAX_CELLS),
            )

        await self._database.run(work)

    async def for_notebook(self, path: str, cell_ids: tuple[str, ...] = ()) -> SessionRecord | None:
        """A notebook's current session: by its absolute path first, then by cells that it shares.

        A session whose own notebook still exists is not taken by shared cells: then this one is a copy.
        """

        def work(connection: sqlite3.Connection) -> SessionRecord | None:
            found = connection.execute(
                "SELECT session_id FROM sessions WHERE notebook = ? ORDER BY touched DESC LIMIT 1", (path,)
            ).fetchone()
            if found:
                return by_id(connection, found[0])
            return next((one for one in sharing(connection, cell_ids) if not _still_there(one)), None)

        return await self._database.run(work)


def _still_there(record: SessionRecord) -> bool:
    return record.notebook is not None and os.path.exists(record.notebook)
