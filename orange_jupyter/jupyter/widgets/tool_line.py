"""One tool call as the controls draw it: verb, object, result, time; arguments and result unfold."""

from __future__ import annotations

import json
from typing import Any

from orange_jupyter.jupyter.commanded import ended, is_command
from orange_jupyter.jupyter.icons import tool_icon
from orange_jupyter.jupyter.sheet import name, place_of, seconds
from orange_jupyter.jupyter.slim import is_slim
from orange_jupyter.jupyter.strings import WORDS, Language, text
from orange_jupyter.jupyter.view import Line
from orange_jupyter.jupyter.widgets.commands import arguments, written
from orange_jupyter.jupyter.widgets.segments import segments

ARGUMENTS_LIMIT = 20_000
RESULT_LIMIT = 4000
Entry = dict[str, Any]


def line(item: Line, language: Language, elapsed: float) -> Entry:
    """One tool call: verb, object, result, time; arguments and result unfold."""
    done = item.finished
    key = f"verb.{item.tool}"
    known = key in WORDS
    state = "running" if done is None else "done" if done.ok else _unlucky(done.decision)
    return {
        "kind": "tool",
        "state": state,
        "word": text(language, f"tool.state.{state}"),
        "icon": tool_icon(item.tool),
        "verb": text(language, key if done else f"{key}.running") if known else item.tool,
        "target": segments(name(item.target)),
        "path": item.tool != "search",
        "got": segments(_got(item, language)),
        "time": seconds(done.seconds, language) if done else "",
        "elapsed": None if done else elapsed,
        "arguments": _bounded(_given(item), ARGUMENTS_LIMIT, language),
        "result": _result(item, language),
        "rows": _found(item, language),
    }


def _unlucky(decision: str) -> str:
    return "failed" if decision in ("allowed", "approved") else "refused"


def _given(item: Line) -> str:
    return arguments(item) if is_command(item) else json.dumps(item.arguments, ensure_ascii=False, indent=2)


def _got(item: Line, language: Language) -> str:
    if item.finished is None:
        return ""
    if is_command(item) and (words := ended(item, language)):
        return words
    return name(item.finished.summary) + (f" ({item.finished.code})" if item.finished.code else "")


def _result(item: Line, language: Language) -> Entry | None:
    if item.finished is None or (item.finished.ok and item.finished.citations):
        return None
    if is_slim(item.finished):
        title = text(language, "result.chars", n=f"{item.finished.total_chars:,}")
        return {"title": title, **_bounded("", RESULT_LIMIT, language), "rest": text(language, "earlier.result")}
    if is_command(item) and ended(item, language):
        title = text(language, "result.chars", n=f"{item.finished.total_chars:,}")
        return {"title": title, "text": segments(written(item, language)), "rest": ""}
    whole = json.dumps(item.finished.envelope, ensure_ascii=False, indent=2, default=str)
    title = text(language, "result.chars", n=f"{max(item.finished.total_chars, len(whole)):,}")
    return {"title": title, **_bounded(whole, RESULT_LIMIT, language)}


def _found(item: Line, language: Language) -> list[list[Any]]:
    """Passages of a search: source, place, the beginning of the passage."""
    found = item.finished.citations if item.finished and item.finished.ok else ()
    return [
        [
            segments(name(one.path)),
            place_of(one, language).strip(" ,›"),
            segments(" ".join(one.passage[:200].split())[:120] + "…"),
        ]
        for one in found[:20]
    ]


def _bounded(whole: str, limit: int, language: Language) -> Entry:
    rest = text(language, "cut", n=f"{len(whole) - limit:,}") if len(whole) > limit else ""
    return {"text": segments(whole[:limit]), "rest": rest}
