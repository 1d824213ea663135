"""One inspection: hears the person, reads one part at a time, sends what is so to the views (R-UI-3, R-UI-4)."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from typing import Any

from orange_jupyter.core.errors import OrangeError
from orange_jupyter.jupyter.entrance import Guard
from orange_jupyter.jupyter.inspector import drawing
from orange_jupyter.jupyter.inspector.messages import AskPixels, AskSaw, Drawn, Leave, Message, Shut, Turn
from orange_jupyter.jupyter.inspector.paper import Leaf, Others, Paper
from orange_jupyter.jupyter.inspector.seeing import saw_message
from orange_jupyter.jupyter.passage import missing_note
from orange_jupyter.jupyter.quotes import is_quoted
from orange_jupyter.jupyter.strings import Language, text

IMPATIENT = 1.0
"""Seconds after which a part that is still being read gives way to a newer wish; a quicker one is let finish, because
ending it means a new reader process."""

Post = Callable[[dict[str, Any], Sequence[bytes]], None]
"""Sends a message and its pictures to the views; from the runtime's thread; drops it where nobody is."""


class Inspection:
    """What is looked at in one place. Lives on the runtime's loop; at most one part is read at a time.

    `look` is its nonce: a message that names another inspection is not answered.
    """

    def __init__(self, paper: Paper, post: Post, guard: Guard, language: Language) -> None:
        self.look = secrets.token_urlsafe(9)
        self.others = Others()
        self.quotation: str | None = None
        """What the answer claims to quote here; where the page does not hold it, that is said (R-UI-3)."""
        self._paper = paper
        self._post = post
        self._guard = guard
        self._language: Language = language
        self._leaf: Leaf | None = None
        self._wanted: int | None = None
        self._reading: asyncio.Task[Any] | None = None
        self._since = 0.0
        self._asides: set[asyncio.Task[Any]] = set()
        self._closed = False

    async def begin(self) -> Leaf:
        """Read the first part. Raises ToolError."""
        self._leaf = await self._paper.leaf(self._paper.first)
        return self._leaf

    def hear(self, message: Message) -> None:
        """Take what a person did; on the loop, cheap."""
        if self._closed or (not isinstance(message, Drawn) and message.look != self.look):
            return
        match message:
            case Drawn():
                self.draw()
            case Turn():
                self._turn(message.part)
            case Leave():
                self._leave()
            case AskSaw():
                self._beside(partial(self._saw, message.part))
            case AskPixels():
                self._beside(partial(self._pixels, message.sha256))
            case Shut():
                self.close()

    def close(self) -> None:
        """Read nothing more and send nothing more."""
        self._closed = True
        self._wanted = None
        for task in (*self._asides, *([self._reading] if self._reading else [])):
            task.cancel()

    async def settled(self) -> None:
        """Wait until everything that was asked for is answered."""
        while left := [one for one in (*self._asides, self._reading) if one is not None and not one.done()]:
            await asyncio.wait(left)

    def draw(self) -> None:
        """Send the part that is shown, whole."""
        leaf, paper, language = self._leaf, self._paper, self._language
        if leaf is None:
            return
        unit = drawing.unit_of(paper)
        aside = drawing.aside(self.others, language) if leaf.part == paper.first else ""
        pictures = drawing.pictures_of(leaf)
        missing = self._missing(leaf)
        message = {
            "what": "leaf",
            "part": leaf.part,
            "count": leaf.count,
            "unit": unit,
            "citation": paper.citation_id,
            "title": drawing.title(paper, leaf.part, language),
            "side": aside or drawing.facts(paper, leaf, language),
            "state": drawing.unquoted(language) if missing else drawing.scan_state(leaf, paper, language),
            "alt": drawing.alternative(paper, leaf, language),
            "marks": [list(box) for box in leaf.marks],
            "frames": [list(box) for box in drawing.frames(leaf.marks)],
            "pictures": [{"media": one.media_type, "width": one.width, "height": one.height} for one in pictures],
            "own": leaf.picture is not None,
            "blocks": drawing.blocks_of(paper, leaf, language),
            "text": drawing.beside(paper, leaf, language),
            "notes": missing_note(missing, language) + drawing.notes(paper, leaf, language),
            "copy": leaf.marked or leaf.text,
            "quotation": bool(leaf.marked),
            "link": paper.link or "",
        }
        self._tell(message, [one.data for one in pictures])

    def _missing(self, leaf: Leaf) -> str | None:
        """The quotation that the cited part does not hold; None where it does, and on other parts."""
        cited = self.quotation if leaf.part == self._paper.first else None
        return None if cited is None or is_quoted(cited, leaf.text) else cited

    def _turn(self, part: int) -> None:
        """Want a part; of several the last one is read."""
        self._wanted = part
        if self._reading is not None and not self._reading.done():
            if time.monotonic() - self._since < IMPATIENT:
                return
            self._reading.cancel()
        self._since = time.monotonic()
        self._reading = asyncio.create_task(self._guarded(self._read))

    def _leave(self) -> None:
        self._wanted = None
        if self._reading is not None:
            self._reading.cancel()
        self.draw()

    async def _read(self) -> None:
        while (part := self._wanted) is not None:
            self._wanted = None
            self._since = time.monotonic()
            try:
                leaf = await self._paper.leaf(part)
            except OrangeError as error:
                if self._wanted is None:
                    self._tell({"what": "wrong", "html": drawing.wrong(self._paper, part, error, self._language)})
                continue
            if self._wanted is None:
                self._leaf = leaf
                self.draw()

    async def _saw(self, part: int) -> None:
        saw = await self._paper.saw(part)
        self._tell({"what": "saw", "part": part, **saw_message(saw, self._language)})

    async def _pixels(self, sha256: str) -> None:
        data = await self._paper.pixels(sha256)
        self._tell({"what": "pixels", "sha256": sha256}, [data])

    def _beside(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        task = asyncio.create_task(self._guarded(work))
        self._asides.add(task)
        task.add_done_callback(self._asides.discard)

    async def _guarded(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        await self._guard(work(), self._failed)  # made here: a task that is cancelled before it begins leaves nothing

    def _failed(self, message: str, hint: str | None = None) -> None:
        word = text(self._language, "look.wrong")
        self._tell({"what": "wrong", "html": drawing.card(word, message, hint or "")})

    def _tell(self, message: dict[str, Any], pictures: Sequence[bytes] = ()) -> None:
        if not self._closed:
            self._post({"type": "inspect", "look": self.look, **message}, pictures)
