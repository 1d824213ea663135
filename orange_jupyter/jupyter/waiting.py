"""How a cell waits for its turn: chosen in one place, from the kernel's version and who is there (R-UI-2).

Measured (notebook-facts): on ipykernel 7.4 and newer a click reaches Python while an async cell awaits. On older
kernels and in cells that cannot await it does not: there the pump reads the clicks; where it does not serve, the cell
returns and the turn goes on by itself.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from orange_jupyter.jupyter.people import Front
from orange_jupyter.jupyter.prompts import Prompts

CLICKS_REACH_AN_AWAIT = (7, 4)
STOP_SECONDS = 3.0


class Way(Enum):
    """A way of waiting."""

    AWAIT = "await"
    PUMP = "pump"
    BLOCK = "block"
    DETACHED = "detached"


@dataclass(frozen=True, slots=True)
class Job:
    """One turn or line as its cell sees it: the future of its work, how to stop it, the questions it asks."""

    future: Future[Any]
    stop: Callable[[], None]
    prompts: Prompts = field(default_factory=Prompts)

    @property
    def done(self) -> bool:
        """Whether the work ended."""
        return self.future.done()


def choose(front: Front, *, awaited: bool, detach: bool, kernel: str, pump: bool) -> Way:
    """The way to wait.

    `awaited`: the cell was rewritten; `kernel`: ipykernel's version, "" in a terminal; `pump`: its probe succeeded.
    Without a person nothing can be clicked, and a run that ends with the notebook must not leave a turn behind.
    """
    if front is not Front.NOTEBOOK:
        return Way.AWAIT if awaited else Way.BLOCK
    if detach:
        return Way.DETACHED
    if awaited and _version(kernel) >= CLICKS_REACH_AN_AWAIT:
        return Way.AWAIT
    return Way.PUMP if pump else Way.DETACHED


def kernel_version() -> str:
    """The version of the ipykernel that runs here, "" where none is loaded."""
    kernel = sys.modules.get("ipykernel")
    return str(getattr(kernel, "__version__", "")) if kernel else ""


def _version(text: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", text)[:2])
