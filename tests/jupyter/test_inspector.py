"""The page inspector without a browser: messages, parts, states, what the model saw, and what stays (R-UI-3, R-UI-4)."""

from __future__ import annotations

import asyncio
import os
from io import BytesIO
from pathlib import Path
from typing import Any

import docx
import pymupdf
import pytest

from orange_jupyter.core.codes import Code
from orange_jupyter.core.corpus import Citation
from orange_jupyter.core.deltas import TextDelta
from orange_jupyter.core.errors import ReadError
from orange_jupyter.core.events import (
    CallFinished,
    CallStarted,
    Event,
    StepStarted,
    StopReason,
    TurnFinished,
    TurnStarted,
)
from orange_jupyter.core.grant import Tier
from orange_jupyter.core.messages import Image, ToolResult
from orange_jupyter.jupyter.figures import PAGE
from orange_jupyter.jupyter.inspector import drawing
from orange_jupyter.jupyter.inspector.cited import others
from orange_jupyter.jupyter.inspector.live import Inspection
from orange_jupyter.jupyter.inspector.messages import AskPixels, AskSaw, Drawn, Leave, Shut, Turn, parse
from orange_jupyter.jupyter.inspector.paper import Others
from orange_jupyter.jupyter.inspector.seeing import saw_message
from orange_jupyter.jupyter.widgets.messages import parse as parse_in_controls
from orange_jupyter.seen import Part, saw_of
from tests.documents.samples import slow_pdf
from tests.jupyter.looking import unguarded
from tests.jupyter.papers import FACTS, chart, paper, scan
from tests.jupyter.turns import citation, view_of
from tests.test_office import kernel_in

office = pytest.fixture(kernel_in)
LOOK = "abcDEF-_0123"
SHA = "0" * 64
SECRET = "sk-proj-" + "AbCdEfGhIjKlMnOpQrSt_-UvWxYz0123456789AbCd"
QUESTION = "By how much did a single annual value underestimate June melt?"


class Posted:
    """What an inspection sent, newest last."""

    def __init__(self) -> None:
        self.messages: list[dict[str, Any]] = []
        self.pictures: list[list[bytes]] = []

    def __call__(self, message: dict[str, Any], pictures: Any = ()) -> None:
        self.messages.append(message)
        self.pictures.append(list(pictures))

    @property
    def last(self) -> dict[str, Any]:
        return self.messages[-1]


def keep(office: Any, **files: bytes) -> None:
    for name, data in files.items():
        stem, _, ending = name.rpartition("_")
        (office.folder / "kb" / f"{stem}.{ending}").write_bytes(data)


async def look_at(office: Any, line: str) -> tuple[Inspection, Posted]:
    reply = await office.say(line)
    posted = Posted()
    inspection = Inspection(reply.pages.paper, posted, unguarded, "en")
    await inspection.begin()
    inspection.draw()
    return inspection, posted


async def act(inspection: Inspection, *messages: Any) -> None:
    for message in messages:
        inspection.hear(message)
    await inspection.settled()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"type": "rendered"}, Drawn()),
        ({"type": "inspect", "look": LOOK, "do": "turn", "part": 7}, Turn(LOOK, 7)),
        ({"type": "inspect", "look": LOOK, "do": "saw", "part": 1}, AskSaw(LOOK, 1)),
        ({"type": "inspect", "look": LOOK, "do": "pixels", "sha256": SHA}, AskPixels(LOOK, SHA)),
        ({"type": "inspect", "look": LOOK, "do": "leave"}, Leave(LOOK)),
        ({"type": "inspect", "look": LOOK, "do": "shut"}, Shut(LOOK)),
        ({"type": "inspect", "look": LOOK, "do": "turn", "part": 0}, None),
        ({"type": "inspect", "look": LOOK, "do": "turn", "part": True}, None),
        ({"type": "inspect", "look": LOOK, "do": "turn", "part": 10**9}, None),
        ({"type": "inspect", "look": LOOK, "do": "turn", "part": "2"}, None),
        ({"type": "inspect", "look": LOOK, "do": "pixels", "sha256": "../../etc/passwd"}, None),
        ({"type": "inspect", "look": "x", "do": "leave"}, None),
        ({"type": "inspect", "do": "leave"}, None),
        ({"type": "inspect", "look": LOOK, "do": "open", "path": "/etc/passwd"}, None),
        ({"look": LOOK}, None),
    ],
)
def test_only_whole_messages_of_known_kinds_are_heard(content: dict[str, Any], message: Any) -> None:
    """R-APPR-3 in kind: a page cannot ask for a file, a path or a picture of its own choice."""
    assert parse(content) == message
    if content.get("type") == "inspect":
        assert parse_in_controls(content) == message


