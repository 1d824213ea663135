"""A citation of the running answer opens its passage below its paragraph (R-UI-3, R-UI-6, screen 6)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import expect

from orange_jupyter.core.deltas import TextDelta
from orange_jupyter.core.events import StepStarted
from orange_jupyter.jupyter.sheet import Surroundings
from orange_jupyter.jupyter.view import TurnView
from orange_jupyter.jupyter.widgets.citation import live_passage
from orange_jupyter.jupyter.widgets.messages import OpenPassage, parse
from tests.jupyter.test_views_in_browser import IDS, LOOKS, Stage, assert_accessible
from tests.jupyter.turns import ANSWER, CITATIONS, PLACES, call, citation, running_events, started, view_of
from tests.lab_server import Chromium

KNOWN = {one.citation_id: one for one in CITATIONS}


class Reader(Stage):
    """A page whose presses on citations are answered as the office answers them."""

    def exchange(self) -> None:
        super().exchange()
        asked = [one for one in self.controls.heard if isinstance(one, OpenPassage)]
        self.controls.heard = [one for one in self.controls.heard if not isinstance(one, OpenPassage)]
        for one in asked:
            self.controls.show_passage(KNOWN[one.citation_id], PLACES.get(one.citation_id) or Surroundings())
            super().exchange()

    def press(self, name: str, key: str = "Enter") -> None:
        self.page.get_by_role("link", name=name).first.press(key)
        self.exchange()

    def button(self, name: str) -> None:
        self.page.get_by_role("button", name=name).press("Enter")
        self.exchange()


@pytest.fixture
def readers(chromium: Chromium) -> Iterator[Callable[..., Reader]]:
    opened: list[Reader] = []

    def make(**more: Any) -> Reader:
        opened.append(Reader(chromium, **more))
        return opened[-1]

    yield make
    for reader in opened:
        chromium.call(reader.close)


def streaming(text: str = ANSWER) -> TurnView:
    return view_of([*running_events(), StepStarted(step=5, limit=50)]).deltas([TextDelta(text=text)])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"type": "open_passage", "citation": "c3"}, OpenPassage("c3")),
        ({"type": "open_passage", "citation": "c3/../x"}, None),
        ({"type": "open_passage", "citation": 3}, None),
        ({"type": "open_passage"}, None),
    ],
)
def test_only_an_id_opens_a_passage(content: dict[str, Any], message: OpenPassage | None) -> None:
    assert parse(content) == message


def test_hostile_words_of_a_note_stay_text() -> None:
    """R-UI-7, U01."""
    evil = '</div><img src="http://127.0.0.1:9/x"><script>x</script>'
    shown = live_passage(citation(1, "a.md", evil), Surroundings(before=evil, after=evil), "en", quotation=evil + "?")
    assert "<img" not in shown["html"]
    assert "<script" not in shown["html"]


@pytest.mark.browser
def test_a_citation_opens_below_its_paragraph_and_esc_returns_to_it(readers: Any) -> None:
    """R-UI-3, R-UI-6: by keyboard alone; the heading gets the focus, Esc gives it back."""
    reader = readers()
    reader.show(streaming())
    page = reader.page
    reader.press("Source 2")
    panel = page.get_by_role("group", name="[2] snow/度日因子.md › 融雪 › 率定")
    expect(panel.locator("mark")).to_contain_text("率定期取 4.1")
    expect(panel.get_by_text("line 41; the file has changed since")).to_be_visible()
    expect(panel.get_by_role("heading")).to_be_focused()
    paragraph = page.locator(".oj-prose p", has=page.get_by_role("link", name="Source 2")).first
    assert paragraph.evaluate("(p, one) => p.nextElementSibling === one", panel.element_handle())
    link = page.get_by_role("link", name="Source 2").first
    expect(link).to_have_attribute("aria-expanded", "true")
    page.keyboard.press("Escape")
    expect(panel).to_have_count(0)
    expect(link).to_be_focused()
    assert link.get_attribute("aria-expanded") is None


@pytest.mark.browser
def test_next_and_previous_walk_through_the_passages(readers: Any) -> None:
    """R-UI-3."""
    reader = readers()
    reader.show(streaming())
    reader.press("Source 2")
    reader.button("Next passage")
    marks = reader.page.locator(".oj-live-pass mark")
    expect(marks).to_have_count(1)
    expect(marks).to_contain_text("From April to June")
    reader.button("Previous passage")
    reader.button("Previous passage")
    expect(marks).to_contain_text("DDF 4.6 from April")
    expect(reader.page.get_by_role("button", name="Previous passage")).to_be_disabled()
    reader.button("Close")
    expect(reader.page.get_by_role("link", name="Source 1").first).to_be_focused()


@pytest.mark.browser
def test_an_open_passage_stays_while_the_answer_grows(readers: Any) -> None:
    """R-UI-1, R-UI-3: the paragraph is drawn again and again, then closed; the reader keeps place and focus."""
    reader = readers()
    text = "The factor is 4.1 all year [c1]"
    reader.show(streaming(text))
    reader.press("Source 1")
    panel = reader.page.locator(".oj-live-pass")
    for more in (", which is early", " by nine days.", "\n\nA second paragraph", " goes on.\n\nA third [c3]."):
        text += more
        reader.show(streaming(text))
        expect(panel.get_by_role("heading")).to_be_focused()
    above = panel.evaluate("one => one.previousElementSibling.textContent")
    assert above.startswith("The factor is 4.1 all year [1], which is early by nine days.")
    expect(reader.page.get_by_role("link", name="Source 1")).to_have_attribute("aria-expanded", "true")


@pytest.mark.browser
def test_far_text_unfolds_and_a_missing_quotation_is_said(readers: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Screen 6: more above, more below; the words that are not there."""
    reader = readers()
    far = Surroundings(before="开头很远\n" + "行\n" * 300, after="line\n" * 200 + "the far end", line=305)
    monkeypatch.setitem(PLACES, "c1", far)
    reader.show(streaming())
    reader.press("Source 2")
    page = reader.page
    expect(page.get_by_text("开头很远")).not_to_be_visible()
    page.get_by_text("More above").press("Enter")
    expect(page.get_by_text("开头很远")).to_be_visible()
    page.get_by_text("More below").press("Enter")
    expect(page.get_by_text("the far end")).to_be_visible()
    reader.press("Source 4, quotation not found in the source")
    expect(page.get_by_text("The words “阴坡减半” are not in this passage.")).to_be_visible()


