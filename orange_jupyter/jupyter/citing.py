"""Numbers citations in order of first use and turns `[c3]` in Markdown tokens into links to the sources."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from markdown_it.token import Token

from orange_jupyter.core.corpus import Citation
from orange_jupyter.jupyter.markdown_rules import CITATION_GROUP, CITATION_ID
from orange_jupyter.jupyter.quotes import is_quoted, quotation_before, without_attribution
from orange_jupyter.jupyter.readings import block_words, words_of
from orange_jupyter.jupyter.strings import Language, text

_BETWEEN = frozenset(" \n\t—–-(（:：")


@dataclass(slots=True)
class Reading:
    """Where the walk through one text stands: the block quotation it is in or has just left."""

    depth: int = 0
    quoted: str = ""
    fresh: bool = False
    line: str = ""

    def claimed(self) -> str | None:
        """The quotation that a citation at this place vouches for, if there is one."""
        if self.depth:
            return without_attribution(self.quoted + self.line) or None
        if self.fresh and (not set(self.line) - _BETWEEN or _is_attribution(self.line)):
            return without_attribution(self.quoted)
        return quotation_before(self.line)

    def vouched(self) -> None:
        """A citation was written: inside a block quotation the next one vouches for the words after this one."""
        if self.depth:
            self.quoted, self.line = "", ""


@dataclass(slots=True)
class Citing:
    """The citations of one answer. `prefix` is the answer's HTML id; `around` adds text to a passage for the check.

    Not frozen: `numbers` grows in order of first use; `missing` holds the quotation that was not found, by id.
    `by_name`: links lead to the citation's id, not to its number, which another text of the turn may use too.
    """

    prefix: str
    language: Language = "en"
    known: Mapping[str, Citation] = field(default_factory=dict)
    around: Mapping[str, str] = field(default_factory=dict)
    numbers: dict[str, int] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)
    reading: Reading = field(default_factory=Reading)
    by_name: bool = False

    @property
    def used(self) -> tuple[Citation, ...]:
        """The citations that were used, in order of first use."""
        return tuple(self.known[name] for name in self.numbers)

    def link(self, name: str, quotation: str | None) -> str:
        """The HTML of one citation; `quotation` is the quotation that its source does not hold, or None."""
        if name not in self.known:
            label = html.escape(text(self.language, "source.unknown", id=name))
            return f'<span class="oj-cite is-off" title="{label}">[{name}?]</span>'
        number = self.numbers.setdefault(name, len(self.numbers) + 1)
        if quotation is not None:
            self.missing.setdefault(name, quotation)
        key, mark, off = ("source", "", "") if quotation is None else ("source.off", "?", " is-off")
        label = html.escape(text(self.language, key, n=number))
        target = name if self.by_name else f"s{number}"
        return f'<a class="oj-cite{off}" href="#{self.prefix}-{target}" aria-label="{label}">[{number}{mark}]</a>'

    def group(self, names: Sequence[str], quotation: str | None) -> str:
        """The HTML of citations that stand together: a quotation counts if one of their sources holds it."""
        known = [name for name in names if name in self.known]
        if quotation and known and any(is_quoted(quotation, self._source(name)) for name in known):
            quotation = None
        return " ".join(self.link(name, quotation) for name in names)

    def _source(self, name: str) -> str:
        return f"{self.known[name].passage}\n{self.around.get(name, '')}"


def _is_attribution(line: str) -> bool:
    """Whether words after a block quotation only name its source: `— Meng 2019 [c2]`."""
    return line.lstrip().startswith(("—", "–")) and len(line) <= 100


def cite(tokens: Iterable[Token], citing: Citing) -> None:
    """Replace citations in the text of the tokens, in place; code, links and math are left alone."""
    reading = citing.reading
    for token in tokens:
        if token.type == "blockquote_open":
            reading.quoted, reading.fresh = ("" if reading.depth == 0 else reading.quoted), False
            reading.depth += 1
        elif token.type == "blockquote_close":
            reading.depth -= 1
            reading.fresh = reading.depth == 0
        elif token.type == "inline":
            _cite_inline(token, citing, reading)
        elif reading.depth:
            reading.quoted += block_words(token)


def _cite_inline(token: Token, citing: Citing, reading: Reading) -> None:
    children: list[Token] = []
    links = 0
    for child in token.children or []:
        links += child.nesting if child.type in ("link_open", "link_close") else 0
        if child.type == "text" and not links:
            children += _cite_text(child, citing, reading)
        else:
            reading.line += words_of((child,))
            children.append(child)
    token.children = children
    if reading.depth:
        reading.quoted += reading.line + "\n"
    else:
        reading.fresh = False
    reading.line = ""


def _cite_text(token: Token, citing: Citing, reading: Reading) -> list[Token]:
    pieces: list[Token] = []
    start = 0
    for found in CITATION_GROUP.finditer(token.content):
        before = token.content[start : found.start()]
        reading.line += before
        pieces.append(Token("text", "", 0, content=before))
        shown = citing.group(CITATION_ID.findall(found.group()), reading.claimed())
        reading.vouched()
        space = " " if found.group().endswith((" ", "\n")) else ""
        pieces.append(Token("html_inline", "", 0, content=shown + space))
        start = found.end()
    reading.line += token.content[start:]
    pieces.append(Token("text", "", 0, content=token.content[start:]))
    return pieces
