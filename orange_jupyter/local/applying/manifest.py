"""What a pre-image says of its entries beside their content, and the way to build them again, to the byte."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import stat
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from functools import partial

from orange_jupyter.local.applying.attributes import Xattrs, set_xattrs
from orange_jupyter.local.applying.places import FOLDER, PIECE, write_all
from orange_jupyter.local.applying.trees import Found
from orange_jupyter.local.opening import system_linkless

Content = Callable[[int], int]
"""The number of an entry -> a descriptor of its kept content, which the caller closes."""


class Damaged(Exception):
    """A kept file is not what was kept."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One file, folder or link. `relative` is "" for the top; names that are not UTF-8 have surrogate escapes."""

    relative: str
    mode: int
    owner: tuple[int, int]
    times_ns: tuple[int, int]
    sha256: str = ""
    link: str = ""
    xattrs: dict[str, str] = field(default_factory=dict)

    @property
    def folder(self) -> bool:
        """Whether it is a folder."""
        return stat.S_ISDIR(self.mode)


def entry_of(found: Found, xattrs: Xattrs, sha256: str) -> Entry:
    """An entry as it was found."""
    state = found.state
    return Entry(
        relative=found.relative,
        mode=state.st_mode,
        owner=(state.st_uid, state.st_gid),
        times_ns=(state.st_atime_ns, state.st_mtime_ns),
        sha256=sha256,
        link=os.fsdecode(found.link),
        xattrs={name: base64.b64encode(value).decode() for name, value in xattrs.items()},
    )


def pack(entries: list[Entry]) -> bytes:
    """The manifest's bytes."""
    return json.dumps({"version": 1, "entries": [asdict(one) for one in entries]}).encode()


def unpack(data: bytes) -> list[Entry]:
    """The entries of a manifest. Raises ValueError, KeyError or TypeError where it is none."""
    packed = json.loads(data)
    if packed["version"] != 1:
        raise ValueError("a manifest of another version")
    rows = packed["entries"]
    return [Entry(**{**row, "owner": tuple(row["owner"]), "times_ns": tuple(row["times_ns"])}) for row in rows]


def build(entries: list[Entry], content: Content, parent: int, name: str) -> tuple[str, ...]:
    """Make the entries anew at a name that is free, durable; warnings for attributes that could not be set.

    Raises OSError, Damaged, and what `content` raises; what was built by then is left to the caller.
    """
    lost: list[str] = []
    for number, entry in enumerate(entries):
        folder, last = _place(parent, name, entry)
        try:
            lost += _make(entry, folder, last, partial(content, number))
        finally:
            os.close(folder)
    for entry in reversed(entries):
        if entry.folder:
            lost += _finish_folder(entry, parent, name)
    return (f"These attributes could not be kept: {', '.join(sorted(set(lost)))}.",) if lost else ()


def _place(parent: int, name: str, entry: Entry) -> tuple[int, str]:
    path = f"{name}/{entry.relative}" if entry.relative else name
    above, _, last = path.rpartition("/")
    return system_linkless()(parent, "", FOLDER | os.O_CLOEXEC, above), last


def _make(entry: Entry, folder: int, name: str, content: Callable[[], int]) -> tuple[str, ...]:
    if entry.folder:
        os.mkdir(name, 0o700, dir_fd=folder)
        return ()
    if entry.link:
        os.symlink(entry.link, name, dir_fd=folder)
        with suppress(OSError):
            os.chown(name, *entry.owner, dir_fd=folder, follow_symlinks=False)
        os.utime(name, ns=entry.times_ns, dir_fd=folder, follow_symlinks=False)
        return ()
    fd = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600, dir_fd=folder)
    try:
        source = content()
        try:
            _copy(source, fd, entry.sha256)
        finally:
            os.close(source)
        return _dress(entry, fd)
    finally:
        os.close(fd)


def _copy(source: int, target: int, sha256: str) -> None:
    digest = hashlib.sha256()
    while piece := os.read(source, PIECE):
        digest.update(piece)
        write_all(target, piece)
    if digest.hexdigest() != sha256:
        raise Damaged


def _finish_folder(entry: Entry, parent: int, name: str) -> tuple[str, ...]:
    path = f"{name}/{entry.relative}" if entry.relative else name
    fd = system_linkless()(parent, "", FOLDER | os.O_CLOEXEC, path)
    try:
        return _dress(entry, fd)
    finally:
        os.close(fd)


def _dress(entry: Entry, fd: int) -> tuple[str, ...]:
    """Owner, attributes, mode and times, in the order in which none undoes another, then all of it durable."""
    kept_owner = True
    if (os.fstat(fd).st_uid, os.fstat(fd).st_gid) != entry.owner:
        try:
            os.fchown(fd, *entry.owner)
        except PermissionError:
            kept_owner = False
    lost = set_xattrs(fd, {name: base64.b64decode(value) for name, value in entry.xattrs.items()})
    os.fchmod(fd, stat.S_IMODE(entry.mode) & (0o7777 if kept_owner else 0o700))
    os.utime(fd, ns=entry.times_ns)
    os.fsync(fd)
    return lost if kept_owner else (*lost, "owner")
