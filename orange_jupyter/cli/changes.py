"""`changes list|show|apply|reject|undo`: a session's proposed changes from the command line (R-HL-2, R-SCH-10)."""

from __future__ import annotations

import shlex
import sys
from argparse import Namespace
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from orange_jupyter.app import App, Opened, locale
from orange_jupyter.cli.plain import as_terminal
from orange_jupyter.commands.changes import Desk, chosen, run
from orange_jupyter.commands.changes_text import Telling, sections
from orange_jupyter.core.changes.values import Operation
from orange_jupyter.core.errors import RightsError, SessionError
from orange_jupyter.core.grant import Grant, Tier
from orange_jupyter.core.visible import for_terminal
from orange_jupyter.jupyter.strings import language_of, says
from orange_jupyter.session_changes import Plainly, SessionChanges
from orange_jupyter.storage.session_rows import SessionRecord

CLI_SESSION = "cli"
"""The session of single calls."""


@dataclass(frozen=True, slots=True)
class _Whose:
    """Whose changes are meant: `rights` are those of the stored session, `option` is how it is named in a line."""

    session_id: str
    rights: Grant
    option: str


async def changes(app: App, given: Namespace) -> tuple[dict[str, Any], str]:
    """Run one verb: its document and its text. Raises OrangeError."""
    whose = await _whose(app, given.session)
    desk = _desk(app, whose)
    ids: Sequence[str] = getattr(given, "ids", ())
    try:
        reply = await run(desk, given.verb, ids)
    except RightsError as error:
        raise RightsError(error.code, error.message, hint=error.hint or _hint(given.session)) from None
    if given.verb != "show":
        return reply.data or {}, as_terminal(reply.markdown)
    parts = [f"{as_terminal(head)}\n{diff}" for head, diff in sections(desk.telling, await chosen(desk, ids))]
    return reply.data or {}, "\n".join(parts) or as_terminal(reply.markdown)


def tell_waiting(app: App, opened: Opened, proposed: Sequence[Operation]) -> None:
    """After `ask`: how many changes of its turn wait, and how to look at them, on standard error (R-APPR-4)."""
    waiting = [one for one in proposed if one.state.open]
    if waiting:
        show = _spelled(f" --session {opened.session.state.session_id}")("show")
        words = says(language_of(locale()))("changes.after_ask", n=len(waiting), show=show)
        sys.stderr.write(for_terminal(app.mask(words)) + "\n")
        sys.stderr.flush()


async def _whose(app: App, name: str | None) -> _Whose:
    """The named session, else that of single calls, which need not be there yet. Raises SessionError not_found."""
    try:
        record = await app.ground.sessions.get(name or CLI_SESSION)
    except SessionError:
        if name not in (None, CLI_SESSION):
            raise
        return _Whose("", Grant(tier=Tier.WORKSPACE_WRITE), "")
    return _Whose(record.session_id, _rights(record, name), f" --session {shlex.quote(name)}" if name else "")


def _rights(record: SessionRecord, name: str | None) -> Grant:
    """The stored tier and plan switch; single calls are made by who types here (R-SCH-10)."""
    own = name in (None, CLI_SESSION) and record.notebook is None
    tier = Tier.WORKSPACE_WRITE if own else record.tier
    return Grant(tier=tier, plan=record.plan, version=record.permission_version)


def _desk(app: App, whose: _Whose) -> Desk:
    command = _spelled(whose.option)
    known = SessionChanges(app.means, whose.session_id, Plainly(app.means, lambda: whose.rights), command)
    return Desk(known, Telling(says(language_of(locale())), app.mask, app.find_secrets, command))


def _spelled(option: str) -> Callable[[str], str]:
    return lambda words: f"orange-jupyter changes {words}{option}"


def _hint(name: str | None) -> str:
    return (
        "These are the rights that the session keeps; a tier that was given to one run is not kept. In a notebook: "
        f"%orange session use {name}, then %orange tier or %orange plan off. What was asked with "
        f"--session {CLI_SESSION} can be applied from here."
    )
