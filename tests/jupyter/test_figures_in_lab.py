"""A cited page in the real JupyterLab: asked, saved, read again without a kernel, by a stranger, exported (R-SAVE-1)."""

from __future__ import annotations

import json
import re

import nbformat
import pytest
from nbconvert import HTMLExporter, MarkdownExporter
from playwright.sync_api import Locator, expect

from orange_jupyter.jupyter.figures import ROOM
from tests.jupyter.test_product_in_lab import CONFIG, use
from tests.jupyter.two_columns import two_columns
from tests.lab import Lab

SEARCH = {"calls": [{"name": "search", "arguments": {"query": "annual value underestimated June melt"}}]}
READ = {"calls": [{"name": "read", "arguments": {"path": "meng-2019.pdf", "page": 2}}]}
ANSWER = {
    "text": "The annual value underestimated June melt by 19 % [{{tool.search.citations.0.citationId}}].\n\n图中是各月的因子。"
}
SHOWN = "img => img.complete && img.naturalWidth > 100 && img.getBoundingClientRect().width > 100"


def marked(figure: Locator) -> None:
    """The picture is there, with pixels, and says what it shows; its passage and page stand beside it."""
    image = figure.get_by_role("img")
    expect(image).to_have_attribute("alt", re.compile(r"^Page 2 of meng-2019\.pdf; the cited passage is marked: “"))
    image.scroll_into_view_if_needed()
    assert image.evaluate(SHOWN)
    expect(figure.get_by_text("Page 2 of 3; the passage is marked.")).to_be_visible()
    expect(figure.locator("mark")).to_contain_text("underestimated June melt")


@pytest.mark.browser
def test_a_cited_page_stays_in_the_notebook_with_its_mark(lab: Lab) -> None:
    """R-SAVE-1, R-UI-3, R-UI-6, R-UI-7, U06: figure and shown picture survive saving, sanitising, nbconvert."""
    (lab.folder / "kb").mkdir()
    (lab.folder / "kb" / "meng-2019.pdf").write_bytes(two_columns())
    script = json.dumps({"replies": [SEARCH, READ, ANSWER], "vision": True}, ensure_ascii=False)
    cells = ["%load_ext orange_jupyter", use("gauge"), "%%orange --model gauge\nBy how much is June underestimated?"]
    lab.open(cells, files={".orange/config.toml": CONFIG, "gauge.json": script})
    lab.run_all()
    lab.wait_output(2, "Sources")
    saved = lab.save()
    (output,) = [one for one in saved["cells"][2]["outputs"] if "text/html" in one.get("data", {})]
    written = "".join(output["data"]["text/html"])
    assert len(re.findall(r'<img src="data:image/(?:jpeg|png);base64,', written)) == written.count("<img") == 2
    assert len(written) < ROOM
    for form in ("text/markdown", "text/plain"):
        assert "base64" not in "".join(output["data"][form])
    lab.reload(kernel=False)
    lab.output(2).get_by_role("link", name="Source 1").first.click()
    figure = lab.output(2).locator("figure.oj-fig")
    marked(figure)
    for dark in (False, True):
        lab.theme(dark=dark)
        for width in (900, 400):
            lab.width(width)
            lab.shot(f"figure-{'dark' if dark else 'light'}-{width}", 2)
            assert lab.output(2).evaluate("e => e.scrollWidth <= e.clientWidth + 1")
    lab.theme(dark=False)
    lab.width(1200)
    lab.output(2).get_by_text("2 tool calls").click()
    lab.output(2).get_by_text("1 picture shown to the model").click()
    assert lab.output(2).locator("figure.oj-shot img").evaluate(SHOWN)
    lab.shot("figure-shown", 2)
    whole = nbformat.from_dict(saved)  # type: ignore[no-untyped-call]
    whole.metadata.pop("signature", None)
    whole.cells[2].outputs[0]["metadata"] = {"copied": True}
    nbformat.write(whole, lab.folder / "stranger.ipynb")  # type: ignore[no-untyped-call]
    lab.show(lab.folder / "stranger.ipynb")
    assert lab.output(2).locator("script, button").count() == 0
    lab.output(2).locator("summary", has_text="[1] meng-2019.pdf").click()
    marked(lab.output(2).locator("figure").first)
    page, _ = HTMLExporter().from_notebook_node(whole)  # type: ignore[no-untyped-call]
    assert all(page.count(address) == 1 for address in re.findall(r'<img src="(data:[^"]+)"', written))
    text, _ = MarkdownExporter().from_notebook_node(whole)  # type: ignore[no-untyped-call]
    assert "the passage is marked." in text
