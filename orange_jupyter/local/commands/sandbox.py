"""Bubblewrap around a command: all may be read, only its folders and a temporary one written (R-EXEC-12)."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

_PRIVATE: Final = ("/tmp", "/run")  # noqa: S108  mount points, nothing is made there
"""Empty in the sandbox: files for a while, and sockets of programs that would act outside for a command."""
_PROBE_SECONDS: Final = 5.0


@dataclass(frozen=True, slots=True)
class Bubblewrap:
    """A `bwrap` that works here; `network` False leaves the command without any."""

    path: str
    network: bool = True

    def around(self, argv: Sequence[str], cwd: str, writable: Iterable[str]) -> list[str]:
        """The arguments that run `argv` in `cwd` inside.

        Processes see only each other there and end with the outermost one; without capabilities even root cannot make
        a mount writable again. A folder of `writable` that is gone is left out.
        """
        words = [self.path, "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"]
        words += ["--unshare-pid", "--unshare-ipc", "--die-with-parent", "--new-session", "--cap-drop", "ALL"]
        if not self.network:
            words.append("--unshare-net")
        for place in _PRIVATE:
            words += ["--tmpfs", place]
        for place in ("/run/systemd/resolve", "/run/resolvconf", "/run/NetworkManager/resolv.conf"):
            words += ["--ro-bind-try", place, place]  # names of computers are looked up with what lies here
        if cwd.startswith(tuple(f"{place}/" for place in _PRIVATE)):
            words += ["--ro-bind", cwd, cwd]
        for folder in sorted({os.path.normpath(folder) for folder in writable}):
            if os.path.isdir(folder):
                words += ["--bind", folder, folder]
        return [*words, "--chdir", cwd, "--", *argv]


def find_bubblewrap(path: str, *, network: bool = True) -> Bubblewrap | None:
    """The `bwrap` on `path` if it is installed and the system lets it work; blocks for some milliseconds."""
    program = shutil.which("bwrap", path=path or os.defpath)
    if program is None:
        return None
    found = Bubblewrap(os.path.abspath(program), network)
    try:
        tried = subprocess.run(
            found.around(["/bin/sh", "-c", ":"], "/", ()),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={},
            cwd="/",
            timeout=_PROBE_SECONDS,
            check=False,
            start_new_session=True,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return found if tried.returncode == 0 else None
