"""`Lab`: the hands and eyes of a person in a real JupyterLab.

A test that takes the fixture `lab` is marked `browser`; it runs on the thread that owns Playwright (conftest.py),
so it may use `lab.page` and its locators directly, in plain synchronous calls.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import nbformat
import pytest
from playwright.sync_api import Error, Locator, Page

from tests.lab_server import Chromium, LabServer

SHOTS = Path(__file__).parent / "shots"
KERNELSPEC = {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}

# The toolbar says idle before the websocket is up and keystrokes are lost: these four together are "ready".
READY = """async path => {
  const panel = window.jupyterapp.shell.currentWidget;
  if (!panel || !panel.sessionContext || panel.context.path !== path) return false;
  await panel.sessionContext.ready;
  const kernel = panel.sessionContext.session && panel.sessionContext.session.kernel;
  if (!kernel || kernel.connectionStatus !== 'connected') return false;
  await kernel.info;
  return kernel.status === 'idle';
}"""
START = """index => {
  const panel = window.jupyterapp.shell.currentWidget;
  const cell = panel.content.widgets[index];
  cell.model.executionCount = null;
  panel.content.activeCellIndex = index;
  panel.content.deselectAll();
  void window.jupyterapp.commands.execute('notebook:run-cell');
}"""
FINISHED = """index => {
  const model = window.jupyterapp.shell.currentWidget.content.widgets[index].model;
  return model.type !== 'code' || (model.executionCount !== null && model.executionState !== 'running');
}"""
IS_CODE = "i => window.jupyterapp.shell.currentWidget.content.widgets[i].model.type === 'code'"
ENDED = """index => {
  const cells = window.jupyterapp.shell.currentWidget.content.widgets.slice(0, index + 1);
  const failed = cell => cell.model.type === 'code' && cell.model.executionCount !== null
    && cell.model.outputs.toJSON().some(output => output.output_type === 'error');
  const last = cells[index].model;
  return cells.some(failed)
    || last.type !== 'code' || (last.executionCount !== null && last.executionState !== 'running');
}"""
RUN_ALL = """() => {
  const panel = window.jupyterapp.shell.currentWidget;
  for (const cell of panel.content.widgets) if (cell.model.type === 'code') cell.model.executionCount = null;
  void window.jupyterapp.commands.execute('notebook:run-all-cells');
}"""
RESTORED = "async () => window.jupyterapp && (await window.jupyterapp.restored, true)"
OPEN = "path => window.jupyterapp.commands.execute('docmanager:open', {path, factory: 'Notebook'}).then(() => true)"
CLOSE_ALL = """async () => {
  const app = window.jupyterapp;
  for (const panel of [...app.shell.widgets('main')]) {
    if (panel.context) panel.context.model.dirty = false;
    panel.dispose();
  }
  await app.serviceManager.sessions.shutdownAll();
}"""


@dataclass
class Lab:
    """One page of JupyterLab in Chromium. Cells count from 0; every wait is bounded by `timeout` seconds."""

    page: Page
    server: LabServer
    folder: Path
    timeout: float = 60.0
    path: str = field(default="", init=False)

    def open(self, cells: list[str], name: str = "test.ipynb", files: dict[str, str] | None = None) -> Path:
        """Write a notebook (and text files beside it) and open it, kernel ready; `# md` starts a Markdown cell."""
        for relative, text in (files or {}).items():
            target = self.folder / relative
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
        written = self.folder / name
        write_notebook(written, cells)
        self.show(written)
        return written

    def show(self, notebook: Path) -> None:
        """Open a notebook that lies under the server's root, and wait until its kernel is ready."""
        self.path = notebook.relative_to(self.server.root).as_posix()
        self.page.evaluate(OPEN, self.path)
        self.wait_ready()

    def wait_ready(self) -> None:
        """Wait for session, websocket, kernel info and idle."""
        self.page.wait_for_function(READY, arg=self.path, timeout=self.timeout * 1000)

    def run(self, index: int, *, wait: bool = True) -> None:
        """Run one cell; with `wait`, until it finished. An error output fails the test."""
        self.page.evaluate(START, index)
        if wait:
            self.wait_finished(index)
            self.no_error(index)

    def run_all(self, *, wait: bool = True) -> None:
        """Run All; with `wait`, until the last cell finished. The first error output fails the test at once."""
        self.page.evaluate(RUN_ALL)
        if wait:
            self.page.wait_for_function(ENDED, arg=self.count() - 1, timeout=self.timeout * 1000)
            for index in range(self.count()):
                self.no_error(index)

    def no_error(self, index: int) -> None:
        """Fail with a cell's error where it ended with one."""
        outputs = self.outputs(index) if self.page.evaluate(IS_CODE, index) else []
        wrong = [output for output in outputs if output["output_type"] == "error"]
        assert not wrong, f"cell {index}: {wrong[0]['ename']}: {wrong[0]['evalue']}"

    def wait_finished(self, index: int) -> None:
        """Wait until a cell that was started has its execution count."""
        self.page.wait_for_function(FINISHED, arg=index, timeout=self.timeout * 1000)

    def running(self, index: int) -> bool:
        """Whether a cell that was started is still running or queued."""
        return not self.page.evaluate(FINISHED, index)

    def count(self) -> int:
        """The number of cells."""
        return int(self.page.evaluate("() => window.jupyterapp.shell.currentWidget.content.widgets.length"))

    def cell(self, index: int) -> Locator:
        """A cell's element."""
        return self.page.locator(".jp-NotebookPanel:not(.lm-mod-hidden) .jp-Notebook .jp-Cell").nth(index)

    def output(self, index: int) -> Locator:
        """A cell's output area."""
        return self.cell(index).locator(".jp-Cell-outputWrapper")

    def output_text(self, index: int) -> str:
        """What a person reads in a cell's output."""
        return self.output(index).inner_text() if self.output(index).count() else ""

    def outputs(self, index: int) -> list[dict[str, Any]]:
        """A cell's outputs as the notebook model holds them (nbformat)."""
        script = "i => window.jupyterapp.shell.currentWidget.content.widgets[i].model.outputs.toJSON()"
        return list(self.page.evaluate(script, index))

    def wait_output(self, index: int, text: str) -> None:
        """Wait until a cell's output shows a text."""
        shown = self.output(index).get_by_text(text).filter(visible=True)
        shown.first.wait_for(timeout=self.timeout * 1000)

    def until(self, reached: Callable[[], bool]) -> None:
        """Wait until something outside the page is so, such as a file; fails after `timeout` seconds."""
        end = time.monotonic() + self.timeout
        while not reached():
            assert time.monotonic() < end, f"not reached in {self.timeout} s"
            self.page.wait_for_timeout(50)

    def click(self, index: int, name: str, role: str = "button") -> None:
        """Click what has this role and accessible name inside a cell's output."""
        self.output(index).get_by_role(role, name=name).first.click(timeout=self.timeout * 1000)  # type: ignore[arg-type]

    def enter_full(self, index: int) -> None:
        """Run a cell that asks to enter full-confirm and enter it; a button is deaf for its first 400 ms."""
        self.run(index, wait=False)
        self.wait_output(index, "Enter full-confirm?")
        self.page.wait_for_timeout(450)
        self.click(index, "Enter full-confirm")
        self.wait_finished(index)

    def interrupt(self) -> None:
        """Interrupt the kernel, as the toolbar's square does."""
        self._kernel("interrupt()")

    def save(self) -> dict[str, Any]:
        """Save the notebook; returns the file as nbformat reads it."""
        self.page.evaluate("() => window.jupyterapp.shell.currentWidget.context.save()")
        return dict(nbformat.read(self.server.root / self.path, as_version=4))

    def shut_down_kernel(self) -> None:
        """Shut the kernel down and leave the notebook open."""
        self.page.evaluate("() => window.jupyterapp.shell.currentWidget.sessionContext.shutdown()")

    def restart(self) -> None:
        """Restart the kernel without asking, and wait until it is ready."""
        self.page.evaluate(
            "() => window.jupyterapp.shell.currentWidget.sessionContext.restartKernel().then(() => true)"
        )
        self.wait_ready()

    def reload(self, *, kernel: bool = True) -> None:
        """Load the page and the notebook again from the disk; without `kernel`, its kernel is shut down at once."""
        self.page.evaluate(CLOSE_ALL)
        load(self.page, self.server)
        self.show(self.server.root / self.path)
        if not kernel:
            self.shut_down_kernel()

    def theme(self, *, dark: bool) -> None:
        """Switch Lab's theme and wait until the page has it."""
        name = "JupyterLab Dark" if dark else "JupyterLab Light"
        self.page.evaluate("theme => window.jupyterapp.commands.execute('apputils:change-theme', {theme})", name)
        light = "false" if dark else "true"
        self.page.wait_for_function("light => document.body.dataset.jpThemeLight === light", arg=light)

    def width(self, pixels: int, height: int = 900) -> None:
        """Set the window's size; the side bars are closed."""
        self.page.set_viewport_size({"width": pixels, "height": height})
        self.page.evaluate("() => { const s = window.jupyterapp.shell; s.collapseLeft(); s.collapseRight(); }")

    def shot(self, name: str, index: int | None = None) -> Path:
        """A picture of the page, or of one cell, in tests/shots/NAME.png (not committed)."""
        SHOTS.mkdir(exist_ok=True)
        target = SHOTS / f"{name}.png"
        if index is None:
            self.page.screenshot(path=target)
        else:
            self.cell(index).scroll_into_view_if_needed()
            self.cell(index).screenshot(path=target)
        return target

    def _kernel(self, call: str) -> None:
        self.page.evaluate(f"() => window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.{call}")


