"""Waiting by the pump: the cell's blocked main thread reads the shell channel itself, so that clicks reach Python.

For kernels before 7.4 and for cells that cannot await. `comm_*` messages are dispatched at once; every other message is
kept and handed to the kernel, in order, before the cell ends, so that it also aborts them after an interrupt. It stands
on attributes that ipykernel and pyzmq keep private: `pump_of` looks whether all are there (measured on 6.31, 7.3, 7.4).
Since 7 a click that the kernel's loop read before the cell blocked waits behind the cell: it is late, not lost.
"""

from __future__ import annotations

import asyncio
import inspect
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, Self

from orange_jupyter.jupyter.runtime import SLICE
from orange_jupyter.jupyter.wait_await import Interrupted, wait_blocking
from orange_jupyter.jupyter.waiting import STOP_SECONDS, Job

CLICKS = ("comm_open", "comm_msg", "comm_close")
"""What is dispatched while the cell waits; the same that ipykernel 7.4 lets through to an awaiting cell."""

_KERNEL_NEEDS = (
    *("dispatch_shell", "should_handle", "pre_handler_hook", "post_handler_hook", "session"),
    *("get_parent", "set_parent", "_parent_ident", "_publish_status"),
)
_STREAM_NEEDS = ("flush", "on_recv", "socket", "_recv_callback")


def wait_pumping(job: Job, shell: Any) -> None:
    """Wait for a job on the main thread while clicks get through. An interrupt stops it and is raised within 3 s.

    Where the pump does not serve (`pump_of`) it only blocks.
    """
    pump = pump_of(shell)
    if pump is None:
        wait_blocking(job)
        return
    with Presses() as presses, pump.reading():
        while not (job.done or presses.count):
            with presses.raised():
                job.prompts.serve()
            pump.turn(presses)
        if presses.count:
            job.stop()
        until = time.monotonic() + STOP_SECONDS
        while not job.done and presses.count < 2 and time.monotonic() < until:
            pump.turn(presses)
    if presses.count:
        raise Interrupted


def pump_of(shell: Any) -> Pump | None:
    """The pump of the kernel that runs here; None off its main thread and where one of its parts is missing."""
    kernel = getattr(shell, "kernel", None)
    if kernel is None or threading.current_thread() is not threading.main_thread():
        return None
    stream = _stream_of(kernel)
    handlers = getattr(kernel, "shell_handlers", {})
    kernel_serves = all(hasattr(kernel, name) for name in _KERNEL_NEEDS) and all(kind in handlers for kind in CLICKS)
    stream_serves = all(getattr(stream, name, None) is not None for name in _STREAM_NEEDS)
    if not (kernel_serves and stream_serves and getattr(stream, "_recv_copy", True) is False):
        return None
    # Nothing that is called while the kernel's loop stands still may await.
    suspends = (kernel.should_handle, *(handlers[kind] for kind in CLICKS))
    return None if any(inspect.iscoroutinefunction(call) for call in suspends) else Pump(kernel, stream)


def _stream_of(kernel: Any) -> Any:
    """The stream that brings shell messages to the main thread: behind the shell channel's thread since 7."""
    channel = getattr(kernel, "shell_channel_thread", None)
    if channel is None:
        return getattr(kernel, "shell_stream", None)
    pair = getattr(getattr(channel, "manager", None), "_shell_channel_to_main", None)
    return getattr(pair, "to_stream", None)


class Presses:
    """The interrupts that come while a pump reads: counted, never raised where a message could be lost."""

    def __init__(self) -> None:
        self.count = 0
        self._raises = False
        self._before: Any = None

    def __enter__(self) -> Self:
        self._before = signal.signal(signal.SIGINT, self._press)
        return self

    def __exit__(self, *error: object) -> None:
        signal.signal(signal.SIGINT, self._before or signal.SIG_DFL)

    @contextmanager
    def raised(self) -> Iterator[None]:
        """Let an interrupt end what runs in here, a prompt or a callback; it is counted all the same."""
        before = self.count
        try:
            self._raises = True
            yield
        except KeyboardInterrupt:
            self.count = max(self.count, before + 1)
        finally:
            self._raises = False

    def _press(self, *_: object) -> None:
        self.count += 1
        if self._raises:
            self._raises = False  # a second one must not strike while the first is answered
            raise KeyboardInterrupt


