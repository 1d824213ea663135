"""Figures of a saved record: cited pages and what the model was shown, bounded, escaped, named (R-SAVE-1, R-UI-3, R-UI-7)."""

from __future__ import annotations

import base64
import html
import json
import re
from html.parser import HTMLParser
from typing import Any

import nh3
import pytest

from orange_jupyter.core.corpus import Citation
from orange_jupyter.core.messages import Image, ToolResult
from orange_jupyter.jupyter.figures import LATE, LEFT, MASKED, MOST_PICTURES, PAGE, ROOM, Figure, fitting, wanted
from orange_jupyter.jupyter.passage import flowing
from orange_jupyter.jupyter.record import TURN_TYPE, record
from orange_jupyter.jupyter.sheet import Surroundings
from orange_jupyter.jupyter.strings import Language
from orange_jupyter.jupyter.view import TurnView
from tests.jupyter.turns import call, citation, finished, started, view_of

JPEG, PNG = b"\xff\xd8\xff\xe0", b"\x89PNG\r\n\x1a\n"
HOSTILE = "\"><img src=x onerror=1>\n\n![p](http://127.0.0.1:9/x)\u202e'`.pdf"


class Tags(HTMLParser):
    """Start tags with their attributes, in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def of(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.found if name == tag]


def figure(size: int = 30_000, *, filling: bytes = b"\x00", marked: bool = True) -> Figure:
    return Figure((JPEG + filling * size)[:size], "image/jpeg", 640, 900, pages=14, marked=marked)


def paper(number: int, **more: object) -> Citation:
    given: dict[str, object] = {"page": 7, "file_type": "pdf"}
    return citation(number, f"papers/p{number}.pdf", f"Passage {number} of the paper.", **given | more)


def picture(digit: int, **more: Any) -> Image:
    return Image(sha256=f"{digit:064x}", media_type="image/png", width=1448, height=1912, **more)


def reading(images: tuple[Image, ...], call_id: str = "x1", **envelope: object) -> list[Any]:
    result = ToolResult(call_id=call_id, name="read", content="{}", ok=True, images=images)
    return call(
        call_id, "read", "p1.pdf", "page 7 of 14", result=result, envelope={"ok": True, "summary": "s"} | envelope
    )


def written(view: TurnView, places: dict[str, Surroundings], language: Language = "en") -> dict[str, Any]:
    return record(view, language, number=12, places=places)


def body(bundle: dict[str, Any]) -> str:
    return re.sub(r"<style>.*?</style>", "", bundle["text/html"], flags=re.DOTALL)


def cited(*citations: Citation, answer: str = "", also: tuple[Any, ...] = ()) -> TurnView:
    said = answer or "\n\n".join(f"Claim [{one.citation_id}]." for one in citations)
    return view_of([started(), *call("x0", "search", "a", "1", citations=citations), *also, finished(said)])


def test_a_cited_page_is_a_figure_with_its_mark_in_words_its_passage_and_its_number() -> None:
    """R-UI-3, R-SAVE-1, screen 6, notes: the picture with an alternative text, the passage as text, the page number."""
    places = {"c1": Surroundings(link="papers/p1.pdf", before="Before. ", after=" After.", figure=figure())}
    shown = body(written(cited(paper(1)), places))
    (found,) = re.findall(r'<figure class="oj-fig">(.*?)</figure>', shown)
    (image,) = Tags(found).of("img")
    assert image["src"] == "data:image/jpeg;base64," + base64.b64encode(figure().data).decode()
    assert image["alt"] == "Page 7 of p1.pdf; the cited passage is marked: “Passage 1 of the paper.”"
    assert (image["width"], image["height"]) == ("640", "900")
    caption = html.unescape(found[found.index("<figcaption>") :])
    assert "Page 7 of 14; the passage is marked." in caption
    assert "<mark>Passage 1 of the paper.</mark>" in caption
    assert "Before. " in caption
    plain = body(written(cited(paper(1)), {"c1": Surroundings(figure=figure(marked=False))}))
    assert Tags(plain).of("img")[0]["alt"] == "Page 7 of p1.pdf"
    assert "is marked" not in plain


def test_a_citation_of_a_word_file_names_its_section_and_block() -> None:
    """R-SRCH-4, screen 6: heading path and block, no picture, no page."""
    word = citation(
        1, "lu-2018.docx", "The lysimeter was flooded.", block=118, heading_path=("4", "4.2"), file_type="docx"
    )
    bundle = written(cited(word), {"c1": Surroundings(link="lu-2018.docx", before="Before.\n")})
    shown = html.unescape(body(bundle))
    assert "[1] lu-2018.docx › 4 › 4.2, block 118" in shown
    assert "[1] lu-2018.docx > 4 > 4.2, block 118" in bundle["text/plain"]
    assert "<img" not in shown
    assert "第 118 块" in html.unescape(body(written(cited(word), {}, "zh")))


def test_the_figure_stands_in_the_fold_of_its_passage() -> None:
    """R-UI-3: it unfolds with the citation; nothing of it is seen before."""
    shown = body(written(cited(paper(1)), {"c1": Surroundings(figure=figure())}))
    panel = shown[shown.index('<details class="oj-card oj-pass">') :]
    assert panel.index("<summary>") < panel.index("</summary>") < panel.index("<img") < panel.index("</details>")


def test_the_lines_of_a_page_s_column_run_on_beside_its_picture() -> None:
    """R-UI-3, screen 6: paragraphs, rows and headings keep their ends; Chinese gets no space."""
    words = "From April to June the factor of snow\nrose from 3.7 to 5.3 mm per day with a\nmean of 4.6.\n\n4.1 Table\na 1\nb 2 and some more"
    assert flowing(words) == (
        "From April to June the factor of snow rose from 3.7 to 5.3 mm per day with a mean of 4.6.\n\n4.1 Table\na 1\nb 2 and some more"
    )
    assert (
        flowing("四月到六月裸露积雪的度日因子\n从三点七升到五点三，平均值为\n四点六。")
        == "四月到六月裸露积雪的度日因子从三点七升到五点三，平均值为四点六。"
    )
    assert flowing("a") == "a"
    assert flowing("") == ""
    broken = paper(1).model_copy(update={"passage": "A single annual value of 4.1\nunderestimated June melt."})
    for citation_, expected in (
        (broken, "4.1 underestimated"),
        (broken.model_copy(update={"file_type": "txt"}), "4.1<br>"),
    ):
        assert expected in body(written(cited(citation_), {"c1": Surroundings(figure=figure())}))


def test_on_a_host_that_drops_pictures_and_style_the_words_stay() -> None:
    """R-SAVE-1: page number, passage, what was shown and its size; no broken picture is needed to read it."""
    view = cited(paper(1), also=tuple(reading((picture(1, path="papers/p1.pdf", page=7),))))
    places = {"c1": Surroundings(figure=figure()), f"{1:064x}": Surroundings(figure=figure())}
    kept = nh3.clean(
        written(view, places)["text/html"],
        tags={
            "a",
            "details",
            "div",
            "h3",
            "h4",
            "img",
            "li",
            "mark",
            "ol",
            "p",
            "q",
            "span",
            "summary",
            "table",
            "td",
            "tr",
        },
        clean_content_tags={"style"},
        attributes={"img": {"src", "alt"}, "a": {"href"}},
    )
    assert "data:" not in kept
    for words in (
        "Page 7 of 14; the passage is marked.",
        "<mark>Passage 1 of the paper.</mark>",
        "Page 7 of p1.pdf; the cited",
    ):
        assert words in html.unescape(kept)
    for words in ("1 picture shown to the model", "papers/p1.pdf, p. 7", "1,448 × 1,912 px"):
        assert words in html.unescape(kept)


def test_a_page_is_kept_once_however_often_it_is_cited() -> None:
    """R-SAVE-1: the second passage leads to the picture at the first."""
    view = cited(paper(1), answer="One [c1].\n\nTwo [c1].\n\nThree [c1].")
    shown = body(written(view, {"c1": Surroundings(figure=figure())}))
    assert shown.count("<img") == 1
    links = [one["href"] for one in Tags(shown).of("a") if one.get("href", "").endswith("%2Ds1")]
    assert html.unescape(shown).count("Picture of the page, at the first mention") == 2
    assert len(links) >= 2


def test_the_figures_of_a_record_are_bounded_together_and_what_is_left_out_is_said() -> None:
    """R-SAVE-1: 600,000 characters; in the order of the citations; a later small one may still fit."""
    many = [paper(number) for number in range(1, 9)]
    places = {one.citation_id: Surroundings(figure=figure(89_000, filling=bytes([n]))) for n, one in enumerate(many)}
    places["c8"] = Surroundings(figure=figure(2_000))
    bundle = written(cited(*many), places)
    addresses = [one["src"] or "" for one in Tags(body(bundle)).of("img")]
    assert len(addresses) == 6
    assert sum(len(one) for one in addresses) < ROOM + 6 * 30
    assert "%orange show c6 shows it." in html.unescape(body(bundle))
    assert "%orange show c8" not in html.unescape(body(bundle))
    assert len(bundle["text/html"]) < ROOM + 300_000
    for form in ("text/markdown", "text/plain"):
        assert "data:" not in bundle[form]
        assert len(bundle[form]) < 10_000
    assert len(json.dumps(bundle[TURN_TYPE])) < 20_000


@pytest.mark.parametrize(
    ("why", "english", "chinese"),
    [
        (MASKED, "the page holds a hidden value", "页中有被隐藏的值"),
        (LATE, "The page could not be drawn", "没能画成图片"),
        (LEFT, "%orange show c1 shows it", "%orange show c1 可以查看"),
    ],
)
def test_a_page_without_a_picture_says_why_and_keeps_its_text(why: str, english: str, chinese: str) -> None:
    """R-SAVE-1, R-READ-15, R-UI-8."""
    words: tuple[tuple[Language, str], ...] = (("en", english), ("zh", chinese))
    for language, said in words:
        shown = html.unescape(body(written(cited(paper(1)), {"c1": Surroundings(no_figure=why)}, language)))
        assert said in shown
        assert "<mark>Passage 1 of the paper.</mark>" in shown
        assert "<img" not in shown


@pytest.mark.parametrize(
    "wrong",
    [
        Figure(b"<svg onload=alert(1)>", "image/svg+xml", 1, 1),
        Figure(b"<svg onload=alert(1)>", "image/jpeg", 1, 1),
        Figure(JPEG + b"x", "image/png", 1, 1),
        Figure(JPEG + b"x", 'image/jpeg" onerror="x', 1, 1),
        Figure(JPEG + b"x" * PAGE.max_bytes, "image/jpeg", 1, 1),
    ],
    ids=["svg", "no jpeg", "other head", "markup as type", "too large"],
)
def test_only_a_small_jpeg_or_png_becomes_an_address(wrong: Figure) -> None:
    """R-UI-7: whatever a file claims to be."""
    assert wrong.address == ""
    assert fitting([("c1", wrong)]) == {}
    assert "<img" not in body(written(cited(paper(1)), {"c1": Surroundings(figure=wrong)}))


def test_no_picture_comes_from_anywhere_else() -> None:
    """R-UI-7, U01: an answer's own pictures, also with a data URL, stay words beside a real figure."""
    answer = f"See [c1] ![a](data:image/png;base64,AAAA) ![b](http://127.0.0.1:9/x.png) <img src=data:image/png,x>\n\n{HOSTILE}"
    shown = body(written(cited(paper(1), answer=answer), {"c1": Surroundings(figure=figure())}))
    sources = [one["src"] or "" for one in Tags(shown).of("img")]
    assert len(sources) == 1
    assert re.fullmatch(r"data:image/jpeg;base64,[A-Za-z0-9+/]+=*", sources[0])


