"""Change sets in the store: exact, ordered, durable; and the texts they were proposed on."""

from __future__ import annotations

import asyncio
import os
import re
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from orange_jupyter.core.changes.ports import ChangeStore
from orange_jupyter.core.changes.values import OpState, Proposal
from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import ChangeError, StoreError
from orange_jupyter.core.ports import Clock
from orange_jupyter.storage.changes import Changes
from orange_jupyter.storage.database import Database
from orange_jupyter.storage.ids import BODY, new_id
from orange_jupyter.storage.kept_bytes import KeptBytes
from orange_jupyter.storage.lease import Leases
from orange_jupyter.storage.schema import MIGRATIONS
from orange_jupyter.storage.sessions import Sessions
from tests.storage.proposals import small, whole

ROOT = Path(__file__).parents[2]
HARD = {
    "chinese": "结论：见图①，（表 2）。\u3000x²",
    "lines": "a\r\nb\rc\n\n  \t\u2028\u0085\x00end",
    "emoji": "😀 👩\u200d🔬 e\u0301 \ufeff",
    "a name that is no UTF-8": os.fsdecode(b"caf\xe9/\xff.md"),
    "lone surrogates": "\ud800 \udfff",
    "two surrogates that are no character": "\ud83d\ude00 beside 😀",
    "json": '"}],\\u0041\\ \u007f',
    "nothing": "",
}


@pytest.fixture
def changes(database: Database, home: Path) -> Changes:
    return Changes(database, home)


@pytest.fixture
async def session(sessions: Sessions) -> str:
    return (await sessions.create()).session_id


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("name", HARD)
async def test_every_field_comes_back_as_it_was(home: Path, changes: Changes, session: str, name: str) -> None:
    """R-CHG-1: what a person accepts is written to the byte, also after the store was opened anew."""
    proposal = whole(session, HARD[name])
    await changes.add(proposal)
    other = Database.open(home)
    (found,) = await Changes(other, home).find([proposal.id])
    other.close()
    assert found == proposal
    assert found.content is not None
    assert found.content.encode("utf-32", "surrogatepass") == HARD[name].encode("utf-32", "surrogatepass")


async def test_operations_are_found_by_id_session_and_set_in_their_order(sessions: Sessions, changes: Changes) -> None:
    """R-CHG-1, R-CHG-10."""
    store: ChangeStore = changes
    one, two = (await sessions.create()).session_id, (await sessions.create()).session_id
    a, b, c, d = (
        small(one, change_set_id="cs_b"),
        small(two),
        small(one, change_set_id="cs_a"),
        small(one, change_set_id="cs_b"),
    )
    for proposal in (a, b, c, d):
        await store.add(proposal)
    assert await store.find([d.id, "op_unknown", a.id]) == (d, a)
    assert await store.find([]) == ()
    assert await store.of_session(one) == (a, c, d)
    assert await store.of_session(two) == (b,)
    assert await store.of_session("s_unknown") == ()
    assert await store.sets(["cs_b", "cs_a", "cs_b"]) == (a, d, c)
    assert await store.sets([]) == ()


async def test_undecided_are_those_a_person_can_still_decide(changes: Changes, session: str) -> None:
    """R-CHG-10: pending, stale and failed."""
    every = [small(session, state) for state in OpState]
    for proposal in every:
        await changes.add(proposal)
    found = await changes.of_session(session, undecided=True)
    assert [one.state for one in found] == [OpState.PENDING, OpState.STALE, OpState.FAILED]
    assert await changes.of_session(session) == tuple(every)


async def test_an_update_keeps_the_place_and_shows_in_the_state(changes: Changes, session: str) -> None:
    a, b = small(session), small(session)
    await changes.add(a)
    await changes.add(b)
    applied = a.moved_to(OpState.APPLIED, "2026-12-01T00:00:00Z", content="new", chain="other")
    await changes.update([applied])
    assert await changes.of_session(session) == (applied, b)
    assert await changes.of_session(session, undecided=True) == (b,)


