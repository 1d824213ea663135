"""Model Markdown becomes safe HTML: nothing loads, nothing acts, citations and quotations are checked."""

from __future__ import annotations

import re
import time
from html.parser import HTMLParser
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orange_jupyter.jupyter.citing import Citing
from orange_jupyter.jupyter.markdown import BlockStream, render, render_blocks
from orange_jupyter.jupyter.quotes import is_quoted
from tests.jupyter.turns import ANSWER, CITATIONS

LOADING = {"src", "srcset", "poster", "background", "data", "style", "action", "formaction", "ping", "xlink:href"}
INERT = {
    *("a", "b", "br", "code", "del", "em", "s", "span", "strong", "blockquote", "div", "h4", "h5", "h6", "hr"),
    *("li", "ol", "p", "pre", "ul", "table", "tbody", "td", "th", "thead", "tr"),
}

CARRIERS = {
    "image": "![x](http://127.0.0.1:9/?d=CANARY)",
    "reference image": "![x][r]\n\n[r]: http://127.0.0.1:9/?d=CANARY",
    "img": '<img src="http://127.0.0.1:9/?d=CANARY">',
    "picture": '<picture><source srcset="http://127.0.0.1:9/?d=CANARY"><img></picture>',
    "css url": '<div style="background:url(http://127.0.0.1:9/?d=CANARY)">x</div>',
    "style": "<style>@import url(http://127.0.0.1:9/?d=CANARY);</style>",
    "video poster": '<video poster="http://127.0.0.1:9/?d=CANARY"></video>',
    "svg image": '<svg><image href="http://127.0.0.1:9/?d=CANARY"/><use href="http://127.0.0.1:9/#x"/></svg>',
    "frame": '<iframe src="http://127.0.0.1:9/?d=CANARY"></iframe>',
    "object": '<object data="http://127.0.0.1:9/?d=CANARY"></object><embed src="http://127.0.0.1:9/">',
    "link tag": '<link rel="stylesheet" href="http://127.0.0.1:9/?d=CANARY"><meta http-equiv="refresh" content="0;http://x">',
    "image in a link": "[![x](http://127.0.0.1:9/?d=CANARY)](note.md)",
    "image in a table": "| a |\n|---|\n| ![x](http://127.0.0.1:9/?d=CANARY) |",
    "math": "$\\includegraphics{http://127.0.0.1:9/?d=CANARY}$ and $\\href{javascript:alert(1)}{x}$",
}
ACTING = {
    "command button": '<button data-commandlinker-command="notebook:run-all-cells">Approve once</button>',
    "handler": '<p onclick="alert(1)">x</p><img src=x onerror=alert(1)>',
    "javascript": "[x](javascript:alert(1)) <javascript:alert(1)> [y](JaVaScRiPt:alert(1)) [z](&#106;avascript:alert(1))",
    "data": "[x](data:text/html;base64,PHNjcmlwdD4=) [p](vbscript:x) [f](file:///etc/passwd)",
    "form": '<form action="http://x"><input name=q><button>Approve once</button></form>',
    "clobbering": '<a id="jp-main" name="x" class="oj-btn is-primary">Approve</a>',
    "foreign": "<math><mtext></p><style><img src=x onerror=alert(1)></style></mtext></math>",
    "breaking out": "</pre></div></article><script>alert(1)</script>",
    "fence": "```html\n</code></pre><script>alert(1)</script>\n```",
    "autolink": "<http://x.example/\"onmouseover='alert(1)'>",
    "title": '[x](http://x.example "\\" onmouseover=alert(1) \\"")',
    "protocol relative": "[x](//evil.example/y) [z](/\\evil.example) [w](/logout?next=/) [v](\\\\evil.example)",
}


