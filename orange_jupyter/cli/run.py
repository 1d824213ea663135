"""One command-line run: opens the app, runs the command, gives a document and what a person reads."""

from __future__ import annotations

import asyncio
import getpass
import os
import sys
from argparse import Namespace
from dataclasses import dataclass, replace
from typing import Any

from orange_jupyter.app import App, ForThisRun, Opened, environment, locale
from orange_jupyter.cli import changes
from orange_jupyter.cli.ask import ask, question
from orange_jupyter.cli.changes import CLI_SESSION
from orange_jupyter.cli.plain import as_terminal
from orange_jupyter.cli.tool import search, tool
from orange_jupyter.commands import doctor, kb, model, model_test, session
from orange_jupyter.commands.standing import Standing
from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import ConfigError, SessionError, StoreError, UsageError
from orange_jupyter.core.grant import Tier
from orange_jupyter.core.pasted import like_keys
from orange_jupyter.core.ports import Approver
from orange_jupyter.core.visible import for_terminal
from orange_jupyter.jupyter.ports import CommandReply, Where
from orange_jupyter.jupyter.strings import language_of
from orange_jupyter.terminal import Yes, at_terminal

PATIENCE = 15.0
DOCUMENTS_PATIENCE = 120.0
"""Seconds that a search waits for documents here: nothing goes on in the background when the command has ended."""


@dataclass(frozen=True, slots=True)
class Printed:
    """What a run prints: the document with `--json`, else the text; `ok` decides the exit status."""

    document: dict[str, Any]
    text: str

    @property
    def ok(self) -> bool:
        """Whether the command did what was asked."""
        return bool(self.document.get("ok"))


async def run(given: Namespace) -> Printed:
    """Run what was parsed. Raises OrangeError."""
    approver: Approver = Yes() if getattr(given, "yes", False) else at_terminal()
    try:
        app = await App.open(environment(), _folder(), approver, run=for_this_run(given))
    except (ConfigError, StoreError) as error:
        if given.command != "doctor":
            raise
        reply = doctor.unopened(error, language_of(locale()))
        return Printed(reply.data or {}, as_terminal(reply.markdown))
    try:
        return await _run(app, given)
    finally:
        _say_unfinished(app)
        await app.close()


def _say_unfinished(app: App) -> None:
    """On standard error, since it is not the command's result."""
    left = app.indexing.background.progress().values()
    if left:
        done, total = (f"{sum(numbers):,}" for numbers in zip(*left, strict=True))
        sys.stderr.write(f"{done} of {total} documents were indexed; orange-jupyter index does the rest.\n")


def _folder() -> str:
    """The working folder. Raises UsageError where it was deleted."""
    try:
        return os.getcwd()
    except OSError:
        raise UsageError("The working folder is gone.", hint="cd to another one.", code=Code.NOT_FOUND) from None


def for_this_run(given: Namespace) -> ForThisRun:
    """What the options set for this run only (R-SCH-10)."""
    named = getattr(given, "session", None) if given.command in ("ask", "tool") else None
    tier = getattr(given, "tier", None)
    return ForThisRun(
        tier=Tier(tier) if tier else None,
        plan=True if getattr(given, "plan", False) else None,
        model=given.model if given.command == "ask" else None,
        folders=tuple(getattr(given, "kb", ())),
        reselect=named is None,
        patience=DOCUMENTS_PATIENCE,
    )


async def _run(app: App, given: Namespace) -> Printed:
    match given.command:
        case "ask":
            what = await question(app, given)
            settings = await asyncio.to_thread(app.ground.settings)
            await (await app.model(given.model or settings.default_model)).close()
            opened = await _session(app, given.session) if given.session else await app.create()
            return Printed(*await ask(app, opened, given, what))
        case "tool":
            opened = await _session(app, given.session or CLI_SESSION)
            return Printed(*await tool(app, opened, given))
        case "search":
            return Printed(*await search(app, await _session(app, CLI_SESSION), given))
        case "changes":
            return Printed(*await changes.changes(app, given))
        case _:
            reply = await _command(app, given)
            return Printed(reply.data or {"ok": True}, as_terminal(reply.markdown))


