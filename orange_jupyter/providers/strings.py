"""Strings at the border of the wire: what JSON or a server cannot carry is taken out (wire row 21)."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import Any

LONGEST_NAME = 64
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


def clean(text: str) -> str:
    """The text without NUL and lone surrogates; two halves of a pair become their character."""
    if "\0" in text:
        text = text.replace("\0", "")
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "ignore")
    return text


def clean_json(value: Any) -> Any:
    """The same JSON value with every string cleaned, keys too."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {clean(str(key)): clean_json(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [clean_json(inner) for inner in value]
    return value


@dataclass(frozen=True, slots=True)
class IdForm:
    """What a server takes as a tool call's id; another one becomes `prefix` and `digits` of a digest (wire row 19)."""

    taken: re.Pattern[str]
    prefix: str
    digits: int


OPENAI_IDS = IdForm(re.compile(r"[A-Za-z0-9_-]{1,40}"), "call_", 32)
ANTHROPIC_IDS = IdForm(re.compile(r"[A-Za-z0-9_-]{1,64}"), "toolu_", 40)
MISTRAL_IDS = IdForm(re.compile(r"[A-Za-z0-9]{9}"), "", 9)


def wire_id(call_id: str, form: IdForm = OPENAI_IDS) -> str:
    """A call's id as a server accepts it: itself, or a stable digest of it (wire row 19)."""
    if form.taken.fullmatch(call_id):
        return call_id
    return form.prefix + _digest(call_id, form.digits)


def wire_name(name: str) -> str:
    """A tool's name as servers accept it: itself, or its usable characters and a stable digest."""
    if _NAME.fullmatch(name):
        return name
    usable = re.sub(r"[^A-Za-z0-9_-]", "_", name)
    return f"{usable[: LONGEST_NAME - 9]}_{_digest(name, 8)}"


def _digest(text: str, length: int) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:length]
