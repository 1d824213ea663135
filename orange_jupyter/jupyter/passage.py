"""A cited passage in its surroundings, right below the paragraph that cites it: the record's screen 6 (R-UI-3).

Static: following a citation's link opens the passage, because browsers open what holds the target of a link. Where our
style applies it is hidden until then; elsewhere it is a folded line below its paragraph (decision 0005).
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

from orange_jupyter.core.corpus import Citation
from orange_jupyter.jupyter.figures import LEFT, Figure, image
from orange_jupyter.jupyter.icons import icon
from orange_jupyter.jupyter.markdown import escape, language_of_text
from orange_jupyter.jupyter.sheet import Sheet, Surroundings, href, name, place_of
from orange_jupyter.jupyter.strings import Language, text

AROUND_LIMIT = 1500
NEAR = 300
LINES = 8
"""Characters and lines around a passage that are shown with it; more unfolds."""
BUDGET = 60_000
"""Characters of HTML that the passages of one record may take."""
_PASSAGE_LIMIT = 6000
_SPOKEN = 200
"""Characters of a passage that a picture's alternative text repeats; the whole stands beside it."""
_FULL = 0.7
"""Share of a paragraph's longest line from which a line counts as full: the column broke it, not its writer."""
_PARAGRAPH = re.compile(r"[^\n]+(?:\n[^\n]+)+")
_LINK = re.compile(r'<a (?=[^>]*class="oj-cite)[^>]*?href="#([\w-]+)-s(\d+)"')


@dataclass(frozen=True, slots=True)
class _Spot:
    """One passage below one paragraph: its number, and which time it is shown (1 for the first)."""

    number: int
    turn: int

    def identity(self, prefix: str, kind: str) -> str:
        """The HTML id of the passage (`s`) or of the citation that leads to it (`r`)."""
        return f"{prefix}-{kind}{self.number}" + (f"-{self.turn}" if self.turn > 1 else "")


def with_passages(paper: Sheet) -> tuple[str, frozenset[int]]:
    """(the answer with each cited passage below its paragraph, the numbers of those passages)."""
    shown: dict[int, int] = {}
    budget = BUDGET
    parts: list[str] = []
    for block in paper.blocks:
        panels = ""
        spots: dict[int, _Spot] = {}
        for number in dict.fromkeys(int(found[2]) for found in _LINK.finditer(block)):
            spot = _Spot(number, shown.get(number, 0) + 1)
            panel = _panel(paper, spot)
            size = len(panel) - (kept.room if (kept := _kept(paper, spot)) else 0)  # figures have a room of their own
            if size > budget:
                continue
            budget -= size
            shown[number] = spot.turn
            spots[number] = spot
            panels += panel
        parts.append(_linked(block, spots, shown) + panels)
    return "".join(parts), frozenset(shown)


def _linked(block: str, spots: dict[int, _Spot], shown: dict[int, int]) -> str:
    """The citations of a block lead to the passages below it; the first of each can be gone back to."""
    first: set[int] = set()

    def lead(found: re.Match[str]) -> str:
        prefix, number = found[1], int(found[2])
        spot = spots.get(number) or (_Spot(number, 1) if number in shown else None)
        if spot is None:
            return found[0]
        link = found[0].replace(f"#{prefix}-s{number}", target(spot.identity(prefix, "s")))
        if number in first or number not in spots:
            return link
        first.add(number)
        return link.replace("<a ", f'<a id="{spot.identity(prefix, "r")}" ', 1)

    return _LINK.sub(lead, block)


def target(identity: str) -> str:
    """The address of an id on the same page.

    JupyterLab takes a raw fragment for itself and only scrolls; the encoded one it leaves to the browser, which
    decodes it, opens the fold that holds the id, and scrolls.
    """
    return "#" + identity.replace("-", "%2D")