async def test_an_update_is_kept_whole_or_not_at_all(changes: Changes, session: str) -> None:
    """R-CHG-7: one of two is gone with its session; the other stays as it was."""
    a = small(session)
    await changes.add(a)
    with pytest.raises(StoreError, match="not kept any more") as caught:
        await changes.update([a.moved_to(OpState.APPLIED, "2026-12-01T00:00:00Z"), small(session)])
    assert "files themselves" in (caught.value.hint or "")
    assert await changes.of_session(session) == (a,)


async def test_an_id_that_is_taken_or_a_session_that_is_gone_is_said(changes: Changes, session: str) -> None:
    a = small(session)
    await changes.add(a)
    for other in (a.model_copy(update={"content": "x"}), small("s_gone")):
        with pytest.raises(StoreError, match="could not be kept: its session"):
            await changes.add(other)
    assert await changes.find([a.id]) == (a,)


async def test_a_deleted_session_takes_its_operations_along(
    sessions: Sessions, changes: Changes, session: str, home: Path
) -> None:
    """R-SESS-1: what another session proposed stays, and so do bytes until they are pruned."""
    other = (await sessions.create()).session_id
    gone, stays = small(session), small(other)
    sha256 = await changes.keep(b"x")
    await changes.add(gone)
    await changes.add(stays)
    await sessions.delete(session)
    assert await changes.find([gone.id, stays.id]) == (stays,)
    assert await changes.kept(sha256) == b"x"


async def test_two_stores_that_add_at_once_keep_an_order(home: Path, changes: Changes, session: str) -> None:
    """R02."""
    other = Database.open(home)
    both = (changes, Changes(other, home))
    every = [small(session) for _ in range(20)]
    await asyncio.gather(*(both[number % 2].add(one) for number, one in enumerate(every)))
    found = await changes.of_session(session)
    other.close()
    assert [one for one in found if one in every[::2]] == every[::2]
    assert [one for one in found if one in every[1::2]] == every[1::2]


async def test_an_operation_that_cannot_be_read_is_named(database: Database, changes: Changes, session: str) -> None:
    a = small(session)
    await changes.add(a)
    for body in (b"{}", b"{", b"\xff\xfe"):
        await database.run(lambda one, body=body: one.execute("UPDATE changes SET body = ?", (body,)).fetchall())
        with pytest.raises(StoreError, match=f"{a.id} cannot be read"):
            await changes.of_session(session)


def test_the_ids_of_operations_and_change_sets_have_their_form() -> None:
    assert re.fullmatch(f"op_{BODY}", new_id("op_"))
    assert re.fullmatch(f"cs_{BODY}", new_id("cs_"))


async def test_an_older_store_gets_the_table_and_a_copy_stays(home: Path, clock: Clock) -> None:
    """R09: a store from before there were changes."""
    old = Database.open(home, migrations=MIGRATIONS[:1])
    session = await Sessions(old, clock, Leases(home, clock)).create(title="老会话")
    old.close()
    database = Database.open(home)
    assert (await Sessions(database, clock, Leases(home, clock)).get("老会话")).session_id == session.session_id
    proposal = whole(session.session_id)
    await Changes(database, home).add(proposal)
    assert await Changes(database, home).of_session(session.session_id) == (proposal,)
    database.close()
    copy = sqlite3.connect(home / "orange.db.v1.bak")
    assert copy.execute("SELECT title FROM sessions").fetchall() == [("老会话",)]
    assert copy.execute("SELECT * FROM sqlite_master WHERE name = 'changes'").fetchall() == []
    copy.close()
    assert mode(home / "orange.db.v1.bak") == 0o600


async def test_a_text_is_kept_once_and_for_its_owner_only(home: Path, changes: Changes) -> None:
    """S04: whatever the umask says."""
    before = os.umask(0)
    try:
        sha256 = await changes.keep("原文\r\n".encode())
    finally:
        os.umask(before)
    assert await changes.keep("原文\r\n".encode()) == sha256
    assert await changes.kept(sha256) == "原文\r\n".encode()
    assert [file.name for file in (home / "changes" / "bytes").iterdir()] == [sha256]
    assert mode(home / "changes" / "bytes" / sha256) == 0o600
    assert (mode(home / "changes"), mode(home / "changes" / "bytes")) == (0o700, 0o700)
    assert await changes.kept(await changes.keep(b"")) == b""