def test_hostile_names_and_passages_stay_text_beside_a_picture() -> None:
    """U05, U06, P13: quotes, markup, direction marks and line breaks in file names, passages, captions and reasons."""
    hostile = citation(1, f"a/{HOSTILE}", HOSTILE, page=7, file_type="pdf")
    images = (picture(1, path=HOSTILE, page=3), picture(2, caption=HOSTILE))
    read = reading(images, imagesLeftOut=[{"page": 4, "reason": HOSTILE}, "x"], visionUnavailable={"reason": HOSTILE})
    view = cited(hostile, also=tuple(read))
    places = {
        "c1": Surroundings(link=f"n/{HOSTILE}", figure=figure()),
        f"{1:064x}": Surroundings(link=f"n/{HOSTILE}", figure=Figure(PNG + b"1", "image/png", 4, 4)),
    }
    for language in ("en", "zh"):
        bundle = written(view, places, language)  # type: ignore[arg-type]
        tags = Tags(body(bundle))
        assert len(tags.of("img")) == 2
        assert {key for one in tags.of("img") for key in one} == {"src", "alt", "width", "height"}
        assert not any(key.startswith("on") for _, attributes in tags.found for key in attributes)
        assert not any("\u202e" in (value or "") for _, attributes in tags.found for value in attributes.values())
        assert "\u202e" not in body(bundle)[body(bundle).index('class="oj-shots"') :]
        assert not re.search(r"\n[ \t]*\n", bundle["text/html"])
        assert not re.search(r"(?<!\\)!\[|(?<!\\)<(?!n/)(?=[a-zA-Z])", bundle["text/markdown"])
        assert not re.search(r"\]\(<[^>]*[\"\s][^>]*>\)", bundle["text/markdown"])


