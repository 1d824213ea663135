"""The end of a turn on a page that was loaded again in its middle: the answer stays, and is saved (M4)."""

from __future__ import annotations

import json

import pytest

from tests.jupyter.lifecycle import come_back, second_tab
from tests.jupyter.test_product_in_lab import files, use
from tests.lab import Lab
from tests.lab_server import Chromium

pytestmark = pytest.mark.browser

ASK = 2
WORDS = " ".join(f"word{n}" for n in range(1, 3000))
SLOW = {"text": f"{WORDS} the end", "chunk": 8, "delay": 0.05}
STALE = ("Waiting for the model", "No answer was given", "Still running when this was saved")


def stream(lab: Lab, reply: dict, *more: str) -> None:
    """A slow turn whose notebook is saved as soon as the first words stand in the page."""
    lab.open(
        ["%load_ext orange_jupyter", use("slow"), "%%orange --model slow\nsay it", *more], files=files("slow", reply)
    )
    lab.run(0)
    lab.run(1)
    lab.run(ASK, wait=False)
    lab.wait_output(ASK, "word4 ")
    lab.save()


def shows_the_end(lab: Lab, state: str) -> None:
    """The record is there, without a button and without words that are true no more; the model has it too."""
    article = lab.output(ASK).locator("article.oj-turn")
    article.get_by_text(state).first.wait_for(timeout=90_000)
    lab.output(ASK).locator(".oj-usage").locator("visible=true").wait_for()
    shown = lab.output_text(ASK)
    assert "word40 " in shown
    assert not [words for words in STALE if words in shown]
    assert lab.output(ASK).get_by_role("button").count() == 0
    assert "Error displaying widget" not in shown
    outputs = lab.outputs(ASK)
    assert "widget-view" not in json.dumps(outputs)
    assert "word40 " in "".join(outputs[0]["data"]["text/html"])


def test_stop_after_a_reload_leaves_the_whole_record_in_both_tabs_and_in_the_file(chromium: Chromium, lab: Lab) -> None:
    """R-SAVE-1, R-UI-2: saved at word 4, loaded again, stopped: "Stopped by you" with the text, here, there and saved."""
    stream(lab, SLOW)
    come_back(lab)
    lab.wait_output(ASK, "word40 ")
    page = chromium.browser.new_page(viewport={"width": 1000, "height": 900})
    try:
        other = second_tab(lab, page)
        other.wait_output(ASK, "word60 ")
        lab.click(ASK, "Stop")
        for tab in (lab, other):
            shows_the_end(tab, "Stopped by you")
        lab.shot("settled-stop", ASK)
        other.shot("settled-stop-tab", ASK)
    finally:
        page.close()
    saved = lab.save()
    assert "word40 " in "".join(saved["cells"][ASK]["outputs"][0]["data"]["text/markdown"])
    assert not [words for words in STALE if words in str(saved)]
    lab.reload()
    shows_the_end(lab, "Stopped by you")


def test_an_answer_that_ends_after_a_reload_stays(lab: Lab) -> None:
    """R-SAVE-1, R-UI-2: the end comes by itself; also the cell's picture at 400 px in the dark."""
    short = SLOW | {"text": " ".join(WORDS.split()[:1200])}
    stream(lab, short)
    come_back(lab)
    lab.wait_output(ASK, "word30 ")
    shows_the_end(lab, "Done")
    assert "word1200" in lab.output_text(ASK)
    lab.theme(dark=True)
    lab.width(400)
    lab.shot("settled-done-dark-400", ASK)
    lab.theme(dark=False)
    lab.width(1200)


def test_a_notebook_saved_in_mid_stream_has_the_text_so_far_and_says_what_is_true(lab: Lab) -> None:
    """R-SAVE-1: a step's text is in the file while it streams; the file does not say that no answer was given."""
    stream(lab, SLOW, "%orange wait")
    lab.wait_output(ASK, "word90 ")
    lab.page.wait_for_timeout(2500)
    saved = lab.save()["cells"][ASK]["outputs"]
    told = "".join(saved[0]["data"]["text/markdown"])
    assert "word80 " in told
    assert "Still running when this was saved" in told
    assert "%orange wait" in told
    assert "No answer was given" not in str(saved)
    lab.reload(kernel=False)
    lab.output(ASK).get_by_text("Still running when this was saved").wait_for()
    lab.shot("settled-saved-mid", ASK)
    assert "word80 " in lab.output_text(ASK)


def test_a_turn_that_streamed_does_not_say_that_nothing_ran(lab: Lab) -> None:
    """R-UI-2, A03: after Restart the line tells of the turn, once; "Nothing ran." is for what waited for an answer."""
    stream(lab, SLOW)
    lab.restart()
    line = "The kernel restarted and this turn ended with it. What was said is kept in the session."
    lab.wait_output(ASK, line)
    text = lab.output(ASK).evaluate("e => e.textContent")
    assert text.count(line) == 1
    assert "Nothing ran" not in text
    assert "word4 " in lab.output_text(ASK)
    lab.shot("settled-restart", ASK)
