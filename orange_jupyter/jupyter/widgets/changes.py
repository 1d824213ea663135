"""The widget of a review: sends pieces of HTML that changed, hears ticks, edits and decisions (R-CHG-2, R-CHG-12).

Imported only when a review is shown: anywidget and ipywidgets are heavy.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any, Literal

import anywidget
import traitlets

from orange_jupyter.jupyter.assets import assets
from orange_jupyter.jupyter.changes.board import Drawing
from orange_jupyter.jupyter.changes.messages import Message, Rendered, Selected, parse
from orange_jupyter.jupyter.icons import PATHS
from orange_jupyter.jupyter.record_html import style
from orange_jupyter.jupyter.strings import Language
from orange_jupyter.jupyter.strings_changes import CHANGE_WORDS

_KEYS = (
    *("apply", "reject", "apply.all", "reject.all", "applying", "working", "kernel", "also", "also.off", "nothing"),
    *("selected", "view", "unified", "split", "list", "hunks", "edited", "hunk.on", "hunk.off", "gone", "announce"),
    *("told", "keep", "back", "keys", "keys.leave", "review"),
)
_ICONS = ("tick", "cross", "undo", "edit")


class ChangesWidget(anywidget.AnyWidget):  # type: ignore[misc]  # anywidget is untyped to mypy (follow_imports = skip)
    """Draws one review. Methods may be called from any thread; `on_message` runs on the kernel's and only enqueues.

    No text of a file is in its state, which a notebook may save: everything goes by messages.
    """

    _esm = traitlets.Unicode(assets("elements.js", "changes.js")).tag(sync=True)
    _css = traitlets.Unicode(style() + assets("controls.css", "changes.css")).tag(sync=True)
    look = traitlets.Dict().tag(sync=True)

    def __init__(self, on_message: Callable[[Message], None], *, language: Language = "en", record: str = "") -> None:
        self._tell: Callable[[Message], None] | None = on_message
        self._lock = threading.RLock()
        self._sent: dict[str, str] = {}
        self._drawing: Drawing | None = None
        self._selected: dict[str, Any] = {}
        which: Literal[0, 1] = 0 if language == "en" else 1
        words = {key: CHANGE_WORDS[f"change.{key}"][which] for key in _KEYS}
        icons = {name: PATHS[name] for name in _ICONS}
        super().__init__(look={"language": language, "words": words, "icons": icons, "record": record})
        self.on_msg(self._hear)

    def draw(self, drawing: Drawing) -> None:
        """Show a drawing; only what is new of it is sent."""
        with self._lock:
            self._drawing = drawing
            self._send_drawing(whole=False)

    def edit(self, editor: Mapping[str, Any]) -> None:
        """Open a hunk's editor."""
        self._send_safely({"type": "editing", **editor})

    def hunk(self, operation_id: str, number: int, block: str, words: str | None) -> None:
        """Show a hunk with a person's words (None: the proposal's again); every view takes them over."""
        with self._lock:
            self._sent.pop(f"file:{operation_id}", None)  # what stands there is not what was sent last
            message = {"type": "hunk", "op": operation_id, "hunk": number, "html": block, "text": words}
            self._send_safely(message)

    def say(self, words: str) -> None:
        """Say to the person what was done, or why nothing was."""
        self._send_safely({"type": "say", "text": words})

    def free(self) -> None:
        """A decision is through: the buttons work again."""
        self._send_safely({"type": "free"})

    def close(self) -> None:
        """Free the callbacks and remove the widget from the page."""
        self._tell = None
        self.on_msg(self._hear, remove=True)
        super().close()

    def _hear(self, _: Any, content: Any, __: Any) -> None:
        message = parse(content) if isinstance(content, dict) else None
        if message is None or self._tell is None:
            return
        if isinstance(message, Rendered):
            with self._lock:
                self._send_drawing(whole=True)
        elif isinstance(message, Selected):
            self._selected = message.state
        else:
            self._tell(message)

    def _send_drawing(self, *, whole: bool) -> None:
        drawing = self._drawing
        if drawing is None:
            return
        known = {} if whole else self._sent
        fresh = {name: piece for name, piece in drawing.pieces.items() if known.get(name) != piece}
        self._sent = dict(drawing.pieces)
        message = {
            "type": "draw",
            "whole": whole,
            "order": list(drawing.pieces),
            "pieces": fresh,
            "operations": dict(drawing.operations),
            "split": drawing.split,
        }
        self._send_safely(message | ({"selected": self._selected} if whole else {}))

    def _send_safely(self, message: dict[str, Any]) -> None:
        if self.comm is not None:
            self.send(message)
