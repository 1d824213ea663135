"""What the front end has already been told, so that each message holds only what is new."""

from __future__ import annotations

from typing import Any

Entry = dict[str, Any]


class Ledger:
    """Compares entries with those sent before. Owned by the view thread."""

    def __init__(self) -> None:
        self._head: Entry | None = None
        self._sent: dict[str, Entry] = {}
        self._number = 0

    def changes(self, head: Entry | None, entries: dict[str, Entry], *, whole: bool = False) -> Entry | None:
        """The next message, or None where nothing changed. `whole` repeats everything, for a view that is new."""
        known = {} if whole else self._sent
        new_head = head if whole or _still(head) != _still(self._head) else None
        items = {
            name: _news(entry, known.get(name)) for name, entry in entries.items() if _is_news(entry, known.get(name))
        }
        order = list(entries)
        moved = whole or order != list(self._sent)
        self._head, self._sent = head, dict(entries)
        if not (whole or new_head or items or moved):
            return None
        self._number += 1
        message: Entry = {"type": "draw", "number": self._number, "whole": whole, "items": items}
        return message | ({"head": new_head} if new_head else {}) | ({"order": order} if moved else {})


def _still(entry: Entry | None) -> Entry | None:
    """An entry without the running time, which the front end counts by itself."""
    return None if entry is None else {key: value for key, value in entry.items() if key != "elapsed"}


def _is_news(entry: Entry, sent: Entry | None) -> bool:
    return sent is None or (entry is not sent and _still(entry) != _still(sent))


def _news(entry: Entry, sent: Entry | None) -> Entry:
    """For text only the blocks that were closed since; for all else the entry. Blocks are counted over a whole run."""
    if entry["kind"] != "said":
        return entry
    again = sent is not None and sent["run"] == entry["run"]
    known = sent["first"] + len(sent["closed"]) if again and sent is not None else 0
    start = max(known, entry["first"])
    return entry | {"start": start, "fresh": not again, "closed": entry["closed"][start - entry["first"] :]}
