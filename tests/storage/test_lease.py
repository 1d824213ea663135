"""One writer a session, across processes."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest
from blockbuster import blockbuster_ctx

from orange_jupyter.core.errors import SessionError
from orange_jupyter.core.ports import Clock
from orange_jupyter.storage.lease import Leases

HOLDER = """
import sys
from pathlib import Path
from orange_jupyter.storage.lease import Leases
class Now:
    def now(self): return "2026-11-30T17:00:00Z"
    def monotonic(self): return 0.0
lease = Leases(Path(sys.argv[1]), Now()).acquire_blocking("s_one", "/n/第 1 章.ipynb")
print("held", flush=True)
sys.stdin.read()
"""


def start(home: Path) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(home)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def end(process: subprocess.Popen[str], by: int) -> None:
    process.send_signal(by)
    process.communicate(timeout=10)


async def test_a_second_kernel_is_refused_with_the_notebook_that_has_the_session(home: Path, leases: Leases) -> None:
    """R-SESS-3, R02."""
    process = start(home)
    try:
        with pytest.raises(SessionError, match=r"busy: it is open in the notebook /n/第 1 章\.ipynb") as caught:
            await leases.acquire("s_one", "/n/b.ipynb")
        assert str(process.pid) in str(caught.value)
        assert "session new" in (caught.value.hint or "")
        (await leases.acquire("s_two")).release()
    finally:
        end(process, signal.SIGTERM)


async def test_a_lease_is_free_at_once_when_its_holder_is_killed(home: Path, leases: Leases) -> None:
    """R05."""
    process = start(home)
    end(process, signal.SIGKILL)
    before = time.monotonic()
    lease = await leases.acquire("s_one", "/n/b.ipynb")
    assert time.monotonic() - before < 1.0
    held_by = leases.holder("s_one")
    assert held_by is not None
    assert held_by.notebook == "/n/b.ipynb"
    lease.release()


async def test_a_process_id_that_is_used_again_means_nothing(home: Path, leases: Leases) -> None:
    """R05: the note of a dead holder names a process id that lives (this test's own)."""
    end(start(home), signal.SIGKILL)
    note = home / "locks" / "s_one.json"
    note.write_text(json.dumps(json.loads(note.read_text()) | {"pid": os.getpid()}))
    (await leases.acquire("s_one")).release()


async def test_two_leases_in_one_kernel_exclude_each_other_too(leases: Leases) -> None:
    """R-SESS-3."""
    with await leases.acquire("s_one", "/n/a.ipynb") as lease:
        with pytest.raises(SessionError, match=r"a\.ipynb"):
            await leases.acquire("s_one", "/n/b.ipynb")
        lease.release()
        again = await leases.acquire("s_one", None)
        with pytest.raises(SessionError, match="a command-line run"):
            await leases.acquire("s_one")
        again.release()
    assert leases.holder("s_one") is None


async def test_a_holder_without_a_readable_note_is_still_a_holder(home: Path, leases: Leases) -> None:
    with await leases.acquire("s_one"):
        (home / "locks" / "s_one.json").write_text("{")
        with pytest.raises(SessionError, match="another kernel"):
            await leases.acquire("s_one")


async def test_a_child_process_does_not_keep_the_lease(home: Path, leases: Leases) -> None:
    """R05: a fork of the kernel that lives on."""
    lease = await leases.acquire("s_one")
    child = os.fork()
    if child == 0:
        signal.pause()
        os._exit(0)
    try:
        lease.release()
        (await leases.acquire("s_one")).release()
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


async def test_locks_are_private_and_taking_one_does_not_block_the_loop(home: Path, clock: Clock) -> None:
    """S04."""
    with blockbuster_ctx():
        lease = await Leases(home, clock).acquire("s_one")
    modes = {stat.S_IMODE(file.stat().st_mode) for file in (home / "locks").iterdir()}
    assert (modes, stat.S_IMODE((home / "locks").stat().st_mode)) == ({0o600}, 0o700)
    lease.release()
