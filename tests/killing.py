"""Kills a turn at every step in processes of its own and resumes it; the program behind test_killed_turns.py.

`python -m tests.killing HOME KB` forks from a process without threads: one child runs a turn and kills itself with
SIGKILL at its n-th event or piece of text, the next child resumes the session in the same store and asks again.
Prints one JSON line a point: how many things were heard, whether the turn had ended, and what the second turn's model
was sent.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from pathlib import Path

from orange_jupyter.app import App
from orange_jupyter.config import ModelSettings, Provider, add_model, use_model
from orange_jupyter.core.messages import Role, ToolResult
from orange_jupyter.core.session import Said
from orange_jupyter.providers.scripted import Script, ScriptedCall, ScriptedReply
from orange_jupyter.terminal import Nobody

MOST = 200
TITLE = "killed"
SCRIPT = Script(
    replies=(
        ScriptedReply(
            text="Looking. 先查笔记。",
            calls=(
                ScriptedCall(name="search", arguments={"query": "melt"}),
                ScriptedCall(name="list", arguments={}),
            ),
        ),
        ScriptedReply(calls=(ScriptedCall(name="read", arguments={"path": "a.md"}),)),
        ScriptedReply(calls=(ScriptedCall(name="exec", arguments={"command": "ls"}),)),
        ScriptedReply(text="The melt is 4.6 mm [c1].", chunk=8),
    )
)


class Killer:
    """A view that ends its process at the n-th thing it hears."""

    def __init__(self, at: int):
        self.left = at
        self.heard = 0

    def _count(self):
        self.heard += 1
        self.left -= 1
        if self.left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    async def hear(self, _event):
        self._count()

    def delta(self, _delta):
        self._count()


def environment(home):
    """A private installation."""
    return {"HOME": home, "ORANGE_HOME": f"{home}/orange", "ORANGE_CACHE": f"{home}/cache"}


async def ask(home, kb, view):
    """One turn in the session; returns the requests that its model got."""
    app = await App.open(environment(home), kb, Nobody())
    try:
        records = [one for one in await app.ground.sessions.list() if one.title == TITLE]
        opened = await app.resume(records[0], patience=2.0) if records else await app.create(title=TITLE)
        await opened.session.send("how much melt?", Said(views=(view,) if view else ()))
        model = app.models.make("script")
        return str(opened.cut_off), [request.messages for request in model.requests]
    finally:
        await app.close()


def in_child(work):
    """Run `work` in a forked child; (what it wrote, how it ended)."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        code = 1
        try:
            os.write(writer, json.dumps(work()).encode())
            code = 0
        finally:
            os._exit(code)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        written = pipe.read()
    _, status = os.waitpid(child, 0)
    return written, status


def well_formed(messages):
    """Wire row 14 by another count than repair's: each call answered once, at once, in order; nothing else answered."""
    due = []
    for message in messages:
        results = [part for part in message.parts if isinstance(part, ToolResult)]
        if message.role is Role.TOOL:
            for result in results:
                if not due or due.pop(0) != result.call_id:
                    return False
        elif due or results:
            return False
        due += [call.id for call in message.calls]
    return not due


def first_turn(home, kb, at):
    """The turn that is killed."""
    killer = Killer(at)
    asyncio.run(ask(home, kb, killer))
    return killer.heard


def second_turn(home, kb):
    """The next turn: what its first request held."""
    cut_off, requests = asyncio.run(ask(home, kb, None))
    sent = requests[0]
    said = [
        part.text for message in sent if message.role is Role.USER for part in message.parts if hasattr(part, "text")
    ]
    return {
        "cutOff": cut_off,
        "wellFormed": all(map(well_formed, requests)),
        "asked": sum("melt?" in one for one in said),
    }


def set_up(home):
    """Register the scripted model."""
    folder = Path(home)
    folder.mkdir()
    (folder / "orange").mkdir(mode=0o700)
    script = folder / "script.json"
    script.write_text(SCRIPT.model_dump_json(exclude_defaults=True))
    config = folder / "orange" / "config.toml"
    add_model(config, "script", ModelSettings(provider=Provider.SCRIPTED, script=str(script)))
    use_model(config, "script")


def main(base, kb):
    """Every point until a turn ends by itself."""
    for at in range(1, MOST):
        home = f"{base}/{at}"
        set_up(home)
        _, status = in_child(lambda home=home, at=at: first_turn(home, kb, at))
        ended = status == 0
        after, broken = in_child(lambda home=home: second_turn(home, kb))
        row = {"at": at, "ended": ended, "killed": os.WIFSIGNALED(status), "broken": broken}
        print(json.dumps(row | (json.loads(after) if after else {})), flush=True)
        if ended:
            return


if __name__ == "__main__":
    main(*sys.argv[1:])
