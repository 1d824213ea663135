"""Questions at an `input()` prompt: asked from the agent's thread, answered on the thread that owns the cell."""

from __future__ import annotations

import asyncio
import builtins
import getpass
import queue
from collections.abc import Callable
from concurrent.futures import Future

Question = tuple[Callable[[], str], Future[str | None]]


class Prompts:
    """The questions of one waiting cell. `ask` belongs to the runtime's loop, `serve` to the cell's thread."""

    def __init__(self) -> None:
        self._waiting: queue.SimpleQueue[Question] = queue.SimpleQueue()
        self._open = True

    async def ask(self, text: str, *, hidden: bool = False) -> str | None:
        """What the person typed, `hidden` as a password is; None where no cell waits or no input is taken."""
        if not self._open:
            return None
        answer: Future[str | None] = Future()
        # Looked up when it is asked: the kernel puts its own functions there while a cell runs.
        self._waiting.put((lambda: getpass.getpass(text) if hidden else builtins.input(text), answer))
        return await asyncio.wrap_future(answer)

    def leave(self) -> None:
        """The cell does not wait any more: nobody will be asked here."""
        self._open = False
        while not self._waiting.empty():
            self._waiting.get_nowait()[1].set_result(None)

    def serve(self) -> None:
        """Put the next question to the person, if one waits. Raises KeyboardInterrupt."""
        try:
            typed, answer = self._waiting.get_nowait()
        except queue.Empty:
            return
        if not answer.set_running_or_notify_cancel():
            return
        try:
            answer.set_result(typed())
        except (EOFError, RuntimeError):  # ipykernel's StdinNotImplementedError is a RuntimeError
            answer.set_result(None)
        except BaseException:
            answer.set_result(None)
            raise
