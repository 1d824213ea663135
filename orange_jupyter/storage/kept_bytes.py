"""Files as they were when a change was proposed, named by their sha256 under ORANGE_HOME/changes/bytes."""

from __future__ import annotations

import errno
import hashlib
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import ChangeError, StoreError
from orange_jupyter.storage.folders import private_folder, sync_folder, write_private

_SHA256: Final = re.compile("[0-9a-f]{64}")
_DRAFT: Final = re.compile(r"\.[0-9a-f]{64}\.\d+\.[0-9a-f]{8}\.new")


@dataclass(frozen=True, slots=True)
class Kept:
    """A file in the folder; `sha256` None for a draft that a killed process left. `at`: seconds since the epoch."""

    file: Path
    sha256: str | None
    size: int
    at: float


class KeptBytes:
    """Bytes by content, mode 0600 in folders of mode 0700 (S04). Blocks: call it off the loop."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._folder = home / "changes" / "bytes"

    def put(self, data: bytes) -> str:
        """Keep bytes durably; returns their sha256 (hex). Bytes that are kept already become new. Raises StoreError."""
        sha256 = hashlib.sha256(data).hexdigest()
        file = self._folder / sha256
        try:
            # Another process may prune the file between the two.
            there = self._read(sha256) if _touched(file) else None
            if there is not None and hashlib.sha256(there).hexdigest() == sha256:
                # Whoever wrote it may not have come to this yet.
                sync_folder(self._folder)
            else:
                self._make_folder()
                write_private(file, data)
        except OSError as problem:
            raise self._unwritten(problem) from problem
        return sha256

    def renew(self, sha256: str) -> bool:
        """Let bytes count as kept now; False where they are gone. Raises StoreError."""
        try:
            return _touched(self._folder / sha256)
        except OSError as problem:
            raise self._unusable(problem) from problem

    def get(self, sha256: str) -> bytes:
        """The bytes, checked. Raises ChangeError not_available (gone, damaged, no id at all), StoreError."""
        data = self._read(sha256) if _SHA256.fullmatch(sha256) else None
        if data is None:
            raise ChangeError(
                Code.NOT_AVAILABLE,
                f"The text that this change was made from ({sha256[:12]}…) is not kept any more.",
                hint="A pending change can be proposed again on the file as it is; an applied one cannot be undone "
                "any more, the file itself is as it was left.",
            )
        if hashlib.sha256(data).hexdigest() != sha256:
            raise ChangeError(
                Code.NOT_AVAILABLE,
                f"The kept text {self._folder / sha256} is damaged and was not used.",
                hint="Check the disk; a pending change can be proposed again on the file as it is.",
            )
        return data

    def all(self) -> Iterator[Kept]:
        """What lies there; files that are none of ours are passed over. Raises StoreError."""
        try:
            with os.scandir(self._folder) as entries:
                for entry in entries:
                    named = _SHA256.fullmatch(entry.name) is not None
                    if (named or _DRAFT.fullmatch(entry.name)) and entry.is_file(follow_symlinks=False):
                        state = entry.stat(follow_symlinks=False)
                        yield Kept(Path(entry.path), entry.name if named else None, state.st_size, state.st_mtime)
        except FileNotFoundError:
            return
        except OSError as problem:
            raise self._unusable(problem) from problem

    def drop(self, kept: Kept) -> None:
        """Remove one; it may be gone already. Raises StoreError."""
        try:
            kept.file.unlink(missing_ok=True)
        except OSError as problem:
            raise self._unusable(problem) from problem

    def _read(self, sha256: str) -> bytes | None:
        try:
            return (self._folder / sha256).read_bytes()
        except FileNotFoundError:
            return None
        except OSError as problem:
            raise self._unusable(problem) from problem

    def _make_folder(self) -> None:
        for folder in (self._folder.parent, self._folder):
            new = not folder.exists()
            private_folder(folder)
            if new:
                sync_folder(folder.parent)

    def _unusable(self, problem: OSError) -> StoreError:
        return StoreError(
            f"{problem.strerror}: the kept texts in {self._folder} cannot be used.",
            hint="Look at the folder's rights and the disk, then try again.",
        )

    def _unwritten(self, problem: OSError) -> StoreError:
        full = problem.errno in (errno.ENOSPC, errno.EDQUOT)
        what = "The disk is full" if full else problem.strerror
        return StoreError(
            f"{what}: the text that a change is made from could not be kept in {self._folder}. Nothing was changed.",
            hint="Free some space and try again." if full else "Look at the folder's rights, then try again.",
        )


def _touched(file: Path) -> bool:
    try:
        os.utime(file)
    except FileNotFoundError:
        return False
    return True
