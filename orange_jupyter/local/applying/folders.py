"""Private folders and durable small files beneath ORANGE_HOME: 0700 and 0600, whatever the umask (S04)."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from orange_jupyter.local.applying.places import write_all


def private_folder(folder: Path) -> Path:
    """Make a folder and those above it that are missing, for this user alone. Raises OSError."""
    if not folder.is_dir():
        private_folder(folder.parent)
        with suppress(FileExistsError):
            folder.mkdir(mode=0o700)
        sync_folder(folder.parent)
    return folder


def sync_folder(folder: Path) -> None:
    """Make a folder's names durable. Raises OSError."""
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def write_durably(file: Path, data: bytes) -> None:
    """Replace a small file of ours by new content, whole and durable. Raises OSError."""
    unfinished = file.with_name(file.name + ".tmp")
    fd = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    try:
        write_all(fd, data)
        os.fsync(fd)
    finally:
        os.close(fd)
    os.rename(unfinished, file)
    sync_folder(file.parent)
