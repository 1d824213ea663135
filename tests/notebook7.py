"""`Notebook7`: the same hands and eyes in the real Notebook 7, served beside Lab by the same server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Page

from tests.lab import Lab
from tests.lab_server import Chromium, LabServer

EXPOSED = "() => window.jupyterapp && window.jupyterapp.shell && window.jupyterapp.shell.currentWidget"
SHUT_DOWN = """async () => {
  const panel = window.jupyterapp.shell.currentWidget;
  if (panel && panel.context) panel.context.model.dirty = false;
  await window.jupyterapp.serviceManager.sessions.shutdownAll();
}"""


class Notebook7(Lab):
    """One page of Notebook 7: a notebook is a page of its own."""

    def show(self, notebook: Path) -> None:
        """Open a notebook that lies under the server's root, and wait until its kernel is ready."""
        self.path = notebook.relative_to(self.server.root).as_posix()
        self.page.goto(f"{self.server.url}notebooks/{quote(self.path)}?token={self.server.token}")
        self.page.wait_for_function(EXPOSED, timeout=self.timeout * 1000)
        self.wait_ready()

    def width(self, pixels: int, height: int = 900) -> None:
        """Set the window's size; there are no side bars to close."""
        self.page.set_viewport_size({"width": pixels, "height": height})


@pytest.fixture
def notebook7(chromium: Chromium, lab_server: LabServer, request: pytest.FixtureRequest) -> Iterator[Notebook7]:
    """A fresh page of Notebook 7 and an empty folder for one test; kernels are shut down afterwards."""
    folder = lab_server.folder_for(request)

    def start() -> Page:
        page = chromium.browser.new_page(viewport={"width": 1200, "height": 900})
        page.set_default_timeout(20_000)
        return page

    def stop(page: Page) -> None:
        page.evaluate(SHUT_DOWN)
        page.close()

    page = chromium.call(start)
    yield Notebook7(page, lab_server, folder)
    chromium.call(stop, page)
