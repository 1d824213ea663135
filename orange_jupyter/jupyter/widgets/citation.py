"""A passage opened by itself, as `%orange show NOTE` and an opened citation display it (screen 6, notes).

Static like the record: no button that could go dead. A PDF's page picture is not shown here, its passage is.
"""

from __future__ import annotations

import html

from orange_jupyter.core.corpus import Citation
from orange_jupyter.jupyter.citing import Citing
from orange_jupyter.jupyter.icons import icon
from orange_jupyter.jupyter.markdown import escape, render
from orange_jupyter.jupyter.passage import aside, chunk, missing_note, open_link
from orange_jupyter.jupyter.quotes import is_quoted
from orange_jupyter.jupyter.record_html import state, wrapped
from orange_jupyter.jupyter.sheet import Surroundings, href, name, place_of
from orange_jupyter.jupyter.strings import Language, text

NOTE_LIMIT = 60_000


def passage_panel(
    citation: Citation,
    place: Surroundings,
    language: Language,
    *,
    number: int | None = None,
    quotation: str | None = None,
) -> dict[str, str]:
    """The display bundle of one cited passage, marked, with the text around it.

    `quotation` is what an answer claimed to quote: where the passage and its surroundings do not hold it, the panel
    says so instead of marking it (R-UI-3).
    """
    title = (f"[{number}] " if number else "") + name(citation.path) + place_of(citation, language)
    whole = f"{citation.passage}\n{place.before}\n{place.after}"
    missing = quotation is not None and not is_quoted(quotation, whole)
    body = missing_note(quotation if missing else None, language) + chunk(citation.passage, place, language)
    shown = state(("is-warn", "warning"), text(language, "quote.off")) if missing else ""
    where = text(language, "line", n=place.line) if place.line is not None else ""
    plain = f"{title}{', ' + where if where else ''}\n\n{citation.passage}\n"
    panel = _panel(
        title,
        shown or f'<span class="oj-sub">{escape(aside(place, language))}</span>',
        f"{body}<p>{open_link(citation, place, language)}</p>",
    )
    return {"text/html": panel, "text/plain": plain}


def live_passage(
    citation: Citation, place: Surroundings, language: Language, *, quotation: str | None = None
) -> dict[str, str]:
    """The same passage as parts for the controls, without a link: a widget's links are not Lab's (decision 0005)."""
    whole = f"{citation.passage}\n{place.before}\n{place.after}"
    missing = quotation if quotation is not None and not is_quoted(quotation, whole) else None
    return {
        "title": name(citation.path) + place_of(citation, language),
        "side": aside(place, language),
        "missing": text(language, "quote.off") if missing else "",
        "html": missing_note(missing, language) + chunk(citation.passage, place, language),
    }


def note_panel(path: str, source: str, language: Language, *, link: str | None = None) -> dict[str, str]:
    """The display bundle of a whole note, rendered; at most NOTE_LIMIT characters, the rest counted."""
    shown = source[:NOTE_LIMIT]
    body = f'<div class="oj-prose">{render(shown, Citing(prefix="oj-note", language=language))}</div>'
    if len(source) > NOTE_LIMIT:
        body += f'<p class="oj-sub">{escape(text(language, "cut", n=f"{len(source) - NOTE_LIMIT:,}"))}</p>'
    body += _link(Surroundings(link=link), language)
    return {"text/html": _panel(name(path), "", body), "text/plain": f"{name(path)}\n\n{shown}\n"}


def _panel(title: str, side: str, body: str) -> str:
    label = html.escape(title)
    return wrapped(
        f'<div class="oj-card" role="group" aria-label="{label}"><header>{icon("file")}<h3>{escape(title)}</h3> '
        f'{side}</header><div class="oj-body">{body}</div></div>'
    )


def _link(place: Surroundings, language: Language) -> str:
    if not place.link:
        return ""
    words = text(language, "open.path", path=name(place.link))
    return f'<p><a href="{href(place.link)}">{escape(words)}</a></p>'
