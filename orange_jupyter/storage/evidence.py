"""The full protected results of one session's tool calls, given back in pieces (R-EVID-2, R-EVID-3)."""

from __future__ import annotations

import re
import sqlite3
from typing import Final

from orange_jupyter.core.codes import Code
from orange_jupyter.core.corpus import EvidencePiece
from orange_jupyter.core.errors import EvidenceError
from orange_jupyter.storage.database import Database
from orange_jupyter.storage.ids import BODY, new_id
from orange_jupyter.storage.protected import Mask, encodable, unmasked

WHOLE_BYTES: Final = 2 * 1_048_576
"""A result up to this size is kept whole (`inspectable`); of a larger one half of it from each end (`projected`)."""
SESSION_BYTES: Final = 200 * 1_048_576
"""Text kept of one session; beyond it the oldest texts go and their refs answer `not_available`."""
MAX_LIMIT: Final = 48_000
_REF: Final = re.compile(f"tr_{BODY}")


class SessionEvidence:
    """Kept results of one session (ports.Evidence). `mask` is a second guard: callers pass masked text."""

    def __init__(
        self, database: Database, session_id: str, *, mask: Mask = unmasked, session_bytes: int = SESSION_BYTES
    ) -> None:
        self._database = database
        self._session_id = session_id
        self._mask = mask
        self._session_bytes = session_bytes

    async def keep(self, call_id: str, tool: str, text: str, *, content_type: str = "application/json") -> str:
        """Keep a result's text; returns its `tr_…` ref. Raises StoreError."""
        ref = new_id("tr_")
        body, storage_kind = _bounded(encodable(self._mask(text)))
        row = (ref, self._session_id, call_id, tool, content_type, storage_kind, len(body.encode()), body)

        def work(connection: sqlite3.Connection) -> None:
            connection.execute(
                "INSERT INTO evidence (ref, session_id, place, call_id, tool, content_type, storage_kind, size, body) "
                "SELECT ?1, ?2, coalesce(max(place), 0) + 1, ?3, ?4, ?5, ?6, ?7, ?8 FROM evidence "
                "WHERE session_id = ?2",
                row,
            )
            _drop_oldest(connection, self._session_id, self._session_bytes)

        await self._database.run(work)
        return ref

    async def piece(self, ref: str, offset: int, limit: int) -> EvidencePiece:
        """A stretch of at most `limit` code points (clamped to 1–48,000) from `offset`; `next_offset` None at the end.

        Raises EvidenceError invalid_ref, not_found, out_of_scope, not_available, out_of_range (with the valid range).
        """
        if not _REF.fullmatch(ref):
            raise EvidenceError(
                Code.INVALID_REF,
                "This is not a reference to a kept result; it looks like `tr_` and 16 letters or digits.",
                hint="Give a details_ref from an earlier result; file paths are read with `read`.",
            )
        row = await self._database.run(
            lambda connection: connection.execute(
                "SELECT session_id, tool, content_type, storage_kind, body FROM evidence WHERE ref = ?", (ref,)
            ).fetchone()
        )
        if row is None:
            raise EvidenceError(Code.NOT_FOUND, f"No result was kept under {ref}.")
        session_id, tool, content_type, storage_kind, body = row
        if session_id != self._session_id:
            raise EvidenceError(Code.OUT_OF_SCOPE, f"{ref} belongs to another session and is not readable in this one.")
        if body is None:
            raise EvidenceError(
                Code.NOT_AVAILABLE, f"The text of {ref} is no longer kept.", hint=f"Call {tool} again for a new result."
            )
        start, end = _stretch(body, offset, limit)
        return EvidencePiece(
            content=body[start:end],
            offset=start,
            next_offset=end if end < len(body) else None,
            total_chars=len(body),
            source_tool=tool,
            content_type=content_type,
            storage_kind=storage_kind,
        )


def _stretch(body: str, offset: int, limit: int) -> tuple[int, int]:
    if not 0 <= offset <= len(body):
        raise EvidenceError(
            Code.OUT_OF_RANGE,
            f"offset {offset} is outside this text of {len(body):,} characters.",
            details={"minimum": 0, "maximum": len(body)},
        )
    return offset, min(len(body), offset + max(1, min(limit, MAX_LIMIT)))


def _bounded(text: str) -> tuple[str, str]:
    data = text.encode()
    if len(data) <= WHOLE_BYTES:
        return text, "inspectable"
    head = data[: WHOLE_BYTES // 2].decode(errors="ignore")
    tail = data[-WHOLE_BYTES // 2 :].decode(errors="ignore")
    left_out = len(text) - len(head) - len(tail)
    note = f"\n[… {left_out:,} of {len(text):,} characters were not kept: this is the beginning and the end …]\n"
    return head + note + tail, "projected"


def _drop_oldest(connection: sqlite3.Connection, session_id: str, bound: int) -> None:
    """Forget the oldest texts until the rest fits; the newest always stays."""
    kept = connection.execute(
        "SELECT ref, size FROM evidence WHERE session_id = ? AND body IS NOT NULL ORDER BY place DESC", (session_id,)
    ).fetchall()
    total = 0
    for number, (ref, size) in enumerate(kept):
        total += size
        if number and total > bound:
            connection.execute("UPDATE evidence SET body = NULL WHERE ref = ?", (ref,))
