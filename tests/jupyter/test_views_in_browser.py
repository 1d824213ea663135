"""Record and controls as a browser draws them: looks, keys, names, and that nothing is ever requested."""

from __future__ import annotations

import json
import re
import time
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from orange_jupyter.core.approval import Outcome
from orange_jupyter.core.deltas import Progress, TextDelta
from orange_jupyter.core.events import ApprovalAsked, StopReason
from orange_jupyter.core.grant import Tier
from orange_jupyter.jupyter.record import record
from orange_jupyter.jupyter.sheet import Surroundings
from orange_jupyter.jupyter.strings import Language
from orange_jupyter.jupyter.view import TurnView
from orange_jupyter.jupyter.widgets.messages import Approve, ChooseTier, Deny, EnterTier, Rendered, StopTurn, SwitchPlan
from tests.jupyter.pages import controls_document, document, shoot
from tests.jupyter.test_controls import Wired
from tests.jupyter.test_markdown import ACTING, CARRIERS
from tests.jupyter.turns import (
    ANSWER,
    PAGE_REQUEST,
    PLACES,
    REQUEST,
    TIER_REQUEST,
    call,
    ended,
    finished,
    running_events,
    started,
    view_of,
    whole_events,
)
from tests.lab_server import Chromium

pytestmark = pytest.mark.browser

LOOKS = [(dark, width) for dark in (False, True) for width in (900, 400)]
IDS = [f"{'dark' if dark else 'light'}-{width}" for dark, width in LOOKS]


class Stage:
    """A page with the controls' front end, joined to Python's side by hand: no kernel, the same messages."""

    def __init__(self, chromium: Chromium, *, dark: bool = False, width: int = 900, language: Language = "en") -> None:
        self.controls = Wired(language=language)
        self.page = chromium.browser.new_page(viewport={"width": width, "height": 800})
        self.errors: list[str] = []
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        values = {"look": self.controls.look, "first": self.controls.first}
        self.page.set_content(controls_document(self.controls._esm, self.controls._css, values, dark=dark))
        self.page.wait_for_function("window.ready")
        self.exchange()

    def show(self, view: TurnView) -> None:
        self.controls.push(view, now=True)
        self.exchange()

    def exchange(self) -> None:
        """Carry the messages of both sides until nobody has one."""
        while True:
            clicks = self.page.evaluate("window.sent.splice(0)")
            for content in clicks:
                self.controls.click(**content)
            sent, self.controls.sent = self.controls.sent, []
            for message in sent:
                self.page.evaluate("message => window.deliver(message)", message)
            if not clicks and not sent:
                return

    def past_the_deaf_moment(self) -> None:
        """Wait for the 400 ms in which a new card hears no click."""
        self.page.evaluate("() => new Promise(done => setTimeout(done, 450))")

    def close(self) -> None:
        self.controls.close()
        self.page.close()
        assert self.errors == []


@pytest.fixture
def stages(chromium: Chromium) -> Any:
    opened: list[Stage] = []

    def make(**more: Any) -> Stage:
        opened.append(Stage(chromium, **more))
        return opened[-1]

    yield make
    for stage in opened:
        chromium.call(stage.close)


def waiting() -> TurnView:
    view = view_of([*running_events(), ApprovalAsked(call_id="x3", request=REQUEST)])
    return view.hear(ApprovalAsked(call_id="x3", request=PAGE_REQUEST))


def everything() -> TurnView:
    view = waiting()
    for place, outcome in enumerate(Outcome):
        request = REQUEST.model_copy(update={"operation_id": f"o{place}"})
        view = view.hear(ApprovalAsked(call_id="x3", request=request)).hear(ended(outcome, request, "known already"))
    return view.deltas([TextDelta(text=ANSWER)])


def assert_accessible(page: Page, name: str) -> None:
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
    wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert wide <= 0, f"{name} is {wide} px too wide"
    shoot(page, name)