def _panel(paper: Sheet, spot: _Spot) -> str:
    citation = paper.used[spot.number - 1]
    place = paper.places.get(citation.citation_id) or Surroundings()
    title = f"[{spot.number}] {name(citation.path)}{place_of(citation, paper.language)}"
    missing = missing_note(paper.citing.missing.get(citation.citation_id), paper.language)
    links = [open_link(citation, place, paper.language), *_ways(paper, spot)]
    label = html.escape(paper.say("source", n=spot.number))
    return (
        f'<details class="oj-card oj-pass"><summary><b>{escape(title)}</b>'
        f' <span class="oj-sub">{escape(aside(place, paper.language))}</span></summary>'
        f'<div class="oj-body" id="{spot.identity(paper.citing.prefix, "s")}" tabindex="-1" role="group" '
        f'aria-label="{label}">{missing}{_body(paper, spot, place)}'
        f'<p class="oj-row">{" · ".join(link for link in links if link)}</p></div></details>'
    )


def _body(paper: Sheet, spot: _Spot, place: Surroundings) -> str:
    """The passage as text; of a PDF the page's picture beside it, or why there is none."""
    citation = paper.used[spot.number - 1]
    words = chunk(citation.passage, place, paper.language, flow=citation.file_type == "pdf")
    figure = _kept(paper, spot)
    if figure is not None:
        page = paper.say("figure.page.of" if figure.pages else "figure.page", n=citation.page, pages=figure.pages)
        page = paper.say("figure.marked", page=page) if figure.marked else page
        caption = f'<p class="oj-sub">{escape(page)}</p>{words}'
        shown = image(figure, _alternative(citation, figure, paper.language))
        return f'<figure class="oj-fig">{shown}<figcaption>{caption}</figcaption></figure>'
    if citation.citation_id in paper.kept:
        first = target(_Spot(spot.number, 1).identity(paper.citing.prefix, "s"))
        return f'<p class="oj-sub"><a href="{first}">{escape(paper.say("figure.first"))}</a></p>{words}'
    why = LEFT if place.figure is not None else place.no_figure
    said = escape(paper.say(f"figure.{why}", id=citation.citation_id)) if why else ""
    return (f'<p class="oj-sub">{said}</p>' if said else "") + words


def _kept(paper: Sheet, spot: _Spot) -> Figure | None:
    """The figure of a passage where it stands for the first time."""
    return paper.kept.get(paper.used[spot.number - 1].citation_id) if spot.turn == 1 else None


def _alternative(citation: Citation, figure: Figure, language: Language) -> str:
    passage = name(" ".join(citation.passage[:_SPOKEN].split())) + ("…" if len(citation.passage) > _SPOKEN else "")
    file = name(citation.path.rpartition("/")[2])
    key = "figure.alt.marked" if figure.marked else "figure.alt"
    return text(language, key, n=citation.page, name=file, passage=passage)


def _ways(paper: Sheet, spot: _Spot) -> list[str]:
    """Links back to the text, to the passage before and to the next one."""
    prefix = paper.citing.prefix
    back = target(spot.identity(prefix, "r"))
    links = [f'<a href="{back}">{escape(paper.say("passage.back"))}</a>']
    for number, key in ((spot.number - 1, "passage.previous"), (spot.number + 1, "passage.next")):
        if 1 <= number <= len(paper.used):
            address = target(_Spot(number, 1).identity(prefix, "s"))
            links.append(f'<a href="{address}">{escape(paper.say(key))} [{number}]</a>')
    return links


def aside(place: Surroundings, language: Language) -> str:
    """Line, and whether the file has changed since, in words."""
    where = text(language, "line", n=place.line) if place.line is not None else ""
    changed = text(language, "passage.changed") if place.changed else ""
    between = ("; " if language == "en" else "；") if where and changed else ""
    return where + between + changed


def open_link(citation: Citation, place: Surroundings, language: Language) -> str:
    """A link that opens the file: at its page, or at its heading where Lab's preview finds it; "" without a place."""
    if not place.link:
        return ""
    words, fragment = text(language, "open.file"), ""
    if citation.page is not None:
        words, fragment = text(language, "open.page", n=citation.page), f"#page={citation.page}"
    elif citation.file_type == "markdown" and citation.heading_path:
        heading = citation.heading_path[-1]
        words, fragment = text(language, "open.heading", heading=name(heading)), "#" + anchor(heading)
    return f'<a href="{href(place.link)}{html.escape(fragment)}">{escape(words)}</a>'


