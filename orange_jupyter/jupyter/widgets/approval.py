"""The approval card as data for the front end, rendered from the frozen request that is executed (R-APPR-1..3)."""

from __future__ import annotations

import json
from typing import Any

from orange_jupyter.core.approval import ApprovalRequest, Outcome
from orange_jupyter.core.events import ApprovalEnded
from orange_jupyter.core.grant import Effect
from orange_jupyter.jupyter.commanded import translated
from orange_jupyter.jupyter.sheet import clock, name
from orange_jupyter.jupyter.strings import Language, text
from orange_jupyter.jupyter.strings_cards import CARD_WORDS
from orange_jupyter.jupyter.widgets.commands import command_segments, length
from orange_jupyter.jupyter.widgets.segments import Segment, address, count_escapes, segments

ROW_LENGTH = 120
"""Longer or many-lined arguments get a scrolling block of their own; nothing is ever cut."""

_TITLES = {
    Effect.RUN: ("card.run", "command"),
    Effect.LOOK_OUTSIDE: ("card.outside", "file"),
    Effect.WEB: ("card.page", "web"),
    Effect.BROWSER_ACT: ("card.click", "pointer"),
    Effect.BROWSER_LOOK: ("card.look", "pointer"),
    Effect.MCP: ("card.mcp", "link"),
    Effect.REMEMBER: ("card.remember", "book"),
    Effect.LASTING: ("card.lasting", "shield"),
}
OUTCOMES = {
    Outcome.APPROVED: ("is-ok", "tick", ""),
    Outcome.DENIED: ("is-bad", "cross", ""),
    Outcome.CANCELLED: ("is-off", "void", "card.rights_changed"),
    Outcome.EXPIRED: ("is-warn", "warning", "card.expired"),
    Outcome.NEEDS_PERSON: ("is-bad", "cross", "card.nobody"),
}


def title_of(request: ApprovalRequest, language: Language) -> tuple[str, str]:
    """(the question, the icon's name)."""
    key, symbol = _TITLES.get(request.effect, ("card.other", "info"))
    if request.effect is Effect.WEB and "search" in request.operation.lower():
        key, symbol = "card.search", "search"
    return text(language, key, target=name(request.target), operation=name(request.operation)), symbol


def card(request: ApprovalRequest, language: Language, nonce: str) -> dict[str, Any]:
    """A waiting card. Values are segments; every argument is there in full."""
    title, symbol = title_of(request, language)
    rows = [(text(language, "card.operation"), segments(f"{request.tool}: {request.operation}"))]
    more, blocks = _arguments(request.arguments, language)
    if (
        request.target
        and not _repeated(request)
        and segments(request.target) not in [value for _, value in (*more, *blocks)]
    ):
        rows.append((text(language, "card.target"), address(request.target)))
    rows += [(_fact(label, language), address(translated(value, language))) for label, value in request.facts]
    rows += more
    warnings = [segments(translated(warning, language)) for warning in request.warnings]
    values = [value for _, value in rows] + [block for _, block in blocks]
    hidden = count_escapes(*values, *warnings)
    if hidden:
        kept = text(language, "card.invisible.kept")
        warnings.insert(0, [(text(language, "card.invisible", n=hidden), "b"), (f" {kept}", "")])
    return {
        "kind": "card",
        "icon": symbol,
        "title": title,
        "state": text(language, "card.waiting"),
        "since": text(language, "card.since", time=clock(request.asked_at)) if request.asked_at else "",
        "rows": rows,
        "blocks": [_block(label, block, language) | _length(request, label, language) for label, block in blocks],
        "warnings": warnings,
        "note": text(language, "card.real") if request.effect is Effect.RUN else "",
        "announce": text(language, "card.needed", title=title),
        "operation": request.operation_id,
        "digest": request.digest,
        "nonce": nonce,
    }


def card_words(request: ApprovalRequest, language: Language) -> str:
    """The card's text for an `input()` prompt where there are no widgets: nothing less than the card shows."""
    shown = card(request, language, "")

    def plain(parts: list[Segment]) -> str:
        return "".join(piece for piece, _ in parts)

    colon = ": " if language == "en" else "："
    lines = [shown["title"], ""]
    lines += [f"{block['name']}:\n{plain(block['text'])}\n" for block in shown["blocks"]]
    lines += [f"{label}{colon}{plain(value)}" for label, value in shown["rows"]]
    lines += [f"! {plain(warning)}" for warning in shown["warnings"]]
    return "\n".join([*lines, *([shown["note"]] if shown["note"] else [])])


def receipt(request: ApprovalRequest, ended: ApprovalEnded, language: Language) -> dict[str, Any]:
    """The line that a card becomes after its decision."""
    look, symbol, key = OUTCOMES[ended.outcome]
    if ended.reason and ended.outcome is Outcome.DENIED:
        words = text(language, "card.your_reason", reason=ended.reason)
    else:
        words = ended.reason or (text(language, key) if key else "")
    return {
        "kind": "receipt",
        "look": look,
        "icon": symbol,
        "state": text(language, f"outcome.{ended.outcome}"),
        "title": segments(f"{request.tool} {name(request.target)}".rstrip()),
        "time": f"{clock(ended.at)}, v{ended.permission_version}",
        "text": segments(words),
        "void": ended.outcome in (Outcome.CANCELLED, Outcome.EXPIRED),
    }


def _fact(label: str, language: Language) -> str:
    key = f"fact.{label.lower()}"
    return text(language, key) if key in CARD_WORDS else name(label)


def _arguments(
    canonical: str, language: Language
) -> tuple[list[tuple[str, list[Segment]]], list[tuple[str, list[Segment]]]]:
    """(short arguments as rows, long or many-lined ones as blocks); what is no JSON object is one block."""
    try:
        parsed = json.loads(canonical)
    except ValueError:
        parsed = None
    if not isinstance(parsed, dict):
        return [], [("arguments", segments(canonical))]
    rows: list[tuple[str, list[Segment]]] = []
    blocks: list[tuple[str, list[Segment]]] = []
    for key, value in parsed.items():
        words = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)
        if key == "command" and isinstance(value, str):
            blocks.append((name(key), command_segments(words, language)))
            continue
        wide = len(words) > ROW_LENGTH or "\n" in words
        (blocks if wide else rows).append((name(key), segments(words) if wide else address(words)))
    return rows, blocks


def _command(request: ApprovalRequest) -> str:
    """The command of the arguments, "" for anything else."""
    try:
        parsed = json.loads(request.arguments)
    except ValueError:
        return ""
    command = parsed.get("command") if isinstance(parsed, dict) else None
    return command if isinstance(command, str) else ""


def _repeated(request: ApprovalRequest) -> bool:
    """Whether the target is the beginning of the command, which has a block of its own."""
    start = " ".join(request.target.removesuffix("…").split())
    return request.effect is Effect.RUN and " ".join(_command(request).split()).startswith(start)


def _length(request: ApprovalRequest, label: str, language: Language) -> dict[str, str]:
    """How long a command really is: what is folded in it counts."""
    return {"length": length(_command(request), language)} if label == "command" else {}


def _block(label: str, block: list[Segment], language: Language) -> dict[str, Any]:
    label = text(language, "exec.command") if label == "command" else label
    lines = sum(piece.count("\n") for piece, _ in block) + 1
    whole = text(language, "card.whole", name=label, n=lines)
    shown = {"name": label, "label": whole, "text": block, "length": ""}
    return shown | {"scroll": text(language, "card.scroll", name=label)}
