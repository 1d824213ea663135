"""Where the questions of one cell are put: the controls of its turn, or a card of its own, or a prompt (R-APPR-1)."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal

from orange_jupyter.core.approval import ApprovalRequest, Outcome, TierRequest
from orange_jupyter.core.deltas import Progress
from orange_jupyter.core.events import ApprovalEnded
from orange_jupyter.jupyter.approver import NotebookApprover, Reply, Request
from orange_jupyter.jupyter.people import Front
from orange_jupyter.jupyter.prompts import Prompts
from orange_jupyter.jupyter.runtime import Runtime
from orange_jupyter.jupyter.screen import EMPTY, Screen
from orange_jupyter.jupyter.strings import Language, text
from orange_jupyter.jupyter.view import Card, Item, TurnView
from orange_jupyter.jupyter.widgets.messages import Approve, Deny, EnterTier, Message, Rendered, Stale, StayInTier

if TYPE_CHECKING:
    from orange_jupyter.jupyter.widgets.controls import Controls

PATIENCE = 0.4
"""Seconds that a command may take before it shows a bar."""

Act = Callable[[Message], None]
"""Takes Stop, Leave and the switches; called on the runtime's loop."""


class CellStage:
    """The controls of one cell and its live cards. Lives on the runtime's loop; `reserve` is called in the cell.

    A card shows the true request, which only the approver gives; the events carry the masked one (R-APPR-2).
    """

    def __init__(self, screen: Screen, runtime: Runtime, approver: NotebookApprover, language: Language) -> None:
        self.prompts = Prompts()
        self.act: Act | None = None
        self._screen = screen
        self._runtime = runtime
        self._approver = approver
        self._language: Language = language
        self._controls: Controls | None = None
        self._turn_id = ""
        self._drawn = asyncio.Event()
        self._live: dict[str, Request] = {}
        self._view = TurnView()
        self._shown_as: dict[str, Any] = EMPTY
        self._reported = 0.0
        self._alone = False
        self._mirrors: list[Screen] = []

    @property
    def front(self) -> Front:
        """Who is in front of the cell."""
        return self._screen.front

    @property
    def language(self) -> Language:
        """The session's language."""
        return self._language

    @property
    def asking(self) -> bool:
        """Whether a question waits for the person."""
        return bool(self._live)

    async def prepare(self) -> None:
        """Load what the controls need beside the loop, so that nothing waits for it."""
        if self.front is Front.NOTEBOOK:
            await asyncio.to_thread(_controls)

    def reserve(self) -> None:
        """Take the controls' place in the cell; they come when there is something to show."""
        self._screen.controls(EMPTY)

    def open(self, turn_id: str = "") -> None:
        """Show the controls, where somebody can use them; anew when their turn has begun, whose record they hide."""
        if self.front is not Front.NOTEBOOK or (self._controls is not None and turn_id == self._turn_id):
            return
        fresh = _controls()(self._hear, language=self._language, turn_id=turn_id)
        shown = fresh._repr_mimebundle_()
        data = shown[0] if isinstance(shown, tuple) else shown
        self._shown_as = data | EMPTY  # a page without widgets shows nothing instead of an object's address
        self._remove(self._shown_as)  # Lab hides the place of a widget that closes: it is empty before the next comes
        self._turn_id = turn_id
        self._drawn.clear()
        self._controls = fresh
        for screen in (self._screen, *self._mirrors):
            screen.controls(self._shown_as)
        if self._alone:
            self._controls.show_alone()

    def goes_on(self) -> None:
        """Say that the turn goes on by itself: its cell returned."""
        self._alone = True
        if self._controls is not None:
            self._controls.show_alone()

    def mirror(self, screen: Screen) -> None:
        """Show the controls in another cell too, whose page may not have the turn's own any more."""
        self._mirrors.append(screen)
        if self._controls is not None:
            screen.controls(self._shown_as)

    def busy(self, session: str, cell: str) -> None:
        """Say that the session is busy with another cell; the controls of the turn itself replace this."""
        self.open()
        if self._controls is not None:
            self._controls.show_busy(session, cell)

    def push(self, view: TurnView) -> float:
        """Draw a turn. Returns the seconds after which to push again, 0 for drawn."""
        self._view = view
        return self._controls.push(self._shown()) if self._controls else 0.0

    def show(self, request: Request) -> None:
        """Draw the live card, opening controls where there are none yet."""
        self._live[request.operation_id] = request
        if self._controls is None:
            self.open()
        if self._controls is None:
            return
        if isinstance(request, TierRequest):
            self._controls.ask_tier(request)
            return
        if not self._view.started:
            self._view = replace(self._view, items=(*self._view.items, Card("", request)))
        self._controls.push(self._shown(), now=True)

    def withdraw(self, request: Request, outcome: Outcome) -> None:
        """Say how a card ended; its buttons are gone then."""
        if self._live.pop(request.operation_id, None) is None or self._controls is None:
            return
        if isinstance(request, TierRequest):
            version = request.permission_version + (outcome is Outcome.APPROVED)
            self._controls.settle_tier(request, outcome, at=_now(), version=version)
        else:
            self._controls.push(self._shown((request, outcome)), now=True)

    @property
    def controls(self) -> Controls | None:
        """The controls that are shown now, for what a person opens in them."""
        return self._controls

    def report(self, what: str, done: int, total: int | None) -> None:
        """Show how far a command has come, with Stop beside it; from any thread. Quick ones show nothing."""
        self._runtime.call_soon(self._progressed, Progress(what=what, done=done, total=total))

    def _progressed(self, progress: Progress) -> None:
        now = time.monotonic()
        self._reported = self._reported or now
        if self._controls is None and (now - self._reported < PATIENCE or progress.done == progress.total):
            return
        self.open()
        if self._controls is not None:
            self._controls.show_progress(progress)

    async def drawn(self) -> Literal[True]:
        """Wait until a page has drawn the controls."""
        await self._drawn.wait()
        return True

    async def prompt(self, question: str) -> str | None:
        """Ask with `input()` in the waiting cell."""
        return await self.prompts.ask(question)

    async def secret(self, question: str) -> str | None:
        """Ask for a key, hidden as it is typed; None where nobody can type."""
        return await self.prompts.ask(question, hidden=True) if self.front.person else None

    def close(self) -> None:
        """Remove the controls; what the cell shows then is its last form, also on pages that were loaded again."""
        self._remove(None)

    def _remove(self, instead: dict[str, Any] | None) -> None:
        controls, self._controls = self._controls, None
        if controls is not None:
            for screen in (self._screen, *self._mirrors):
                screen.remove_controls()
            controls.hand_over(self._screen.shown, instead)
            controls.close()

    def _shown(self, ended: tuple[ApprovalRequest, Outcome] | None = None) -> TurnView:
        """The view with true requests on live cards; a card that the approver does not know has no buttons yet."""
        items: list[Item] = []
        for item in self._view.items:
            if not isinstance(item, Card) or item.ended is not None:
                items.append(item)
            elif ended is not None and item.request.operation_id == ended[0].operation_id:
                items.append(replace(item, ended=_ending(item, ended[1])))
            elif isinstance(live := self._live.get(item.request.operation_id), ApprovalRequest):
                items.append(replace(item, request=live))
        return replace(self._view, items=tuple(items))

    def _hear(self, message: Message) -> None:
        """Called on the kernel's thread: only enqueues."""
        self._runtime.call_soon(self._take, message)

    def _take(self, message: Message) -> None:
        match message:
            case Rendered():
                self._drawn.set()
            case Approve():
                self._reply(Reply(message.operation_id, message.digest, Outcome.APPROVED))
            case Deny():
                self._reply(Reply(message.operation_id, message.digest, Outcome.DENIED, message.reason))
            case EnterTier():
                self._reply(Reply(message.operation_id, "", Outcome.APPROVED))
            case StayInTier():
                self._reply(Reply(message.operation_id, "", Outcome.DENIED))
            case Stale():
                self._refuse(message.operation_id, self._approver.why(message.operation_id))
            case _:
                if self.act is not None:
                    self.act(message)

    def _reply(self, reply: Reply) -> None:
        self._refuse(reply.operation_id, self._approver.take(reply))

    def _refuse(self, operation_id: str, why: str | None) -> None:
        """Say in the card why a click did nothing (A03)."""
        if why is not None and self._controls is not None:
            self._controls.refuse(operation_id, text(self._language, why))


def _controls() -> type[Controls]:
    """The widget's class; anywidget and ipywidgets are loaded with it."""
    from orange_jupyter.jupyter.widgets.controls import Controls

    return Controls


def _ending(card: Card, outcome: Outcome) -> ApprovalEnded:
    request = card.request
    return ApprovalEnded(
        call_id=card.call_id,
        operation_id=request.operation_id,
        outcome=outcome,
        permission_version=request.permission_version,
        at=_now(),
    )


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
