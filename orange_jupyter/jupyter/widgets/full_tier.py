"""The card that enters a full tier, with the exact words of what it opens (R-PERM-3, screen 4)."""

from __future__ import annotations

from typing import Any

from orange_jupyter.core.approval import Outcome, TierRequest
from orange_jupyter.core.grant import Tier
from orange_jupyter.jupyter.sheet import clock, name
from orange_jupyter.jupyter.strings import Language, text
from orange_jupyter.jupyter.widgets.segments import marked, segments

_OPENS = (("file", "full.files"), ("command", "full.commands"), ("web", "full.network"), ("pointer", "full.browser"))


def tier_card(request: TierRequest, language: Language, nonce: str) -> dict[str, Any]:
    """A waiting card; `opens` are (icon, segments) of the two-column list, the safe button comes first."""
    auto = request.wanted is Tier.FULL_AUTO
    opens = [(symbol, marked(text(language, key))) for symbol, key in _OPENS]
    if request.mcp_servers:
        servers = ", ".join(name(server) for server in request.mcp_servers)
        before, after = text(language, "full.mcp", servers="\0").split("\0")
        opens.append(("link", [*marked(before), (servers, ""), *marked(after)]))
    else:
        opens.append(("link", marked(text(language, "full.mcp.none"))))
    opens.append(("shield", marked(text(language, "full.user"))))
    return {
        "kind": "tier",
        "icon": "warning" if auto else "shield",
        "bad": auto,
        "title": text(language, "full.title", tier=request.wanted),
        "state": text(language, "card.waiting"),
        "intro": text(language, "full.opens"),
        "opens": opens,
        "note": marked(text(language, "full.auto" if auto else "full.confirm")),
        "stay": text(language, "full.stay", tier=request.current),
        "enter": text(language, "full.enter.auto" if auto else "full.enter.confirm"),
        "announce": text(language, "full.needed", tier=request.wanted),
        "operation": request.operation_id,
        "nonce": nonce,
    }


def tier_words(request: TierRequest, language: Language) -> str:
    """The card's text for an `input()` prompt where there are no widgets; the person types the tier's name."""
    shown = tier_card(request, language, "")
    lines = [shown["title"], "", shown["intro"]]
    lines += ["  - " + "".join(piece for piece, _ in parts) for _, parts in shown["opens"]]
    return "\n".join([*lines, "", "".join(piece for piece, _ in shown["note"])])


def tier_receipt(
    request: TierRequest, outcome: Outcome, language: Language, *, at: str, version: int
) -> dict[str, Any]:
    """The line that the card becomes."""
    entered = outcome is Outcome.APPROVED
    if entered:
        words = marked(text(language, "full.entered.how"))
    elif outcome is Outcome.DENIED:
        words = segments(text(language, "full.not.stayed", tier=request.current))
    else:
        words = segments(text(language, "full.not.cell"))
    return {
        "kind": "receipt",
        "look": "is-ok" if entered else "is-off",
        "icon": "tick" if entered else "void",
        "state": text(language, "full.entered" if entered else "full.not"),
        "title": segments(str(request.wanted)),
        "time": f"{clock(at)}, v{version}",
        "text": words,
        "void": not entered,
    }
