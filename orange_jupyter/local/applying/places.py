"""Opens the folder that a step changes, beneath its root and through no link, and says what an error means.

Synchronous: call it in a thread.
"""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from orange_jupyter.core.changes.ports import StepResult
from orange_jupyter.core.changes.values import Spot
from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import ChangeError, PathError, ReadError, ToolError
from orange_jupyter.core.paths import shown_name, split
from orange_jupyter.local.opening import RootFolder, system_linkless

PIECE = 1_048_576
FOLDER = os.O_RDONLY | os.O_DIRECTORY
READ = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_NOFOLLOW | os.O_CLOEXEC
LINK_SALT = b"link\0"
MEANINGS = {
    errno.ENOSPC: (Code.DISK_FULL, "the disk is full"),
    errno.EDQUOT: (Code.DISK_FULL, "the disk quota is used up"),
    errno.EFBIG: (Code.DISK_FULL, "the file would be larger than this system allows"),
    errno.EACCES: (Code.NO_ACCESS, "this user may not change it"),
    errno.EPERM: (Code.NO_ACCESS, "this system does not allow it"),
    errno.EROFS: (Code.NO_ACCESS, "it lies on a disk that can only be read"),
    errno.EBUSY: (Code.BUSY, "the system is using it"),
    errno.ETXTBSY: (Code.BUSY, "it is being run"),
    errno.EXDEV: (Code.CROSS_DEVICE, "the two places lie on different disks"),
    errno.EEXIST: (Code.TARGET_EXISTS, "something lies there already"),
    errno.ENOTEMPTY: (Code.TARGET_EXISTS, "something lies there already"),
    errno.ENOENT: (Code.NOT_FOUND, "it is not there any more"),
    errno.ENOTDIR: (Code.NOT_FOUND, "it is not there any more"),
    errno.ELOOP: (Code.LINK_ESCAPE, "a part of its path has become a link"),
    errno.ENAMETOOLONG: (Code.INVALID_PATH, "its name is too long for this disk"),
}


def name_of(spot: Spot) -> str:
    """A spot's path as it can be shown."""
    return shown_name(spot.relative) or "."


def absolute(spot: Spot) -> str:
    """The real absolute path of a spot."""
    return os.path.join(spot.root, spot.relative) if spot.relative else spot.root


def checked(spot: Spot) -> Spot:
    """The spot with a clean path. Raises PathError invalid_path, outside_workspace, or kb_root for the root itself."""
    if spot.relative.startswith("/"):
        raise PathError(Code.INVALID_PATH, f"{name_of(spot)} is no path inside a knowledge base.")
    parts = split(spot.relative, longest=None) if spot.relative else ()
    if not parts:
        raise PathError(Code.KB_ROOT, "The knowledge base's own folder is not moved, replaced or deleted.")
    return Spot(root=spot.root, relative="/".join(parts))


@contextmanager
def folder_at(root: str, relative: str) -> Iterator[int]:
    """A descriptor of a folder beneath a root, no link followed. Raises OSError, PathError kb_unavailable."""
    with RootFolder(root, system_linkless()) as opened:
        fd = opened.open(relative, FOLDER)
        try:
            yield fd
        finally:
            os.close(fd)


@contextmanager
def parent_of(spot: Spot, missing: Code = Code.NOT_FOUND) -> Iterator[tuple[int, str]]:
    """The folder that a spot lies in, open, and the last part of its path.

    Raises PathError: `missing` where there is no such folder, link_escape where a part of the path is a link by now,
    no_access, kb_unavailable.
    """
    folder, _, name = spot.relative.rpartition("/")
    with RootFolder(spot.root, system_linkless()) as opened:
        try:
            fd = opened.open(folder, FOLDER)
        except OSError as error:
            raise _parent_error(error, spot, missing) from error
        try:
            yield fd, name
        finally:
            os.close(fd)


def _parent_error(error: OSError, spot: Spot, missing: Code) -> PathError:
    folder = shown_name(spot.relative.rpartition("/")[0]) or "."
    if error.errno in (errno.ENOENT, errno.ENOTDIR):
        hint = "Propose the folder first." if missing is Code.PARENT_MISSING else None
        return PathError(missing, f"{name_of(spot)} cannot be reached: there is no folder {folder}.", hint=hint)
    if error.errno in (errno.ELOOP, errno.EXDEV):
        return PathError(
            Code.LINK_ESCAPE,
            f"{name_of(spot)} leads elsewhere than when it was proposed: {folder} goes through a link.",
        )
    code, why = meaning(error)
    return PathError(code, f"The folder {folder} cannot be opened: {why}.")


