"""Where pictures stand in a request and what stands for one that is not sent (wire row 16, R-MOD-8); for every API."""

from __future__ import annotations

import base64
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate, groupby
from typing import Final

from orange_jupyter.core.errors import EvidenceError
from orange_jupyter.core.held import MOST_PICTURES
from orange_jupyter.core.messages import Image, Message, Request, Role, ToolResult
from orange_jupyter.providers.settings import Blob
from orange_jupyter.providers.speech import Wording

_TOO_MANY: Final = f"at most {MOST_PICTURES} pictures a message; read it again by itself"


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture that is sent: its data URL."""

    url: str

    @property
    def media_type(self) -> str:
        """For instance image/png."""
        return self.url.removeprefix("data:").partition(";")[0]

    @property
    def base64(self) -> str:
        """Its bytes."""
        return self.url.partition(",")[2]


Piece = str | Picture
"""One piece of a message's content, before an adapter words it."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A batch of results: each with the pieces that go into it, and the pieces of the user message after all."""

    results: tuple[tuple[ToolResult, tuple[Piece, ...]], ...]
    after: tuple[Piece, ...]


def split(messages: Iterable[Message]) -> tuple[str, list[tuple[Role, list[Message]]]]:
    """The one system text, and the other messages in stretches of the same role."""
    kept = list(messages)
    system = "\n\n".join(message.text for message in kept if message.role is Role.SYSTEM)
    spoken = [message for message in kept if message.role is not Role.SYSTEM]
    return system, [(role, list(stretch)) for role, stretch in groupby(spoken, key=lambda message: message.role)]


def placed(wording: Wording, batch: Iterable[Message], *, inside: bool) -> Placed:
    """The results of a batch; `inside`: the API takes pictures in a result, else they follow all of them.

    All of a batch goes into one message either way, so its pictures share that message's bound.
    """
    results = [part for message in batch for part in message.parts if isinstance(part, ToolResult)]
    before = accumulate((len(result.images) for result in results), initial=0)
    shown = [(result, tuple(_captioned(wording, result, at))) for result, at in zip(results, before, strict=False)]
    if inside:
        return Placed(tuple(shown), ())
    return Placed(tuple((result, ()) for result in results), tuple(piece for _, own in shown for piece in own))


def seen(wording: Wording, image: Image) -> Piece:
    """The picture, or a note why the model does not see it (R-MOD-8)."""
    if not wording.settings.vision:
        return _note(wording.settings.why_blind or "this model's vision is switched off")
    if not wording.dialect.images:
        return _note("the model's server refused it")
    url = wording.pictures.get(image.sha256)
    return Picture(url) if url is not None else _note("its bytes are no longer kept")


def _captioned(wording: Wording, result: ToolResult, before: int) -> Iterable[Piece]:
    for number, image in enumerate(result.images, start=before + 1):
        about = f": {image.caption}" if image.caption else ""
        yield f"Picture from {result.name}{about} ({image.width}x{image.height})"
        yield seen(wording, image) if number <= MOST_PICTURES else _note(_TOO_MANY)


def _note(reason: str) -> str:
    return f"[picture not shown: {reason}]"


async def data_urls(request: Request, blob: Blob) -> dict[str, str]:
    """The request's pictures as data URLs by sha256; those whose bytes are gone are left out."""
    urls: dict[str, str] = {}
    for image in _pictures_of(request):
        if image.sha256 in urls:
            continue
        try:
            data = await blob(image.sha256)
        except EvidenceError:
            continue
        urls[image.sha256] = f"data:{image.media_type};base64,{base64.b64encode(data).decode()}"
    return urls


def _pictures_of(request: Request) -> list[Image]:
    found: list[Image] = []
    for message in request.messages:
        for part in message.parts:
            if isinstance(part, Image):
                found.append(part)
            elif isinstance(part, ToolResult):
                found += part.images
    return found
