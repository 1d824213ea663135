"""Numbers the passages that tools gave in one session: `c1`, `c2`, … (12-schemas.md, Citation)."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from datetime import UTC, datetime

from orange_jupyter.core.corpus import Citation, Hit
from orange_jupyter.storage.database import Database
from orange_jupyter.storage.protected import Mask, protected, unmasked


class SessionCitations:
    """The citations of one session (ports.Citations). What is saved is masked, what is returned is as found."""

    def __init__(self, database: Database, session_id: str, *, mask: Mask = unmasked) -> None:
        self._database = database
        self._session_id = session_id
        self._mask = mask

    async def number(self, hits: tuple[Hit, ...]) -> tuple[Citation, ...]:
        """Citations for hits, in their order; the same place with the same content keeps its id. Raises StoreError."""
        return await self._database.run(lambda connection: tuple(self._one(connection, hit) for hit in hits))

    async def known(self) -> dict[str, Citation]:
        """Every citation that a tool gave in this session, by id, in the order of the ids."""
        rows = await self._database.run(
            lambda connection: connection.execute(
                "SELECT body FROM citations WHERE session_id = ? ORDER BY number", (self._session_id,)
            ).fetchall()
        )
        found = [Citation.model_validate_json(body) for (body,) in rows]
        return {citation.citation_id: citation for citation in found}

    def _one(self, connection: sqlite3.Connection, hit: Hit) -> Citation:
        key = _key(hit)
        row = connection.execute(
            "SELECT number FROM citations WHERE session_id = ? AND passage_key = ?", (self._session_id, key)
        ).fetchone()
        number = row[0] if row else self._next(connection)
        citation = _citation(f"c{number}", hit)
        connection.execute(
            "INSERT OR REPLACE INTO citations (session_id, number, passage_key, body) VALUES (?, ?, ?, ?)",
            (self._session_id, number, key, protected(citation, self._mask)),
        )
        return citation

    def _next(self, connection: sqlite3.Connection) -> int:
        highest = connection.execute(
            "SELECT coalesce(max(number), 0) FROM citations WHERE session_id = ?", (self._session_id,)
        ).fetchone()
        return int(highest[0]) + 1


def _key(hit: Hit) -> str:
    """One passage of one content. A file without an id (outside the KBs) counts by its path."""
    file = hit.info.file_id or hit.info.place.shown
    whole = json.dumps([file, hit.page, hit.block, hit.start, hit.end, hit.content_hash])
    return hashlib.sha256(whole.encode("ascii")).hexdigest()


def _citation(citation_id: str, hit: Hit) -> Citation:
    base = hit.info.place.knowledge_base
    return Citation(
        citation_id=citation_id,
        file_id=hit.info.file_id or "",
        knowledge_base_id=base.id if base else "",
        knowledge_base=base.name if base else "",
        path=hit.info.place.shown,
        file_type=hit.info.file_type,
        title=hit.title,
        heading_path=hit.heading_path,
        page=hit.page,
        block=hit.block,
        passage=hit.passage,
        start=hit.start,
        end=hit.end,
        score=hit.score,
        updated_at=_utc(hit.info.mtime_ns),
        content_hash=hit.content_hash,
    )


def _utc(nanoseconds: int) -> str:
    return datetime.fromtimestamp(nanoseconds // 1_000_000_000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
