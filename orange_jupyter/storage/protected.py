"""What is written to disk: JSON trees with every string masked and encodable (R-ALL-5, R-EVID-1)."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from pydantic import BaseModel

Mask = Callable[[str], str]
"""Replaces known credentials in a text; `core.masking.Masker.mask` in the product."""


def unmasked(text: str) -> str:
    """The mask that hides nothing."""
    return text


def encodable(text: str) -> str:
    r"""The text with lone surrogates as escapes (`\udc80`), so that it can be written as UTF-8."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def protected(value: BaseModel, mask: Mask) -> str:
    """A value as JSON text, every string in it masked; keys are left as they are."""
    return json.dumps(_walk(value.model_dump(mode="json"), mask), ensure_ascii=False)


def _walk(value: Any, mask: Mask) -> Any:
    match value:
        case str():
            return encodable(mask(value))
        case dict():
            return {encodable(str(key)): _walk(item, mask) for key, item in value.items()}
        case list() | tuple():
            return [_walk(item, mask) for item in value]
        case _:
            return value