@pytest.mark.parametrize(("dark", "width"), LOOKS, ids=IDS)
def test_the_record_is_accessible_and_fits(chromium: Chromium, dark: bool, width: int) -> None:
    """R-UI-6: names, roles, contrast in both themes, 400 px."""
    page = chromium.browser.new_page(viewport={"width": width, "height": 800})
    language: Language = "zh" if dark else "en"
    bundle = record(view_of(whole_events()), language, number=12, session="融雪参数", places=PLACES)
    failed = finished(
        "", StopReason.MODEL_ERROR, error="http://10.2.0.14 refused.", fault="unreachable", hint="Try again."
    )
    error = record(view_of([started(turn_id="trn_other"), failed]), language, number=13)
    page.set_content(document(bundle["text/html"] + error["text/html"], dark=dark))
    page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
    assert_accessible(page, f"record-{'dark' if dark else 'light'}-{width}")
    page.close()


def test_the_record_reads_well_without_its_style(chromium: Chromium) -> None:
    """R-SAVE-1: a code host strips `<style>`."""
    page = chromium.browser.new_page(viewport={"width": 900, "height": 800})
    bundle = record(view_of(whole_events()), "en", number=12, places=PLACES)
    bare = re.sub(r"<style>.*?</style>", "", bundle["text/html"], flags=re.DOTALL)
    page.set_content(f'<!doctype html><html lang="en"><meta charset="utf-8"><title>x</title><main>{bare}</main></html>')
    assert page.locator("h3").first.inner_text().split() == ["Turn", "12:", "Done"]
    assert page.locator("svg").first.bounding_box()["width"] == 16
    shoot(page, "record-plain-900")
    page.close()


def test_a_citation_opens_its_passage(chromium: Chromium) -> None:
    """R-UI-3."""
    page = chromium.browser.new_page(viewport={"width": 900, "height": 500})
    page.set_content(document(record(view_of(whole_events()), "en", number=12, places=PLACES)["text/html"]))
    mark = page.locator("mark").nth(1)
    expect(mark).not_to_be_visible()
    page.get_by_role("link", name="Source 2").first.focus()
    page.keyboard.press("Enter")
    expect(mark).to_be_in_viewport()
    page.close()


@pytest.mark.parametrize(("dark", "width"), LOOKS, ids=IDS)
def test_an_opened_passage_of_the_record_is_accessible_and_fits(chromium: Chromium, dark: bool, width: int) -> None:
    """R-UI-3, R-UI-6: by links alone, one passage at a time; the focus goes there and back."""
    page = chromium.browser.new_page(viewport={"width": width, "height": 800})
    language: Language = "zh" if dark else "en"
    far = Surroundings(link="n.md", before="before\n" * 200, after="以后\n" * 300, line=201, changed=True)
    written = record(view_of(whole_events()), language, number=12, places=PLACES | {"c3": far})["text/html"]
    page.set_content(document(f'<div class="jp-RenderedHTMLCommon">{written}</div>', dark=dark))
    passages = page.locator(".oj-pass").filter(visible=True)
    expect(passages).to_have_count(0)
    for number in (1, 4):
        link = page.get_by_role("link", name=re.compile(rf"(Source|来源) {number}\b")).first
        link.press("Enter")
        expect(passages).to_have_count(1)
        expect(passages.locator(".oj-body")).to_be_focused()
        passages.locator("details").evaluate_all("all => all.forEach(one => { one.open = true; })")
        assert_accessible(page, f"record-passage-{number}-{'dark' if dark else 'light'}-{width}")
        passages.get_by_role("link", name=re.compile("Back to the text|回到正文")).press("Enter")
        expect(link).to_be_focused()
    expect(passages).to_have_count(0)
    page.close()


