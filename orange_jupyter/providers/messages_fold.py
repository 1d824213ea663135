"""Folds the events of the Anthropic messages API into one Reply (wire rows 1-8, 10, 11, 17, 29)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from orange_jupyter.core.deltas import ReasoningDelta, TextDelta
from orange_jupyter.core.messages import Finish, Reasoning, Reply, Text, ToolCall, Usage
from orange_jupyter.providers.assemble import Assembler
from orange_jupyter.providers.pieces import Emit, Run
from orange_jupyter.providers.speech import ServerSaidError
from orange_jupyter.providers.strings import clean
from orange_jupyter.providers.usage import usage_of

_FINISHES = {
    "max_tokens": Finish.LENGTH,
    "model_context_window_exceeded": Finish.LENGTH,
    "refusal": Finish.CONTENT_FILTER,
    "tool_use": Finish.TOOL_CALLS,
}
"""Stop reasons that are more than an end: `end_turn`, `stop_sequence`, `pause_turn` and unknown ones are STOP."""

_CALL_KEYS = frozenset({"type", "id", "name", "input", "cache_control"})


@dataclass(slots=True)
class _Block:
    """One content block under construction; `number` is its place, `whole_input` what came with its start."""

    kind: str
    number: int
    run: Run
    signature: str = ""
    whole_input: Any = None


class MessagesFolding:
    """One answer under construction: `feed` every event, or the one message that did not stream, then `reply`.

    `understood`: something was a part of an answer; `ended`: the server said that it is complete.
    """

    def __init__(self, assembler: Assembler, emit: Emit) -> None:
        self._assembler = assembler
        self._emit = emit
        self._blocks: list[_Block] = []
        self._open: dict[int, _Block] = {}
        self._finish: Finish | None = None
        self._counts: dict[str, Any] = {}
        self.usage = Usage()
        self.ended = False
        self.understood = False

    @property
    def shown(self) -> bool:
        """Whether a person has seen anything of this answer."""
        return any(block.run.begun for block in self._blocks)

    def feed(self, chunk: dict[str, Any]) -> None:
        """Take one event. Raises ServerSaidError; anything unknown is passed over, as the API asks."""
        match chunk.get("type"):
            case "message_start":
                self.understood = True
                self._message(chunk.get("message"))
            case "content_block_start":
                self.understood = True
                self._start(chunk.get("content_block"), _index(chunk))
            case "content_block_delta":
                self._delta(chunk.get("delta"), _index(chunk))
            case "message_delta":
                self._end(chunk.get("delta"), chunk.get("usage"))
            case "message_stop":
                self.ended = self.understood
            case "message":
                self.understood = True
                self._message(chunk)
            case _:
                error = chunk.get("error")
                if error:
                    raise ServerSaidError(error)

    def reply(self, model: str) -> Reply:
        """The whole answer, its parts in the order in which the model wrote them."""
        for block in self._blocks:
            block.run.close()
            if block.whole_input:
                self._piece(block, block.whole_input)
        calls = self._assembler.finish()
        parts = tuple(self._parts(iter(calls)))
        return Reply(parts=parts, finish=self._normal_finish(calls), usage=self.usage, model=model)

    def _parts(self, calls: Iterator[ToolCall]) -> Iterator[Reasoning | Text | ToolCall]:
        for block in self._blocks:
            match block.kind:
                case "text" if block.run.whole:
                    yield Text(text=block.run.whole)
                case "thinking" | "redacted_thinking" if block.run.whole or block.signature:
                    yield Reasoning(text=block.run.whole, field=block.kind, signature=block.signature or None)
                case "tool_use":
                    call = next(calls, None)
                    if call is not None:
                        yield call
                case _:
                    pass

    def _normal_finish(self, calls: tuple[ToolCall, ...]) -> Finish:
        """Calls run whatever the server called the end, unless it says that the answer was cut (row 11)."""
        if self._finish in (Finish.LENGTH, Finish.CONTENT_FILTER):
            return self._finish
        return Finish.TOOL_CALLS if calls else Finish.STOP

    def _message(self, message: Any) -> None:
        """A message's beginning, or a whole one."""
        if not isinstance(message, dict):
            return
        content = message.get("content")
        for block in content if isinstance(content, list) else []:
            self._start(block, len(self._blocks))
        self._end(message, message.get("usage"))

    def _start(self, content: Any, index: int) -> None:
        """A block begins; whatever its index, it is a new one."""
        if not isinstance(content, dict):
            return
        kind = str(content.get("type"))
        thought = kind in ("thinking", "redacted_thinking")
        block = _Block(kind, len(self._blocks), Run(ReasoningDelta if thought else TextDelta, self._emit))
        self._blocks.append(block)
        self._open[index] = block
        match kind:
            case "text" | "thinking":
                self._say(block, content.get(kind))
                self._sign(block, content.get("signature"))
            case "redacted_thinking":
                self._sign(block, content.get("data"))
            case "tool_use":
                self._call(block, content)
            case _:
                pass

    def _call(self, block: _Block, content: dict[str, Any]) -> None:
        """A call begins. Its input comes in pieces; some servers send it whole here, and then no piece."""
        block.whole_input = content.get("input")
        extra = {
            key: value for key, value in content.items() if key not in _CALL_KEYS and key not in ("index", "function")
        }
        item = {**extra, "index": block.number, "id": content.get("id"), "function": {"name": content.get("name")}}
        self._assembler.add(item, separate=True)

    def _delta(self, delta: Any, index: int) -> None:
        block = self._open.get(index)
        if block is None or not isinstance(delta, dict):
            return
        match delta.get("type"):
            case "text_delta":
                self._say(block, delta.get("text"))
            case "thinking_delta":
                self._say(block, delta.get("thinking"))
            case "signature_delta":
                self._sign(block, delta.get("signature"))
            case "input_json_delta":
                piece = delta.get("partial_json")
                if piece and isinstance(piece, str) and block.kind == "tool_use":
                    block.whole_input = None
                    self._piece(block, piece)
            case _:
                pass

    def _piece(self, block: _Block, arguments: Any) -> None:
        self._assembler.add({"index": block.number, "function": {"arguments": arguments}})

    def _say(self, block: _Block, text: Any) -> None:
        if text and isinstance(text, str):
            block.run.add(text)

    def _sign(self, block: _Block, signature: Any) -> None:
        if isinstance(signature, str):
            block.signature += clean(signature)

    def _end(self, delta: Any, used: Any) -> None:
        """The stop reason and the counts; counts are cumulative, so the greatest of each is the last (row 29)."""
        reason = delta.get("stop_reason") if isinstance(delta, dict) else None
        if reason and isinstance(reason, str):
            self.ended = self.understood
            self._finish = _FINISHES.get(reason, Finish.STOP)
        if isinstance(used, dict):
            for name, value in used.items():
                before = self._counts.get(name)
                smaller = isinstance(value, int) and isinstance(before, int) and value < before
                if value is not None and not smaller:
                    self._counts[name] = value
            self.usage = usage_of(self._counts)


def _index(chunk: dict[str, Any]) -> int:
    index = chunk.get("index")
    return index if isinstance(index, int) and not isinstance(index, bool) else 0
