"""A cited passage in its surroundings: what a citation leads to in the record (R-UI-3)."""

from __future__ import annotations

from orange_jupyter.core.corpus import Citation
from orange_jupyter.jupyter.markdown import escape, language_of_text
from orange_jupyter.jupyter.sheet import Sheet, Surroundings

AROUND_LIMIT = 1500
_PASSAGE_LIMIT = 6000


def passage(paper: Sheet, citation: Citation, number: int) -> str:
    """A fold with the passage marked between the text around it; "" where nothing around it is known.

    The target of the citation's link stands inside the fold: browsers open it when the link is followed.
    """
    place = paper.places.get(citation.citation_id)
    if place is None or not (place.before or place.after or place.line):
        return ""
    head = paper.say("passage.around")
    if place.line is not None:
        head += ", " + paper.say("line", n=place.line)
    if place.changed:
        head += "; " + paper.say("passage.changed")
    return (
        f'<details><summary class="oj-sub">{escape(head)}</summary>'
        f"{chunk(citation.passage, place, identity=f'{paper.citing.prefix}-s{number}')}</details>"
    )


def chunk(marked: str, place: Surroundings, *, identity: str = "") -> str:
    """The passage as a marked stretch of the note's own text, dim text before and after it."""
    before = place.before[-AROUND_LIMIT:]
    after = place.after[:AROUND_LIMIT]
    cut = f"… (+{len(marked) - _PASSAGE_LIMIT:,})" if len(marked) > _PASSAGE_LIMIT else ""
    language = language_of_text(marked[:2000])
    attributes = (f' id="{identity}"' if identity else "") + (f' lang="{language}"' if language else "")
    first, last = (f'<span class="oj-dim">{escape(text)}</span>' if text else "" for text in (before, after))
    return f'<div class="oj-chunk"{attributes}>{first}<mark>{escape(marked[:_PASSAGE_LIMIT])}{cut}</mark>{last}</div>'
