"""Two processes that write one note at the same moment, round by round."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from tests.local.applying.desk import Desk

WRITER = """
import asyncio, sys
from pathlib import Path
from tests.local.applying.desk import Desk
desk, name = Desk(Path(sys.argv[1])), sys.argv[2]

async def main():
    applier = desk.applier()
    while sys.stdin.readline():
        result = None
        while result is None or not result.done:
            old = (desk.root / "a.md").read_bytes()
            applied = await applier.apply([desk.write("a.md", old + name.encode() + b"\\n", old)])
            await applier.forget(applied.batch_id)
            (result,) = applied.results
            assert result.done or result.code == "stale_source", result
        print("done", flush=True)

asyncio.run(main())
"""


def contended(folder: Path) -> Callable[[random.Random], bool]:
    """C23: in a round each of two processes adds a line to one note; both lines are there, and nothing else.

    The processes end with this one.
    """
    desk = Desk(folder)
    note = desk.put("a.md", b"")
    where = Path(__file__).parents[3]
    both = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(desk.base), name],
            cwd=where,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for name in "xy"
    ]
    wanted = {"x": 0, "y": 0}

    def once(_: random.Random) -> bool:
        for one in both:
            assert one.stdin is not None
            one.stdin.write("\n")
            one.stdin.flush()
        said = [one.stdout.readline() for one in both if one.stdout is not None]
        for name in wanted:
            wanted[name] += 1
        lines = note.read_text().split("\n")[:-1]
        return said == ["done\n"] * 2 and {name: lines.count(name) for name in wanted} == wanted and len(lines) == sum(
            wanted.values()
        )  # fmt: skip

    return once
