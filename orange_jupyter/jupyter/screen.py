"""The one place that publishes displays of a cell; its caller's context decides the cell they land in."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

from orange_jupyter.jupyter.failure import failure
from orange_jupyter.jupyter.people import Front

EMPTY = {"text/plain": ""}


class Screen:
    """The displays of one cell: the record, which stays, the controls, which go (decision 3), and an ear, which hears
    for the record what a person presses there and shows nothing itself.

    Without a kernel an update would print everything again: there only `settle` shows the record, once.
    """

    def __init__(self, shell: Any, front: Front) -> None:
        self.front = front
        self._prints = getattr(shell, "kernel", None) is None
        self._publish = shell.display_pub.publish
        self._names = {name: uuid.uuid4().hex for name in ("record", "controls", "ear")}
        self._shown: dict[str, dict[str, Any]] = {}
        self._alone: dict[str, Any] | None = None
        self._amend: Callable[[dict[str, Any] | None], dict[str, Any]] | None = None

    @property
    def shown(self) -> dict[str, Any] | None:
        """The record as it stands, None where nothing was shown yet."""
        shown = self._shown.get("record", EMPTY)
        return None if shown is EMPTY else shown

    def record(self, data: dict[str, Any]) -> None:
        """Show or replace the record; what was amended to it stays."""
        self._alone = None if data is EMPTY else data
        self._show("record", self._amend(data) if self._amend is not None else data)

    def amend(self, amend: Callable[[dict[str, Any] | None], dict[str, Any]]) -> None:
        """Show the record with more in it, also when it is replaced later. `amend` gets None where none is yet."""
        self._amend = amend
        self._show("record", amend(self._alone))

    def controls(self, data: dict[str, Any]) -> None:
        """Show or replace the controls; only a notebook with a person has them."""
        if self.front is Front.NOTEBOOK:
            self._show("controls", data)

    def remove_controls(self) -> None:
        """Leave nothing of the controls in the notebook."""
        if "controls" in self._shown:
            self._show("controls", EMPTY)

    def ear(self, data: dict[str, Any]) -> None:
        """Show or replace what hears for the record; only a notebook with a person has it."""
        if self.front is Front.NOTEBOOK:
            self._show("ear", data)

    def remove_ear(self) -> None:
        """Leave nothing of it in the notebook."""
        if "ear" in self._shown:
            self._show("ear", EMPTY)

    def fail(self, message: str, hint: str | None = None) -> None:
        """Show an error where the record would be."""
        self._show("record", failure(message, hint))

    def settle(self) -> None:
        """Print what could not be shown as it changed. Called on the cell's own thread."""
        if self._prints and self._shown:
            self._publish(self._shown.pop("record", EMPTY))

    def _show(self, name: str, data: dict[str, Any]) -> None:
        known = name in self._shown
        self._shown[name] = data
        if not self._prints:
            self._publish(data, {}, transient={"display_id": self._names[name]}, update=known)
