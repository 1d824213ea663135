"""The trash folders of this system, as freedesktop.org's trash specification places them and send2trash chooses them.

The home trash takes what lies on its disk; anything else goes to its own volume's top folder. Written here anew
because send2trash works by path (a folder that becomes a link meanwhile is followed), refuses broken links, and
leaves its note behind when it is killed.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import quote

from orange_jupyter.core.changes.values import Spot
from orange_jupyter.local.applying.places import absolute, meaning
from orange_jupyter.local.applying.renaming import Entry

INFO = ".trashinfo"
LONGEST = 255 - len(INFO) - 6  # bytes of a name, with room for a number
FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class Unusable(Exception):
    """This trash folder cannot be used; the text says why."""


@dataclass(frozen=True, slots=True)
class Can:
    """One trash folder. `top` is its volume's top folder, "" for the home trash, which notes absolute paths."""

    path: str
    top: str = ""

    @contextmanager
    def opened(self) -> Iterator[tuple[int, int]]:
        """Its `files` and `info` folders, made where they are missing. Raises Unusable."""
        opened: list[int] = []
        try:
            _make_own(self.path)
            for name in ("files", "info"):
                _make_own(os.path.join(self.path, name))
                opened.append(os.open(os.path.join(self.path, name), FOLDER))
        except OSError as error:
            _close(opened)
            raise Unusable(f"{self.path} cannot be used ({meaning(error)[1]})") from error
        try:
            yield opened[0], opened[1]
        finally:
            _close(opened)

    def info(self, spot: Spot) -> bytes:
        """The note that lets a person's file manager put it back."""
        path = absolute(spot)
        written = os.path.relpath(path, self.top) if self.top else path
        now = datetime.now().strftime("%Y-%m-%dT%H:%M:%S")
        return f"[Trash Info]\nPath={quote(os.fsencode(written))}\nDeletionDate={now}\n".encode()


def _close(opened: list[int]) -> None:
    for fd in opened:
        os.close(fd)


def _make_own(folder: str) -> None:
    """See that a folder is there, is no link and is this user's own. Raises OSError."""
    if not os.path.lexists(folder):
        _make(folder)
    state = os.lstat(folder)
    if not stat.S_ISDIR(state.st_mode) or state.st_uid != os.geteuid():
        raise PermissionError(errno.EPERM, os.strerror(errno.EPERM))


def _make(folder: str) -> None:
    above = os.path.dirname(folder)
    if above != folder and not os.path.isdir(above):
        _make(above)
    with suppress(FileExistsError):
        os.mkdir(folder, 0o700)


def cans_for(place: Entry, spot: Spot, data_home: str) -> list[Can]:
    """The trash folders that may take it, the best first; which of them work is found out by trying. Raises OSError."""
    device = os.stat(place[1], dir_fd=place[0], follow_symlinks=False).st_dev
    cans: list[Can] = []
    home = os.path.realpath(os.path.join(data_home, "Trash"))
    if data_home and _device(home) == device:
        cans.append(Can(home))
    top = _top(os.path.dirname(absolute(spot)))
    if _device(top) == device:
        shared = os.path.join(top, ".Trash")
        if _sticky_folder(shared):
            cans.append(Can(os.path.join(shared, str(os.geteuid())), top))
        cans.append(Can(os.path.join(top, f".Trash-{os.geteuid()}"), top))
    return cans


def _device(path: str) -> int:
    """The device of the nearest folder that is there. Raises OSError (a disk that shows nothing at all)."""
    while not os.path.lexists(path) and path != os.path.dirname(path):
        path = os.path.dirname(path)
    return os.stat(path).st_dev


def _top(path: str) -> str:
    while not os.path.ismount(path) and path != os.path.dirname(path):
        path = os.path.dirname(path)
    return path


def _sticky_folder(path: str) -> bool:
    try:
        mode = os.lstat(path).st_mode
    except OSError:
        return False
    return stat.S_ISDIR(mode) and bool(mode & stat.S_ISVTX)


def names(name: str) -> Iterator[str]:
    """Names for an entry in the trash: its own, shortened where the note's name would be too long, then numbered."""
    stem, ending = os.path.splitext(name)
    short = stem
    while len(os.fsencode(short + ending)) > LONGEST:
        short, ending = (short[:-1], ending) if short else ("", ending[:-1])
    yield short + ending
    for number in range(2, 100_000):
        yield f"{short} {number}{ending}"
