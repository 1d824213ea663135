"""An error as one readable line with its hint, as HTML, Markdown and plain text; never a traceback."""

from __future__ import annotations

import html
import re

from orange_jupyter.jupyter.record_inert import inert


def failure(message: str, hint: str | None = None) -> dict[str, str]:
    """The display bundle of an error. Everything is escaped: the words may come from files and servers (R-UI-7)."""
    plain = f"Orange: {message}" + (f"\n{hint}" if hint else "")
    more = f"<br>{_safe(hint)}" if hint else ""
    return {
        "text/html": f'<div role="alert" class="oj-error"><strong>Orange:</strong> {_safe(message)}{more}</div>',
        "text/markdown": f"**Orange:** {_literal(message)}" + (f"\n\n{_literal(hint)}" if hint else ""),
        "text/plain": plain,
    }


def _safe(words: str) -> str:
    return inert("<br>".join(html.escape(line) for line in words.splitlines()))


def _literal(words: str) -> str:
    """Markdown that shows the words as they are."""
    return re.sub(r"([\\`*_{}\[\]<>()#|!&~$])", r"\\\1", words)
