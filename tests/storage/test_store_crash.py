"""kill -9 at every write of a transcript append, and a log that was cut at any byte (R01)."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from orange_jupyter.core.events import StopReason, TurnFinished
from orange_jupyter.core.messages import Message, Role, Text
from orange_jupyter.core.ports import Clock
from orange_jupyter.storage.database import Database
from orange_jupyter.storage.lease import Leases
from orange_jupyter.storage.sessions import Sessions
from orange_jupyter.storage.transcript import Transcript
from tests.storage.turns import finished, well_formed, whole_turn

WRITER = """
import asyncio, os, sys
from pathlib import Path
from orange_jupyter.core.messages import Message
from orange_jupyter.storage.database import Database
from orange_jupyter.storage.transcript import Transcript
from tests.storage.turns import whole_turn

async def write(home, session_id):
    reported = os.open(home + "/reported", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    database = Database.open(Path(home))
    transcript = Transcript(database, session_id)
    for entry in whole_turn("t1", session_id)[:4]:
        add = transcript.append_message if isinstance(entry, Message) else transcript.append_event
        await add("t1", entry)
        os.write(reported, b"+")
    database.close()

for line in sys.stdin:
    home, session_id = line.rstrip("\\n").split("\\t")
    os.mkfifo(home + "/go")
    child = os.fork()
    if child == 0:
        os.open(home + "/go", os.O_RDONLY)
        try:
            asyncio.run(write(home, session_id))
        finally:
            os._exit(0)
    print(child, flush=True)
    os.waitpid(child, 0)
    print("ended", flush=True)
"""
CALLS = ("pwrite64", "fdatasync")


class Writers:
    """A warm process that forks one writer after the other; each is traced from its first own call."""

    def __init__(self) -> None:
        self._template = subprocess.Popen(
            [sys.executable, "-c", WRITER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).parents[2],
        )

    def write(self, home: Path, session_id: str, *strace: str) -> int:
        """How many of four entries the writer had reported as durable when it ended or was killed."""
        assert self._template.stdin is not None
        assert self._template.stdout is not None
        self._template.stdin.write(f"{home}\t{session_id}\n")
        self._template.stdin.flush()
        pid = self._template.stdout.readline().strip()
        with subprocess.Popen(
            ["strace", "-f", *strace, "-p", pid], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True
        ) as tracer:
            assert tracer.stderr is not None
            assert "attached" in tracer.stderr.readline()
            os.close(os.open(home / "go", os.O_WRONLY))
            assert self._template.stdout.readline() == "ended\n"
            tracer.stderr.read()
        return len((home / "reported").read_bytes())

    def close(self) -> None:
        self._template.communicate(timeout=30)


@pytest.fixture(scope="module")
def writers() -> Iterator[Writers]:
    started = Writers()
    yield started
    started.close()


async def recover(home: Path, session_id: str, clock: Clock) -> int:
    """Open what a killed writer left, check it, go on with it; how many of the writer's entries were there."""
    whole = whole_turn("t1", session_id)
    database = Database.open(home)
    try:
        assert await database.run(lambda one: one.execute("PRAGMA integrity_check").fetchone()) == ("ok",)
        raw = Transcript(database, session_id)
        events, messages = await raw.events(), await raw.messages()
        found = len(events) + len(messages)
        kept = whole[:found]
        assert events == tuple(entry for entry in kept if not isinstance(entry, Message))
        assert messages == tuple(entry for entry in kept if isinstance(entry, Message))
        with await Leases(home, clock).acquire(session_id) as lease:
            transcript = await Transcript.open(database, lease, clock=clock)
            assert well_formed(await transcript.messages())
            if found:
                last = (await transcript.events())[-1]
                assert isinstance(last, TurnFinished)
                assert last.stop_reason is StopReason.INTERRUPTED
            await transcript.append_message("t2", Message(role=Role.USER, parts=(Text(text="weiter 继续"),)))
            await transcript.append_event("t2", finished("t2"))
            assert (await transcript.events())[-1] == finished("t2")
            assert well_formed(await transcript.messages())
    finally:
        database.close()
    return found


@pytest.mark.traced
async def test_a_writer_killed_at_any_write_loses_nothing_that_was_reported(
    tmp_path: Path, clock: Clock, writers: Writers
) -> None:
    """R01, R-SESS-2: SIGKILL at each write and each sync of four appends; prints N of N."""
    seed = tmp_path / "seed"
    database = Database.open(seed)
    session = await Sessions(database, clock, Leases(seed, clock)).create(title="crash")
    database.close()
    log = tmp_path / "calls"
    home = tmp_path / "count"
    shutil.copytree(seed, home)
    assert writers.write(home, session.session_id, "-e", f"trace={','.join(CALLS)}", "-o", str(log)) == 4
    counts = {name: len(re.findall(rf"\b{name}\(", log.read_text())) for name in CALLS}
    assert all(counts.values())
    points = [(name, number) for name in CALLS for number in range(1, counts[name] + 1)]
    recovered = 0
    for name, number in points:
        home = tmp_path / f"{name}-{number}"
        shutil.copytree(seed, home)
        inject = ("-e", f"trace={name}", "-e", f"inject={name}:signal=SIGKILL:when={number}", "-o", os.devnull)
        reported = writers.write(home, session.session_id, *inject)
        found = await recover(home, session.session_id, clock)
        assert reported <= found <= reported + 1
        recovered += 1
    print(f"killed at each of {len(points)} writes and syncs: {recovered} of {len(points)} recovered")
    assert recovered == len(points)


async def test_a_log_cut_at_any_byte_gives_whole_entries(tmp_path: Path, clock: Clock) -> None:
    """R01: the write-ahead log torn inside the last append; only that entry may be missing."""
    seed = tmp_path / "seed"
    database = Database.open(seed)
    session = await Sessions(database, clock, Leases(seed, clock)).create(title="crash")
    transcript = Transcript(database, session.session_id)
    sizes = []
    log = seed / "orange.db-wal"
    for entry in whole_turn("t1", session.session_id)[:3]:
        add = transcript.append_message if isinstance(entry, Message) else transcript.append_event
        await add("t1", entry)
        sizes.append(log.stat().st_size)
    live = {name: (seed / name).read_bytes() for name in ("orange.db", "orange.db-wal")}
    database.close()
    cuts = sorted({*range(sizes[1], sizes[2] + 1, 397), sizes[2]})
    found = set()
    for cut in cuts:
        home = tmp_path / f"cut-{cut}"
        home.mkdir()
        (home / "orange.db").write_bytes(live["orange.db"])
        (home / "orange.db-wal").write_bytes(live["orange.db-wal"][:cut])
        entries = await recover(home, session.session_id, clock)
        assert entries == (3 if cut == sizes[2] else 2)
        found.add(entries)
    print(f"log cut at {len(cuts)} places: {len(cuts)} of {len(cuts)} recovered")
    assert found == {2, 3}


@pytest.mark.traced
def test_an_append_is_synced_before_it_is_reported_and_a_failed_sync_is_no_success(
    tmp_path: Path, writers: Writers
) -> None:
    """R01: kills cannot show a missing fsync, so the order of calls is read, and EIO on it must not report success."""
    home = tmp_path / "home"
    database = Database.open(home)
    database.run_blocking(
        lambda one: one.execute(
            "INSERT INTO sessions VALUES ('s_x', '', '', 'workspace-readonly', 'workspace-readonly', 0, 0, '[]', "
            "'[]', 1, NULL, '', '', 0, 1)"
        ).fetchall()
    )
    database.close()
    failing = tmp_path / "failing"
    shutil.copytree(home, failing)
    log = tmp_path / "calls"
    assert writers.write(home, "s_x", "-e", "trace=pwrite64,fdatasync,write", "-o", str(log)) == 4
    dirty = False
    for line in log.read_text().splitlines():
        if "pwrite64(" in line:
            dirty = True
        elif "fdatasync(" in line:
            dirty = False
        elif re.search(r'write\(\d+, "\+"', line):
            assert not dirty
    inject = ("-e", "trace=fdatasync", "-e", "inject=fdatasync:error=EIO:when=3+", "-o", os.devnull)
    assert writers.write(failing, "s_x", *inject) < 4
