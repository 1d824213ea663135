"""A simulated front end: it answers the controls' comm as a page of Lab does, while a cell runs."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from queue import Empty
from typing import Any

from tests.kernels import Cell, Kernel


@dataclass
class Page:
    """Watches everything a kernel says, whatever cell it belongs to, and clicks."""

    kernel: Kernel
    draws: bool = True
    cells: dict[str, Cell] = field(default_factory=dict)
    owner: dict[str, str] = field(default_factory=dict)
    controls: str = ""
    entries: dict[str, dict[str, Any]] = field(default_factory=dict)
    updated_from: list[tuple[str, str]] = field(default_factory=list)

    def run(self, code: str) -> str:
        """Start a cell as a person does; returns its id."""
        message = self.kernel.send(code, people=True)
        self.cells[message] = Cell()
        return message

    def until(self, reached: Any, *, timeout: float = 20.0) -> None:
        """Take what comes until `reached()`; fails after `timeout` seconds."""
        end = time.monotonic() + timeout
        while not reached():
            try:
                self.take(self.kernel.client.get_iopub_msg(timeout=max(0.01, min(0.2, end - time.monotonic()))))
            except Empty:
                if time.monotonic() > end:
                    seen = [(cell.status, cell.error, cell.text) for cell in self.cells.values()]
                    raise AssertionError(f"not reached in {timeout} s: {self.entries} {seen}"[:2000]) from None

    def finish(self, cell: str, *, timeout: float = 20.0) -> Cell:
        """Wait until a cell's execution ended."""
        self.until(lambda: self.cells[cell].status != "running", timeout=timeout)
        return self.cells[cell]

    def take(self, got: dict[str, Any]) -> None:
        """Take one message as a page does: displays are updated wherever they stand."""
        kind, content = got["msg_type"], got["content"]
        parent = got["parent_header"].get("msg_id", "")
        cell = self.cells.get(parent)
        if kind == "update_display_data":
            name = content["transient"]["display_id"]
            self.updated_from.append((self.owner.get(name, ""), parent))
            if self.owner.get(name) in self.cells:  # not a display of an earlier page
                self.cells[self.owner[name]].take(kind, content)
            return
        if kind == "display_data" and content.get("transient", {}).get("display_id"):
            self.owner[content["transient"]["display_id"]] = parent
        if kind in ("comm_open", "comm_msg"):
            self._comm(kind, content)
        if cell is None:
            return
        cell.take(kind, content)
        if kind == "status" and content["execution_state"] == "idle":
            cell.status = "error" if cell.error else "ok"

    def click(self, content: dict[str, Any], *, comm: str = "") -> None:
        """Send what the page's widget sends."""
        data = {"comm_id": comm or self.controls, "data": {"method": "custom", "content": content}}
        client = self.kernel.client
        client.shell_channel.send(client.session.msg("comm_msg", data))

    def card(self, kind: str = "card") -> dict[str, Any]:
        """Wait for a live card and return what its buttons know."""
        self.until(lambda: any(entry.get("kind") == kind for entry in self.entries.values()))
        return next(entry for entry in self.entries.values() if entry.get("kind") == kind)

    def answer(self, kind: str, card: dict[str, Any], **more: str) -> None:
        """Press a button of a card."""
        binding = {"operation_id": card["operation"], "digest": card.get("digest", ""), "nonce": card["nonce"]}
        self.click({"type": kind, **binding, **more})

    def _comm(self, kind: str, content: dict[str, Any]) -> None:
        if kind == "comm_open" and "controls.Controls" in str(content["data"]["state"].get("_anywidget_id")):
            self.controls = content["comm_id"]
            self.entries = {}
            if self.draws:
                self.click({"type": "rendered"})
        drawn = content["data"].get("content", {}) if content["comm_id"] == self.controls else {}
        if drawn.get("type") == "draw":
            self.entries |= drawn["items"]
