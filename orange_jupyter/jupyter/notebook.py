"""One kernel's Orange: turns cells and lines into work on the runtime and waits for it (R-NB-2, R-NB-3)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from orange_jupyter.core.errors import UsageError
from orange_jupyter.jupyter.entrance import Entrance, Guard
from orange_jupyter.jupyter.options import Options, help_of_cell, parse_options, split
from orange_jupyter.jupyter.people import Front, front_of, where_of
from orange_jupyter.jupyter.ports import CellRequest, CommandReply, Door, Where
from orange_jupyter.jupyter.screen import EMPTY, Screen
from orange_jupyter.jupyter.stage import CellStage
from orange_jupyter.jupyter.strings import Language, says, text
from orange_jupyter.jupyter.turn_display import TurnDisplay
from orange_jupyter.jupyter.wait_await import wait_awaiting, wait_blocking
from orange_jupyter.jupyter.wait_detached import Detached
from orange_jupyter.jupyter.wait_pump import pump_of, wait_pumping
from orange_jupyter.jupyter.waiting import Job, Way, choose, kernel_version
from orange_jupyter.jupyter.work import LineWork, TurnWork, shown_reply, told

if TYPE_CHECKING:
    from orange_jupyter.jupyter.inspector.inspections import Opened

REPR_LIMIT = 4000
"""Characters of a variable's repr that `--var` attaches."""


class NeededPerson(Exception):
    """`headless.strict`: something was refused because nobody was there (R-APPR-4)."""

    def _render_traceback_(self) -> list[str]:
        return [f"Orange: {self}"]


