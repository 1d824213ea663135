"""Gives an entry another name without ever replacing one: `renameat2`, and what comes nearest where it is missing."""

from __future__ import annotations

import ctypes
import errno
import os
import stat
from collections.abc import Callable
from functools import cache

NOREPLACE, EXCHANGE = 1, 2
UNSUPPORTED = (errno.EINVAL, errno.ENOSYS, errno.ENOTSUP)
Entry = tuple[int, str]
"""An open folder and a name in it."""


def rename_new(source: Entry, target: Entry) -> None:
    """Rename; raises FileExistsError where the target exists, and any OSError of the system, then nothing moved.

    A file system without RENAME_NOREPLACE gets a second link and loses the first; a folder there is renamed after a
    look, which can only ever replace an empty folder.
    """
    try:
        _renameat2(source, target, NOREPLACE)
    except OSError as error:
        if error.errno not in UNSUPPORTED:
            raise
        _rename_by_link(source, target)


def exchange(one: Entry, other: Entry) -> bool:
    """Let two entries change their places at once; False where the file system cannot. Raises OSError."""
    try:
        _renameat2(one, other, EXCHANGE)
    except OSError as error:
        if error.errno not in UNSUPPORTED:
            raise
        return False
    return True


def _rename_by_link(source: Entry, target: Entry) -> None:
    state = os.stat(source[1], dir_fd=source[0], follow_symlinks=False)
    if stat.S_ISDIR(state.st_mode):
        _require_nothing(target)
        os.rename(source[1], target[1], src_dir_fd=source[0], dst_dir_fd=target[0])
        return
    os.link(source[1], target[1], src_dir_fd=source[0], dst_dir_fd=target[0], follow_symlinks=False)
    try:
        os.unlink(source[1], dir_fd=source[0])
    except OSError:
        os.unlink(target[1], dir_fd=target[0])
        raise


def _require_nothing(target: Entry) -> None:
    try:
        os.stat(target[1], dir_fd=target[0], follow_symlinks=False)
    except FileNotFoundError:
        return
    raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))


@cache
def _system_call() -> Callable[..., int] | None:
    call: Callable[..., int] | None = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    return call


def _renameat2(source: Entry, target: Entry, flags: int) -> None:
    call = _system_call()
    names = os.fsencode(source[1]), os.fsencode(target[1])
    if call is None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
    done = call(
        ctypes.c_int(source[0]),
        ctypes.c_char_p(names[0]),
        ctypes.c_int(target[0]),
        ctypes.c_char_p(names[1]),
        ctypes.c_uint(flags),
    )
    if done != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
