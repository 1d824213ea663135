"""Many requests of one step as one panel: a line that counts them and denies all, then the cards, one below another.

Each is approved by itself (A17); only what is safe, to deny, can be done to all at once.
"""

from __future__ import annotations

from typing import Any

from orange_jupyter.jupyter.strings import Language, text
from orange_jupyter.jupyter.view import Card, Line, Said, TurnView

Entry = dict[str, Any]


def panelled(shown: dict[str, Entry], view: TurnView, language: Language) -> dict[str, Entry]:
    """The entries with the cards of a step that asks more than once behind its lines, under a head while one waits.

    They stay there when they are answered, so that nothing moves under the person's pointer. Names that are not in
    `shown` are left out.
    """
    groups = {step: cards for step, cards in _by_step(view).items() if len(cards) > 1}
    if not groups:
        return shown
    last = _last_names(view, shown)
    moved = {_name(card) for cards in groups.values() for card in cards}
    ordered: dict[str, Entry] = {}
    for name, entry in shown.items():
        if name not in moved:
            ordered[name] = entry
        for step in [step for step, at in last.items() if at == name and step in groups]:
            ordered |= _panel(step, groups.pop(step), shown, language)
    for step, cards in groups.items():
        ordered |= _panel(step, cards, shown, language)
    return ordered


def _panel(step: int, cards: list[Card], shown: dict[str, Entry], language: Language) -> dict[str, Entry]:
    entries = {_name(card): shown[_name(card)] for card in cards if _name(card) in shown}
    waiting = [name for name, entry in entries.items() if entry["kind"] == "card"]
    if not waiting:
        return entries
    quiet = {name: entry | {"announce": ""} if name in waiting else entry for name, entry in entries.items()}
    title = text(language, "card.many", n=len(waiting))
    head = {
        "kind": "asks",
        "title": title,
        "state": text(language, "card.waiting"),
        "deny": text(language, "card.deny.all"),
        "hint": text(language, "card.many.hint"),
        "cards": list(entries),
        "announce": text(language, "card.needed", title=title),
    }
    return {f"asks-{step}": head, **quiet}


def _by_step(view: TurnView) -> dict[int, list[Card]]:
    """The cards by the step whose call they are about."""
    steps = {line.call_id: line.step for line in view.lines}
    found: dict[int, list[Card]] = {}
    for card in view.cards:
        found.setdefault(steps.get(card.call_id, view.step), []).append(card)
    return found


def _last_names(view: TurnView, shown: dict[str, Entry]) -> dict[int, str]:
    """The last entry of each step that is no card."""
    last: dict[int, str] = {}
    for place, item in enumerate(view.items):
        match item:
            case Said():
                name = f"said-{place}"
            case Line():
                name = f"call-{item.call_id}"
            case Card():
                continue
        if name in shown:
            last[item.step] = name
    return last


def _name(card: Card) -> str:
    return f"card-{card.request.operation_id}"