@pytest.mark.browser
@pytest.mark.parametrize(("dark", "width"), LOOKS, ids=IDS)
def test_the_open_passage_is_accessible_and_fits(readers: Any, dark: bool, width: int) -> None:
    """R-UI-6, R-UI-8."""
    reader = readers(dark=dark, width=width, language="zh" if dark else "en")
    reader.show(streaming())
    reader.press("来源 2" if dark else "Source 2")
    assert_accessible(reader.page, f"passage-{'dark' if dark else 'light'}-{width}")


def test_two_texts_of_a_turn_may_use_one_number_for_two_sources() -> None:
    """A link of a live text names its citation, not a number that an earlier text used for another one."""
    events = [started(), StepStarted(step=1, limit=9), *call("x0", "search", "a", "4", citations=CITATIONS)]
    reader = streaming_links(view_of(events).deltas([TextDelta(text="First [c1].")]), "Then [c3].")
    assert reader == ["oj-live-12-c1", "oj-live-12-c3"]


def streaming_links(view: TurnView, more: str) -> list[str]:
    import re

    from tests.jupyter.test_controls import Wired

    controls = Wired()
    view = view.hear(StepStarted(step=2, limit=9)).deltas([TextDelta(text=more)])
    controls.push(view, now=True)
    controls.close()
    texts = [entry for entry in controls.sent[-1]["items"].values() if entry["kind"] == "said"]
    return [
        found for entry in texts for found in re.findall(r'href="#([^"]+)"', "".join(entry["closed"]) + entry["open"])
    ]