def anchor(heading: str) -> str:
    """The fragment of a heading as JupyterLab's Markdown preview makes it: spaces become hyphens."""
    return href(heading.strip().replace(" ", "-"))


def missing_note(quotation: str | None, language: Language) -> str:
    """That the passage does not hold what the answer claims to quote; "" where it does."""
    if quotation is None:
        return ""
    words = escape(text(language, "quote.missing", quote=name(quotation)))
    own = escape(text(language, "quote.own"))
    return f'<div class="oj-note is-warn">{icon("warning")} <span><b>{words}</b> {own}</span></div>'


def chunk(marked: str, place: Surroundings, language: Language, *, flow: bool = False) -> str:
    """The passage as a marked stretch of the note's own text, near text dim around it, more of it folded.

    With `flow` the lines of a paragraph, which a page's column broke, run on.
    """
    above, before = _split_before(place.before[-AROUND_LIMIT:])
    after, below = _split_after(place.after[:AROUND_LIMIT])
    cut = f"… (+{len(marked) - _PASSAGE_LIMIT:,})" if len(marked) > _PASSAGE_LIMIT else ""
    spoken = language_of_text(marked[:2000])
    attribute = f' lang="{spoken}"' if spoken else ""
    run: Callable[[str], str] = flowing if flow else str
    first, last = (f'<span class="oj-dim">{_lines(run(words))}</span>' if words else "" for words in (before, after))
    passage = f"{first}<mark>{_lines(run(marked[:_PASSAGE_LIMIT]))}{cut}</mark>{last}"
    return (
        _more(run(above), text(language, "passage.above"))
        + f'<div class="oj-chunk"{attribute}>{passage}</div>'
        + _more(run(below), text(language, "passage.below"))
    )


def flowing(words: str) -> str:
    """Text whose full lines run on into the next; short ones, such as a table's rows or a heading, keep their end."""
    return _PARAGRAPH.sub(lambda found: _joined(found.group()), words)


def _joined(paragraph: str) -> str:
    lines = paragraph.split("\n")
    full = max(map(len, lines)) * _FULL
    parts = [lines[0]]
    for before, line in pairwise(lines):
        tight = before[-1:] > "\u2e7f" and line[:1] > "\u2e7f"  # Chinese and Japanese have no space there
        parts += ["\n" if len(before) < full or not line else "" if tight else " ", line]
    return "".join(parts)


def _more(words: str, label: str) -> str:
    if not words.strip():
        return ""
    return (
        f'<details class="oj-more"><summary>{escape(label)}</summary>'
        f'<div class="oj-chunk"><span class="oj-dim">{_lines(words)}</span></div></details>'
    )


def _lines(words: str) -> str:
    """Text whose line breaks hold also where a host drops our style."""
    return escape(words).replace("\n", "<br>")


def _split_before(words: str) -> tuple[str, str]:
    """(far, near): cut where a line begins, so that no line is torn."""
    lines = words.splitlines(keepends=True)
    near = len(_near(lines[::-1]))
    at = sum(map(len, lines[: len(lines) - near])) if near else max(0, len(words) - NEAR)
    return words[:at].rstrip("\n"), words[at:]


def _split_after(words: str) -> tuple[str, str]:
    """(near, far)."""
    lines = words.splitlines(keepends=True)
    at = sum(map(len, _near(lines))) or NEAR
    return words[:at], words[at:].lstrip("\n")


def _near(lines: list[str]) -> list[str]:
    """The first lines that are few and short enough to stand with the passage; none where the first is too long."""
    taken = 0
    for at, line in enumerate(lines[:LINES]):
        taken += len(line)
        if taken > NEAR:
            return lines[:at]
    return lines[:LINES]
