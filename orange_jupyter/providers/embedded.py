"""The embedded default: a Model without key and network that searches the notes and quotes them (R-MOD-7).

Like any model it sees only the request. It is a pure function of it: the same conversation gives the same reply.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from orange_jupyter.core.deltas import Delta, ModelRetry, TextDelta
from orange_jupyter.core.messages import Finish, Image, Message, Reply, Request, Role, Text, ToolCall, ToolResult
from orange_jupyter.core.ports import ModelInfo
from orange_jupyter.providers import embedded_answer as say
from orange_jupyter.providers.embedded_passages import Found, missing, near_misses, quotes, weighed
from orange_jupyter.providers.embedded_question import Kind, Question, understand

_PIECE = 24
_PASSAGES = 8

Calls = list[tuple[str, dict[str, Any]]]


@dataclass(frozen=True, slots=True)
class _Done:
    """A call of this turn with its result."""

    tool: str
    arguments: dict[str, Any]
    envelope: dict[str, Any]

    @property
    def ok(self) -> bool:
        return self.envelope.get("ok") is True


class Embedded:
    """Searches by rule and answers with quotes; `name` is the model's name in the settings."""

    def __init__(self, name: str = "embedded") -> None:
        self._name = name

    @property
    def info(self) -> ModelInfo:
        """On this machine, without host, without eyes."""
        return ModelInfo(
            name=self._name,
            model="embedded",
            context_window=200_000,
            vision_reason="the embedded search cannot see pictures",
            embedded=True,
        )

    async def respond(self, request: Request, emit: Callable[[Delta | ModelRetry], None]) -> Reply:
        """Tool calls until enough is known, then the answer in small pieces."""
        move = next_move(request)
        if isinstance(move, str):
            for start in range(0, len(move), _PIECE):
                await asyncio.sleep(0)
                emit(TextDelta(text=move[start : start + _PIECE]))
            return Reply(parts=(Text(text=move),), model="embedded")
        made = sum(len(message.calls) for message in request.messages)
        calls = tuple(
            ToolCall(id=f"call_{made + number}", name=tool, arguments=arguments, raw=json.dumps(arguments))
            for number, (tool, arguments) in enumerate(move, start=1)
        )
        return Reply(parts=calls, finish=Finish.TOOL_CALLS, model="embedded")

    async def close(self) -> None:
        """Nothing is open."""


def next_move(request: Request) -> Calls | str:
    """The calls to make now, or the answer."""
    people = [message for message in request.messages if message.role is Role.USER]
    if not people:
        return say.no_words(understand([""]))
    question = understand([_question(message) for message in people])
    move = _move(question, request)
    if isinstance(move, str) and any(isinstance(part, Image) for part in people[-1].parts):
        return f"{say.blind(question)}\n\n{move}"
    return move


def _question(message: Message) -> str:
    """What the person wrote: the first text. Those behind it carry variables of the notebook."""
    return next((part.text for part in message.parts if isinstance(part, Text)), "")


def _move(question: Question, request: Request) -> Calls | str:
    done = _this_turn(request.messages)
    tools = {schema.name for schema in request.tools}
    match question.kind:
        case Kind.GREETING:
            return say.introduction(question)
        case Kind.LIST:
            return _list(question, done, tools)
        case Kind.READ:
            return _read(question, done, tools)
        case Kind.ASK:
            return _ask(question, done, tools)


def _this_turn(messages: tuple[Message, ...]) -> list[_Done]:
    """The calls since the person's last message, with their results."""
    start = max(place for place, message in enumerate(messages) if message.role is Role.USER)
    results: dict[str, ToolResult] = {}
    for message in messages[start:]:
        for part in message.parts:
            if isinstance(part, ToolResult):
                results[part.call_id] = part
    calls = [call for message in messages[start:] for call in message.calls]
    return [_Done(call.name, call.arguments or {}, _envelope(results.get(call.id))) for call in calls]


def _envelope(result: ToolResult | None) -> dict[str, Any]:
    lost = {"ok": False, "error": {"code": "internal", "message": "the result was lost"}}
    if result is None:
        return lost
    try:
        value = json.loads(result.content)
    except ValueError:
        return lost
    return value if isinstance(value, dict) else lost


