"""What a person does in the controls, parsed once from the front end's message (R-APPR-3).

A message that is not one of these, or not complete, is None: an old page or a hostile one gets no answer.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from orange_jupyter.core.grant import Tier
from orange_jupyter.jupyter.inspector import messages as looking

REASON_LIMIT = 4000
_CITATION = re.compile(r"c\d{1,9}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Rendered:
    """A view was drawn: somebody can see the controls."""


@dataclass(frozen=True, slots=True)
class StopTurn:
    """Stop was pressed."""


@dataclass(frozen=True, slots=True)
class LeaveQueue:
    """The person does not want to wait for a busy session."""


@dataclass(frozen=True, slots=True)
class Approve:
    """Approve once. `nonce` is the card's own; Controls checks it before anybody hears of the message."""

    operation_id: str
    digest: str
    nonce: str


@dataclass(frozen=True, slots=True)
class Deny:
    """Deny, with the reason that the model is told."""

    operation_id: str
    digest: str
    nonce: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class EnterTier:
    """Enter the full tier that the card names."""

    operation_id: str
    nonce: str


@dataclass(frozen=True, slots=True)
class StayInTier:
    """Stay in the present tier."""

    operation_id: str
    nonce: str


@dataclass(frozen=True, slots=True)
class ChooseTier:
    """Go to a workspace tier; a full tier is never entered by this message (R-PERM-3)."""

    tier: Tier


@dataclass(frozen=True, slots=True)
class SwitchPlan:
    """Switch plan mode."""

    on: bool


@dataclass(frozen=True, slots=True)
class Stale:
    """A button of a card that does not wait any more was pressed. Made by Controls, never by the front end."""

    operation_id: str


@dataclass(frozen=True, slots=True)
class OpenPassage:
    """A citation of the running answer was pressed."""

    citation_id: str


@dataclass(frozen=True, slots=True)
class Unfold:
    """A page of earlier lines was asked for; a page that does not exist folds them."""

    name: str
    page: int


Decision = Approve | Deny | EnterTier | StayInTier
Look = looking.Turn | looking.Leave | looking.AskSaw | looking.AskPixels | looking.Shut
Message = Decision | Look | OpenPassage | Unfold | Stale | Rendered | StopTurn | LeaveQueue | ChooseTier | SwitchPlan

_BARE: Mapping[str, type[Rendered | StopTurn | LeaveQueue]] = {
    "rendered": Rendered,
    "stop": StopTurn,
    "leave": LeaveQueue,
}


def parse(content: Mapping[str, Any]) -> Message | None:
    """The message in what the front end sent, or None."""
    kind = content.get("type")
    if isinstance(kind, str) and kind in _BARE:
        return _BARE[kind]()
    if kind == "tier":
        tier = content.get("tier")
        narrow = [one for one in Tier if not one.full and one == tier]
        return ChooseTier(narrow[0]) if narrow else None
    if kind == "plan":
        return SwitchPlan(content["on"]) if isinstance(content.get("on"), bool) else None
    if kind == "unfold":
        return _unfold(content.get("name"), content.get("page"))
    if kind == "inspect":
        look = looking.parse(content)
        return None if isinstance(look, looking.Drawn) else look
    if kind == "open_passage":
        return _passage(content.get("citation"))
    return _decision(content)


def _unfold(name: object, page: object) -> Unfold | None:
    if not isinstance(name, str) or not isinstance(page, int) or isinstance(page, bool):
        return None
    return Unfold(name[:200], page)


def _passage(citation: object) -> OpenPassage | None:
    return OpenPassage(citation) if isinstance(citation, str) and _CITATION.fullmatch(citation) else None


def _decision(content: Mapping[str, Any]) -> Decision | None:
    texts = {key: value for key, value in content.items() if isinstance(value, str)}
    match texts:
        case {"type": "approve", "operation_id": operation, "digest": digest, "nonce": nonce}:
            return Approve(operation, digest, nonce)
        case {"type": "deny", "operation_id": operation, "digest": digest, "nonce": nonce}:
            return Deny(operation, digest, nonce, texts.get("reason", "")[:REASON_LIMIT])
        case {"type": "enter_tier", "operation_id": operation, "nonce": nonce}:
            return EnterTier(operation, nonce)
        case {"type": "stay", "operation_id": operation, "nonce": nonce}:
            return StayInTier(operation, nonce)
        case _:
            return None
