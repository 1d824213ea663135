"""What of a note a model is never shown: by every name that the file goes by, here and on the disk (R-READ-15)."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence

from orange_jupyter.core.changes.hiding import Hide
from orange_jupyter.core.masking import Span, mask_file
from orange_jupyter.core.shapes import merged
from orange_jupyter.core.tool import ToolContext


def hider(context: ToolContext, *paths: str) -> Hide:
    """Finds what is hidden in a text for any of these paths' names: a link and its target may have different ones."""
    names = dict.fromkeys(posixpath.basename(path) for path in paths)

    def hide(text: str) -> Sequence[Span]:
        return merged(span for name in names for span in mask_file(name, text, context.find_secrets).spans)

    return hide