@pytest.mark.parametrize("where", ["record", "controls"])
def test_hostile_text_requests_nothing_and_makes_no_element(chromium: Chromium, stages: Any, where: str) -> None:
    """U01, U02, P13, A20: zero requests, no element of the text's own."""
    hostile = "\n\n".join([*CARRIERS.values(), *ACTING.values()])
    events = [started(hostile), *call("x1", "read", hostile, hostile), finished(hostile)]
    requests: list[str] = []
    if where == "record":
        page = chromium.browser.new_page()
        page.on("request", lambda request: requests.append(request.url))
        page.set_content(document(record(view_of(events), "en", number=1)["text/html"]))
        root = ".oj"
    else:
        stage = stages()
        page = stage.page
        page.on("request", lambda request: requests.append(request.url))
        evil = REQUEST.model_copy(
            update={"target": hostile, "arguments": hostile, "warnings": (hostile,), "facts": ((hostile, hostile),)}
        )
        view = view_of([started(), *call("x1", "read", hostile, hostile), ApprovalAsked(call_id="x1", request=evil)])
        stage.show(view.deltas([TextDelta(text=hostile)]))
        root = ".oj-flow"
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => setTimeout(done, 50)))")
    assert [url for url in requests if not url.startswith(("about:", "data:text/javascript"))] == []
    kinds = "img, picture, video, iframe, object, embed, form, script, [onclick], [onerror], [onmouseover], [data-commandlinker-command]"
    assert page.locator(f"{root} :is({kinds})").count() == 0
    if where == "record":
        assert page.locator("button, input").count() == 0
        page.close()


@pytest.mark.parametrize(("dark", "width"), LOOKS, ids=IDS)
def test_the_live_turn_and_its_cards_are_accessible_and_fit(stages: Any, dark: bool, width: int) -> None:
    """R-UI-6; screens 1, 3, 4, 10."""
    stage = stages(dark=dark, width=width, language="zh" if dark else "en")
    stage.show(everything())
    stage.controls.ask_tier(TIER_REQUEST)
    auto = {"operation_id": "tier_2", "wanted": Tier.FULL_AUTO, "current": Tier.FULL_CONFIRM}
    stage.controls.ask_tier(TIER_REQUEST.model_copy(update=auto))
    stage.controls.show_busy("融雪参数", "cell 12")
    stage.controls.show_progress(Progress(what="hydro-archive", done=10, total=10))
    stage.exchange()
    stage.page.evaluate(
        "document.querySelectorAll('details').forEach(one => { one.open = !one.matches('.oj-rights'); })"
    )
    assert_accessible(stage.page, f"controls-{'dark' if dark else 'light'}-{width}")
    if (dark, width) == (False, 400):
        only = "document.querySelectorAll('details').forEach(one => { one.open = one.matches('.oj-rights'); })"
        stage.page.evaluate(only)
        assert_accessible(stage.page, f"rights-{'dark' if dark else 'light'}-{width}")


def test_approve_is_deaf_at_first_and_a_double_click_sends_once(stages: Any) -> None:
    """R-APPR-3; DESIGN.md, Keyboard: ignores the first 400 ms."""
    for _ in range(20):  # until the click came in time: a busy machine may take longer than the deaf moment
        stage, began = stages(), time.monotonic()
        stage.show(waiting())
        approve = stage.page.get_by_role("button", name="Approve once").first
        approve.click()
        if time.monotonic() - began < 0.38:
            break
    else:
        pytest.fail("no click came within the first 400 ms")
    stage.exchange()
    assert stage.controls.heard == [Rendered()]
    stage.past_the_deaf_moment()
    approve.dblclick()
    stage.exchange()
    assert [type(message) for message in stage.controls.heard[1:]] == [Approve]
    expect(approve).to_be_disabled()


def test_denying_with_a_reason_needs_no_mouse_and_escape_gives_the_focus_back(stages: Any) -> None:
    """R-UI-6, R-APPR-1; DESIGN.md, Keyboard."""
    stage = stages()
    stage.show(waiting())
    stage.past_the_deaf_moment()
    card = stage.page.get_by_role("group", name="Run this command?")
    deny = card.get_by_role("button", name="Deny…")
    deny.focus()
    stage.page.keyboard.press("Enter")
    field = card.get_by_label("Reason (optional, the model is told)")
    expect(field).to_be_focused()
    stage.page.keyboard.press("Escape")
    expect(deny).to_be_focused()
    stage.page.keyboard.press("Enter")
    stage.page.keyboard.type("not now, 先不跑")
    stage.page.keyboard.press("Enter")
    stage.exchange()
    denied = stage.controls.heard[-1]
    assert isinstance(denied, Deny)
    assert (denied.operation_id, denied.reason) == ("op_1", "not now, 先不跑")