class Reader(HTMLParser):
    """Collects the tags and attributes that a browser would see."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))


def citing(known: bool = True) -> Citing:
    return Citing(prefix="oj-12", language="en", known={one.citation_id: one for one in CITATIONS} if known else {})


def assert_inert(written: str) -> None:
    reader = Reader()
    reader.feed(written)
    for tag, attributes in reader.tags:
        assert tag in INERT, tag
        assert not LOADING & attributes.keys(), attributes
        assert not [name for name in attributes if name.startswith(("on", "data-")) or name in ("id", "name")], (
            attributes
        )
        for one in (attributes.get("class") or "").split():
            assert one in {"oj-cite", "is-off", "oj-scroll", "oj-math", "oj-sub", "n"}, attributes
        target = attributes.get("href") or ""
        assert re.match(r"(https?://|mailto:|#|[^/\\:]*(?:/|$|[?#]))", target), attributes
        assert not target.startswith(("/", "\\")), attributes


@pytest.mark.parametrize("source", [*CARRIERS.values(), *ACTING.values()], ids=[*CARRIERS, *ACTING])
def test_nothing_in_an_answer_loads_or_acts(source: str) -> None:
    """R-UI-7; U01 (carriers of data to a server), U02, A20 (a fake Approve button is text)."""
    written = render(source, citing())
    assert_inert(written)
    assert "127.0.0.1" not in "".join(re.findall(r"<[^>]*>", written))


def test_a_picture_becomes_its_words_and_a_visible_note() -> None:
    """R-UI-7, U01."""
    assert "[Picture not shown: a chart]" in render("![a chart](http://x.example/y.png)", citing())
    assert "[图片未显示：图 1]" in render("![图 1](a.png)", Citing(prefix="p", language="zh"))


def test_a_web_link_shows_its_host_and_opens_without_a_referrer() -> None:
    """R-UI-7."""
    written = render("[the docs](https://user@evil.example/x) and [here](good.md)", citing())
    assert 'rel="noopener noreferrer"' in written
    assert "(evil.example)" in written
    assert 'href="good.md"' in written


def test_an_unsafe_address_is_shown_in_words_and_is_no_link() -> None:
    """U02."""
    written = render("[log out](/logout)", citing())
    assert "<a" not in written
    assert "(/logout)" in written


@given(st.text(alphabet="[]()<>!`*_#|-$\\\"'=&;:/ \nabcj1\u200b中", max_size=300))
@settings(max_examples=300, deadline=None)
def test_no_text_at_all_makes_anything_but_inert_html(source: str) -> None:
    """R-UI-7, U02."""
    assert_inert(render(source, citing()))


def test_citations_are_numbered_in_order_of_first_use() -> None:
    """R-SRCH-9, R-UI-3."""
    one = citing()
    written = render("a [c3] b [c1], again [c3]; two [c1, c2]", one)
    assert one.numbers == {"c3": 1, "c1": 2, "c2": 3}
    assert '<a class="oj-cite" href="#oj-12-s1" aria-label="Source 1"' in written
    assert written.count("#oj-12-s1") == 2


def test_an_id_that_no_tool_gave_stays_text_with_a_mark() -> None:
    """R-SRCH-9, S10."""
    written = render("so it is [c99]", citing())
    assert '<span class="oj-cite is-off" title="c99: no such source">[c99?]</span>' in written
    assert "<a" not in written


def test_code_links_and_math_keep_what_looks_like_a_citation() -> None:
    """R-SRCH-9."""
    one = citing()
    written = render("`a[c1]` and [c2](note.md) and $x[c3]$\n\n```\ny[c1]\n```", one)
    assert one.numbers == {}
    assert 'href="note.md"' in written


def test_a_reference_definition_cannot_take_a_citation_over() -> None:
    """S10: `[c1]: http://…` in an answer would lead a citation elsewhere."""
    written = render("see [c1]\n\n[c1]: http://evil.example/x\n[C1]: http://evil.example/y", citing())
    assert "evil.example/" not in written
    assert "#oj-12-s1" in written


@pytest.mark.parametrize(
    ("source", "mark"),
    [
        ("> 率定期取 4.1 mm·℃⁻¹·d⁻¹，全年不变\n\n[c1]", "[1]"),
        ("> A single annual value … June melt by 19 %\n>\n> — Meng [c2]", "[1]"),
        ("> 度日因子全年取 9.9\n\n[c1]", "[1?]"),
        ("> a value of 9.9 was best\n\n— Meng 2019 [c2]", "[1?]"),
        ("另有一处说“阴坡减半” [c4]。", "[1?]"),
        ("he says “underestimated June melt” [c2].", "[1]"),
        ("> one thing\n\nA new paragraph of our own says so [c1].", "[1]"),
        ("> From April to June the factor of exposed snow rose [c1][c2]", "[1]"),
    ],
)
def test_a_quotation_that_the_source_does_not_hold_is_marked(source: str, mark: str) -> None:
    """Screens 2 and 6; R-UI-3."""
    assert f">{mark}</" in render(source, citing())


def test_quotations_are_compared_without_spaces_case_and_marks() -> None:
    assert is_quoted("The  **Factor** of “snow”", 'the factor\nof "snow" rose')
    assert is_quoted("the … rose", "the factor rose")
    assert not is_quoted("rose … the", "the factor rose")


def test_chinese_paragraphs_say_their_language() -> None:
    """R-UI-6: screen readers and line breaking follow the language."""
    written = render(
        "结论是 4.6。\n\nThe answer is 4.6.\n\n- 中文一项\n- english\n\nこれは日本語の漢字です。", citing()
    )
    assert re.findall(r"<(\w+) lang=\"zh\">", written) == ["p", "li"]


def test_math_keeps_its_delimiters_and_money_is_no_math() -> None:
    """R-UI-1: Lab's typesetter finds `$…$` in text; a price must not become a formula."""
    written = render("$a_1 * b_2$ and \\(c_3\\) cost $5 and $6", citing())
    assert '<span class="oj-math">$a_1 * b_2$</span>' in written
    assert '<span class="oj-math">$c_3$</span>' in written
    assert "<span>$</span>5 and <span>$</span>6" in written


