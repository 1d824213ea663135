"""Reads the envelope that a model wrote: its answer while it streams, its call at the end (R-MOD-10)."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, Literal

from orange_jupyter.core.deltas import TextDelta
from orange_jupyter.providers.assemble import ToolNames
from orange_jupyter.providers.pieces import Emit, Run

_HEAD = re.compile(r"(?:`{1,2}|```(?:j|js|jso|json)?\s*)?\Z|(?:```(?:json)?\s*)?\{")
_ANSWER = re.compile(r'(?:```(?:json)?\s*)?\{\s*"answer"\s*:\s*"')
_LONGEST_HEAD = 80
_SPECIAL = re.compile(r'["\\]')
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_FENCE = re.compile(r"\A```(?:json)?\s*|\s*```\Z")
_BROKEN_CALL = re.compile(
    r'\{\s*"(?:tool|name)"\s*:\s*"(?P<tool>[^"\\]+)"(?:\s*,\s*"arguments"\s*:\s*(?P<raw>.*))?', re.DOTALL
)
_CALL_BEGINS = re.compile(r'\{\s*"(?:tool|name)"\s*:')

_decode = json.JSONDecoder(strict=False).raw_decode


@dataclass(frozen=True, slots=True)
class Called:
    """A call: the tool's name as written, and its arguments as an object, or as the text that is none."""

    tool: str
    arguments: Any


class AnswerText:
    """The text of `{"answer": "…"}` piece by piece; `plain`: the model wrote text without an envelope.

    Where `answer` is not the first key nothing streams: what the text is shows at its end.
    """

    def __init__(self, emit: Emit) -> None:
        self._run = Run(TextDelta, emit)
        self._held = ""
        self._state: Literal["head", "answer", "after", "plain", "other"] = "head"

    @property
    def begun(self) -> bool:
        """Whether a person has seen any of it, or its string began."""
        return self._run.begun or self._state in ("answer", "after")

    @property
    def plain(self) -> bool:
        """Whether it is text without an envelope."""
        return self._state == "plain"

    @property
    def whole(self) -> str:
        """All of it so far."""
        return self._run.whole

    def feed(self, text: str) -> None:
        """Take a piece of what the model writes."""
        match self._state:
            case "plain":
                self._run.add(text)
            case "answer":
                self._string(text)
            case "head":
                self._begin(text)
            case _:
                pass

    def say(self, text: str) -> None:
        """Show text that was understood only at the end."""
        self._run.add(text)

    def close(self) -> None:
        """The end of the stream."""
        self._run.close()

    def _begin(self, text: str) -> None:
        self._held += text
        begun = self._held.lstrip()
        if not begun:
            return
        if not _HEAD.match(begun):
            self._state = "plain"
            self._run.add(self._held)
            return
        found = _ANSWER.match(begun)
        if found:
            self._state, self._held = "answer", ""
            self._string(begun[found.end() :])
        elif len(begun) > _LONGEST_HEAD:
            self._state = "other"

    def _string(self, text: str) -> None:
        """Decode a stretch of the JSON string; a cut escape waits for its rest, as a half of a pair does in `Run`."""
        text = self._held + text
        out: list[str] = []
        at = 0
        while found := _SPECIAL.search(text, at):
            out.append(text[at : found.start()])
            at = found.start()
            if found.group() == '"':
                self._state, at = "after", len(text)
                break
            character, length = _escape(text, at)
            if not length:
                break
            out.append(character)
            at += length
        else:
            out.append(text[at:])
            at = len(text)
        self._held = text[at:]
        if out:
            self._run.add("".join(out))


def _escape(text: str, at: int) -> tuple[str, int]:
    """(the character of an escape, its length in the text); a length of 0 where its end has not come yet."""
    if at + 1 >= len(text):
        return "", 0
    letter = text[at + 1]
    if letter != "u":
        return _ESCAPES.get(letter, letter), 2
    digits = text[at + 2 : at + 6]
    if not re.fullmatch(r"[0-9A-Fa-f]*", digits):
        return "\\u", 2
    return (chr(int(digits, 16)), 6) if len(digits) == 4 else ("", 0)


def read_envelope(text: str) -> Called | str | None:
    """The call, the answer's text, or None for something that is neither.

    Of several objects the first counts: the model is told that a reply holds one call. A call whose JSON is broken
    stays a call, so that the model learns at which character (R-MOD-3).
    """
    bare = _FENCE.sub("", text.strip())
    try:
        value, _ = _decode(bare)
    except (ValueError, RecursionError):
        return _broken(bare)
    if not isinstance(value, dict):
        return None
    tool = next((value[key] for key in ("tool", "name") if isinstance(value.get(key), str) and value[key]), None)
    if tool is not None:
        return Called(tool, value.get("arguments", value.get("parameters")))
    answer = value.get("answer")
    if answer is None:
        return None
    return answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)


def called_in(text: str, names: ToolNames) -> tuple[str, Called | None]:
    """(the text before it, the whole call of a known tool at the end of plain text); without one the text and None."""
    for found in _CALL_BEGINS.finditer(text):
        call = read_envelope(text[found.start() :])
        if isinstance(call, Called) and names.knows(call.tool) and not isinstance(call.arguments, str):
            return text[: found.start()].rstrip("`json \n"), call
    return text, None


def _broken(text: str) -> Called | None:
    found = _BROKEN_CALL.match(text)
    return Called(found["tool"], found["raw"] or "{") if found else None
