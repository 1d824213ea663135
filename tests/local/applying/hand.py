"""A process that applies changes and can be killed or starved at any of its system calls.

`python -m tests.local.applying.hand` reads lines of a desk's folder and a scenario; for each it forks a child that
waits at the FIFO `go` until a tracer is attached, and says in `said` how it went. What it says goes out by `writev`,
which the applier never calls, so that a fault of `write` cannot silence it.
"""

from __future__ import annotations

import asyncio
import os
import sys
from concurrent.futures import Executor, Future
from pathlib import Path

from orange_jupyter.local.applying import applier as module
from tests.local.applying.desk import Desk

module.PATIENCE_S = 1.0  # a lock that cannot be taken at all is given up soon


def three_files(desk):
    """A write, a new file and a move."""
    return (
        desk.write("a.md", b"new text\n" * 50),
        desk.create("new.md"),
        desk.move("m.md", "sub/moved.md"),
    )


def deletion(desk):
    """A folder goes to the trash."""
    return (desk.trash("d"),)


def undoing(desk):
    """A deleted folder and an old text come back, a created file goes."""
    return (desk.restore("d", "op_kept"), desk.write("a.md", b"old text\n"), desk.trash("m.md"))


class Here(Executor):
    """Runs what would go to a thread at once: a process with one thread can be killed anywhere without a race."""

    def submit(self, work, /, *arguments, **named):
        future = Future()
        try:
            future.set_result(work(*arguments, **named))
        except Exception as error:  # noqa: BLE001 (as every executor)
            future.set_exception(error)
        return future


SCENARIOS = {"three_files": three_files, "deletion": deletion, "undoing": undoing}


def say(said, text):
    """A line for the test."""
    os.writev(said, [text.encode() + b"\n"])


def shown(result):
    """Whether a step is done, its code, how many warnings it has, and whether it says that the disk is not sure."""
    unsure = "unsure" if "did not confirm" in result.message else ""
    return f"{result.done}:{result.code or ''}:{len(result.warnings)}:{unsure}"


async def apply(desk, scenario, applier, said):
    """Apply and forget; a line for what was applied, a step a word."""
    applied = await applier.apply(SCENARIOS[scenario](desk))
    say(said, " ".join(["applied", *(map(shown, applied.results))]))
    await applier.forget(applied.batch_id)


async def recover(applier):
    """Recover and forget everything; the results of what was found."""
    found = await applier.recover()
    for one in found:
        await applier.forget(one.batch_id)
    return found


async def begin(desk, scenario, said):
    """Wait at the barrier with everything that asyncio needs made, then work in this very thread."""
    asyncio.get_running_loop()._default_executor = Here()  # set_default_executor takes thread pools only
    applier = desk.applier()
    go = os.open(desk.base / "go", os.O_RDWR)
    (desk.base / "ready").touch()
    os.readv(go, [bytearray(1)])  # never called by the applier: a tracer may count it or not
    await (recover(applier) if scenario == "recover" else apply(desk, scenario, applier, said))


def child(base, scenario):
    """The forked process's life."""
    desk = Desk(Path(base))
    said = os.open(desk.base / "said", os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND)
    try:
        asyncio.run(begin(desk, scenario, said))
    except Exception as error:  # noqa: BLE001 (a test reads it)
        say(said, f"raised {type(error).__name__} {getattr(error, 'code', error)}")


def main():
    for line in sys.stdin:
        base, scenario = line.rstrip("\n").split("\t")
        pid = os.fork()
        if pid == 0:
            try:
                child(base, scenario)
            finally:
                os._exit(0)
        print(pid, flush=True)
        os.waitpid(pid, 0)
        print("ended", flush=True)


if __name__ == "__main__":
    main()
