"""`session.show`: the page inspector from Python (R-UI-4); without a notebook the text is returned."""

from __future__ import annotations

from orange_jupyter.app import App, Opened
from orange_jupyter.commands.show import show
from orange_jupyter.commands.standing import Standing
from orange_jupyter.core.errors import UsageError
from orange_jupyter.jupyter.ports import CommandReply, Where


async def shown(app: App, opened: Opened, where: Where, asked: tuple[str, int | None]) -> CommandReply:
    """What is shown of a file (at a page or block) or a citation. Raises UsageError, ToolError."""
    what, part = asked
    words = (what,) if part is None else (what, str(part))
    return await show(Standing(app, where, opened, _unused, _nobody), words)


def _unused(_: Opened) -> None:
    """Showing changes no session."""


async def _nobody(_: str) -> str | None:
    raise UsageError("Showing asks for nothing.")
