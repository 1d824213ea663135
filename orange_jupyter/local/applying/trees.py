"""What lies in a folder, all of it: counted for a person, and digested to notice any change (R-CHG-5, C19)."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass

from orange_jupyter.core.changes.ports import Tree
from orange_jupyter.core.changes.values import Spot
from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import PathError
from orange_jupyter.core.paths import SEARCHABLE, SKIPPED_FOLDERS, file_type, is_protected
from orange_jupyter.local.applying.places import FOLDER, hash_at, meaning, name_of, parent_of, stat_at
from orange_jupyter.local.opening import RootFolder, system_linkless


@dataclass(frozen=True, slots=True)
class Found:
    """One entry beneath a folder: its path from there, its state (a link's own), and where a link leads."""

    relative: str
    state: os.stat_result
    link: bytes = b""

    @property
    def folder(self) -> bool:
        """Whether it is a folder."""
        return stat.S_ISDIR(self.state.st_mode)

    @property
    def file(self) -> bool:
        """Whether it is a regular file."""
        return stat.S_ISREG(self.state.st_mode)


def walk(root: RootFolder, relative: str = "") -> Iterator[Found]:
    """Everything beneath a folder, folders before what they hold, in the order of names' bytes; no link is followed.

    Holds one descriptor at a time, however deep it is. Raises OSError.
    """
    waiting = [""]
    while waiting:
        inner = waiting.pop()
        fd = root.open(_join(relative, inner), FOLDER)
        try:
            found = [look(fd, name, _join(inner, name)) for name in sorted(os.listdir(fd), key=os.fsencode)]
        finally:
            os.close(fd)
        yield from found
        waiting.extend(one.relative for one in reversed(found) if one.folder)


def _join(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder and name else folder or name


def look(folder: int, name: str, relative: str) -> Found:
    """One entry of an open folder. Raises OSError."""
    state = os.stat(name, dir_fd=folder, follow_symlinks=False)
    link = os.readlink(os.fsencode(name), dir_fd=folder) if stat.S_ISLNK(state.st_mode) else b""
    return Found(relative, state, link)


def read_tree(spot: Spot) -> Tree:
    """What lies in a folder now. Raises PathError (not_found, link_escape, no_access, type_mismatch …)."""
    try:
        with RootFolder(spot.root, system_linkless()) as root:
            return summed_up(list(walk(root, spot.relative)), spot.relative)
    except NotADirectoryError as error:
        raise PathError(Code.TYPE_MISMATCH, f"{name_of(spot)} is not a folder.") from error
    except OSError as error:
        code, why = meaning(error)
        raise PathError(code, f"{name_of(spot)} cannot be listed: {why}.") from error


def summed_up(entries: list[Found], above: str = "") -> Tree:
    """Counts and digest of the entries of a folder that is itself at `above` in its KB."""
    digest = hashlib.sha256(b"tree 1\0")
    for one in sorted(entries, key=lambda entry: os.fsencode(entry.relative)):
        digest.update(_line(one))
    files = [one for one in entries if not one.folder]
    hidden = [one for one in files if _hidden(_join(above, one.relative))]
    return Tree(
        digest=digest.hexdigest(),
        files=len(files),
        hidden=len(hidden),
        unindexed=sum(file_type(one.relative.rpartition("/")[2]) not in SEARCHABLE for one in files)
        - sum(file_type(one.relative.rpartition("/")[2]) not in SEARCHABLE for one in hidden),
        bytes=sum(one.state.st_size for one in files if one.file),
        protected=tuple(sorted(one.relative for one in entries if is_protected(one.relative))),
        names=tuple(one.relative for one in files[:5]),
    )


def _hidden(relative: str) -> bool:
    return any(part.startswith(".") or part in SKIPPED_FOLDERS for part in relative.split("/"))


def _line(one: Found) -> bytes:
    """A folder's own time is left out: a temporary file that came and went in it changes it, and nothing else."""
    state = one.state
    facts = (stat.S_IFMT(state.st_mode), 0, 0) if one.folder else (
        stat.S_IFMT(state.st_mode), state.st_size, state.st_mtime_ns
    )  # fmt: skip
    name = os.fsencode(one.relative)
    return b"%d %d %d %d " % (*facts, len(name)) + name + b" %d " % len(one.link) + one.link + b"\n"


def fingerprint(spot: Spot) -> str:
    """What a move or a deletion is compared with: a file's sha256, a folder's tree digest, the hash of a link's text.

    Raises PathError.
    """
    try:
        with parent_of(spot) as (folder, name):
            state = stat_at(folder, name)
            if state is not None and not stat.S_ISDIR(state.st_mode):
                return hash_at(folder, name)
    except OSError as error:
        code, why = meaning(error)
        raise PathError(code, f"{name_of(spot)} cannot be read: {why}.") from error
    if state is None:
        raise PathError(Code.NOT_FOUND, f"There is no {name_of(spot)}.")
    return read_tree(spot).digest
