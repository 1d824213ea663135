"""Rewrites `%%orange` cells and `%orange` lines to an `await`, so that clicks reach Python while they wait.

The real magics stay registered as the fall-back: below `%%time`, with `%autoawait off`, from `run_cell_magic`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

AWAITED = "orange_awaited"
"""Name of the magic that gives a coroutine instead of waiting itself."""

_CELL = re.compile(r"%%orange(?![\w?])[ \t]*(?P<line>[^\r\n]*)\r?\n?\Z")
_LINE = re.compile(r"get_ipython\(\)\.run_line_magic\('orange', (?P<line>'.*'|\".*\")\)\r?\n?\Z")


@dataclass
class Transformer:
    """The two input transformers of one shell, and whether a cell runs right now.

    A cell that is transformed while another one runs (as `%%time` does) cannot await: it is left alone.
    """

    shell: Any
    executing: bool = False

    def install(self) -> None:
        """Put the transformers in. The cell's goes first, so that the body stays raw."""
        self.shell.input_transformers_cleanup.insert(0, self.cell)
        self.shell.input_transformers_post.append(self.lines)
        self.shell.events.register("pre_execute", self._begin)
        self.shell.events.register("post_execute", self._end)

    def remove(self) -> None:
        """Take everything out again."""
        self.shell.input_transformers_cleanup.remove(self.cell)
        self.shell.input_transformers_post.remove(self.lines)
        self.shell.events.unregister("pre_execute", self._begin)
        self.shell.events.unregister("post_execute", self._end)

    def cell(self, lines: list[str]) -> list[str]:
        """A `%%orange` cell as one awaiting line; any other cell as it is."""
        first = next((at for at, line in enumerate(lines) if line.strip()), None)
        if first is None or not self._can_await():
            return lines
        found = _CELL.match(lines[first])
        if found is None:
            return lines
        body = "".join(lines[first + 1 :])
        return [f"await get_ipython().run_cell_magic({AWAITED!r}, {found['line'].rstrip()!r}, {body or chr(10)!r})\n"]

    def lines(self, lines: list[str]) -> list[str]:
        """`%orange` at the start of a line as an await; inside functions, loops and assignments as it is."""
        if not self._can_await():
            return lines
        return [_awaiting(line) for line in lines]

    def _can_await(self) -> bool:
        return bool(self.shell.autoawait) and not self.executing

    def _begin(self) -> None:
        self.executing = True

    def _end(self) -> None:
        self.executing = False


def _awaiting(line: str) -> str:
    found = _LINE.match(line)
    return f"await get_ipython().run_line_magic({AWAITED!r}, {found['line']})\n" if found else line
