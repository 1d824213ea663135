"""What a person does in the inspector, parsed once from the front end's message; anything else is None (R-APPR-3)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

MOST_PARTS = 1_000_000
_LOOK = re.compile(r"[A-Za-z0-9_-]{8,40}", re.ASCII)
_CITATION = re.compile(r"c\d{1,9}", re.ASCII)
_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Drawn:
    """A view was drawn and knows nothing yet. Comes before a view knows which inspection it shows."""


@dataclass(frozen=True, slots=True)
class Turn:
    """Another part is wanted."""

    look: str
    part: int


@dataclass(frozen=True, slots=True)
class Leave:
    """The part that takes long is not wanted any more."""

    look: str


@dataclass(frozen=True, slots=True)
class AskSaw:
    """What the model saw of a part is wanted."""

    look: str
    part: int


@dataclass(frozen=True, slots=True)
class AskPixels:
    """The exact pixels of a picture that the model saw are wanted."""

    look: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Shut:
    """The view was closed."""

    look: str


@dataclass(frozen=True, slots=True)
class Cite:
    """A citation of a finished turn's record was pressed. Its owner knows which ones the turn has."""

    citation_id: str


Message = Drawn | Turn | Leave | AskSaw | AskPixels | Shut


def parse(content: Mapping[str, Any]) -> Message | None:
    """The message in what the front end sent, or None. `look` is the inspection's own nonce; its owner compares it."""
    if content.get("type") == "rendered":
        return Drawn()
    match content:
        case {"type": "inspect", "look": str() as look, "do": str() as what} if _LOOK.fullmatch(look):
            return _asked(content, look, what)
        case _:
            return None


def parse_cited(content: Mapping[str, Any]) -> Message | Cite | None:
    """The same where a record's citations are listened to."""
    match content:
        case {"type": "inspect", "do": "open", "citation": str() as citation_id} if _CITATION.fullmatch(citation_id):
            return Cite(citation_id)
        case _:
            return parse(content)


def _asked(content: Mapping[str, Any], look: str, what: str) -> Message | None:
    match what, content.get("part"), content.get("sha256"):
        case "turn", int() as part, _ if _is_part(part):
            return Turn(look, part)
        case "saw", int() as part, _ if _is_part(part):
            return AskSaw(look, part)
        case "pixels", _, str() as sha256 if _SHA256.fullmatch(sha256):
            return AskPixels(look, sha256)
        case "leave", _, _:
            return Leave(look)
        case "shut", _, _:
            return Shut(look)
        case _:
            return None


def _is_part(part: int) -> bool:
    return not isinstance(part, bool) and 1 <= part <= MOST_PARTS
