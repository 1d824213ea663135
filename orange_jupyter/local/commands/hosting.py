"""The host process seen from the kernel: started when first needed, given commands, ended. Each call may block."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
from pathlib import Path
from typing import Final

from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import RunError

_PACKAGE: Final = Path(__file__).resolve().parents[2]
# The packages above the host's modules without what stands in them: the host imports the standard library only.
_BOOT: Final = (
    "import sys, types\n"
    "name = ''\n"
    "for part, folder in zip(('orange_jupyter', 'local', 'commands', 'watch'), sys.argv[3:]):\n"
    "    name = name + '.' + part if name else part\n"
    "    package = sys.modules[name] = types.ModuleType(name)\n"
    "    package.__path__ = [folder]\n"
    "from orange_jupyter.local.commands.watch.host import main\n"
    "main()"
)
_END_SECONDS: Final = 5.0


class HostProcess:
    """The one process beside this kernel under which commands run. Threads: any; one call at a time."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None
        self._using = threading.Lock()

    @property
    def pid(self) -> int | None:
        """Its process id, or None while there is none."""
        process = self._process
        return process.pid if process is not None and process.poll() is None else None

    def new_command(self, folder: int) -> socket.socket:
        """A socket to the host for one command that runs in the folder of this descriptor.

        Raises RunError io_error (the host cannot be started).
        """
        with self._using:
            mine, its = socket.socketpair()
            try:
                self._hand_over(its.fileno(), folder)
            except OSError as error:
                mine.close()
                raise _not_started(error) from None
            finally:
                its.close()
            return mine

    def end(self) -> None:
        """Let the host end what runs and go; waits for it, at most some seconds."""
        with self._using:
            self._end()

    def _hand_over(self, sock: int, folder: int) -> None:
        if self._process is not None and self._process.poll() is not None:
            self._end()
        if self._control is None:
            self._control = self._start()
        try:
            socket.send_fds(self._control, [b"c"], [sock, folder])
        except BrokenPipeError:  # it was ended this moment
            self._end()
            self._control = self._start()
            socket.send_fds(self._control, [b"c"], [sock, folder])

    def _start(self) -> socket.socket:
        """Start it: isolated, without environment, in a session of its own so that an interrupt does not reach it."""
        mine, its = socket.socketpair()
        folders = [str(_PACKAGE.joinpath(*below)) for below in ((), ("local",), ("local", "commands"))]
        folders.append(str(_PACKAGE / "local" / "commands" / "watch"))
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", "-c", _BOOT, str(its.fileno()), str(os.getpid()), *folders],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd=os.path.sep,
                env={},
                pass_fds=(its.fileno(),),
                start_new_session=True,
            )
        except OSError:
            mine.close()
            raise
        finally:
            its.close()
        return mine

    def _end(self) -> None:
        if self._control is not None:
            self._control.close()
            self._control = None
        process, self._process = self._process, None
        if process is None:
            return
        try:
            process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:  # its supervisors end their commands when it is gone
            process.kill()
            process.wait()


def _not_started(error: OSError) -> RunError:
    return RunError(
        Code.IO_ERROR,
        f"The process that watches over commands could not be started ({error.strerror}).",
        hint="Free some memory, processes or open files and try again.",
    )
