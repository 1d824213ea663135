"""The bar that stands for what is not drawn: how much came before, and the buttons that unfold it page by page."""

from __future__ import annotations

from typing import Any

from orange_jupyter.jupyter.strings import Language, text

FOLDED = -1
"""The page that folds."""


def fold(name: str, language: Language, *, lines: int, page: int | None, pages: int) -> dict[str, Any]:
    """A bar over `lines` earlier lines of `name` in `pages` pages, of which `page` is open (None: none is).

    Its buttons are [words, the page that a press asks for].
    """
    if page is None:
        buttons = [[text(language, "earlier.show"), pages - 1]]
    else:
        buttons = [[text(language, "earlier.before"), page - 1]] if page else []
        buttons += [[text(language, "earlier.after"), page + 1]] if page < pages - 1 else []
        buttons.append([text(language, "earlier.fold"), FOLDED])
    key = "earlier.lines.one" if lines == 1 else "earlier.lines"
    return {"kind": "fold", "name": name, "text": text(language, key, n=f"{lines:,}"), "buttons": buttons}


def part(language: Language, first: int, last: int) -> str:
    """Which lines an open page shows, counted from 1."""
    return text(language, "earlier.page", first=f"{first:,}", last=f"{last:,}")


def gap(language: Language, first: int, last: int) -> dict[str, Any]:
    """A bar without buttons between an open page and the newest lines."""
    return {"kind": "fold", "name": "", "text": part(language, first, last), "buttons": [], "part": "", "blocks": ""}
