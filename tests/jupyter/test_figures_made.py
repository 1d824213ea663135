"""How a finished turn's figures come about, on real parts: files, index, workers, kept pictures (R-SAVE-1, R-UI-3, R-READ-15)."""

from __future__ import annotations

import asyncio
import json
from io import BytesIO

import pytest
from PIL import Image

from orange_jupyter.jupyter.figures import LATE, LEFT, MASKED, MOST_PAGES, PAGE, SMALL
from orange_jupyter.jupyter.ports import Where
from orange_jupyter.jupyter.record import record
from orange_jupyter.jupyter.view import TurnView
from tests.jupyter.two_columns import two_columns
from tests.test_office import kernel_in

office = pytest.fixture(kernel_in)
KEY = "sk-ant-api03-" + "Zx9Qw2Er7Ty4Ui1Op6As3Df8Gh5Jk0Lz" * 2


async def asked(office, data: bytes, *replies: dict, vision: bool = False):
    """A turn over one paper by a scripted model: its view, its places and its places with figures."""
    (office.folder / "kb" / "meng 2019.pdf").write_bytes(data)
    name = f"m{len(list(office.tmp.glob('*.json')))}"
    script = office.tmp / f"{name}.json"
    script.write_text(json.dumps({"replies": replies, "vision": vision}), encoding="utf-8")
    await office.say("kb add kb")
    await office.say(f"model add {name} --provider scripted --script {script}")
    await office(f"--model {name}", "What is the factor?")
    view = TurnView()
    for event in office.view.events:
        view = view.hear(event)
    where = Where(str(office.folder / "a.ipynb"), None, str(office.folder))
    places = await office.now.places(view.finished.citations, where)
    return view, places, where


SEARCH = {"calls": [{"name": "search", "arguments": {"query": "annual value underestimated June melt"}}]}
ANSWER = {"text": "It is 4.6 [{{last.citations.0.citationId}}]."}


def is_mark(red: int, green: int, blue: int) -> bool:
    return red > 200 and green > 180 and blue < 200


async def test_a_cited_page_of_a_pdf_is_drawn_with_its_mark(office):
    """R-UI-3, R-SAVE-1: a JPEG or PNG within 900 px and 90,000 bytes; the mark is on the right, where the passage is."""
    view, places, where = await asked(office, two_columns(), SEARCH, ANSWER)
    (citation,) = view.finished.citations
    assert (citation.page, places[citation.citation_id].figure) == (2, None)
    found = (await office.now.figures(view, places, where))[citation.citation_id]
    figure = found.figure
    assert (figure.pages, figure.marked, found.link) == (3, True, "kb/meng 2019.pdf")
    assert figure.address
    assert len(figure.data) <= PAGE.max_bytes
    with Image.open(BytesIO(figure.data)) as image:
        assert image.size == (figure.width, figure.height)
        assert max(image.size) <= 900
        pixels = image.convert("RGB")
        places = [(x, y) for x in range(0, image.width, 4) for y in range(0, image.height, 4)]
        yellow = [x / image.width for x, y in places if is_mark(*pixels.getpixel((x, y)))]
    assert yellow
    assert min(yellow) > 0.48
    shown = record(view, "en", number=1, places={citation.citation_id: found})["text/html"]
    assert shown.count("<img") == 1
    assert "Page 2 of 3; the passage is marked." in shown


async def test_a_page_that_holds_a_key_has_no_picture_and_its_surroundings_hide_it(office):
    """R-READ-15, R-PERM-9: in no form of the record, also where the key stands beside the passage."""
    view, places, where = await asked(office, two_columns(more=f"token {KEY}"), SEARCH, ANSWER)
    (citation,) = view.finished.citations
    found = await office.now.figures(view, places, where)
    assert (found[citation.citation_id].figure, found[citation.citation_id].no_figure) == (None, MASKED)
    for form in record(view, "en", number=1, places=found).values():
        assert KEY[:24] not in json.dumps(form)
    (office.folder / "kb" / "note.md").write_text(f"# Melt log\n\nThe gauge froze in March.\n\nkey {KEY}\n", "utf-8")
    search = {"calls": [{"name": "search", "arguments": {"query": "gauge froze in March"}}]}
    view, places, where = await asked(office, two_columns(), search, ANSWER)
    (place,) = places.values()
    assert (place.link, place.changed) == ("kb/note.md", False)
    assert KEY[:24] not in json.dumps(record(view, "en", number=1, places=places)["text/html"])


async def test_a_file_that_changed_or_is_gone_is_text_only(office):
    """R-SAVE-1, R-SRCH-4: another page than was cited is never drawn under the citation."""
    view, places, where = await asked(office, two_columns(), SEARCH, ANSWER)
    name = view.finished.citations[0].citation_id
    path = office.folder / "kb" / "meng 2019.pdf"
    path.write_bytes(two_columns(2))
    again = await office.now.places(view.finished.citations, where)
    assert again[name].changed
    assert (await office.now.figures(view, again, where))[name].figure is None
    late = (await office.now.figures(view, places, where))[name]  # it changed after its text was looked up
    assert (late.figure, late.no_figure) == (None, LATE)
    path.unlink()
    assert (await office.now.figures(view, places, where))[name].figure is None


async def test_the_first_pages_are_drawn_the_others_are_named(office):
    """R-SAVE-1: at most eight pages a record."""
    pages = MOST_PAGES + 2
    view, places, where = await asked(office, two_columns(), SEARCH, ANSWER)
    citation = view.finished.citations[0]
    many = tuple(citation.model_copy(update={"citation_id": f"c{n}"}) for n in range(1, pages + 1))
    view = view.hear(view.finished.model_copy(update={"citations": many}))
    places = {one.citation_id: places[citation.citation_id] for one in many}
    found = await office.now.figures(view, places, where)
    assert [one.citation_id for one in many if found[one.citation_id].figure] == [f"c{n}" for n in range(1, 9)]
    assert {found[f"c{n}"].no_figure for n in (9, 10)} == {LEFT}


async def test_what_the_model_was_shown_is_kept_small(office):
    """R-SAVE-1, R-READ-6, R-UI-4: a page with a link to it; a kept picture that is gone leaves its words."""
    read = {"calls": [{"name": "read", "arguments": {"path": "meng 2019.pdf", "page": 2}}]}
    view, places, where = await asked(office, two_columns(), read, {"text": "A bar chart."}, vision=True)
    (image,) = view.lines[0].finished.result.images
    found = (await office.now.figures(view, places, where))[image.sha256]
    assert (found.link, found.figure.marked) == ("kb/meng 2019.pdf", False)
    assert max(found.figure.width, found.figure.height) <= SMALL.max_width
    assert len(found.figure.data) <= SMALL.max_bytes
    for file in (office.tmp / "home" / "blobs").rglob(f"{image.sha256}.*"):
        file.unlink()
    assert (await office.now.figures(view, places, where))[image.sha256].figure is None


async def test_making_figures_can_be_stopped_and_the_next_ones_are_made(office):
    """R-SESS-3: Stop while the pictures are made costs a worker, no more."""
    view, places, where = await asked(office, two_columns(), SEARCH, ANSWER)
    name = view.finished.citations[0].citation_id
    task = asyncio.create_task(office.now.figures(view, places, where))
    await asyncio.sleep(0.02)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (await office.now.figures(view, places, where))[name].figure is not None
