"""The seal beside an index file: its size and mtime after the last complete write.

SQLite notices a broken structure, not a flipped bit in a stored word. A writer takes the seal away before it touches
the file and sets it again after its checkpoint, so a sealed file with another state was changed by somebody else
(R04). An index without a seal was left by a killed process and is checked in full.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path


def seal_path(index: Path) -> Path:
    """Where the seal of an index file lies."""
    return index.with_suffix(".seal")


def take_away(index: Path) -> None:
    """Before a write; works on a full disk. Raises OSError when the folder cannot be written."""
    seal_path(index).unlink(missing_ok=True)


def set_on(index: Path) -> None:
    """After a complete write. On a full disk the index stays without a seal: slower to open, still right."""
    seal = seal_path(index)
    draft = seal.with_name(f"{seal.name}.{os.getpid()}")
    try:
        draft.touch(mode=0o600)
        draft.write_text(_state(index), encoding="ascii")
        draft.replace(seal)
    except OSError:
        with suppress(OSError):
            draft.unlink(missing_ok=True)


def is_sealed(index: Path) -> bool:
    """Whether a readable seal is there."""
    return _read(index) is not None


def is_broken(index: Path) -> bool:
    """Whether the sealed file has another state than at its sealing.

    The seal is read before and after the file is looked at, so a writer that is just starting is not taken for damage.
    """
    before = _read(index)
    if before is None:
        return False
    try:
        state = _state(index)
    except OSError:
        state = ""
    return state != before and _read(index) == before


def _state(index: Path) -> str:
    state = index.stat()
    return f"{state.st_size} {state.st_mtime_ns}"


def _read(index: Path) -> str | None:
    try:
        text = seal_path(index).read_text(encoding="ascii")
    except (OSError, UnicodeDecodeError):
        return None
    size, _, mtime = text.partition(" ")
    return text if size.isdigit() and mtime.isdigit() else None