def test_pictures_shown_to_the_model_are_folded_below_their_call() -> None:
    """R-SAVE-1, R-UI-4: file, page, real size and id, a small picture; the same in words elsewhere."""
    images = (picture(1, path="papers/p1.pdf", page=7), picture(2, path="photos/站点.jpg"))
    view = view_of([started(), *reading(images), *call("x2", "list", "kb", "3 entries"), finished("x")])
    places = {
        f"{1:064x}": Surroundings(link="papers/p1.pdf", figure=Figure(PNG + b"1", "image/png", 364, 480)),
        f"{2:064x}": Surroundings(link="photos/站点.jpg", figure=Figure(JPEG + b"2", "image/jpeg", 480, 360)),
    }
    bundle = written(view, places)
    shown = html.unescape(body(bundle))
    rows = re.findall(r"<tr>.*?</tr>", shown)
    (at,) = [n for n, row in enumerate(rows) if "2 pictures shown to the model" in row]
    assert "page 7 of 14" in rows[at - 1]
    assert '<td colspan="4"><details class="oj-shots">' in rows[at]
    assert rows[at].count("<img") == 2
    words = '<a href="papers/p1.pdf#page=7">papers/p1.pdf, p. 7</a> <span class="oj-sub">(1,448 × 1,912 px, '
    assert words in rows[at]
    assert images[0].picture_id in rows[at]
    assert 'alt="photos/站点.jpg, made smaller"' in rows[at]
    assert re.search(
        r"  - \[papers/p1\.pdf, p\\?\. 7 \(1,448 × 1,912 px, img.*\]\(<papers/p1\.pdf#page=7>\)",
        bundle["text/markdown"],
    )
    assert f"    papers/p1.pdf, p. 7 (1,448 × 1,912 px, {images[0].picture_id})" in bundle["text/plain"]
    values = bundle[TURN_TYPE]["calls"][0]["pictures"]
    assert values[0] == {"id": images[0].picture_id, "width": 1448, "height": 1912, "path": "papers/p1.pdf", "page": 7}
    assert "给模型看过 2 张图片" in html.unescape(body(written(view, places, "zh")))


