"""The inspector's front end in a browser, joined to real files by hand: looks, keys, states (R-UI-3, R-UI-6, screen 13)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from orange_jupyter.jupyter.runtime import Runtime
from tests.jupyter.looking import Reader
from tests.jupyter.papers import paper, scan
from tests.jupyter.test_views_in_browser import IDS, LOOKS, assert_accessible
from tests.lab_server import Chromium
from tests.test_office import kernel_in

pytestmark = pytest.mark.browser
QUESTION = "By how much did a single annual value underestimate June melt?"


class Desk:
    """One kernel with a cited paper and a scan, and the readers in front of it."""

    def __init__(self, chromium: Chromium, folder: Path) -> None:
        self.runtime = Runtime()
        self._chromium = chromium
        self._kernel = kernel_in(folder)
        self.office = self.runtime.run(anext(self._kernel))
        self.kb: Path = self.office.folder / "kb"
        (self.kb / "meng-2019.pdf").write_bytes(paper())
        (self.kb / "scan-0012.pdf").write_bytes(scan())
        self.runtime.run(self.office.say("kb add kb"))
        finished = self.runtime.run(self.office("", QUESTION))
        self.cited = next(one.citation_id for one in finished.citations if one.path == "meng-2019.pdf")
        self.readers: list[Reader] = []

    def read(self, line: str, *, dark: bool = False, width: int = 900) -> Reader:
        reply = self.runtime.run(self.office.say(f"show {line}", language="zh" if dark else "en"))
        self.readers.append(Reader(self._chromium, reply.pages.paper, self.runtime, dark=dark, width=width))
        return self.readers[-1]

    def close(self) -> None:
        for reader in self.readers:
            self._chromium.call(reader.close)
        self.runtime.run(self._kernel.aclose())
        self.runtime.close()


@pytest.fixture
def desk(chromium: Chromium, tmp_path: Path) -> Iterator[Desk]:
    made = Desk(chromium, tmp_path)
    yield made
    made.close()


def test_the_inspector_is_accessible_and_fits(desk: Desk) -> None:
    """R-UI-6, R-UI-8: axe, both themes and languages, 900 and 400 px; a passage, a page that does not exist, a scan."""
    for (dark, width), name in zip(LOOKS, IDS, strict=True):
        reader = desk.read(desk.cited, dark=dark, width=width)
        page = reader.page
        expect(
            page.get_by_role("heading", name="meng-2019.pdf，第 2 页" if dark else "meng-2019.pdf, page 2")
        ).to_be_visible()
        expect(page.locator("img")).to_be_visible()
        assert page.locator(".oj-paper").evaluate("e => getComputedStyle(e).backgroundColor") == "rgb(255, 255, 255)"
        assert_accessible(page, f"inspector-{name}")
        sheet, side = (page.locator(one).bounding_box() for one in (".oj-sheet", ".oj-side"))
        assert sheet
        assert side
        assert (side["y"] >= sheet["y"] + sheet["height"]) == (width == 400)
        reader.press("textbox", "40", "Enter")
        reader.press("tab", key="ArrowRight")
        expect(page.get_by_text("没有这一页" if dark else "No such page")).to_be_visible()
        expect(page.get_by_text("图像未发送" if dark else "Picture not sent")).to_be_visible()
        assert_accessible(page, f"inspector-states-{name}")
    scanned = desk.read("scan-0012.pdf")
    expect(scanned.page.get_by_text("No text layer")).to_be_visible()
    expect(scanned.page.get_by_text("A scan: it can be looked at, not searched.")).to_be_visible()
    assert_accessible(scanned.page, "inspector-scan")


def test_keys_turn_pages_and_zoom_only_while_the_picture_has_the_focus(desk: Desk) -> None:
    """R-UI-3, R-UI-6: Page Up and Down, + and −, the page field, tabs by arrows, what takes long can be left, restart."""
    reader = desk.read("meng-2019.pdf")
    page = reader.page
    sheet, field = page.get_by_role("region"), page.get_by_role("textbox")
    page.get_by_role("button", name="Next page").focus()
    page.keyboard.press("PageDown")
    page.keyboard.press("+")
    reader.exchange()
    expect(field).to_have_value("1")
    expect(page.get_by_text("100 %")).to_be_visible()
    sheet.focus()
    page.keyboard.press("PageDown")
    reader.exchange()
    expect(page.get_by_role("img", name="Page 2 of meng-2019.pdf")).to_be_visible()
    expect(sheet).to_be_focused()
    wide = page.locator(".oj-paper").evaluate("e => e.offsetWidth")
    for _ in range(7):
        page.keyboard.press("+")
    expect(page.get_by_text("400 %").first).to_be_visible()
    expect(page.get_by_role("button", name="Zoom in")).to_be_disabled()
    assert page.locator(".oj-paper").evaluate("e => e.offsetWidth") == pytest.approx(4 * wide, abs=4)
    sheet.evaluate("e => e.scrollTo(0, 0)")
    page.keyboard.press("ArrowDown")
    page.wait_for_function("document.querySelector('.oj-sheet').scrollTop > 0")
    for _ in range(9):
        page.keyboard.press("-")
    expect(page.get_by_text("50 %").first).to_be_visible()
    page.get_by_role("button", name="Fit width").click()
    expect(page.get_by_text("100 %").first).to_be_visible()
    reader.press("textbox", "3", "Enter")
    expect(page.get_by_role("button", name="Next page")).to_be_disabled()
    reader.press("textbox", "many", "Enter")
    expect(field).to_have_value("3")
    sheet.focus()
    page.keyboard.press("PageUp")
    expect(page.get_by_text("Opening…")).to_be_visible()  # nobody answers yet
    page.get_by_role("button", name="Leave it").press("Enter")
    expect(page.get_by_text("Opening…")).to_be_hidden()
    expect(field).to_have_value("3")
    reader.exchange()
    (desk.kb / "meng-2019.pdf").unlink()
    reader.press("textbox", "1", "Enter")
    expect(page.get_by_text("meng-2019.pdf is not there any more")).to_be_visible()
    expect(page.get_by_role("img", name="Page 3 of meng-2019.pdf")).to_be_visible()
    page.evaluate("window.broken = true; window.emit('comm:close')")
    expect(page.get_by_text("The kernel restarted, so pages cannot be turned here.")).to_be_visible()
    expect(page.get_by_role("button")).to_have_count(0)
