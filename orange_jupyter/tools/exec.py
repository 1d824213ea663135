"""`exec`: one command of the person's system, approved or in full-auto (spec 04)."""

from __future__ import annotations

import asyncio
import os
import re
import signal
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from pydantic import Field, field_validator

from orange_jupyter.core.changes.outdated import outdated
from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import PathError, RunError, ToolError
from orange_jupyter.core.grant import Effect
from orange_jupyter.core.paths import Place
from orange_jupyter.core.running import (
    DEFAULT_SECONDS,
    LONGEST_SECONDS,
    SHORTEST_SECONDS,
    Command,
    Confinement,
    Ran,
)
from orange_jupyter.core.tool import Action, Arguments, Result, Tool, ToolContext
from orange_jupyter.core.watching import FileChange, Marks
from orange_jupyter.local.operands import Standpoint, folder_state, look_at
from orange_jupyter.tools.running.halves import without_halves
from orange_jupyter.tools.running.live import LiveOutput
from orange_jupyter.tools.running.words import words_of

MOST_CHANGED: Final = 100
"""Changed files that are named; the others are counted."""
LONGEST_BYTES: Final = 131_071
"""What Linux takes in one argument (MAX_ARG_STRLEN, less its NUL); said before anybody is asked."""
_TARGET: Final = 200
_EFFECTS: Final = "What it did until then stays."


class ExecArguments(Arguments):
    """Arguments of `exec`."""

    command: str = Field(min_length=1, max_length=100_000, description="For the shell, as a script of its own.")
    cwd: str | None = Field(default=None, description="Working folder; default: the first knowledge base's root.")
    timeout_seconds: int = Field(default=DEFAULT_SECONDS, ge=SHORTEST_SECONDS, le=LONGEST_SECONDS)

    @field_validator("command", "cwd")
    @classmethod
    def _without_nul(cls, value: str | None) -> str | None:
        if value is not None and "\0" in value:
            raise ValueError("it holds a NUL character")
        return value

    @field_validator("command")
    @classmethod
    def _can_be_given(cls, value: str) -> str:
        if not value.strip():
            raise ValueError("it is empty")
        if len(value.encode("utf-8", "surrogatepass")) > LONGEST_BYTES:
            raise ValueError(f"it is longer than {LONGEST_BYTES:,} bytes; write a script and run that")
        return value


@dataclass(frozen=True, slots=True)
class _Folder:
    place: Place
    real: str
    device: int
    inode: int

    @property
    def operand(self) -> tuple[str, str]:
        """What an approval is bound to: this very folder."""
        return f"{self.real}/", f"{self.device}:{self.inode}"


async def _folder(context: ToolContext, arguments: ExecArguments) -> _Folder:
    named = "." if arguments.cwd is None else arguments.cwd
    try:
        place = await context.workspace.place(named)
        info = await context.workspace.stat(place)
    except PathError as error:
        if error.code is Code.NOT_FOUND or (error.code is Code.KB_UNAVAILABLE and context.workspace.knowledge_bases):
            raise _gone(named, "does not exist") from None
        raise
    base = place.knowledge_base
    real = os.path.join(base.root, place.relative).rstrip("/") or "/" if base else place.relative
    real = await asyncio.to_thread(os.path.realpath, real)
    state = await asyncio.to_thread(folder_state, real)
    if info.file_type != "folder" or state is None:
        raise _gone(place.shown, "is no folder")
    return _Folder(place, real, *state)


def _gone(shown: str, why: str) -> PathError:
    return PathError(
        Code.NOT_FOUND,
        f"The working folder {shown} {why}; nothing ran, and no other folder is used instead.",
        hint="Name a folder that exists; `list` shows them.",
    )


async def _plan(context: ToolContext, arguments: ExecArguments) -> Action:
    folder = await _folder(context, arguments)
    bases = context.workspace.knowledge_bases
    confinement = await asyncio.to_thread(context.runner.confinement)
    words = await asyncio.to_thread(words_of, arguments.command)
    named = await asyncio.to_thread(look_at, words.words, Standpoint(folder.real, words.folders, bases))
    facts = [
        ("working folder", folder.real),
        ("time limit", f"{arguments.timeout_seconds:,} s, then all that it started is ended"),
        ("shell", f"{context.runner.shell}, no input, no terminal"),
        ("confinement", _held(confinement, [base.root for base in bases])),
        ("environment", "names on an allow list, no keys"),
    ]
    if named.files:
        facts.append(("files it names", ", ".join(named.files)))
    return Action(
        Effect.RUN,
        "run command",
        _target(arguments),
        facts=tuple(facts),
        warnings=named.warnings,
        operands=(folder.operand, *named.files.items()),
        place=folder.place,
    )


def _held(confinement: Confinement, roots: list[str]) -> str:
    if confinement is Confinement.NONE:
        return "none: it may do all that you may"
    return f"{confinement}: writes only in {', '.join(roots)} and the temp folder"


