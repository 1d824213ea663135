"""What `%load_ext` registers in a shell and `%unload_ext` takes back; imports nothing heavy (R-NB-1)."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from orange_jupyter.jupyter.completion import Matcher
from orange_jupyter.jupyter.ending import Ending
from orange_jupyter.jupyter.magic import LOG, OrangeMagics
from orange_jupyter.jupyter.transformer import AWAITED, Transformer

if TYPE_CHECKING:
    from orange_jupyter.jupyter.ports import Door


class Extension:
    """The loaded extension of one shell."""

    def __init__(self, shell: Any, door: Door) -> None:
        self.magics = OrangeMagics(shell, door)
        self._shell = shell
        self._ending: Ending | None = None
        self._parts = (Transformer(shell), Matcher(shell, lambda: self.magics.opened))

    def load(self) -> None:
        """Register everything; silent."""
        LOG.addHandler(logging.NullHandler())  # without it a record of ours would be printed into a cell
        self._shell.register_magic_function(self.magics.orange, "line_cell", "orange")
        self._shell.register_magic_function(self.magics.orange_awaited, "line_cell", AWAITED)
        self._shell.extension_of_orange = self
        for part in self._parts:
            part.install()
        self._ending = Ending(self.close)

    def unload(self) -> None:
        """Take everything back and end what runs."""
        for part in self._parts:
            part.remove()
        for kind in ("line", "cell"):
            for name in ("orange", AWAITED):
                del self._shell.magics_manager.magics[kind][name]
        del self._shell.extension_of_orange
        if self._ending is not None:
            self._ending.drop()
        self.close()

    def close(self) -> None:
        """End what runs; at exit and on unload."""
        if self.magics.opened is not None:
            self.magics.opened.entrance.close()


def loaded(shell: Any) -> Extension | None:
    """The extension of a shell, if it is loaded."""
    found = getattr(shell, "extension_of_orange", None)
    return found if isinstance(found, Extension) else None
