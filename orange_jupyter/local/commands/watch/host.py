"""The process between one kernel and its commands; lives as long as the kernel wants commands run.

Each byte on the control socket brings the host's end of a command's own socket and the folder it runs in. End of file
on either says that nobody wants the command any more. The host reads the pipes, so that a command that kills its own
supervisor loses nothing; it is subreaper too, so what that leaves comes to it and is ended.
"""

from __future__ import annotations

import os
import selectors
import socket
import sys
import time

from orange_jupyter.local.commands.watch import processes, supervisor
from orange_jupyter.local.commands.watch.run import Ending, Run

_PARENT_SECONDS = 1.0
"""How often the kernel is looked for, should something else hold its end of the socket open."""
_LAST_SECONDS = 15.0
"""How long a host without a kernel stays to end what will not end."""


_SPIN_SECONDS = 2.0
"""How long orphans are hunted without a pause."""
_SURE = 3
"""So often none must be seen: the system's list may miss one while another ends."""


class Host:
    """The loop over everything that can happen; one thread, nothing blocks but the wait itself."""

    def __init__(self, control: socket.socket, kernel: int) -> None:
        self._control: socket.socket | None = control
        self._kernel = kernel
        self._woken = supervisor.watch_for_children()
        self._runs: list[Run] = []
        self._orphans = False
        self._unseen = 0
        self._spin_until = 0.0
        self._until = float("inf")

    def serve(self) -> None:
        """Until the kernel is gone and all that it started has ended."""
        while self._control is not None or self._runs or self._orphans:
            self._wait()
            self._reap()
            now = time.monotonic()
            if self._control is not None and os.getppid() != self._kernel:
                self._let_go()
            if now > self._until:
                return
            for run in self._runs:
                run.tick(now, orphans=self._orphans)
                if run.outgoing:
                    run.flush()
            self._sweep()

    def _wait(self) -> None:
        """Wait for the next event and take all that are there."""
        with selectors.PollSelector() as selector:
            selector.register(self._woken, selectors.EVENT_READ, lambda: supervisor.drain(self._woken))
            if self._control is not None:
                selector.register(self._control, selectors.EVENT_READ, self._take_command)
            for run in self._runs:
                _listen_to(run, selector)
            for key, events in selector.select(self._patience()):
                if isinstance(key.data, Run):
                    if events & selectors.EVENT_WRITE:
                        key.data.flush()
                    if events & selectors.EVENT_READ:
                        key.data.hear_kernel()
                else:
                    key.data()

    def _patience(self) -> float:
        now = time.monotonic()
        if self._orphans:
            return 0.0 if now < self._spin_until else 0.05
        return min([_PARENT_SECONDS, *(run.next_tick(now) for run in self._runs)])

    def _take_command(self) -> None:
        """A new command, or the end of the kernel."""
        assert self._control is not None
        try:
            data, descriptors, _, _ = socket.recv_fds(self._control, 1, 2)
        except OSError:
            data, descriptors = b"", []
        if not data:
            self._let_go()
        elif len(descriptors) == 2:
            for descriptor in descriptors:
                os.set_inheritable(descriptor, False)
            self._runs.append(Run(socket.socket(fileno=descriptors[0]), descriptors[1]))

    def _let_go(self) -> None:
        assert self._control is not None
        self._control.close()
        self._control = None
        self._until = time.monotonic() + _LAST_SECONDS
        for run in self._runs:
            run.end(Ending.CANCELLED)
            run.listens = False

    def _reap(self) -> None:
        for pid, status in processes.reap():
            for run in self._runs:
                if run.supervisor == pid:
                    run.supervisor_ended(clean=status == 0)
                    if status != 0:
                        self._orphans, self._unseen = True, 0
                        self._spin_until = time.monotonic() + _SPIN_SECONDS

    def _sweep(self) -> None:
        """End what killed supervisors left; forget commands of which nothing more is to be said."""
        if self._orphans:
            spared = frozenset(run.guarding for run in self._runs if run.guarding is not None)
            self._unseen = 0 if processes.kill_children(spared) else self._unseen + 1
            self._orphans = self._unseen < _SURE
        for run in [run for run in self._runs if run.done and not run.outgoing]:
            run.close()
            self._runs.remove(run)


def _listen_to(run: Run, selector: selectors.BaseSelector) -> None:
    events = (selectors.EVENT_READ if run.listens else 0) | (selectors.EVENT_WRITE if run.outgoing else 0)
    if events:
        selector.register(run.kernel, events, run)
    if run.link is not None:
        selector.register(run.link, selectors.EVENT_READ, run.hear_link)
    for pipe in run.pipes:
        selector.register(pipe, selectors.EVENT_READ, lambda pipe=pipe: run.hear_pipe(pipe))


def main() -> None:
    """`… CONTROL KERNEL`: the descriptor of the control socket and the kernel's process id."""
    descriptor, kernel = int(sys.argv[1]), int(sys.argv[2])
    os.set_inheritable(descriptor, False)
    processes.become_subreaper()
    Host(socket.socket(fileno=descriptor), kernel).serve()
