"""Each performance goal as a row of one table. A module here with a function `rows()` is collected by `benchmarks.run`.

Times are CPU times or ratios taken in one run, because wall times on a shared machine say little.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Row:
    """One measured goal. `goal` is written out, for instance `<= 0.35`; a peer is what it was measured against."""

    name: str
    value: float
    unit: str
    goal: str
    holds: bool
    peer: str = ""
    peer_value: float | None = None

    def as_json(self) -> dict[str, Any]:
        """The object of benchmarks/last.json."""
        return asdict(self)


def at_most(name: str, value: float, unit: str, limit: float, **peer: Any) -> Row:
    """A row whose value must not exceed `limit`; `peer="…", peer_value=…` name the yardstick."""
    return Row(name, round(value, 4), unit, f"<= {limit:g}", value <= limit, **peer)


def at_least(name: str, value: float, unit: str, limit: float, **peer: Any) -> Row:
    """A row whose value must reach `limit`."""
    return Row(name, round(value, 4), unit, f">= {limit:g}", value >= limit, **peer)
