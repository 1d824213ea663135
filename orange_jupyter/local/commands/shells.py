"""The shell of commands: bash, else /bin/sh, never a person's own interactive one (R-EXEC-2, R-EXEC-3)."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Shell:
    """A shell by name and path."""

    name: str
    path: str

    def argv(self, text: str) -> list[str]:
        """What runs a command's text without any start-up file."""
        own = ["--noprofile", "--norc"] if self.name == "bash" else []
        return [self.path, *own, "-c", text]

    def __str__(self) -> str:
        return f"{self.name} ({self.path})"


def find_shell(path: str, sh: str = "/bin/sh") -> Shell | None:
    """bash on `path`, a list of folders as in PATH of which relative ones do not count, else `sh`; None without."""
    folders = os.pathsep.join(folder for folder in path.split(os.pathsep) if os.path.isabs(folder))
    bash = shutil.which("bash", path=folders or os.defpath)
    if bash is not None:
        return Shell("bash", bash)
    return Shell("sh", sh) if os.access(sh, os.X_OK) else None
