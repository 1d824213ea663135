"""Cells inside cells, a second turn while one runs, and buttons under a cell of another kind."""

from __future__ import annotations

import pytest

from tests.jupyter.conftest import load_fake
from tests.jupyter.lifecycle import ASK, ask, open_asking, read_outside
from tests.jupyter.page import Page
from tests.kernels import Kernel, StartKernel
from tests.lab import Lab

NESTED = {
    "run_cell": "get_ipython().run_cell('%%orange\\nask')\nprint('after')",
    "in a function": "def go():\n    get_ipython().run_cell_magic('orange', '', 'ask')\ngo()\nprint('after')",
    "below %%capture-like magics": "%%time\n%%orange\nask",
    "in an exec": "exec(\"get_ipython().run_cell_magic('orange', '', 'ask')\")\nprint('after')",
}


@pytest.mark.kernel
@pytest.mark.parametrize("form", NESTED)
def test_a_card_of_a_nested_call_is_answered(orange: Kernel, form: str) -> None:
    """R-UI-2, trap "Transformer to await": a click reaches a turn inside another cell's code; the code goes on."""
    page = Page(orange)
    cell = page.run(NESTED[form])
    page.answer("approve", page.card())
    page.finish(cell)
    assert page.cells[cell].status == "ok"
    assert "approved" in page.cells[cell].text
    assert ("after" if "after" in NESTED[form] else "Wall time") in page.cells[cell].text


@pytest.mark.kernel
def test_two_turns_in_one_cell_ask_one_after_the_other(orange: Kernel) -> None:
    """R-SESS-3: a loop of turns; each has its own card, each answer counts for its own."""
    page = Page(orange)
    cell = page.run("for word in ('ask', 'ask'):\n    get_ipython().run_cell_magic('orange', '', word)")
    first = page.card()
    page.answer("approve", first)
    page.until(
        lambda: any(one.get("kind") == "card" and one["nonce"] != first["nonce"] for one in page.entries.values())
    )
    page.answer("approve", first)
    page.answer("deny", page.card(), reason="不行")
    text = page.finish(cell).text
    assert "approved" in text
    assert "denied" in text


@pytest.mark.kernel
def test_a_second_turn_runs_after_the_first_and_wait_after_both(orange: Kernel) -> None:
    """R-SESS-3: queued while one runs: in order; a stop of the first lets the second run."""
    page = Page(orange)
    first, second, wait = page.run("%%orange\nslow"), page.run("%%orange\nbrief two"), page.run("%orange wait")
    page.until(lambda: any("said" in name for name in page.entries))
    page.click({"type": "stop"})
    page.finish(wait)
    assert "stopped" in page.cells[first].text
    assert "answer to: brief two" in page.cells[second].text
    assert "answer to: brief two" in page.cells[wait].text  # nothing was left to join: it shows the newest record


@pytest.mark.kernel
def test_wait_says_where_the_record_is_and_that_nothing_runs(start_kernel: StartKernel) -> None:
    """R-UI-2: first without any turn, then joining one."""
    kernel = start_kernel()
    load_fake(kernel)
    page = Page(kernel)
    assert page.finish(page.run("%orange wait")).text == "No turn goes on by itself."
    cell = page.run("%%orange --detach\nbrief again")
    page.finish(cell)
    wait = page.run("%orange wait")
    assert "The turn has ended; its record is in its own cell." in page.finish(wait).text
    assert "answer to: brief again" in page.cells[cell].text


NO_SUBSHELLS = """() => {
  window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.commsOverSubshells = "disabled";
}"""


@pytest.mark.browser
def test_a_button_under_a_blocking_cell_of_another_kind_waits_and_says_so(lab: Lab) -> None:
    """R-UI-2, trap "A widget under a blocking cell": a `time.sleep` holds the kernel; the press is kept and counts."""
    go = lab.folder / "go"
    waits = f"while not os.path.exists({str(go)!r}) and time.monotonic() < until:\n    time.sleep(0.05)"
    blocking = f"import os, time\nprint('holds', flush=True)\nuntil = time.monotonic() + 60\n{waits}\nprint('free')"
    says = {"text": "It says: {{last.content}}"}
    open_asking(lab, read_outside(lab.folder), says, more=(blocking,), magic="%%orange --detach")
    lab.page.evaluate(
        NO_SUBSHELLS
    )  # by a subshell the press may reach the kernel even now: which way it goes is a race
    ask(lab)
    lab.run(ASK + 1, wait=False)
    lab.wait_output(ASK + 1, "holds")
    lab.page.wait_for_timeout(450)
    lab.click(ASK, "Approve once")
    card = lab.output(ASK).locator(".oj-card").first
    card.get_by_text("Waits for the kernel").wait_for()
    lab.shot("waits-for-kernel", ASK)
    assert lab.running(ASK + 1)
    go.touch()
    lab.wait_output(ASK + 1, "free")
    lab.wait_output(ASK, "It says: CANARY outside")
