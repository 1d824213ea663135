"""Puts the pieces of streamed tool calls together, whatever a server leaves out or repeats (wire rows 1-8)."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from orange_jupyter.core.messages import ToolCall
from orange_jupyter.providers.arguments import is_whole, parse_arguments
from orange_jupyter.providers.strings import clean, clean_json, wire_name

_KNOWN_KEYS = frozenset({"index", "id", "type", "function"})


class ToolNames:
    """The declared tools' names and how they come back: mapped at the border, or in another case (R-MOD-3)."""

    def __init__(self, names: Iterable[str]) -> None:
        own = tuple(names)
        self._own = {wire_name(name): name for name in own} | {name: name for name in own}
        folded: dict[str, set[str]] = {}
        for name in own:
            folded.setdefault(name.casefold(), set()).add(name)
        self._folded = {key: next(iter(found)) for key, found in folded.items() if len(found) == 1}

    def __bool__(self) -> bool:
        return bool(self._own)

    def knows(self, name: str) -> bool:
        """Whether it is a declared tool."""
        return name in self._own or name.casefold() in self._folded

    def own(self, name: str) -> str:
        """The tool's own name; an unknown name as it came."""
        return self._own.get(name) or self._folded.get(name.casefold(), name)


@dataclass(slots=True)
class _Open:
    """A call under construction."""

    index: int | None
    id: str = ""
    name: str = ""
    pieces: list[str] = field(default_factory=list)
    extra: dict[str, Any] = field(default_factory=dict)
    named_again: bool = False

    @property
    def raw(self) -> str:
        return "".join(self.pieces)

    @property
    def whole(self) -> bool:
        last = self.pieces[-1].rstrip() if self.pieces else ""
        return (not last or last.endswith("}")) and is_whole(self.raw)


@dataclass(frozen=True, slots=True)
class _Piece:
    """One element of `tool_calls` in a delta, read once."""

    index: int | None
    id: str
    name: str
    arguments: str
    extra: dict[str, Any]

    @classmethod
    def of(cls, item: dict[str, Any]) -> _Piece:
        function = item.get("function")
        function = function if isinstance(function, dict) else {}
        index = item.get("index")
        return cls(
            index=index if isinstance(index, int) and not isinstance(index, bool) else None,
            id=clean(item["id"]) if isinstance(item.get("id"), str) else "",
            name=clean(function["name"]) if isinstance(function.get("name"), str) else "",
            arguments=_argument_text(function.get("arguments")),
            extra={key: value for key, value in item.items() if key not in _KNOWN_KEYS},
        )


def _argument_text(value: object) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


class Assembler:
    """Collects pieces and gives the calls. `taken` are ids already used in the conversation (row 5)."""

    def __init__(self, names: ToolNames, taken: Iterable[str] = ()) -> None:
        self.names = names
        self._taken = set(taken)
        self._calls: list[_Open] = []

    def __bool__(self) -> bool:
        return bool(self._calls)

    def add(self, item: dict[str, Any], *, separate: bool = False) -> None:
        """Take one element of `tool_calls`; `separate` in an answer that did not stream: each is a call of its own."""
        piece = _Piece.of(item)
        before = None if separate else self._candidate(piece)
        if before is None or self._is_new(before, piece):
            call = _Open(index=piece.index, name="" if piece.name or before is None else before.name)
            self._calls.append(call)
        else:
            call = before
        call.id = call.id or piece.id
        call.extra.update(piece.extra)
        self._name(call, piece)
        if piece.arguments:
            call.pieces.append(piece.arguments)

    def finish(self) -> tuple[ToolCall, ...]:
        """The calls in order of emission; each with an id that nothing else in the conversation has."""
        return tuple(self._finished(call) for call in self._calls if call.name or call.raw.strip())

    def _candidate(self, piece: _Piece) -> _Open | None:
        """The latest call with the same index; without index the one with the same id, else the latest."""
        if piece.index is not None:
            same = [call for call in self._calls if call.index == piece.index]
            if same:
                return same[-1]
            last = self._calls[-1] if self._calls else None
            return last if last and last.index is None and not piece.name and piece.id in ("", last.id) else None
        if piece.id:
            for call in self._calls:
                if call.id == piece.id:
                    return call
        return self._calls[-1] if self._calls else None

    def _is_new(self, call: _Open, piece: _Piece) -> bool:
        """Whether a piece that shares its place with an open call begins another one (row 3), not a repeat (5, 6)."""
        begins = piece.arguments.lstrip().startswith("{")
        if not piece.name:
            return begins and call.named_again and call.whole
        if call.id and piece.id == call.id:
            return False
        other_id = bool(piece.id and call.id)
        if call.whole:
            return other_id or begins or piece.name != call.name
        return piece.name != call.name and (other_id or self._is_whole_name(call, piece))

    def _is_whole_name(self, call: _Open, piece: _Piece) -> bool:
        """A name that differs is either the next call's or the second half of this one's (row 6)."""
        if call.pieces or not call.name:
            return False
        return self.names.knows(call.name) and not self.names.knows(call.name + piece.name)

    def _name(self, call: _Open, piece: _Piece) -> None:
        if not piece.name:
            return
        if not call.name or (self.names.knows(piece.name) and piece.name.startswith(call.name)):
            call.named_again = bool(call.name) and not piece.arguments
            call.name = piece.name
        elif piece.name == call.name:
            call.named_again = not piece.arguments
        else:
            call.name += piece.name

    def _finished(self, call: _Open) -> ToolCall:
        raw = clean(call.raw)
        arguments, problem = parse_arguments(raw)
        return ToolCall(
            id=self._fresh_id(call.id),
            name=self.names.own(call.name),
            arguments=arguments,
            raw=raw,
            problem=problem,
            extra=clean_json(call.extra),
        )

    def _fresh_id(self, wanted: str) -> str:
        number = len(self._taken) + 1
        found = wanted or f"call_{number}"
        while found in self._taken:
            number += 1
            found = f"{wanted or 'call'}_{number}"
        self._taken.add(found)
        return found
