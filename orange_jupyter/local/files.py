"""Reads files of a knowledge base, and approved files outside, by what the system opens (R-SCOPE-1, R-SCOPE-3).

Nothing is opened for reading before it is known to be a regular file. Synchronous: call it in a thread.
"""

from __future__ import annotations

import errno
import os
import stat

from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import PathError, ReadError
from orange_jupyter.core.paths import shown_name
from orange_jupyter.local.opening import LOOK, RootFolder, real_path, system_linkless
from orange_jupyter.local.protected import Protected

PIECE = 1_048_576
TRIES = 3
READ_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY


def read_beneath(root: str, relative: str, *, limit: int) -> tuple[bytes, os.stat_result, bool]:
    """Bytes of a regular file, its state, and whether it changed while it was read.

    At most `limit` bytes are ever read (D11). Raises PathError (not_found, link_escape, not_regular_file,
    no_access, kb_unavailable …), ReadError too_large.
    """
    with RootFolder(root) as folder:
        return read_in(folder, relative, limit=limit)


def read_in(root: RootFolder, relative: str, *, limit: int) -> tuple[bytes, os.stat_result, bool]:
    """`read_beneath` in a folder that is open already."""
    try:
        fd = _open_regular(root, relative, relative)
    except OSError as error:
        raise path_error(error, root.path, relative) from error
    try:
        return _read_all(fd, relative, limit)
    finally:
        os.close(fd)


def stat_beneath(root: str, relative: str) -> os.stat_result:
    """The state of a file or folder, links inside the base followed. Raises PathError as `read_beneath`."""
    with RootFolder(root) as folder:
        return stat_in(folder, relative)


def stat_in(root: RootFolder, relative: str) -> os.stat_result:
    """`stat_beneath` in a folder that is open already."""
    try:
        fd = root.open(relative, LOOK)
    except OSError as error:
        raise path_error(error, root.path, relative) from error
    try:
        return os.fstat(fd)
    finally:
        os.close(fd)


def require_folder(root: str, relative: str) -> None:
    """Raises PathError as `read_beneath` where a folder cannot be listed by this user (no_access)."""
    scandir_beneath(root, relative)


def scandir_beneath(root: str, relative: str) -> list[str]:
    """The names in a folder, in no order, not UTF-8 ones with surrogate escapes. Raises PathError."""
    with RootFolder(root) as folder:
        return scandir_in(folder, relative)


