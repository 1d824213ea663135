"""What the kernel asks for, and the supervisor that is forked for it."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Mapping
from dataclasses import dataclass

from orange_jupyter.local.commands import frames
from orange_jupyter.local.commands.watch import supervisor


@dataclass(frozen=True, slots=True)
class Wanted:
    """A command's arguments and variables, its seconds, and how many bytes of its output are kept."""

    argv: tuple[bytes, ...]
    env: Mapping[bytes, bytes]
    seconds: float
    room: int


@dataclass(frozen=True, slots=True)
class Started:
    """A supervisor: its process id, the link to it, and the pipes to be read with their stream."""

    pid: int
    link: socket.socket
    pipes: dict[int, int]


def parse(incoming: bytes | bytearray) -> Wanted | None:
    """The request at the start of what the kernel sent, or None until it is whole."""
    if len(incoming) < frames.HEAD.size:
        return None
    _, length = frames.HEAD.unpack_from(incoming)
    if len(incoming) < frames.HEAD.size + length:
        return None
    told = json.loads(incoming[frames.HEAD.size : frames.HEAD.size + length])
    return Wanted(
        argv=tuple(os.fsencode(word) for word in told["argv"]),
        env={os.fsencode(name): os.fsencode(value) for name, value in told["env"].items()},
        seconds=float(told["seconds"]),
        room=int(told["room"]),
    )


def start(wanted: Wanted, folder: int) -> Started:
    """Fork the supervisor, from a process with one thread. Raises OSError: no descriptor or process is left."""
    mine, its = socket.socketpair()
    mine.setblocking(False)
    opened: list[int] = []
    try:
        for _ in range(2):
            opened += os.pipe()
        out, out_end, err, err_end = opened
        pid = os.fork()
    except OSError:
        for descriptor in opened:
            os.close(descriptor)
        mine.close()
        its.close()
        raise
    if pid == 0:
        try:
            supervisor.supervise(its, supervisor.Start(wanted.argv, wanted.env, folder, out_end, err_end))
        finally:
            os._exit(2)
    os.close(out_end)
    os.close(err_end)
    its.close()
    return Started(pid, mine, {out: 0, err: 1})
