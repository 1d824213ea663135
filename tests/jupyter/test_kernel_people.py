"""A person in front of a real kernel, as a simulated page: clicks, stops, interrupts, two tabs, prompts."""

from __future__ import annotations

import os
import time
from collections.abc import Callable

import psutil
import pytest

from tests.jupyter.conftest import load_fake
from tests.jupyter.page import Page
from tests.kernels import Kernel, StartKernel

pytestmark = pytest.mark.kernel


def within(seconds: float, reached: Callable[[], bool]) -> None:
    end = time.monotonic() + seconds
    while not reached():
        assert time.monotonic() < end, f"not reached in {seconds} s"
        time.sleep(0.01)


def test_an_approval_click_reaches_the_waiting_cell_and_counts_once(orange: Kernel) -> None:
    """R-UI-2, R-APPR-3, A04: the card shows the true command; of two tabs' clicks one runs it."""
    page = Page(orange)
    cell = page.run("%%orange\nask")
    card = page.card()
    assert "rm 'two  words.txt'" in str(card)
    page.answer("approve", card)
    page.answer("approve", card)
    page.finish(cell)
    assert "approved" in page.cells[cell].text
    assert page.cells[page.run("1")] is not None
    before = int(orange.run("%orange ran").text.split()[1])
    page.answer("approve", card)
    assert int(orange.run("%orange ran").text.split()[1]) == before == 1


def test_an_answer_without_the_cards_own_secrets_does_not_count(orange: Kernel) -> None:
    """A05, A20: a wrong digest, a wrong nonce, another operation: the turn goes on waiting."""
    page = Page(orange)
    cell = page.run("%%orange\nask")
    card = page.card()
    for wrong in ({"digest": "0" * 64}, {"nonce": "x"}, {"operation_id": "op_0"}):
        binding = {"operation_id": card["operation"], "digest": card["digest"], "nonce": card["nonce"]} | wrong
        page.click({"type": "approve", **binding})
    page.answer("deny", card, reason="不行")
    page.finish(cell)
    assert "denied" in page.cells[cell].text


def test_a_change_of_rights_cancels_the_card_and_a_late_click_does_nothing(orange: Kernel) -> None:
    """A02, A03, R-PERM-8: shown as cancelled; the turn is interrupted; nothing ran."""
    page = Page(orange)
    before = orange.run("%orange ran").text
    cell = page.run("%%orange\nask")
    card = page.card()
    page.click({"type": "tier", "tier": "workspace-readonly"})
    page.finish(cell)
    page.answer("approve", card)
    assert "Cancelled" in page.cells[cell].text
    assert orange.run("%orange ran").text == before
    orange.run("%orange tier workspace-write")


def test_the_nonce_and_digest_of_a_card_are_in_no_output(orange: Kernel) -> None:
    """U04: what is saved holds neither; and no widget view is left."""
    page = Page(orange)
    cell = page.run("%%orange\nask")
    card = page.card()
    page.answer("approve", card)
    saved = str(page.finish(cell).outputs)
    assert card["nonce"] not in saved
    assert card["digest"] not in saved
    assert "widget-view" not in saved


def test_stop_ends_the_cell_normally(orange: Kernel) -> None:
    """R-SESS-4: within 2 s of the press; the record says so; what was queued still runs."""
    page = Page(orange)
    cell, after = page.run("%%orange\nslow"), page.run("'next'")
    page.until(lambda: any("said" in name for name in page.entries))
    began = time.monotonic()
    page.click({"type": "stop"})
    page.finish(cell)
    assert time.monotonic() - began < 2
    assert page.cells[cell].status == "ok"
    assert "stopped" in page.cells[cell].text
    assert page.finish(after).text == "'next'"


def test_an_interrupt_stops_the_turn_within_a_second_and_what_is_queued(orange: Kernel) -> None:
    """A21, decision "Ending things": KeyboardInterrupt in one line, Run All stops, the next turn works."""
    page = Page(orange)
    cell, after = page.run("%%orange\nslow"), page.run("print('must not run')")
    page.until(lambda: any("said" in name for name in page.entries))
    began = time.monotonic()
    orange.interrupt()
    page.finish(cell)
    assert time.monotonic() - began < 1.5
    assert page.cells[cell].error == "Interrupted: "
    assert "stopped" in page.cells[cell].text
    page.finish(page.run("%%orange\nhello"))
    assert "must not run" not in page.cells[after].text


def test_an_interrupt_while_a_card_waits_cancels_it(orange: Kernel) -> None:
    """A21: cancelled, nothing ran, the next turn works."""
    page = Page(orange)
    before = orange.run("%orange ran").text
    cell = page.run("%%orange\nask")
    page.card()
    orange.interrupt()
    page.finish(cell)
    assert "Cancelled" in page.cells[cell].text
    assert orange.run("%orange ran").text == before