def test_a_long_command_must_be_read_to_its_end(stages: Any) -> None:
    """R-APPR-1: long ones folded or scrolled, never silently cut."""
    stage = stages()
    long = json.dumps({"command": "\n".join(f"echo line {n}" for n in range(200))})
    request = REQUEST.model_copy(update={"arguments": long})
    stage.show(view_of([*running_events(), ApprovalAsked(call_id="x3", request=request)]))
    stage.past_the_deaf_moment()
    approve = stage.page.get_by_role("button", name="Approve once")
    expect(approve).to_be_disabled()
    expect(stage.page.get_by_text("Read to the end of the command to approve.")).to_be_visible()
    block = stage.page.get_by_role("group", name="command, complete, 200 lines")
    assert "echo line 199" in block.inner_text()
    block.focus()
    stage.page.keyboard.press("End")
    expect(approve).to_be_enabled()
    stage.show(view_of([*running_events(), ApprovalAsked(call_id="x3", request=request)]).deltas([TextDelta(text="x")]))
    expect(approve).to_be_enabled()


def test_what_waits_is_said_once_and_never_takes_the_focus(stages: Any) -> None:
    """DESIGN.md, Keyboard and Roles."""
    stage = stages()
    stage.show(view_of(running_events()))
    stop = stage.page.get_by_role("button", name="Stop", exact=True)
    stop.focus()
    stage.show(waiting())
    expect(stop).to_be_focused()
    expect(stage.page.get_by_role("alert")).to_have_text(re.compile("^Approval needed: "))
    assert stage.page.locator(".oj").get_attribute("data-lm-suppress-shortcuts") == "true"


def test_stop_tier_and_plan_are_in_the_head(stages: Any) -> None:
    """R-UI-1; R-PERM-3: only workspace tiers are there."""
    stage = stages(width=400)
    stage.show(view_of(running_events()))
    stage.page.locator(".oj-rights > summary").click()
    assert stage.page.get_by_role("radio").evaluate_all("all => all.map(one => one.value)") == [
        "workspace-readonly",
        "workspace-write",
    ]
    stage.page.get_by_role("radio", name="workspace-readonly").check()
    stage.page.get_by_role("checkbox").check()
    stage.page.keyboard.press("Escape")
    stage.page.get_by_role("button", name="Stop", exact=True).dblclick()
    stage.exchange()
    assert stage.controls.heard[1:] == [ChooseTier(Tier.WORKSPACE_READONLY), SwitchPlan(True), StopTurn()]
    expect(stage.page.get_by_role("button", name="Stopping…")).to_be_disabled()


def test_entering_a_full_tier_is_a_click_of_its_own(stages: Any) -> None:
    """R-PERM-3: the safe button comes first."""
    stage = stages()
    stage.controls.ask_tier(TIER_REQUEST)
    stage.exchange()
    card = stage.page.get_by_role("group", name="Enter full-confirm?")
    assert card.get_by_role("button").all_inner_texts() == ["Stay in workspace-write", "Enter full-confirm"]
    stage.past_the_deaf_moment()
    card.get_by_role("button", name="Enter full-confirm").click()
    stage.exchange()
    assert isinstance(stage.controls.heard[-1], EnterTier)
    stage.controls.settle_tier(TIER_REQUEST, Outcome.APPROVED, at="2026-11-30T15:02:11Z", version=9)
    stage.exchange()
    expect(stage.page.get_by_text("By you, with a click in this notebook.")).to_be_visible()


