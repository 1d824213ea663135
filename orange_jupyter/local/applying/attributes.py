"""Carries mode, owner, extended attributes and ACLs from an old file to the new one that takes its place (C13)."""

from __future__ import annotations

import errno
import os
import stat

LOST = (errno.EPERM, errno.EACCES, errno.ENOTSUP, errno.EINVAL)
QUIET = ("security.", "trusted.")
SET_IDS = stat.S_ISUID | stat.S_ISGID
Xattrs = dict[str, bytes]


def copy_attributes(old: int, new: int) -> tuple[str, ...]:
    """Give the new file the old one's owner, attributes and mode; warnings for what this user may not give.

    Where the group cannot be kept the new group gets no more than everybody had. Raises OSError (full disk, I/O).
    """
    state = os.fstat(old)
    mode = stat.S_IMODE(state.st_mode)
    warnings = _copy_owner(state, new)
    lost_group = os.fstat(new).st_gid != state.st_gid
    readable = xattrs_of(old)
    unread = tuple(name for name in _names(old) if name not in readable and not name.startswith(QUIET))
    lost = (*unread, *set_xattrs(new, readable))
    if lost:
        warnings += (f"These attributes could not be kept: {', '.join(lost)}.",)
    if warnings:
        mode &= ~SET_IDS
    if lost_group:
        mode = (mode & ~stat.S_IRWXG) | (mode & ((mode & stat.S_IRWXO) << 3))
    os.fchmod(new, mode)
    return warnings


def _copy_owner(state: os.stat_result, new: int) -> tuple[str, ...]:
    now = os.fstat(new)
    warnings: list[str] = []
    if now.st_gid != state.st_gid and not _chown(new, -1, state.st_gid):
        warnings.append("The file's group could not be kept.")
    if now.st_uid != state.st_uid and not _chown(new, state.st_uid, -1):
        warnings.append("The file belongs to another user; it is yours now.")
    return tuple(warnings)


def _chown(fd: int, user: int, group: int) -> bool:
    try:
        os.fchown(fd, user, group)
    except OSError as error:
        if error.errno not in LOST:
            raise
        return False
    return True


def xattrs_of(fd: int) -> Xattrs:
    """All extended attributes that this user can read, ACLs among them. Raises OSError (I/O)."""
    found: Xattrs = {}
    for name in _names(fd):
        try:
            found[name] = os.getxattr(fd, name)
        except OSError as error:
            if error.errno not in (*LOST, errno.ENODATA):
                raise
    return found


def _names(fd: int) -> list[str]:
    if not hasattr(os, "listxattr"):
        return []
    try:
        return os.listxattr(fd)
    except OSError as error:
        if error.errno not in LOST:
            raise
        return []


def set_xattrs(fd: int, xattrs: Xattrs) -> tuple[str, ...]:
    """Set attributes; the names of those that could not be, system labels left out. Raises OSError (full disk, I/O)."""
    lost: list[str] = []
    for name, value in xattrs.items():
        try:
            os.setxattr(fd, name, value)
        except OSError as error:
            if error.errno not in LOST:
                raise
            if not name.startswith(QUIET):
                lost.append(name)
    return tuple(lost)
