"""Many requests of one step as one panel: a line that counts them and denies all, then the cards, one below another.

Each is approved by itself (A17); only what is safe, to deny, can be done to all at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from orange_jupyter.jupyter.strings import Language, text
from orange_jupyter.jupyter.view import Card, Item, Line

Entry = dict[str, Any]


def panelled(shown: dict[str, Entry], named: Mapping[str, Item], step_now: int, language: Language) -> dict[str, Entry]:
    """The entries with the cards of a step that asks more than once behind its lines, under a head while one waits.

    They stay there when they are answered, so that nothing moves under the person's pointer. `named` are the items
    that are shown, by the names of their entries; a card whose line is not shown belongs to `step_now`.
    """
    groups = {step: cards for step, cards in _by_step(named, step_now).items() if len(cards) > 1}
    if not groups:
        return shown
    last = {item.step: name for name, item in named.items() if not isinstance(item, Card)}
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


def _by_step(named: Mapping[str, Item], step_now: int) -> dict[int, list[Card]]:
    """The cards by the step whose call they are about."""
    steps = {item.call_id: item.step for item in named.values() if isinstance(item, Line)}
    found: dict[int, list[Card]] = {}
    for item in named.values():
        if isinstance(item, Card):
            found.setdefault(steps.get(item.call_id, step_now), []).append(item)
    return found


def _name(card: Card) -> str:
    return f"card-{card.request.operation_id}"
