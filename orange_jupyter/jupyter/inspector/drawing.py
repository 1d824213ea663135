"""What the inspector shows, as messages for the front end and as words: titles, facts, text, errors. All is escaped."""

from __future__ import annotations

import html
import posixpath
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

from orange_jupyter.core.codes import Code
from orange_jupyter.core.document import Box, Picture
from orange_jupyter.core.errors import OrangeError
from orange_jupyter.core.visible import visible
from orange_jupyter.jupyter.icons import icon
from orange_jupyter.jupyter.inspector.paper import UNITS, Block, Leaf, Others, Paper
from orange_jupyter.jupyter.markdown import escape, language_of_text
from orange_jupyter.jupyter.record_html import note, state
from orange_jupyter.jupyter.sheet import name
from orange_jupyter.jupyter.strings import Language, text

TEXT_LIMIT = 40_000
MARK_WORDS = 120
LINE, FULL, CJK = 14, 0.6, "\u2e80"
"""A line of a paragraph is joined to the next where it is over FULL of the longest, which has LINE characters or more;
two wide characters are joined without a space."""
_UNITS_OF_SIZE = (("MB", 1_048_576), ("KB", 1024))


def unit_of(paper: Paper) -> str:
    """`page`, `block` or `picture`."""
    return UNITS[paper.file_type]


def title(paper: Paper, part: int, language: Language) -> str:
    """The file's name and which part of it."""
    unit = unit_of(paper)
    base = name(posixpath.basename(paper.name))
    return (
        base if unit == "picture" else base + text(language, "look.and") + text(language, f"look.part.{unit}", n=part)
    )


def facts(paper: Paper, leaf: Leaf, language: Language) -> str:
    """`papers, 14 pages, 1.8 MB, text layer, two columns`."""
    unit = unit_of(paper)
    parts = [name(paper.base)] if paper.base else []
    if unit != "picture":
        parts.append(text(language, f"look.{unit}s", n=leaf.count))
    parts.append(size(leaf.size))
    if unit == "page" and leaf.columns > 0:
        parts.append(text(language, "look.layer"))
    if unit == "page" and leaf.columns > 1:
        key = "look.columns.two" if leaf.columns == 2 else "look.columns"
        parts.append(text(language, key, n=leaf.columns))
    if unit == "picture" and leaf.picture is not None:
        shown = leaf.picture
        width, height = shown.original_width or shown.width, shown.original_height or shown.height
        parts.append(text(language, "look.pixels", width=f"{width:,}", height=f"{height:,}"))
        if shown.frames > 1:
            parts.append(text(language, "look.frames", n=shown.frames))
    return text(language, "look.and").join(parts)


def size(count: int) -> str:
    """Bytes for people: `412 KB`, `1.8 MB`."""
    for word, unit in _UNITS_OF_SIZE:
        if count >= unit:
            amount = count / unit
            return f"{amount:.1f} {word}" if word == "MB" and amount < 10 else f"{amount:,.0f} {word}"
    return f"{count} B"


def aside(others: Others, language: Language) -> str:
    """Which of the page's cited passages this is; "" where it is the only one."""
    return text(language, "look.others", n=others.number, all=others.of) if others.of > 1 else ""


def alternative(paper: Paper, leaf: Leaf, language: Language) -> str:
    """The picture's alternative text; it names the passage that is marked."""
    unit = unit_of(paper)
    page = text(language, f"look.alt.{unit}", n=leaf.part, name=name(posixpath.basename(paper.name)))
    if not leaf.marks or not leaf.marked:
        return page
    words = " ".join(leaf.marked.split())
    words = words if len(words) <= MARK_WORDS else words[:MARK_WORDS].rstrip() + "…"
    return text(language, "look.alt.marked", page=page, words=visible(words)[0])


def frames(marks: Sequence[Box]) -> list[Box]:
    """The outlines of marked lines: lines that follow each other in a column have one together."""
    found: list[Box] = []
    for box in marks:
        if found and _follows(found[-1], box):
            x0, y0, x1, y1 = found[-1]
            found[-1] = (min(x0, box[0]), y0, max(x1, box[2]), max(y1, box[3]))
        else:
            found.append(box)
    return found


def _follows(above: Box, below: Box) -> bool:
    shared = min(above[2], below[2]) - max(above[0], below[0])
    return shared > 0 and below[1] > above[1] and below[1] - above[3] < 0.8 * (below[3] - below[1])


def beside(paper: Paper, leaf: Leaf, language: Language) -> str:
    """The tab Text: the part's text in reading order, the passage marked, what there is to say about it."""
    unit = unit_of(paper)
    if unit == "picture":
        return _sub(text(language, "look.picture.hint"))
    if not leaf.text.strip():
        scan = unit == "page" and leaf.columns == 0
        return _sub(text(language, "look.scan.hint" if scan or unit == "page" else "look.empty"))
    head = _sub(text(language, "look.order")) if unit == "page" else ""
    return head + words_of(leaf)


def words_of(leaf: Leaf) -> str:
    """The part's text as HTML: dim around the passage, plain where there is none."""
    spoken = language_of_text(leaf.text[:2000])
    attribute = f' lang="{spoken}"' if spoken else ""
    if not leaf.marked:
        return f'<div class="oj-leaf"{attribute}>{lines(flowing(leaf.text[:TEXT_LIMIT]))}</div>'
    before, after = leaf.before[-TEXT_LIMIT:], leaf.after[:TEXT_LIMIT]
    dim = (f'<span class="oj-dim">{lines(flowing(words))}</span>' if words else "" for words in (before, after))
    first, last = dim
    return f'<div class="oj-leaf"{attribute}>{first}<mark>{lines(flowing(leaf.marked))}</mark>{last}</div>'