async def test_pages_turn_the_last_wish_wins_and_another_nonce_is_not_heard(office: Any) -> None:
    """R-UI-3, R-UI-4: text, size, marks and a bounded picture of each page; a page that does not exist is said."""
    keep(office, meng_pdf=paper(pages=5))
    await office.say("kb add kb")
    inspection, posted = await look_at(office, "show meng.pdf 2")
    assert (posted.last["part"], posted.last["count"], posted.last["title"]) == (2, 5, "meng.pdf, page 2")
    assert posted.last["side"].startswith("kb, 5 pages, ")
    assert "text layer" in posted.last["side"]
    shown = posted.last["pictures"][0]
    assert max(shown["width"], shown["height"]) <= 2000
    assert len(posted.pictures[-1][0]) <= 3_538_944
    before = len(posted.messages)
    await act(inspection, Turn(inspection.look, 3), Turn(inspection.look, 4), Turn(inspection.look, 5))
    assert [one["part"] for one in posted.messages[before:]] == [5]
    await act(inspection, Turn(LOOK, 1))
    assert posted.last["part"] == 5
    await act(inspection, Turn(inspection.look, 40))
    assert "No such page" in posted.last["html"]
    assert "meng.pdf has pages 1–5; you asked for 40" in posted.last["html"]
    inspection.close()
    await act(inspection, Turn(inspection.look, 1))
    assert posted.last["what"] == "wrong"


async def test_a_slow_page_can_be_left_and_keeps_its_text(office: Any) -> None:
    """D01: drawing the page takes longer than any limit; leaving ends it at once, and what was shown is drawn again."""
    slow = pymupdf.open(stream=paper(pages=2))
    slow.insert_pdf(pymupdf.open(stream=slow_pdf()))
    await office.say("kb add kb")
    keep(office, slow_pdf=slow.tobytes())  # after the index, which would wait for it too
    inspection, posted = await look_at(office, "show slow.pdf 2")
    inspection.hear(Turn(inspection.look, 3))
    await asyncio.sleep(0.3)
    assert posted.last["part"] == 2
    await act(inspection, Leave(inspection.look))
    assert (posted.last["what"], posted.last["part"]) == ("leaf", 2)
    await act(inspection, Turn(inspection.look, 1))
    assert posted.last["part"] == 1


async def test_a_file_that_changes_is_damaged_locked_or_gone_is_said(office: Any) -> None:
    """R-UI-3: the file is looked up and read anew each time a page is turned."""
    keep(office, meng_pdf=paper())
    await office.say("kb add kb")
    file: Path = office.folder / "kb" / "meng.pdf"
    inspection, posted = await look_at(office, "show meng.pdf")
    assert posted.last["notes"] == ""
    file.write_bytes(paper(pages=4))
    await act(inspection, Turn(inspection.look, 2))
    assert "changed since it was opened" in posted.last["notes"]
    assert posted.last["count"] == 4
    locked = pymupdf.open(stream=paper())
    file.write_bytes(locked.tobytes(encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="x", owner_pw="y"))
    await act(inspection, Turn(inspection.look, 1))
    assert "needs a password" in posted.last["html"]
    file.write_bytes(b"%PDF-1.4 nothing")
    await act(inspection, Turn(inspection.look, 1))
    assert "damaged" in posted.last["html"]
    file.unlink()
    await act(inspection, Turn(inspection.look, 1))
    assert "is not there any more" in posted.last["html"]
    outside = office.tmp / "outside.pdf"
    outside.write_bytes(paper())
    os.symlink(outside, file)
    await act(inspection, Turn(inspection.look, 1))
    assert posted.last["what"] == "wrong", "a link that leads out is not followed"


