"""Private folders and files: 0700 and 0600 whatever the umask says (S04)."""

from __future__ import annotations

import os
import stat
from pathlib import Path


def private_folder(folder: Path) -> Path:
    """Make a folder with mode 0700 and give it back; one of ours that is wider is narrowed.

    A folder of somebody else, a shared one (sticky bit) and the person's home folder keep their mode.
    Raises OSError.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    state = folder.stat()
    ours = state.st_uid == os.geteuid() and not state.st_mode & stat.S_ISVTX and folder.resolve() != Path.home()
    if ours and stat.S_IMODE(state.st_mode) != 0o700:
        folder.chmod(0o700)
    return folder


def private_file(file: Path) -> Path:
    """Make an empty file with mode 0600 where there is none, narrow one that is wider. Raises OSError."""
    descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        if stat.S_IMODE(os.fstat(descriptor).st_mode) != 0o600:
            os.fchmod(descriptor, 0o600)
    finally:
        os.close(descriptor)
    return file


def write_private(file: Path, data: bytes) -> None:
    """Replace a file's content at once and durably, mode 0600; a link is followed, not replaced. Raises OSError."""
    target = Path(os.path.realpath(file))
    draft = target.with_name(f".{target.name}.{os.getpid()}.{os.urandom(4).hex()}.new")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as out:
            out.write(data)
            out.flush()
            os.fchmod(out.fileno(), 0o600)
            os.fsync(out.fileno())
        draft.replace(target)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
    sync_folder(target.parent)


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable. Raises OSError."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
