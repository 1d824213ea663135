"""A page with the inspector's front end, joined to a real inspection of real files: no kernel, the same messages."""

from __future__ import annotations

import base64
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from orange_jupyter.jupyter.inspector.live import Inspection
from orange_jupyter.jupyter.inspector.messages import Message
from orange_jupyter.jupyter.inspector.paper import Paper
from orange_jupyter.jupyter.runtime import Runtime
from orange_jupyter.jupyter.strings import Language
from orange_jupyter.jupyter.widgets.inspector import InspectorWidget
from tests.jupyter.pages import controls_document
from tests.lab_server import Chromium

DELIVER = """([message, pictures]) => {
  const bytes = (one) => new DataView(Uint8Array.from(atob(one), (sign) => sign.charCodeAt(0)).buffer);
  (window.listeners["msg:custom"] || []).forEach((call) => call(message, pictures.map(bytes)));
}"""


async def unguarded(work: Coroutine[Any, Any, Any], _: Callable[..., Any]) -> Any:
    """The guard of a test: what goes wrong fails it."""
    return await work


class Wired(InspectorWidget):
    """A widget whose messages go to a list, as they would go over a comm."""

    def __init__(self, language: Language = "en", record: str = "oj-look-1") -> None:
        self.sent: list[tuple[dict[str, Any], list[bytes]]] = []
        self.heard: list[Message] = []
        super().__init__(self.heard.append, language=language, record=record)

    def post(self, message: dict[str, Any], pictures: Sequence[bytes] = ()) -> None:
        self.sent.append((message, list(pictures)))


class Reader:
    """A person in front of one file. What the kernel's runtime does runs on its own thread."""

    def __init__(
        self, chromium: Chromium, paper: Paper, runtime: Runtime, *, dark: bool = False, width: int = 900
    ) -> None:
        language: Language = "zh" if dark else "en"
        self.runtime = runtime
        self.widget = Wired(language)
        self.inspection = Inspection(paper, self.widget.post, unguarded, language)
        runtime.run(self.inspection.begin())
        self.page = chromium.browser.new_page(viewport={"width": width, "height": 900})
        self.errors: list[str] = []
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        values = {"look": self.widget.look}
        self.page.set_content(controls_document(self.widget._esm, self.widget._css, values, dark=dark))
        self.page.wait_for_function("window.ready")
        self.exchange()

    def exchange(self) -> None:
        """Carry messages both ways until nobody has one and nothing is being read."""
        while True:
            for content in self.page.evaluate("window.sent.splice(0)"):
                self.widget._handle_custom_msg(content, [])
            heard, self.widget.heard[:] = list(self.widget.heard), []
            self.runtime.run(self._work(heard))
            if not self.widget.sent and not heard:
                return
            sent, self.widget.sent = self.widget.sent, []
            for message, pictures in sent:
                coded = [base64.b64encode(one).decode() for one in pictures]
                self.page.evaluate(DELIVER, [message, coded])

    def press(self, role: Any, words: str | None = None, key: str = "Enter") -> None:
        """Write into the first control of a role, or only press a key in it, and carry what follows."""
        control = self.page.get_by_role(role).first
        if words is not None:
            control.fill(words)
        control.press(key)
        self.exchange()

    async def _work(self, heard: list[Message]) -> None:
        for one in heard:
            self.inspection.hear(one)
        await self.inspection.settled()

    def close(self) -> None:
        self.runtime.call_soon(self.inspection.close)
        self.widget.close()
        self.page.close()
        assert self.errors == []
