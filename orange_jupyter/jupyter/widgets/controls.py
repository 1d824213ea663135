"""The controls of a live turn: one widget that draws the view, takes clicks, and is removed at the end.

Imported only when a cell needs it: anywidget and ipywidgets cost more than the rest of the extension together.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, Literal

import anywidget
import traitlets

from orange_jupyter.core.approval import Outcome, TierRequest
from orange_jupyter.core.corpus import Citation
from orange_jupyter.core.deltas import Progress
from orange_jupyter.core.grant import Tier
from orange_jupyter.jupyter.assets import assets
from orange_jupyter.jupyter.icons import PATHS
from orange_jupyter.jupyter.record_html import record_id, style
from orange_jupyter.jupyter.sheet import Surroundings
from orange_jupyter.jupyter.strings import WORDS, Language, text
from orange_jupyter.jupyter.strings_cards import CARD_WORDS
from orange_jupyter.jupyter.view import TurnView
from orange_jupyter.jupyter.widgets.citation import live_passage
from orange_jupyter.jupyter.widgets.full_tier import tier_card, tier_receipt
from orange_jupyter.jupyter.widgets.inspector import inspector_look
from orange_jupyter.jupyter.widgets.ledger import Entry, Ledger
from orange_jupyter.jupyter.widgets.messages import (
    Approve,
    Decision,
    Deny,
    EnterTier,
    Message,
    Rendered,
    Stale,
    StayInTier,
    Unfold,
    parse,
)
from orange_jupyter.jupyter.widgets.scene import Scene, indexing
from orange_jupyter.jupyter.widgets.segments import segments

INTERVAL = 0.05
"""Seconds between two drawings: text is painted 10 to 20 times a second (DESIGN.md, Motion)."""

_FRONT_KEYS = (
    *("stop", "stopping", "tier", "plan", "rights.hint", "tools", "arguments", "result", "thinking", "answer"),
    *("elapsed", "gone", "gone.state", "busy.leave", "kernel.waits", "seconds"),
    *("passage.close", "passage.previous", "passage.next"),
)
_FRONT_LIFE_KEYS = ("life.gone.turn", "life.gone.line")
_FRONT_CARD_KEYS = ("approve", "deny", "deny.send", "deny.fold", "stop", "reason", "sent")


def _assets(kind: str) -> str:
    """The front end's files as one; the first holds what the others add to."""
    names = (
        "controls",
        "asking",
        "commands",
        "inspector",
        "passages",
        "earlier",
        *(("settling",) if kind == "js" else ()),
    )
    first = ("elements.js",) if kind == "js" else ()
    return assets(*first, *(f"{name}.{kind}" for name in names))


