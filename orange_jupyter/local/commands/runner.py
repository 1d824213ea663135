"""Runs commands on this machine: the port `Runner` over a host process (R-EXEC-2 to R-EXEC-13)."""

from __future__ import annotations

import asyncio
import os
import socket
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import ArgumentError, RunError
from orange_jupyter.core.masking import FindSecrets
from orange_jupyter.core.running import Command, Confinement, OnOutput, Ran, Sandbox
from orange_jupyter.core.shapes import secret_spans
from orange_jupyter.local.commands.conversation import Conversation, Request
from orange_jupyter.local.commands.environment import command_environment
from orange_jupyter.local.commands.folder import open_folder
from orange_jupyter.local.commands.hosting import HostProcess
from orange_jupyter.local.commands.sandbox import Bubblewrap, find_bubblewrap
from orange_jupyter.local.commands.shells import Shell, find_shell

LONGEST_COMMAND: Final = 100_000
"""Characters of a command (12-schemas)."""
_LONGEST_ARGUMENT: Final = 131_071
"""Bytes that Linux takes in one argument (MAX_ARG_STRLEN, less its NUL)."""
_SYSTEMS: Final = ("linux", "darwin")


@dataclass(frozen=True, slots=True)
class RunnerSettings:
    """How commands run: the variables of this process, names that the person adds to the allowed ones, the sandbox.

    `network` False cuts the network of a sandboxed command; without a sandbox it has no effect.
    """

    environ: Mapping[str, str] = field(repr=False)
    added_names: tuple[str, ...] = ()
    sandbox: Sandbox = Sandbox.OFF
    network: bool = True
    system: str = sys.platform


class LocalRunner:
    """Commands of this machine. One a kernel; usable from any event loop, several commands may run at a time.

    On Linux every process that a command started is ended, whatever it did to get away. macOS gives nobody the orphans
    of a process: there what stays in the shell's process group is ended, not what left it with setsid.
    `find_secrets` is asked for each variable whether its value is a secret.
    """

    def __init__(self, settings: RunnerSettings, find_secrets: FindSecrets = secret_spans) -> None:
        self._settings = settings
        self._find_secrets = find_secrets
        self._path = settings.environ.get("PATH", os.defpath)
        self._shell: Shell | None = None
        self._host = HostProcess()
        self._walls: Bubblewrap | None = None
        self._searched = self._probed = False

    @property
    def shell(self) -> str:
        """The shell as it is declared to the model; empty where commands are not supported. Reads PATH's folders once.

        After `prepare` it answers at once.
        """
        return str(self._search() or "")

    @property
    def host_pid(self) -> int | None:
        """The process id of the host, or None while there is none."""
        return self._host.pid

    async def prepare(self) -> None:
        """Find the shell and try the sandbox off the loop, so that `shell` and `confinement` answer at once.

        No error when there is none.
        """
        if not self._searched:
            await asyncio.to_thread(self._search)
        if not self._probed:
            await asyncio.to_thread(self._probe)

    def confinement(self) -> Confinement:
        """What would hold the next command; tries the sandbox first (some milliseconds) unless `prepare` did.

        Raises RunError feature_off: a sandbox is required and there is none.
        """
        self._probe()
        if self._walls is not None:
            return Confinement.BUBBLEWRAP
        if self._settings.sandbox is Sandbox.REQUIRED:
            raise RunError(
                Code.FEATURE_OFF,
                "Commands must run in a sandbox (exec.sandbox = required), and this system offers none.",
                hint="Install bubblewrap (bwrap) and allow user namespaces, or change exec.sandbox.",
            )
        return Confinement.NONE

    async def run(self, command: Command, heard: OnOutput | None = None) -> Ran:
        """Run it to its end; see the port. The time starts when the shell does."""
        await self.prepare()
        shell = self._checked(command.text)
        started = time.monotonic()
        request, sock = await _undone_when_cancelled(lambda: self._begin(command, shell))
        conversation = await Conversation.open(sock)
        ran = await conversation.hold(request, heard)
        return ran.to_value(time.monotonic() - started, request.confinement)

    async def close(self) -> None:
        """End what runs and the host; commands that run are then cancelled. A later `run` starts a new host."""
        await asyncio.to_thread(self._host.end)

    def _checked(self, text: str) -> Shell:
        if self._shell is None:
            raise RunError(
                Code.FEATURE_OFF,
                "Running commands is not supported on this system yet."
                if self._settings.system not in _SYSTEMS
                else "Commands need bash or /bin/sh, and this system has neither.",
                hint="Commands run on Linux and macOS, with bash or sh.",
            )
        if not text.strip():
            raise ArgumentError(Code.INVALID_ARGUMENT, "The command is empty.", hint="Give a command.")
        if "\0" in text:
            raise ArgumentError(
                Code.INVALID_ARGUMENT, "The command holds a NUL character.", hint="Take the NUL out of the command."
            )
        try:
            length = len(text.encode("utf-8"))
        except UnicodeEncodeError:
            raise ArgumentError(
                Code.INVALID_ARGUMENT, "The command holds half a character.", hint="Write the command again."
            ) from None
        if len(text) > LONGEST_COMMAND or length > _LONGEST_ARGUMENT:
            raise ArgumentError(
                Code.INVALID_ARGUMENT,
                f"The command is too long: {len(text):,} characters, {length:,} bytes.",
                hint=f"At most {LONGEST_COMMAND:,} characters and {_LONGEST_ARGUMENT:,} bytes: put it into a script.",
                details={"characters": len(text), "bytes": length},
            )
        return self._shell

    def _begin(self, command: Command, shell: Shell) -> tuple[Request, socket.socket]:
        """What blocks before a command can run: the folder, the sandbox, the host. In a thread."""
        confinement = self.confinement()
        env = command_environment(self._settings.environ, self._settings.added_names, self._find_secrets)
        env.setdefault("PATH", os.defpath)
        argv = shell.argv(command.text)
        folder = open_folder(command)
        try:
            if self._walls is not None:
                argv = self._walls.around(argv, command.cwd, command.writable)
                env["TMPDIR"] = "/tmp"  # noqa: S108  the sandbox's own
            return Request(argv, env, command.seconds, confinement), self._host.new_command(folder)
        finally:
            os.close(folder)

    def _search(self) -> Shell | None:
        if not self._searched:
            self._shell = find_shell(self._path) if self._settings.system in _SYSTEMS else None
            self._searched = True
        return self._shell

    def _probe(self) -> None:
        if not self._probed:
            wanted = self._settings.sandbox is not Sandbox.OFF and self._settings.system == "linux"
            self._walls = find_bubblewrap(self._path, network=self._settings.network) if wanted else None
            self._probed = True


async def _undone_when_cancelled(
    begin: Callable[[], tuple[Request, socket.socket]],
) -> tuple[Request, socket.socket]:
    """Run it in a thread; when the wait is cancelled, what it returns later is closed."""
    beginning = asyncio.ensure_future(asyncio.to_thread(begin))
    try:
        return await asyncio.shield(beginning)
    except asyncio.CancelledError:
        beginning.add_done_callback(_close_begun)
        raise


def _close_begun(beginning: asyncio.Future[tuple[Request, socket.socket]]) -> None:
    if not beginning.cancelled() and beginning.exception() is None:
        beginning.result()[1].close()