async def test_a_scan_a_picture_and_a_word_file(office: Any) -> None:
    """R-UI-4: states of screen 13, and what is not a PDF."""
    written = docx.Document()
    written.add_heading("Snow", level=1)
    written.add_paragraph("The threshold is 0.4 degrees.")
    written.add_picture(BytesIO(chart()))
    kept = BytesIO()
    written.save(kept)
    keep(office, scan_pdf=scan(), fig_png=chart(), thesis_docx=kept.getvalue())
    await office.say("kb add kb")
    _, posted = await look_at(office, "show scan.pdf 2")
    assert posted.last["state"]["word"] == "No text layer"
    assert "it can be looked at, not searched" in posted.last["text"]
    assert posted.pictures[-1]
    _, posted = await look_at(office, "show fig.png")
    assert (posted.last["unit"], posted.last["count"]) == ("picture", 1)
    assert posted.last["side"].endswith("300 × 200 px")
    inspection, posted = await look_at(office, "show thesis.docx 2")
    assert "<mark>The threshold is 0.4 degrees.</mark>" in posted.last["blocks"]
    assert "Snow" in posted.last["blocks"]
    assert len(posted.pictures[-1]) == posted.last["blocks"].count("<img data-picture") == 1
    await act(inspection, Turn(inspection.look, 99))
    assert "No such block" in posted.last["html"]
    with pytest.raises(ReadError, match="does not exist") as refused:
        await office.say("show scan.pdf 3")
    assert refused.value.code is Code.OUT_OF_RANGE
    assert "look at" not in (await office.say("show melt.md")).html


async def test_a_citation_marks_its_passage_and_says_when_it_is_lost(office: Any) -> None:
    """R-SRCH-4, R-UI-3: the marked passage in text, picture, alternative text, and in what stays."""
    keep(office, meng_pdf=paper())
    await office.say("kb add kb")
    finished = await office("", QUESTION)
    cited = next(one for one in finished.citations if one.path == "meng.pdf")
    inspection, posted = await look_at(office, f"show {cited.citation_id}")
    assert (posted.last["part"], posted.last["citation"]) == (2, cited.citation_id)
    assert posted.last["marks"]
    assert all(0 <= side <= 1 for box in posted.last["marks"] for side in box)
    assert posted.last["alt"].startswith("Page 2 of meng.pdf; marked: “")
    assert "<mark>" in posted.last["text"]
    assert posted.last["copy"] == cited.passage
    inspection.quotation = "A single annual value of 4.1 underestimated"
    inspection.draw()
    assert posted.last["state"] is None
    inspection.quotation = "no such words <b>"
    inspection.draw()
    assert posted.last["state"]["word"] == "Quotation not found in the source"
    assert "“no such words &lt;b&gt;” are not in this passage" in posted.last["notes"]
    await act(inspection, Turn(inspection.look, 3))
    assert (posted.last["marks"], posted.last["quotation"], posted.last["notes"]) == ([], False, "")
    reply = await office.say(f"show {cited.citation_id}", language="zh")
    assert "引文已标出" in reply.html
    (office.folder / "kb" / "meng.pdf").write_bytes(paper(pages=2).replace(b"/Title", b"/Titel"))
    await act(inspection, Turn(inspection.look, 2))
    assert "changed since it was cited" in posted.last["notes"]
    assert posted.last["marks"], "found again in the changed file"
    other = pymupdf.open()
    for _ in range(2):
        other.new_page().insert_text((72, 72), "Something else")
    (office.folder / "kb" / "meng.pdf").write_bytes(other.tobytes())
    await act(inspection, Turn(inspection.look, 2))
    assert "not here any more" in posted.last["notes"]


async def test_masked_values_are_masked_beside_the_picture_which_is_not_kept(office: Any) -> None:
    """R-READ-15, R-SAVE-1: also a key that runs over the end of a page."""
    half = SECRET[:20]
    document = pymupdf.open()
    for words in (f"The key is {SECRET} here", f"and again {half}", f"{SECRET[20:]} goes on"):
        document.new_page().insert_text((20, 72), words, fontsize=8)
    keep(office, keys_pdf=document.tobytes())
    await office.say("kb add kb")
    reply = await office.say("show keys.pdf 1")
    _, posted = await look_at(office, "show keys.pdf 1")
    for said in (reply.html, reply.markdown, posted.last["text"], posted.last["copy"]):
        assert SECRET not in said
    assert "⟦masked:1⟧" in posted.last["copy"]
    assert "1 value that looks like a key is masked" in posted.last["notes"]
    assert "<img" not in reply.html
    assert "so none is kept in the notebook" in reply.html