def test_buttons_without_a_kernel_do_nothing_and_say_so(stages: Any) -> None:
    """R-SAVE-3, R-APPR-3: the words of screen 10; a kernel that answers again brings them back."""
    stage = stages()
    stage.show(waiting())
    stage.page.evaluate("window.broken = true; window.emit('comm_live_update')")
    alert = stage.page.get_by_text("The kernel restarted, so these buttons do nothing. Nothing ran.")
    expect(alert.first).to_be_visible()
    for button in stage.page.get_by_role("button").all():
        expect(button).to_be_disabled()
    assert stage.page.locator(".is-wait").count() == 0
    shoot(stage.page, "gone-light-900")
    stage.page.evaluate("window.broken = false; window.emit('comm_live_update')")
    stage.exchange()
    expect(stage.page.get_by_role("button", name="Approve once").first).to_be_enabled()


def test_a_click_on_a_card_whose_question_is_over_says_why(stages: Any) -> None:
    """A03: the page missed the card's end; the click tells, in the card, and its buttons are dead."""
    stage = stages()
    stage.show(view_of([*running_events(), ApprovalAsked(call_id="x3", request=REQUEST)]))
    stage.past_the_deaf_moment()
    stage.controls.push(waiting().hear(ended(Outcome.DENIED, REQUEST)), now=True)
    stage.controls.sent.clear()  # this page did not hear of it
    stage.page.get_by_role("button", name="Approve once").first.click()
    stage.exchange()
    assert stage.controls.heard == [Rendered()]
    assert stage.controls.stale == ["op_1"]
    stage.controls.refuse("op_1", "This was answered before, so this click did nothing.")
    stage.exchange()
    card = stage.page.locator(".oj-card").first
    expect(card).to_contain_text("This was answered before, so this click did nothing.")
    expect(card).to_contain_text("No longer active")
    assert card.get_by_role("button", disabled=True).count() == card.get_by_role("button").count()
    shoot(stage.page, "stale-light-900")


def test_the_narrow_head_overlaps_nothing(stages: Any) -> None:
    """Screen 1 and 3 at 400: state, switches and Stop stand beside or below each other, in both languages."""
    for language in ("en", "zh"):
        stage = stages(width=310, language=language)  # what Lab leaves of 400
        stage.show(waiting())
        boxes = "e => [...e.children].filter(c => c.offsetWidth).map(c => c.getBoundingClientRect().toJSON())"
        state, *others = stage.page.locator(".oj-head.is-live").evaluate(
            boxes.replace(
                "e =>", "e => [e.querySelector('.oj-state').getBoundingClientRect().toJSON()].concat("
            ).replace("[...e.children]", "[...e.children].slice(1)")
            + ")"
        )
        assert len(others) == 2
        for other in others:
            beside = other["left"] >= state["right"] or other["top"] >= state["bottom"]
            assert beside, (language, state, other)


def test_finished_blocks_stay_the_same_elements_while_text_streams(stages: Any) -> None:
    """R-UI-1: only the last open block is rendered again."""
    stage = stages()
    view = view_of(running_events()).deltas([TextDelta(text="First.\n\nSecond")])
    stage.show(view)
    first = stage.page.locator(".oj-prose p").first
    first.evaluate("node => { node.kept = true; }")
    stage.show(view.deltas([TextDelta(text=" grows.\n\nThird")]))
    assert first.evaluate("node => node.kept")
    assert stage.page.locator(".oj-prose p").all_inner_texts() == ["First.", "Second grows.", "Third"]
    assert stage.page.locator(".oj-caret").count() == 1


def test_an_unfolded_line_stays_unfolded_and_focused_when_its_result_comes(stages: Any) -> None:
    """DESIGN.md: nothing jumps while it streams."""
    stage = stages()
    view = view_of(running_events())
    stage.show(view)
    stage.page.locator("summary", has_text="calibration-log.md").click()
    stage.show(view.hear(call("x3", "read", "calibration-log.md", "section run 17")[1]))
    opened = stage.page.locator("details.oj-tool[open]")
    expect(opened).to_contain_text("section run 17")
    expect(opened.locator("summary")).to_be_focused()
