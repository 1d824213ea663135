"""What must be ended before the interpreter ends, while its threads still take work."""

from __future__ import annotations

import atexit
import concurrent.futures.thread  # noqa: F401 - imported for its own hook, which must stand before ours
import threading
from collections.abc import Callable


class Ending:
    """Calls something once when the interpreter ends, unless it was dropped before.

    `atexit` runs when the thread pools are shut already, so closing a store through one fails there with a traceback.
    What `threading` calls at its own end comes earlier, the last registered first: before the pools wait for a thread
    that reads from a busy worker. That hook is private to it, so without it `atexit` serves.
    """

    def __init__(self, call: Callable[[], object]) -> None:
        self._call: Callable[[], object] | None = call
        register: Callable[..., object] = getattr(threading, "_register_atexit", atexit.register)
        register(self._end)

    def drop(self) -> None:
        """Nothing is to be called any more."""
        self._call = None

    def _end(self) -> None:
        call, self._call = self._call, None
        if call is not None:
            call()