def test_entering_a_full_tier_takes_a_click_on_the_live_card(orange: Kernel) -> None:
    """R-PERM-3, A19: the line waits; a "tier" message cannot enter it; the card's own button can."""
    page = Page(orange)
    line = page.run("%orange tier full-confirm")
    card = page.card("tier")
    page.click({"type": "tier", "tier": "full-confirm"})
    page.answer("stay", card)
    assert "was not entered" in page.finish(line).text
    line = page.run("%orange tier full-confirm")
    page.entries.clear()
    page.answer("enter_tier", page.card("tier"))
    assert "tier full-confirm" in page.finish(line).text
    orange.run("%orange tier workspace-write")


def test_a_front_end_without_widgets_is_asked_at_a_prompt(orange: Kernel) -> None:
    """R-APPR-4, R-PERM-3: no page draws the card, so `input()` asks; a tier needs its whole name."""
    orange.run("get_ipython().extension_of_orange.magics.notebook.entrance.approver._handshake = 0.2")
    for code, typed, said in [
        ("%%orange\nask", "yes", "approved"),
        ("%%orange\nask", "y", "denied"),
        ("%%orange\nask", " yes ", "approved"),
        ("%orange tier full-confirm", "yes", "was not entered"),
        ("%orange tier full-confirm", "full-confirm", "tier full-confirm"),
    ]:
        page = Page(orange, draws=False)
        cell = page.run(code)
        prompt = orange.client.get_stdin_msg(timeout=20)["content"]["prompt"]
        assert ("two  words.txt" if "ask" in code else "There is no sandbox") in prompt
        orange.client.input(typed)
        assert said in page.finish(cell).text
    orange.run("get_ipython().extension_of_orange.magics.notebook.entrance.approver._handshake = 8")
    orange.run("%orange tier workspace-write")


def test_a_key_is_typed_hidden_and_is_in_no_output(orange: Kernel) -> None:
    """R-ALL-5: a password prompt of the front end; headless nobody is asked."""
    page = Page(orange)
    cell = page.run("%orange key")
    prompt = orange.client.get_stdin_msg(timeout=20)["content"]
    assert (prompt["prompt"], prompt["password"]) == ("Key: ", True)
    orange.client.input("sk-密钥")
    assert page.finish(cell).text == "5 characters"
    assert "sk-" not in str(page.cells[cell].outputs)
    assert orange.run("%orange key").text == "0 characters"


def test_a_detached_turn_can_be_answered_after_its_cell_returned(orange: Kernel) -> None:
    """R-UI-2: its card lives on."""
    page = Page(orange)
    cell = page.run("%%orange --detach\nask")
    page.finish(cell)
    page.answer("approve", page.card())
    page.until(lambda: "approved" in page.cells[cell].text)


def test_a_turn_that_still_waits_can_be_left(orange: Kernel) -> None:
    """R-SESS-3: behind another turn of its session it has a Stop of its own; the other goes on."""
    page = Page(orange)
    first = page.run("%%orange --detach\nslow")
    page.until(lambda: any("said" in name for name in page.entries))
    running = page.controls
    second = page.run("%%orange --detach\nhello")
    page.until(lambda: page.controls != running and "busy" in page.entries)
    assert page.entries["busy"]["text"].startswith("Session “周报” is busy with cell ")
    page.click({"type": "leave"})
    page.until(lambda: "Stopped by you" in page.cells[second].text)
    assert "stopped" not in page.cells[first].text
    page.click({"type": "stop"}, comm=running)
    page.until(lambda: "stopped" in page.cells[first].text)


def test_a_restarted_kernel_leaves_no_child(start_kernel: StartKernel) -> None:
    """Ending things: atexit closes the runtime, so what a turn started in a session of its own ends too."""
    kernel = start_kernel()
    load_fake(kernel)
    page = Page(kernel)
    page.run("%%orange\nchild")
    pids: list[int] = []

    def named() -> bool:
        words = " ".join(str(entry) for entry in page.entries.values())
        pids[:] = [int(part) for part in words.split("pid ")[1].split("<")[0].split()[:1]] if "pid " in words else []
        return bool(pids)

    page.until(named)
    assert psutil.pid_exists(pids[0])
    kernel.restart()
    within(5, lambda: not psutil.pid_exists(pids[0]) or psutil.Process(pids[0]).status() == psutil.STATUS_ZOMBIE)
    assert kernel.run(f"{os.getpid()} > 0").text == "True"