def _ask(question: Question, done: list[_Done], tools: set[str]) -> Calls | str:
    """One round of searches, a second one with other words when it found nothing that fits, then the answer."""
    if "search" not in tools:
        return say.not_allowed(question, "search")
    if not question.first_queries:
        return say.no_words(question)
    searches = [one for one in done if one.tool == "search"]
    asked = [str(one.arguments.get("query", "")) for one in searches]
    if not asked:
        return [_search(query) for query in question.first_queries]
    found = _found(searches)
    terms = weighed(question.terms, found)
    good = quotes(found, terms)
    if good:
        return say.answer(question, good, missing(good, terms))
    if not any(one.ok for one in searches):
        return say.failed(question, searches[0].envelope)
    more = [query for query in question.more_queries if query not in asked]
    if more:
        return [_search(query) for query in more]
    last = next(one.envelope for one in reversed(searches) if one.ok)
    return say.nothing(question, asked, last, near_misses(found, terms))


def _search(query: str) -> tuple[str, dict[str, Any]]:
    return "search", {"query": query, "limit": _PASSAGES}


def _found(searches: list[_Done]) -> list[Found]:
    found = [
        Found.of(citation)
        for one in searches
        if one.ok and isinstance(one.envelope.get("citations"), list)
        for citation in one.envelope["citations"]
        if isinstance(citation, dict)
    ]
    return [one for one in found if one is not None]


def _list(question: Question, done: list[_Done], tools: set[str]) -> Calls | str:
    if "list" not in tools:
        return say.not_allowed(question, "list")
    if not done:
        wanted = {"path": question.folder, "fileType": question.file_type}
        return [("list", {name: value for name, value in wanted.items() if value})]
    last = done[-1]
    return say.listed(question, last.envelope) if last.ok else say.failed(question, last.envelope)


def _read(question: Question, done: list[_Done], tools: set[str]) -> Calls | str:
    """Read by the name as it was written; if there is no such path, look for it; if nothing fits, ask the notes."""
    if "read" not in tools:
        return say.not_allowed(question, "read")
    if not done:
        return [("read", _reading(question, question.file))]
    last = done[-1]
    if last.tool == "search":
        return _ask(question, done, tools)
    if last.tool == "read":
        return _after_read(question, done, tools)
    paths = _fitting(last.envelope, question.file)
    if len(paths) == 1:
        return [("read", _reading(question, paths[0]))]
    if paths:
        return say.choose(question, paths[:10])
    return say.failed(question, done[0].envelope) if _is_file_name(question.file) else _ask(question, [], tools)


def _after_read(question: Question, done: list[_Done], tools: set[str]) -> Calls | str:
    last = done[-1]
    if last.ok:
        return say.read_out(question, last.envelope)
    error = last.envelope.get("error")
    code = error.get("code") if isinstance(error, dict) else ""
    if len(done) == 1 and code in ("not_found", "not_regular_file", "invalid_path") and "list" in tools:
        return [("list", {"query": question.file.rpartition("/")[2]})]
    return say.failed(question, last.envelope)


def _reading(question: Question, path: str) -> dict[str, Any]:
    arguments: dict[str, Any] = {"path": path}
    if question.pages is not None:
        first, last = question.pages
        arguments["page"] = first
        if last > first:
            arguments["pageEnd"] = last
    return arguments


def _fitting(envelope: dict[str, Any], name: str) -> list[str]:
    """Paths of files whose name fits; one that has exactly this name wins."""
    entries = envelope.get("entries")
    entries = entries if isinstance(entries, list) else []
    files = [entry for entry in entries if isinstance(entry, dict) and entry.get("fileType") != "folder"]
    paths = [str(entry.get("path", "")) for entry in files]
    wanted = name.rpartition("/")[2].casefold()
    exact = [path for path in paths if path.rpartition("/")[2].casefold() in (wanted, f"{wanted}.md")]
    return exact or paths


def _is_file_name(name: str) -> bool:
    return "." in name.rpartition("/")[2]
