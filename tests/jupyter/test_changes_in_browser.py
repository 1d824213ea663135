"""The live review and its record in a browser: axe finds nothing, 400 px is enough, both themes, both languages."""

from __future__ import annotations

import json
from typing import Any

import pytest

from orange_jupyter.core.changes.values import Kind, OpState
from orange_jupyter.core.codes import Code
from orange_jupyter.jupyter.changes.board import Board
from orange_jupyter.jupyter.strings import Language
from orange_jupyter.jupyter.widgets.changes import ChangesWidget
from tests.jupyter.changes import other, text_change
from tests.jupyter.pages import controls_document
from tests.jupyter.test_views_in_browser import IDS, LOOKS, assert_accessible
from tests.lab_server import Chromium

pytestmark = pytest.mark.browser
NOTE = "".join(f"第 {number} 行 line {number}\n" for number in range(1, 41))
AFTER = NOTE.replace("line 3\n", "line three 三\n").replace("line 30\n", "line 30\n新的一行 a new line\n")


class Wired(ChangesWidget):
    """A review whose messages go to a list, as they would go over a comm."""

    def __init__(self, language: Language) -> None:
        self.sent: list[dict[str, Any]] = []
        super().__init__(lambda _: None, language=language)

    def _send_safely(self, message: dict[str, Any]) -> None:
        self.sent.append(json.loads(json.dumps(message)))


def review(language: Language) -> tuple[Wired, Board]:
    stale = {"error": "The file changed on the disk.", "code": Code.STALE_SOURCE}
    board = Board(language)
    board.take(
        (
            text_change("op_1", NOTE, AFTER),
            other("op_2", Kind.CREATE_FOLDER, needed_by=1),
            other(
                "op_3", Kind.MOVE, depends_on=("op_2",), warnings=("3 hidden and 12 unindexed files are in it too.",)
            ),
            other("op_4", Kind.DELETE),
            text_change("op_5", NOTE, AFTER, state=OpState.STALE, proposal=stale),
            text_change("op_6", NOTE, AFTER, state=OpState.APPLIED, decided_at="2026-12-01T06:00:00Z"),
            text_change("op_7", NOTE, AFTER, state=OpState.REJECTED, decided_at="2026-12-01T06:00:00Z"),
        ),
        0,
    )
    wired = Wired(language)
    wired.draw(board.draw())
    wired._handle_custom_msg({"type": "rendered"}, [])
    return wired, board


@pytest.mark.parametrize(("dark", "width"), LOOKS, ids=IDS)
def test_the_review_is_accessible_and_fits(chromium: Chromium, dark: bool, width: int) -> None:
    """R-CHG-2, R-UI-6, R-UI-8, screen 5: unified and side by side."""
    wired, board = review("zh" if dark else "en")
    page = chromium.browser.new_page(viewport={"width": width, "height": 900})
    page.set_content(controls_document(wired._esm, wired._css, {"look": wired.look}, dark=dark))
    page.wait_for_function("window.ready")
    for message in wired.sent:
        page.evaluate("message => window.deliver(message)", message)
    name = f"review-{'dark' if dark else 'light'}-{width}"
    page.get_by_role("checkbox").first.wait_for()
    assert_accessible(page, name)
    if width == 900:
        board.split = True
        wired.sent.clear()
        wired.draw(board.draw())
        for message in wired.sent:
            page.evaluate("message => window.deliver(message)", message)
        page.locator(".oj-diff.is-split").first.wait_for()
        assert_accessible(page, f"{name}-split")
    page.close()
    wired.close()
