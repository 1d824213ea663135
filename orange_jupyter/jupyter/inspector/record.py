"""What `%orange show` leaves in the notebook: a figure with the page's small picture, and its text (R-SAVE-1)."""

from __future__ import annotations

import html
from dataclasses import dataclass

from orange_jupyter.jupyter.figures import Figure, image
from orange_jupyter.jupyter.inspector import drawing
from orange_jupyter.jupyter.inspector.paper import Block, Leaf, Paper
from orange_jupyter.jupyter.markdown import escape
from orange_jupyter.jupyter.record_html import note, state, wrapped
from orange_jupyter.jupyter.record_text import plainly
from orange_jupyter.jupyter.sheet import href
from orange_jupyter.jupyter.strings import Language, text

_ALONE = (
    "<style>.jp-OutputArea-child:has(.oj-kept) ~ .jp-OutputArea-child .jp-OutputArea-output:not(:has(*))"
    "{display:none}</style>"
)
"""A live view that was saved and has no kernel any more shows a line of the host's; the figure says all."""


@dataclass(frozen=True, slots=True)
class Kept:
    """What a figure is made from; `identity` is its HTML id, by which the live view hides it."""

    paper: Paper
    leaf: Leaf
    figure: Figure | None
    language: Language
    identity: str = ""


def figure_html(kept: Kept) -> str:
    """The figure: title, picture or why there is none, the passage, the text folded, a link that Lab opens."""
    paper, leaf, language = kept.paper, kept.leaf, kept.language
    title = drawing.title(paper, leaf.part, language)
    side = escape(drawing.facts(paper, leaf, language))
    scan = drawing.scan_state(leaf, paper, language)
    word = state((scan["look"], scan["icon"]), scan["word"]) if scan else ""
    head = f'<header>{drawing.mark_icon()}<h3>{escape(title)}</h3> {word} <span class="oj-sub">{side}</span></header>'
    body = [drawing.notes(paper, leaf, language) if not leaf.hidden else "", _body(kept), _link(kept)]
    card = f'<section class="oj-card oj-kept" role="group" aria-label="{html.escape(title)}">{head}'
    return wrapped(f'{_ALONE}{card}<div class="oj-body">{"".join(body)}</div></section>', identity=kept.identity)


def figure_markdown(kept: Kept) -> str:
    """The title and the text, as Markdown that means nothing but itself."""
    leaf = kept.leaf
    title = f"**{plainly(drawing.title(kept.paper, leaf.part, kept.language))}**"
    words = leaf.text.strip() or _without_text(kept)
    paragraphs = [plainly(one) for one in words.split("\n\n") if one.strip()]
    return "\n\n".join([title, *paragraphs])


def _body(kept: Kept) -> str:
    """The picture with the passage beside it, or why there is no picture; then the whole text, folded."""
    paper, leaf, language = kept.paper, kept.leaf, kept.language
    if paper.file_type == "docx":
        return "".join(_block(one, leaf) for one in leaf.blocks)
    shown = kept.figure
    quote = f'<div class="oj-chunk">{_marked(leaf)}</div>' if leaf.marked else ""
    if shown is not None and shown.address:
        picture = image(shown, drawing.alternative(paper, leaf, language))
        caption = f'<p class="oj-sub">{escape(_caption(kept))}</p>{quote}'
        body = f'<figure class="oj-fig">{picture}<figcaption>{caption}</figcaption></figure>'
    else:
        masked = note("is-warn", "warning", escape(text(language, "look.kept.hidden", n=leaf.hidden)))
        body = (masked if leaf.hidden and leaf.picture is not None else "") + quote
    if not leaf.text.strip():
        return body + (f'<p class="oj-sub">{escape(_without_text(kept))}</p>' if shown is None else "")
    opened = "" if leaf.marked or shown is not None else " open"
    summary = escape(text(language, "look.whole"))
    return f'{body}<details class="oj-more"{opened}><summary>{summary}</summary>{drawing.words_of(leaf)}</details>'


def _caption(kept: Kept) -> str:
    leaf, language = kept.leaf, kept.language
    if kept.paper.file_type == "image":
        return _without_text(kept)
    page = text(language, "figure.page.of", n=leaf.part, pages=leaf.count)
    page = text(language, "figure.marked", page=page) if leaf.marks else page
    return page if leaf.text.strip() else page + text(language, "look.and") + _without_text(kept)


def _marked(leaf: Leaf) -> str:
    return f"<mark>{drawing.lines(drawing.flowing(leaf.marked))}</mark>"


def _block(block: Block, leaf: Leaf) -> str:
    """A DOCX block as a paragraph with its number; the asked one is marked."""
    if block.number != leaf.part:
        inner = f'<span class="oj-dim">{drawing.lines(block.text)}</span>'
    elif leaf.marked:
        inner = f"{drawing.lines(leaf.before)}<mark>{drawing.lines(leaf.marked)}</mark>{drawing.lines(leaf.after)}"
    else:
        inner = f"<mark>{drawing.lines(block.text)}</mark>"
    return f'<p><span class="oj-sub oj-num">{block.number}</span> {inner}</p>'


def _without_text(kept: Kept) -> str:
    key = "look.picture.hint" if kept.paper.file_type == "image" else "look.scan.hint"
    return text(kept.language, key)


def _link(kept: Kept) -> str:
    if not kept.paper.link:
        return ""
    page = kept.paper.file_type == "pdf"
    words = text(kept.language, "open.page", n=kept.leaf.part) if page else text(kept.language, "open.file")
    fragment = f"#page={kept.leaf.part}" if page else ""
    return f'<p><a href="{href(kept.paper.link)}{fragment}">{escape(words)}</a></p>'