async def test_a_damaged_text_is_never_given_back_and_keeping_it_again_mends_it(home: Path, changes: Changes) -> None:
    """R-CHG-9."""
    sha256 = await changes.keep(b"notes")
    (home / "changes" / "bytes" / sha256).write_bytes(b"NOTES")
    with pytest.raises(ChangeError, match="damaged") as caught:
        await changes.kept(sha256)
    assert caught.value.code is Code.NOT_AVAILABLE
    assert await changes.keep(b"notes") == sha256
    assert await changes.kept(sha256) == b"notes"


@pytest.mark.parametrize("name", ["0" * 64, "../../orange.db", "", "*"])
async def test_a_text_that_is_not_kept_says_what_to_do(changes: Changes, name: str) -> None:
    """R-CHG-9, S08."""
    await changes.keep(b"another")
    with pytest.raises(ChangeError, match="not kept any more") as caught:
        await changes.kept(name)
    assert caught.value.code is Code.NOT_AVAILABLE
    assert "proposed again" in (caught.value.hint or "")


async def test_a_text_that_cannot_be_kept_says_where(home: Path, changes: Changes) -> None:
    """R07."""
    (home / "changes").write_text("in the way")
    with pytest.raises(StoreError, match=r"could not be kept in .*changes"):
        await changes.keep(b"x")


async def test_changes_never_block_the_loop(changes: Changes, session: str, unblocked: None) -> None:
    """R-UI-1."""
    proposal: Proposal = small(session)
    await changes.add(proposal)
    await changes.update([proposal])
    await changes.kept(await changes.keep(b"x"))
    await changes.prune("2026-12-01T00:00:00Z")
    assert await changes.of_session(session) == (proposal,)


@pytest.mark.parametrize("kept", [1, 7])
async def test_what_a_killed_process_proposed_is_there(home: Path, changes: Changes, session: str, kept: int) -> None:
    """R-CHG-10: SIGKILL while it goes on proposing; all that it reported can be listed and decided, texts included."""
    command = [sys.executable, "-m", "tests.storage.proposals", str(home), session]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        reported = [writer.stdout.readline().split() for _ in range(kept)]
        writer.kill()
        reported += [line.split() for line in writer.stdout if line.endswith("\n")]
    found = await changes.of_session(session, undecided=True)
    assert len(reported) <= len(found) <= len(reported) + 1
    for proposal, (name, number, sha256) in zip(found, reported, strict=False):
        assert (proposal.id, proposal.content) == (name, f"{number} " * 5_000)
        assert await changes.kept(sha256) == f"note {number}\n".encode() * 5_000


@pytest.mark.traced
def test_a_text_is_synced_before_it_has_its_name_and_its_name_before_it_is_reported(tmp_path: Path) -> None:
    """R-CHG-7: kills cannot show a missing fsync, so the order of calls is read; a failed sync is no success."""
    script = (
        "import sys; from pathlib import Path; from orange_jupyter.storage.kept_bytes import KeptBytes\n"
        "KeptBytes(Path(sys.argv[1])).put(b'x'); sys.stderr.write('kept')\n"
    )
    log = tmp_path / "calls"
    calls = "trace=mkdir,fsync,rename,write"
    run = ["strace", "-y", "-o", str(log), "-e", calls, sys.executable, "-B", "-c", script]
    subprocess.run([*run, str(tmp_path / "home")], cwd=ROOT, check=True, capture_output=True)
    lines = [line for line in log.read_text().splitlines() if "home" in line or "kept" in line]
    steps = "\n".join(re.sub(r"\d+<[^>]*/home([^>]*)>", r"\1", line) for line in lines)
    order = r"(?s)mkdir\(.*fsync\(\).*fsync\(/changes\).*fsync\(/changes/bytes/\.\w.*rename\(.*fsync\(/changes/bytes\).*kept"
    assert re.search(order, steps), steps
    failing = ["strace", "-o", os.devnull, "-e", "inject=fsync:error=EIO:when=3+", sys.executable, "-c", script]
    ended = subprocess.run([*failing, str(tmp_path / "bad")], cwd=ROOT, check=False, capture_output=True, text=True)
    assert "StoreError: Input/output error" in ended.stderr
    assert not list(KeptBytes(tmp_path / "bad").all())
