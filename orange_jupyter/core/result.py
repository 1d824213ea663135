"""One outcome, four audiences: the structured value, the model's clipped text, the view's summary, kept evidence.

The envelope (R-SCH-5) is the structured value; what a model sees is its JSON, at most 9,000 characters and always
valid, cut at whole items or at the end of its longest text (R-CTX-2, R-SCH-6).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from orange_jupyter.core.errors import ToolError

MODEL_CHARACTERS = 9_000
SHORTEST_PASSAGE = 120
PAGE_BREAK = "\n\n"
_HINT = "This result was cut to fit. Continue from nextOffset or nextCursor, narrow the call, or read details_ref."
_LISTS = ("citations", "entries", "results", "blocks", "elements", "matches", "paths", "hits")


def envelope(
    fields: Mapping[str, Any],
    *,
    warnings: tuple[str, ...] = (),
    notices: tuple[str, ...] = (),
    untrusted: bool = False,
) -> dict[str, Any]:
    """The `ok: true` envelope; empty `warnings` and `notices` are left out."""
    whole: dict[str, Any] = {"ok": True, **fields}
    if untrusted:
        whole["untrusted"] = True
    if warnings:
        whole["warnings"] = list(warnings)
    if notices:
        whole["notices"] = list(notices)
    return whole


def failure(error: ToolError) -> dict[str, Any]:
    """The `ok: false` envelope of an error, with the fields obtained before it."""
    about: dict[str, Any] = {"code": str(error.code), "message": error.message}
    if error.hint:
        about["hint"] = error.hint
    if error.details:
        about["details"] = error.details
    return {"ok": False, "error": about, **error.fields}


def as_json(value: Any) -> str:
    """Compact JSON as it is sent: non-ASCII kept (R-CTX-2)."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def canonical(value: Any) -> str:
    """JSON with sorted keys: the form that digests and loop signatures are made of."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def map_strings(value: Any, change: Callable[[str], str]) -> Any:
    """The same structure with every string value (not key) changed, for instance masked."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {key: map_strings(item, change) for key, item in value.items()}
    if isinstance(value, list):
        return [map_strings(item, change) for item in value]
    return value


@dataclass(frozen=True, slots=True)
class Clipped:
    """The text for the model; `clipped` when it is not the whole envelope."""

    text: str
    clipped: bool
    total: int


def clip(whole: Mapping[str, Any], *, ref: str | None, cursor: tuple[int, str] | None = None) -> Clipped:
    """The envelope's JSON for the model, cut to MODEL_CHARACTERS.

    `ref` is the evidence that holds the whole; `cursor` is (number of entries, cursor after them) that a listing
    worked out beforehand with `fitting`.
    """
    text = as_json(whole)
    if len(text) <= MODEL_CHARACTERS:
        return Clipped(text, clipped=False, total=len(text))
    marks = {"truncated": True, "hint": _HINT, **({"details_ref": ref} if ref else {})}
    return Clipped(as_json(_cut(dict(whole) | marks, cursor)), clipped=True, total=len(text))


def fitting(whole: Mapping[str, Any], key: str) -> int:
    """How many leading items of the list `key` fit; all of them when nothing must be cut."""
    items = whole[key]
    if len(as_json(whole)) <= MODEL_CHARACTERS:
        return len(items)
    room = MODEL_CHARACTERS - len(as_json({**whole, key: []})) - len(as_json({"truncated": True, "hint": _HINT})) - 120
    for count, item in enumerate(items):
        room -= len(as_json(item)) + 1
        if room < 0:
            return count
    return len(items)


def _cut(whole: dict[str, Any], cursor: tuple[int, str] | None) -> dict[str, Any]:
    if cursor is not None and "entries" in whole:
        count, after = cursor
        whole = whole | {"entries": whole["entries"][:count], "nextCursor": after}
    if whole.get("citations"):
        whole = _shorten_passages(whole)
    if whole.get("pages"):
        whole = _cut_pages(whole)
    for key in _LISTS:
        if _excess(whole) > 0 and isinstance(whole.get(key), list) and len(whole[key]) > 1:
            whole = whole | {key: whole[key][: max(1, fitting(whole, key))]}
    return _cut_longest_text(whole)


def _excess(whole: Mapping[str, Any]) -> int:
    return len(as_json(whole)) - MODEL_CHARACTERS


def _shorten_passages(whole: dict[str, Any]) -> dict[str, Any]:
    """Passages are shortened evenly before a citation is dropped; `end` moves to what is shown."""
    longest = max(len(item["passage"]) for item in whole["citations"])
    low, high = SHORTEST_PASSAGE, longest
    while low < high:
        middle = (low + high + 1) // 2
        if _excess(_with_passages(whole, middle)) <= 0:
            low = middle
        else:
            high = middle - 1
    return _with_passages(whole, low)


def _with_passages(whole: dict[str, Any], length: int) -> dict[str, Any]:
    return whole | {"citations": [_with_passage(item, length) for item in whole["citations"]]}


def _with_passage(item: dict[str, Any], length: int) -> dict[str, Any]:
    if len(item["passage"]) <= length:
        return item
    return item | {"passage": item["passage"][:length], "end": item["start"] + length}


def _cut_pages(whole: dict[str, Any]) -> dict[str, Any]:
    """Whole pages go from the end, then the last one is cut; `nextOffset` counts in the pages joined by PAGE_BREAK."""
    pages = list(whole["pages"])
    while len(pages) > 1 and _excess(whole | {"pages": [*pages[:-1], pages[-1] | {"text": ""}]}) > 0:
        pages.pop()
    text = _fit(pages[-1]["text"], lambda piece: whole | {"pages": [*pages[:-1], pages[-1] | {"text": piece}]})
    pages[-1] = pages[-1] | {"text": text}
    shown = sum(len(page["text"]) for page in pages) + len(PAGE_BREAK) * (len(pages) - 1)
    return whole | {"pages": pages, "nextOffset": whole.get("offset", 0) + shown}


def _cut_longest_text(whole: dict[str, Any]) -> dict[str, Any]:
    for _ in range(8):
        if _excess(whole) <= 0:
            return whole
        key = max((key for key in whole if isinstance(whole[key], str)), key=lambda key: len(whole[key]), default=None)
        if key is None or len(whole[key]) < SHORTEST_PASSAGE:
            break
        text = _fit(whole[key], lambda piece, key=key, whole=whole: whole | {key: piece})  # type: ignore[misc]
        moved = {"nextOffset": whole["offset"] + len(text)} if key == "content" and "offset" in whole else {}
        whole = whole | {key: text} | moved
    if _excess(whole) <= 0:
        return whole
    kept = {"ok": whole["ok"], "truncated": True, "hint": _HINT}
    return kept | {
        key: whole[key] for key in ("error", "details_ref") if key in whole and len(as_json(whole[key])) < 4000
    }


def _fit(text: str, put: Callable[[str], Mapping[str, Any]]) -> str:
    """The longest start of `text` with which the envelope `put` makes fits."""
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if _excess(put(text[:middle])) <= 0:
            low = middle
        else:
            high = middle - 1
    return text[:low]