def write_notebook(path: Path, cells: list[str]) -> None:
    """Write cells as a notebook with kernelspec metadata, without which Lab stops at "Select Kernel"."""
    made = [
        nbformat.v4.new_markdown_cell(text.removeprefix("# md\n"))
        if text.startswith("# md\n")
        else nbformat.v4.new_code_cell(text)
        for text in cells
    ]
    notebook = nbformat.v4.new_notebook(cells=made, metadata={"kernelspec": KERNELSPEC})
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook, path)


def load(page: Page, server: LabServer) -> None:
    """Load Lab with a workspace of its own, which is empty, and wait until its shell is there and stays.

    Lab may load its page a second time right after the first; the shell must be there twice, a moment apart.
    """
    page.goto(f"{server.url}lab/workspaces/test-{secrets.token_hex(6)}?token={server.token}")
    calm = 0
    for _ in range(20):
        try:
            page.wait_for_function(RESTORED, timeout=60_000)
            page.evaluate("() => window.jupyterapp.shell.collapseLeft()")
            calm += 1
        except Error:
            calm = 0
        if calm == 3:
            return
        page.wait_for_timeout(250)
    raise AssertionError("JupyterLab did not come to rest")


@pytest.fixture
def lab(chromium: Chromium, lab_server: LabServer, request: pytest.FixtureRequest) -> Iterator[Lab]:
    """A fresh page of Lab and an empty folder for one test; what it opened is closed and shut down afterwards."""
    folder = lab_server.folder_for(request)

    def start() -> Page:
        page = chromium.browser.new_page(viewport={"width": 1200, "height": 900})
        page.set_default_timeout(20_000)
        load(page, lab_server)
        return page

    def stop(page: Page) -> None:
        page.evaluate(CLOSE_ALL)
        page.close()

    page = chromium.call(start)
    yield Lab(page, lab_server, folder)
    chromium.call(stop, page)
