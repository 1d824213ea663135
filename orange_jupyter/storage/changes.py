"""Every session's change sets in the store, and the texts that they were proposed on (R-CHG-1, R-CHG-10)."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from orange_jupyter.core.changes.values import OpState, Proposal
from orange_jupyter.core.errors import StoreError
from orange_jupyter.storage.database import Database
from orange_jupyter.storage.kept_bytes import KeptBytes
from orange_jupyter.storage.pruning import KEEP_BYTES, KEEP_DAYS, Keeping, Pruned, prune

_OPEN: Final = ", ".join(f"'{state}'" for state in OpState if state.open)
_SELECT: Final = "SELECT operation_id, body FROM changes WHERE"
_Rows = list[tuple[str, bytes]]


class Changes:
    """The operations of all sessions of one ORANGE_HOME (changes.ports.ChangeStore).

    What is kept here is unmasked, other than in the transcript: what a person accepts must be written byte for byte
    as they saw it. The store and the kept bytes can be read by their owner only (S04), and `prune` empties the texts
    of what was decided long ago. A session's operations go with it. May be used from any event loop.
    """

    def __init__(self, database: Database, home: Path) -> None:
        self._database = database
        self._bytes = KeptBytes(home)

    async def add(self, proposal: Proposal) -> None:
        """Keep a new operation. Raises StoreError, also where its session is gone or its id is taken."""

        def work(connection: sqlite3.Connection) -> None:
            try:
                connection.execute(
                    "INSERT INTO changes (session_id, change_set_id, state, decided_at, chain, base, body, "
                    "operation_id, place) SELECT ?, ?, ?, ?, ?, ?, ?, ?, coalesce(max(place), 0) + 1 FROM changes",
                    _columns(proposal),
                )
            except sqlite3.IntegrityError as problem:
                raise StoreError(
                    f"The change {proposal.id} could not be kept: its session {proposal.session_id} is gone, or there "
                    "is a change of this id already. Nothing was changed.",
                    hint="Open the session again, or begin a new one, and ask again.",
                ) from problem

        await self._database.run(work)

    async def update(self, proposals: Sequence[Proposal]) -> None:
        """Keep operations as they are now, all or none. Raises StoreError, also where one is not kept any more."""

        def work(connection: sqlite3.Connection) -> None:
            for proposal in proposals:
                written = connection.execute(
                    "UPDATE changes SET session_id = ?, change_set_id = ?, state = ?, decided_at = ?, chain = ?, "
                    "base = ?, body = ?, emptied = 0 WHERE operation_id = ?",
                    _columns(proposal),
                )
                if not written.rowcount:
                    raise StoreError(
                        f"The change {proposal.id} is not kept any more: its session {proposal.session_id} was "
                        "deleted. How it ended could not be noted.",
                        hint="Look at the files themselves.",
                    )

        await self._database.run(work)

    async def find(self, operation_ids: Sequence[str]) -> tuple[Proposal, ...]:
        """The operations with these ids, in this order; unknown ids are left out. Raises StoreError."""
        return await self._read("operation_id = ?", operation_ids)

    async def of_session(self, session_id: str, *, undecided: bool = False) -> tuple[Proposal, ...]:
        """A session's operations in the order they were added, with `undecided` those that are open: pending, stale,
        failed. Raises StoreError."""
        only = f" AND state IN ({_OPEN})" if undecided else ""
        return await self._read(f"session_id = ?{only} ORDER BY place", (session_id,))

    async def sets(self, change_set_ids: Sequence[str]) -> tuple[Proposal, ...]:
        """All operations of these change sets, set by set as named, each in the order of adding. Raises StoreError."""
        return await self._read("change_set_id = ? ORDER BY place", tuple(dict.fromkeys(change_set_ids)))

    async def keep(self, data: bytes) -> str:
        """Keep the bytes of a file that a change is written against; returns their sha256 (hex). Raises StoreError."""
        sha256 = await asyncio.to_thread(self._bytes.put, data)
        # Under the store's lock no pruning is under way that has looked at an older file of these bytes.
        if not await self._database.run(lambda _: self._bytes.renew(sha256)):
            await self._database.run(lambda _: self._bytes.put(data))
        return sha256

    async def kept(self, sha256: str) -> bytes:
        """The bytes. Raises ChangeError not_available where the keep limits took them, StoreError."""
        return await asyncio.to_thread(self._bytes.get, sha256)

    async def prune(self, now: str, *, limit_bytes: int = KEEP_BYTES, days: int = KEEP_DAYS) -> Pruned:
        """Forget what nothing needs any more (R-CHG-9); `now` is ISO 8601 UTC, as a Clock gives it. Raises StoreError.

        Kept bytes: those that an undecided operation was proposed on always stay. Those of applied ones stay for
        undoing, up to `limit_bytes` together and `days` after the decision, the last decided first. All others go,
        a day after they were last kept at the earliest: their operation may not have been added yet.
        Texts: operations that were decided more than `days` ago are emptied of them, unless one on the same text is
        undecided or was decided since. Call it after the applier has recovered what was cut off.
        """
        keeping = Keeping(now, limit_bytes, days)
        return await self._database.run(lambda connection: prune(connection, self._bytes, keeping))

    async def _read(self, where: str, names: Sequence[str]) -> tuple[Proposal, ...]:
        def work(connection: sqlite3.Connection) -> _Rows:
            return [row for name in names for row in connection.execute(f"{_SELECT} {where}", (name,))]

        rows = await self._database.run(work)
        return await asyncio.to_thread(_proposals, rows)


def _columns(proposal: Proposal) -> tuple[str | bytes | None, ...]:
    operation = proposal.operation
    return (
        *(proposal.session_id, operation.change_set_id, operation.state, operation.decided_at),
        *(proposal.chain or proposal.id, proposal.base.sha256 if proposal.base else None),
        *(_body(proposal), proposal.id),
    )


def _body(proposal: Proposal) -> bytes:
    """JSON that gives back every string as it was.

    Lone surrogates (names and texts that are no UTF-8) pass as three bytes. Written as ASCII escapes instead, two that
    stand side by side would come back as one character.
    """
    return json.dumps(proposal.model_dump(mode="json"), ensure_ascii=False).encode("utf-8", "surrogatepass")


def _proposals(rows: Iterable[tuple[str, bytes]]) -> tuple[Proposal, ...]:
    return tuple(_proposal(operation_id, body) for operation_id, body in rows)


def _proposal(operation_id: str, body: bytes) -> Proposal:
    try:
        return Proposal.model_validate(json.loads(body.decode("utf-8", "surrogatepass")))
    except (ValidationError, ValueError) as problem:
        raise StoreError(
            f"The kept change {operation_id} cannot be read; the store may be damaged. It was not applied.",
            hint="Ask for the change again; `orange.db` in ORANGE_HOME is left as it is.",
        ) from problem