def test_pictures_of_the_person_stand_below_the_question() -> None:
    """R-NB-2 `--image`, R-SAVE-1."""
    view = view_of([started(images=(picture(5, path="kb/field.jpg"),)), finished("x")])
    place = {f"{5:064x}": Surroundings(link="kb/field.jpg", figure=Figure(JPEG + b"5", "image/jpeg", 480, 360))}
    bundle = written(view, place)
    shown = html.unescape(body(bundle))
    assert (
        shown.index('class="oj-q"')
        < shown.index("1 picture attached to the question")
        < shown.index('class="oj-prose"')
    )
    assert shown.count("<img") == 1
    assert "kb/field.jpg" in bundle["text/markdown"]
    assert "kb/field.jpg" in bundle["text/plain"]


@pytest.mark.parametrize("envelope", [{"maskedValues": 1}, {"maskedValues": 3, "pages": []}])
def test_a_picture_of_a_file_with_a_hidden_value_is_not_kept(envelope: dict[str, object]) -> None:
    """R-READ-15, R-PERM-9: not even where it was made; the same picture from an innocent call is not kept either."""
    secret = picture(1, path="p1.pdf", page=2)
    events = [started(), *reading((secret,), **envelope), *reading((secret, picture(2)), "x2"), finished("x")]
    view = view_of(events)
    assert [one.sha256 for one in wanted(view)] == [picture(2).sha256]
    place = {secret.sha256: Surroundings(figure=Figure(PNG + b"1", "image/png", 4, 4))}
    shown = html.unescape(body(written(view, place)))
    assert "<img" not in shown
    assert "not kept here: its file holds a hidden value" in shown
    assert f"img_{secret.sha256[:16]}" in shown


