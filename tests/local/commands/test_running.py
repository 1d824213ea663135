"""Commands as they run: statuses, streams, standard input, folder, limits, what is refused before anything runs."""

from __future__ import annotations

import asyncio
import itertools
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from orange_jupyter.core.errors import ArgumentError, PathError, RunError
from orange_jupyter.core.running import CAPTURED_BYTES, Command, Confinement, Ran, Runner, Stream
from orange_jupyter.local.commands.runner import LocalRunner, RunnerSettings
from orange_jupyter.local.commands.shells import find_shell
from tests.local.commands.escapes import alive, marker, new_token, started, until


def test_it_is_the_port(runner: LocalRunner) -> None:
    port: Runner = runner
    assert port.shell.startswith("bash (/")


async def test_the_streams_are_apart_and_the_loop_is_never_blocked(runner, folder, unblocked):
    """R-EXEC-6: standard output, standard error and the exit code; the state of one call is not the next one's."""
    heard = []
    ran = await runner.run(Command("x=1; echo out; echo 错误 >&2; pwd", folder), lambda *piece: heard.append(piece))
    assert (ran.stdout, ran.stderr, ran.exit_code, ran.ok) == (f"out\n{folder}\n", "错误\n", 0, True)
    assert (ran.stdout_bytes, ran.stderr_bytes, ran.truncated) == (len(ran.stdout.encode()), 7, False)
    assert ran.confinement is Confinement.NONE
    assert "".join(text for stream, text in heard if stream is Stream.STDOUT) == ran.stdout
    assert "".join(text for stream, text in heard if stream is Stream.STDERR) == ran.stderr
    assert (await runner.run(Command("echo [$x]", folder))).stdout == "[]\n"


async def test_four_ways_to_end_are_four_statuses(runner, folder):
    """E11, R-EXEC-6: exit 3, killed by a signal, timed out, cancelled; none is a success."""
    token = new_token()
    left, killed, late = await asyncio.gather(
        runner.run(Command("exit 3", folder)),
        runner.run(Command("kill -9 $$", folder)),
        runner.run(Command("echo begun; trap 'exit 0' TERM; while :; do sleep 0.05; done", folder, seconds=0.5)),
    )

    def status(ran: Ran):
        return ran.exit_code, ran.signal, ran.timed_out, ran.cancelled, ran.ok

    assert status(left) == (3, None, False, False, False)
    assert status(killed) == (None, 9, False, False, False)
    assert status(late) == (None, None, True, False, False)
    assert late.stdout == "begun\n"
    running = asyncio.ensure_future(runner.run(Command(f"sleep {marker(token)}", folder)))
    assert await until(lambda: started(token))
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert alive(token) == 0


async def test_who_waits_for_input_gets_its_end(runner, folder):
    """E07, R-EXEC-9: `read`, Python's input(), a password prompt on the terminal."""
    text = f"""
    read x; echo read $?
    {sys.executable} -I -S -c 'input()' 2>&1 | tail -1
    (: < /dev/tty) 2>/dev/null && echo terminal || echo none
    cat; echo end"""
    ran = await runner.run(Command(text, folder, seconds=20))
    assert ran.stdout == "read 1\nEOFError: EOF when reading a line\nnone\nend\n"


async def test_no_start_up_file_is_read(make_runner, folder):
    """R-EXEC-3: neither HOME's bash files nor BASH_ENV nor ENV, not even when the person names it."""
    for name in (".bashrc", ".bash_profile", ".profile", "env.sh"):
        Path(folder, name).write_text("echo was here\n", encoding="utf-8")
    own = {"PATH": os.environ["PATH"], "HOME": folder, "BASH_ENV": f"{folder}/env.sh", "ENV": f"{folder}/env.sh"}
    ran = await make_runner(own, added=("BASH_ENV", "ENV")).run(Command("echo $-; tty", folder))
    assert "was here" not in ran.stdout
    assert "i" not in ran.stdout.splitlines()[0]
    assert ran.stdout.splitlines()[1] == "not a tty"


async def test_a_command_has_a_session_of_its_own_and_default_signals(runner, folder):
    """R-EXEC-4: the group is there before the text is handed over; what the kernel ignores is not inherited."""
    ran = await runner.run(Command("ps -o pid=,pgid=,sid= -p $$; grep -E '^Sig(Ign|Blk)' /proc/self/status", folder))
    first, *masks = ran.stdout.splitlines()
    assert len(set(first.split())) == 1
    assert [int(mask.split()[1], 16) & 0x7FFF_FFFF for mask in masks] == [0, 0]  # 32 is the C library's own
    assert (await runner.run(Command("yes | head -1; ls -l /proc/self/fd | wc -l", folder))).stdout == "y\n5\n"


