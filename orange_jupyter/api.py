"""The Python way in: `Session` for notebooks, scripts and terminals (R-NB-4)."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from typing import TYPE_CHECKING, Any, TypeVar

from orange_jupyter.api_changes import ChangesObject
from orange_jupyter.api_show import shown
from orange_jupyter.app import App, ForThisRun, Opened, environment, locale
from orange_jupyter.core.deltas import Delta
from orange_jupyter.core.errors import SessionError
from orange_jupyter.core.events import Event
from orange_jupyter.core.grant import Tier
from orange_jupyter.core.parts import State
from orange_jupyter.core.session import Said
from orange_jupyter.jupyter.ending import Ending
from orange_jupyter.jupyter.errand import Errand
from orange_jupyter.jupyter.extension import loaded
from orange_jupyter.jupyter.ports import CommandReply, Where
from orange_jupyter.jupyter.runtime import Runtime
from orange_jupyter.jupyter.stage import CellStage
from orange_jupyter.jupyter.strings import language_of
from orange_jupyter.jupyter.widgets.messages import LeaveQueue, Message, StopTurn
from orange_jupyter.jupyter.work import told
from orange_jupyter.reviewing import review_of
from orange_jupyter.session_changes import SessionChanges, proposed
from orange_jupyter.terminal import at_terminal
from orange_jupyter.turns import Collector, Turn

if TYPE_CHECKING:
    from orange_jupyter.jupyter.notebook import Notebook

Result = TypeVar("Result")


class Session:
    """A conversation over your notes.

    `name` is a title or id to go on in (made when it is new); without one a new session begins. `folder` is where
    `.orange/config.toml` is looked for, by default the working folder; `kb` names folders for this object only.
    In a notebook with the extension loaded it shares the kernel's runtime, and what must be asked is asked in the cell:
    on a card where the cell awaits, else at a prompt. Use it from any thread; others than the kernel's own are not
    asked.
    """

    def __init__(
        self, name: str | None = None, *, kb: tuple[str, ...] | list[str] | str = (), folder: str | None = None
    ) -> None:
        self._name = name
        self._folders = (kb,) if isinstance(kb, str) else tuple(kb)
        self._folder = os.path.realpath(folder or os.getcwd())
        extension = _extension()
        self._shared = extension is not None and not self._folders and folder is None
        self._kernel = extension
        self._runtime = extension.runtime if extension is not None else Runtime()
        self._app: App | None = None
        self._opened: Opened | None = None
        self._opening: asyncio.Task[Opened] | None = None
        self._stopping: set[asyncio.Task[Any]] = set()
        self._ending = None if self._shared else Ending(self.close)

    def ask(self, text: str) -> Turn:
        """Ask and wait. Raises OrangeError where the turn could not begin; Ctrl-C stops it."""
        return self._wait(self._ask(text))

    async def ask_async(self, text: str) -> Turn:
        """Ask from a running loop; cancelling the caller stops the turn."""
        return await self._errand(self._ask(text)).awaited()

    async def stream(self, text: str) -> AsyncIterator[Event | Delta]:
        """Every event and piece of the turn as it comes; the last one is TurnFinished. Leaving early stops the turn."""
        queue: asyncio.Queue[Event | Delta | None] = asyncio.Queue()
        heard = _Forward(asyncio.get_running_loop(), queue)
        errand = self._errand(self._ask(text, heard))
        try:
            while not (errand.job.done and queue.empty()):
                coming = asyncio.ensure_future(queue.get())
                try:
                    await errand.reached(coming)
                    await asyncio.sleep(0)  # what was sent before the end comes before it
                    if coming.done() and (item := coming.result()) is not None:
                        yield item
                finally:
                    coming.cancel()
            errand.result()
        finally:
            await errand.ended()

    def stop(self) -> bool:
        """Stop the running turn; False when none runs."""
        return self._runtime.run(self._stop())

    def set_tier(self, tier: str) -> str:
        """Change the tier; a full one asks the person, live (R-PERM-3). Raises RightsError."""
        return str(self._wait(self._set_tier(Tier(tier))))

    def show(self, what: str, page: int | None = None) -> str | None:
        """Show a document at a page (a DOCX at a block), a picture, a note or a citation such as `c3`.

        In a notebook with the extension it is the live inspector below a figure that stays, and None is returned;
        elsewhere the text is. Raises UsageError, PathError, ReadError.
        """
        notebook = self._kernel.notebook if self._kernel is not None and _on_main_thread() else None
        where = notebook.where() if notebook else Where(None, None, self._folder, language_of(locale()))
        reply = self._wait(self._shown(where, (what, page)))
        if notebook is None:
            return str(told(reply.markdown)["text/plain"])
        notebook.show(reply)
        return None

    async def _shown(self, where: Where, asked: tuple[str, int | None]) -> CommandReply:
        return await shown(await self._the_app(), await self._open(), where, asked)

    @property
    def changes(self) -> ChangesObject:
        """What this session proposed: look at it, apply, reject, undo."""
        return ChangesObject(lambda work: self._wait(self._deciding(work)))

    @property
    def state(self) -> State:
        """Title, tier, plan mode, model, KBs as they are now."""
        return self._runtime.run(self._state())

    def close(self) -> None:
        """End what this object started."""
        if self._ending is not None:
            self._ending.drop()
        if self._shared or not self._runtime.running:
            return
        try:
            if self._app is not None:
                self._runtime.run(self._app.close(), timeout=2.0)
        finally:
            if self._kernel is None:
                self._runtime.close()

    def _wait(self, work: Coroutine[Any, Any, Result]) -> Result:
        stage = self._stage(clicks=False)
        if stage is None or self._kernel is None:
            return self._runtime.run(work)
        errand = Errand(self._runtime, work, stage)
        self._kernel.notebook.wait_here(errand.job)
        return errand.result()

    def _errand(self, work: Coroutine[Any, Any, Result]) -> Errand[Result]:
        return Errand(self._runtime, work, self._stage(clicks=True))

    def _stage(self, *, clicks: bool) -> CellStage | None:
        """Where this call's questions are put; None outside the kernel's own thread, where no cell can be asked."""
        if self._kernel is None or not _on_main_thread():
            return None
        stage = self._kernel.notebook.stage(clicks=clicks)
        stage.act = self._act
        return stage

    def _act(self, message: Message) -> None:
        if isinstance(message, StopTurn | LeaveQueue):
            task = asyncio.create_task(self._stop())
            self._stopping.add(task)
            task.add_done_callback(self._stopping.discard)

    async def _ask(self, text: str, *views: Any) -> Turn:
        opened = await self._open()
        collector = Collector()
        finished = await opened.session.send(text, Said(views=(collector, *views)))
        app, state = await self._the_app(), opened.session.state
        changes = await proposed(app.means, state.session_id, finished.turn_id, app.mask)
        return collector.turn(finished, state, changes)

    async def _stop(self) -> bool:
        return await self._opened.session.stop() if self._opened else False

    async def _set_tier(self, tier: Tier) -> Tier:
        return await (await self._open()).session.set_tier(tier)

    async def _deciding(self, work: Callable[[SessionChanges, App], Awaitable[Result]]) -> Result:
        opened, app = await self._open(), await self._the_app()
        known = SessionChanges(app.means, opened.session.state.session_id, review_of(app, opened))
        return await work(known, app)

    async def _state(self) -> State:
        return (await self._open()).session.state

    async def _open(self) -> Opened:
        """The session, opened by the first who needs it; a failed opening is tried again."""
        if self._opening is None or (self._opening.done() and self._opening.exception() is not None):
            self._opening = asyncio.create_task(self._open_once())
        return await asyncio.shield(self._opening)

    async def _open_once(self) -> Opened:
        app = await self._the_app()
        self._opened = await _found(app, self._name) if self._name else await app.create()
        return self._opened

    async def _the_app(self) -> App:
        if self._kernel is not None and self._shared:
            return await self._kernel.app()
        if self._app is None:
            run = ForThisRun(folders=self._folders)
            approver = self._kernel.notebook.entrance.approver if self._kernel else at_terminal()
            self._app = await App.open(environment(), self._folder, approver, run=run)
        return self._app


async def _found(app: App, name: str) -> Opened:
    try:
        record = await app.ground.sessions.get(name)
    except SessionError:
        return await app.create(title=name)
    return await app.resume(record)


class _Forward:
    """A Listener that passes everything on to another loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop, queue: asyncio.Queue[Event | Delta | None]) -> None:
        self._loop = loop
        self._queue = queue

    async def hear(self, event: Event) -> None:
        """Pass an event on."""
        self._loop.call_soon_threadsafe(self._queue.put_nowait, event)

    def delta(self, delta: Delta) -> None:
        """Pass a piece on."""
        self._loop.call_soon_threadsafe(self._queue.put_nowait, delta)


class _Kernel:
    """The kernel's own runtime and app, where the extension is loaded."""

    def __init__(self, notebook: Notebook) -> None:
        self.notebook = notebook
        self.runtime: Runtime = notebook.entrance.runtime

    async def app(self) -> App:
        """The office's app, opened if it was not."""
        office: Any = await self.notebook.entrance.office(self.notebook.where())
        app: App = office.app
        return app


def _on_main_thread() -> bool:
    """Whether a cell can show something now: displays of other threads land anywhere."""
    return threading.current_thread() is threading.main_thread()


def _extension() -> _Kernel | None:
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    extension = loaded(shell) if shell is not None else None
    return _Kernel(extension.magics.notebook) if extension is not None else None
