"""What the models of a session saw of one part of a file, found in the session's own events (R-UI-4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from orange_jupyter.core.events import CallFinished, Event, StepStarted, TurnFinished, TurnStarted
from orange_jupyter.core.fitting import PICTURE_TOKENS
from orange_jupyter.core.messages import Image
from orange_jupyter.jupyter.inspector.paper import Saw, Sent

MOST = 20


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a file: by its id (also after a rename) and its path; `number` counts from 1."""

    file_id: str | None
    path: str
    file_type: str
    number: int

    def of(self, envelope: Mapping[str, Any]) -> bool:
        """Whether a result is about this file."""
        known = envelope.get("fileId")
        return known == self.file_id if known and self.file_id else envelope.get("path") == self.path

    def shows(self, image: Image) -> bool:
        """Whether a picture of this file shows this part."""
        if self.file_type == "image":
            return True
        return self.number == (image.page if self.file_type == "pdf" else image.block)


@dataclass(slots=True)
class _Reading:
    """Walks through the events of a session. Not frozen: it gathers what it finds, newest last."""

    part: Part
    turn: TurnStarted | None = None
    step: int = 0
    coming: list[tuple[Image, CallFinished | None]] = field(default_factory=list)
    sent: list[Sent] = field(default_factory=list)
    instead: Saw = field(default_factory=Saw)

    def hear(self, event: Event) -> None:
        match event:
            case TurnStarted():
                self._unsent()
                self.turn, self.step = event, 0
                self.coming = [(image, None) for image in event.images if self._is_ours(image)]
            case StepStarted():
                self.step = event.step
                self.sent += [self._sent(image, call) for image, call in self.coming]
                self.coming = []
            case TurnFinished():
                self._unsent()
            case CallFinished() if event.ok:
                self._call(event)

    def _is_ours(self, image: Image) -> bool:
        return image.path == self.part.path and self.part.shows(image)

    def _call(self, event: CallFinished) -> None:
        envelope = event.envelope
        if self.part.of(envelope):
            found = [(image, event) for image in event.result.images if self.part.shows(image)]
            self.coming += found
            if not found:
                self._instead(envelope)
        else:
            self.coming += [(image, event) for image in event.result.images if self._is_ours(image)]
            if any(self._cited(one) for one in event.citations):
                self._note("passage", 0)

    def _cited(self, citation: Any) -> bool:
        same = citation.file_id == self.part.file_id if self.part.file_id else citation.path == self.part.path
        return same and self.part.number in (citation.page, citation.block)

    def _instead(self, envelope: Mapping[str, Any]) -> None:
        """A result about this file without a picture of the part: what it gave instead."""
        given = given_of(envelope, self.part)
        characters = characters_of(envelope, self.part)
        why = envelope.get("visionUnavailable")
        key = "page" if self.part.file_type == "pdf" else "block"
        left = [one for one in _list(envelope, "imagesLeftOut") if one.get(key) == self.part.number]
        if isinstance(why, dict) and (given or self.part.file_type == "image"):
            self._note("vision", characters, str(why.get("reason", "")))
        elif left:
            self._note("failed", characters, str(left[0].get("reason", "")))
        elif characters:
            self._note("text", characters)

    def _note(self, why: str, characters: int, reason: str = "") -> None:
        if self.turn is not None:
            self.instead = Saw((), why, self.turn.model, reason, self.turn.number, characters)

    def _unsent(self) -> None:
        if self.coming and self.turn is not None:
            self.instead = Saw((), "failed", self.turn.model, "", self.turn.number)
            self.coming = []

    def _sent(self, image: Image, call: CallFinished | None) -> Sent:
        turn, envelope = self.turn, call.envelope if call else {}
        return Sent(
            sha256=image.sha256,
            media_type=image.media_type,
            width=image.width,
            height=image.height,
            size=0,
            turn=turn.number if turn else 0,
            step=self.step,
            model=turn.model if turn else "",
            tokens=PICTURE_TOKENS,
            characters=characters_of(envelope, self.part),
            left_out=tuple(_left_out(one) for one in _list(envelope, "imagesLeftOut")),
        )


def saw_of(events: Sequence[Event], part: Part) -> Saw:
    """What was sent of a part, newest first, at most MOST; without a picture what was sent instead, and why."""
    reading = _Reading(part)
    for event in events:
        reading.hear(event)
    if not reading.sent:
        return reading.instead
    return Saw(tuple(reading.sent[: -MOST - 1 : -1]), "")


def characters_of(envelope: Mapping[str, Any], part: Part) -> int:
    """How many characters of the part's text a result gave."""
    return sum(len(str(one.get("text", ""))) for one in given_of(envelope, part))


def given_of(envelope: Mapping[str, Any], part: Part) -> list[dict[str, Any]]:
    """The entries of a result that are about the part: a page, blocks of that page, a block."""
    name, key = ("pages", "page") if part.file_type == "pdf" else ("blocks", "block")
    found = [one for one in _list(envelope, name) if one.get(key) == part.number]
    if not found and part.file_type == "pdf":
        found = [one for one in _list(envelope, "blocks") if one.get("page") == part.number]
    return found


def _list(envelope: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    found = envelope.get(name)
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def _left_out(one: Mapping[str, Any]) -> str:
    number = one.get("page", one.get("block"))
    return f"{number}: {one.get('reason', '')}" if number is not None else str(one.get("reason", ""))
