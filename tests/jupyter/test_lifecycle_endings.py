"""However a turn ends, what it started ends within 2 s, and the next turn goes on: the product in real kernels."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.documents.samples import slow_pdf
from tests.jupyter.page import Page
from tests.kernels import Kernel, StartKernel
from tests.providers.server import DONE, HOLD, Answer, ModelServer, pieces, plain, serving

pytestmark = pytest.mark.kernel

LIMIT = 2.0
"""Seconds from the signal to the end of everything (R-SESS-4)."""


def chunk(delta: dict[str, Any], reason: str | None = None) -> bytes:
    body = {"choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}
    return b"data: " + json.dumps(body, ensure_ascii=False).encode() + b"\n\n"


def call(name: str, **arguments: Any) -> Answer:
    function = {"name": name, "arguments": json.dumps(arguments)}
    made = {"tool_calls": [{"index": 0, "id": "call_1", "type": "function", "function": function}]}
    return plain(chunk(made) + chunk({}, "tool_calls") + DONE)


def says(text: str) -> Answer:
    return plain(chunk({"content": text}) + chunk({}, "stop") + DONE)


HANGS = pieces(chunk({"content": "The record begins 记录开始。\n\n"}), HOLD)
SLOW = call("read", path="slow.pdf")


@dataclass
class Served:
    """A model server on a thread of its own, and what it was asked."""

    model: ModelServer

    def next(self, *answers: Answer) -> None:
        """What the next requests get, the last one again and again."""
        self.model.answers[:] = [*[says("-")] * len(self.model.seen), *answers]
        self.model.left.clear()

    @property
    def last(self) -> list[dict[str, Any]]:
        """The messages of the newest request."""
        return list(self.model.seen[-1].json["messages"])


@pytest.fixture
def served() -> Iterator[Served]:
    ready: list[Served] = []
    started, ending = threading.Event(), threading.Event()

    async def serve() -> None:
        async with serving(says("-")) as model:
            ready.append(Served(model))
            started.set()
            while not ending.is_set():
                await asyncio.sleep(0.02)

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    assert started.wait(10)
    yield ready[0]
    ending.set()
    thread.join(10)


@pytest.fixture
def kernel(start_kernel: StartKernel, tmp_path: Path, served: Served) -> Kernel:
    """A kernel of a notebook with a KB in which one PDF keeps its reader busy for long."""
    (tmp_path / "kb").mkdir()
    (tmp_path / "kb" / "slow.pdf").write_bytes(slow_pdf())
    (tmp_path / ".orange").mkdir()
    config = '[[knowledge_bases]]\nid = "kb_end"\nname = "notes"\npath = "kb"\n'
    (tmp_path / ".orange" / "config.toml").write_text(config)
    found = start_kernel(env={"JPY_SESSION_NAME": str(tmp_path / "周报 1.ipynb"), "LANG": "C.UTF-8"})
    begin(found)
    found.run(f"%orange model add far --base-url {served.model.url} --model far")
    found.run("%orange model use far")
    return found


def begin(kernel: Kernel) -> None:
    cell = kernel.run("%load_ext orange_jupyter")
    assert (cell.status, cell.text) == ("ok", ""), cell


def within(seconds: float, reached: Callable[[], bool]) -> None:
    began = time.monotonic()
    while not reached():
        assert time.monotonic() - began < seconds, f"not reached in {seconds} s"
        time.sleep(0.01)


def workers(kernel: Kernel) -> list[psutil.Process]:
    """The live processes that a kernel started."""
    pid = int(kernel.manager.provisioner.pid)  # type: ignore[union-attr]
    return [child for child in psutil.Process(pid).children(recursive=True) if alive(child)]


def alive(process: psutil.Process) -> bool:
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def busy_reader(page: Page, kernel: Kernel) -> list[psutil.Process]:
    """Wait until a reader of documents burns time, and give it."""
    page.until(lambda: any(entry.get("kind") == "tool" for entry in page.entries.values()))
    within(20, lambda: any(one.cpu_times().user > 0.3 for one in workers(kernel)))
    return workers(kernel)


def streaming(page: Page) -> bool:
    return any("said" in name for name in page.entries)


def well_formed(messages: list[dict[str, Any]]) -> bool:
    """Every call has its one result before the next message of anybody else (R-SESS-2)."""
    open_calls: list[str] = []
    for message in messages:
        if message["role"] == "tool":
            open_calls.remove(message["tool_call_id"])
            continue
        if open_calls:
            return False
        open_calls = [one["id"] for one in message.get("tool_calls") or ()]
    return not open_calls


def kept(folder: Path) -> bool:
    """Whether the text that is still coming is durable, as it is at least once a second."""
    connection = sqlite3.connect(f"file:{folder / 'orange-home' / 'orange.db'}?mode=ro", uri=True)
    try:
        return bool(connection.execute("SELECT 1 FROM partials WHERE text <> ''").fetchone())
    finally:
        connection.close()


def kill(kernel: Kernel) -> None:
    os.kill(int(kernel.manager.provisioner.pid), signal.SIGKILL)  # type: ignore[union-attr]


def restarted(kernel: Kernel) -> None:
    kernel.manager.restart_kernel(now=True)
    kernel.client.wait_for_ready(timeout=60)
    begin(kernel)


def restart(kernel: Kernel) -> None:
    """As the menu's Restart: the kernel is asked to end."""
    kernel.client.shutdown(restart=True)


