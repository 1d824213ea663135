"""Bounds of one turn, and the signs of a model that goes in circles (R-MOD-5, wire row 30). Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from orange_jupyter.core.events import StopReason
from orange_jupyter.core.messages import ToolCall, Usage
from orange_jupyter.core.result import canonical

PERIODS = range(1, 6)
TIMES = 3


@dataclass(frozen=True, slots=True)
class TurnLimits:
    """None is no bound; `tokens` of all requests together, `cost` in the prices' currency, `seconds` of wall time."""

    steps: int = 50
    tokens: int | None = None
    cost: float | None = None
    seconds: float | None = None

    def passed(self, usage: Usage) -> StopReason | None:
        """The limit that a turn's usage has passed, if any."""
        if self.tokens is not None and usage.input_tokens + usage.output_tokens > self.tokens:
            return StopReason.TOKEN_LIMIT
        if self.cost is not None and usage.cost is not None and usage.cost > self.cost:
            return StopReason.COST_LIMIT
        return None


def signature(call: ToolCall, envelope: Mapping[str, Any]) -> str:
    """One call with what it gave: tool, canonical arguments, whole result. Polling that changes is no circle."""
    body = canonical([call.name.lower(), call.arguments, call.raw if call.arguments is None else "", envelope])
    return hashlib.sha256(body.encode("utf-8", "surrogatepass")).hexdigest()


def circles(signatures: Sequence[str]) -> bool:
    """Whether the last calls are one sequence of 1 to 5 calls, three times over."""
    for period in PERIODS:
        recent = signatures[-period * TIMES :]
        if len(recent) == period * TIMES and list(recent) == list(signatures[-period:]) * TIMES:
            return True
    return False
