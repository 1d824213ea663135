"""A turn as a static display that stays in the notebook: HTML, Markdown, plain text, JSON (R-SAVE-1, R-SAVE-2)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from orange_jupyter.jupyter.record_html import as_html, record_id
from orange_jupyter.jupyter.record_text import as_json, as_markdown, as_plain
from orange_jupyter.jupyter.sheet import Surroundings, sheet
from orange_jupyter.jupyter.strings import Language
from orange_jupyter.jupyter.view import TurnView

TURN_TYPE = "application/vnd.orange.turn+json"
NOWHERE: Mapping[str, Surroundings] = MappingProxyType({})


def record(
    view: TurnView, language: Language, *, number: int, session: str = "", places: Mapping[str, Surroundings] = NOWHERE
) -> dict[str, Any]:
    """The display bundle of a turn by MIME type. Pure; at most about 300 kB of HTML however long the turn was, and
    `figures.ROOM` of pictures, which only the HTML has.

    `number` counts the session's turns, `session` is its name; `places` say, by citation id, where a passage stands,
    and by sha256 the small pictures of what the model was shown.
    """
    paper = sheet(view, language, number, session, places)
    return {
        "text/html": as_html(paper),
        "text/markdown": as_markdown(paper),
        "text/plain": as_plain(paper),
        TURN_TYPE: as_json(paper),
    }


__all__ = ["TURN_TYPE", "Surroundings", "record", "record_id"]
