"""A process that applies changes and can be killed or starved at any of its system calls.

`python -m tests.local.applying.hand` reads lines of a desk's folder and a scenario; for each it forks a child that
waits at the FIFO `go` until a tracer is attached, and writes to `said` when the applier has returned.
"""

from __future__ import annotations

import asyncio
import os
import sys
from concurrent.futures import Executor, Future
from pathlib import Path

from tests.local.applying.desk import Desk


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


async def apply(desk, scenario):
    """Apply and forget; a line for each."""
    applier = desk.applier()
    applied = await applier.apply(SCENARIOS[scenario](desk))
    results = " ".join(f"{one.done}:{one.code or ''}" for one in applied.results)
    (desk.base / "said").write_text(f"applied {results}\n")
    await applier.forget(applied.batch_id)


async def recover(desk):
    """Recover and forget everything; the results of what was found."""
    applier = desk.applier()
    found = await applier.recover()
    for one in found:
        await applier.forget(one.batch_id)
    return found


async def begin(desk, work):
    """Wait at the barrier with everything that asyncio needs made, then work in this very thread."""
    asyncio.get_running_loop()._default_executor = Here()  # set_default_executor takes thread pools only
    go = os.open(desk.base / "go", os.O_RDWR)
    (desk.base / "ready").touch()
    os.read(go, 1)
    await work(desk)


def child(base, scenario):
    """The forked process's life."""
    desk = Desk(Path(base))
    work = recover if scenario == "recover" else lambda desk: apply(desk, scenario)
    try:
        asyncio.run(begin(desk, work))
    except Exception as error:  # noqa: BLE001 (a test reads it)
        (desk.base / "said").write_text(f"raised {type(error).__name__} {getattr(error, 'code', error)}\n")


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
