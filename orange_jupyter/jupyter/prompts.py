"""Questions at an `input()` prompt: asked from the agent's thread, answered on the thread that owns the cell."""

from __future__ import annotations

import asyncio
import builtins
import queue
from concurrent.futures import Future


class Prompts:
    """The questions of one waiting cell. `ask` belongs to the runtime's loop, `serve` to the cell's thread."""

    def __init__(self) -> None:
        self._waiting: queue.SimpleQueue[tuple[str, Future[str | None]]] = queue.SimpleQueue()
        self._open = True

    async def ask(self, text: str) -> str | None:
        """What the person typed; None where no cell waits or the front end takes no input."""
        if not self._open:
            return None
        answer: Future[str | None] = Future()
        self._waiting.put((text, answer))
        return await asyncio.wrap_future(answer)

    def leave(self) -> None:
        """The cell does not wait any more: nobody will be asked here."""
        self._open = False
        while not self._waiting.empty():
            self._waiting.get_nowait()[1].set_result(None)

    def serve(self) -> None:
        """Put the next question to the person, if one waits. Raises KeyboardInterrupt."""
        try:
            text, answer = self._waiting.get_nowait()
        except queue.Empty:
            return
        if not answer.set_running_or_notify_cancel():
            return
        try:
            answer.set_result(builtins.input(text))
        except (EOFError, RuntimeError):  # ipykernel's StdinNotImplementedError is a RuntimeError
            answer.set_result(None)
        except BaseException:
            answer.set_result(None)
            raise
