"""Results of a search, whoever gave them, as bounded values without control characters."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from orange_jupyter.core.errors import WebError
from orange_jupyter.core.fetching import WebHit
from orange_jupyter.local.web.places import read_place

_TITLE, _SNIPPET, _DATE = 300, 1_000, 60
_CONTROLS: Final = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\u202a-\u202e\u2066-\u2069]+")
_ENTRIES: Final = 200


@dataclass(frozen=True, slots=True)
class Names:
    """What the fields of one result are called by a backend; `results` is the dotted path to their list."""

    results: str = "results"
    title: str = "title"
    url: str = "url"
    snippet: str = "content"
    date: str = "publishedDate"


def hits_of(entries: Iterable[Any], names: Names, limit: int) -> tuple[WebHit, ...]:
    """The first `limit` results with an address that can be read, each address once."""
    found: dict[str, WebHit] = {}
    for entry, _ in zip(entries, range(_ENTRIES), strict=False):
        hit = _hit(entry, names) if isinstance(entry, Mapping) else None
        if hit is not None:
            found.setdefault(hit.url, hit)
        if len(found) >= limit:
            break
    return tuple(found.values())


def list_at(document: Any, path: str) -> list[Any] | None:
    """The list at a dotted path of a JSON document, "" for the document itself; None where there is none."""
    for name in path.split(".") if path else ():
        document = document.get(name) if isinstance(document, Mapping) else None
    return document if isinstance(document, list) else None


def _hit(entry: Mapping[str, Any], names: Names) -> WebHit | None:
    try:
        url = read_place(str(entry.get(names.url, "")).strip()).url
    except WebError:
        return None
    title = _line(entry.get(names.title), _TITLE)
    date = _line(entry.get(names.date), _DATE)
    return WebHit(title or url[:_TITLE], url, _line(entry.get(names.snippet), _SNIPPET), date or None)


def _line(value: Any, most: int) -> str:
    """One line of at most `most` characters; "" for what is no text or number."""
    if not isinstance(value, str | int | float):
        return ""
    text = " ".join(_CONTROLS.sub(" ", str(value)[: most * 4]).split())
    return text if len(text) <= most else f"{text[: most - 1]}…"
