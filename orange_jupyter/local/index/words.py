"""What a query asks for, as pieces of an FTS5 expression: words, Chinese words, identifiers and quoted phrases."""

from __future__ import annotations

import logging
import re
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any

from orange_jupyter.core.paths import file_type
from orange_jupyter.local.index.tokens import CJK_RUN, bigrams, humps, name_token, normalised, tokens, unbroken

QUOTED = re.compile(r'"([^"]+)"|“([^”]+)”|「([^」]+)」|『([^』]+)』')
COMPOUND = re.compile(r"[^\W_]+(?:[._\-/:@#+'’]+[^\W_]+)*")
WORD = re.compile(r"[^\W_]+")
FUNCTION_WORDS = frozenset(
    match.group()
    for match in re.finditer(
        r'"[a-z]+"',
        '"a" "an" "and" "are" "as" "at" "be" "by" "for" "from" "has" "have" "how" "if" "in" "into" "is" "it" "its" "of"'
        ' "on" "or" "so" "such" "that" "the" "their" "them" "then" "there" "these" "they" "this" "to" "was" "were"'
        ' "what" "when" "where" "which" "who" "will" "with" "without" "you" "your"',
    )
)
"""English words that are in every third chunk: counting them costs more than the rest of a search, and they say
nothing. They count in quoted phrases, in identifiers and alone."""

PREFIX_FROM = 4
"""Letters from which a word also finds longer ones that begin with it (inflections that the stemmer leaves apart)."""

Cut = Callable[[str], Iterable[str]]
"""Splits a run of Chinese into words."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One thing to look for. `match` is an FTS5 phrase; it cannot be more frequent than any of its `probes`, which
    are words as they stand in the text; `prefix` probes for words that begin so. One that `widens` another piece is
    left out where that is frequent enough."""

    match: str
    probes: tuple[str, ...]
    prefix: bool = False
    widens: bool = False


@dataclass(frozen=True, slots=True)
class Question:
    """A parsed query: every one of `phrases` must be there, `pieces` decide the order."""

    phrases: tuple[Piece, ...]
    pieces: tuple[Piece, ...]

    @property
    def empty(self) -> bool:
        """Whether there is nothing to look for."""
        return not (self.phrases or self.pieces)


def parse(text: str, cut: Cut) -> Question:
    """The query's quoted phrases and its words, each once, in order of appearance."""
    plain, _ = unbroken(normalised(text))
    quoted = [next(filter(None, match.groups())) for match in QUOTED.finditer(plain)]
    phrases = [piece for phrase in quoted if (piece := _phrase(phrase))]
    rest = QUOTED.sub(" ", plain)
    pieces = list(_words(CJK_RUN.sub(" ", rest)))
    pieces = [piece for piece in pieces if piece.match.lower() not in FUNCTION_WORDS]
    for run in CJK_RUN.findall(rest):
        pieces.extend(_chinese(run, cut))
    if not (pieces or phrases):
        pieces = list(_words(rest))
    return Question(_once(phrases), _once(pieces))


def _once(pieces: list[Piece]) -> tuple[Piece, ...]:
    return tuple({piece.match: piece for piece in pieces}.values())


def _phrase(text: str) -> Piece | None:
    """Exactly these tokens in a row. A run of Chinese at the end may go on in the text, so its last character alone
    is left out, or is a prefix when there is no other."""
    spread = tokens(text)
    found = WORD.findall(spread)
    if not found:
        return None
    tail = CJK_RUN.search(text.rstrip(), max(0, len(text.rstrip()) - 1))
    if not tail:
        return Piece(_quote(" ".join(found)), tuple(found))
    if len(found) > 1 and len(found[-2]) == 2 and found[-2].endswith(found[-1]) and CJK_RUN.fullmatch(found[-2]):
        return Piece(_quote(" ".join(found[:-1])), tuple(found[:-1]))
    return Piece(_quote(" ".join(found)) + "*", tuple(found[:-1]) or (found[-1],), prefix=len(found) == 1)


def _words(text: str) -> Iterator[Piece]:
    for compound in COMPOUND.findall(text):
        parts = WORD.findall(compound)
        if len(parts) > 1:
            yield Piece(_quote(" ".join(parts)), tuple(parts))
        if file_type(compound) != "other":
            yield Piece(_quote(name_token(compound)), (name_token(compound),))
        for part in parts:
            yield Piece(_quote(part), (part,))
            inner = humps(part).split()
            if len(inner) > 1:
                yield Piece(_quote(" ".join(inner)), tuple(inner))
            yield from (Piece(_quote(word), (word,)) for word in inner if len(word) > 1)
            if len(part) >= PREFIX_FROM and part.isalpha() and _quote(part.lower()) not in FUNCTION_WORDS:
                yield Piece(_quote(part) + "*", (part,), prefix=True, widens=True)


def _chinese(run: str, cut: Cut) -> Iterator[Piece]:
    """Each word, and each two words that stand side by side: what is written as one in the text says most."""
    words = [word for word in cut(run) if CJK_RUN.fullmatch(word)]
    longer = [word for word in words if len(word) > 1]
    neighbours = [one + two for one, two in pairwise(longer) if len(one + two) > 2 and one + two in run]
    for word in (*longer, *neighbours):
        pairs = bigrams(word)
        yield Piece(_quote(pairs), tuple(pairs.split()))
    if not longer:  # single characters are mostly particles: they count only alone
        yield from (Piece(_quote(word) + "*", (word,), prefix=True) for word in words)


def _quote(words: str) -> str:
    return f'"{words}"'


def overlapping(run: str) -> list[str]:
    """Every two characters in a row: how Chinese is cut without a dictionary."""
    return bigrams(run).split() if len(run) > 1 else [run]


class Dictionary:
    """Cuts Chinese with jieba where it is installed, else into overlapping pairs. Loads on first use (about 1 s)."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._cut: Cut | None = None
        self._lock = threading.Lock()

    def cut(self, run: str) -> Iterable[str]:
        """The words of a run, in order; long words also in their parts."""
        with self._lock:
            if self._cut is None:
                self._cut = _jieba(self._folder) if find_spec("jieba") else overlapping
            return list(self._cut(run))


def _jieba(folder: Path) -> Cut:
    tokenizer = _tokenizer()
    if not tokenizer.initialized:
        if folder.is_dir():
            tokenizer.tmp_dir = str(folder)  # its own cache would lie in the shared temporary folder
        tokenizer.initialize()
    return tokenizer.cut_for_search  # type: ignore[no-any-return]


@cache
def _tokenizer() -> Any:
    """One for the process: it takes 1 s and 40 MB, whatever libraries there are."""
    import jieba

    jieba.setLogLevel(logging.WARNING)
    return jieba.Tokenizer()
