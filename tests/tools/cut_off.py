"""A process that decides on the open changes of an installation and dies on the way: `python -m tests.tools.cut_off`."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from orange_jupyter.app import App
from orange_jupyter.core.changes.applying import apply
from orange_jupyter.core.changes.deciding import digest
from orange_jupyter.core.changes.ports import Applied, Step
from orange_jupyter.core.changes.undoing import undo
from orange_jupyter.core.changes.values import Choice
from orange_jupyter.core.grant import Grant, Tier
from orange_jupyter.terminal import Yes
from tests.tools.changing import environ


@dataclass
class Dying:
    """The applier, and the end of the process after `apply` (the disk) or before `forget` (disk and store)."""

    applier: Any
    at: str

    async def apply(self, steps: Sequence[Step]) -> Applied:
        """As the applier; then the end."""
        done = await self.applier.apply(steps)
        if self.at == "disk":
            os._exit(9)
        return done

    async def forget(self, batch_id: str) -> None:
        """The end."""
        os._exit(9)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.applier, name)


async def die(tmp: Path, act: str, at: str, ids: Sequence[str]) -> None:
    """Apply or undo these operations and die."""
    app = await App.open(environ(tmp), str(tmp / "kb"), Yes())
    means = replace(app.means, applier=Dying(app.means.applier, at))
    grant = Grant(tier=Tier.WORKSPACE_WRITE)
    if act == "undo":
        await undo(means, grant, ids)
    else:
        found = await means.store.find(ids)
        await apply(means, grant, [Choice(operation_id=one.id, digest=digest(one)) for one in found])


async def look(tmp: Path, ids: Sequence[str]) -> None:
    """A start elsewhere: how these operations stand then, as a line of JSON."""
    app = await App.open(environ(tmp), str(tmp / "kb"), Yes())
    print(json.dumps([str(one.state) for one in await app.means.store.find(ids)]), flush=True)
    await app.close()


def apart(work: Coroutine[Any, Any, None]) -> int:
    """Do it in a process of its own; how that ended."""
    child = os.fork()
    if child == 0:
        asyncio.run(work)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def main(folder: str, script: str) -> None:
    """`script` is JSON: [[act, at, ids, whether to start once more elsewhere], …]"""
    tmp = Path(folder)
    for act, at, ids, then in json.loads(script):
        assert apart(die(tmp, act, at, ids)) == 9
        if then:
            assert apart(look(tmp, ids)) == 0


if __name__ == "__main__":
    main(*sys.argv[1:])
