"""What the controls draw, as data: the head and one entry for each thing that happened; and what changed since.

Finished blocks of text go to the front end once, the last open block again and again (R-UI-1).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, assert_never

from orange_jupyter.core.deltas import Progress
from orange_jupyter.core.events import Notice
from orange_jupyter.jupyter.citing import Citing
from orange_jupyter.jupyter.said import Said
from orange_jupyter.jupyter.sheet import name
from orange_jupyter.jupyter.strings import Language, text
from orange_jupyter.jupyter.view import Card, Item, Line, State, TurnView
from orange_jupyter.jupyter.widgets.approval import card, receipt
from orange_jupyter.jupyter.widgets.asking import panelled
from orange_jupyter.jupyter.widgets.commands import live
from orange_jupyter.jupyter.widgets.item_window import ITEMS, ItemWindow, Known
from orange_jupyter.jupyter.widgets.segments import segments
from orange_jupyter.jupyter.widgets.text_window import TextWindow
from orange_jupyter.jupyter.widgets.tool_line import line

REASONING_LIMIT = 2000
LINE_NODES = 20
"""Nodes of a tool line before it is unfolded."""
CARD_NODES = 80
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
    """A line for the person; an error is said to a screen reader, once."""
    words = {"text": segments(one.text), "hint": segments(one.hint or "")}
    said = "".join(piece for piece, _ in words["text"]) if one.level == "error" else ""
    return {"kind": "notice", "level": one.level, "announce": said, **words}


class Scene:
    """Turns a TurnView into entries by id and remembers what the front end has. Owned by the view thread.

    `nonce` makes a card's secret; `clock` gives seconds for the running times. Of a long turn only the newest items
    are drawn, and of what came before the page that a person unfolded.
    """

    def __init__(self, language: Language, nonce: Callable[[str], str], clock: Callable[[], float]) -> None:
        self._language: Language = language
        self._nonce = nonce
        self._clock = clock
        self._began: dict[str, float] = {}
        self._texts: dict[str, TextWindow] = {}
        self._drawn: dict[str, tuple[Item, Entry]] = {}
        self._known = Known()
        self._window = ItemWindow()

    def head(self, view: TurnView) -> Entry:
        """The head with the seconds since this scene first saw the turn."""
        return head(view, self._language, self._since("turn"))

    def entries(self, view: TurnView) -> dict[str, Entry]:
        """Everything that is shown now, in order, by id."""
        self._known.follow(view.items)
        shown: dict[str, Entry] = {}
        for place, one in enumerate(view.notices[-50:]):
            shown[f"notice-{place + max(0, len(view.notices) - 50)}"] = notice(one)
        named: dict[str, Item] = {}
        bar = self._window.choose(view.items, lambda place: self._weight(place, view))
        for place in bar.places:
            named[_identity(place, view.items[place])] = view.items[place]
            shown |= bar.before(place, self._language)
            shown[_identity(place, view.items[place])] = self._entry(place, view)
            shown |= _output(view.items[place], self._language)
        if view.progress:
            shown["progress"] = indexing(view.progress, self._language)
        if view.reasoning and view.state.live:
            shown["reasoning"] = {"kind": "reasoning", "text": segments(view.reasoning[-REASONING_LIMIT:])}
        self._forget(named)
        return panelled(shown, named, view.step, self._language)

    def unfold(self, name: str, page: int) -> None:
        """Show a page of what is folded: of the items, or of one text."""
        if name == ITEMS:
            self._window.turn_to(page)
        elif name in self._texts:
            self._texts[name].turn_to(page)
            item, _ = self._drawn[name]
            self._drawn[name] = item, self._texts[name].entry()

    def quotation(self, citation_id: str) -> str | None:
        """The words that the text quotes from a citation whose passage does not hold them."""
        found = (window.citing.missing.get(citation_id) for window in self._texts.values())
        return next((one for one in found if one), None)

    def _entry(self, place: int, view: TurnView) -> Entry:
        """Frozen items are drawn once; only the running times and the open text move."""
        item = view.items[place]
        identity = _identity(place, item)
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
        if identity not in self._texts:
            prefix = f"oj-live-{view.started.number if view.started else 0}"
            citing = Citing(prefix=prefix, language=self._language, by_name=True, known=self._known.citations)
            self._texts[identity] = TextWindow(identity, citing, self._language)
        window = self._texts[identity]
        window.feed(item)
        return window.entry()

    def _weight(self, place: int, view: TurnView) -> int:
        """About how many nodes an item makes in a page."""
        item = view.items[place]
        if isinstance(item, Said):
            self._entry(place, view)
            return self._texts[_identity(place, item)].weight
        return LINE_NODES if isinstance(item, Line) else CARD_NODES

    def _forget(self, named: Mapping[str, Item]) -> None:
        """Drop what is not shown any more; it is drawn anew when it is unfolded."""
        for kept in (self._drawn, self._texts):
            for identity in [one for one in kept if one not in named]:
                del kept[identity]

    def _since(self, identity: str) -> float:
        now = self._clock()
        return round(now - self._began.setdefault(identity, now), 1)


def _output(item: Item, language: Language) -> dict[str, Entry]:
    """What a command that runs has written, below its line."""
    if not isinstance(item, Line) or item.output is None or not item.output.text.strip():
        return {}
    return {f"output-{item.call_id}": live(item, item.output, language)}


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
