"""Waiting on every kernel: 6.31, 7.3 and 7.4, comm subshells on and off, without a browser (R-UI-2)."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import psutil
import pytest

from tests.kernels import Cell, Kernel
from tests.matrix import VERSIONS, Tab, started, subshell

pytestmark = pytest.mark.kernel

SOUND = tuple(version for version in VERSIONS if not version.startswith("7.3"))
"""The finer points are shown on the kernels that answer every message; the matrix itself has all three."""
LOST = "ipykernel before 7.4 can lose a shell message (ipykernel #1554, fixed by #1529)"


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Kernel]]:
    """One kernel of each version."""
    with ExitStack() as stack:
        yield {
            version: stack.enter_context(started(version, tmp_path_factory.mktemp("kernel"))) for version in VERSIONS
        }


def approve(page: Tab) -> None:
    """A card is approved by a click while its cell runs."""
    cell = page.run("%%orange\nask")
    card = page.card()
    assert page.cells[cell].status == "running"
    page.answer("approve", card)
    page.finish(cell)
    assert "approved" in page.cells[cell].text
    assert page.reply(cell) == "ok"


def stop(page: Tab) -> None:
    """Stop ends the turn within 2 s, the cell normally, and what is queued runs."""
    cell, after = page.run("%%orange\nslow"), page.run("'next'")
    page.until(page.streaming)
    began = time.monotonic()
    page.click({"type": "stop"})
    page.finish(cell)
    assert time.monotonic() - began < 2
    assert page.cells[cell].status == "ok"
    assert "stopped" in page.cells[cell].text
    assert page.finish(after).text == "'next'"


def interrupt(page: Tab) -> None:
    """An interrupt ends the turn and what is queued is answered as aborted; the next turn works."""
    cell, after = page.run("%%orange\nslow"), page.run("print('must not run')")
    page.until(page.streaming)
    began = time.monotonic()
    page.kernel.interrupt()
    page.finish(cell)
    assert time.monotonic() - began < 2
    assert page.cells[cell].error == "Interrupted: "
    assert "stopped" in page.cells[cell].text
    assert page.reply(after) == "aborted"
    next_one = page.run("%%orange\nhello")
    assert "answer to: hello" in page.finish(next_one).text
    assert "must not run" not in page.cells[after].text


def order(page: Tab) -> None:
    """Run All: two turns and a cell after them, each begun when the one before it ended."""
    cells = [page.run("%%orange\nbrief 一"), page.run("%%orange\nbrief 2"), page.run("1 + 1")]
    page.finish(cells[-1])
    assert [page.cells[cell].text for cell in cells[2:]] == ["2"]
    assert all(f"answer to: brief {name}" in page.cells[cell].text for cell, name in zip(cells, "一2", strict=False))
    assert page.steps == [(what, cell) for cell in cells for what in ("begins", "ends")]


ACTS: tuple[Callable[[Tab], None], ...] = (approve, stop, interrupt, order)


def attempt(act: Callable[[Tab], None], kernel: Kernel, shell: str) -> str:
    """What went wrong, "" for nothing."""
    try:
        act(Tab(kernel, subshell=shell))
    except (AssertionError, LookupError) as error:  # an unknown display: what a failed act left behind
        return f"{error!r}"[:200]
    return ""


def attempt_anew(act: Callable[[Tab], None], folder: Path, *, subshells: bool) -> str:
    """The act in fresh kernels of 7.3, twice at most: a kernel that lost a message answers nothing any more."""
    failed = ""
    for number in range(2):
        (folder / str(number)).mkdir()
        with started("7.3.0", folder / str(number)) as kernel:
            failed = attempt(act, kernel, subshell(kernel) if subshells else "")
        if not failed:
            break
    return failed


def test_buttons_interrupts_and_order_on_every_kernel(
    kernels: dict[str, Kernel], capsys: pytest.CaptureFixture[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """R-UI-2, R-SESS-4, A21: 3 kernels, comm subshells on and off, 4 acts: 24 of 24."""
    rows: list[tuple[str, str]] = []
    for version, kernel in kernels.items():
        for subshells in (True, False):
            shell = subshell(kernel) if subshells else ""
            where = f"{version}, comm subshells {'on' if subshells else 'off'}"
            for act in ACTS:
                failed = attempt(act, kernel, shell)
                if failed and version.startswith("7.3"):
                    failed = attempt_anew(act, tmp_path_factory.mktemp("again"), subshells=subshells)
                    rows.append((f"{where}: {act.__name__} (again: {LOST})", failed))
                else:
                    rows.append((f"{where}: {act.__name__}", failed))
    with capsys.disabled():
        print(f"\n{sum(not failed for _, failed in rows)} of {len(rows)}")
    assert len(rows) == 24
    assert [row for row in rows if row[1]] == []


BLOCKING = {
    "%%time": "%%time\n%%orange\nask",
    "run_cell_magic": "get_ipython().run_cell_magic('orange', '', 'ask')",
    "in an async cell": "import asyncio\nawait asyncio.sleep(0)\nget_ipython().run_cell_magic('orange', '', 'ask')",
    "%autoawait off": "%%orange\nask",
}


@pytest.mark.parametrize("form", BLOCKING)
@pytest.mark.parametrize("version", SOUND)
def test_a_click_reaches_a_cell_that_cannot_await(kernels: dict[str, Kernel], version: str, form: str) -> None:
    """R-UI-2, traps "Transformer to await": the pump also serves below %%time and the like, in the foreground."""
    kernel = kernels[version]
    if form == "%autoawait off":
        kernel.run("%autoawait off")
    page = Tab(kernel)
    cell = page.run(BLOCKING[form])
    card = page.card()
    assert page.cells[cell].status == "running"
    page.answer("approve", card)
    page.finish(cell)
    assert "approved" in page.cells[cell].text
    assert kernel.run("%autoawait on").status == "ok"


OTHER = """
import comm
def opened(it, _):
    @it.on_msg
    def heard(message):
        print("heard", message["content"]["data"])