@pytest.mark.parametrize(
    "command", ["href", "url", "class", "cssId", "style", "require", "def", "includegraphics", "htmlData"]
)
def test_tex_that_links_loads_or_defines_stays_source(command: str) -> None:
    """U02."""
    assert f"<code>$\\{command}{{a}}$</code>" in render(f"$\\{command}{{a}}$", citing())


def test_streaming_renders_closed_blocks_once_and_ends_as_the_whole_does() -> None:
    """R-UI-1."""
    stream = BlockStream(citing())
    seen: list[list[str]] = []
    for end in range(1, len(ANSWER) + 1, 7):
        stream.feed(ANSWER[:end])
        seen.append(list(stream.closed))
    last = stream.feed(ANSWER)
    assert all(later[: len(earlier)] == earlier for earlier, later in pairwise(seen))
    assert [*stream.closed, last] == render_blocks(ANSWER, citing())


def test_more_text_changes_only_the_last_block() -> None:
    """R-UI-1."""
    before = render_blocks("one\n\ntwo\n\n- a", citing())
    after = render_blocks("one\n\ntwo\n\n- a\n- b\n\nthree", citing())
    assert after[: len(before) - 1] == before[:-1]


@pytest.mark.parametrize(
    "source",
    ["[" * 100_000, "![a" * 33_000, "\\(" * 50_000, "x" * 1_000_000, "*a " * 33_000, "[c1]" * 25_000, "$a " * 33_000],
    ids=["brackets", "pictures", "tex", "one line", "stars", "citations", "dollars"],
)
def test_hostile_text_costs_little_time(source: str) -> None:
    """U07: at most 2 s of CPU."""
    began = time.process_time()
    render(source, citing())
    assert time.process_time() - began < 2
