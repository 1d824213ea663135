"""One command seen from the host: its supervisor, its two pipes, what was kept, and what the kernel is still to get."""

from __future__ import annotations

import json
import os
import socket
import time
from enum import Enum
from typing import Final

from orange_jupyter.local.commands import frames
from orange_jupyter.local.commands.watch import request, supervisor
from orange_jupyter.local.commands.watch.capture import Capture, Live

DRAIN_SECONDS: Final = 2.0
"""How long the pipes are read after the shell's end (a process elsewhere may hold them)."""
LIVE_SECONDS: Final = 0.1
"""Between two live pieces of a stream: at most 20 a second, both together."""
_READ = 65_536
_MOST_WAITING = 65_536
"""Bytes that the kernel has not taken; more live pieces are not made until it does."""
_LOST_SECONDS = 2.0
"""How long what a killed supervisor left is hunted before the command counts as ended."""


class Ending(Enum):
    """Why a command was ended, if it was."""

    ITSELF = "itself"
    TIMED_OUT = "timed_out"
    CANCELLED = "cancelled"


class Run:
    """A command from its request to its last byte to the kernel. One thread; nothing here blocks."""

    def __init__(self, kernel: socket.socket, folder: int) -> None:
        kernel.setblocking(False)
        self.kernel = kernel
        self.link: socket.socket | None = None
        self.supervisor: int | None = None
        self.pipes: dict[int, int] = {}
        """Descriptors that are still open, with their stream."""
        self.listens = True
        """Whether the kernel may still say something."""
        self.done = False
        """Whether all was said; then only `outgoing` is left."""
        self.outgoing = bytearray()
        self._folder = folder
        self._incoming = bytearray()
        self._capture: Capture | None = None
        self._live = (Live(), Live())
        self._next_live = 0.0
        self._deadline = float("inf")
        self._ended_at: float | None = None
        self._gone_at: float | None = None
        self._clean = False
        self._status: int | None = None
        self._error = 0
        self._ending = Ending.ITSELF

    def hear_kernel(self) -> None:
        """Take the request; end of file means that the command is to end."""
        try:
            data = self.kernel.recv(_READ)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self.listens = False
            self.end(Ending.CANCELLED)
            return
        if self.supervisor is None:
            self._incoming += data
            self._start_when_whole()

    def hear_link(self) -> None:
        """Take what the supervisor says; its end of file says that it has ended."""
        assert self.link is not None
        try:
            data = self.link.recv(supervisor.SAID.size)
        except OSError:
            data = b""
        if len(data) < supervisor.SAID.size:
            self.link.close()
            self.link = None
            return
        kind, number = supervisor.SAID.unpack(data)
        if kind == b"f":
            self._error = number
        elif kind == b"x":
            self._status = number
            self._ended_at = time.monotonic()

    def hear_pipe(self, descriptor: int) -> None:
        """Take output; at its end the pipe is closed."""
        data = os.read(descriptor, _READ)
        if not data:
            self.pipes.pop(descriptor)
            os.close(descriptor)
            return
        assert self._capture is not None
        stream = self.pipes[descriptor]
        self._capture.add(stream, data)
        self._live[stream].add(data)

    def flush(self) -> None:
        """Send what the kernel takes."""
        try:
            del self.outgoing[: self.kernel.send(self.outgoing)]
        except BlockingIOError:
            return
        except OSError:  # the kernel is gone: nobody waits for the rest
            self.outgoing.clear()
            self.listens = False
            self.end(Ending.CANCELLED)

    def end(self, why: Ending) -> None:
        """Have the supervisor end everything; the first reason counts."""
        if self._ending is not Ending.ITSELF or self._ended_at is not None:
            return
        self._ending = why
        if self.link is not None:
            try:
                self.link.sendall(supervisor.END)
            except OSError:  # it is gone; what it left is the host's to end
                return

    @property
    def guarding(self) -> int | None:
        """The supervisor's process id while it lives."""
        return self.supervisor if self._gone_at is None else None

    def supervisor_ended(self, *, clean: bool) -> None:
        """The host reaped it; not clean: it was killed or left something."""
        while self.link is not None:
            self.hear_link()
        self._gone_at = time.monotonic()
        self._clean = clean

    def tick(self, now: float, *, orphans: bool) -> None:
        """Do what time asks for; `orphans`: something that a killed supervisor left is still alive."""
        if now >= self._deadline:
            self._deadline = float("inf")
            self.end(Ending.TIMED_OUT)
        if now >= self._next_live and len(self.outgoing) < _MOST_WAITING:
            self._show(now)
        if not self.done and self._is_over(now, orphans=orphans):
            self._finish(now)

    def next_tick(self, now: float) -> float:
        """Seconds until `tick` has something to do."""
        if self.done or (self.supervisor is None and self.listens):
            return 60.0
        if self._gone_at is not None:
            return 0.02
        return max(0.0, min(self._deadline - now, LIVE_SECONDS))

    def close(self) -> None:
        """Let go of every descriptor."""
        for descriptor in [*self.pipes, *([self._folder] if self._folder >= 0 else [])]:
            os.close(descriptor)
        self.pipes.clear()
        self._folder = -1
        self.kernel.close()
        if self.link is not None:
            self.link.close()

    def _start_when_whole(self) -> None:
        wanted = request.parse(self._incoming)
        if wanted is None:
            return
        self._incoming.clear()
        self._capture = Capture(wanted.room)
        self._deadline = time.monotonic() + wanted.seconds
        try:
            started = request.start(wanted, self._folder)
        except OSError as error:
            self._error = error.errno or -1
            return
        self.supervisor, self.link, self.pipes = started.pid, started.link, started.pipes
        os.close(self._folder)
        self._folder = -1

    def _show(self, now: float) -> None:
        self._next_live = now + LIVE_SECONDS
        for stream, live in enumerate(self._live):
            skipped, data = live.take()
            if data:
                self.outgoing += frames.piece(stream, skipped, data)

    def _is_over(self, now: float, *, orphans: bool) -> bool:
        if self.supervisor is None:
            return not self.listens or self._error != 0
        if self._gone_at is None:
            return False
        if not self._clean and orphans and now < self._gone_at + _LOST_SECONDS:
            return False
        ended_at = self._gone_at if self._ended_at is None else self._ended_at
        return not self.pipes or now >= ended_at + DRAIN_SECONDS

    def _finish(self, now: float) -> None:
        self.done = True
        if self._capture is None:
            return
        self._show(now)
        result = {
            "status": self._status,
            "ending": self._ending.value,
            "error": self._error,
            "counts": self._capture.counts,
        }
        self.outgoing += frames.frame(frames.RESULT, json.dumps(result).encode())
        for kept in self._capture.kept():
            self.outgoing += frames.frame(frames.KEPT, kept)
