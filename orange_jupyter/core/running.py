"""A command and how it ended, as values, and the port that runs it (spec 04)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

CAPTURED_BYTES = 1_048_576
"""Bytes of output that are kept of one command, both streams together: half from the head, half from the tail."""

DEFAULT_SECONDS = 120
SHORTEST_SECONDS = 5
LONGEST_SECONDS = 1800


class Sandbox(StrEnum):
    """The setting `exec.sandbox` (R-EXEC-12)."""

    OFF = "off"
    AUTO = "auto"
    REQUIRED = "required"


class Confinement(StrEnum):
    """What holds a command: nothing but its own user's rights, or a sandbox of the system."""

    NONE = "none"
    BUBBLEWRAP = "bubblewrap"
    LANDLOCK = "landlock"


class Stream(StrEnum):
    """Where a piece of output was written."""

    STDOUT = "stdout"
    STDERR = "stderr"


OnOutput = Callable[[Stream, str], None]
"""Hears output while it comes, control sequences taken out; called on the loop, cheap, never raises."""


@dataclass(frozen=True, slots=True)
class Command:
    """What is to run: `text` for the shell, in `cwd` (a real, absolute path), at most `seconds`.

    `writable` are the absolute folders that a sandbox lets it write; `device` and `inode` are those of `cwd` when it
    was approved, so that a folder that was replaced since is refused (E10).
    """

    text: str
    cwd: str
    seconds: float = DEFAULT_SECONDS
    writable: tuple[str, ...] = ()
    device: int | None = None
    inode: int | None = None


@dataclass(frozen=True, slots=True)
class Ran:
    """How a command ended (R-EXEC-6). Exactly one of `exit_code` and `signal` is set, or neither when it was ended.

    `stdout` and `stderr` are decoded, control sequences taken out; where output is cut, `truncated` is True and a
    line in its place says how many bytes are left out. The byte counts are those that the command really wrote.
    """

    exit_code: int | None
    signal: int | None
    stdout: str
    stderr: str
    stdout_bytes: int
    stderr_bytes: int
    seconds: float
    timed_out: bool = False
    cancelled: bool = False
    truncated: bool = False
    confinement: Confinement = Confinement.NONE

    @property
    def ok(self) -> bool:
        """Whether the command says that it succeeded."""
        return self.exit_code == 0 and not (self.timed_out or self.cancelled)


class Runner(Protocol):
    """Runs commands of the person's system. Nothing that a command started outlives it by more than two seconds."""

    @property
    def shell(self) -> str:
        """The shell's name and path as it is declared to the model, for instance `bash (/usr/bin/bash)`."""
        ...

    def confinement(self) -> Confinement:
        """What would hold the next command. Raises RunError feature_off (a sandbox is required and there is none)."""
        ...

    async def run(self, command: Command, heard: OnOutput | None = None) -> Ran:
        """Run it to its end. Cancelling the task ends all that the command started and raises CancelledError.

        Raises, before anything ran: RunError feature_off (not supported on this system, no sandbox though one is
        required) or io_error (the shell cannot be started), PathError not_found (`cwd` is gone or another folder now),
        ArgumentError invalid_argument (NUL, too long).
        """
        ...

    async def close(self) -> None:
        """End what runs and all helpers of the runner."""
        ...