class Notebook:
    """The Orange of one shell. Its methods are called on the kernel's main thread; work runs on the runtime."""

    def __init__(self, shell: Any, door: Door, guard: Guard) -> None:
        self.entrance = Entrance(door, guard)
        self._shell = shell
        self._detached = Detached()
        self._newest: Screen | None = None

    async def cell(self, line: str, body: str, *, awaited: bool) -> None:
        """Run a `%%orange` cell. Raises KeyboardInterrupt when interrupted, NeededPerson where strict."""
        screen = Screen(self._shell, front_of(self._shell))
        missed = await self.entrance.guard(self._cell(screen, line, body, awaited=awaited), screen.fail)
        screen.settle()
        _raise_if(missed)

    async def line(self, line: str, *, awaited: bool) -> None:
        """Run a `%orange` line. Raises KeyboardInterrupt when interrupted, NeededPerson where strict."""
        screen = Screen(self._shell, front_of(self._shell))
        missed = await self.entrance.guard(self._line(screen, line, awaited=awaited), screen.fail)
        screen.settle()
        _raise_if(missed)

    def where(self) -> Where:
        """Where the cell that runs now stands."""
        names = self._shell.user_ns
        return where_of(
            self._shell,
            notebook=names.get("__vsc_ipynb_file__") or names.get("__session__"),
            locale=self.entrance.door.locale(lab=front_of(self._shell) is Front.NOTEBOOK),
        )

    async def _cell(self, screen: Screen, line: str, body: str, *, awaited: bool) -> bool:
        language = self.where().language
        options = parse_options(line, language)
        if options.help:
            shown = help_of_cell(language)
            screen.record({"text/markdown": shown, "text/plain": shown})
            return False
        job, work = self.begin(self._request(options, body), screen)
        self._newest = screen
        way = self._way(screen.front, awaited=awaited, detach=options.detach)
        if way is Way.DETACHED:
            self.entrance.runtime.call_soon(work.stage.goes_on)
        await self._wait(job, way, work.stage)
        return job.done and work.missed_person

    def begin(self, request: CellRequest, screen: Screen) -> tuple[Job, TurnWork]:
        """Start a turn that shows itself on `screen`, the displays of the cell that runs now."""
        stage = self._stage(screen, request.where)
        display = TurnDisplay(screen, stage, request.where.language)
        display.reserve()
        work = TurnWork(self.entrance, request, display, self._shell.user_ns)
        return self._start(work, screen, stage), work

    async def _line(self, screen: Screen, line: str, *, awaited: bool) -> bool:
        words = tuple(split(line, self.where().language))
        if words == ("wait",):
            await self._join(screen, awaited=awaited)
            return False
        way = self._way(screen.front, awaited=awaited)
        where = replace(self.where(), way=way.value)
        stage = self._stage(screen, where)
        if way in (Way.PUMP, Way.DETACHED):
            screen.record(EMPTY)  # on kernels before 7 only a display made here stays in this cell
        work = LineWork(self.entrance, words, where, screen, stage)
        job = self._start(work, screen, stage)
        if way is Way.DETACHED:  # most lines are quick; one that asks goes on by itself, so that its card can answer
            wait_blocking(job, until=lambda: stage.asking)
        if not job.done:
            await self._wait(job, way, stage)
        return job.done and work.missed_person

    async def _join(self, screen: Screen, *, awaited: bool) -> None:
        """Wait for the turns that go on by themselves; their buttons are here too. Without one: the newest record."""
        screen.record(EMPTY)
        screen.controls(EMPTY)
        way = self._way(screen.front, awaited=awaited)
        if way is Way.DETACHED:  # no click gets through, but joining is what was asked for
            way = Way.AWAIT if awaited else Way.BLOCK
        left = self._detached.left()
        for job, stage in left:
            self.entrance.runtime.call_soon(stage.mirror, screen)
            await self._wait(job, way, stage)
        if screen.front is not Front.NOTEBOOK:
            return
        newest = self._newest.shown if self._newest and not left else None
        screen.record(newest or told(text(self.where().language, "life.joined" if left else "life.alone")))

    def _way(self, front: Front, *, awaited: bool, detach: bool = False) -> Way:
        pump = pump_of(self._shell) is not None
        return choose(front, awaited=awaited, detach=detach, kernel=kernel_version(), pump=pump)

    def _start(self, work: TurnWork | LineWork, screen: Screen, stage: CellStage) -> Job:
        return Job(self.entrance.runtime.submit(self._run(work, screen, stage)), work.stop, stage.prompts)

    async def _run(self, work: TurnWork | LineWork, screen: Screen, stage: CellStage) -> None:
        """Run the work; its controls go when the cell shows how it ended."""
        try:
            await self.entrance.guard(work.run(), screen.fail)
        finally:
            stage.close()

    async def _wait(self, job: Job, way: Way, stage: CellStage) -> None:
        match way:
            case Way.AWAIT:
                await wait_awaiting(job)
            case Way.PUMP:
                wait_pumping(job, self._shell)
            case Way.BLOCK:
                wait_blocking(job)
            case Way.DETACHED:
                job.prompts.leave()
                self._detached.add(job, stage)

    def stage(self, *, clicks: bool) -> CellStage:
        """Where the Python API's questions are put, in the cell that runs now.

        `clicks`: the cell awaits, so a card works. Else its thread is blocked: `wait_here` serves what is asked, with
        a card where the pump serves and with `input()` where not.
        """
        front = front_of(self._shell)
        typing = front is Front.NOTEBOOK and not clicks and pump_of(self._shell) is None
        return self._stage(Screen(self._shell, Front.TERMINAL if typing else front), self.where())

    def show(self, reply: CommandReply) -> None:
        """Show a reply in the cell that runs now, with its live view; on the kernel's main thread."""
        screen = Screen(self._shell, front_of(self._shell))
        screen.record(shown_reply(reply))
        if reply.pages is not None:
            screen.controls(EMPTY)  # made here, so that it stays in this cell
            language = self.where().language
            self.entrance.runtime.run(self._inspect(reply.pages, screen, language))
        screen.settle()

    async def _inspect(self, pages: Opened, screen: Screen, language: Language) -> None:
        await self.entrance.inspections.show(pages, screen, language)

    def wait_here(self, job: Job) -> None:
        """Block the cell's thread until a job of the Python API ended. An interrupt stops it and is raised again."""
        if front_of(self._shell) is Front.NOTEBOOK:
            wait_pumping(job, self._shell)
        else:
            wait_blocking(job)

    def _stage(self, screen: Screen, where: Where) -> CellStage:
        return CellStage(screen, self.entrance.runtime, self.entrance.approver, where.language)

    def _request(self, options: Options, body: str) -> CellRequest:
        values = tuple((name, self._value(name)) for name in options.variables)
        return CellRequest(body, options, self.where(), options.images, values, self._shell.execution_count)

    def _value(self, name: str) -> str:
        if name not in self._shell.user_ns:
            say = says(self.where().language)
            raise UsageError(say("cell.variable", name=name), hint=say("cell.variable.hint"))
        whole = repr(self._shell.user_ns[name])
        return whole if len(whole) <= REPR_LIMIT else f"{whole[:REPR_LIMIT]}… (+{len(whole) - REPR_LIMIT:,})"


def _raise_if(missed: object) -> None:
    if missed:
        raise NeededPerson("a person was needed and nobody is here (headless.strict).")