async def test_what_stays_is_bounded_escaped_and_loads_nothing(office: Any) -> None:
    """R-SAVE-1, R-UI-7, U01: hostile text and names stay text; one small picture inside the record."""
    document = pymupdf.open()
    sheet = document.new_page()
    sheet.insert_text((20, 72), '</div><img src="http://127.0.0.1:9/x"><script>x</script>', fontsize=8)
    keep(office, **{"a<b>&_pdf": document.tobytes(), "meng_pdf": paper()})
    await office.say("kb add kb")
    reply = await office.say("show a<b>&.pdf")
    _, posted = await look_at(office, "show a<b>&.pdf")
    for said in (reply.html, posted.last["text"], posted.last["notes"]):
        assert "<script" not in said
    assert "<img" not in posted.last["text"]
    assert reply.html.count("<img") == 1
    assert "<b>&" not in reply.html
    shown = (await office.say("show meng.pdf 2")).html
    assert len(shown) < PAGE.max_bytes * 4 / 3 + 40_000
    assert 'href="kb/meng.pdf#page=2"' in shown
    assert "<button" not in shown


def event(**more: Any) -> CallFinished:
    images = more.pop("images", ())
    result = ToolResult(call_id="x", name="read", content="{}", ok=True, images=images)
    fields = {"call_id": "x", "tool": "read", "arguments": {}, "ok": True, "decision": "allowed", "summary": ""}
    return CallFinished(**{**fields, "seconds": 0.1, "result": result, "envelope": {}, **more})


def turn(number: int, *events: Event, images: tuple[Image, ...] = ()) -> list[Event]:
    started = TurnStarted(
        turn_id=f"t{number}",
        session_id="s",
        number=number,
        text="q",
        images=images,
        model="seer",
        tier=Tier.WORKSPACE_READONLY,
        permission_version=1,
        started_at="2026-12-01T00:00:00Z",
    )
    return [started, StepStarted(step=1, limit=9), *events]


def picture(page: int | None = 2, path: str = "meng.pdf", sha256: str = SHA) -> Image:
    return Image(sha256=sha256, media_type="image/png", width=1448, height=1912, path=path, page=page)


ENVELOPE = {"fileId": "f_1", "path": "meng.pdf", "pages": [{"page": 2, "text": "x" * 3918}]}
LEFT = {"imagesLeftOut": [{"page": 3, "reason": "too slow"}]}
CITED = citation(1, "meng.pdf", "words").model_copy(update={"file_id": "f_1", "page": 2})
PART = Part("f_1", "meng.pdf", "pdf", 2)
NEXT = StepStarted(step=2, limit=9)
ENDED = TurnFinished(turn_id="t4", stop_reason=StopReason.STOPPED, answer="", finished_at="2026-12-01T00:00:00Z")


@pytest.mark.parametrize(
    ("events", "part", "words"),
    [
        (turn(12, event(envelope=ENVELOPE, images=(picture(),)), NEXT), PART, "turn 12, step 2, to seer"),
        (turn(12, event(envelope=ENVELOPE, images=(picture(),)), NEXT), PART, "3,918 characters beside it"),
        (turn(12, event(envelope=ENVELOPE | LEFT, images=(picture(),)), NEXT), PART, "3: too slow"),
        (turn(3, images=(picture(None, "fig.png"),)), Part(None, "fig.png", "image", 1), "turn 3, step 1, to seer"),
        (turn(4, event(envelope=ENVELOPE, images=(picture(),)), ENDED), PART, "the turn ended before"),
        (turn(4, event(envelope=ENVELOPE | {"visionUnavailable": {"reason": "off"}}), NEXT), PART, "Vision is off"),
        (turn(4, event(envelope=ENVELOPE), NEXT), PART, "Only its text was sent"),
        (turn(4, event(envelope=ENVELOPE | LEFT), NEXT), Part("f_1", "meng.pdf", "pdf", 3), "Turn 4: too slow"),
        (turn(4, event(citations=(CITED,), envelope={"results": []}), NEXT), PART, "Only passages of it"),
        (
            turn(4, event(envelope=ENVELOPE, images=(picture(),)), NEXT),
            Part("f_2", "x.pdf", "pdf", 2),
            "not shown this",
        ),
    ],
)
def test_what_the_model_saw_is_read_from_the_session(events: list[Event], part: Part, words: str) -> None:
    """R-UI-4: turn, step, model, text beside it and what was left out; without a picture, why."""
    assert words in saw_message(saw_of(events, part), "en")["html"]


