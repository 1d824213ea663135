"""How Markdown is parsed and written: tables, strikethrough, math that stays TeX, text that never becomes math."""

from __future__ import annotations

import html
import re
from collections.abc import MutableMapping, Sequence
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from mdit_py_plugins.dollarmath import dollarmath_plugin

CITATION_GROUP = re.compile(r"(?:\[c\d{1,6}(?:\s*[,;，；、]\s*c\d{1,6})*\]\s?)+")
INLINE_LIMIT = 10_000
_TEX_LIMIT = 2000
CITATION_ID = re.compile(r"c\d{1,6}")
_HAN = re.compile(r"[\u3400-\u9fff\U00020000-\U0003ffff]")
_OTHER_CJK = re.compile(r"[\u3040-\u30ff\uac00-\ud7af]")
_LETTER = re.compile(r"[^\W\d_]")
# TeX that makes links, loads files, names classes and ids or defines commands is shown as source, never typeset.
_UNSAFE_TEX = re.compile(
    r"\\(?:href|url|class|cssid|style|require|html\w*|data|include\w*|input|unicode|toggle|texttip|tooltip|mathtip|"
    r"(?:re)?newcommand|newenvironment|def|let|bbox|mmltoken)(?![a-z])",
    re.IGNORECASE,
)
_LEVELS = {"h1": "h4", "h2": "h4", "h3": "h5", "h4": "h6", "h5": "h6", "h6": "h6"}


def parser() -> MarkdownIt:
    """A parser without raw HTML, pictures kept as tokens for the caller to replace."""
    md = MarkdownIt("js-default", {"html": False, "linkify": False, "typographer": False})
    dollarmath_plugin(md, allow_labels=False, allow_blank_lines=False)
    md.inline.ruler.at("math_inline", _tex_dollars)
    md.inline.ruler.before("escape", "tex_brackets", _tex_brackets)
    md.core.ruler.after("block", "drop_citation_references", _drop_citation_references)
    md.core.ruler.before("inline", "plain_giants", _plain_giants)
    md.add_render_rule("math_block", _math)
    md.add_render_rule("tex", _math)
    md.add_render_rule("text", _text)
    md.add_render_rule("fence", _fence)
    md.add_render_rule("code_block", _fence)
    return md


def escape(text: str) -> str:
    """Text as HTML that a later math pass leaves alone: each `$` and backslash stands in an element of its own."""
    return html.escape(text).replace("\\", "<span>\\</span>").replace("$", "<span>$</span>")


def language_of_text(text: str) -> str | None:
    """`zh` where at least a third of the letters are Han and none are kana or hangul; else None."""
    han = len(_HAN.findall(text))
    if not han or _OTHER_CJK.search(text):
        return None
    return "zh" if 3 * han >= len(_LETTER.findall(text)) else None


def dress(tokens: Sequence[Token]) -> None:
    """Set language, heading levels, column alignment and table scope on tokens, in place."""
    for place, token in enumerate(tokens):
        if token.type in ("heading_open", "heading_close"):
            token.tag = _LEVELS[token.tag]
        if token.type in ("th_open", "td_open"):
            _dress_cell(token)
        if token.type == "inline":
            _set_language(tokens, place)


def _dress_cell(token: Token) -> None:
    style = str(token.attrs.pop("style", ""))
    if style == "text-align:right":
        token.attrs["class"] = "n"
    if token.type == "th_open":
        token.attrs["scope"] = "col"


def _set_language(tokens: Sequence[Token], place: int) -> None:
    language = language_of_text(tokens[place].content[:2000])
    if language is None or place == 0:
        return
    holder = tokens[place - 1]
    if holder.hidden and place > 1:  # a tight list: its paragraphs are not written
        holder = tokens[place - 2]
    holder.attrs["lang"] = language


def _drop_citation_references(state: StateCore) -> None:
    """Without this a text that defines `[c3]: http://…` would turn a citation into a link of its own."""
    references: MutableMapping[str, Any] = state.env.get("references", {})
    for label in [label for label in references if CITATION_ID.fullmatch(label.casefold())]:
        del references[label]


def _plain_giants(state: StateCore) -> None:
    """Paragraphs that would cost quadratic time stay plain text: 100,000 brackets took 8 s, 10,000 take 0.1 s."""
    for token in state.tokens:
        if token.type == "inline" and (len(token.content) > INLINE_LIMIT or token.content.count("[") > 1000):
            token.type, token.content = "html_block", escape(token.content)


def _tex_brackets(state: StateInline, silent: bool) -> bool:
    r"""Take `\( … \)` and `\[ … \]` as math, as many models write it."""
    opening = state.src[state.pos : state.pos + 2]
    if opening not in ("\\(", "\\["):
        return False
    closing = "\\)" if opening == "\\(" else "\\]"
    end = state.src.find(closing, state.pos + 2)
    if end < 0 or end >= state.posMax:
        return False
    if not silent:
        _push_tex(state, state.src[state.pos + 2 : end], "$" if opening == "\\(" else "$$")
    state.pos = end + 2
    return True


def _tex_dollars(state: StateInline, silent: bool) -> bool:
    """Take `$…$` and `$$…$$` as math, and leave prices alone.

    As Pandoc reads it: no space inside the dollars, no digit before the first or after the last. (The plugin's own
    rule looks at the text's last character where a formula stands at its beginning.)
    """
    if state.src[state.pos] != "$":
        return False
    mark = "$$" if state.src.startswith("$$", state.pos) else "$"
    start = state.pos + len(mark)
    if (state.pos and state.src[state.pos - 1].isdigit()) or (state.src[start : start + 1].isspace() and mark == "$"):
        return False
    end = _tex_end(state, start, mark)
    if end is None:
        return False
    if not silent:
        _push_tex(state, state.src[start:end], mark)
    state.pos = end + len(mark)
    return True


def _tex_end(state: StateInline, start: int, mark: str) -> int | None:
    end = state.src.find(mark, start, min(state.posMax, start + _TEX_LIMIT))
    while end >= 0:
        before, after = state.src[end - 1], state.src[end + len(mark) : end + len(mark) + 1]
        if end > start and before != "\\" and (mark == "$$" or not (before.isspace() or after.isdigit())):
            return end
        end = state.src.find(mark, end + 1, min(state.posMax, start + _TEX_LIMIT))
    return None


def _push_tex(state: StateInline, content: str, mark: str) -> None:
    token = state.push("tex", "", 0)
    token.content = content
    token.markup = mark


def _math(_: Any, tokens: Sequence[Token], place: int, *__: Any) -> str:
    token = tokens[place]
    source = f"{token.markup}{token.content}{token.markup}"
    block = token.type == "math_block"
    if _UNSAFE_TEX.search(token.content) or "$" in token.content:
        return f"<pre><code>{html.escape(source)}</code></pre>" if block else f"<code>{html.escape(source)}</code>"
    tag = "div" if block else "span"
    return f'<{tag} class="oj-math">{html.escape(source)}</{tag}>'


def _text(_: Any, tokens: Sequence[Token], place: int, *__: Any) -> str:
    return escape(tokens[place].content)


def _fence(_: Any, tokens: Sequence[Token], place: int, *__: Any) -> str:
    return f"<pre><code>{html.escape(tokens[place].content)}</code></pre>\n"
