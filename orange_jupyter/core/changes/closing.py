"""Before anything is written: values that are hidden from a model stay hidden, under their names afterwards too."""

from __future__ import annotations

import asyncio
import hashlib

from orange_jupyter.core.changes.hiding import Sourced, require_closed
from orange_jupyter.core.changes.means import Means
from orange_jupyter.core.changes.values import Spot
from orange_jupyter.core.errors import ToolError
from orange_jupyter.core.paths import file_type


async def require_text_closed(means: Means, way: tuple[Spot, Spot], texts: tuple[str, Sourced]) -> None:
    """Raises ChangeError masked_text where a value that a note's text hides would stand open in what is written."""
    (now, then), (text, after) = way, texts
    hide, later = means.hide(now.relative), means.hide(then.relative)
    await asyncio.to_thread(require_closed, Sourced.base(text), after, hide, later)


async def require_name_closed(means: Means, way: tuple[Spot, Spot], *, known: str = "") -> None:
    """Raises ChangeError masked_text where a note's values are hidden by its name and would stand open under another;
    not where its content is `known` (sha256): so it lay there before."""
    now, _ = way
    if file_type(now.relative) not in ("markdown", "txt"):
        return
    try:
        found = await means.look(now)
    except ToolError:
        return
    if hashlib.sha256(found.data).hexdigest() != known:
        await require_text_closed(means, way, (found.text, Sourced.base(found.text)))