comm.get_comm_manager().register_target("other", opened)
"""


@pytest.mark.parametrize("version", SOUND)
def test_every_other_message_is_kept_and_answered_in_order(kernels: dict[str, Kernel], version: str) -> None:
    """Issue 3, waiting: nothing is lost, replies keep their order, every output has the parent that caused it."""
    kernel = kernels[version]
    kernel.run(OTHER)
    client = kernel.client
    page = Tab(kernel)
    cell = page.run("print('before')\nget_ipython().run_cell_magic('orange', '', 'ask')\nprint('after')")
    card = page.card()
    opening = client.session.msg("comm_open", {"comm_id": "c0ffee", "target_name": "other", "data": {}})
    client.shell_channel.send(opening)
    asked = [page.run("a = 1"), client.kernel_info(), client.complete("pri"), page.run("print('a is', a)")]
    heard = page.send({"comm_id": "c0ffee", "data": "你好"})
    page.cells[heard] = Cell()
    page.until(lambda: page.cells[heard].text == "heard 你好\n")
    assert page.cells[cell].status == "running"
    assert all(page.cells[name].status == "running" for name in (asked[0], asked[3]))
    page.answer("approve", card)
    page.finish(asked[3])
    assert page.cells[asked[3]].text == "a is 1\n"
    assert page.cells[cell].text.startswith("before\n")
    assert page.cells[cell].text.endswith("after\n")
    assert page.replied({cell, *asked}) == [cell, *asked]


@pytest.mark.parametrize("code", ["%orange wait", "for _ in 'a':\n    %orange wait"])
@pytest.mark.parametrize("version", SOUND)
def test_wait_joins_a_detached_turn_and_its_card_can_be_answered(
    kernels: dict[str, Kernel], version: str, code: str
) -> None:
    """R-UI-2: `%orange wait` waits for it in the foreground, as a line and in a loop that cannot await."""
    page = Tab(kernels[version])
    cell = page.run("%%orange --detach\nask")
    page.finish(cell)
    card = (
        page.card()
    )  # its `rendered` is on the way before the waiting cell: one that came with it would wait behind it
    joined = page.run(code)
    page.until(lambda: ("begins", joined) in page.steps)
    assert page.cells[joined].status == "running"
    page.answer("approve", card)
    page.finish(joined)
    page.until(lambda: "approved" in page.cells[cell].text)


@pytest.mark.parametrize("version", SOUND)
def test_a_page_without_widgets_is_asked_at_a_prompt_and_an_interrupt_ends_it(
    kernels: dict[str, Kernel], version: str
) -> None:
    """R-APPR-4: the pump serves prompts between two slices."""
    kernel = kernels[version]
    seconds = "get_ipython().extension_of_orange.magics.notebook.entrance.approver._handshake"
    kernel.run(f"before = {seconds}\n{seconds} = 0.2")
    page = Tab(kernel, draws=False)
    cell = page.run("%%time\n%%orange\nask")
    kernel.client.get_stdin_msg(timeout=20)
    kernel.client.input("yes")
    assert "approved" in page.finish(cell).text
    cell = page.run("%%time\n%%orange\nask")
    kernel.client.get_stdin_msg(timeout=20)
    kernel.interrupt()
    assert page.finish(cell).error == "Interrupted: "
    assert kernel.run(f"{seconds} = before").status == "ok"


@pytest.mark.parametrize("version", SOUND)
def test_after_the_pump_the_kernel_has_its_own_reader_and_interrupts_again(
    kernels: dict[str, Kernel], version: str
) -> None:
    """Nothing of the pump stays: the handler of interrupts, the hooks, the stream's reader."""
    kernel = kernels[version]
    page = Tab(kernel)
    page.finish(page.run("get_ipython().run_cell_magic('orange', '', 'hello')"))
    cell = page.run("import time\nprint('sleeps')\ntime.sleep(30)")
    page.until(lambda: page.cells[cell].text == "sleeps\n")
    kernel.interrupt()
    assert page.finish(cell, timeout=5).error == "KeyboardInterrupt: "
    assert "wait_pump" not in kernel.run("import signal; signal.getsignal(signal.SIGINT)").text
    assert page.finish(page.run("1")).text == "1"


