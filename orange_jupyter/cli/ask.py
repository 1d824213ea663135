"""`ask`: one turn from the command line (R-HL-2, R-SCH-10)."""

from __future__ import annotations

import asyncio
import sys
from argparse import Namespace
from pathlib import Path
from typing import Any

from orange_jupyter.app import App, Opened, locale
from orange_jupyter.attaching import PICTURE_BYTES, check_count, limits_for, made_ready
from orange_jupyter.cli.changes import tell_waiting
from orange_jupyter.core.codes import Code
from orange_jupyter.core.deltas import Delta, ModelRetry, Progress
from orange_jupyter.core.document import PictureLimits
from orange_jupyter.core.errors import SessionError, UsageError
from orange_jupyter.core.events import CallFinished, CallStarted, Event, Notice, TurnFinished
from orange_jupyter.core.messages import Image
from orange_jupyter.core.session import Said
from orange_jupyter.core.visible import for_terminal
from orange_jupyter.jupyter.record import record
from orange_jupyter.jupyter.strings import language_of
from orange_jupyter.jupyter.view import TurnView
from orange_jupyter.session_changes import proposed
from orange_jupyter.turns import Collector

ENDINGS = {"image/png": ".png", "image/jpeg": ".jpg", "image/gif": ".gif", "image/webp": ".webp"}


Question = tuple[str, tuple[Image, ...]]
"""The text of a question and its pictures."""


async def question(app: App, given: Namespace) -> Question:
    """What is asked, checked before a session is made for it. Raises UsageError, ReadError."""
    text = await asyncio.to_thread(read_stdin) if given.text == "-" else given.text
    if not text.strip():
        raise UsageError("The question is empty.", hint="orange-jupyter ask TEXT")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise UsageError("The question is not UTF-8 text.") from None
    return text, await _images(app, given)


def read_stdin() -> str:
    """Standard input as text. Raises UsageError where it is not UTF-8."""
    try:
        return sys.stdin.read()
    except UnicodeDecodeError:
        raise UsageError("Standard input is not UTF-8 text.") from None


async def ask(
    app: App, opened: Opened, given: Namespace, what: tuple[str, tuple[Image, ...]]
) -> tuple[dict[str, Any], str]:
    """Run one turn: its document, and its record as plain text. Raises OrangeError where it could not begin."""
    collector, lookers = Collector(), Lookers()
    text, images = what
    said = Said(images=images, views=(collector, lookers))
    finished = await opened.session.send(text, said)
    if given.save_images:
        await save_images(app, lookers.images, given.save_images)
    session_id = opened.session.state.session_id
    changes = await proposed(app.means, session_id, finished.turn_id, app.mask)
    tell_waiting(app, opened, changes)
    turn = collector.turn(finished, opened.session.state, changes)
    bundle = record(lookers.view, language_of(locale()), number=opened.session.state.turns, session=turn.state.title)
    return turn.document(), str(bundle["text/plain"])


async def _images(app: App, given: Namespace) -> tuple[Image, ...]:
    """Pictures that the person names on the command line; read here, made ready in a worker."""
    check_count(given.image)
    if not given.image:
        return ()
    limits = await _limits(app, given)
    images = []
    for path in given.image:
        try:
            data = await asyncio.to_thread(_bounded, Path(path))
        except OSError as error:
            raise UsageError(f"{path} cannot be read: {error.strerror}.") from error
        images.append(await made_ready(app, data, limits, name=Path(path).name))
    return tuple(images)


async def _limits(app: App, given: Namespace) -> PictureLimits:
    try:
        record = await app.ground.sessions.get(given.session) if given.session else None
    except SessionError:  # one that is made for this question
        record = None
    settings = await asyncio.to_thread(app.ground.settings)
    model = given.model or (record.model if record else settings.default_model)
    return await limits_for(app, model, record.session_id if record else None)


def _bounded(path: Path) -> bytes:
    with path.open("rb") as file:
        data = file.read(PICTURE_BYTES + 1)
    if len(data) > PICTURE_BYTES:
        raise UsageError(f"{path} is larger than 20 MB.")
    return data


async def save_images(app: App, images: list[Image], folder: str) -> None:
    """Write the pictures that go to the model, exactly as sent. Raises UsageError io_error."""
    target = Path(folder)
    try:
        await asyncio.to_thread(target.mkdir, parents=True, exist_ok=True)
        for number, image in enumerate(images, 1):
            data = await app.ground.blobs.get(image.sha256)
            name = f"{number:02d}-{image.sha256[:16]}{ENDINGS.get(image.media_type, '.bin')}"
            await asyncio.to_thread((target / name).write_bytes, data)
    except OSError as error:
        raise UsageError(f"{folder} cannot be written: {error.strerror}.", code=Code.IO_ERROR) from error


class Lookers:
    """A Listener that folds the turn for its record, tells progress on standard error and gathers pictures."""

    def __init__(self) -> None:
        self.view = TurnView()
        self.images: list[Image] = []

    async def hear(self, event: Event) -> None:
        """Fold it; say in a line what a person would want to know while waiting."""
        self.view = self.view.hear(event)
        match event:
            case CallStarted():
                _tell(f"{event.tool} …")
            case CallFinished():
                self.images.extend(event.result.images)
                _tell(f"{event.tool}: {event.summary}")
            case Notice():
                _tell(event.text)
            case TurnFinished() if event.error:
                _tell(event.error)
            case _:
                pass

    def delta(self, delta: Delta) -> None:
        """Retries and indexing are told; the answer is printed when it is whole."""
        self.view = self.view.deltas((delta,))
        match delta:
            case ModelRetry():
                _tell(f"try {delta.attempt} of {delta.of} in {delta.seconds:.0f} s: {delta.reason}")
            case Progress() if delta.what.startswith("loading "):
                if delta.total is None and not delta.done:
                    _tell(f"{delta.what} …")
            case Progress() if delta.total and delta.done == delta.total:
                _tell(f"{delta.what}: {delta.done:,} of {delta.total:,}")
            case _:
                pass


def _tell(line: str) -> None:
    sys.stderr.write(for_terminal(line) + "\n")
    sys.stderr.flush()
