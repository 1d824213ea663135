"""The citations of a finished turn without a browser: what is heard, refused, opened, and what a record cites (R-UI-3)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import OrangeError, ReadError
from orange_jupyter.jupyter.inspector.afterwards import Source, TurnPages, cited
from orange_jupyter.jupyter.inspector.messages import Cite, Drawn, Turn, parse, parse_cited
from orange_jupyter.jupyter.inspector.paper import Leaf, Others
from orange_jupyter.jupyter.record import record
from tests.jupyter.turns import call, citation, finished, started, view_of

LOOK = "abcDEF-_0123"


class Sheets:
    """A file of three pages that counts how often it was looked up; `gate` holds a reading back."""

    name, base, file_type, first, link = "p1.pdf", "kb", "pdf", 2, None

    def __init__(self, citation_id: str, gate: asyncio.Event) -> None:
        self.citation_id = citation_id
        self._gate = gate

    async def leaf(self, part: int) -> Leaf:
        await self._gate.wait()
        if self.citation_id == "c9":
            raise ReadError(Code.NOT_FOUND, "Gone.")
        return Leaf(part, 3, 100, "before ", "passage", " after")


class Turned:
    """The pages of a turn with sources c1, c2 and c9 (which cannot be read), and what they posted."""

    def __init__(self) -> None:
        self.gate = asyncio.Event()
        self.gate.set()
        self.found: list[str] = []
        self.posted: list[dict[str, Any]] = []
        given = [(citation(n, "p1.pdf", "passage", page=2, file_type="pdf"), n) for n in (1, 2, 9)]
        sources = {one.citation_id: Source(one, n, Others(n, 9), None) for one, n in given}
        self.pages = TurnPages(sources, self._find, self._guard, "en")
        self.pages.post = lambda message, _: self.posted.append(message)

    async def _find(self, one: Any) -> Any:
        self.found.append(one.citation_id)
        return Sheets(one.citation_id, self.gate)

    async def _guard(self, work: Any, tell: Any) -> None:
        try:
            await work
        except OrangeError as error:
            tell(error.message, error.hint)

    async def hear(self, *messages: Any) -> list[tuple[str, str]]:
        self.posted.clear()
        for one in messages:
            self.pages.hear(one)
        for _ in range(20):
            await asyncio.sleep(0)
        return [(one["what"], one.get("citation", "")) for one in self.posted]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"type": "rendered"}, Drawn()),
        ({"type": "inspect", "do": "open", "citation": "c12"}, Cite("c12")),
        ({"type": "inspect", "look": LOOK, "do": "turn", "part": 7}, Turn(LOOK, 7)),
        ({"type": "inspect", "do": "open", "citation": "c1\n"}, None),
        ({"type": "inspect", "do": "open", "citation": "../p1.pdf"}, None),
        ({"type": "inspect", "do": "open", "citation": ["c1"]}, None),
        ({"type": "inspect", "do": "open", "path": "p1.pdf"}, None),
        ({"type": "open", "do": "open", "citation": "c1"}, None),
    ],
)
def test_a_page_asks_by_citation_id_and_nothing_else(content: dict[str, Any], message: Any) -> None:
    """R-APPR-3 in kind: no file, no path; the inspector of one file does not know the message at all."""
    assert parse_cited(content) == message
    if isinstance(message, Cite):
        assert parse(content) is None


async def test_unknown_ids_are_refused_and_each_opening_looks_the_file_up_anew() -> None:
    """R-UI-3: ready, opening, the page with which passage it is; an unknown id gets no answer and closes nothing."""
    turn = Turned()
    assert await turn.hear(Drawn()) == [("ready", "")]
    assert await turn.hear(Cite("c1")) == [("opening", "c1"), ("leaf", "c1")]
    shown = turn.posted[-1]
    assert (shown["part"], shown["side"]) == (2, "passage 1 of 9 on this page")
    assert await turn.hear(Cite("c3")) == []
    assert turn.found == ["c1"]
    assert await turn.hear(Turn(LOOK, 3)) == []
    assert await turn.hear(Turn(shown["look"], 3)) == [("leaf", "c1")]
    assert await turn.hear(Cite("c1")) == [("opening", "c1"), ("leaf", "c1")]
    assert turn.found == ["c1", "c1"]
    assert turn.posted[-1]["look"] != shown["look"]
    assert await turn.hear(Turn(shown["look"], 3)) == []


async def test_one_page_is_opened_at_a_time_and_what_cannot_be_read_is_the_records() -> None:
    """R-UI-3: the last wish wins; a file that is gone leaves the passage that the record holds."""
    turn = Turned()
    turn.gate.clear()
    assert await turn.hear(Cite("c1"), Cite("c2")) == [("opening", "c1"), ("opening", "c2")]
    turn.gate.set()
    assert await turn.hear() == [("leaf", "c2")]
    assert await turn.hear(Cite("c9")) == [("opening", "c9"), ("static", "c9")]
    turn.gate.clear()
    await turn.hear(Cite("c1"))
    turn.pages.close()
    turn.gate.set()
    assert await turn.hear() == []


def test_the_numbers_are_those_of_the_record_and_notes_are_left_out() -> None:
    """R-UI-3, R-UI-3: what the widget knows are ids by number; a turn that cites only notes has no widget."""
    pdf = [citation(n, "p1.pdf", f"Passage {n}.", page=2, file_type="pdf", file_id="f_1") for n in (1, 2)]
    note = citation(3, "a.md", "A note.")
    events = [
        started(),
        *call("x1", "search", "kb", "3", citations=(*pdf, note)),
        finished("B [c3]. A [c2], `[c9]` [c1]."),
    ]
    view = view_of(events)
    turn = cited(view, "en", {})
    assert turn is not None
    assert {name: one.number for name, one in turn.sources.items()} == {"c2": 2, "c1": 3}
    assert (turn.sources["c2"].others, turn.sources["c1"].others) == (Others(1, 2), Others(2, 2))
    html = record(view, "en", number=view.started.number if view.started else 0)["text/html"]
    assert f'id="{turn.record}"' in html
    assert f'id="{turn.prefix}-s2"' in html
    only = view_of([started(), *call("x1", "search", "kb", "1", citations=(*pdf, note)), finished("B [c3].")])
    assert cited(only, "en", {}) is None
