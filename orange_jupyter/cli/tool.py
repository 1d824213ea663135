"""`tool` and `search`: one call through the same dispatch, policy and envelope as the model's (R-HL-2, R-SCH-10)."""

from __future__ import annotations

import asyncio
import json
from argparse import Namespace
from typing import Any

from orange_jupyter.app import App, Opened
from orange_jupyter.cli.ask import read_stdin, save_images
from orange_jupyter.core.codes import Code
from orange_jupyter.core.dispatch import Ran, run_call
from orange_jupyter.core.errors import CommandLineError
from orange_jupyter.core.events import StopReason, TurnFinished, TurnStarted
from orange_jupyter.core.messages import ToolCall
from orange_jupyter.core.turn import Audience
from orange_jupyter.jupyter.options import nearest
from orange_jupyter.storage.ids import new_id
from orange_jupyter.tools import TOOLS


async def tool(app: App, opened: Opened, given: Namespace) -> tuple[dict[str, Any], str]:
    """Run one call; the envelope, uncut. Raises CommandLineError for an unknown tool or bad JSON (status 2)."""
    names = tuple(one.name for one in TOOLS)
    if given.name not in names:
        message = f"There is no tool {given.name}.{nearest(given.name, names)}"
        raise CommandLineError(message, hint=f"Tools: {', '.join(names)}.", code=Code.UNKNOWN_TOOL)
    ran = await call(app, opened, given.name, await _arguments(given.arguments))
    if given.save_images:
        await save_images(app, list(ran.result.images), given.save_images)
    return ran.envelope, json.dumps(ran.envelope, ensure_ascii=False, indent=2)


async def _arguments(text: str) -> dict[str, Any]:
    if text == "-":
        text = await asyncio.to_thread(read_stdin)
    try:
        arguments = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise CommandLineError(f"The arguments are not JSON: {error}.", code=Code.MALFORMED_ARGUMENTS) from None
    if not isinstance(arguments, dict):
        message = 'The arguments must be a JSON object, such as {"query": "snow"}.'
        raise CommandLineError(message, code=Code.MALFORMED_ARGUMENTS)
    return arguments


async def search(app: App, opened: Opened, given: Namespace) -> tuple[dict[str, Any], str]:
    """`search QUERY`: the envelope of the tool, and its passages as text."""
    arguments = {
        "query": given.query,
        "limit": given.limit,
        "tags": given.tag or None,
        "fileTypes": given.types or None,
        "pathPrefix": given.path_prefix,
        "updatedAfter": given.after,
        "updatedBefore": given.before,
    }
    ran = await call(app, opened, "search", {name: value for name, value in arguments.items() if value is not None})
    return ran.envelope, _passages(ran.envelope)


async def call(app: App, opened: Opened, name: str, arguments: dict[str, Any]) -> Ran:
    """One call as a turn of its own, so that its decision stands in the session's record (R-APPR-5)."""
    session = opened.session
    state, turn_id = session.state, new_id("t_")
    model = await app.model(state.model)
    reach = await app.reach(state.knowledge_bases)
    audience = Audience(session.recorder)
    desk = session.bench(model, reach).desk(turn_id, audience)
    began = app.ground.clock.monotonic()
    text = app.mask(f"{name} {json.dumps(arguments, ensure_ascii=False)}")
    await audience.hear(
        TurnStarted(
            turn_id=turn_id,
            session_id=state.session_id,
            number=state.turns + 1,
            text=text,
            model=model.info.name,
            tier=state.tier,
            plan=state.plan,
            permission_version=state.permission_version,
            knowledge_bases=tuple(base.name for base in reach.bases),
            started_at=app.ground.clock.now(),
        )
    )
    try:
        ran = await run_call(desk, ToolCall(id="call_1", name=name, arguments=arguments))
    finally:
        await model.close()
    await audience.hear(
        TurnFinished(
            turn_id=turn_id,
            stop_reason=StopReason.ANSWER,
            answer="",
            steps=0,
            seconds=round(app.ground.clock.monotonic() - began, 3),
            finished_at=app.ground.clock.now(),
        )
    )
    return ran


def _passages(envelope: dict[str, Any]) -> str:
    if not envelope["ok"]:
        return str(envelope["error"]["message"])
    lines = []
    for number, one in enumerate(envelope["citations"], 1):
        place = " > ".join([one["path"], *one["headingPath"]]) + (f", p. {one['page']}" if "page" in one else "")
        lines.append(f"{number}. {place}\n   {' '.join(one['passage'].split())[:300]}")
    return "\n".join([*(lines or [envelope.get("hint", "Nothing found.")]), *envelope.get("notices", [])])
