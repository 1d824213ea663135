"""What of changes may be forgotten: kept bytes beyond the keep limits, and texts decided long ago (R-CHG-9)."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from orange_jupyter.core.changes.values import OpState
from orange_jupyter.storage.kept_bytes import Kept, KeptBytes

KEEP_BYTES: Final = 200_000_000
KEEP_DAYS: Final = 30
GRACE_SECONDS: Final = 86_400
"""Bytes that nothing refers to stay this long after they were last kept: their operation may be under way."""

_EMPTY: Final[dict[str, object]] = {"base": None, "splices": [], "asked": [], "content": None, "taken": None}
_OPEN: Final = ", ".join(f"'{state}'" for state in OpState if state.open)
_CHAINS: Final = (
    f"SELECT chain, max(state IN ({_OPEN})) AS open, max(state = '{OpState.APPLIED}') AS applied, "  # noqa: S608 - our own words
    "max(coalesce(decided_at, '9999')) AS decided_at, min(emptied) AS emptied FROM changes GROUP BY chain"
)
"""The operations on one text stand and fall together: without one of them the others have no place in it."""


@dataclass(frozen=True, slots=True)
class Keeping:
    """How much is kept for undoing, seen at `now` (ISO 8601 UTC)."""

    now: str
    limit_bytes: int = KEEP_BYTES
    days: int = KEEP_DAYS

    @property
    def moment(self) -> datetime:
        """`now` as a moment."""
        return datetime.fromisoformat(self.now).astimezone(UTC)

    @property
    def oldest(self) -> str:
        """What was decided before this is beyond the limit."""
        return (self.moment - timedelta(days=self.days)).strftime("%Y-%m-%dT%H:%M:%SZ")


@dataclass(frozen=True, slots=True)
class Pruned:
    """What went: `files` of kept bytes and their `size` together, and how many operations were `emptied`."""

    files: int = 0
    size: int = 0
    emptied: int = 0


def prune(connection: sqlite3.Connection, kept: KeptBytes, keeping: Keeping) -> Pruned:
    """Forget it, inside the transaction of `connection`, which keeps other processes from referring to it meanwhile.

    Raises StoreError; what went until then went rightly.
    """
    gone = list(_beyond(connection, kept, keeping))
    for one in gone:
        kept.drop(one)
    return Pruned(len(gone), sum(one.size for one in gone), _empty(connection, keeping.oldest))


def _beyond(connection: sqlite3.Connection, kept: KeptBytes, keeping: Keeping) -> Iterator[Kept]:
    needed, undoable = _referred(connection)
    late = keeping.moment.timestamp() - GRACE_SECONDS
    for_undoing: list[tuple[str, Kept]] = []
    for one in kept.all():
        decided_at = undoable.get(one.sha256 or "", "")
        if one.sha256 in needed:
            continue
        if decided_at >= keeping.oldest:
            for_undoing.append((decided_at, one))
        elif one.at < late:
            yield one
    total = 0
    for _, one in sorted(for_undoing, key=lambda pair: (pair[0], pair[1].sha256 or ""), reverse=True):
        total += one.size
        if total > keeping.limit_bytes and one.at < late:
            yield one


def _referred(connection: sqlite3.Connection) -> tuple[set[str], dict[str, str]]:
    """Bytes that something undecided needs; and those that an undoing needs, with the time of the last decision."""
    rows = connection.execute(
        f"SELECT base, max(chains.open), max(CASE WHEN chains.applied THEN chains.decided_at END) "  # noqa: S608 - ours
        f"FROM changes JOIN ({_CHAINS}) AS chains USING (chain) WHERE base IS NOT NULL GROUP BY base"
    ).fetchall()
    needed = {base for base, undecided, _ in rows if undecided}
    return needed, {base: decided_at for base, _, decided_at in rows if decided_at}


def _empty(connection: sqlite3.Connection, oldest: str) -> int:
    ripe = connection.execute(
        f"SELECT operation_id FROM changes JOIN ({_CHAINS}) AS chains USING (chain) "  # noqa: S608 - our own words
        "WHERE NOT chains.open AND chains.decided_at < ? AND NOT chains.emptied ORDER BY place",
        (oldest,),
    ).fetchall()
    for (operation_id,) in ripe:
        (body,) = connection.execute("SELECT body FROM changes WHERE operation_id = ?", (operation_id,)).fetchone()
        connection.execute(
            "UPDATE changes SET body = ?, base = NULL, emptied = 1 WHERE operation_id = ?",
            (_without_texts(body), operation_id),
        )
    return len(ripe)


def _without_texts(body: bytes) -> bytes:
    """The record without texts; what a person chose stays until the model was told (R-CHG-12).

    `base` goes too: a text operation without it is refused by whatever would write, so an emptied one never looks
    like one that changes nothing.
    """
    record = json.loads(body.decode("utf-8", "surrogatepass"))
    record |= _EMPTY | ({"choice": None} if record["told"] else {})
    return json.dumps(record, ensure_ascii=False).encode("utf-8", "surrogatepass")
