"""One worker process seen from the kernel: started, asked, ended. Synchronous; each call runs in a thread."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, cast

from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import ReadError
from orange_jupyter.documents.frames import FrameError, read_frame, write_frame

_ROOT = str(Path(__file__).resolve().parents[2])
_BOOT = (
    "import sys; own = sys.path; at = next((i for i, p in enumerate(own) if p.endswith('-packages')), len(own)); "
    "own[at:] = dict.fromkeys([*sys.argv[4:], *own[at:]]); "
    "from orange_jupyter.documents.worker import main; "
    "main(int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3]) if sys.argv[3] else None)"
)
_END_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class WorkerLimits:
    """What one call may use: `seconds` of time (and of processor time), `memory` in bytes of address space."""

    seconds: float = 20.0
    memory: int = 1_536 * 1_048_576


class WorkerEnded(Exception):
    """The process ended instead of answering; `signal` is the number that ended it, or 0."""

    def __init__(self, signal: int) -> None:
        super().__init__(f"the worker ended with signal {signal}")
        self.signal = signal


class WorkerProcess:
    """A process that answers one call at a time. `kill` may be called from any thread, also while it starts."""

    def __init__(self, limits: WorkerLimits, environment: Mapping[str, str]) -> None:
        self._limits = limits
        self._environment = dict(environment)
        self._process: subprocess.Popen[bytes] | None = None
        self._lifeline: int | None = None
        self._killed = False
        self._ending = threading.Lock()
        self.served = 0

    @property
    def pid(self) -> int | None:
        """The process id, or None before the first call."""
        return self._process.pid if self._process is not None else None

    def ask(self, head: dict[str, Any], body: bytes) -> tuple[dict[str, Any], bytes]:
        """Send a call and wait for its answer, starting the process first if need be.

        Raises WorkerEnded; the process is then reaped and this object of no more use.
        """
        process = self._process or self._start()
        try:
            write_frame(cast(BinaryIO, process.stdin), head, body)
            answer = read_frame(cast(BinaryIO, process.stdout))
        except (OSError, ValueError, FrameError):  # ValueError: the pipe was closed by `end` meanwhile
            answer = None
        if answer is None:
            self.end()
            raise WorkerEnded(max(0, -process.returncode))
        self.served += 1
        return answer

    def kill(self) -> None:
        """End the process at once; never blocks."""
        self._killed = True
        if self._process is not None:
            self._process.kill()

    def end(self) -> None:
        """Let an idle process go, wait until it is reaped and close the pipes; kills it after a second."""
        process = self._process
        if process is None:
            return
        with self._ending:
            for stream in (process.stdin, process.stdout):
                if stream is not None:
                    _close(stream)
            if self._lifeline is not None:
                os.close(self._lifeline)
                self._lifeline = None
            try:
                process.wait(_END_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def _start(self) -> subprocess.Popen[bytes]:
        """Start the process: isolated, in a session of its own so that a kernel's interrupt does not reach it."""
        reading, self._lifeline = os.pipe() if os.name == "posix" else (None, None)
        arguments = [str(self._limits.memory), str(self._limits.seconds), "" if reading is None else str(reading)]
        try:
            process = subprocess.Popen(
                [sys.executable, "-I", "-c", _BOOT, *arguments, *import_paths()],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd=os.path.sep,
                env=self._environment,
                pass_fds=() if reading is None else (reading,),
                start_new_session=True,
            )
        except OSError as error:
            raise ReadError(
                Code.PARSER_CRASHED,
                f"The process that reads documents could not be started ({error.strerror}).",
                hint="Free some memory or processes and try again.",
            ) from None
        finally:
            if reading is not None:
                os.close(reading)
        self._process = process
        if self._killed:
            process.kill()
        return process


def import_paths() -> list[str]:
    """Where the worker may import from: this process's absolute entries but for its working directory.

    Our own root comes first, so that a worker runs the same version as its kernel, also beside another installation.

    The working directory is often a shared folder of notes; a `lxml.py` in it must not run.
    """
    try:
        here = os.getcwd()
    except FileNotFoundError:
        here = ""
    paths = [entry for entry in sys.path if os.path.isabs(entry) and entry != here]
    return list(dict.fromkeys([_ROOT, *paths]))


def _close(stream: Any) -> None:
    try:
        stream.close()
    except BrokenPipeError:  # what could not be sent is of no use any more
        return
