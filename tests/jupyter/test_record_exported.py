"""The record inside a Markdown document, where exporters put it: nothing of a note comes to life there (U01, U05)."""

from __future__ import annotations

import html
import re
from html.parser import HTMLParser
from typing import Any

import nbformat
import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from nbconvert import MarkdownExporter

from orange_jupyter.core.approval import Outcome
from orange_jupyter.core.events import ApprovalAsked, Notice, PartDone, StepStarted
from orange_jupyter.core.messages import Text
from orange_jupyter.jupyter.failure import failure
from orange_jupyter.jupyter.record import record
from orange_jupyter.jupyter.record_inert import inert
from orange_jupyter.jupyter.sheet import Surroundings
from orange_jupyter.jupyter.widgets.citation import passage_panel
from tests.jupyter.turns import REQUEST, call, citation, ended, finished, started, view_of

NET = "http://127.0.0.1:9/"
HOSTILE = {
    "picture": f"words\n\n![p]({NET}x.png)\n\nmore",
    "carriage returns": f"words\r\r![p]({NET}x.png)\r\r# 标题\r\r",
    "windows": f"words\r\n\r\n![p]({NET}x.png)\r\n \r\n# 标题",
    "other breaks": f"words\v\v![p]({NET}x.png)\f\f\x85\x85\u2028\u2028\u2029\u2029# Heading",
    "reference": f"a\n\n[p]: {NET}x.png\n\n![p] ![1] [p]\n\n[1]: {NET}y.png",
    "headings": f"# H\n\n## 标题\n\nH\n===\n\nH\n---\n\n1. # x ![p]({NET}x.png)\n\n> # y",
    "raw": f'\n\n<img src="{NET}x.png">\n\n<h1>H</h1>\n\n<picture><source srcset={NET}z></picture>',
    "out of the element": f'</div></article></span>"\n\n![p]({NET}x.png) <h2>x</h2>',
    "style": f"</style>\n\n![p]({NET}x.png)",
    "links": f"\n\n<{NET}> [a]({NET}) {NET} www.example.org a@example.org\n\n",
    "code": f"```\n\n![p]({NET}x.png)\n\n    ![q]({NET}y.png)",
    "comment": f"<!--\n\n-->![p]({NET}x.png)",
    "tabs": f"a\n\t\n![p]({NET}x.png)\n   \n\t# x",
    "math": f"$$\n\n![p]({NET}x.png)\n\n$$ \\(x\\)",
}


class Seen(HTMLParser):
    """The addresses and headings of an HTML text; the style is not read."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.tags: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.addresses += [value or "" for key, value in attrs if key in ("src", "href", "srcset", "poster", "data")]


def everywhere(words: str, answer: str) -> dict[str, Any]:
    """A turn that holds the words in every place that is not the model's own."""
    source = citation(1, f"{words}.md", words, heading_path=(words,), knowledge_base=words)
    events = [
        started(words, model=words, host=words),
        StepStarted(step=1, limit=50),
        PartDone(part=Text(text=words)),
        *call("x1", "read", words, words, citations=(source,)),
        ApprovalAsked(call_id="x1", request=REQUEST.model_copy(update={"target": words})),
        ended(Outcome.DENIED, reason=words),
        Notice(level="warning", text=words, hint=words),
        finished(answer, error=words, hint=words),
    ]
    place = Surroundings(link="notes/a.md", before=words, after=words, line=1)
    return record(view_of(events), "en", number=1, session=words, places={"c1": place})


def exported(data: dict[str, Any], form: str) -> str:
    """What nbconvert makes of a notebook that saved this one form, as Markdown and then as HTML."""
    output = {"output_type": "display_data", "metadata": {}, "data": {form: data[form]}}
    cell = {"cell_type": "code", "metadata": {}, "source": "%%orange", "outputs": [output], "execution_count": 1}
    whole = {"nbformat": 4, "nbformat_minor": 4, "metadata": {}, "cells": [cell]}
    written, _ = MarkdownExporter().from_notebook_node(nbformat.from_dict(whole))  # type: ignore[no-untyped-call]
    return str(MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).render(written))


@pytest.mark.parametrize("form", ["text/html", "text/markdown"])
@pytest.mark.parametrize("words", HOSTILE.values(), ids=HOSTILE)
def test_an_exported_record_loads_nothing_and_gets_no_heading_from_a_note(words: str, form: str) -> None:
    """U01, U05: converted by nbconvert, rendered with raw HTML allowed."""
    answer = f"See [the page](https://example.org/p). [c1]\n\n![mine]({NET}m.png)"
    seen = Seen(exported(everywhere(words, answer), form))
    assert [one for one in seen.addresses if re.match(r"\w+:|//", one)] == ["https://example.org/p"]
    assert "img" not in seen.tags
    assert "h1" not in seen.tags
    assert "h2" not in seen.tags
    assert seen.tags.count("h3") == (form == "text/html")


@pytest.mark.parametrize("words", HOSTILE.values(), ids=HOSTILE)
def test_the_html_has_no_blank_line_and_no_sign_of_markdown(words: str) -> None:
    """U05: also where a renderer reads Markdown inside HTML, the texts hold nothing to read."""
    source = citation(1, f"{words}.md", words)
    place = Surroundings(link="notes/a.md", before=words, after=words, line=1)
    for bundle in (
        everywhere(words, f"[c1] {words}"),
        passage_panel(source, place, "en", number=1),
        failure(words, words),
    ):
        written = bundle["text/html"]
        assert not re.search(r"[\r\v\f\x85\u2028\u2029]|\n[ \t]*\n", written)
        body = re.sub(r"<style>.*?</style>", "", written, flags=re.DOTALL)
        texts = re.split(r'<(?:"[^"]*"|[^">])*>', body)
        assert not any(re.search(r"[!`*_\[\]|~\\$]|://|\S\n|\n\S|^\s*#", re.sub(r"&#?\w+;", "", one)) for one in texts)


@pytest.mark.parametrize("words", HOSTILE.values(), ids=HOSTILE)
def test_an_answer_that_ends_in_an_open_fence_does_not_swallow_the_sources(words: str) -> None:
    """R-SAVE-2."""
    written = everywhere(words, "[c1]\n\n````py\nx = 1\n\n")["text/markdown"]
    tokens = MarkdownIt("commonmark").parse(written)
    (fence,) = [token for token in tokens if token.type == "fence"]
    assert "Sources" not in fence.content
    whole = everywhere(words, "[c1]\n\n````py\nx = 1\n````\n\n")["text/markdown"]
    assert [token.type for token in MarkdownIt("commonmark").parse(whole)].count("fence") == 1


@given(st.text(st.sampled_from("ab \n\t#!*_[]()`&;<>-1.$\\\r:/@").filter(bool), max_size=40))
def test_a_browser_reads_the_same_text(words: str) -> None:
    """R-UI-7: the signs are character references, nothing else changes; done twice it is the same."""
    written = f'<p title="x">{html.escape(words)}</p>'
    once = inert(written)
    assert inert(once) == once
    assert "\n" not in once.strip("\n") or not words.strip(" \t\r\n")
    if words.strip(" \t\r\n"):
        shown = html.unescape(once.removeprefix('<p title="x">').removesuffix("</p>"))
        assert shown == words.replace("\r\n", "\n").replace("\r", "\n")
