"""`%orange status`, `usage`, `doctor`: how things stand and what to do about it."""

from __future__ import annotations

import asyncio
import os
import platform
import sys
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from orange_jupyter.commands.standing import Standing, plain, table
from orange_jupyter.core.errors import OrangeError
from orange_jupyter.core.events import StepFinished, TurnFinished
from orange_jupyter.core.messages import Usage
from orange_jupyter.jupyter.ports import CommandReply
from orange_jupyter.storage.transcript import Transcript
from orange_jupyter.turns import session_document, usage_document


async def status(at: Standing, _: tuple[str, ...]) -> CommandReply:
    """One look at the session: rights, model and where text goes, knowledge bases."""
    state = at.opened.session.state
    model = await at.app.model(state.model)
    say = at.say
    await model.close()
    reach = await at.app.reach(state.knowledge_bases)
    bases = ", ".join(base.name for base in reach.bases)
    rows = [
        (say("session"), state.title or say("untitled")),
        (say("status.tier"), say("status.rights", tier=state.tier, version=state.permission_version)),
        (say("status.plan"), say("on" if state.plan else "off")),
        (say("status.model"), state.model + (say("status.embedded") if model.info.embedded else "")),
        (say("status.goes"), model.info.host or say("status.stays")),
        (say("status.bases"), bases or say("nothing")),
        (say("session.turns"), state.turns),
    ]
    data = {
        "ok": True,
        "session": session_document(state),
        "host": model.info.host,
        "knowledgeBases": [{"id": base.id, "name": base.name, "root": base.root} for base in reach.bases],
    }
    return CommandReply(table(("", ""), rows) + ("" if bases else f"\n\n{say('kb.none')}"), data)


async def usage(at: Standing, _: tuple[str, ...]) -> CommandReply:
    """Tokens of each turn of this session and together; cost only where prices are known."""
    say = at.say
    events = await Transcript(at.app.ground.database, at.opened.record.session_id).events()
    turns = [event for event in events if isinstance(event, TurnFinished)]
    total = sum((event.usage for event in events if isinstance(event, StepFinished)), Usage())
    rows: list[tuple[object, ...]] = [
        (number, f"{turn.usage.input_tokens:,}", f"{turn.usage.output_tokens:,}", turn.steps, f"{turn.seconds:.1f}")
        for number, turn in enumerate(turns, 1)
    ]
    rows.append(
        (say("usage.all"), f"{total.input_tokens:,}", f"{total.output_tokens:,}", sum(turn.steps for turn in turns), "")
    )
    shown = table([say(f"usage.{key}") for key in ("turn", "in", "out", "steps", "seconds")], rows)
    return CommandReply(shown, {"ok": True, "usage": usage_document(total), "turns": len(turns)})


async def doctor(at: Standing, _: tuple[str, ...]) -> CommandReply:
    """Checks of this installation; each line that is not ok says what to do."""
    checks = [
        _python(),
        *_packages(),
        await _writable("State folder", str(at.app.ground.folders.home), "ORANGE_HOME"),
        await _writable("Cache folder", str(at.app.ground.folders.cache), "ORANGE_CACHE", bad="warning"),
        await _bases(at),
        await _index(at),
        await _model(at),
    ]
    warning = at.app.ground.file_ids.warning
    if warning:
        checks.append({"name": "File ids", "status": "warning", "message": warning})
    return _checked(checks)


def unopened(error: OrangeError) -> CommandReply:
    """The checks that are possible where the state folder or the settings cannot be used."""
    name = "State folder" if isinstance(error.__cause__, OSError) else "Settings"
    return _checked([_python(), *_packages(), _check(name, error.message, False, error.hint or "")])


def _checked(checks: list[dict[str, Any]]) -> CommandReply:
    rows = [
        (one["name"], one["status"], one["message"] + (f" {one['action']}" if "action" in one else ""))
        for one in checks
    ]
    ok = all(one["status"] != "failed" for one in checks)
    return CommandReply(table(("Check", "", ""), rows), {"ok": ok, "checks": checks})


def _check(name: str, message: str, ok: bool, action: str = "", *, bad: str = "failed") -> dict[str, Any]:
    about = {"name": name, "status": "ok" if ok else bad, "message": message}
    return about if ok or not action else about | {"action": action}


def _python() -> dict[str, Any]:
    return _check("Python", platform.python_version(), sys.version_info >= (3, 11), "Use Python 3.11 or newer.")


def _packages() -> list[dict[str, Any]]:
    checks = []
    for name, action in (
        ("ipykernel", "Install it: pip install ipykernel."),
        ("ipywidgets", "Install it: pip install ipywidgets."),
        ("jupyterlab", "Only needed where Lab itself runs: pip install 'orange-jupyter[lab]'."),
        ("jieba", "Chinese questions find more with it: pip install 'orange-jupyter[zh]'."),
    ):
        try:
            checks.append(_check(name, version(name), True))
        except PackageNotFoundError:
            checks.append(_check(name, "not installed.", False, action, bad="warning"))
    return checks


async def _writable(name: str, folder: str, variable: str, *, bad: str = "failed") -> dict[str, Any]:
    ok = await asyncio.to_thread(lambda: os.path.isdir(folder) and os.access(folder, os.W_OK))
    message = folder if ok else f"{folder} is not a folder that can be written."
    return _check(name, message, ok, f"Make it writable, or set {variable} to another folder.", bad=bad)


async def _bases(at: Standing) -> dict[str, Any]:
    reach = await at.app.reach(at.opened.session.state.knowledge_bases)
    missing = [base.name for base in reach.bases if not await asyncio.to_thread(os.path.isdir, base.root)]
    if missing:
        message = f"Folder missing: {', '.join(missing)}."
        return _check("Knowledge bases", message, False, "Bring it back or %orange kb remove it.")
    names = ", ".join(base.name for base in reach.bases)
    return _check("Knowledge bases", names or "none selected.", bool(names), "%orange kb add .", bad="warning")


async def _index(at: Standing) -> dict[str, Any]:
    reach = await at.app.reach(at.opened.session.state.knowledge_bases)
    report = await reach.library.refresh(at.progress)
    files = sum(base.files for base in report.bases)
    failed = sum(len(base.failed) for base in report.bases)
    message = f"{files:,} files, {sum(base.chunks for base in report.bases):,} passages, {failed} not read."
    message += "".join(f" {warning}" for warning in report.warnings)
    return _check("Index", message, not (failed or report.warnings), "See %orange kb scan.", bad="warning")


async def _model(at: Standing) -> dict[str, Any]:
    name = at.opened.session.state.model
    try:
        model = await at.app.model(name)
    except OrangeError as error:
        return _check("Model", error.message, False, error.hint or "")
    await model.close()
    where = f"text goes to {model.info.host}" if model.info.host else "runs on this machine"
    action = "For a language model: %orange model add NAME --base-url URL --model ID."
    return _check("Model", f"{name}, {plain(where)}.", not model.info.embedded, action, bad="warning")
