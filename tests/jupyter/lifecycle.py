"""What the lifecycle tests share: the product in a full tier before a card, and the questions a transcript answers."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

from playwright.sync_api import Page

from tests.jupyter.test_product_in_lab import files, use
from tests.lab import Lab, load

CARD = "Read a file outside the knowledge bases?"
ASK = 3
"""The cell that asks."""
LONG = {"text": "The gauge record has a gap. 记录有缺口。 " * 400, "chunk": 6, "delay": 0.02}
DEAF = 450
"""Milliseconds: a new card's buttons are deaf for 400."""


def read_outside(folder: Path) -> dict[str, Any]:
    """A reply that reads a file outside the KBs, which asks in full-confirm."""
    return {"calls": [{"name": "read", "arguments": {"path": str(folder / "out" / "plan.txt")}}]}


def open_asking(lab: Lab, *replies: dict[str, Any], more: tuple[str, ...] = (), magic: str = "%%orange") -> None:
    """A notebook whose session is in full-confirm and whose cell ASK asks; `more` are cells after it."""
    cells = [
        "%load_ext orange_jupyter",
        use("reader"),
        "%orange tier full-confirm",
        f"{magic} --model reader\nread it",
        *more,
    ]
    lab.open(cells, files=files("reader", *replies))
    lab.run(0)
    lab.run(1)
    lab.enter_full(2)


def ask(lab: Lab, cell: int = ASK, *, wait: bool = True) -> None:
    """Start the asking cell; with `wait`, until its card stands."""
    lab.run(cell, wait=False)
    if wait:
        lab.wait_output(cell, CARD)


def press(lab: Lab, cell: int, name: str) -> None:
    """Press a button of a card that has just come."""
    lab.page.wait_for_timeout(DEAF)
    lab.click(cell, name)


def come_back(lab: Lab) -> None:
    """What pressing reload does to a person: a new page, the notebook opened from the disk, its kernel still busy."""
    load(lab.page, lab.server)
    attach(lab)


def attach(lab: Lab) -> None:
    """Open the notebook whose kernel runs already, without waiting for it to be idle."""
    opened = (
        "path => window.jupyterapp.commands.execute('docmanager:open', {path, factory: 'Notebook'}).then(() => true)"
    )
    connected = """async path => {
      const panel = window.jupyterapp.shell.currentWidget;
      if (!panel || !panel.sessionContext || panel.context.path !== path) return false;
      await panel.sessionContext.ready;
      const kernel = panel.sessionContext.session && panel.sessionContext.session.kernel;
      return Boolean(kernel) && kernel.connectionStatus === 'connected';
    }"""
    lab.page.evaluate(opened, lab.path)
    lab.page.wait_for_function(connected, arg=lab.path, timeout=lab.timeout * 1000)


def second_tab(lab: Lab, page: Page) -> Lab:
    """The same notebook in another page of the same server."""
    other = Lab(page, lab.server, lab.folder)
    other.path = lab.path
    load(page, lab.server)
    attach(other)
    return other


def events(home: Path, kind: str) -> list[dict[str, Any]]:
    """Every event of a kind in the transcripts of an ORANGE_HOME, oldest first."""
    connection = sqlite3.connect(f"file:{home / 'orange.db'}?mode=ro", uri=True)
    try:
        rows = connection.execute("SELECT body FROM records WHERE sort = 'event' AND kind = ? ORDER BY seq", (kind,))
        return [json.loads(body) for (body,) in rows]
    finally:
        connection.close()
