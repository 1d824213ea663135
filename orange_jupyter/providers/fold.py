"""Folds the chunks of an answer into one Reply and tells every piece as it comes (wire rows 10, 11, 17, 29)."""

from __future__ import annotations

from typing import Any

from orange_jupyter.core.deltas import ReasoningDelta, TextDelta
from orange_jupyter.core.messages import Finish, Reasoning, Reply, Text, ToolCall, Usage
from orange_jupyter.providers.assemble import Assembler
from orange_jupyter.providers.pieces import Emit, Run
from orange_jupyter.providers.speech import ServerSaidError
from orange_jupyter.providers.think import ThinkSplitter
from orange_jupyter.providers.usage import usage_of

_REASONING_FIELDS = ("reasoning_content", "reasoning", "reasoning_text")

_FINISHES = {
    "length": Finish.LENGTH,
    "max_tokens": Finish.LENGTH,
    "model_length": Finish.LENGTH,
    "content_filter": Finish.CONTENT_FILTER,
    "tool_calls": Finish.TOOL_CALLS,
    "function_call": Finish.TOOL_CALLS,
    "tool_use": Finish.TOOL_CALLS,
}


class Folding:
    """One answer under construction: `feed` every chunk, or the one answer that did not stream, then `reply`.

    `understood`: something was an answer's chunk; `ended`: the server said that it is complete.
    """

    def __init__(self, assembler: Assembler, emit: Emit) -> None:
        self._assembler = assembler
        self._think = ThinkSplitter()
        self._text = Run(TextDelta, emit)
        self._reasoning = Run(ReasoningDelta, emit)
        self._reasoning_field = ""
        self._finish: Finish | None = None
        self._choice: Any = None
        self.usage = Usage()
        self.ended = False
        self.understood = False

    @property
    def shown(self) -> bool:
        """Whether a person has seen anything of this answer."""
        return self._text.begun or self._reasoning.begun

    def feed(self, chunk: dict[str, Any]) -> None:
        """Take one chunk. Raises ServerSaidError; anything unknown in it is passed over."""
        choices = chunk.get("choices")
        if choices is None or "error" in chunk:
            chunk = _unwrapped(chunk)
            choices = chunk.get("choices")
        if isinstance(choices, list):
            self.understood = True
            for choice in choices:
                if isinstance(choice, dict):
                    self._take(choice)
        used = chunk.get("usage")
        if isinstance(used, dict):
            self._count(used)
            self.ended = self.ended or (not choices and self._choice is not None)

    def reply(self, model: str) -> Reply:
        """The whole answer, after the last chunk."""
        reasoning, text = self._think.end()
        self._think_text(reasoning, text)
        self._text.close()
        self._reasoning.close()
        parts: list[Reasoning | Text | ToolCall] = []
        if self._reasoning.whole:
            parts.append(Reasoning(text=self._reasoning.whole, field=self._reasoning_field))
        if self._text.whole:
            parts.append(Text(text=self._text.whole))
        calls = self._assembler.finish()
        return Reply(parts=(*parts, *calls), finish=self._normal_finish(calls), usage=self.usage, model=model)

    def _normal_finish(self, calls: tuple[ToolCall, ...]) -> Finish:
        """Calls run whatever the server called the end, unless it says that the answer was cut (row 11)."""
        if self._finish in (Finish.LENGTH, Finish.CONTENT_FILTER):
            return self._finish
        return Finish.TOOL_CALLS if calls else Finish.STOP

    def _take(self, choice: dict[str, Any]) -> None:
        """The first choice only: a person reads one answer."""
        index = choice.get("index") or 0
        if self._choice is None:
            self._choice = index
        elif index != self._choice:
            return
        delta = choice.get("delta")
        if isinstance(delta, dict):
            self._take_delta(delta, separate=False)
        else:
            message = choice.get("message")
            if isinstance(message, dict):
                self._take_delta(message, separate=True)
        reason = choice.get("finish_reason")
        if isinstance(reason, str) and reason:
            self.ended = True
            self._finish = _FINISHES.get(reason, Finish.STOP)
        used = choice.get("usage")
        if isinstance(used, dict):
            self._count(used)

    def _take_delta(self, delta: dict[str, Any], *, separate: bool) -> None:
        if len(delta) == 1 and isinstance(delta.get("content"), str):
            self._say(delta["content"])  # thousands of times an answer; nothing else to look for
            return
        for field in _REASONING_FIELDS:
            reasoning = delta.get(field)
            if reasoning and isinstance(reasoning, str):
                self._reason(reasoning, field)
                break
        content = delta.get("content")
        if content:
            if isinstance(content, str):
                self._say(content)
            else:
                self._take_parts(content)
        refusal = delta.get("refusal")
        if refusal and isinstance(refusal, str):
            self._text.add(refusal)
        if "tool_calls" in delta or "function_call" in delta:
            self._take_calls(delta, separate=separate)

    def _take_calls(self, delta: dict[str, Any], *, separate: bool) -> None:
        calls = delta.get("tool_calls")
        if calls is None and isinstance(delta.get("function_call"), dict):
            calls = [{"function": delta["function_call"]}]
        for item in calls if isinstance(calls, list) else [calls]:
            if isinstance(item, dict):
                self._assembler.add(item, separate=separate)

    def _take_parts(self, content: Any) -> None:
        """Content as a list of parts (Mistral): text, and thinking as text parts of its own."""
        for part in content if isinstance(content, list) else [content]:
            if isinstance(part, str):
                self._text.add(part)
            elif isinstance(part, dict) and isinstance(part.get("text"), str):
                self._text.add(part["text"])
            elif isinstance(part, dict) and isinstance(part.get("thinking"), list):
                for inner in part["thinking"]:
                    if isinstance(inner, dict) and isinstance(inner.get("text"), str):
                        self._reason(inner["text"], "think")

    def _say(self, text: str) -> None:
        if self._think.over:
            self._text.add(text)
        elif text:
            self._think_text(*self._think.feed(text))

    def _think_text(self, reasoning: str, text: str) -> None:
        if reasoning:
            self._reason(reasoning, "think")
        if text:
            self._text.add(text)

    def _reason(self, text: str, field: str) -> None:
        self._reasoning_field = self._reasoning_field or field
        self._reasoning.add(text)

    def _count(self, used: dict[str, Any]) -> None:
        counted = usage_of(used)
        if counted != Usage():
            self.usage = counted


def _unwrapped(chunk: dict[str, Any]) -> dict[str, Any]:
    """An error object is raised; `{"data": {...}}` is opened (row 26)."""
    error = chunk.get("error")
    if error:
        raise ServerSaidError(error)
    if "choices" in chunk and chunk["choices"] is not None:
        return chunk
    if chunk.get("object") == "error" or ("message" in chunk and "code" in chunk):
        raise ServerSaidError(chunk)
    inner = chunk.get("data")
    if isinstance(inner, dict) and "choices" in inner:
        return inner
    return chunk
