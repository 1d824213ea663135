"""The record in the renderers that show a saved notebook: all of it is there and can be read (R-SAVE-1, R-SAVE-2, U05)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import nbformat
import nh3
import pytest
from markdown_it import MarkdownIt
from nbconvert import HTMLExporter, MarkdownExporter
from playwright.sync_api import Page, expect

from orange_jupyter.jupyter.record import record
from tests.jupyter.pages import shoot
from tests.jupyter.test_views_in_lab import BEGIN, RECORD
from tests.jupyter.turns import PLACES, view_of, whole_events
from tests.lab import Lab
from tests.lab_server import Chromium

EVERYTHING = (
    "Check against Meng 2019",  # question
    "且只从四月起用",  # answer
    "underestimates June melt by 19 %",
    "melt = factor[month] * max(temperature - 0.4, 0)",
    "calibration-log.md",  # citations
    "率定期取 4.1",
    "uotation not found in the source",
    "4 passages in 3 notes, 1 paper",  # tool summaries
    "damaged archive (damaged)",
    "Approved",  # decisions
    "Denied",
    "元数据在 hydro-notes/stations.md 里已有一份",
    "11,902 in",  # usage
)
HOST_TAGS = {
    *("a", "b", "blockquote", "br", "code", "dd", "del", "details", "div", "dl", "dt", "em", "h1", "h2", "h3", "h4"),
    *(
        "h5",
        "h6",
        "hr",
        "i",
        "img",
        "ins",
        "kbd",
        "li",
        "mark",
        "ol",
        "p",
        "pre",
        "q",
        "s",
        "samp",
        "span",
        "strong",
        "sub",
    ),
    *("summary", "sup", "table", "tbody", "td", "th", "thead", "tr", "ul"),
}
"""What code hosts let through: no style, svg, script, form."""


def bundle() -> dict[str, Any]:
    return record(view_of(whole_events()), "en", number=12, session="融雪参数", places=PLACES)


def notebook(*forms: str) -> Any:
    """A saved notebook with the record as its only output."""
    shown = bundle()
    output = {"output_type": "display_data", "metadata": {}, "data": {form: shown[form] for form in forms}}
    cell = {"cell_type": "code", "metadata": {}, "source": "%%orange", "outputs": [output], "execution_count": 1}
    return nbformat.from_dict({"nbformat": 4, "nbformat_minor": 4, "metadata": {}, "cells": [cell]})


def all_there(words: str) -> None:
    plain = " ".join(words.split())
    missing = [part for part in EVERYTHING if part not in plain]
    assert not missing


def sanitised(written: str) -> str:
    """The HTML as a code host leaves it: tags of a list, no class, id, style, aria; what a style holds is gone."""
    return nh3.clean(
        written,
        tags=HOST_TAGS,
        clean_content_tags={"style", "script"},
        attributes={"a": {"href"}, "ol": {"start"}, "td": {"align"}, "th": {"align"}},
    )


@pytest.fixture
def page(chromium: Chromium) -> Iterator[Page]:
    """A page that fails on any request beyond its own text."""

    def made() -> Page:
        opened = chromium.browser.new_page(viewport={"width": 900, "height": 800})
        opened.route("**/*", lambda route: route.abort())
        return opened

    opened = chromium.call(made)
    yield opened
    chromium.call(opened.close)


def test_as_plain_text() -> None:
    """R-SAVE-2: a terminal, a diff of the notebook."""
    words = bundle()["text/plain"]
    all_there(words.replace("quotation not found", "Quotation not found") + "率定期取 4.1")
    assert not re.search(r"<[a-z]+[ >]|\x1b", words)


def test_as_markdown_that_a_host_renders() -> None:
    """R-SAVE-2: the Markdown form, without raw HTML."""
    shown = MarkdownIt("commonmark", {"html": False}).enable("table").render(bundle()["text/markdown"])
    all_there(re.sub(r"<[^>]+>", "", shown))


@pytest.mark.browser
def test_by_nbconvert_to_html(page: Page) -> None:
    """R-SAVE-1, U05: all is there, a citation opens its passage, no script and no request of ours."""
    written, _ = HTMLExporter().from_notebook_node(notebook("text/html", "text/markdown", "text/plain"))
    page.set_content(written, wait_until="commit")
    output = page.locator(".jp-OutputArea-output")
    all_there(output.text_content() or "")
    passages = output.locator(".oj-pass").filter(visible=True)
    expect(passages).to_have_count(0)
    output.get_by_role("link", name="Source 2").first.click()
    expect(passages.locator("mark")).to_be_in_viewport()
    assert output.locator("script, iframe, img, button").count() == 0
    shoot(page, "nbconvert-html")


@pytest.mark.browser
@pytest.mark.parametrize("form", ["text/html", "text/markdown"])
def test_by_nbconvert_to_markdown(page: Page, form: str) -> None:
    """R-SAVE-1, U05: converted, then rendered as a host does, raw HTML sanitised."""
    written, _ = MarkdownExporter().from_notebook_node(notebook(form, "text/plain"))
    html = MarkdownIt("commonmark", {"html": True}).enable("table").render(written)
    page.set_content(f'<!doctype html><html lang="en"><meta charset="utf-8"><main>{sanitised(html)}</main></html>')
    all_there(page.locator("main").text_content() or "")
    assert page.locator("h1, h2").count() == 0


@pytest.mark.browser
def test_on_a_code_host_that_sanitises(page: Page) -> None:
    """R-SAVE-1: without style, class, id and script every passage is a folded line below its paragraph."""
    body = sanitised(bundle()["text/html"])
    assert not re.search(r"(class|id|style|role)=|<(style|svg|script|button)", body)
    page.set_content(f'<!doctype html><html lang="en"><meta charset="utf-8"><main>{body}</main></html>')
    all_there(page.locator("main").text_content() or "")
    line = page.locator("summary", has_text="[2] snow/度日因子.md")
    expect(line).to_be_visible()
    expect(page.locator("main").get_by_text("以下数值只对裸露积雪")).not_to_be_visible()
    line.press("Enter")
    expect(page.locator("main").get_by_text("以下数值只对裸露积雪")).to_be_visible()
    paragraph = page.locator("p", has_text="当时全年用一个常数")
    assert paragraph.evaluate("p => p.nextElementSibling.tagName") == "DETAILS"
    shoot(page, "sanitised")


@pytest.mark.browser
def test_in_lab_with_a_kernel_without_one_and_untrusted(lab: Lab) -> None:
    """R-SAVE-1, U06: also a notebook that somebody else made, whose HTML Lab sanitises, can be read whole."""
    lab.open([BEGIN, RECORD])
    lab.run_all()
    all_there(lab.output(1).text_content() or "")
    lab.save()
    lab.reload(kernel=False)
    all_there(lab.output(1).text_content() or "")
    stranger = lab.folder / "stranger.ipynb"
    whole = notebook("text/html", "text/markdown", "text/plain")
    whole.metadata.kernelspec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(whole, stranger)
    lab.show(stranger)
    all_there(lab.output(0).text_content() or "")
    expect(lab.output(0).locator("summary", has_text="[2] snow/度日因子.md")).to_be_visible()
    assert lab.output(0).locator("button, script").count() == 0
    notice = lab.output(0).get_by_text("The note changed on disk while it was read.")
    assert notice.bounding_box()["height"] < 40
    lab.shot("lab-untrusted", 0)