def scandir_in(root: RootFolder, relative: str) -> list[str]:
    """`scandir_beneath` in a folder that is open already."""
    try:
        fd = root.open(relative, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        raise path_error(error, root.path, relative) from error
    try:
        return os.listdir(fd)
    finally:
        os.close(fd)


def read_outside(path: str, *, limit: int, protected: Protected) -> tuple[bytes, os.stat_result, bool]:
    """Bytes of a regular file outside, by the real absolute path that was approved; no link is followed any more.

    Raises PathError (link_escape where the path has become a link since), RightsError protected_path, ReadError
    too_large. Files that claim to be empty are read up to `limit` too.
    """
    protected.refuse(path)
    with RootFolder("/", system_linkless()) as folder:
        try:
            fd = _open_regular(folder, path.lstrip("/"), path)
        except OSError as error:
            raise _outside_error(error, path) from error
    try:
        protected.refuse_device(os.fstat(fd), path)
        return _read_all(fd, path, limit)
    finally:
        os.close(fd)


def stat_outside(path: str, protected: Protected) -> os.stat_result:
    """The state of what lies at a real absolute path outside, no link followed. Raises as `read_outside`."""
    protected.refuse(path)
    with RootFolder("/", system_linkless()) as folder:
        try:
            fd = folder.open(path.lstrip("/"), LOOK)
        except OSError as error:
            raise _outside_error(error, path) from error
    try:
        return os.fstat(fd)
    finally:
        os.close(fd)


def _outside_error(error: OSError, path: str) -> PathError:
    if error.errno not in (errno.ELOOP, errno.EXDEV):
        return path_error(error, "/", path)
    return PathError(Code.LINK_ESCAPE, f"{shown_name(path)} leads elsewhere than when it was resolved; ask again.")


def path_error(error: OSError, root: str, relative: str) -> PathError:
    """What a failed open means, in words that hold nothing but the path that was asked for."""
    name = shown_name(relative) or "."
    match error.errno:
        case errno.EXDEV:
            return _escape(root, relative, name)
        case errno.ENOENT | errno.ENOTDIR | errno.ESTALE:
            return PathError(Code.NOT_FOUND, f"There is no {name}.")
        case errno.ELOOP:
            return PathError(Code.NOT_FOUND, f"There is no {name}: its links go round in a circle.")
        case errno.EACCES | errno.EPERM:
            return PathError(Code.NO_ACCESS, f"{name} cannot be read by this user.")
        case errno.ENAMETOOLONG | errno.EINVAL:
            return PathError(Code.INVALID_PATH, f"{name[:80]} is not a name that this system can open.")
        case errno.ENXIO | errno.ENODEV:
            return _special(name)
    return PathError(Code.IO_ERROR, f"{name} cannot be opened: {os.strerror(error.errno or errno.EIO)}.")


def _escape(root: str, relative: str, name: str) -> PathError:
    real = real_path(os.path.join(root, relative))
    if real == root or real.startswith(root.rstrip("/") + "/"):
        inside = shown_name(real[len(root) :].lstrip("/")) or "."
        return PathError(
            Code.LINK_ESCAPE,
            f"{name} goes through an absolute link; only relative links inside the knowledge base are followed.",
            hint=f"It leads to {inside}, inside the knowledge base: use that path, or make the link relative.",
        )
    if _is_special(real):
        return _special(name)
    return PathError(Code.LINK_ESCAPE, f"{name} is, or goes through, a link that leaves the knowledge base.")


def _is_special(real: str) -> bool:
    try:
        mode = os.stat(real).st_mode  # asks for the state only; a device is never opened
    except OSError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def _special(name: str) -> PathError:
    return PathError(Code.NOT_REGULAR_FILE, f"{name} is a device, pipe or socket, not a file.")


def _open_regular(root: RootFolder, relative: str, name: str) -> int:
    for _ in range(TRIES):
        seen = root.open(relative, LOOK)
        try:
            before = os.fstat(seen)
        finally:
            os.close(seen)
        _require_regular(before, name)
        fd = root.open(relative, READ_FLAGS)
        after = os.fstat(fd)
        if stat.S_ISREG(after.st_mode) and os.path.samestat(before, after):
            return fd
        os.close(fd)
    raise PathError(Code.NOT_FOUND, f"{shown_name(name)} is being replaced again and again.", hint="Try again.")


def _require_regular(state: os.stat_result, path: str) -> None:
    name = shown_name(path) or "."
    if stat.S_ISDIR(state.st_mode):
        raise PathError(Code.NOT_REGULAR_FILE, f"{name} is a folder, not a file.", hint="Use `list` for folders.")
    if not stat.S_ISREG(state.st_mode):
        raise _special(name)


def _read_all(fd: int, relative: str, limit: int) -> tuple[bytes, os.stat_result, bool]:
    before = os.fstat(fd)
    pieces: list[bytes] = []
    size = 0
    while size <= limit and before.st_size <= limit:
        piece = os.read(fd, min(PIECE, limit + 1 - size))
        if not piece:
            break
        pieces.append(piece)
        size += len(piece)
    if size > limit or before.st_size > limit:
        raise ReadError(
            Code.TOO_LARGE,
            f"{shown_name(relative)} is larger than {limit:,} bytes.",
            details={"size": max(size, before.st_size), "limit": limit},
        )
    after = os.fstat(fd)
    changed = (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns)
    return b"".join(pieces), after, changed or size != after.st_size
