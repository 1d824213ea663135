"""`%%orange` and `%orange`: parse nothing, hand everything on; the one place where any exception is caught."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

from IPython.core.magic import no_var_expand

from orange_jupyter.core.errors import OrangeError

if TYPE_CHECKING:
    from orange_jupyter.jupyter.notebook import Notebook
    from orange_jupyter.jupyter.ports import Door

LOG = logging.getLogger("orange_jupyter")


class OrangeMagics:
    """The magics of one shell; what runs cells and lines is built when first used."""

    def __init__(self, shell: Any, door: Door) -> None:
        self.opened: Notebook | None = None
        self._shell = shell
        self._door = door

    @property
    def notebook(self) -> Notebook:
        """What runs cells and lines."""
        from orange_jupyter.jupyter.notebook import Notebook

        self.opened = self.opened or Notebook(self._shell, self._door, guarded)
        return self.opened

    @no_var_expand  # type: ignore[untyped-decorator]  # IPython is untyped to mypy
    def orange(self, line: str, cell: str | None = None) -> None:
        """Ask Orange; the question stands on the lines below. `%%orange --help` and `%orange help` say more."""
        try:
            # Without an await it never suspends: it blocks, or leaves the turn to itself.
            self._work(line, cell, awaited=False).send(None)
        except StopIteration:
            return

    @no_var_expand  # type: ignore[untyped-decorator]  # IPython is untyped to mypy
    def orange_awaited(self, line: str, cell: str | None = None) -> Coroutine[Any, Any, None]:
        """The same as a coroutine, for rewritten cells."""
        return self._work(line, cell, awaited=True)

    def _work(self, line: str, cell: str | None, *, awaited: bool) -> Coroutine[Any, Any, None]:
        from orange_jupyter.jupyter.pasted import taken_out

        line = taken_out(self._shell, line, cell)
        if cell is None:
            return self.notebook.line(line, awaited=awaited)
        return self.notebook.cell(line, cell, awaited=awaited)


async def guarded(work: Coroutine[Any, Any, Any], tell: Callable[[str, str | None], None]) -> Any:
    """The result of `work`; an error is told in one line and gives None."""
    try:
        return await work
    except OrangeError as error:
        tell(error.message, error.hint)
    except Exception:
        reference = uuid.uuid4().hex[:8]
        LOG.exception("internal error %s", reference)
        tell(f"Something went wrong inside Orange ({reference}).", "The log of this installation says more under it.")
    return None