PYTHON_API = """
from orange_jupyter.jupyter.approver import STAGE
from orange_jupyter.jupyter.waiting import Job
notebook = get_ipython().extension_of_orange.magics.notebook
stage, where = notebook.stage(clicks=False), notebook.where()
async def work():
    STAGE.set(stage)
    return await (await notebook.entrance.office(where)).command(("tier", "full-confirm"), where)
job = Job(notebook.entrance.runtime.submit(work()), print, stage.prompts)
notebook.wait_here(job)
stage.close()
print(job.future.exception())
"""


@pytest.mark.parametrize("version", SOUND)
def test_the_blocking_python_api_is_asked_by_a_card(kernels: dict[str, Kernel], version: str) -> None:
    """R-NB-4, traps "the synchronous Session.ask": `stage` and `wait_here` bring its clicks through the pump."""
    page = Tab(kernels[version])
    cell = page.run(PYTHON_API)
    page.answer("stay", page.card("tier"))
    assert "full-confirm was not entered" in page.finish(cell).text


def test_a_restart_in_the_middle_of_a_pump_leaves_no_child(tmp_path: Path) -> None:
    """Ending things: the kernel goes within its time, and what the turn started goes with it."""
    with started("6.31.0", tmp_path) as kernel:
        page = Tab(kernel)
        page.run("%%orange\nchild")
        pids: list[int] = []

        def named() -> bool:
            found = re.search(r"pid (\d+)", str(page.entries))
            pids[:] = [int(found[1])] if found else []
            return bool(pids)

        page.until(named)
        assert psutil.pid_exists(pids[0])
        kernel.restart()
        assert kernel.run("1").text == "1"
        page.until(lambda: not psutil.pid_exists(pids[0]), timeout=5)


@pytest.mark.parametrize(
    ("version", "code", "waits"),
    [("7.4.0", "%%orange\nask", True), ("7.4.0", "%%time\n%%orange\nask", False)],
)
def test_a_cell_in_a_subshell_awaits_or_is_detached(
    kernels: dict[str, Kernel], version: str, code: str, waits: bool
) -> None:
    """R-UI-2: its thread is not the one that the pump reads for; on 7.4 it awaits, else its card lives on."""
    page = Tab(kernels[version], subshell=subshell(kernels[version]))
    cell = page.run_in_subshell(code)
    card = page.card()
    if not waits:
        page.finish(cell)
    assert (page.cells[cell].status == "running") is waits
    page.answer("approve", card)
    page.until(lambda: "approved" in page.cells[cell].text)
