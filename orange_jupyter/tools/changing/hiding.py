"""What of a note a model is never shown: by every name that the file goes by, here and on the disk (R-READ-15)."""

from __future__ import annotations

from orange_jupyter.core.changes.hiding import Hider
from orange_jupyter.core.tool import ToolContext


def hider(context: ToolContext, *paths: str) -> Hider:
    """Finds what is hidden in a text for any of these paths' names: a link and its target may have different ones."""
    return context.changes.means.hide(*paths)
