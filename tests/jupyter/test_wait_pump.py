"""Where the pump serves, and its interrupts; what it does in real kernels is in test_matrix.py."""

from __future__ import annotations

import os
import signal
import threading
from types import SimpleNamespace
from typing import Any

import pytest

from orange_jupyter.jupyter.wait_pump import CLICKS, Presses, pump_of


def stream() -> SimpleNamespace:
    return SimpleNamespace(flush=print, on_recv=print, socket=object(), _recv_callback=print, _recv_copy=False)


def kernel(**more: Any) -> SimpleNamespace:
    parts: dict[str, Any] = {
        **dict.fromkeys(("dispatch_shell", "should_handle", "pre_handler_hook", "post_handler_hook"), print),
        **dict.fromkeys(("get_parent", "set_parent", "_publish_status"), print),
        "session": object(),
        "_parent_ident": {},
        "shell_handlers": dict.fromkeys(CLICKS, print),
    }
    return SimpleNamespace(**(parts | {"shell_stream": stream()} | more))


def of(kernel: Any) -> Any:
    return pump_of(SimpleNamespace(kernel=kernel))


async def suspends(*_: Any) -> None:
    """A handler of a kernel to come."""


def test_it_serves_a_kernel_that_has_every_part() -> None:
    """Before 7 the stream is the kernel's own; since 7 it lies behind the shell channel's thread."""
    assert of(kernel()) is not None
    manager = SimpleNamespace(_shell_channel_to_main=SimpleNamespace(to_stream=stream()))
    assert of(kernel(shell_stream=None, shell_channel_thread=SimpleNamespace(manager=manager))) is not None


@pytest.mark.parametrize("part", [name for name in vars(kernel()) if name != "shell_stream"])
def test_it_does_not_serve_where_a_part_is_missing(part: str) -> None:
    """R-UI-2: private attributes are probed; where one is gone the turn is detached."""
    lacking = kernel()
    delattr(lacking, part)
    assert of(lacking) is None


@pytest.mark.parametrize(
    "other",
    [
        kernel(shell_stream=None),
        kernel(shell_stream=SimpleNamespace(**(vars(stream()) | {"_recv_callback": None}))),
        kernel(shell_stream=SimpleNamespace(**(vars(stream()) | {"_recv_copy": True}))),
        kernel(shell_channel_thread=SimpleNamespace(manager=SimpleNamespace())),
        kernel(shell_handlers={"comm_open": print}),
        kernel(shell_handlers=dict.fromkeys(CLICKS, suspends)),
        kernel(should_handle=suspends),
        None,
    ],
)
def test_it_does_not_serve_another_kind_of_kernel(other: Any) -> None:
    """No stream, one that nobody reads or that copies, handlers that would have to await, a terminal."""
    assert of(other) is None


def test_it_does_not_serve_off_the_main_thread() -> None:
    """A cell in a subshell: its thread is not the one the messages come to."""
    found: list[Any] = []
    thread = threading.Thread(target=lambda: found.append(of(kernel())))
    thread.start()
    thread.join()
    assert found == [None]


def test_an_interrupt_is_counted_and_raised_only_where_it_may_be() -> None:
    """Nothing is lost between two reads; a prompt and a callback end."""
    before = signal.getsignal(signal.SIGINT)
    with Presses() as presses:
        os.kill(os.getpid(), signal.SIGINT)
        assert presses.count == 1
        ended = True
        with presses.raised():
            os.kill(os.getpid(), signal.SIGINT)
            ended = False
        assert (presses.count, ended) == (2, True)
        with presses.raised():
            raise KeyboardInterrupt
        assert presses.count == 3
    assert signal.getsignal(signal.SIGINT) is before