async def _run(context: ToolContext, arguments: ExecArguments, action: Action) -> Result:
    folder = await _folder(context, arguments)
    if folder.operand not in action.operands:
        raise _gone(folder.place.shown, "is another folder than the one that was looked at")
    command = Command(
        arguments.command,
        folder.real,
        float(arguments.timeout_seconds),
        tuple(base.root for base in context.workspace.knowledge_bases),
        folder.device,
        folder.inode,
    )
    marks = await context.workspace.marks()
    live = LiveOutput(context.show_output, context.find_secrets)
    about: dict[str, Any] = {"shell": context.runner.shell, "cwd": folder.place.shown}
    try:
        ran = await context.runner.run(command, live)
    except asyncio.CancelledError:
        changed, notices = await _afterwards(context, marks)
        fields = {"exitCode": None, "timedOut": False, "cancelled": True, **live.so_far(), **about, **_listed(changed)}
        stopped = RunError(Code.CANCELLED, f"It was stopped. {_EFFECTS}", fields=fields | _told(notices))
        raise asyncio.CancelledError(stopped) from None  # the turn ends; the record says what had come
    finally:
        live.close()
    changed, notices = await _afterwards(context, marks)
    return _result(ran, {**_fields(ran), **about, **_listed(changed)}, (len(changed), notices))


async def _afterwards(context: ToolContext, marks: Marks) -> tuple[tuple[FileChange, ...], tuple[str, ...]]:
    """Rescan, and what that means for pending operations (R-EXEC-7)."""
    changed = await context.workspace.changed_since(marks)
    try:
        stale = await outdated(context.changes, [one.spot for one in changed])
    except RunError:  # somebody decides just now, and what is decided is compared with the disk there
        stale = ()
    said = [f"{one.id} on {one.operation.path} is stale: the file changed on the disk." for one in stale]
    if len(changed) > MOST_CHANGED:
        said.append(f"{len(changed) - MOST_CHANGED:,} more files changed.")
    return changed, tuple(said)


def _listed(changed: tuple[FileChange, ...]) -> dict[str, Any]:
    named = [{"path": one.shown, "change": str(one.became)} for one in changed[:MOST_CHANGED]]
    return {"changedFiles": named}


def _told(notices: tuple[str, ...]) -> dict[str, Any]:
    """What an envelope of a failure says beside its fields."""
    return {"untrusted": True, **({"notices": list(notices)} if notices else {})}


def _result(ran: Ran, fields: dict[str, Any], news: tuple[int, tuple[str, ...]]) -> Result:
    count, notices = news
    if not ran.ok:
        raise _failure(ran, fields | _told(notices))
    files = f", {count:,} files changed" if count else ""
    summary = f"exit 0, {ran.stdout_bytes + ran.stderr_bytes:,} bytes{files}"
    return Result(fields, summary, notices=notices, untrusted=True)


def _fields(ran: Ran) -> dict[str, Any]:
    named = {"signal": _signal(ran.signal)} if ran.signal is not None else {}
    return {
        "exitCode": ran.exit_code,
        **named,
        "stdout": without_halves(ran.stdout) if ran.truncated else ran.stdout,
        "stderr": without_halves(ran.stderr) if ran.truncated else ran.stderr,
        "timedOut": ran.timed_out,
        "cancelled": ran.cancelled,
        "truncated": ran.truncated,
        "stdoutBytes": ran.stdout_bytes,
        "stderrBytes": ran.stderr_bytes,
        "durationSeconds": round(ran.seconds, 3),
        "confinement": str(ran.confinement),
    }


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _failure(ran: Ran, fields: Mapping[str, Any]) -> ToolError:
    if ran.timed_out:
        return RunError(Code.TIMED_OUT, f"It was ended after {ran.seconds:,.0f} s. {_EFFECTS}", fields=fields)
    if ran.cancelled:
        return RunError(Code.CANCELLED, f"It was stopped. {_EFFECTS}", fields=fields)
    how = f"ended by {_signal(ran.signal)}" if ran.signal is not None else f"exit {ran.exit_code}"
    return RunError(Code.NONZERO_EXIT, f"It failed: {how}. It may have had effects.", fields=fields)


def _target(arguments: ExecArguments) -> str:
    line = re.sub(r"\s*\n\s*", "\n", arguments.command.strip())
    return line if len(line) <= _TARGET else f"{line[:_TARGET]}…"


EXEC = Tool(
    name="exec",
    description="Run a command in the shell of the person's system, with files and network as they have them. Each "
    "call is a new process: no folder, variable or function is kept. No input, no terminal, no background.",
    arguments=ExecArguments,
    effects=(Effect.RUN,),
    plan=_plan,
    run=_run,
    target=_target,
)


def in_shell(shell: str) -> Tool[ExecArguments]:
    """`exec` with the shell in use declared (R-EXEC-2), for instance `bash (/usr/bin/bash)`; "" declares none."""
    return replace(EXEC, description=f"{EXEC.description} Shell: {shell}.") if shell else EXEC
