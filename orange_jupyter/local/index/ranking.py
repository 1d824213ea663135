"""Turns a question into the FTS5 expression for one index, within a budget of how many chunks it may touch."""

from __future__ import annotations

import math
import sqlite3
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from orange_jupyter.local.index.tokens import FTS_TOKENIZER
from orange_jupyter.local.index.words import Piece, Question

BUDGET_SHARE = 10
"""The commonest words select no candidates once the kept ones' chunks exceed a tenth of all: measured, a third of the
time; since they still add to the candidates' scores, no hit was lost against a fifth."""
BUDGET_FLOOR = 4_000
KEPT = 2
RARE_SHARE, RARE_FLOOR = 200, 20
"""A word that stands in more chunks than this finds enough by itself: longer words that begin with it would only
use up the budget."""


@dataclass(frozen=True, slots=True)
class Frequencies:
    """In how many of `total` chunks each piece occurs at most."""

    total: int
    counts: Mapping[str, int]

    def plus(self, other: Frequencies) -> Frequencies:
        """Of two indexes together."""
        counts = dict(self.counts)
        for match, count in other.counts.items():
            counts[match] = counts.get(match, 0) + count
        return Frequencies(self.total + other.total, counts)

    def weight(self, pieces: Iterable[Piece]) -> float:
        """What FTS5 makes the pieces weigh together in this index: next to nothing where most chunks have them."""
        return sum(map(self.inverse, pieces))

    def smooth_weight(self, pieces: Iterable[Piece]) -> float:
        """The same by a formula that never comes near zero."""
        found = [self.counts.get(piece.match, 0) for piece in pieces]
        return sum(math.log1p((max(self.total - count, 0) + 0.5) / (count + 0.5)) for count in found)

    def inverse(self, piece: Piece) -> float:
        """What FTS5 makes one piece weigh: inverse document frequency, with its floor."""
        count = self.counts.get(piece.match, 0)
        raw = math.log((self.total - count + 0.5) / (count + 0.5)) if count < self.total + 0.5 else 0.0
        return max(raw, 1e-6)


class Stems:
    """What FTS5's own stemmer makes of words, asked from a scratch table in memory. Any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._table: sqlite3.Connection | None = None

    def of(self, words: Iterable[str]) -> dict[str, str]:
        """Each word with its stem; "" for what is no word to FTS5."""
        numbered = sorted(set(words))
        stems = dict.fromkeys(numbered, "")
        with self._lock:
            table = self._table = self._table or _scratch_table()
            table.execute("BEGIN")
            table.executemany("INSERT INTO words (rowid, word) VALUES (?, ?)", enumerate(numbered))
            for number, stem in table.execute("SELECT doc, term FROM stems ORDER BY doc, offset DESC"):
                stems[numbered[number]] = stem
            table.execute("ROLLBACK")
        return stems

    def close(self) -> None:
        """Free the scratch table."""
        with self._lock:
            if self._table is not None:
                self._table.close()
            self._table = None


def _scratch_table() -> sqlite3.Connection:
    table = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    table.execute(f"CREATE VIRTUAL TABLE words USING fts5 (word, tokenize='{FTS_TOKENIZER}')")
    table.execute("CREATE VIRTUAL TABLE stems USING fts5vocab (words, instance)")
    return table


def count(connection: sqlite3.Connection, question: Question, stems: Mapping[str, str]) -> Frequencies:
    """Ask an index how frequent a question's pieces are."""
    total = connection.execute("SELECT count(*) FROM chunk").fetchone()[0]
    cache: dict[tuple[str, bool], int] = {}

    def frequency(word: str, *, prefix: bool) -> int:
        key = (stems.get(word, ""), prefix)
        if key not in cache:
            cache[key] = _frequency(connection, *key)
        return cache[key]

    rare = max(total // RARE_SHARE, RARE_FLOOR)
    counts = {}
    for piece in question.phrases + question.pieces:
        if piece.widens and frequency(piece.probes[0], prefix=False) > rare:
            continue
        counts[piece.match] = min(total, *(frequency(word, prefix=piece.prefix) for word in piece.probes))
    return Frequencies(total, counts)


def _frequency(connection: sqlite3.Connection, stem: str, prefix: bool) -> int:
    if not stem:
        return 0
    if not prefix:
        row = connection.execute("SELECT doc FROM frequency WHERE term = ?", (stem,)).fetchone()
        return int(row[0]) if row else 0
    found = connection.execute(
        "SELECT coalesce(sum(doc), 0) FROM frequency WHERE term >= ? AND term < ?", (stem, stem + "\U0010ffff")
    )
    return int(found.fetchone()[0])


@dataclass(frozen=True, slots=True)
class Plan:
    """The pieces that select and rank the candidates, and those that only add to the candidates' scores."""

    selecting: tuple[Piece, ...]
    adding: tuple[Piece, ...]


def plan(question: Question, frequencies: Frequencies) -> Plan:
    """The rarest pieces that occur select, until the budget is used up; at least two."""
    there = [piece for piece in question.pieces if frequencies.counts.get(piece.match)]
    there.sort(key=lambda piece: (frequencies.counts[piece.match], piece.match))
    budget = max(frequencies.total // BUDGET_SHARE, BUDGET_FLOOR)
    spent = kept = 0
    for piece in there:
        spent += frequencies.counts[piece.match]
        if spent > budget and kept >= KEPT:
            break
        kept += 1
    return Plan(tuple(there[:kept]), tuple(piece for piece in there[kept:] if not piece.widens))


class Addition:
    """What the pieces beyond the budget add to a candidate's score: BM25 over its own text, of average length.

    A common word costs too much to look up in every chunk that has it, but little in a hundred candidates.
    """

    def __init__(self, plan: Plan, frequencies: Frequencies, stems: Mapping[str, str]) -> None:
        self._terms = [
            (" " + term if len(term) < 4 and term.isascii() else term, frequencies.inverse(piece))
            for piece in plan.adding
            if len(piece.probes) == 1 and (term := stems.get(piece.probes[0], ""))
        ]

    def of(self, text: str) -> float:
        """The score that `text` adds."""
        if not self._terms:
            return 0.0
        plain = text.lower()
        score = 0.0
        for term, weight in self._terms:
            times = plain.count(term)
            score += weight * times * 2.2 / (times + 1.2)
        return score


def expression(phrases: Iterable[Piece], pieces: Iterable[Piece]) -> str:
    """The FTS5 MATCH string: all phrases, ranked by them and by the pieces."""
    needed = " AND ".join(piece.match for piece in phrases)
    wanted = " OR ".join(piece.match for piece in pieces)
    if not needed:
        return wanted
    return f"({needed}) AND (({needed}) OR {wanted})" if wanted else needed
