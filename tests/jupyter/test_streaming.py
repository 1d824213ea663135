"""Long turns as the controls and the record see them: windows, pages, landmarks, bounded memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from orange_jupyter.core.deltas import TextDelta
from orange_jupyter.core.events import ApprovalAsked, PartDone, StepStarted
from orange_jupyter.core.messages import Text
from orange_jupyter.jupyter.citing import Citing
from orange_jupyter.jupyter.excerpt import CUT, excerpt
from orange_jupyter.jupyter.landmarks import Landmarks
from orange_jupyter.jupyter.markdown import nodes, render_blocks
from orange_jupyter.jupyter.said import PIECE, Said
from orange_jupyter.jupyter.slim import FULL, STRIDE, is_slim, slimmed
from orange_jupyter.jupyter.view import TurnView
from orange_jupyter.jupyter.widgets.item_window import PAGE
from orange_jupyter.jupyter.widgets.text_window import NODES, TextWindow
from tests.jupyter.test_controls import Watch, Wired, shown
from tests.jupyter.turns import CITATIONS, REQUEST, call, started, view_of

PARAGRAPHS = "\n\n".join(f"第 {n} 段，paragraph {n} with some words." for n in range(4_000))


@pytest.fixture
def wired() -> Iterator[Wired]:
    controls = Wired(clock=Watch())
    yield controls
    controls.close()


def test_a_text_grows_by_pieces_and_gives_any_stretch_back() -> None:
    """R-UI-1: no copy of the whole text for each piece."""
    said = Said(1, "")
    for start in range(0, len(PARAGRAPHS), 777):
        said = said.grown(PARAGRAPHS[start : start + 777])
    assert len(said.head) >= 2
    assert said.text == PARAGRAPHS
    assert len(said) == len(PARAGRAPHS)
    for start, end in ((0, 10), (PIECE - 5, PIECE + 5), (70_000, 139_000), (len(said) - 3, len(said) + 9)):
        assert said.between(start, end) == PARAGRAPHS[start:end]
    assert Said(1, PARAGRAPHS, done=True).continues(said)
    assert said.grown("more").continues(said)
    assert not Said(1, "x" + PARAGRAPHS).continues(said)
    assert not Said(1, PARAGRAPHS[:-1]).continues(said)


def window(text: str, step: int = 500) -> TextWindow:
    made = TextWindow("said-0", Citing(prefix="a", by_name=True), "en")
    said = Said(1, "")
    for start in range(0, len(text), step):
        said = said.grown(text[start : start + step])
        made.feed(said)
    return made


def test_a_text_of_a_person_s_scale_is_rendered_whole_and_as_a_whole_is() -> None:
    """R-UI-1."""
    text = "\n\n".join(f"Paragraph **{n}** of the answer." for n in range(200))
    entry = window(text, 50).entry()
    assert [*entry["closed"], entry["open"]] == render_blocks(text, Citing(prefix="a"))
    assert entry["fold"] is None


def test_only_the_newest_part_stays_and_earlier_pages_lead_back_to_the_first_line() -> None:
    """R-UI-1: unfolding on demand, in pieces."""
    made = window(PARAGRAPHS)
    entry = made.entry()
    assert "paragraph 3999 " in entry["open"]
    assert sum(map(nodes, entry["closed"])) <= NODES
    assert entry["fold"]["text"].endswith("earlier lines")
    seen = ""
    page = entry["fold"]["buttons"][0][1]
    for at in range(page, -1, -1):
        made.turn_to(at)
        fold = made.entry()["fold"]
        assert fold["blocks"], at
        seen = fold["blocks"] + seen
    assert "Lines 1–" in fold["part"]
    assert [label for label, _ in fold["buttons"]] == ["Later", "Fold"]
    shown_now = seen + "".join(entry["closed"])
    missing = [n for n in range(4_000) if f"paragraph {n} " not in shown_now and f"paragraph {n} " not in entry["open"]]
    assert missing == []
    made.turn_to(-1)
    assert made.entry()["fold"]["blocks"] == ""


def test_a_window_that_begins_inside_a_code_block_stays_code() -> None:
    """R-UI-1."""
    code = "```python\n" + "".join(f"x_{n} = {n} * 2  # *not* emphasis\n" for n in range(5000))
    entry = window(code).entry()
    drawn = "".join(entry["closed"]) + entry["open"]
    assert "<pre" in drawn
    assert "<em>" not in drawn
    assert "x_4999" in drawn


def test_hostile_text_never_makes_many_nodes() -> None:
    """U07: a list of thousands, emphasis without end, one endless line, a table without end."""
    table = "| a | b |\n|---|---|\n" + "| 1 | 2 |\n" * 5_000
    for text in ("- a\n" * 8_000, "*a* " * 10_000, "x" * 100_000, table, "a\n\n" * 8_000, "> " * 3000 + "x"):
        made = window(text, 3000)
        assert made.weight < 5000, text[:10]
        made.turn_to(1)
        fold = made.entry()["fold"]
        assert fold is None or nodes(fold["blocks"]) <= NODES // 2


def test_landmarks_count_lines_and_know_the_open_fence() -> None:
    """Fences of both kinds, indented, longer ones, and backticks inside a line."""
    part = "a ``` b\n   ```js\n~~~\n```\ntext\n~~~~\n~~~\n```\n~~~~\nend\n"
    said = Said(1, part * 3000)
    marks = Landmarks()
    while marks.follow(said):
        pass
    assert marks.at(said, len(said)) == (30_000, "")
    assert marks.at(said, len(part) * 2000 + part.index("~~~\n")) == (20_002, "```")
    assert marks.at(said, len(part) * 2000 + part.index("~~~\n```\n~~~~")) == (20_006, "~~~~")


def test_an_excerpt_shows_both_ends_and_closes_its_fences() -> None:
    """R-SAVE-1: the record shows the beginning and the newest part of an answer that is too long."""
    answer = "begin\n\n```python\n" + "x = 1\n" * 100_000 + "```\n\nthe end"
    cut = excerpt(answer)
    assert cut.head.startswith("begin")
    assert cut.head.endswith("\n```")
    assert cut.tail.startswith("```\n")
    assert cut.tail.endswith("the end")
    assert len(cut.head) + len(cut.tail) <= CUT + 2100
    assert excerpt("short").head == "short"
    assert excerpt("short").cut == 0


def lines(count: int) -> TurnView:
    events = [
        one for n in range(count) for one in call(f"x{n}", "read", f"笔记 {n}.md", "whole", citations=CITATIONS[:1])
    ]
    return view_of([started(), StepStarted(step=1, limit=50), *events])


def test_thousands_of_lines_draw_the_newest_and_unfold_by_pages(wired: Wired) -> None:
    """R-UI-1: bounded nodes; a card that waits is never folded away."""
    view = view_of([started(), ApprovalAsked(call_id="y", request=REQUEST)])
    view = TurnView(
        **{name: getattr(view, name) for name in view.__slots__} | {"items": (*view.items, *lines(3000).items)}
    )
    wired.push(view, now=True)
    order = wired.sent[-1]["order"]
    assert len(order) < 200
    assert {"card-op_1", "fold-items", "call-x2999"} <= set(order)
    label, page = shown(wired, "fold-items")["buttons"][0]
    assert label == "Unfold"
    wired.click(type="unfold", name="items", page=page)
    order = wired.sent[-1]["order"]
    assert len(order) < 200 + PAGE
    wired.click(type="unfold", name="items", page=0)
    order = wired.sent[-1]["order"]
    assert {"call-x0", "fold-rest", "call-x2999"} <= set(order)
    assert "call-x1500" not in order
    wired.click(type="unfold", name="items", page=-1)
    assert "call-x0" not in wired.sent[-1]["order"]
    wired.click(type="unfold", name="items", page=10**9)
    wired.click(type="unfold", name="nobody", page=0)
    wired.click(type="unfold", name=3, page="x")


def test_a_citation_of_a_folded_line_is_still_known(wired: Wired) -> None:
    """R-UI-3."""
    view = lines(1000).deltas([TextDelta(text="as written [c1].\n\n")])
    wired.push(view, now=True)
    said = next(entry for name, entry in wired.sent[-1]["items"].items() if name.startswith("said"))
    assert 'class="oj-cite"' in said["open"]


def test_old_lines_give_their_results_up_and_say_where_they_are(wired: Wired) -> None:
    """Kernel memory stays bounded; citations stay."""
    view = lines(0)
    for n in range(FULL + 2 * STRIDE):
        for one in call(f"x{n}", "read", f"{n}.md", "whole", citations=CITATIONS[:1]):
            view = slimmed(view.hear(one))
    slim = [line.finished is not None and is_slim(line.finished) for line in view.lines]
    assert slim == [True] * (2 * STRIDE) + [False] * FULL
    assert set(view.known) == {"c1"}


def test_a_finished_text_that_is_not_what_streamed_begins_anew(wired: Wired) -> None:
    """Wire row 23: a restarted step."""
    view = view_of([started(), StepStarted(step=1, limit=50)]).deltas([TextDelta(text="one\n\ntwo\n\n")])
    wired.push(view, now=True)
    assert draw(wired)["fresh"]
    wired.push(view.deltas([TextDelta(text="three\n\nfour")]), now=True)
    assert (draw(wired)["fresh"], draw(wired)["start"]) == (False, 1)
    wired.push(view.hear(PartDone(part=Text(text="masked\n\ntext"))), now=True)
    assert draw(wired)["fresh"]
    assert draw(wired)["closed"] == ["<p>masked</p>\n"]


def draw(wired: Wired) -> dict[str, Any]:
    return dict(wired.sent[-1]["items"]["said-0"])
