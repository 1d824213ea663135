"""What is done to a model's reply before it counts: unique call ids, no secrets in what it says."""

from __future__ import annotations

from collections.abc import Callable

from orange_jupyter.core.messages import Reasoning, Reply, Text, ToolCall


def with_unique_ids(reply: Reply, seen: set[str]) -> Reply:
    """Call ids are unique within a turn, so that an approval can never stand for two calls (wire row 5)."""
    parts = []
    for part in reply.parts:
        new = part
        if isinstance(part, ToolCall):
            identity, count = part.id or "call", 1
            while (identity in seen) or not identity:
                count += 1
                identity = f"{part.id or 'call'}_{count}"
            seen.add(identity)
            new = part.model_copy(update={"id": identity})
        parts.append(new)
    return reply.model_copy(update={"parts": tuple(parts)})


def masked(reply: Reply, mask: Callable[[str], str]) -> Reply:
    """The reply without secrets in what it says; the arguments of its calls run as they are (R-ALL-5)."""
    notices = tuple(mask(line) for line in reply.notices)
    return reply.model_copy(update={"parts": tuple(_masked(part, mask) for part in reply.parts), "notices": notices})


def _masked(part: Text | Reasoning | ToolCall, mask: Callable[[str], str]) -> Text | Reasoning | ToolCall:
    if isinstance(part, ToolCall):
        return part.model_copy(update={"name": mask(part.name), "id": mask(part.id)})
    return part.model_copy(update={"text": mask(part.text)})
