"""Questions at an `input()` prompt: asked from the agent's thread, answered on the thread that owns the cell."""

from __future__ import annotations

import asyncio
import builtins
import queue
from concurrent.futures import Future
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Prompts:
    """The questions of one waiting cell. `ask` belongs to the runtime's loop, `serve` to the cell's thread."""

    waiting: queue.SimpleQueue[tuple[str, Future[str | None]]] = field(default_factory=queue.SimpleQueue)

    async def ask(self, text: str) -> str | None:
        """What the person typed; None where the front end takes no input."""
        answer: Future[str | None] = Future()
        self.waiting.put((text, answer))
        return await asyncio.wrap_future(answer)

    def serve(self) -> None:
        """Put the next question to the person, if one waits. Raises KeyboardInterrupt."""
        try:
            text, answer = self.waiting.get_nowait()
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