async def test_the_exact_pixels_are_given_and_no_others(office: Any) -> None:
    """R-UI-4: by the hash under which they were kept; a hash that was not named here gets nothing."""
    keep(office, meng_pdf=paper())
    (office.folder / "seer.json").write_text(
        '{"vision": true, "replies": [{"calls": [{"name": "read", "arguments": {"path": "meng.pdf", "page": 2}}]},'
        ' {"text": "Seen."}]}'
    )
    await office.say("kb add kb")
    await office.say(f"model add seer --provider scripted --script {office.folder}/seer.json")
    await office("--model seer", "What does figure 4 show?")
    inspection, posted = await look_at(office, "show meng.pdf 2")
    await act(inspection, AskSaw(inspection.look, 2))
    (sent,) = posted.last["pictures"]
    assert "turn 1, step 2, to seer" in posted.last["html"]
    await act(inspection, AskPixels(inspection.look, sent["sha256"]))
    blobs = office.now.app.ground.blobs
    assert posted.pictures[-1] == [await blobs.get(sent["sha256"])]
    other = await blobs.put(b"someone else's", "image/png")
    with pytest.raises(ReadError):
        await inspection._paper.pixels(other)
    await act(inspection, Turn(inspection.look, 3), AskSaw(inspection.look, 3))
    assert (
        "The model was not shown this"
        in next(one for one in posted.messages if one.get("part") == 3 and "pictures" in one and one["what"] == "saw")[
            "html"
        ]
    )


def test_the_passages_of_one_page_are_counted() -> None:
    """Screen 6: passage 1 of 2 on this page."""

    def cited(number: int, page: int) -> Citation:
        return citation(number, "meng.pdf", "words").model_copy(update={"file_id": "f_1", "page": page})

    known = (cited(1, 7), cited(2, 8), cited(3, 7))
    view = view_of(turn(1)).hear(CallStarted(call_id="x", tool="read", arguments={})).hear(event(citations=known))
    view = view.hear(NEXT).deltas([TextDelta(text="One [c1], another [c3], elsewhere [c2].")])
    assert [others(view, name) for name in ("c1", "c2", "c3")] == [Others(1, 2), Others(), Others(2, 2)]
    assert drawing.aside(Others(1, 2), "en") == "passage 1 of 2 on this page"


@pytest.mark.parametrize(
    ("page", "flowing"),
    [
        (
            "a long first line of words\nand a second one of it\n\nnext",
            "a long first line of words and a second one of it\n\nnext",
        ),
        (
            "率定期取四点一毫米每度日全年不变而且\n验证期洪峰偏早九天所以要改一改才好",
            "率定期取四点一毫米每度日全年不变而且验证期洪峰偏早九天所以要改一改才好",
        ),
        ("Month  Factor of snow a year\nApr  3.7\nMay  4.8", "Month  Factor of snow a year Apr  3.7\nMay  4.8"),
        ("short\nlines", "short\nlines"),
    ],
)
def test_lines_of_a_paragraph_flow_and_short_ones_stand(page: str, flowing: str) -> None:
    assert drawing.flowing(page) == flowing


def test_a_script_gets_the_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """R-UI-4: `session.show("paper.pdf", page=3)` outside a notebook."""
    from orange_jupyter import Session

    monkeypatch.setenv("ORANGE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("ORANGE_CACHE", str(tmp_path / "cache"))
    (tmp_path / "kb").mkdir()
    (tmp_path / "kb" / "meng.pdf").write_bytes(paper())
    session = Session(kb=str(tmp_path / "kb"), folder=str(tmp_path))
    try:
        assert FACTS[:40] in str(session.show("meng.pdf", page=2)).replace("\n", " ")
        with pytest.raises(ReadError, match="does not exist"):
            session.show("meng.pdf", page=40)
    finally:
        session.close()
