"""Pre-images of what goes to the trash, so that a deletion can be undone to the byte (R-CHG-9).

`kept/<operation id>/` holds `manifest.json` (kinds, modes, times, attributes, links) and one file a file, all 0600.
Synchronous: call it in a thread.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from orange_jupyter.core.changes.values import Spot
from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import ChangeError, ToolError
from orange_jupyter.local.applying.attributes import xattrs_of
from orange_jupyter.local.applying.folders import private_folder, sync_folder, write_durably
from orange_jupyter.local.applying.manifest import Entry, entry_of, pack, unpack
from orange_jupyter.local.applying.places import PIECE, absolute, folder_at, meaning, open_file, parent_of, write_all
from orange_jupyter.local.applying.trees import Found, look, walk
from orange_jupyter.local.opening import RootFolder, system_linkless
from orange_jupyter.local.protected import Protected

SAFE_ID = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,120}")
DAY = 86_400


@dataclass(frozen=True, slots=True)
class Limits:
    """How much is kept, in bytes over all, and how long, in days."""

    bytes: int
    days: float


class Kept:
    """The pre-images in `folder`; several processes may use it."""

    def __init__(self, folder: Path, limits: Limits, protected: Protected) -> None:
        self.folder = folder
        self._limits = limits
        self._protected = protected

    def keep(self, operation: str, spot: Spot, mark: str) -> str:
        """Copy what lies at a spot; "" when it is kept, else why it is not. `mark` names the unfinished copy."""
        place = self.folder / f".{mark}"
        try:
            return self._keep(operation, spot, place)
        except (OSError, ToolError) as error:
            why = meaning(error)[1] if isinstance(error, OSError) else error.message
            return f"no copy could be made ({why})"
        finally:
            shutil.rmtree(place, ignore_errors=True)

    def _keep(self, operation: str, spot: Spot, place: Path) -> str:
        found = everything(spot)
        size = sum(one.state.st_size for one in found if one.file)
        if size > self._limits.bytes:
            return f"it is larger than what is kept ({self._limits.bytes:,} bytes)"
        if any(not (one.file or one.folder or one.link) for one in found):
            return "it holds a device, pipe or socket"
        if any(self._protected.covers(os.path.join(absolute(spot), one.relative)) for one in found):
            return "it holds files with keys, which are never read"
        private_folder(self.folder)
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(mode=0o700)
        entries = [_copied(spot, one, place / str(number)) for number, one in enumerate(found)]
        write_durably(place / "manifest.json", pack(entries))
        self.drop(operation)
        os.rename(place, self._place(operation))
        sync_folder(self.folder)
        return ""

    def entries(self, operation: str) -> list[Entry]:
        """What a pre-image holds, folders first. Raises ChangeError not_available."""
        try:
            return unpack((self._place(operation) / "manifest.json").read_bytes())
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise gone() from error

    def has(self, operation: str) -> bool:
        """Whether there is a whole pre-image."""
        return (self._place(operation) / "manifest.json").is_file()

    def content(self, operation: str, number: int) -> int:
        """A kept file's content, open for reading. Raises ChangeError not_available."""
        try:
            return os.open(self._place(operation) / str(number), os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
        except OSError as error:
            raise gone() from error

    def drop(self, operation: str) -> None:
        """Forget a pre-image. Raises nothing."""
        shutil.rmtree(self._place(operation), ignore_errors=True)

    def sweep(self, marks: list[str]) -> None:
        """Take unfinished copies away."""
        for mark in marks:
            shutil.rmtree(self.folder / f".{mark}", ignore_errors=True)

    def prune(self) -> None:
        """Drop what is too old, then the oldest until the rest is within the limit. Raises nothing."""
        left = self._limits.bytes
        for kept_at, size, operation in sorted(self._sizes(), reverse=True):
            left -= size
            if left < 0 or kept_at < time.time() - self._limits.days * DAY:
                self.drop(operation)

    def _sizes(self) -> list[tuple[float, int, str]]:
        sizes: list[tuple[float, int, str]] = []
        with suppress(OSError):  # what cannot be looked at is pruned another time; the deletion itself is done
            for place in self.folder.iterdir():
                if not SAFE_ID.fullmatch(place.name):  # a copy that is being made
                    continue
                with suppress(OSError):
                    size = sum(file.stat().st_size for file in place.iterdir() if file.name != "manifest.json")
                    sizes.append(((place / "manifest.json").stat().st_mtime, size, place.name))
        return sizes

    def _place(self, operation: str) -> Path:
        if not SAFE_ID.fullmatch(operation):
            raise ChangeError(Code.INVALID_ARGUMENT, "That is no id of an operation.")
        return self.folder / operation


def gone() -> ChangeError:
    """There is no pre-image."""
    return ChangeError(
        Code.NOT_AVAILABLE,
        "The copy that was kept for undoing is gone (limits of size or age); nothing was changed.",
        hint="The system's trash has it, unless it was emptied: restore it from there.",
    )


def everything(spot: Spot) -> list[Found]:
    """The entry at a spot ("" in the list) and all beneath it. Raises OSError, PathError."""
    with parent_of(spot) as (folder, name):
        top = look(folder, name, "")
    if not top.folder:
        return [top]
    with RootFolder(spot.root, system_linkless()) as root:
        return [top, *walk(root, spot.relative)]


def _copied(spot: Spot, found: Found, copy: Path) -> Entry:
    """Copy one file's content and read what else an entry has. Raises OSError, PathError."""
    if found.link:
        return entry_of(found, {}, "")
    relative = f"{spot.relative}/{found.relative}" if found.relative else spot.relative
    if found.folder:
        with folder_at(spot.root, relative) as fd:
            return entry_of(found, xattrs_of(fd), "")
    with parent_of(Spot(root=spot.root, relative=relative)) as (folder, name):
        fd = open_file(folder, name)
    try:
        return entry_of(found, xattrs_of(fd), _copy_content(fd, copy))
    finally:
        os.close(fd)


def _copy_content(source: int, copy: Path) -> str:
    target = os.open(copy, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    digest = hashlib.sha256()
    try:
        while piece := os.read(source, PIECE):
            digest.update(piece)
            write_all(target, piece)
        os.fsync(target)
    finally:
        os.close(target)
    return digest.hexdigest()
