"""What the model was shown, in the record: below its tool call, folded, as small pictures with words (R-SAVE-1)."""

from __future__ import annotations

import html
from collections.abc import Sequence

from orange_jupyter.core.messages import Image
from orange_jupyter.jupyter.figures import LATE, LEFT, image, images_of, left_out, withheld
from orange_jupyter.jupyter.markdown import escape
from orange_jupyter.jupyter.sheet import Sheet, href, name
from orange_jupyter.jupyter.view import Line

NAMED = 8
"""Pictures of one call that are named, and lines about those that were not sent: a message has no more (R-READ-8)."""
CALLS = 30
"""Calls whose pictures are named; of later ones they are counted, so that a record stays small."""


def attached_html(paper: Sheet) -> str:
    """The pictures that the person sent with the question; "" without any."""
    started = paper.view.started
    return _fold(paper, "figure.attached", started.images, "") if started else ""


def shown_html(paper: Sheet, lines: Sequence[Line]) -> list[str]:
    """For each call the pictures that it showed to the model, and which did not go, with the reason; "" for neither."""
    named = _named(lines)
    return [_shown(paper, line) if line.call_id in named else _counted(paper, line) for line in lines]


def attached_lines(paper: Sheet) -> list[tuple[str, str]]:
    """The pictures that the person sent as (words, address or ""), one a picture."""
    started = paper.view.started
    return [(_words(paper, one), linked(paper, one)) for one in started.images[:NAMED]] if started else []


def shown_lines(paper: Sheet, lines: Sequence[Line]) -> list[list[tuple[str, str]]]:
    """For each call what it showed to the model, and what it did not, as (words, address or "")."""
    named = _named(lines)
    return [_lines(paper, line) if line.call_id in named else [] for line in lines]


def _named(lines: Sequence[Line]) -> frozenset[str]:
    return frozenset([line.call_id for line in lines if images_of(line) or left_out(line)][:CALLS])


def _shown(paper: Sheet, line: Line) -> str:
    unsent = "".join(f'<p class="oj-sub">{escape(words)}</p>' for words in _unsent(paper, line))
    return _fold(paper, "figure.shown", images_of(line), withheld(line)) + unsent


def _counted(paper: Sheet, line: Line) -> str:
    count = len(images_of(line))
    return f'<p class="oj-sub">{escape(paper.say("figure.shown", n=count))}</p>' if count else ""


def _lines(paper: Sheet, line: Line) -> list[tuple[str, str]]:
    shown = [(_words(paper, one), linked(paper, one)) for one in images_of(line)[:NAMED]]
    return [*shown, *((words, "") for words in _unsent(paper, line))]


def linked(paper: Sheet, one: Image) -> str:
    """The address of a picture's file at its page, as Markdown and HTML can hold it; "" without one."""
    place = paper.places.get(one.sha256)
    if place is None or not place.link:
        return ""
    return href(place.link) + (f"#page={one.page}" if one.page is not None else "")


def as_values(images: Sequence[Image]) -> list[dict[str, object]]:
    """Pictures for programs: never their bytes (R-READ-7)."""
    rows = []
    for one in images[:NAMED]:
        row: dict[str, object] = {"id": one.picture_id, "width": one.width, "height": one.height}
        row |= {"path": name(one.path)} if one.path else {}
        row |= {"page": one.page} if one.page is not None else {}
        rows.append(row | ({"block": one.block} if one.block is not None else {}))
    return rows


def _fold(paper: Sheet, key: str, images: Sequence[Image], why: str) -> str:
    if not images:
        return ""
    rows = "".join(_figure(paper, one, why) for one in images[:NAMED])
    rows += f"<p>… (+{len(images) - NAMED})</p>" if len(images) > NAMED else ""
    return (
        f'<details class="oj-shots"><summary>{escape(paper.say(key, n=len(images)))}</summary>'
        f'<div class="oj-row">{rows}</div></details>'
    )


def _figure(paper: Sheet, one: Image, why: str) -> str:
    figure, address = (None if why else paper.kept.get(one.sha256)), linked(paper, one)
    title = escape(_title(paper, one))
    title = f'<a href="{html.escape(address)}">{title}</a>' if address else title
    shown = image(figure, paper.say("figure.small", name=_title(paper, one))) if figure else ""
    said = "" if figure else f"; {paper.say(f'figure.shown.{why or _missing(paper, one)}')}"
    return (
        f'<figure class="oj-shot">{shown}<figcaption>{title} '
        f'<span class="oj-sub">{escape(_measures(paper, one) + said)}</span></figcaption></figure>'
    )


def _missing(paper: Sheet, one: Image) -> str:
    place = paper.places.get(one.sha256)
    return LEFT if place is not None and place.figure is not None else LATE


def _words(paper: Sheet, one: Image) -> str:
    return f"{_title(paper, one)} {_measures(paper, one)}"


def _title(paper: Sheet, one: Image) -> str:
    where = ""
    if one.page is not None:
        where = ", " + paper.say("page", n=one.page)
    elif one.block is not None:
        where = ", " + paper.say("block", n=one.block)
    return name(one.path or one.caption) + where if one.path or one.caption else paper.say("figure.unnamed")


def _measures(paper: Sheet, one: Image) -> str:
    size = paper.say("figure.size", width=f"{one.width:,}", height=f"{one.height:,}")
    return f"({size}, {one.picture_id})"


def _unsent(paper: Sheet, line: Line) -> list[str]:
    said = []
    for page, reason in left_out(line)[:NAMED]:
        key = "figure.unsent" if page is None else "figure.unsent.page"
        said.append(paper.say(key, n=page, reason=name(reason)))
    return said
