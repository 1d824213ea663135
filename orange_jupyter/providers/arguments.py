"""The arguments of a tool call as a model wrote them: a JSON object, or the reason why not (wire rows 7, 8)."""

from __future__ import annotations

import json
from typing import Any

from orange_jupyter.providers.strings import clean, clean_json


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def parse_arguments(raw: str) -> tuple[dict[str, Any] | None, str | None]:
    """(the object, None) or (None, the problem with its place).

    Empty text means no arguments. Raw newlines inside strings are read as meant; nothing else is guessed.
    """
    text = clean(raw)
    if not text.strip():
        return {}, None
    try:
        value = json.loads(text, strict=False, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        return None, _place(text, error)
    except RecursionError:
        return None, "the arguments are nested too deeply"
    except ValueError as error:
        return None, f"the arguments are not valid JSON: {error}"
    if not isinstance(value, dict):
        return None, f"the arguments are {_kind(value)}, not a JSON object"
    return clean_json(value), None


def is_whole(raw: str) -> bool:
    """Whether the pieces so far are one complete JSON object."""
    if not raw.rstrip().endswith("}"):
        return False
    return parse_arguments(raw)[0] is not None


def _place(text: str, error: json.JSONDecodeError) -> str:
    if error.msg == "Extra data":
        return f"the arguments hold more than one JSON value: the second begins at character {error.pos + 1}"
    if error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string"):
        return f"the arguments end too early, at character {error.pos + 1}: {error.msg}"
    return f"the arguments are not valid JSON at character {error.pos + 1}: {error.msg}"


def _kind(value: object) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "true or false"
        case str():
            return "a string"
        case list():
            return "a list"
        case _:
            return "a number"
