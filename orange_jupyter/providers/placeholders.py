"""Fills `{{last.citations.0.citationId}}` and the like from the results that a scripted model has seen."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from orange_jupyter.core.errors import ModelError, ModelFault
from orange_jupyter.core.messages import Request, Role, ToolResult

_PLACEHOLDER = re.compile(r"\{\{\s*([^{}]+?)\s*\}\}")


@dataclass(frozen=True, slots=True)
class Known:
    """What placeholders may name: the results in order, as (tool, envelope), and the last user message."""

    results: tuple[tuple[str, Any], ...]
    user: str

    @classmethod
    def of(cls, request: Request) -> Known:
        """Read a request. A result that is no JSON counts as its text."""
        results = [
            (part.name, _json_or_text(part.content))
            for message in request.messages
            for part in message.parts
            if isinstance(part, ToolResult)
        ]
        users = [message.text for message in request.messages if message.role is Role.USER]
        return cls(tuple(results), users[-1] if users else "")

    def look_up(self, path: str) -> Any:
        """The value at a path. Raises ModelError that names the path, for a script's author."""
        try:
            return self._value(path.split("."))
        except (LookupError, ValueError, TypeError):
            raise ModelError(
                ModelFault.BAD_REQUEST,
                f"The script's placeholder {{{{{path}}}}} names nothing.",
                hint=f"tool results so far: {', '.join(name for name, _ in self.results) or 'none'}",
            ) from None

    def _value(self, steps: list[str]) -> Any:
        match steps:
            case ["user"]:
                return self.user
            case ["last", *rest]:
                return _walk(self.results[-1][1], rest)
            case ["results", number, *rest]:
                return _walk(self.results[int(number)][1], rest)
            case ["tool", name, *rest]:
                newest = [envelope for tool, envelope in self.results if tool == name][-1]
                return _walk(newest, rest)
        raise LookupError(steps[0])


def filled(value: Any, known: Known) -> Any:
    """The value with every placeholder in it replaced. Raises ModelError for one that names nothing."""
    if isinstance(value, str):
        whole = _PLACEHOLDER.fullmatch(value)
        if whole:
            return known.look_up(whole.group(1))
        return _PLACEHOLDER.sub(lambda match: _as_text(known.look_up(match.group(1))), value)
    if isinstance(value, dict):
        return {key: filled(inner, known) for key, inner in value.items()}
    if isinstance(value, list):
        return [filled(inner, known) for inner in value]
    return value


def _walk(value: Any, steps: list[str]) -> Any:
    for step in steps:
        value = value[int(step)] if isinstance(value, list) else value[step]
    return value


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _json_or_text(content: str) -> Any:
    try:
        return json.loads(content)
    except ValueError:
        return content