async def test_a_supervisor_holds_nothing_of_another_command(runner, folder):
    """R-EXEC-5: it would hold up the other one's end; three standard ones, the link and what wakes it are its own."""
    token = new_token()
    other = asyncio.ensure_future(runner.run(Command(f"sleep {marker(token)}", folder)))
    assert await until(lambda: started(token))
    assert int((await runner.run(Command("ls /proc/$PPID/fd | wc -l", folder))).stdout) == 6
    other.cancel()
    await asyncio.gather(other, return_exceptions=True)


@pytest.mark.parametrize("text", ["echo a\0b", "", "  \n", "a" * 100_001, "中" * 60_000, "echo \ud800"])
async def test_what_cannot_be_a_command_is_refused_before_anything_starts(runner, folder, text):
    """E12: NUL, nothing, 100,001 characters, an argument longer than the system takes."""
    with pytest.raises(ArgumentError) as refused:
        await runner.run(Command(text, folder))
    assert refused.value.code == "invalid_argument"
    assert runner.host_pid is None


async def test_the_longest_command_runs(runner, folder):
    """E12: 100,000 characters; CR LF is handed over as it is."""
    ran = await runner.run(Command("echo " + "a" * 99_995, folder))
    assert ran.stdout_bytes == 99_996
    assert (await runner.run(Command("echo one\r\necho two", folder))).stdout == "one\ntwo\n"


async def test_a_folder_that_is_gone_or_another_runs_nothing(runner, tmp_path):
    """E10, R-EXEC-1: removed, a file, replaced by a link, replaced by another folder, below a link."""
    real = Path(os.path.realpath(tmp_path))
    elsewhere, kb = real / "elsewhere", real / "kb"
    (elsewhere / "kb").mkdir(parents=True)
    kb.mkdir()
    was = kb.stat()
    approved = Command("touch ran", str(kb), device=was.st_dev, inode=was.st_ino)
    kb.rename(real / "moved")
    replacements = {
        "gone": lambda: None,
        "file": kb.touch,
        "link": lambda: kb.symlink_to(elsewhere),
        "another folder": kb.mkdir,
    }
    for name, replace in replacements.items():
        replace()
        with pytest.raises(PathError) as refused:
            await runner.run(approved)
        assert (name, refused.value.code) == (name, "not_found")
        if kb.is_dir() and not kb.is_symlink():
            kb.rmdir()
        else:
            kb.unlink(missing_ok=True)
    (real / "link").symlink_to(elsewhere)
    with pytest.raises(PathError):
        await runner.run(Command("touch ran", str(real / "link" / "kb")))
    assert not list(real.rglob("ran"))
    (real / "moved").rename(kb)
    assert (await runner.run(approved)).ok
    assert (kb / "ran").exists()