def flowing(words: str) -> str:
    """A page's text with the lines of a paragraph joined: they broke at the column's width, not at the reader's.

    A line that is clearly shorter than the longest of its paragraph keeps its break, as in tables, lists and verse.
    """
    return "\n\n".join(_flowing(part) for part in words.split("\n\n"))


def _flowing(paragraph: str) -> str:
    lines = paragraph.split("\n")
    longest = max(map(len, lines))
    if longest < LINE:
        return paragraph
    joined = lines[0]
    for line, following in pairwise(lines):
        full = len(line) > FULL * longest
        wide = bool(line and following) and line[-1] > CJK and following[0] > CJK
        joined += ("" if wide else " ") + following if full else "\n" + following
    return joined


def notes(paper: Paper, leaf: Leaf, language: Language) -> str:
    """What a person must know about this part: changed since, passage lost, masked values."""
    found = []
    if leaf.lost:
        found.append(note("is-warn", "warning", escape(text(language, "look.lost"))))
    elif leaf.changed:
        key = "look.changed.cited" if paper.citation_id else "look.changed"
        found.append(note("", "info", escape(text(language, key))))
    if leaf.hidden and leaf.picture is not None:
        found.append(note("is-warn", "warning", escape(text(language, "look.hidden", n=leaf.hidden))))
    if leaf.fault:
        found.append(note("is-bad", "cross", escape(text(language, "look.fault", reason=name(leaf.fault)))))
    return "".join(found)


def blocks_of(paper: Paper, leaf: Leaf, language: Language) -> str:
    """A DOCX's blocks: the asked one marked, its neighbours dim; a picture's place is an `img` that is filled later."""
    file = name(posixpath.basename(paper.name))
    alt = partial(text, language, "look.alt.block", name=file)
    return "".join(_block(one, leaf, (alt(n=one.number), text(language, "look.no_picture"))) for one in leaf.blocks)


def pictures_of(leaf: Leaf) -> list[Picture]:
    """The pictures that go with a leaf, in the order of their `img` places."""
    own = [leaf.picture] if leaf.picture is not None else []
    return own + [one.picture for one in leaf.blocks if one.picture is not None]


def _block(block: Block, leaf: Leaf, words: tuple[str, str]) -> str:
    """One block; `words` are its picture's alternative text, and what is said where it cannot be shown."""
    shown = block.text[:TEXT_LIMIT]
    if block.number == leaf.part and leaf.marked:
        parts = (lines(leaf.before), f"<mark>{lines(leaf.marked)}</mark>", lines(leaf.after))
        inner = "".join(parts)
    else:
        inner = f"<mark>{lines(shown)}</mark>" if block.number == leaf.part and shown else lines(shown)
    if block.picture is not None:
        inner = f'<img data-picture alt="{html.escape(words[0])}">' + (f"<br>{inner}" if inner else "")
    elif block.kind == "image":
        inner += f" <i>{escape(words[1])}</i>"
    look = f"oj-blk is-{block.kind}" + (" is-here" if block.number == leaf.part else "")
    number = f'<span class="oj-sub oj-num">{block.number}</span>'
    return f'<div class="{look}">{number}<div>{inner}</div></div>'


def wrong(paper: Paper, part: int, error: OrangeError, language: Language) -> str:
    """A slim card that says what went wrong: no such page, gone, damaged, encrypted …"""
    base = name(posixpath.basename(paper.name))
    code = getattr(error, "code", None)
    hint = error.hint or ""
    word, message = text(language, "look.wrong"), error.message
    if code is Code.OUT_OF_RANGE:
        kind = ".block" if unit_of(paper) == "block" else ""
        word = text(language, f"look.wrong.range{kind}")
        message = text(language, f"look.wrong.range{kind}.is", name=base, last=_last(error), n=part)
        hint = ""
    elif code is Code.NOT_FOUND:
        word = text(language, "look.wrong.gone")
        message, hint = text(language, "look.wrong.gone.is", name=base), text(language, "look.wrong.gone.hint")
    return card(word, message, hint)


def card(word: str, message: str, hint: str = "") -> str:
    """The card of an error, with a red edge."""
    body = f'<div class="oj-body">{escape(name(hint))}</div>' if hint else ""
    head = f'{state(("is-bad", "cross"), word)} <h3 tabindex="-1">{escape(name(message))}</h3>'
    label = html.escape(word)
    return f'<div class="oj-card is-slim is-bad" role="group" aria-label="{label}"><header>{head}</header>{body}</div>'


def _last(error: OrangeError) -> object:
    details: Mapping[str, Any] = getattr(error, "details", None) or {}
    valid = details.get("valid")
    return details.get("last") or (valid[1] if isinstance(valid, list | tuple) and len(valid) == 2 else "?")


def unquoted(language: Language) -> dict[str, str]:
    """The state in the head: the quotation is not in the source."""
    return {"look": "is-warn", "icon": "warning", "word": text(language, "quote.off")}


def scan_state(leaf: Leaf, paper: Paper, language: Language) -> dict[str, str] | None:
    """The state in the head: `No text layer`; None for a page that has one."""
    if unit_of(paper) != "page" or leaf.columns > 0:
        return None
    return {"look": "is-warn", "icon": "warning", "word": text(language, "look.scan")}


def lines(words: str) -> str:
    """Text whose line breaks hold also where a host drops our style; invisible characters as escapes."""
    return escape(words.encode("utf-8", "replace").decode("utf-8")).replace("\n", "<br>")


def _sub(words: str) -> str:
    return f'<p class="oj-sub">{escape(words)}</p>'


def mark_icon() -> str:
    """The icon of a file with pages."""
    return icon("document")
