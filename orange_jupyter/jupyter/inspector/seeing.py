"""The tab What the model saw: the exact pixels with their facts, or why none were sent (screen 13)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from orange_jupyter.jupyter.inspector.drawing import size
from orange_jupyter.jupyter.inspector.paper import Saw, Sent
from orange_jupyter.jupyter.markdown import escape
from orange_jupyter.jupyter.record_html import state
from orange_jupyter.jupyter.sheet import name
from orange_jupyter.jupyter.strings import Language, text

ALSO = 5


def saw_message(saw: Saw, language: Language) -> dict[str, Any]:
    """The tab's HTML, and the pictures that can be shown at full size."""
    if not saw.sent:
        return {"html": _instead(saw, language), "pictures": []}
    newest = saw.sent[0]
    return {"html": _sent(newest, saw.sent[1 : 1 + ALSO], language), "pictures": [_identity(newest)]}


def _identity(sent: Sent) -> dict[str, Any]:
    return {"sha256": sent.sha256, "width": sent.width, "height": sent.height, "media": sent.media_type}


def _sent(sent: Sent, also: Sequence[Sent], language: Language) -> str:
    shape = {"width": f"{sent.width:,}", "height": f"{sent.height:,}"}
    kind = sent.media_type.removeprefix("image/").upper()
    left = "; ".join(sent.left_out) or text(language, "look.saw.nothing")
    rows = [
        ("picture", text(language, "look.saw.picture.is", **shape, format=kind, size=size(sent.size))),
        ("sent", _when(sent, language)),
        ("cost", text(language, "look.saw.cost.is", n=f"{sent.tokens:,}")),
        ("text", text(language, "look.saw.text.is", n=f"{sent.characters:,}")),
        ("left", left),
    ]
    listed = "".join(
        f"<dt>{escape(text(language, f'look.saw.{key}'))}</dt><dd>{escape(name(words))}</dd>" for key, words in rows
    )
    exact = f'<p class="oj-sub">{escape(text(language, "look.saw.exact"))} '
    full = f'<button type="button" class="oj-link" data-full>{escape(text(language, "look.saw.full"))}</button></p>'
    more = ""
    if also:
        words = "; ".join(_when(one, language) for one in also)
        more = f'<p class="oj-sub">{escape(text(language, "look.saw.also", words=words))}</p>'
    return f'<dl class="oj-kv is-side">{listed}</dl>{exact}{full}{more}'


def _when(sent: Sent, language: Language) -> str:
    return text(language, "look.saw.sent.is", turn=sent.turn, step=sent.step, model=sent.model)


def _instead(saw: Saw, language: Language) -> str:
    values = {"model": name(saw.model), "turn": saw.turn, "n": f"{saw.characters:,}"}
    match saw.why:
        case "vision":
            head = text(language, "look.saw.vision", model=values["model"])
            body = text(language, "look.saw.vision.hint" if saw.characters else "look.saw.vision.only")
        case "text":
            head, body = text(language, "look.saw.text.only"), text(language, "look.saw.text.hint", **values)
        case "passage":
            head, body = text(language, "look.saw.passage"), text(language, "look.saw.passage.hint", **values)
        case "failed":
            reason = saw.reason or text(language, "look.saw.ended")
            head = text(language, "look.saw.failed")
            body = text(language, "look.saw.failed.hint", turn=saw.turn, reason=name(reason))
        case _:
            head, body = text(language, "look.saw.never"), text(language, "look.saw.never.hint")
    word = state(("is-off", "void"), text(language, "look.saw.off"))
    shown = f"<header>{word} <h4>{escape(head)}</h4></header>"
    return f'<div class="oj-card is-slim is-void">{shown}<div class="oj-body">{escape(body)}</div></div>'
