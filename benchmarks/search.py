"""Search at 100,000 chunks against its goals and against tantivy and a plain FTS5 bigram index, in one run.

`rows()` gives the table; `python -m benchmarks.run search` prints it. Times are CPU milliseconds of this process.
"""

from __future__ import annotations

import asyncio
import csv
import os
import random
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import tantivy

from benchmarks import Row, at_least, at_most
from orange_jupyter.core.corpus import SearchQuery
from orange_jupyter.core.document import Extract
from orange_jupyter.core.paths import KnowledgeBase
from orange_jupyter.documents.extract import LocalDocuments
from orange_jupyter.local.index import choosing, finding
from orange_jupyter.local.index.database import Database
from orange_jupyter.local.index.ranking import Stems
from orange_jupyter.local.index.records import FileWords, Record
from orange_jupyter.local.index.refreshing import BATCH_FILES
from orange_jupyter.local.index.shelf import Shelf
from orange_jupyter.local.index.tokens import CJK_RUN, bigrams, normalised, tokens
from orange_jupyter.local.index.words import WORD, Dictionary, parse
from orange_jupyter.local.scan import Seen

CHUNKS = 100_000
ROUNDS = 5
"""How often each query is asked; its median counts, since other work on the machine makes single times jump."""


@dataclass(frozen=True)
class Note:
    """One extracted file."""

    path: str
    size: int
    extract: Extract


def data_folder() -> Path:
    """Where the public test files lie: beside this checkout or where ORANGE_TEST_DATA says."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    return Path(os.environ.get("ORANGE_TEST_DATA", beside))


async def load(folder: Path) -> list[Note]:
    """Every note of the corpus, extracted as the index extracts it."""
    documents = LocalDocuments()
    notes = []
    for path in sorted(folder.rglob("*.md")):
        data = path.read_bytes()
        extract = await documents.extract(data, "markdown", name=path.name)
        notes.append(Note(path.relative_to(folder).as_posix(), len(data), extract))
    await documents.close()
    return notes


def scaled(notes: list[Note], chunks: int) -> Iterator[Note]:
    """The corpus again and again under other names, two new words in each chunk, until there are enough chunks."""
    made = copy = 0
    while made < chunks:
        for note in notes:
            more = tuple(
                replace(chunk, text=f"{chunk.text} copy{copy}word c{copy}n{number}x")
                for number, chunk in enumerate(note.extract.chunks, made)
            )
            made += len(more)
            yield Note(f"copy {copy}/{note.path}", note.size, replace(note.extract, chunks=more))
        copy += 1


def record(note: Note, inode: int) -> Record:
    """As a refresh would write it."""
    return Record(Seen(note.path, note.size, 10**18, inode, "markdown"), 2 * 10**18, f"sha256:{inode}", note.extract)


def put_all(shelf: Shelf, notes: list[Note], batch: int = BATCH_FILES) -> float:
    """CPU seconds to index everything, tokens made here included."""
    started = time.process_time()
    for first in range(0, len(notes), batch):
        shelf.put([record(note, first + number) for number, note in enumerate(notes[first : first + batch])])
    shelf.settle()
    return time.process_time() - started


def tantivy_all(folder: Path, notes: list[Note]) -> float:
    """CPU seconds of tantivy for the same tokens, made in the same way."""
    builder = tantivy.SchemaBuilder()
    for name in ("title", "headings", "body", "rest"):
        builder.add_text_field(name, stored=False, tokenizer_name="en_stem")
    builder.add_text_field("key", stored=True, tokenizer_name="raw")
    folder.mkdir()
    started = time.process_time()
    writer = tantivy.Index(builder.build(), path=str(folder)).writer(heap_size=64_000_000, num_threads=1)
    for note in notes:
        words = FileWords.of(note.path, note.extract.title, note.extract.tags)
        for chunk in note.extract.chunks:
            title, headings, body, rest = words.columns(chunk.text, chunk.heading_path)
            writer.add_document(tantivy.Document(title=title, headings=headings, body=body, rest=rest, key=note.path))
    writer.commit()
    writer.wait_merging_threads()
    return time.process_time() - started


class Searcher:
    """Our search over one shelf, from the query's text to the chosen passages."""

    def __init__(self, shelf: Shelf, folder: Path) -> None:
        self.shelf, self.dictionary, self.stems = shelf, Dictionary(folder), Stems()
        self.base = KnowledgeBase("bench", "bench", "")

    def find(self, text: str, limit: int = 4) -> list[str]:
        """The paths of the passages."""
        question = parse(text, self.dictionary.cut)
        stems = self.stems.of(word for piece in question.phrases + question.pieces for word in piece.probes)
        where = finding.condition(SearchQuery(text, ()), ())
        found = self.shelf.database.read(lambda db: finding.find(db, question, where, stems))
        best = choosing.chosen(choosing.merged(question, [(self.base, found)]), limit)
        return [item.candidate.seen.relative for item in best]


