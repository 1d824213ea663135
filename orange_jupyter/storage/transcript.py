"""One session's record on disk: the visible history, what goes to the model, and the text that is still coming.

Each append is one durable transaction, so a process that is killed leaves whole entries; a turn that died with it
is closed when the session is opened for writing again (R-SESS-2).
"""

from __future__ import annotations

import json
import sqlite3
from concurrent.futures import Future
from dataclasses import dataclass
from typing import TypeVar

from pydantic import TypeAdapter, ValidationError

from orange_jupyter.core.errors import SessionError, StoreError
from orange_jupyter.core.events import (
    ApprovalAsked,
    ApprovalEnded,
    Event,
    PartDone,
    StopReason,
    TurnFinished,
    TurnStarted,
)
from orange_jupyter.core.messages import Message, Text
from orange_jupyter.core.ports import Clock
from orange_jupyter.storage.database import Database
from orange_jupyter.storage.decisions import Decision, decisions_of, note_asked, note_ended
from orange_jupyter.storage.interrupted import Entry, closing
from orange_jupyter.storage.lease import Lease
from orange_jupyter.storage.protected import Mask, encodable, protected, unmasked

_EVENT: TypeAdapter[Event] = TypeAdapter(Event)
_MESSAGE: TypeAdapter[Message] = TypeAdapter(Message)
Entry_ = TypeVar("Entry_")
_ADD = "INSERT INTO records (session_id, turn_id, sort, kind, body) VALUES (?, ?, ?, ?, ?)"


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn of the visible history. `finished` is None while it runs; `partial` is its unfinished text."""

    turn_id: str
    events: tuple[Event, ...]
    partial: str = ""

    @property
    def started(self) -> TurnStarted | None:
        """The person's message."""
        return next((event for event in self.events if isinstance(event, TurnStarted)), None)

    @property
    def finished(self) -> TurnFinished | None:
        """How it ended."""
        return next((event for event in self.events if isinstance(event, TurnFinished)), None)


