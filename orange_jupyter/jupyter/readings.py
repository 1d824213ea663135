"""The words of a note without its Markdown: what a person reads, so that a quotation is compared with words."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable
from functools import lru_cache

from markdown_it import MarkdownIt
from markdown_it.token import Token

from orange_jupyter.jupyter.markdown_rules import parser

READ_LIMIT = 40_000
"""Characters of a source that are parsed; a passage with its surroundings has at most some thousands."""

_BREAKS = ("softbreak", "hardbreak")
_WORDS = ("text", "code_inline", "tex")
_BLOCKS = ("fence", "code_block", "math_block")
# only what formats prose: `<script setup>` and `list<T>` are words of a note
_TAGS = (
    "a|b|br|center|code|del|details|div|em|font|h[1-6]|hr|i|img|kbd|"
    "li|mark|ol|p|pre|small|span|strong|sub|summary|sup|t[dhr]|table|tbody|thead|u|ul"
)
_MARKS = (
    (re.compile(r"!?\[\[(?:[^\[\]|\n]*\|)?([^\[\]|\n]+)\]\]"), r"\1"),  # wiki links: the alias, else the name
    (re.compile(r"!\[([^\[\]]*)\](?:\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)|\[[^\[\]]*\])"), r"\1"),
    (re.compile(r"\[([^\[\]]+)\](?:\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)|\[[^\[\]]*\])"), r"\1"),
    (re.compile(r"\[([^\[\]]+)\]\([^()\n]*\Z"), r"\1"),  # a link that an ellipsis cut off
    (re.compile(r"\[\^[^\[\]\s]+\]:?"), " "),
    (re.compile(r"\{\s*[#.:][^{}\n]*\}"), " "),  # attributes of a heading or a link
    (re.compile(rf"</?(?:{_TAGS})\b[^<>\n]{{0,300}}>", re.IGNORECASE), " "),
    (re.compile(r"<((?:https?://|mailto:)[^<>\s]+)>"), r"\1"),
    (
        re.compile(r"(?m)^[ \t>]*\|?(?:[ \t]*:?-{2,}:?[ \t]*\|)+(?:[ \t]*:?-{2,}:?)?[ \t]*$"),
        " ",
    ),  # the line below a table's head
    (re.compile(r"(?m)^([ \t>]*)(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?"), r"\1"),
    (re.compile(r"(?m)^([ \t>]*)\[[ xX]\][ \t]+"), r"\1"),
)


def unmarked(text: str) -> str:
    """The text without links' targets, wiki links' names, tags, list marks and the like: by rule, line by line."""
    for pattern, by in _MARKS:
        text = pattern.sub(by, text)
    return html.unescape(text)


def words_of(children: Iterable[Token]) -> str:
    """What a person reads of inline tokens; a picture stands for its words."""
    return "".join("\n" if child.type in _BREAKS else _word(child) for child in children)


def block_words(token: Token) -> str:
    """What a person reads of a block that holds no inline tokens: code and formulas; else nothing."""
    return token.content if token.type in _BLOCKS else ""


@lru_cache(maxsize=64)
def readings(source: str) -> tuple[str, ...]:
    """The ways to read a Markdown source: as it is written, without its marks, and as the parser reads it."""
    tokens = _parser().parse(source[:READ_LIMIT])
    parsed = "\n".join(words_of(one.children or ()) if one.type == "inline" else block_words(one) for one in tokens)
    return source, unmarked(source), unmarked(parsed)


def _word(child: Token) -> str:
    if child.type == "image":
        return child.content
    return child.content if child.type in _WORDS else ""


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    return parser()
