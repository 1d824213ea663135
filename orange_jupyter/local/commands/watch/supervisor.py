"""The process above one command: starts its shell in a session of its own and, when told, ends all that came of it.

It is subreaper, so orphans of the command become its children. Told by its link with the host: `e` or end of file
(the host is gone) means end now. Says `s` (started), `f` and an error number, `x` and the shell's wait status.
"""

from __future__ import annotations

import os
import select
import signal
import socket
import struct
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, NoReturn

from orange_jupyter.local.commands.watch import processes

END: Final = b"e"
SAID: Final = struct.Struct("!ci")
GRACE: Final = 0.5
"""Seconds between SIGTERM and SIGKILL."""
_LAST_SECONDS = 10.0
"""How long what SIGKILL does not end (waiting for a dead disk) is waited for."""
_DEAF_TO = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)


@dataclass(frozen=True, slots=True)
class Start:
    """What a shell is started with: descriptors of its folder and of the ends it writes to."""

    argv: tuple[bytes, ...]
    env: Mapping[bytes, bytes]
    folder: int
    out: int
    err: int


def watch_for_children() -> int:
    """A descriptor that can be read after a child ended; signals meant for commands do not end this process."""
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    os.set_blocking(writing, False)
    signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    for number in _DEAF_TO:
        signal.signal(number, signal.SIG_IGN)
    return reading


def drain(descriptor: int) -> None:
    """Empty the descriptor of `watch_for_children`."""
    try:
        while os.read(descriptor, 512):
            continue
    except BlockingIOError:
        return


def supervise(link: socket.socket, start: Start) -> NoReturn:
    """The whole life of a supervisor, in a process just forked; exits with 0 when nothing of the command is left."""
    _close_all_but({link.fileno(), start.folder, start.out, start.err})
    processes.become_subreaper()
    woken = watch_for_children()
    try:
        shell = _start(start)
    except OSError as error:
        link.sendall(SAID.pack(b"f", error.errno or 0))
        os._exit(0)
    for descriptor in (start.folder, start.out, start.err):
        os.close(descriptor)
    _say(link, b"s", shell)
    ended = _until_end(link, woken, shell)
    if not processes.ADOPTS:
        _end_group(shell)
    if processes.has_children():
        _end_all(link, woken, 0 if ended else shell)
    os._exit(1 if processes.has_children() else 0)


def _until_end(link: socket.socket, woken: int, shell: int) -> bool:
    """Wait until the shell ends (True) or the host says so or is gone (False)."""
    while True:
        ready, _, _ = select.select([link.fileno(), woken], [], [])
        if woken in ready and _reaped(link, woken, shell):
            return True
        if link.fileno() in ready:
            return False


def _end_all(link: socket.socket, woken: int, shell: int) -> None:
    """SIGTERM, a little patience, then SIGKILL until nothing is left."""
    deadline = time.monotonic() + GRACE
    processes.ask_to_end(os.getpid())
    while processes.has_children() and (left := deadline - time.monotonic()) > 0:
        select.select([woken], [], [], left)
        _reaped(link, woken, shell)
    for pid, status in processes.end_children(_LAST_SECONDS):
        if pid == shell:
            _say(link, b"x", status)


def _end_group(shell: int) -> None:
    """Where orphans do not come to us: end those that stayed in the shell's group."""
    if processes.end_group(shell, signal.SIGTERM):
        time.sleep(GRACE)
        processes.end_group(shell, signal.SIGKILL)


def _reaped(link: socket.socket, woken: int, shell: int) -> bool:
    """Reap who has ended; whether the shell was among them, which the host is then told."""
    drain(woken)
    statuses = dict(processes.reap())
    if shell in statuses:
        _say(link, b"x", statuses[shell])
    return shell in statuses


def _say(link: socket.socket, kind: bytes, number: int) -> None:
    try:
        link.sendall(SAID.pack(kind, number))
    except OSError:  # the host is gone; what is left to do is the same
        return


def _start(start: Start) -> int:
    """Fork the shell; its process id. Raises OSError of the child when it cannot be executed."""
    reading, writing = os.pipe()
    shell = os.fork()
    if shell == 0:
        _become(start, writing)
    os.close(writing)
    with open(reading, "rb") as failure:
        told = failure.read(4)
    if told:
        os.waitpid(shell, 0)
        number = struct.unpack("!i", told)[0]
        raise OSError(number, os.strerror(number))
    return shell


def _become(start: Start, failure: int) -> NoReturn:
    """In the child: a session and group of its own, no terminal, standard input at its end, default signals."""
    try:
        os.setsid()
        for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
            _reset(number)
        signal.set_wakeup_fd(-1)
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
        os.fchdir(start.folder)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(start.out, 1)
        os.dup2(start.err, 2)
        os.execve(start.argv[0], start.argv, start.env)  # noqa: S606  the shell's own process is what is asked for
    except OSError as error:
        os.write(failure, struct.pack("!i", error.errno or 0))
    finally:
        os._exit(127)


def _reset(number: int) -> None:
    try:
        signal.signal(number, signal.SIG_DFL)
    except (OSError, ValueError):  # kept by the C library
        return


def _close_all_but(kept: set[int]) -> None:
    """Close what the host had open: its other commands must not be held open by this one."""
    first = 3
    for descriptor in sorted(kept):
        os.closerange(first, descriptor)
        first = descriptor + 1
    os.closerange(first, os.sysconf("SC_OPEN_MAX"))