async def _session(app: App, name: str) -> Opened:
    """The named session; the one of single calls is made when it is first needed."""
    try:
        record = await app.ground.sessions.get(name)
    except SessionError:
        if like_keys([name]) or app.find_secrets(name):
            hint = "Give the session another name; if others see this terminal, replace the key."
            raise UsageError("The session's name looks like a key; no session was made.", hint=hint) from None
        return await app.create(title=name)
    return await app.resume(record, patience=PATIENCE)


async def _command(app: App, given: Namespace) -> CommandReply:
    at = await _standing(app)
    match given.command, getattr(given, "verb", None):
        case "index", _:
            return await kb.scan(at, rebuild=given.rebuild)
        case "doctor", _:
            return await doctor.doctor(at, ())
        case "kb", "list":
            return await kb.kb(at, ("list",))
        case "kb", "add":
            return await kb.kb(at, ("add", given.path, *_options(given, "name", "encoding")))
        case "kb", _:
            return await kb.kb(at, ("remove", given.base))
        case "session", _:
            return await _sessions(at, given)
        case _:
            return await _models(at, given)


async def _sessions(at: Standing, given: Namespace) -> CommandReply:
    if given.verb == "list":
        return await session.session(at, ("list",))
    record = await at.app.ground.sessions.get(given.session)
    if given.verb == "delete":
        return await session.session(at, ("delete", record.session_id))
    if given.verb == "export" and given.to:
        return await session.session(at, ("export", record.session_id, "--to", given.to))
    document = await session.document(at, record)
    shown = await session.exported(at, record, as_json=given.json)
    return CommandReply(shown, {"ok": True, "session": document} if given.verb == "show" else {"ok": True, **document})


async def _models(at: Standing, given: Namespace) -> CommandReply:
    if given.verb != "list":
        model.refuse_keys(at, (given.verb, given.model))
    match given.verb:
        case "list":
            return await model.listed(at, at.app.ground.settings().default_model)
        case "use":
            return await model.use_by_default(at, given.model)
        case "key":
            return await model.model(at, ("key", given.model))
        case "test":
            return await model_test.test(replace(at, progress=_told_once), given.model)
        case _:
            names = ("base_url", "model", "key_env", "context", "max_output", "mode", "script", "gguf")
            options = [word for name in names for word in _given(given, name)]
            vision = ["--vision"] if given.vision else []
            return await model.model(at, ("add", given.model, "--provider", given.provider, *options, *vision))


def _given(given: Namespace, name: str) -> list[str]:
    value = getattr(given, f"given_{name}")
    return [f"--{name.replace('_', '-')}", value] if value is not None else []


def _options(given: Namespace, *names: str) -> list[str]:
    return [word for name in names if getattr(given, name) for word in (f"--{name}", getattr(given, name))]


async def _standing(app: App) -> Standing:
    where = Where(notebook=None, cell_id=None, folder=app.folder, language=language_of(locale()))
    return Standing(app, where, await app.aside(), lambda _: None, _secret, _progress)


async def _secret(question: str) -> str | None:
    if not sys.stdin.isatty():
        return await asyncio.to_thread(sys.stdin.readline)
    try:
        return await asyncio.to_thread(getpass.getpass, for_terminal(question))
    except (EOFError, OSError):
        return None


def _told_once(what: str, done: int, total: int | None) -> None:
    """Where text goes, also where nobody looks on: a model's host is named before anything is sent (R-MOD-11)."""
    if sys.stderr.isatty():
        _progress(what, done, total)
    elif not done:
        sys.stderr.write(for_terminal(what) + "\n")
        sys.stderr.flush()


def _progress(what: str, done: int, total: int | None) -> None:
    """Progress on standard error, where somebody looks on."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r{for_terminal(what)} {done:,}{f' of {total:,}' if total else ''}\x1b[K")
        sys.stderr.flush()
