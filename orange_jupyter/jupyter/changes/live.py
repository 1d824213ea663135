"""One review in one cell: hears the person, decides through the office, draws what is so afterwards (R-CHG-2, R-CHG-4).

What stays in the notebook is the record; the widget is there as long as something can be decided or undone.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from orange_jupyter.core.changes.applying import Decided
from orange_jupyter.core.changes.hunks import shown_after
from orange_jupyter.core.changes.showing import Shown
from orange_jupyter.core.changes.values import OpState
from orange_jupyter.core.errors import ToolError
from orange_jupyter.core.visible import is_invisible
from orange_jupyter.jupyter.changes.board import Board
from orange_jupyter.jupyter.changes.cards import Outcome
from orange_jupyter.jupyter.changes.listing import label
from orange_jupyter.jupyter.changes.messages import (
    Apply,
    Decision,
    Edit,
    Form,
    Keep,
    Message,
    Reject,
    Undo,
    Unfold,
    WayOut,
)
from orange_jupyter.jupyter.changes.pages import edited, hunks_of
from orange_jupyter.jupyter.changes.writer import Writer
from orange_jupyter.jupyter.people import Front
from orange_jupyter.jupyter.ports import Review
from orange_jupyter.jupyter.screen import EMPTY, Screen
from orange_jupyter.jupyter.strings import Language, text

if TYPE_CHECKING:
    from orange_jupyter.jupyter.changes.reviews import Reviews
    from orange_jupyter.jupyter.widgets.changes import ChangesWidget


class LiveReview:
    """The review of one cell. Lives on the runtime's loop; what it does is done one after the other."""

    def __init__(self, review: Review, screen: Screen, language: Language, reviews: Reviews) -> None:
        self._review = review
        self._screen = screen
        self._language: Language = language
        self._reviews = reviews
        self._board = Board(language, outcomes=reviews.outcomes)
        self._widget: ChangesWidget | None = None
        self._order = asyncio.Lock()
        self._tasks: set[asyncio.Task[Any]] = set()
        self._seen: dict[str, Shown] = {}
        self.over = False
        """Whether nothing can be decided or undone any more."""
        self._writer = Writer(review, screen, language, reviews)

    async def begin(self) -> bool:
        """Show the record, and where a person can use it the widget. False where there is nothing."""
        everything, older = await self._review.look()
        if not everything:
            return False
        if self._screen.front is Front.NOTEBOOK and _alive(everything):
            widget = await asyncio.to_thread(_widget_class)
            self._widget = widget(self._hear, language=self._language, record=self._writer.identity)
        async with self._order:
            await self._show(everything, older)
        await self._writer.written()  # the cell must not end before it
        if self._widget is not None:
            self._screen.controls(_shown_as(self._widget))
        return True

    async def refresh(self) -> None:
        """Draw what is so now."""
        async with self._order:
            await self._show(*await self._review.look())

    def close(self) -> None:
        """Take the widget away; the record stays."""
        widget, self._widget = self._widget, None
        if widget is not None:
            self._screen.remove_controls()
            widget.close()

    def _hear(self, message: Message) -> None:
        """Called on the kernel's thread: only enqueues."""
        self._reviews.runtime.call_soon(self._take, message)

    def _take(self, message: Message) -> None:
        task = asyncio.create_task(self._reviews.guard(self._act(message), self._tell))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _act(self, message: Message) -> None:
        try:
            async with self._order:
                await self._do(message)
        finally:
            if self._widget is not None and isinstance(message, Decision):
                self._widget.free()
        if isinstance(message, Decision):
            await self._reviews.refresh(but=self)

    async def _do(self, message: Message) -> None:
        match message:
            case Unfold():
                self._board.unfold(message.operation_id, message.how)
                await self._draw()
            case Form():
                self._board.split = message.split
                await self._draw()
            case Edit():
                self._edit(message)
            case Keep():
                await self._keep(message)
            case Apply() | Reject() | Undo() | WayOut():
                await self._decide(message)
            case _:
                return

    def _edit(self, message: Edit) -> None:
        shown = self._board.find(message.operation_id, message.digest)
        if shown is None or not 1 <= message.hunk <= len(shown.hunks) or self._widget is None:
            return
        hunk = hunks_of(shown)[message.hunk - 1]
        mine = self._board.edits.get((message.operation_id, message.digest), {})
        words = mine.get(message.hunk, shown_after(hunk))
        hidden = sum(map(is_invisible, words))
        changed = edited(shown, hunk, words) if message.hunk in mine else hunk
        self._widget.edit(
            {
                "op": message.operation_id,
                "hunk": message.hunk,
                "words": words,
                "title": text(self._language, "change.editing", n=message.hunk, all=len(shown.hunks)),
                "where": text(self._language, "change.editing.lines", first=changed.new[0], last=changed.new[1]),
                "hidden": text(self._language, "change.hidden", n=hidden) if hidden else "",
            }
        )

    async def _keep(self, message: Keep) -> None:
        shown = self._board.find(message.operation_id, message.digest)
        if shown is None or self._widget is None:
            await self._stale()
            return
        words = message.text
        if words is not None and 1 <= message.hunk <= len(shown.hunks):
            same = words.replace("\r\n", "\n") == shown_after(hunks_of(shown)[message.hunk - 1])
            words = None if same else words
        block = await asyncio.to_thread(self._board.write, shown, message.hunk, words)
        self._widget.hunk(message.operation_id, message.hunk, block, words)

    async def _decide(self, message: Decision) -> None:
        """Decide only what is as it was shown; whatever happens, what is so afterwards is drawn."""
        asked, states = _asked(message)
        now = {(one.proposal.id, one.digest) for one in (await self._review.look())[0] if one.proposal.state in states}
        if not asked or not set(asked) <= now:
            await self._stale()
            return
        try:
            said = await self._done(message)
        except ToolError as error:
            self._tell(error.message, error.hint)
            await self._show(*await self._review.look())
            return
        await self._show(*await self._review.look())
        if said:
            self._say(said)

    async def _done(self, message: Decision) -> str:
        match message:
            case Apply():
                return self._told("applied", await self._review.apply(message.choices))
            case Reject():
                return self._told("rejected", await self._review.reject([name for name, _ in message.operations]))
            case Undo():
                return self._told("undone", await self._review.undo([name for name, _ in message.operations]))
        if message.way == "drop":
            return self._told("rejected", await self._review.reject([message.operation_id]))
        await self._review.way_out(message.operation_id, message.way, message.name)
        return text(self._language, "change.done.proposed")

    def _told(self, how: str, results: Sequence[Decided]) -> str:
        """What was done, and of each that was not why."""
        done = [one for one in results if one.error is None]
        for one in done:
            if one.note or one.warnings:
                self._reviews.outcomes[one.proposal.id] = Outcome(one.note, one.warnings)
        lines = [text(self._language, f"change.done.{how}", n=len(done))] if done else []
        for one in results:
            if one.error is not None:
                words = f"{one.error.message} {one.error.hint or ''}".strip()
                named = label(one.proposal.operation, self._language)
                lines.append(text(self._language, "change.not_done", name=named, words=words))
        return "\n".join(lines)

    async def _stale(self) -> None:
        await self._show(*await self._review.look())
        self._say(text(self._language, "change.stale"))

    async def _show(self, everything: Sequence[Shown], older: int) -> None:
        """Draw these operations, and write the record anew."""
        everything = [self._with_text(one) for one in everything]
        stale = [one.proposal.id for one in everything if one.proposal.state is OpState.STALE]
        self._board.disk = {name: await self._review.on_disk(name) for name in stale}
        await asyncio.to_thread(self._board.take, everything, older)
        await self._draw()
        self.over = not _alive(everything)
        if self.over:
            self.close()
        self._writer.write(everything, older)

    def _with_text(self, shown: Shown) -> Shown:
        """An operation with its text as it was seen, where the text is not kept any more since it was decided."""
        before = self._seen.get(shown.proposal.id)
        if shown.below is not None:
            self._seen[shown.proposal.id] = shown
        elif before is not None and before.proposal.splices == shown.proposal.splices:
            return replace(before, proposal=shown.proposal, digest=shown.digest, needed_by=shown.needed_by)
        return shown

    async def _draw(self) -> None:
        if self._widget is not None:
            self._widget.draw(await asyncio.to_thread(self._board.draw))

    def _tell(self, message: str, hint: str | None = None) -> None:
        self._say(f"{message} {hint or ''}".strip())

    def _say(self, words: str) -> None:
        if self._widget is not None:
            self._widget.say(words)


