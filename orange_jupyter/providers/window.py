"""Notices a server that silently cut the conversation: its count is far under what was sent (wire row 25)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from orange_jupyter.core.messages import Usage

_WORTH_SAYING = 3_000


def least_tokens(text: str) -> int:
    """A low estimate of the tokens of a text: no tokenizer packs more than about 7 Latin or 2.5 Chinese characters."""
    wide = sum(1 for character in text if ord(character) >= 0x2E80)
    return int((len(text) - wide) / 7 + wide / 2.5)


def cut_notice(body: dict[str, Any], usage: Usage) -> str | None:
    """One line for the person when the server read less than half of what the lowest estimate allows."""
    if not usage.input_tokens:
        return None
    text = "".join(_words([body.get("system"), body["messages"]])) + json.dumps(body.get("tools"), ensure_ascii=False)
    least = least_tokens(text)
    if least < _WORTH_SAYING or usage.input_tokens * 2 > least:
        return None
    return (
        f"The server read only {usage.input_tokens} tokens of at least {least}: it seems to cut the conversation "
        "silently. For Ollama raise num_ctx (OLLAMA_CONTEXT_LENGTH) to the model's context window."
    )


def _words(value: Any) -> Iterator[str]:
    """The texts of messages, however deep their parts lie; pictures are none."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for inner in value:
            yield from _words(inner)
    elif isinstance(value, dict):
        for key in ("content", "text"):
            yield from _words(value.get(key))
