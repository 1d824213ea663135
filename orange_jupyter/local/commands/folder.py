"""The folder of a command, opened so that what was approved is what it runs in (E10)."""

from __future__ import annotations

import os

from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import PathError
from orange_jupyter.core.running import Command


def open_folder(command: Command) -> int:
    """A descriptor of `command.cwd`, to be closed by the caller.

    Raises PathError not_found: it is gone, no folder, reached by a link, or another folder than the approved one.
    """
    try:
        descriptor = os.open(command.cwd, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except (OSError, ValueError):
        raise _gone(command, "is not there or cannot be opened") from None
    try:
        opened, wanted = os.fstat(descriptor), (command.device, command.inode)
        if command.inode is not None and wanted != (opened.st_dev, opened.st_ino):
            raise _gone(command, "is another folder than the one that was approved")
        if os.path.realpath(command.cwd) != command.cwd:
            raise _gone(command, "is reached by a link now")
    except PathError:
        os.close(descriptor)
        raise
    return descriptor


def _gone(command: Command, why: str) -> PathError:
    return PathError(
        Code.NOT_FOUND,
        f"The working folder {command.cwd} {why}; nothing was run.",
        hint="Name a folder that exists, or register the knowledge base again.",
    )
