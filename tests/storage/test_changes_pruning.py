"""What the store forgets of changes, and what it never forgets (R-CHG-9)."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from orange_jupyter.core.changes.pieces import Splice
from orange_jupyter.core.changes.values import OpState, Proposal, TextBase
from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import ChangeError
from orange_jupyter.storage.changes import Changes
from orange_jupyter.storage.database import Database
from orange_jupyter.storage.ids import new_id
from orange_jupyter.storage.kept_bytes import KeptBytes
from orange_jupyter.storage.pruning import KEEP_BYTES, Pruned
from orange_jupyter.storage.sessions import Sessions
from tests.storage.proposals import SECRET, small, whole

NOW = "2026-12-31T12:00:00Z"
YESTERDAY = "2026-12-30T11:00:00Z"
LATELY = "2026-12-02T00:00:00Z"
LONG_AGO = "2026-12-01T11:59:59Z"


@pytest.fixture
def changes(database: Database, home: Path) -> Changes:
    return Changes(database, home)


@pytest.fixture
async def session(sessions: Sessions) -> str:
    return (await sessions.create()).session_id


@pytest.fixture
def folder(home: Path) -> Path:
    return home / "changes" / "bytes"


def seconds(moment: str) -> float:
    return datetime.fromisoformat(moment).astimezone(UTC).timestamp()


async def keep(changes: Changes, folder: Path, data: bytes, at: str = LONG_AGO) -> str:
    """Bytes that were kept at a time."""
    sha256 = await changes.keep(data)
    os.utime(folder / sha256, (seconds(at), seconds(at)))
    return sha256


async def on(changes: Changes, sha256: str, proposal: Proposal) -> Proposal:
    """The proposal, added, on kept bytes."""
    proposal = proposal.model_copy(update={"base": TextBase(sha256=sha256)})
    await changes.add(proposal)
    return proposal


async def test_a_text_that_something_undecided_needs_stays_whatever_the_limits(
    changes: Changes, folder: Path, session: str
) -> None:
    """R-CHG-9, R-CHG-10: pending, stale and failed, for years."""
    for state in (OpState.PENDING, OpState.STALE, OpState.FAILED):
        await on(changes, await keep(changes, folder, state.encode()), small(session, state, at=LONG_AGO))
    assert await changes.prune("2036-12-31T00:00:00Z", limit_bytes=0, days=0) == Pruned()
    assert {file.read_bytes() for file in folder.iterdir()} == {b"pending", b"stale", b"failed"}


async def test_a_text_that_something_applied_and_something_undecided_share_stays(
    changes: Changes, folder: Path, session: str
) -> None:
    sha256 = await keep(changes, folder, b"shared")
    await on(changes, sha256, small(session, OpState.APPLIED, at=LONG_AGO))
    await on(changes, sha256, small(session))
    assert (await changes.prune(NOW, limit_bytes=0)).files == 0
    assert await changes.kept(sha256) == b"shared"


async def test_texts_for_undoing_go_oldest_first_beyond_the_limit(changes: Changes, folder: Path, session: str) -> None:
    """R-CHG-9: what is pending does not count, nor what was kept within a day."""
    await on(changes, await keep(changes, folder, b"p" * 900), small(session))
    days = ("2026-12-20T00:00:00Z", "2026-12-10T00:00:00Z", "2026-12-15T00:00:00Z")
    kept = [await keep(changes, folder, day.encode() * 5) for day in days]
    for day, sha256 in zip(days, kept, strict=True):
        await on(changes, sha256, small(session, OpState.APPLIED, at=day))
    assert (await changes.prune(NOW, limit_bytes=300)).files == 0
    assert await changes.prune(NOW, limit_bytes=299) == Pruned(files=1, size=100)
    with pytest.raises(ChangeError, match="not kept any more") as caught:
        await changes.kept(kept[1])
    assert caught.value.code is Code.NOT_AVAILABLE
    os.utime(folder / kept[2], (seconds(NOW), seconds(NOW)))
    assert (await changes.prune(NOW, limit_bytes=100)).files == 0
    os.utime(folder / kept[2], (seconds(YESTERDAY), seconds(YESTERDAY)))
    assert (await changes.prune(NOW, limit_bytes=100)).files == 1
    assert await changes.kept(kept[0])


async def test_texts_for_undoing_go_after_thirty_days(changes: Changes, folder: Path, session: str) -> None:
    """R-CHG-9."""
    late, early = [await keep(changes, folder, text.encode()) for text in ("late", "early")]
    await on(changes, late, small(session, OpState.APPLIED, at=LONG_AGO))
    await on(changes, early, small(session, OpState.APPLIED, at=LATELY))
    assert await changes.prune(NOW) == Pruned(files=1, size=4, emptied=1)
    assert [file.name for file in folder.iterdir()] == [early]
    assert KEEP_BYTES == 200_000_000


async def test_texts_that_nothing_can_need_go_a_day_after_they_were_kept(
    changes: Changes, folder: Path, session: str, sessions: Sessions
) -> None:
    """R-CHG-9: rejected, withdrawn, undone, of a deleted session, or never used."""
    for state in (OpState.REJECTED, OpState.WITHDRAWN, OpState.UNDONE):
        await on(changes, await keep(changes, folder, state.encode()), small(session, state, at=LATELY))
    other = (await sessions.create()).session_id
    await on(changes, await keep(changes, folder, b"of a deleted session"), small(other))
    await sessions.delete(other)
    await keep(changes, folder, b"never used")
    fresh = await keep(changes, folder, b"being proposed", NOW)
    (folder / f".{fresh}.12.0a1b2c3d.new").write_bytes(b"half of it")
    os.utime(folder / f".{fresh}.12.0a1b2c3d.new", (seconds(YESTERDAY), seconds(YESTERDAY)))
    (folder / "mine.txt").write_bytes(b"a person's own file")
    os.utime(folder / "mine.txt", (0, 0))
    assert (await changes.prune(NOW)).files == 6
    assert {file.name for file in folder.iterdir()} == {fresh, "mine.txt"}


async def test_keeping_a_text_again_makes_it_new(changes: Changes, folder: Path) -> None:
    sha256 = await keep(changes, folder, b"again")
    await changes.keep(b"again")
    now = datetime.fromtimestamp(time.time(), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    assert (await changes.prune(now)).files == 0
    assert await changes.kept(sha256) == b"again"


async def test_a_text_that_is_pruned_while_it_is_kept_again_is_there_in_the_end(
    changes: Changes, database: Database, folder: Path
) -> None:
    """R-CHG-9: another process had looked at the old file before it was kept again, and removes it after."""
    sha256 = await keep(changes, folder, b"contested")

    def pruning(_: sqlite3.Connection) -> None:
        until = time.monotonic() + 10
        while (folder / sha256).stat().st_mtime == seconds(LONG_AGO) and time.monotonic() < until:
            os.sched_yield()
        (folder / sha256).unlink()

    pruned = asyncio.create_task(database.run(pruning))
    await asyncio.sleep(0)
    assert await changes.keep(b"contested") == sha256
    await pruned
    assert await changes.kept(sha256) == b"contested"


async def test_decided_operations_lose_their_texts_after_thirty_days(
    changes: Changes, database: Database, session: str, home: Path
) -> None:
    """R-CHG-9, S04: nothing of the texts is in a record, and nothing else of it changes."""
    facts = {"state": OpState.APPLIED, "decided_at": LONG_AGO, "path": "a.md", "destination": None, "summary": "s"}
    full = whole(session, **facts, warnings=())
    old = full.model_copy(update={"spot": small(session).spot, "target": None, "error": None, "told": True})
    untold = old.model_copy(update={"told": False, "operation": renamed(old)})
    new = whole(session, state=OpState.APPLIED, decided_at=LATELY)
    for proposal in (old, untold, new):
        await changes.add(proposal)
    assert await changes.prune(NOW) == Pruned(emptied=2)
    emptied = {"content": None, "splices": (), "asked": (), "taken": None, "base": None}
    kept = (old.model_copy(update={**emptied, "choice": None}), untold.model_copy(update=emptied), new)
    assert await changes.of_session(session) == kept
    (body,) = await database.run(
        lambda one: one.execute("SELECT body FROM changes WHERE operation_id = ?", (old.id,)).fetchone()
    )
    assert SECRET not in body.decode()
    assert await changes.prune(NOW) == Pruned()


def renamed(proposal: Proposal) -> object:
    return proposal.operation.model_copy(update={"operation_id": new_id("op_")})


@pytest.mark.parametrize(
    ("state", "at", "emptied"),
    [
        (OpState.PENDING, None, 0),
        (OpState.STALE, LONG_AGO, 0),
        (OpState.APPLIED, LATELY, 0),
        (OpState.APPLIED, None, 0),
        (OpState.REJECTED, LONG_AGO, 2),
    ],
)
async def test_layers_of_one_text_are_emptied_together(
    changes: Changes, folder: Path, session: str, state: OpState, at: str | None, emptied: int
) -> None:
    """R-EDIT-4, R-CHG-9: a later layer has its place only over the earlier ones, also over one that was rejected."""
    splices = (Splice(start=0, end=0, text="new "),)
    sha256 = await keep(changes, folder, b"base")
    first = await on(changes, sha256, small(session, OpState.REJECTED, at=LONG_AGO, splices=splices))
    second = await on(changes, sha256, small(session, state, at=at, splices=splices, chain=first.id))
    await changes.update([first.model_copy(update={"chain": first.id})])
    pruned = await changes.prune(NOW)
    assert pruned.emptied == emptied
    found = await changes.find([first.id, second.id])
    assert [one.splices for one in found] == ([()] * 2 if emptied else [splices] * 2)
    assert bool(list(KeptBytes(folder.parents[1]).all())) is not bool(emptied)


async def test_an_operation_that_came_back_is_emptied_again_when_its_time_comes(changes: Changes, session: str) -> None:
    old = small(session, OpState.REJECTED, at=LONG_AGO, content="x")
    await changes.add(old)
    assert (await changes.prune(NOW)).emptied == 1
    await changes.update([old])
    assert (await changes.prune(NOW)).emptied == 1
    assert (await changes.find([old.id]))[0].content is None