@pytest.mark.parametrize("end", [kill, restart], ids=["SIGKILL", "Restart"])
def test_when_the_kernel_ends_in_mid_turn_everything_ends_and_the_next_kernel_says_so(
    end: Callable[[Kernel], None], kernel: Kernel, served: Served, tmp_path: Path
) -> None:
    """R-SESS-2, R-SESS-4: stream closed, reader gone within 2 s; well-formed; the next turn tells of the one before."""
    page = Page(kernel)
    served.next(HANGS)
    page.run("%%orange\nstream it")
    page.until(lambda: streaming(page))
    within(5, lambda: kept(tmp_path))
    end(kernel)
    within(LIMIT, served.model.left.is_set)
    restarted(kernel)
    page = Page(kernel)
    served.next(SLOW, says("-"))
    cell = page.run("%%orange\nread the slow one")
    readers = busy_reader(page, kernel)
    assert "The turn before this one was interrupted: its kernel ended." in str(page.entries)
    assert well_formed(served.last)
    assert "stream it" in str(served.last)
    assert "The record begins" in str(served.last)
    end(kernel)
    within(LIMIT, lambda: not any(alive(one) for one in readers))
    restarted(kernel)
    page = Page(kernel)
    served.next(says("Fine again 又好了。"))
    cell = page.run("%%orange\nand now?")
    assert "Fine again" in page.finish(cell).text
    assert "was interrupted" in page.cells[cell].text
    assert well_formed(served.last)
    assert [one["role"] for one in served.last].count("user") == 3
    again = page.run("%%orange\nonce more")
    assert "was interrupted" not in page.finish(again).text


def by_button(page: Page, kernel: Kernel) -> None:
    page.click({"type": "stop"})


def by_interrupt(page: Page, kernel: Kernel) -> None:
    kernel.interrupt()


def by_line(page: Page, kernel: Kernel) -> None:
    page.run("%orange stop")


@pytest.mark.parametrize(
    ("end", "magic"),
    [(by_button, "%%orange"), (by_interrupt, "%%orange"), (by_line, "%%orange --detach")],
    ids=["button", "interrupt", "%orange stop"],
)
def test_a_stopped_turn_ends_what_it_started_and_the_next_one_works(
    end: Callable[[Page, Kernel], None], magic: str, kernel: Kernel, served: Served
) -> None:
    """R-SESS-4: a stream and a busy reader end within 2 s of the button, of an interrupt, of `%orange stop`."""
    page = Page(kernel)
    served.next(HANGS)
    cell = page.run(f"{magic}\nstream it")
    page.until(lambda: streaming(page))
    end(page, kernel)
    within(LIMIT, served.model.left.is_set)
    page.until(lambda: "stopped by you" in page.cells[cell].text)
    assert "The record begins 记录开始。" in page.finish(cell).text
    page.entries.clear()
    served.next(SLOW, says("-"))
    cell = page.run(f"{magic}\nread the slow one")
    readers = busy_reader(page, kernel)
    end(page, kernel)
    within(LIMIT, lambda: not any(alive(one) for one in readers))
    page.until(lambda: "stopped by you" in page.cells[cell].text)
    page.finish(cell)
    served.next(says("Fine again 又好了。"))
    cell = page.run("%%orange\nand now?")
    assert "Fine again" in page.finish(cell).text
    assert well_formed(served.last)
    assert [one["role"] for one in served.last].count("user") == 3
