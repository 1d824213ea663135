"""Takes a pasted key out of what the kernel remembers of the cell that runs now, and out of the cell itself (S03)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from orange_jupyter.core.errors import UsageError
from orange_jupyter.core.pasted import cell_keys, pasted_keys, without_keys
from orange_jupyter.jupyter.options import split

_INPUT_NAME = re.compile(r"_i{1,3}|_i\d+")


def taken_out(shell: Any, line: str, cell: str | None) -> str:
    """The magic's line without keys; a cell's text stays, the session masks it and says so.

    A key in the line is taken out of the cell in the front end too: a line is a command, and this one is refused. What
    only looks like a key in a question stays readable there.
    """
    keys = _keys(line, pasted_keys if cell is None else cell_keys)
    masked = without_keys(line, keys)
    if masked != line or (cell is not None and without_keys(cell) != cell):
        forget(shell, keys, rewrite=masked != line)
    return masked


def _keys(line: str, find: Callable[[Sequence[str]], tuple[str, ...]]) -> tuple[str, ...]:
    """Keys among the words as the command takes them, and as they are written: quotes in the middle are kept there."""
    written = [word.strip("\"'") for word in line.split()]
    try:
        taken = split(line)
    except UsageError:
        taken = []
    return tuple(dict.fromkeys(key for key in (*find(taken), *find(written)) if key))


def forget(shell: Any, keys: Sequence[str] = (), *, rewrite: bool) -> None:
    """Mask keys in `In`, `_i…` and the history file; `rewrite` also in the front end's cell, where it can be.

    Called on the cell's own thread. A shell without a history has nothing to forget.
    """
    history = getattr(shell, "history_manager", None)
    if history is None or not history.input_hist_raw:
        return
    raw = history.input_hist_raw[-1]
    for kept in (history.input_hist_raw, history.input_hist_parsed):
        kept[-1] = without_keys(kept[-1], keys)
    history._i00 = without_keys(history._i00, keys)
    names = shell.user_ns
    for name in [name for name in names if isinstance(name, str) and _INPUT_NAME.fullmatch(name)]:
        if isinstance(names[name], str):
            names[name] = without_keys(names[name], keys)
    _forget_file(history, raw, keys)
    if rewrite and getattr(shell, "kernel", None) is not None and without_keys(raw, keys) != raw:
        shell.set_next_input(without_keys(raw, keys), replace=True)


def _forget_file(history: Any, raw: str, keys: Sequence[str]) -> None:
    """The history file; IPython's saving thread writes under the same lock, so the row is either waiting or there."""
    if not getattr(history, "enabled", False):
        return
    with history.db_input_cache_lock:
        history.db_input_cache = [
            (number, without_keys(source, keys), without_keys(written, keys))
            for number, source, written in history.db_input_cache
        ]
        with history.db:
            history.db.execute(
                "UPDATE history SET source = ?, source_raw = ? WHERE session = ? AND source_raw = ?",
                (history.input_hist_parsed[-1], history.input_hist_raw[-1], history.session_number, raw),
            )
