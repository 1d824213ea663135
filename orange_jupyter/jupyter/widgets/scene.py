"""What the controls draw, as data: the head and one entry for each thing that happened; and what changed since.

Finished blocks of text go to the front end once, the last open block again and again (R-UI-1).
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, assert_never

from orange_jupyter.core.deltas import Progress
from orange_jupyter.core.events import Notice
from orange_jupyter.jupyter.citing import Citing
from orange_jupyter.jupyter.icons import tool_icon
from orange_jupyter.jupyter.markdown import BlockStream
from orange_jupyter.jupyter.sheet import name, place_of, seconds
from orange_jupyter.jupyter.strings import WORDS, Language, text
from orange_jupyter.jupyter.view import Card, Item, Line, Said, State, TurnView
from orange_jupyter.jupyter.widgets.approval import card, receipt
from orange_jupyter.jupyter.widgets.asking import panelled
from orange_jupyter.jupyter.widgets.segments import segments

ARGUMENTS_LIMIT = 20_000
RESULT_LIMIT = 4000
REASONING_LIMIT = 2000
Entry = dict[str, Any]

_LOOKS = {
    State.WAITING: ("is-run", ""),
    State.RUNNING: ("is-run", ""),
    State.STOPPING: ("is-run", ""),
    State.DONE: ("is-ok", "tick"),
    State.STOPPED: ("is-off", "void"),
    State.FAILED: ("is-bad", "cross"),
    State.INTERRUPTED: ("is-warn", "warning"),
    State.LIMIT: ("is-warn", "warning"),
}


def head(view: TurnView, language: Language, elapsed: float) -> Entry:
    """The sticky line: state, step, time, tokens, rights. `elapsed` in seconds counts on in the front end."""
    look, symbol = ("is-wait", "ask") if view.asking else _LOOKS[view.state]
    meta = text(language, "step", step=view.step, limit=view.step_limit) if view.step else ""
    retry = ""
    if view.retry:
        wait = {"attempt": view.retry.attempt, "of": view.retry.of, "seconds": round(view.retry.seconds)}
        retry = text(language, "retry", reason=name(view.retry.reason), **wait)
    used = view.usage
    counts = {"input": f"{used.input_tokens:,}", "output": f"{used.output_tokens:,}"}
    return {
        "state": str(view.state),
        "word": text(language, "card.waiting" if view.asking else f"state.{view.state}"),
        "look": look,
        "icon": symbol,
        "live": view.state.live,
        "number": text(language, "turn", n=view.started.number) if view.started else "",
        "meta": retry or meta,
        "tokens": text(language, "tokens", **counts) if used.input_tokens or used.output_tokens else "",
        "tier": str(view.started.tier) if view.started else "",
        "plan": view.started.plan if view.started else False,
        "elapsed": elapsed,
    }


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
        "got": segments(_got(item)),
        "time": seconds(done.seconds, language) if done else "",
        "elapsed": None if done else elapsed,
        "arguments": _bounded(json.dumps(item.arguments, ensure_ascii=False, indent=2), ARGUMENTS_LIMIT, language),
        "result": _result(item, language),
        "rows": _found(item, language),
    }


def _unlucky(decision: str) -> str:
    return "failed" if decision in ("allowed", "approved") else "refused"


def _got(item: Line) -> str:
    if item.finished is None:
        return ""
    return name(item.finished.summary) + (f" ({item.finished.code})" if item.finished.code else "")


def _result(item: Line, language: Language) -> Entry | None:
    if item.finished is None or (item.finished.ok and item.finished.citations):
        return None
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


def indexing(progress: Progress, language: Language) -> Entry:
    """The bar of something long: an indexing run, or a model file that is being loaded."""
    kind, _, file = progress.what.partition(" ")
    if kind == "loading":
        return _loading(progress, file, language)
    total = progress.total
    if total:
        percent = min(100, progress.done * 100 // total)
        count = {"done": f"{progress.done:,}", "total": f"{total:,}", "percent": percent}
        words = text(language, "indexing.count", **count)
    else:
        words = text(language, "indexing.some", done=f"{progress.done:,}")
    detail = name(progress.detail or file) if kind == "indexing" else name(progress.detail)
    title = text(language, "indexing.bases" if kind == "indexing" else "indexing", name=name(progress.what))
    return {
        "kind": "progress",
        "title": title,
        "state": text(language, "state.running"),
        "count": words,
        "done": progress.done,
        "total": total,
        "detail": text(language, "indexing.now", detail=detail) if detail else "",
    }


def _loading(progress: Progress, file: str, language: Language) -> Entry:
    """How long a model has been loading; how long it will take nobody knows."""
    return {
        "kind": "progress",
        "title": text(language, "loading", name=name(file)),
        "state": text(language, "state.running"),
        "count": text(language, "loading.seconds", done=f"{progress.done:,}"),
        "done": progress.done,
        "total": None,
        "detail": "",
    }


def notice(one: Notice) -> Entry:
    """A line for the person."""
    return {"kind": "notice", "level": one.level, "text": segments(one.text), "hint": segments(one.hint or "")}


class Scene:
    """Turns a TurnView into entries by id and remembers what the front end has. Owned by the view thread.

    `nonce` makes a card's secret; `clock` gives seconds for the running times.
    """

    def __init__(self, language: Language, nonce: Callable[[str], str], clock: Callable[[], float]) -> None:
        self._language = language
        self._nonce = nonce
        self._clock = clock
        self._began: dict[str, float] = {}
        self._streams: dict[str, tuple[BlockStream, Citing]] = {}
        self._texts: dict[str, tuple[str, str]] = {}
        self._drawn: dict[str, tuple[Item, Entry]] = {}

    def head(self, view: TurnView) -> Entry:
        """The head with the seconds since this scene first saw the turn."""
        return head(view, self._language, self._since("turn"))

    def entries(self, view: TurnView) -> dict[str, Entry]:
        """Everything that is shown now, in order, by id."""
        shown: dict[str, Entry] = {}
        for place, one in enumerate(view.notices[-50:]):
            shown[f"notice-{place + max(0, len(view.notices) - 50)}"] = notice(one)
        for place, item in enumerate(view.items):
            shown[_identity(place, item)] = self._entry(_identity(place, item), item, view)
        if view.progress:
            shown["progress"] = indexing(view.progress, self._language)
        if view.reasoning and view.state.live:
            shown["reasoning"] = {"kind": "reasoning", "text": segments(view.reasoning[-REASONING_LIMIT:])}
        return panelled(shown, view, self._language)

    def _entry(self, identity: str, item: Item, view: TurnView) -> Entry:
        """Frozen items are drawn once; only the running times and the open text move."""
        kept = self._drawn.get(identity)
        if kept is None or kept[0] is not item:
            kept = item, self._draw(identity, item, view)
            self._drawn[identity] = kept
        entry = kept[1]
        return entry | {"elapsed": self._since(identity)} if entry.get("elapsed") is not None else entry

    def _draw(self, identity: str, item: Item, view: TurnView) -> Entry:
        match item:
            case Said():
                return self._said(identity, item, view)
            case Line():
                return line(item, self._language, self._since(identity))
            case Card():
                if item.ended:
                    return receipt(item.request, item.ended, self._language)
                return card(item.request, self._language, self._nonce(item.request.operation_id))
            case _:
                assert_never(item)

    def _said(self, identity: str, item: Said, view: TurnView) -> Entry:
        if identity not in self._streams:
            prefix = f"oj-live-{view.started.number if view.started else 0}"
            citing = Citing(prefix=prefix, language=self._language, by_name=True)
            self._streams[identity] = BlockStream(citing), citing
        stream, citing = self._streams[identity]
        before, written = self._texts.get(identity, ("", ""))
        if item.text != before:
            if not item.text.startswith(before):  # the finished text is not what streamed: begin again
                citing = Citing(prefix=citing.prefix, language=self._language, by_name=True)
                stream = BlockStream(citing)
                self._streams[identity] = stream, citing
            citing.known = view.known
            written = stream.feed(item.text)
            self._texts[identity] = item.text, written
        return {
            "kind": "said",
            "closed": list(stream.closed),
            "open": written,
            "live": not item.done,
            "run": id(stream),
        }

    def quotation(self, citation_id: str) -> str | None:
        """The words that the text quotes from a citation whose passage does not hold them."""
        found = (citing.missing.get(citation_id) for _, citing in self._streams.values())
        return next((one for one in found if one), None)

    def _since(self, identity: str) -> float:
        now = self._clock()
        return round(now - self._began.setdefault(identity, now), 1)


def _identity(place: int, item: Item) -> str:
    match item:
        case Said():
            return f"said-{place}"
        case Line():
            return f"call-{item.call_id}"
        case Card():
            return f"card-{item.request.operation_id}"
        case _:
            assert_never(item)