class Controls(anywidget.AnyWidget):  # type: ignore[misc]  # anywidget is untyped to mypy (follow_imports = skip)
    """Draws one turn and hears its person. Methods may be called from any thread; `on_message` runs on the kernel's.

    `on_message` gets frozen values of `messages`; a decision reaches it once, and only from a card that waits now:
    operation, digest and the card's own nonce must match (R-APPR-3). It must only enqueue.
    """

    _esm = traitlets.Unicode(_assets("js")).tag(sync=True)
    _css = traitlets.Unicode(style() + _assets("css")).tag(sync=True)
    look = traitlets.Dict().tag(sync=True)
    first = traitlets.Dict().tag(sync=True)

    def __init__(
        self,
        on_message: Callable[[Message], None],
        *,
        language: Language = "en",
        turn_id: str = "",
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._tell: Callable[[Message], None] | None = on_message
        self._language: Language = language
        self._clock = clock
        self._nonces: dict[str, str] = {}
        self._tiers: set[str] = set()
        self._answered: set[str] = set()
        self._lock = threading.RLock()
        self._scene = Scene(language, self._nonce, clock)
        self._ledger = Ledger()
        self._view: TurnView | None = None
        self._extra: dict[str, Entry] = {}
        self._drawn_at = float("-inf")
        self._cost = 0.0
        super().__init__(look=_look(language, turn_id), first=self._scene.head(TurnView()))
        self.on_msg(self._hear)

    def push(self, view: TurnView, *, now: bool = False) -> float:
        """Draw a view. Returns 0 when it was sent, else the seconds after which to push again.

        New cards, lines and states go at once; text is collected for INTERVAL, longer where rendering is slow.
        """
        with self._lock:
            before = self._view
            self._view = view
            wait = self._drawn_at + max(INTERVAL, 4 * self._cost) - self._clock()
            if wait > 0 and not now and before is not None and _same_shape(before, view):
                return wait
            self._draw()
            return 0.0

    def ask_tier(self, request: TierRequest) -> None:
        """Show the card that enters a full tier; the answer comes as EnterTier or StayInTier."""
        with self._lock:
            self._tiers.add(request.operation_id)
            nonce = self._nonce(request.operation_id)
            self._put(f"tier-{request.operation_id}", tier_card(request, self._language, nonce))

    def settle_tier(self, request: TierRequest, outcome: Outcome, *, at: str, version: int) -> None:
        """Replace the tier card by its receipt."""
        shown = tier_receipt(request, outcome, self._language, at=at, version=version)
        with self._lock:
            self._tiers.discard(request.operation_id)
            self._put(f"tier-{request.operation_id}", shown)

    def refuse(self, operation_id: str, words: str) -> None:
        """Say in a card why its buttons did nothing; a card that waits stays as it is."""
        if operation_id not in self._waiting():
            self._send_safely({"type": "stale", "operation": operation_id, "text": words})

    def show_alone(self) -> None:
        """Say that the turn goes on by itself."""
        said = {key: segments(text(self._language, key)) for key in ("life.detached", "life.detached.hint")}
        entry = {"kind": "notice", "level": "info", "text": said["life.detached"], "hint": said["life.detached.hint"]}
        self._put("alone", entry)

    def show_busy(self, session: str, cell: str) -> None:
        """Say that the session is busy with another cell; the person may leave (LeaveQueue)."""
        words = text(self._language, "busy", session=session, cell=cell)
        self._put("busy", {"kind": "busy", "state": text(self._language, "busy.state"), "text": words})

    def end_busy(self) -> None:
        """Take the busy line away."""
        with self._lock:
            self._extra.pop("busy", None)
            self._draw()

    def show_progress(self, progress: Progress) -> float:
        """Show a bar outside a turn, for instance while a knowledge base is indexed; coalesced like `push`."""
        with self._lock:
            self._extra["progress-alone"] = indexing(progress, self._language) | {"stop": True}
            wait = self._drawn_at + INTERVAL - self._clock()
            if wait > 0 and progress.done != progress.total:
                return wait
            self._draw()
            return 0.0

    def show_passage(self, citation: Citation, place: Surroundings) -> None:
        """Open a cited passage below the paragraph whose citation was pressed."""
        quotation = self.quotation(citation.citation_id)
        shown = live_passage(citation, place, self._language, quotation=quotation)
        self._send_safely({"type": "passage", "citation": citation.citation_id, **shown})

    def quotation(self, citation_id: str) -> str | None:
        """What the answer so far claims to quote from a citation."""
        return self._scene.quotation(citation_id)

    def post(self, message: Entry, pictures: Sequence[bytes] = ()) -> None:
        """Send what a page that is looked at shows, with its pictures."""
        if self.comm is not None:
            self.send(message, buffers=list(pictures))

    def show_rights(self, tier: Tier, *, plan: bool) -> None:
        """Say to the switches what is in force now."""
        self._send_safely({"type": "rights", "tier": str(tier), "plan": plan})

    def hand_over(self, bundle: Entry | None, controls: Entry | None) -> None:
        """Give pages that were loaded again, which no display's update reaches, the last record and what replaces this.

        A page that has both already finds nothing to do.
        """
        identity = {"view": self.model_id, "record": self.look["record"]}
        self._send_safely({"type": "ended", **identity, "bundle": bundle, "controls": controls})

    def close(self) -> None:
        """Free the callbacks and remove the widget from the page."""
        self._tell = None
        self._tiers.clear()
        self.on_msg(self._hear, remove=True)
        super().close()

    def _put(self, name: str, entry: Entry) -> None:
        with self._lock:
            self._extra[name] = entry
            self._draw()

    def _draw(self, *, whole: bool = False) -> None:
        """Send what is new. Scene and Ledger are used here alone, by one thread at a time, and sent in their order."""
        with self._lock:
            started = self._clock()
            entries = self._scene.entries(self._view) if self._view else {}
            head = self._scene.head(self._view) if self._view else None
            message = self._ledger.changes(head, entries | self._extra, whole=whole)
            if message is not None:
                self._send_safely(message)
            self._drawn_at = self._clock()
            self._cost = self._drawn_at - started

    def _nonce(self, operation_id: str) -> str:
        return self._nonces.setdefault(operation_id, secrets.token_urlsafe(12))

    def _send_safely(self, message: Entry) -> None:
        if self.comm is not None:
            self.send(message)

    def _hear(self, _: Any, content: Any, __: Any) -> None:
        message = parse(content) if isinstance(content, dict) else None
        if message is None or self._tell is None:
            return
        if isinstance(message, Rendered):
            self._draw(whole=True)
        if isinstance(message, Unfold):
            self._unfold(message)
            return
        if isinstance(message, Approve | Deny | EnterTier | StayInTier) and not self._counts(message):
            if message.operation_id not in self._waiting():
                self._tell(Stale(message.operation_id))
            return
        self._tell(message)

    def _unfold(self, message: Unfold) -> None:
        with self._lock:
            self._scene.unfold(message.name, message.page)
            self._draw()

    def _counts(self, decision: Decision) -> bool:
        """Whether a decision belongs to a card that waits now; it is used up by this."""
        with self._lock:
            waiting = self._waiting()
            operation = decision.operation_id
            digest = decision.digest if isinstance(decision, Approve | Deny) else ""
            drawn = self._nonces.get(operation) == decision.nonce
            if not drawn or operation in self._answered or waiting.get(operation) != digest:
                return False
            self._answered.add(operation)
            return True

    def _waiting(self) -> dict[str, str]:
        """The operations that wait for the person, with the digests of what is asked ("" for a tier)."""
        with self._lock:
            cards = self._view.waiting if self._view else ()
            return {card.request.operation_id: card.request.digest for card in cards} | dict.fromkeys(self._tiers, "")


def _same_shape(before: TurnView, after: TurnView) -> bool:
    """Whether only text, reasoning or a bar moved, which may wait for the next drawing."""
    return (
        before.state is after.state
        and before.step == after.step
        and len(before.items) == len(after.items)
        and before.waiting == after.waiting
        and before.retry == after.retry
        and len(before.notices) == len(after.notices)
    )


def _look(language: Language, turn_id: str) -> dict[str, Any]:
    which: Literal[0, 1] = 0 if language == "en" else 1
    words = {key: WORDS[key][which] for key in _FRONT_KEYS}
    words |= {key: text(language, key) for key in _FRONT_LIFE_KEYS}
    words |= {f"card.{key}": CARD_WORDS[f"card.{key}"][which] for key in _FRONT_CARD_KEYS}
    tiers = [str(tier) for tier in Tier if not tier.full]
    front = {"language": language, "words": words, "icons": dict(PATHS), "inspector": inspector_look(language)}
    return front | {"tiers": tiers, "record": record_id(turn_id)}