def meaning(error: OSError) -> tuple[Code, str]:
    """The code of an operating system's error, and its words."""
    number = error.errno or errno.EIO
    return MEANINGS.get(number, (Code.IO_ERROR, f"the system says “{os.strerror(number)}”"))


def failed(error: ToolError | OSError, spot: Spot, doing: str) -> StepResult:
    """The result of a step that an error ended; `doing` is "written", "moved" …"""
    if isinstance(error, ToolError):
        hint = f" {error.hint}" if error.hint else ""
        return StepResult(False, code=error.code, message=error.message + hint)
    code, why = meaning(error)
    return StepResult(False, code=code, message=f"{name_of(spot)} was not {doing}: {why}. It is as it was.")


def read_spot(spot: Spot, limit: int) -> bytes:
    """A file's bytes, read whole and at most `limit`, through no link.

    Raises PathError (not_found, link_escape, not_regular_file, no_access …), ReadError too_large.
    """
    try:
        with parent_of(spot) as (folder, name):
            fd = open_file(folder, name)
        try:
            return _read(fd, spot, limit)
        finally:
            os.close(fd)
    except OSError as error:
        code, why = meaning(error)
        raise PathError(code, f"{name_of(spot)} cannot be read: {why}.") from error


def _read(fd: int, spot: Spot, limit: int) -> bytes:
    pieces: list[bytes] = []
    left = limit + 1
    while left > 0 and (piece := os.read(fd, min(PIECE, left))):
        pieces.append(piece)
        left -= len(piece)
    if left <= 0:
        raise ReadError(Code.TOO_LARGE, f"{name_of(spot)} is larger than {limit:,} bytes.", details={"limit": limit})
    return b"".join(pieces)


def stat_at(folder: int, name: str) -> os.stat_result | None:
    """The state of what lies there, a link itself; None where nothing does. Raises OSError."""
    try:
        return os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None


def sha256_of(fd: int) -> str:
    """The sha256 (hex) of an open file's whole content. Raises OSError."""
    digest = hashlib.sha256()
    os.lseek(fd, 0, os.SEEK_SET)
    while piece := os.read(fd, PIECE):
        digest.update(piece)
    return digest.hexdigest()


def hash_at(folder: int, name: str) -> str:
    """The sha256 (hex) of a regular file, of where a link leads for a link, "" for nothing. Raises as `open_file`."""
    state = stat_at(folder, name)
    if state is None:
        return ""
    if stat.S_ISLNK(state.st_mode):
        return hashlib.sha256(LINK_SALT + os.readlink(os.fsencode(name), dir_fd=folder)).hexdigest()
    fd = open_file(folder, name)
    try:
        return sha256_of(fd)
    finally:
        os.close(fd)


def open_file(folder: int, name: str) -> int:
    """A regular file, open for reading. Raises OSError (ELOOP for a link), PathError not_regular_file."""
    fd = os.open(name, READ, dir_fd=folder)
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise PathError(Code.NOT_REGULAR_FILE, f"{shown_name(name)} is not a regular file any more.")
    return fd


def require_same(spot: Spot, found: str, expected: str) -> None:
    """Raises ChangeError stale_source where what was found is not what was expected ("" expects nothing)."""
    if expected and found != expected:
        raise ChangeError(
            Code.STALE_SOURCE,
            f"{name_of(spot)} is not as it was when the change was proposed; nothing was changed there.",
            hint="Propose the change again, or drop it.",
        )


def remove(folder: int, name: str) -> bool:
    """Take a temporary file or folder of ours away; False where it is still there. Raises nothing."""
    with suppress(OSError):
        state = stat_at(folder, name)
        if state is None:
            return True
        if stat.S_ISDIR(state.st_mode):
            _open_up(folder, name)
            shutil.rmtree(name, dir_fd=folder)
        else:
            os.unlink(name, dir_fd=folder)
        return True
    return False


def _open_up(folder: int, name: str) -> None:
    """Folders of ours that were made unwritable as the originals were can be emptied again."""
    for _, _, _, fd in os.fwalk(name, dir_fd=folder, follow_symlinks=False):
        with suppress(OSError):
            os.fchmod(fd, 0o700)


def write_all(fd: int, data: bytes) -> None:
    """Write all bytes, however few the system takes at once. Raises OSError."""
    left = memoryview(data)
    while left:
        left = left[os.write(fd, left) :]
