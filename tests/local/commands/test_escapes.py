"""cases/escapes.md: after the call no process born in it lives, at its end, timeout, cancel and the kernel's death."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

from orange_jupyter.core.errors import RunError
from orange_jupyter.core.running import Command, Sandbox
from tests.local.commands.escapes import ROWS, alive, command, marker, new_token, started, until

ROOT = Path(__file__).parents[3]


async def at_end(runner, row, folder):
    """The shell ends by itself while the row's process is there."""
    token = new_token()
    running = asyncio.ensure_future(runner.run(command(row, token, folder)))
    assert await until(lambda: started(token)), "the row started nothing"
    Path(folder, token).touch()
    ran = await running
    assert (ran.timed_out, ran.cancelled) == (False, False)
    return alive(token)


async def at_timeout(runner, row, folder):
    token = new_token()
    running = asyncio.ensure_future(runner.run(command(row, token, folder, seconds=4)))
    assert await until(lambda: started(token)), "the row started nothing"
    ran = await running
    assert not ran.ok
    return alive(token)


async def at_cancel(runner, row, folder):
    token = new_token()
    running = asyncio.ensure_future(runner.run(command(row, token, folder)))
    assert await until(lambda: started(token)), "the row started nothing"
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    return alive(token)


@pytest.mark.parametrize("moment", [at_end, at_timeout, at_cancel])
async def test_nothing_of_a_command_outlives_the_call(runner, folder, moment):
    """R-EXEC-4, E01, E02, E04, escapes 1–14: counted in /proc when the call returns."""
    left = await asyncio.gather(*(moment(runner, row, folder) for row in ROWS))
    assert dict(zip([row.name for row in ROWS], left, strict=True)) == {row.name: 0 for row in ROWS}


@pytest.mark.parametrize("sandbox", [Sandbox.OFF, Sandbox.REQUIRED])
async def test_nothing_outlives_a_killed_kernel(folder, sandbox):
    """Escapes 1–14 at SIGKILL of the process that owns the runner, also inside bubblewrap."""
    tokens = [new_token() for _ in ROWS]
    words = [sys.executable, "-m", "tests.local.commands.escapes", folder, str(sandbox), *tokens]
    kernel = subprocess.Popen(words, cwd=ROOT, start_new_session=True)
    try:
        for token in tokens:
            assert await until(lambda token=token: started(token)), "a row started nothing"
    finally:
        kernel.kill()
        kernel.wait()
    gone = await until(lambda: alive(*tokens) == 0, seconds=10)
    assert gone, f"{alive(*tokens)} processes are left"


async def test_nothing_outlives_a_call_in_the_sandbox(make_runner, folder):
    """Escapes 1–14 inside bubblewrap, at the end of the call."""
    runner = make_runner(sandbox=Sandbox.REQUIRED)
    left = await asyncio.gather(*(at_cancel(runner, row, folder) for row in ROWS))
    assert dict(zip([row.name for row in ROWS], left, strict=True)) == {row.name: 0 for row in ROWS}


async def test_a_killed_host_takes_its_commands_along_and_another_follows(runner, folder):
    """Above row 14: a command that kills the host; its own supervisor ends everything, the next command runs."""
    token = new_token()
    running = asyncio.ensure_future(
        runner.run(Command(f"setsid sleep {marker(token)} & sleep {marker(token)}", folder))
    )
    assert await until(lambda: started(token))
    os.kill(runner.host_pid, 9)
    with pytest.raises(RunError) as lost:
        await running
    assert lost.value.code == "output_lost"
    assert await until(lambda: alive(token) == 0, seconds=10)
    assert (await runner.run(Command("echo again", folder))).stdout == "again\n"


async def test_a_supervisor_that_is_killed_loses_no_output(runner, folder):
    """Escape 14: what the command said before is there, and it does not count as a success."""
    ran = await runner.run(Command("echo before; sleep 0.1; kill -9 $PPID; sleep 300", folder))
    assert (ran.stdout, ran.exit_code, ran.signal, ran.ok) == ("before\n", None, 9, False)


async def test_closing_ends_what_runs(make_runner, folder):
    """The port's `close`: commands that run are cancelled, the host is gone."""
    runner = make_runner()
    token = new_token()
    running = asyncio.ensure_future(
        runner.run(Command(f"setsid sleep {marker(token)} & sleep {marker(token)}", folder))
    )
    assert await until(lambda: started(token))
    await runner.close()
    ran = await running
    assert (ran.cancelled, ran.ok, ran.exit_code, ran.signal) == (True, False, None, None)
    assert (alive(token), runner.host_pid) == (0, None)
