"""A turn with commands as a browser draws it: approve one, deny one, watch output, stop, the receipts (R-EXEC-11, A08)."""

from __future__ import annotations

import json

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from orange_jupyter.core.approval import Outcome
from orange_jupyter.core.deltas import Output
from orange_jupyter.core.events import ApprovalAsked, CallStarted
from orange_jupyter.jupyter.record import record
from orange_jupyter.jupyter.widgets.messages import Approve, Deny, StopTurn
from tests.jupyter.pages import document, shoot
from tests.jupyter.test_exec_card import BEGUN, LONG, ran, request
from tests.jupyter.test_views_in_browser import IDS, LOOKS, Stage
from tests.jupyter.turns import ended, finished, started, view_of
from tests.lab_server import Chromium

pytestmark = pytest.mark.browser

COMMAND = (
    "# 汇总\npython scripts/melt.py \\\n  --out derived/melt\u200b.csv" + "\n" * 500 + "; rm -rf raw" + "\n# more" * 30
)
ASKED = request(
    COMMAND,
    facts=(
        ("working folder", "/home/me/hydro-notes"),
        ("time limit", "120 s, then all that it started is ended"),
        ("shell", "bash (/usr/bin/bash), no input, no terminal"),
        ("confinement", "none: it may do all that you may"),
        ("environment", "names on an allow list, no keys"),
        ("files it names", "scripts/melt.py"),
    ),
    warnings=(
        "raw is a link to /srv/archive/2025/raw, outside the knowledge bases. "
        "The command can read and change what is there.",
    ),
    asked_at="2026-11-30T14:32:08Z",
)


@pytest.mark.parametrize(("dark", "width"), LOOKS, ids=IDS)
def test_the_card_of_a_command_is_read_to_its_end_before_it_is_approved(
    chromium: Chromium, dark: bool, width: int
) -> None:
    """R-APPR-1, A07, A08, A10: everything is there; Approve waits for the end; a double click counts once."""
    stage = Stage(chromium, dark=dark, width=width, language="zh" if dark and width == 400 else "en")
    stage.show(view_of([started(), BEGUN, ApprovalAsked(call_id="c1", request=ASKED)]))
    page = stage.page
    approve = page.locator(".oj-btn.is-primary")
    expect(approve).to_be_disabled()
    shoot(page, f"exec-card-{'dark' if dark else 'light'}-{width}")
    text = page.locator(".oj-pre").first
    assert "; rm -rf raw" in text.inner_text()
    assert "499" in text.inner_text() or "500" in text.inner_text()
    assert page.locator(".oj-esc").inner_text() == "\\u200b"
    stage.past_the_deaf_moment()
    approve.dispatch_event("click")
    stage.exchange()
    assert not [one for one in stage.controls.heard if isinstance(one, Approve)]
    text.evaluate("node => { node.scrollTop = node.scrollHeight; }")
    expect(approve).to_be_enabled()
    approve.dblclick()
    stage.exchange()
    assert len([one for one in stage.controls.heard if isinstance(one, Approve)]) == 1
    assert not stage.errors
    assert not Axe().run(page).response["violations"]
    page.close()


def test_output_is_watched_and_stopped_and_a_second_command_is_denied(chromium: Chromium) -> None:
    """R-EXEC-11, R-APPR-1: text only, bounded, a reader who scrolled back stays; Stop; a reason for the model."""
    stage = Stage(chromium)
    page = stage.page
    view = view_of([started(), BEGUN])
    for number in range(40):
        view = view.deltas(
            [Output(call_id="c1", text=f"<img src=x onerror=alert(1)> {number}\n" * 90, left_out=number)]
        )
        stage.show(view)
    live = page.locator(".oj-live")
    assert live.inner_text().count("<img src=x onerror=alert(1)> 39") == 90
    assert page.locator(".oj-flow img").count() == 0
    page.wait_for_function("() => { const p = document.querySelector('.oj-live'); return p.scrollTop > 100; }")
    live.evaluate("node => { node.scrollTop = 0; }")
    stage.show(view.deltas([Output(call_id="c1", text="new\n" * 95)]))
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert live.evaluate("node => node.scrollTop") == 0
    shoot(page, "exec-live-light-900")
    page.get_by_role("button", name="Stop").first.click()
    stage.exchange()
    assert any(isinstance(one, StopTurn) for one in stage.controls.heard)
    second = request("make clean", operation_id="op_2")
    view = view.hear(ran(cancelled=True, exitCode=None, stdout="new\n"))
    for event in (CallStarted(call_id="c2", tool="exec", arguments={}), ApprovalAsked(call_id="c2", request=second)):
        view = view.hear(event)
    stage.show(view)
    assert page.locator(".oj-live").count() == 0
    stage.past_the_deaf_moment()
    page.get_by_role("button", name="Deny").click()
    page.locator(".oj-input").fill("not now")
    page.get_by_role("button", name="Deny with this reason").click()
    stage.exchange()
    (deny,) = [one for one in stage.controls.heard if isinstance(one, Deny)]
    assert deny.reason == "not now"
    assert not stage.errors
    page.close()


@pytest.mark.parametrize(("dark", "width"), LOOKS, ids=IDS)
def test_the_reopened_record_has_the_receipts(chromium: Chromium, dark: bool, width: int) -> None:
    """R-EXEC-10, R-SAVE-1: what ran, how it ended, folded output, the decisions; no button, no script needed."""
    asked = ApprovalAsked(call_id="c1", request=ASKED)
    failed = ran(exitCode=3, stdout=LONG, stderr="melt.py: <no> such file\n", stdoutBytes=18890, stderrBytes=24)
    view = view_of([started(), BEGUN, asked, ended(Outcome.APPROVED, ASKED), failed, finished()])
    bundle = record(view, "en", number=1, session="s", places={})
    page = chromium.browser.new_page(viewport={"width": width, "height": 800})
    page.set_content(document(str(bundle["text/html"]), dark=dark))
    page.locator("details > summary").first.click()
    page.get_by_text("Output (stderr)").click()
    assert "Exit 3 after 4.1 s, output 18,914 bytes, may have had effects" in page.locator("article").inner_text()
    assert page.get_by_text("melt.py: <no> such file").is_visible()
    assert page.locator("button").count() == 0
    shoot(page, f"exec-record-{'dark' if dark else 'light'}-{width}")
    assert page.evaluate("() => document.documentElement.scrollWidth <= window.innerWidth")
    assert json.dumps(bundle)
    assert not Axe().run(page).response["violations"]
    page.close()
