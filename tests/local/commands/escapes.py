"""The ways in which a command leaves a process behind (cases/escapes.md), and how such processes are counted.

`python -m tests.local.commands.escapes FOLDER TOKEN…` runs all of them under a runner of its own, to be killed.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from orange_jupyter.core.running import Command, Sandbox
from orange_jupyter.local.commands.runner import LocalRunner, RunnerSettings

PYTHON = f"{sys.executable} -I -S -c"
_NUMBERS = itertools.count(1)
_DAEMON = (
    '"import os; '
    "os.fork() and os._exit(0); os.setsid(); os.fork() and os._exit(0); "
    "os.closerange(0, 99); os.execvp('sleep', ['sleep', '{m}'])\""
)
_CHAIN = (
    '"import os, time\n'
    "end = time.monotonic() + 300\n"
    "while time.monotonic() < end:\n"
    "    if os.fork(): os._exit(0)\n"
    '    os.setsid()"'
)
_DEAF = '"import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(300)"'
_ADOPTER = (
    '"import ctypes, os, signal, sys\n'
    "ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)\n"
    "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
    "os.system('setsid sleep {m} &')\n"
    'while True: signal.pause()"'
)


@dataclass(frozen=True, slots=True)
class Row:
    """A row of escapes.md: what is done at first (`{m}` is the marker), and at last."""

    name: str
    first: str
    last: str = "true"


ROWS = (
    Row("01 background", "sleep {m} &"),
    Row("02 nohup", "nohup sleep {m} >/dev/null 2>&1 &"),
    Row("03 setsid", "setsid sleep {m} &"),
    Row("04 setsid -f", "setsid -f sleep {m}"),
    Row("05 double fork", f"{PYTHON} {_DAEMON} {{m}}"),
    Row("06 disown", "sleep {m} & disown"),
    Row("07 ignores SIGTERM", f"{PYTHON} {_DEAF} {{m}} &"),
    Row("08 stopped", "sleep {m} & sleep 0.3; kill -STOP $!"),
    Row("09 respawner", "bash -c 'trap \"\" TERM; while :; do sleep {m}; done' &"),
    Row("10 chain of forks", f"{PYTHON} {_CHAIN} {{m}}"),
    # The sandbox is such a namespace, and root without capabilities makes no other one there.
    Row("11 PID namespace", "(unshare -Urpf sleep {m} || sleep {m}) &"),
    Row("12 subreaper", f"{PYTHON} {_ADOPTER} &"),
    Row("13 other name, no variables", "env -i bash -c 'exec -a kworker sleep {m}' &"),
    Row("14 kills the supervisor", "trap 'kill -9 $PPID' TERM; setsid sleep {m} &", last="kill -9 $PPID; sleep 1"),
    Row("10 and 14", f"trap 'kill -9 $PPID' TERM; {PYTHON} {_CHAIN} {{m}}", last="kill -9 $PPID; sleep 1"),
)


def new_token() -> str:
    """Digits that no other process has in its arguments."""
    return f"{os.getpid():07d}{next(_NUMBERS):04d}"


def marker(token: str) -> str:
    """The argument by which the processes of a row are known: 300 seconds and a little."""
    return f"300.{token}"


def command(row: Row, token: str, folder: str, seconds: float = 60) -> Command:
    """A command that does the row, then waits until a file named like the token is there."""
    first = row.first.replace("{m}", marker(token))
    text = f"{first}\nuntil [ -e {token} ]; do sleep 0.05; done\n{row.last}\n"
    return Command(text, folder, seconds, writable=(folder,))


def arguments() -> list[list[bytes]]:
    """The arguments of every process."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                found.append((entry / "cmdline").read_bytes().split(b"\0"))
            except OSError:
                continue
    return found


def started(token: str) -> bool:
    """Whether a process of the row's own, not its shell, is there."""
    wanted = marker(token).encode()
    return any(wanted in words for words in arguments())


def alive(*tokens: str) -> int:
    """How many processes have one of the tokens anywhere in their arguments, their shells included."""
    wanted = [token.encode() for token in tokens]
    return sum(any(token in word for word in words for token in wanted) for words in arguments())


async def until(holds, seconds: float = 20) -> bool:
    """Wait until something holds, at most so long."""
    end = time.monotonic() + seconds
    while not await asyncio.to_thread(holds):
        if time.monotonic() > end:
            return False
        await asyncio.sleep(0.02)
    return True


async def main(folder: str, sandbox: str, tokens: list[str]) -> None:
    """Run every row until this process is killed."""
    runner = LocalRunner(RunnerSettings(dict(os.environ), sandbox=Sandbox(sandbox)))
    await asyncio.gather(*(runner.run(command(row, token, folder)) for row, token in zip(ROWS, tokens, strict=True)))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