class Transcript:
    """One session's record. Reading needs no lease; for writing use `open`, which proves that nobody else writes."""

    def __init__(self, database: Database, session_id: str, *, mask: Mask = unmasked) -> None:
        self.session_id = session_id
        self._database = database
        self._mask = mask
        self.cut_off: StopReason | None = None
        """How the newest turn was cut off before this was opened: stopped, or ended with its process."""

    @classmethod
    async def open(cls, database: Database, lease: Lease, *, clock: Clock, mask: Mask = unmasked) -> Transcript:
        """The record for writing; a turn that died is closed first, its partial text kept. Raises StoreError."""
        transcript = cls(database, lease.session_id, mask=mask)
        now = clock.now()
        transcript.cut_off = await database.run(lambda connection: transcript._close_dead(connection, now))
        return transcript

    async def append_event(self, turn_id: str, event: Event) -> None:
        """Add to the visible history; durable when it returns. Raises StoreError, SessionError (deleted meanwhile)."""
        await self._write(turn_id, event)

    async def append_message(self, turn_id: str, message: Message) -> None:
        """Add to what goes to the model; durable when it returns. Raises StoreError, SessionError."""
        await self._write(turn_id, message)

    async def save_partial(self, turn_id: str, text: str) -> None:
        """Keep the visible text that is still coming, in place of what was kept before; "" drops it."""
        await self._database.run(lambda connection: self._keep_partial(connection, turn_id, text))

    def queue_partial(self, turn_id: str, text: str) -> Future[None]:
        """The same without waiting; the future ends when it is durable."""
        return self._database.submit(lambda connection: self._keep_partial(connection, turn_id, text))

    async def events(self, turn_id: str | None = None) -> tuple[Event, ...]:
        """The visible history, of one turn or all, in order."""
        rows = await self._database.run(lambda connection: self._rows(connection, "event", turn_id))
        return tuple(self._parse(_EVENT, body) for _, body in rows)

    async def messages(self) -> tuple[Message, ...]:
        """What goes to the model, in order."""
        rows = await self._database.run(lambda connection: self._rows(connection, "message", None))
        return tuple(self._parse(_MESSAGE, body) for _, body in rows)

    async def by_turn(self) -> tuple[tuple[str, Message], ...]:
        """The same with the turn that each message belongs to."""
        rows = await self._database.run(lambda connection: self._rows(connection, "message", None))
        return tuple((turn_id, self._parse(_MESSAGE, body)) for turn_id, body in rows)

    async def turns(self) -> tuple[Turn, ...]:
        """The visible history by turns."""
        rows, partials = await self._database.run(
            lambda connection: (self._rows(connection, "event", None), self._partials(connection))
        )
        events: dict[str, list[Event]] = {}
        for turn_id, body in rows:
            events.setdefault(turn_id, []).append(self._parse(_EVENT, body))
        return tuple(Turn(turn_id, tuple(found), partials.get(turn_id, "")) for turn_id, found in events.items())

    async def decisions(self) -> tuple[Decision, ...]:
        """What the person was asked and decided (R-APPR-5)."""
        return await self._database.run(lambda connection: decisions_of(connection, self.session_id))

    async def _write(self, turn_id: str, entry: Entry) -> None:
        try:
            await self._database.run(lambda connection: self._add(connection, turn_id, entry))
        except sqlite3.IntegrityError as problem:
            raise SessionError(
                f"The session {self.session_id} was deleted; nothing more can be recorded in it.",
                hint="Start another one: %orange session new.",
            ) from problem

    def _add(self, connection: sqlite3.Connection, turn_id: str, entry: Entry) -> None:
        body = protected(entry, self._mask)
        if isinstance(entry, Message):
            connection.execute(_ADD, (self.session_id, turn_id, "message", entry.role, body))
            return
        connection.execute(_ADD, (self.session_id, turn_id, "event", entry.kind, body))
        match entry:
            case TurnStarted():
                self._touch(connection, entry.started_at, new_turns=1)
            case TurnFinished():
                self._touch(connection, entry.finished_at, new_turns=0)
                self._keep_partial(connection, turn_id, "")
            case PartDone(part=Text()):
                self._keep_partial(connection, turn_id, "")
            case ApprovalAsked():
                note_asked(connection, self.session_id, turn_id=turn_id, event=entry, mask=self._mask)
            case ApprovalEnded():
                note_ended(connection, self.session_id, turn_id=turn_id, event=entry, mask=self._mask)

    def _touch(self, connection: sqlite3.Connection, at: str, *, new_turns: int) -> None:
        connection.execute(
            "UPDATE sessions SET turns = turns + ?, updated_at = ?, "
            "touched = (SELECT max(touched) + 1 FROM sessions) WHERE session_id = ?",
            (new_turns, at, self.session_id),
        )

    def _keep_partial(self, connection: sqlite3.Connection, turn_id: str, text: str) -> None:
        if text:
            connection.execute(
                "INSERT OR REPLACE INTO partials (session_id, turn_id, text) VALUES (?, ?, ?)",
                (self.session_id, turn_id, encodable(self._mask(text))),
            )
        else:
            connection.execute("DELETE FROM partials WHERE session_id = ? AND turn_id = ?", (self.session_id, turn_id))

    def _close_dead(self, connection: sqlite3.Connection, now: str) -> StopReason | None:
        dead = connection.execute(
            "SELECT turn_id FROM records WHERE session_id = ? AND kind = 'turn_started' AND turn_id NOT IN "
            "(SELECT turn_id FROM records WHERE session_id = ? AND kind = 'turn_finished') ORDER BY seq",
            (self.session_id, self.session_id),
        ).fetchall()
        partials = self._partials(connection)
        for (turn_id,) in dead:
            entries = self._entries(connection, turn_id)
            for entry in closing(turn_id, entries, partial=partials.get(turn_id, ""), now=now):
                self._add(connection, turn_id, entry)
        newest = connection.execute(
            "SELECT body FROM records WHERE session_id = ? AND kind = 'turn_finished' ORDER BY seq DESC LIMIT 1",
            (self.session_id,),
        ).fetchone()
        ended = self._parse(_EVENT, newest[0]) if newest else None
        if isinstance(ended, TurnFinished) and ended.stop_reason in (StopReason.INTERRUPTED, StopReason.STOPPED):
            return ended.stop_reason
        return None

    def _entries(self, connection: sqlite3.Connection, turn_id: str) -> list[Entry]:
        rows = connection.execute(
            "SELECT sort, body FROM records WHERE session_id = ? AND turn_id = ? ORDER BY seq",
            (self.session_id, turn_id),
        ).fetchall()
        return [self._parse(_MESSAGE, body) if sort == "message" else self._parse(_EVENT, body) for sort, body in rows]

    def _rows(self, connection: sqlite3.Connection, sort: str, turn_id: str | None) -> list[tuple[str, str]]:
        return connection.execute(
            "SELECT turn_id, body FROM records WHERE session_id = ? AND sort = ? AND turn_id = coalesce(?, turn_id) "
            "ORDER BY seq",
            (self.session_id, sort, turn_id),
        ).fetchall()

    def _partials(self, connection: sqlite3.Connection) -> dict[str, str]:
        return dict(
            connection.execute("SELECT turn_id, text FROM partials WHERE session_id = ?", (self.session_id,)).fetchall()
        )

    def _parse(self, adapter: TypeAdapter[Entry_], body: str) -> Entry_:
        try:
            return adapter.validate_python(json.loads(body))
        except (ValidationError, ValueError) as problem:
            raise StoreError(
                f"An entry of the session {self.session_id} cannot be read; it was written by another version.",
                hint="Export what can be read with `orange-jupyter session export`, and start a new session.",
            ) from problem