async def test_runs_and_cancels_leave_nothing_behind(runner, folder):
    """E13: 200 runs, most of them cancelled at some moment; descriptors, threads and processes are as before."""
    numbers = itertools.count()

    async def once() -> None:
        token, number = new_token(), next(numbers)
        begun = asyncio.Event()
        text = f"echo begun; setsid sleep {marker(token)} & " + (f"sleep {marker(token)}" if number % 5 else "true")
        running = asyncio.ensure_future(runner.run(Command(text, folder), lambda *_: begun.set()))
        if number % 5 == 1:
            await asyncio.sleep(number % 7 * 0.003)  # in the middle of its start
        elif number % 5:
            await begun.wait()
        if number % 5:
            running.cancel()
        await asyncio.gather(running, return_exceptions=True)

    async def rounds(count: int) -> tuple[int, int, int, int]:
        for _ in range(count // 10):
            await asyncio.gather(*(once() for _ in range(10)))
        host = runner.host_pid
        await until(lambda: not children(host))
        await until(lambda: len(os.listdir(f"/proc/{host}/fd")) <= HOST_DESCRIPTORS)
        return len(os.listdir("/proc/self/fd")), threading.active_count(), len(children(os.getpid())), host

    HOST_DESCRIPTORS = 6
    before = await rounds(20)
    assert await rounds(180) == before
    assert len(os.listdir(f"/proc/{before[3]}/fd")) <= HOST_DESCRIPTORS
    assert len(asyncio.all_tasks()) == 1


def children(pid: int) -> list[str]:
    """The processes whose parent this is, ended ones included."""
    return Path(f"/proc/{pid}/task/{pid}/children").read_text("ascii").split()


async def test_any_loop_may_run_commands(folder):
    """A runner is bound to no loop: the next turn may have another one."""
    runner = LocalRunner(RunnerSettings(dict(os.environ)))
    try:
        for number in range(2):
            ran = await asyncio.to_thread(lambda n=number: asyncio.run(runner.run(Command(f"echo {n}", folder))))
            assert ran.stdout == f"{number}\n"
    finally:
        await runner.close()


async def test_other_systems_say_so(folder):
    """R-EXEC-13: Windows has no such runner yet, and no command runs without what ends it."""
    runner = LocalRunner(RunnerSettings(dict(os.environ), system="win32"))
    with pytest.raises(RunError) as refused:
        await runner.run(Command("echo hi", folder))
    assert (refused.value.code, runner.shell, runner.host_pid) == ("feature_off", "", None)


async def test_sh_stands_in_for_bash(folder, tmp_path):
    """R-EXEC-2: bash, else /bin/sh, never one from a relative folder of PATH; neither is feature_off."""
    (tmp_path / "bash").write_text("#!/bin/sh\necho planted\n", encoding="utf-8")
    (tmp_path / "bash").chmod(0o755)
    assert str(find_shell(".:relative", "/bin/sh")) != "bash (./bash)"
    runner = LocalRunner(RunnerSettings({"PATH": str(tmp_path / "none")}))
    assert runner.shell == "sh (/bin/sh)"
    ran = await runner.run(Command("/bin/echo $0", folder))
    await runner.close()
    assert ran.stdout == "/bin/sh\n"
    assert find_shell(str(tmp_path / "none"), str(tmp_path / "no-sh")) is None


async def test_output_beyond_the_limit_is_cut_in_the_middle(runner, folder):
    """E05, R-EXEC-5: 1 MiB of both streams together, half from the head, half from the tail, counted truly."""
    text = "echo first; head -c 3000000 /dev/zero | tr '\\0' 'a'; echo; echo 出错 >&2; echo last"
    ran = await runner.run(Command(text, folder))
    assert (ran.truncated, ran.ok, ran.stdout_bytes, ran.stderr_bytes) == (True, True, 3_000_012, 7)
    assert ran.stdout.startswith("first\naaa")
    assert ran.stdout.endswith("aaa\nlast\n")
    assert ran.stderr == "出错\n"
    kept = len(ran.stdout.encode()) + 7
    assert CAPTURED_BYTES <= kept <= CAPTURED_BYTES + 100
    left_out = 3_000_012 + 7 - CAPTURED_BYTES
    assert f"\n[… {left_out:,} bytes left out …]\n" in ran.stdout


async def test_a_flood_is_shown_rarely_and_in_small_pieces(runner, folder):
    """R-EXEC-11: at most 20 pieces a second, each bounded; the rest is counted as not shown."""
    heard: list[str] = []
    begun = time.monotonic()
    ran = await runner.run(
        Command("yes 0123456789 & yes abcdefghij >&2 & sleep 1.2; kill %1 %2", folder),
        lambda _, text: heard.append(text),
    )
    assert ran.truncated
    assert 4 <= len(heard) <= 20 * (time.monotonic() - begun) + 4
    assert max(map(len, heard)) <= 8_300
    assert "bytes not shown while it runs" in heard[2]


async def test_a_pipe_held_elsewhere_does_not_hold_up_the_call(runner, folder):
    """R-EXEC-5: a descriptor given to a process outside is drained two seconds, not longer."""
    keeper = subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", KEEPER, f"{folder}/keep"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    try:
        assert await asyncio.to_thread(keeper.stdout.readline) == b"ready\n"
        give = f"{sys.executable} -I -S -c '{GIVER}' {folder}/keep; echo given"
        ran = await asyncio.wait_for(runner.run(Command(give, folder)), 30)
        assert (ran.stdout, ran.exit_code) == ("given\n", 0)
    finally:
        keeper.communicate()


KEEPER = """
import socket, sys
door = socket.socket(socket.AF_UNIX); door.bind(sys.argv[1]); door.listen()
print("ready", flush=True)
kept = socket.recv_fds(door.accept()[0], 1, 1)
sys.stdin.read()
"""
GIVER = (
    "import socket, sys; door = socket.socket(socket.AF_UNIX); door.connect(sys.argv[1]); "
    'socket.send_fds(door, [b"x"], [1])'
)
