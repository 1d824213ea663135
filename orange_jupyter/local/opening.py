"""Opens what the system resolves beneath a folder, so that no link, race or odd name leads out of it (R-SCOPE-1).

On Linux the kernel itself refuses to leave (`openat2` with RESOLVE_BENEATH); elsewhere the real path is walked
folder by folder without following any link. Synchronous: call it in a thread.
"""

from __future__ import annotations

import ctypes
import errno
import os
import stat
from collections.abc import Callable
from functools import cache

from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import PathError
from orange_jupyter.core.paths import shown_name

OPENAT2 = 437  # the same number on every Linux architecture that Python runs on
NO_MAGICLINKS, NO_SYMLINKS, BENEATH = 0x02, 0x04, 0x08
LOOK = getattr(os, "O_PATH", os.O_RDONLY | os.O_NONBLOCK)  # a place in the tree, not opened for reading (Linux)
CHUNK_BYTES = 3000  # well below PATH_MAX (4,096); longer paths are walked in several opens
RETRIES = 128  # a rename elsewhere makes openat2 answer EAGAIN where a link holds `..`

Resolver = Callable[[int, str, int, str], int]
"""(root fd, root path, flags, relative path) -> fd; raises OSError, EXDEV where the path leaves the root."""


class _How(ctypes.Structure):
    _fields_ = (("flags", ctypes.c_uint64), ("mode", ctypes.c_uint64), ("resolve", ctypes.c_uint64))


class RootFolder:
    """An open folder that paths are resolved beneath. Use it as a context manager; it may be used by one thread.

    `path` must be a real path: its last part is not followed if it has become a link. Raises PathError
    kb_unavailable on entry.
    """

    def __init__(self, path: str, resolver: Resolver | None = None) -> None:
        self.path = path
        self._resolve = resolver or system_resolver()
        self._fd = -1

    def __enter__(self) -> RootFolder:
        try:
            self._fd = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        except OSError as error:
            raise _unavailable(self.path, error) from error
        return self

    def __exit__(self, *error: object) -> None:
        os.close(self._fd)

    def open(self, relative: str, flags: int) -> int:
        """A file descriptor for a path beneath this folder ("" is the folder). Raises OSError, EXDEV if it leaves."""
        return self._resolve(self._fd, self.path, flags | os.O_CLOEXEC, relative)


@cache
def system_resolver() -> Resolver:
    """The strongest resolver of this system; tried once, since containers may refuse openat2."""
    try:
        folder = os.open("/", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.close(kernel_beneath(folder, "/", LOOK | os.O_CLOEXEC, "."))
        finally:
            os.close(folder)
    except (OSError, AttributeError):
        return walk_real
    return kernel_beneath


def kernel_beneath(root_fd: int, root: str, flags: int, relative: str) -> int:  # noqa: ARG001 (a Resolver)
    """Resolver by `openat2`: links inside are followed, links out, absolute links and magic links give EXDEV."""
    return _in_chunks(root_fd, relative, flags, NO_MAGICLINKS | BENEATH)


def kernel_linkless(root_fd: int, root: str, flags: int, relative: str) -> int:  # noqa: ARG001 (a Resolver)
    """Resolver by `openat2` that follows no link at all (ELOOP): for a real path that was approved."""
    return _in_chunks(root_fd, relative, flags, NO_MAGICLINKS | NO_SYMLINKS | BENEATH)


def walk_real(root_fd: int, root: str, flags: int, relative: str) -> int:
    """Resolver without `openat2`: the real path must lie beneath, then each part is opened without following links."""
    real = _settled(os.path.join(root, relative)) if relative else root
    if real != root and not real.startswith(root.rstrip("/") + "/"):
        raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))
    return walk_linkless(root_fd, root, flags, real[len(root) :].lstrip("/"))


def walk_linkless(root_fd: int, root: str, flags: int, relative: str) -> int:  # noqa: ARG001 (a Resolver)
    """Resolver that opens part by part and follows no link (ELOOP or ENOTDIR)."""
    parts = [part for part in relative.split("/") if part not in ("", ".")]
    if ".." in parts:
        raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))
    here = os.dup(root_fd)
    for part in parts[:-1]:
        here = _step(here, part, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC | os.O_NOFOLLOW)
    last = _step(here, parts[-1] if parts else ".", flags | os.O_NOFOLLOW)
    if stat.S_ISLNK(os.fstat(last).st_mode):  # O_PATH opens the link itself
        os.close(last)
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    return last


@cache
def system_linkless() -> Resolver:
    """The strongest resolver that follows no link."""
    return kernel_linkless if system_resolver() is kernel_beneath else walk_linkless


def real_path(path: str) -> str:
    """`os.path.realpath`, tried again where a link is being replaced at that moment. Raises PathError not_found."""
    try:
        return _settled(path)
    except OSError as error:
        raise PathError(
            Code.NOT_FOUND, f"{shown_name(path)} is being replaced again and again.", hint="Try again."
        ) from error


def _settled(path: str) -> str:
    for _ in range(RETRIES):
        try:
            return os.path.realpath(path)
        except OSError:  # was a link when it was looked at, and none when it was read
            continue
    raise OSError(errno.ENOENT, os.strerror(errno.ENOENT))


def _step(folder: int, part: str, flags: int) -> int:
    try:
        return os.open(part, flags, dir_fd=folder)
    finally:
        os.close(folder)


def _in_chunks(root_fd: int, relative: str, flags: int, resolve: int) -> int:
    chunks = _chunks(os.fsencode(relative) or b".")
    here = root_fd
    try:
        for chunk in chunks[:-1]:
            deeper = _openat2(here, chunk, LOOK | os.O_DIRECTORY | os.O_CLOEXEC, resolve)
            if here != root_fd:
                os.close(here)
            here = deeper
        return _openat2(here, chunks[-1], flags, resolve)
    finally:
        if here != root_fd:
            os.close(here)


def _chunks(path: bytes) -> list[bytes]:
    if len(path) <= CHUNK_BYTES:
        return [path]
    chunks = [b""]
    for part in path.split(b"/"):
        if len(chunks[-1]) + len(part) + 1 > CHUNK_BYTES:
            chunks.append(part)
        else:
            chunks[-1] = chunks[-1] + b"/" + part if chunks[-1] else part
    return [chunk for chunk in chunks if chunk]


@cache
def _system_call() -> Callable[..., int]:
    call = ctypes.CDLL(None, use_errno=True).syscall
    call.restype = ctypes.c_long
    return call


def _openat2(folder: int, path: bytes, flags: int, resolve: int) -> int:
    if b"\0" in path:  # ctypes would cut the path there
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
    how = _How(flags, 0, resolve)
    number = errno.EAGAIN
    for _ in range(RETRIES):
        fd = _system_call()(
            ctypes.c_long(OPENAT2), ctypes.c_int(folder), ctypes.c_char_p(path), ctypes.byref(how), ctypes.c_size_t(24)
        )
        if fd >= 0:
            return fd
        number = ctypes.get_errno()
        if number not in (errno.EAGAIN, errno.EINTR):
            break
    raise OSError(number, os.strerror(number))


def _unavailable(root: str, error: OSError) -> PathError:
    why = {
        errno.ENOENT: "does not exist",
        errno.ENOTDIR: "is not a folder",
        errno.ELOOP: "has become a link",
        errno.EACCES: "cannot be read by this user",
    }.get(error.errno or 0, "cannot be opened")
    return PathError(
        Code.KB_UNAVAILABLE,
        f"The knowledge base's folder {shown_name(root)} {why}.",
        hint="Bring the folder back, or take the knowledge base out with `%orange kb remove`.",
    )
