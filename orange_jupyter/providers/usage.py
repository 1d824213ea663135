"""A server's token counts in one shape: subsets are never added twice (wire row 29)."""

from __future__ import annotations

import json
from typing import Any

from orange_jupyter.core.messages import Usage

_LONGEST_RAW = 4_000
"""Characters of a usage object that is kept as it came; real ones have a few hundred."""


def usage_of(used: dict[str, Any]) -> Usage:
    """Usage from a `usage` object: OpenAI's names, DeepSeek's cache counts, OpenRouter's cost, Anthropic's parts.

    Anthropic's `input_tokens` leave out what was read from or written to the cache: the sum is the whole input.
    `cost` in the provider's currency where the server tells it, else None. `raw` is the object itself.
    """
    inputs = _details(used, "prompt_tokens_details", "input_tokens_details")
    outputs = _details(used, "completion_tokens_details", "output_tokens_details")
    read, written = _count(used, "cache_read_input_tokens"), _count(used, "cache_creation_input_tokens")
    cost = used.get("cost")
    return Usage(
        input_tokens=_count(used, "prompt_tokens") or _count(used, "input_tokens") + read + written,
        cache_read_tokens=_count(inputs, "cached_tokens")
        or _count(used, "prompt_cache_hit_tokens", "cached_tokens")
        or read,
        cache_write_tokens=_count(inputs, "cache_write_tokens", "cache_creation_tokens") or written,
        output_tokens=_count(used, "completion_tokens", "output_tokens"),
        reasoning_tokens=_count(outputs, "reasoning_tokens", "thinking_tokens") or _count(used, "reasoning_tokens"),
        cost=float(cost) if isinstance(cost, int | float) and not isinstance(cost, bool) else None,
        raw=used if len(json.dumps(used)) <= _LONGEST_RAW else {},
    )


def _details(used: dict[str, Any], *names: str) -> dict[str, Any]:
    for name in names:
        found = used.get(name)
        if isinstance(found, dict):
            return found
    return {}


def _count(used: dict[str, Any], *names: str) -> int:
    """The first count that is a number; some servers send null, or floats."""
    for name in names:
        value = used.get(name)
        if isinstance(value, int | float) and not isinstance(value, bool) and value > 0:
            return int(value)
    return 0