class Pump:
    """One wait on the main thread. While `reading`, the kernel's own reader is off and `turn` takes its place."""

    def __init__(self, kernel: Any, stream: Any) -> None:
        self._kernel = kernel
        self._stream = stream
        self._arrived: deque[tuple[Any, Callable[[], None]]] = deque()
        self._kept: list[Callable[[], None]] = []
        self._handed: list[asyncio.Future[Any]] = []

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Take the messages over; at the end hand back those that were kept, oldest first."""
        reader = self._stream._recv_callback

        def take(message: list[Any]) -> None:
            self._arrived.append((message, partial(self._hand, reader, message)))

        self._take_queued()
        self._stream.on_recv(take, copy=False)
        try:
            yield
        finally:
            self._stream.on_recv(reader, copy=False)
            for hand_back in (*self._kept, *(hand_back for _, hand_back in self._arrived)):
                hand_back()

    def turn(self, presses: Presses) -> None:
        """Wait for messages, at most one slice, and dispatch the clicks among them."""
        self._stream.socket.poll(int(SLICE * 1000))
        self._stream.flush()
        while self._arrived:
            message, hand_back = self._arrived.popleft()
            if self._kind(message) in CLICKS:
                self._dispatch(message, presses)
            else:
                self._kept.append(hand_back)

    def _take_queued(self) -> None:
        """Before 7 the kernel has a queue of its own, in which a click may already wait behind other cells."""
        queue = getattr(self._kernel, "msg_queue", None)
        while queue is not None and queue.qsize():
            item = queue.get_nowait()
            hand_back = partial(queue.put_nowait, item)
            if item[1] == self._kernel.dispatch_shell:
                self._arrived.append((item[2][0], hand_back))
            else:
                self._kept.append(hand_back)

    def _kind(self, message: list[Any]) -> str:
        """A message's type, only looked at: the kernel checks signatures when it dispatches. "" where unreadable."""
        session = self._kernel.session
        try:
            _, frames = session.feed_identities(message, copy=False)
            return str(session.unpack(frames[1].bytes)["msg_type"])
        except (ValueError, LookupError, TypeError):
            return ""

    def _dispatch(self, message: list[Any], presses: Presses) -> None:
        """Dispatch a click as the kernel does, with its own parent; then the cell is the parent again, and busy."""
        kernel = self._kernel
        parent, identity = kernel.get_parent("shell"), kernel._parent_ident["shell"]
        hooks = kernel.pre_handler_hook, kernel.post_handler_hook
        sys.stdout.flush()  # what the cell printed so far belongs to the cell
        sys.stderr.flush()
        # The hooks set the handler of interrupts and can remember only one cell's: ours stays.
        kernel.pre_handler_hook = kernel.post_handler_hook = bool
        try:
            with presses.raised():
                _drive(kernel.dispatch_shell(message))
        finally:
            kernel.pre_handler_hook, kernel.post_handler_hook = hooks
            kernel.set_parent(identity, parent, channel="shell")
            kernel._publish_status("busy", "shell")

    def _hand(self, reader: Callable[[Any], Any], message: list[Any]) -> None:
        """What the stream does with a message: call the reader, let what it returns run on the loop."""
        result = reader(message)
        if inspect.isawaitable(result):
            self._handed.append(asyncio.ensure_future(result))


def _drive(work: Any) -> None:
    """Run a coroutine that never suspends to its end; one that does is dropped (`pump_of` looked before)."""
    try:
        work.send(None)
    except StopIteration:
        return
    work.close()