class Plain:
    """The peer for quality: one FTS5 table of bigrams, every word and pair of the query joined by OR."""

    def __init__(self, notes: list[Note]) -> None:
        self.db = sqlite3.connect(":memory:")
        self.db.execute("CREATE VIRTUAL TABLE plain USING fts5 (path UNINDEXED, title, body, tokenize='unicode61')")
        rows = (
            (note.path, tokens(normalised(note.extract.title)), tokens(normalised(chunk.text)))
            for note in notes
            for chunk in note.extract.chunks
        )
        self.db.executemany("INSERT INTO plain VALUES (?, ?, ?)", rows)

    def find(self, text: str, limit: int = 4) -> list[str]:
        """The paths of the first chunks."""
        plain = normalised(text)
        terms = [pair for run in CJK_RUN.findall(plain) for pair in bigrams(run).split()]
        terms += WORD.findall(CJK_RUN.sub(" ", plain))
        match = " OR ".join(f'"{term}"' for term in terms)
        found = self.db.execute("SELECT path FROM plain WHERE plain MATCH ? ORDER BY rank LIMIT ?", (match, limit))
        return [path for (path,) in found]


def queries(folder: Path) -> list[tuple[str, str, list[str]]]:
    """Language, query, right files."""
    with (folder / "queries.tsv").open(encoding="utf-8") as lines:
        return [
            (row["language"], row["query"], row["targets"].split("|")) for row in csv.DictReader(lines, delimiter="\t")
        ]


def p95(values: list[float]) -> float:
    """The value that 95 of 100 do not exceed."""
    return sorted(values)[min(len(values) - 1, int(len(values) * 0.95))]


def timed(act: Callable[[], object]) -> float:
    """CPU milliseconds."""
    started = time.process_time()
    act()
    return (time.process_time() - started) * 1000


def quality(notes: list[Note], asked: list[tuple[str, str, list[str]]], folder: Path) -> Iterator[Row]:
    """hit@4 for each language, ours and the plain index's."""
    shelf = Shelf(Database(folder, "quality", version="bench"))
    put_all(shelf, notes)
    ours, plain = Searcher(shelf, folder), Plain(notes)
    for language in sorted({language for language, _, _ in asked}):
        mine = [(text, targets) for one, text, targets in asked if one == language]
        hits = sum(bool(set(ours.find(text)) & set(targets)) for text, targets in mine)
        theirs = sum(bool(set(plain.find(text)) & set(targets)) for text, targets in mine)
        peer: dict[str, Any] = {"peer": "plain FTS5 bigrams", "peer_value": theirs}
        yield Row(f"hit@4 {language}", hits, f"of {len(mine)}", ">= the peer's", hits >= theirs, **peer)
    shelf.database.close()
    ours.stems.close()
    plain.db.close()


def speed(notes: list[Note], asked: list[tuple[str, str, list[str]]], folder: Path) -> Iterator[Row]:
    """Bulk load, queries, updates and opening at 100,000 chunks."""
    many = list(scaled(notes, CHUNKS))
    megabytes = sum(len(chunk.text.encode()) for note in many for chunk in note.extract.chunks) / 1e6
    shelf = Shelf(Database(folder, "speed", version="bench"))
    rate = megabytes / put_all(shelf, many)
    peer_rate = megabytes / tantivy_all(folder / "tantivy", many)
    peer: dict[str, Any] = {"peer": "tantivy", "peer_value": round(peer_rate, 2)}
    yield at_least("bulk index", rate, "MB/cpu-s", 5, **peer)
    yield at_least("bulk index / tantivy", rate / peer_rate, "x", 0.8, **peer)
    ours = Searcher(shelf, folder)
    ours.find("预热 warm up")
    rounds = [[timed(lambda text=text: ours.find(text)) for _, text, _ in asked] for _ in range(ROUNDS)]
    times = [statistics.median(of_one) for of_one in zip(*rounds, strict=True)]
    yield at_most("query p95 at 100k chunks", p95(times), "ms", 40)
    chance = random.Random(1)
    changeable = [note for note in many if note.extract.chunks]
    updates = []
    for number in range(60):
        note = chance.choice(changeable)
        first = replace(note.extract.chunks[0], text=f"{note.extract.chunks[0].text} changed{number}")
        changed = replace(note, extract=replace(note.extract, chunks=(first, *note.extract.chunks[1:])))
        updates.append(
            timed(lambda changed=changed, number=number: (shelf.put([record(changed, number)]), shelf.settle()))
        )
    yield at_most("one-file update p95", p95(updates), "ms", 35)
    shelf.database.close()
    ours.stems.close()
    yield at_most("open + first query", opening(folder), "ms", 20)


def opening(folder: Path) -> float:
    """CPU milliseconds of a new kernel's first query, without the Chinese dictionary."""
    shelf = Shelf(Database(folder, "speed", version="bench"))
    searcher = Searcher(shelf, folder)
    spent = timed(lambda: searcher.find("background tasks"))
    shelf.database.close()
    searcher.stems.close()
    return spent


def rows() -> list[Row]:
    """The whole table; about a minute and a half on two quiet cores."""
    folder = data_folder() / "notes"
    notes = asyncio.run(load(folder))
    asked = queries(folder)
    with tempfile.TemporaryDirectory() as place:
        dictionary = timed(lambda: Dictionary(Path(place)).cut("预热"))
        return [
            Row("Chinese dictionary, once a kernel", round(dictionary, 1), "ms", "(jieba's own)", True),
            *quality(notes, asked, Path(place) / "q"),
            *speed(notes, asked, Path(place)),
        ]