def test_a_result_that_was_given_up_or_cut_keeps_no_picture() -> None:
    """R-READ-15: whether something is hidden is not known any more."""
    for envelope in ({}, {"ok": True}):
        result = ToolResult(call_id="x1", name="read", content="", ok=True, images=(picture(1),))
        view = view_of([started(), *call("x1", "read", "a", "s", result=result, envelope=envelope), finished("x")])
        assert wanted(view) == ()
        shown = body(written(view, {picture(1).sha256: Surroundings(figure=Figure(PNG, "image/png", 4, 4))}))
        assert "<img" not in shown


def test_what_did_not_go_to_the_model_is_said_with_its_reason() -> None:
    """R-READ-7, R-READ-8, screen 13: vision off, pages left out."""
    off = reading((), visionUnavailable={"reason": "Vision is off for deepseek-chat."})
    more = reading(
        (), "x2", imagesLeftOut=[{"page": 5, "reason": "at most 4 pages at a time"}, {"reason": "too large"}]
    )
    bundle = written(view_of([started(), *off, *more, finished("x")]), {})
    for form in ("text/html", "text/markdown", "text/plain"):
        shown = html.unescape(bundle[form])
        assert "No picture went to the model: Vision is off for deepseek" in shown
        assert "Page 5 was not shown to the model: at most 4 pages at a time" in shown
        assert "No picture went to the model: too large" in shown


def test_many_pictures_keep_the_record_small() -> None:
    """R-SAVE-1, U07: 300 calls with 12 pictures each; names are counted beyond 30 calls, pictures beyond 12."""
    events: list[Any] = [started()]
    places: dict[str, Surroundings] = {}
    for n in range(300):
        images = tuple(picture(100 * n + k, path="很长的名字" * 80, page=k) for k in range(12))
        events += reading(images, f"x{n}", imagesLeftOut=[{"page": k, "reason": "r" * 900} for k in range(50)])
        places |= {one.sha256: Surroundings(figure=figure(40_000), link="l" * 200) for one in images}
    view = view_of([*events, finished("x")])
    assert len(wanted(view)) == MOST_PICTURES
    bundle = written(view, places)
    assert len(bundle["text/html"]) < ROOM + 600_000
    assert body(bundle).count("<img") <= MOST_PICTURES
    assert max(len(bundle[form]) for form in ("text/markdown", "text/plain")) < 500_000


def test_a_running_turn_has_no_figure() -> None:
    """R-UI-1: only the final record is given places, so no step sends a picture again."""
    view = view_of([started(), *reading((picture(1, path="p1.pdf", page=7),))])
    assert "<img" not in written(view, {})["text/html"]
