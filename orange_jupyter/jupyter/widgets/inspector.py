"""The inspector's widget, and what its front end needs where it is part of a turn's controls (R-UI-3, R-UI-4).

Imported only when a page is shown: anywidget and ipywidgets are heavy.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import anywidget
import traitlets

from orange_jupyter.jupyter.assets import assets
from orange_jupyter.jupyter.icons import PATHS
from orange_jupyter.jupyter.inspector.messages import parse, parse_cited
from orange_jupyter.jupyter.record_html import style
from orange_jupyter.jupyter.strings import Language
from orange_jupyter.jupyter.strings_inspector import LOOK_WORDS

_KEYS = (
    *("bar", "previous.page", "next.page", "previous.block", "next.block", "field.page", "field.block", "of"),
    *("out", "in", "percent", "fit", "lab", "close", "sheet.page", "sheet.block", "sheet.picture"),
    *("said.page", "said.block", "working", "waits", "leave", "tabs", "tab.text", "tab.saw"),
    *("copy", "copy.text", "copied", "copy.failed", "saw.back", "wrong.number", "gone"),
)
_ICONS = ("document", "cross", "warning", "previous", "chevron", "out", "in", "open", "quote", "void", "info")
_OWN = {
    "previous": "M10 3.5L5.5 8 10 12.5",
    "out": "M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM10.4 10.4l3.1 3.1M5 7h4",
    "in": "M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM10.4 10.4l3.1 3.1M7 5v4M5 7h4",
    "open": "M6 3H3v10h10v-3M9 3h4v4M13 3L7.5 8.5",
    "quote": "M2.5 3h11v8H7l-3 2.5V11H2.5z",
}


def inspector_look(language: Language) -> dict[str, Any]:
    """Words and icons of the front end."""
    which: Literal[0, 1] = 0 if language == "en" else 1
    words = {key: LOOK_WORDS[f"look.{key}"][which] for key in _KEYS}
    paths = dict(PATHS) | _OWN
    return {"words": words, "icons": {name: paths[name] for name in _ICONS}}


class InspectorWidget(anywidget.AnyWidget):  # type: ignore[misc]  # anywidget is untyped to mypy (follow_imports = skip)
    """Shows one inspection. `post` may be called from any thread; `on_message` takes each `messages.Message`, runs on
    the kernel's and only enqueues.

    Nothing of the file is in its state, which a notebook may save: texts and pictures go by messages, pictures as
    their binary buffers.
    """

    _esm = traitlets.Unicode(assets("elements.js", "inspector.js", "inspector_alone.js")).tag(sync=True)
    _css = traitlets.Unicode(style() + assets("controls.css", "inspector.css")).tag(sync=True)
    look = traitlets.Dict().tag(sync=True)
    parse: Callable[[Mapping[str, Any]], Any] = staticmethod(parse)

    def __init__(self, on_message: Callable[[Any], None], *, language: Language = "en", record: str = "") -> None:
        self._tell: Callable[[Any], None] | None = on_message
        super().__init__(look={"language": language, "record": record, **inspector_look(language)})
        self.on_msg(self._hear)

    def post(self, message: dict[str, Any], pictures: Sequence[bytes] = ()) -> None:
        """Send a message of the inspection with its pictures."""
        if self.comm is not None:
            self.send(message, buffers=list(pictures))

    def close(self) -> None:
        """Free the callback and remove the widget from the page."""
        self._tell = None
        self.on_msg(self._hear, remove=True)
        super().close()

    def _hear(self, _: Any, content: Any, __: Any) -> None:
        message = self.parse(content) if isinstance(content, dict) else None
        if message is not None and self._tell is not None:
            self._tell(message)


class CitedWidget(InspectorWidget):
    """Hears the citations of a finished turn's record, and opens the inspector in it; shows nothing at its own place.

    `on_message` takes also `messages.Cite`. `cited` are the ids of citations by their number in the record.
    """

    _esm = traitlets.Unicode(assets("elements.js", "inspector.js", "inspector_cited.js")).tag(sync=True)
    parse = staticmethod(parse_cited)

    def __init__(
        self, on_message: Callable[[Any], None], *, language: Language, record: str, prefix: str, cited: dict[str, str]
    ) -> None:
        super().__init__(on_message, language=language, record=record)
        self.look = {**self.look, "prefix": prefix, "cited": cited}