def _alive(everything: Sequence[Shown]) -> bool:
    """Whether something can be decided or undone."""
    return any(one.proposal.state.open or one.proposal.state is OpState.APPLIED for one in everything)


def _asked(message: Decision) -> tuple[tuple[tuple[str, str], ...], tuple[OpState, ...]]:
    """The operations that a decision is about, by id and digest, and the states in which it was offered."""
    match message:
        case Apply():
            pairs = tuple((one.operation_id, one.digest) for one in message.choices)
            return pairs, (OpState.PENDING, OpState.FAILED)
        case Reject():
            return message.operations, (OpState.PENDING, OpState.FAILED)
        case Undo():
            return message.operations, (OpState.APPLIED,)
        case WayOut():
            return ((message.operation_id, message.digest),), (OpState.STALE,)


def _widget_class() -> Callable[..., ChangesWidget]:
    """The widget's class; anywidget and ipywidgets are loaded with it."""
    from orange_jupyter.jupyter.widgets.changes import ChangesWidget

    return ChangesWidget


def _shown_as(widget: ChangesWidget) -> dict[str, Any]:
    shown = widget._repr_mimebundle_()
    data: dict[str, Any] = shown[0] if isinstance(shown, tuple) else shown
    return data | EMPTY  # a page without widgets shows nothing instead of an object's address
