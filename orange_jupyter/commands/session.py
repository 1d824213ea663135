"""`%orange session`: list, use, new, rename, delete, export (R-SESS-1)."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path
from typing import Any

from orange_jupyter.commands.standing import ENGLISH, Standing, choose, none, one, plain, table, take
from orange_jupyter.core.errors import UsageError
from orange_jupyter.jupyter.ports import CommandReply
from orange_jupyter.jupyter.strings import Say
from orange_jupyter.storage.export import export_json, export_markdown, summary
from orange_jupyter.storage.session_rows import SessionRecord
from orange_jupyter.storage.transcript import Transcript

USAGE = "%orange session list | use NAME | new [TITLE] | rename TITLE | delete NAME | export [NAME] [--to FILE]"


async def session(at: Standing, words: tuple[str, ...]) -> CommandReply:
    """Run one verb; `list` without any."""
    verb, rest = choose(words, ("list", "use", "new", "rename", "delete", "export"), "session", at.say)
    match verb:
        case "use":
            return await _use(at, one(rest, "%orange session use NAME", at.say))
        case "new":
            return await _new(at, " ".join(rest))
        case "rename":
            return await _rename(at, " ".join(rest))
        case "delete":
            return await _delete(at, one(rest, "%orange session delete NAME", at.say))
        case "export":
            return await _export(at, rest)
        case _:
            none(rest, USAGE, at.say)
            return await _list(at)


async def _list(at: Standing) -> CommandReply:
    records = await at.app.ground.sessions.list()
    own, say = at.opened.record.session_id, at.say
    rows = [
        (
            say("now") if one.session_id == own else "",
            one.title or say("untitled"),
            one.turns,
            one.updated_at,
            one.session_id,
        )
        for one in records
    ]
    shown = table(("", say("session"), say("session.turns"), say("session.used"), say("session.id")), rows)
    return CommandReply(shown, {"ok": True, "sessions": [summary(one) for one in records]})


async def _use(at: Standing, name: str) -> CommandReply:
    record = await at.app.ground.sessions.get(name)
    opened = await at.app.resume(record, notebook=at.where.notebook)
    at.use(opened)
    if at.where.notebook:
        await at.app.ground.sessions.update(record.session_id, notebook=at.where.notebook)
    text = at.say("session.use", title=plain(record.title or record.session_id), n=record.turns)
    return CommandReply(text, {"ok": True, "sessionId": record.session_id})


async def _new(at: Standing, title: str) -> CommandReply:
    opened = await at.app.create(title=title, notebook=at.where.notebook)
    at.use(opened)
    named = f"**{plain(title)}**" if title else at.say("session.new.untitled")
    model = await at.app.model(opened.session.state.model)
    await model.close()
    host = model.info.host
    where = at.say("session.goes", host=plain(host)) if host else at.say("session.stays")
    text = at.say("session.new", title=named, model=plain(opened.session.state.model), where=where)
    return CommandReply(text, {"ok": True, "sessionId": opened.record.session_id})


async def _rename(at: Standing, title: str) -> CommandReply:
    if not title.strip():
        raise UsageError(at.say("session.title"))
    await at.opened.session.rename(title)
    return CommandReply(at.say("session.renamed", title=plain(title)), {"ok": True, "title": title})


async def _delete(at: Standing, name: str) -> CommandReply:
    record = await at.app.ground.sessions.get(name)
    lease = await at.app.release(record.session_id)
    try:
        await at.app.ground.sessions.delete(record.session_id, lease)
    finally:
        if lease is not None:
            lease.release()
    if record.session_id == at.opened.record.session_id:
        at.use(await at.app.create(notebook=at.where.notebook))
    text = at.say("session.deleted", title=plain(record.title or record.session_id))
    return CommandReply(text, {"ok": True, "sessionId": record.session_id})


async def _export(at: Standing, words: tuple[str, ...]) -> CommandReply:
    rest, given = take(words, ("--to",), USAGE, at.say)
    usage = "%orange session export [NAME] [--to FILE]"
    name = one(rest, usage, at.say) if rest else at.opened.record.session_id
    record = await at.app.ground.sessions.get(name)
    target = given.get("--to") or f"{_file_name(record)}.md"
    text = await exported(at, record, as_json=target.endswith(".json"))
    path = await asyncio.to_thread(write_new, Path(at.where.folder) / target, text, at.say)
    return CommandReply(at.say("session.written", path=plain(path)), {"ok": True, "path": str(path)})


async def exported(at: Standing, record: SessionRecord, *, as_json: bool) -> str:
    """A session as one document."""
    record = await at.app.ground.sessions.get(record.session_id)
    turns = await Transcript(at.app.ground.database, record.session_id).turns()
    return export_json(record, turns) if as_json else export_markdown(record, turns)


async def document(at: Standing, record: SessionRecord) -> dict[str, Any]:
    """A session as `session show` prints it: its summary and its turns."""
    whole: dict[str, Any] = json.loads(await exported(at, record, as_json=True))
    session_document: dict[str, Any] = whole["session"]
    return session_document


def write_new(path: Path, text: str, say: Say = ENGLISH) -> Path:
    """Write a file that was not there; never overwrites. Raises UsageError."""
    try:
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise UsageError(say("session.there", path=path), hint=say("session.there.hint")) from None
    except OSError as error:
        raise UsageError(say("session.unwritable", path=path, why=error.strerror)) from error
    with os.fdopen(fd, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def _file_name(record: SessionRecord) -> str:
    kept = "".join(c if c.isalnum() or c in " -_" else " " for c in record.title)
    return " ".join(kept.split())[:60] or record.session_id
