"""The order of reading of PDF pages: ours, PyMuPDF's own two orders and other packages', on the hand-checked pages.

Figures are those of order_score.py beside the test files: `pair` (anchors in order) and `contig` (blocks unbroken) on
pages as they are, drawn row by row, and shuffled. Peers run in the Python that ORANGE_PDF_PEERS names (an environment
of its own with pymupdf4llm and pdfplumber); without it their rows say so. Times are pages a CPU second.
"""

from __future__ import annotations

import importlib.util
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pymupdf

from benchmarks import Row, at_least
from benchmarks.search import data_folder
from orange_jupyter.documents.pdf_page import Reader

SEEDS = (1, 7, 42)
GOALS = {"native": (0.97, 0.95), "rows": (0.92, 0.90), "shuffle": (0.92, 0.90)}
PEERS = ("pymupdf4llm", "pdfplumber")
PEER = """
import importlib.util, json, sys, time
name, judge_path, index = sys.argv[1:4]
if importlib.util.find_spec(name) is None:
    print(json.dumps(None)); sys.exit()
def load(path):
    spec = importlib.util.spec_from_file_location("order_score", path)
    module = importlib.util.module_from_spec(spec); spec.loader.exec_module(module); return module
if name == "pdfplumber":
    import io, pdfplumber
    def read(data, page):
        with pdfplumber.open(io.BytesIO(data)) as document:
            return document.pages[page - 1].extract_text() or ""
else:
    import pymupdf, pymupdf4llm
    def read(data, page):
        return pymupdf4llm.to_markdown(pymupdf.open("pdf", data), pages=[page - 1], show_progress=False)
judge, found, spent = load(judge_path), [], 0.0
for path, number, anchors in judge.pages(index):
    data = judge.single(path.read_bytes(), number)
    whole = judge.norm(judge.stream(data, 1))
    usable = [anchor for anchor in anchors if whole.count(anchor) == 1]
    began = time.process_time()
    text = read(data, 1)
    spent += time.process_time() - began
    found.append(judge.score(text, usable, usable)[0])
print(json.dumps([sum(found) / len(found), len(found) / spent]))
"""


def ours(data: bytes, page: int) -> str:
    """A page's text in our order; `page` counts from 1."""
    with pymupdf.open(stream=data, filetype="pdf") as document:
        return Reader(document, ordered=True).page(page).text


def judge() -> Any:
    """The module order_score, from beside the test files."""
    spec = importlib.util.spec_from_file_location("order_score", _judge_path())
    if spec is None or spec.loader is None:
        raise FileNotFoundError("order_score.py does not lie beside the test files")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _judge_path() -> Path:
    return data_folder().parent / "tools" / "order_score.py"


def _index() -> Path:
    return data_folder() / "documents" / "INDEX.tsv"


def measured(scorer: Any, methods: dict[str, Callable[[bytes, int], str]]) -> dict[tuple[str, str], list[Any]]:
    """For each (method, variant) a list of (page's name, pair, contig)."""
    found: dict[tuple[str, str], list[Any]] = {}
    for path, number, anchors in scorer.pages(_index()):
        native = scorer.single(path.read_bytes(), number)
        whole = scorer.norm(scorer.stream(native, 1))
        usable = [anchor for anchor in anchors if whole.count(anchor) == 1]
        parts = list(scorer.blocks(pymupdf.open("pdf", native)[0]))
        drawn = [("native", native)] + [
            (variant, scorer.redraw(native, variant, seed))
            for variant, seed in (("rows", 1), *(("shuffle", seed) for seed in SEEDS))
        ]
        for variant, data in drawn:
            there = scorer.norm(scorer.stream(data, 1))
            here = [anchor for anchor in usable if anchor in there]
            if len(here) < 4:
                continue
            wholes = [next(part for part in parts if anchor in part)[:160] for anchor in here]
            for name, method in methods.items():
                pair, contig = scorer.score(method(data, 1), here, wholes)
                found.setdefault((name, variant), []).append((path.name, pair, contig))
    return found


def orders() -> Iterator[Row]:
    """Pair and contig of ours beside PyMuPDF's own orders."""
    scorer = judge()
    found = measured(scorer, {"ours": ours, "stream": scorer.stream, "sort=True": scorer.by_position})

    def mean(name: str, variant: str, at: int) -> float:
        return statistics.mean(row[at] for row in found[name, variant])

    for variant, goals in GOALS.items():
        for at, what in ((1, "pair"), (2, "contig")):
            for peer in ("stream", "sort=True"):
                value: dict[str, Any] = {"peer": f"PyMuPDF {peer}", "peer_value": round(mean(peer, variant, at), 4)}
                yield at_least(
                    f"PDF order, {variant}: {what}", mean("ours", variant, at), "share", goals[at - 1], **value
                )
    pairs = list(zip(found["ours", "native"], found["stream", "native"], strict=True))
    below = sum(mine[1] < theirs[1] for mine, theirs in pairs)
    yield Row("PDF pages below the stream's order", below, f"of {len(pairs)}", "== 0", below == 0)
    wrong = [(mine[1], theirs[1]) for mine, theirs in pairs if theirs[1] < 1]
    above = sum(mine > theirs for mine, theirs in wrong)
    yield Row("PDF pages above a wrong stream", above, f"of {len(wrong)}", "all", above == len(wrong))


def _rate(files: list[Path], read: Callable[[Any, int], object]) -> float:
    """Pages a CPU second over whole files."""
    count, began = 0, time.process_time()
    for path in files:
        with pymupdf.open(path) as document:
            for number in range(1, document.page_count + 1):
                read(document, number)
                count += 1
    return count / (time.process_time() - began)


def _ordered(document: Any, number: int) -> object:
    return Reader(document, ordered=True).page(number).text


def speed() -> Iterator[Row]:
    """Our pages a CPU second against plain get_text, in turns; the medians of five rounds."""
    files = sorted({path for path, _, _ in judge().pages(_index())})
    rounds = [
        (_rate(files, _ordered), _rate(files, lambda document, number: document[number - 1].get_text()))
        for _ in range(5)
    ]
    mine, plain = (statistics.median(column) for column in zip(*rounds, strict=True))
    ratio = statistics.median(one / other for one, other in rounds)
    yield Row(
        "PDF ordered extraction", round(mine, 1), "pages/cpu-s", "(get_text's)", True, "get_text", round(plain, 1)
    )
    yield at_least("PDF ordered / plain get_text", ratio, "x", 0.35)
    for name in PEERS:
        yield from _peer(name, mine)


def _peer(name: str, mine: float) -> Iterator[Row]:
    found = _asked(name)
    if found is None:
        yield Row(f"PDF order, native: {name}", 0, "pair", "(not installed: ORANGE_PDF_PEERS)", True, name)
        return
    pair, rate = found
    yield Row(f"PDF order, native: {name}", round(pair, 4), "pair", "(the peer's)", True, name)
    wanted = 10 if name == "pdfplumber" else 1
    yield at_least(f"PDF ordered / {name}", mine / rate, "x", wanted, peer=name, peer_value=round(rate, 2))


def _asked(name: str) -> tuple[float, float] | None:
    """A peer's pair and pages a CPU second on the anchored pages, None where it is not installed."""
    python = os.environ.get("ORANGE_PDF_PEERS", sys.executable)
    arguments = [python, "-c", PEER, name, str(_judge_path()), str(_index())]
    ran = subprocess.run(arguments, capture_output=True, text=True, check=False, timeout=600)
    lines = ran.stdout.strip().splitlines()
    answer = json.loads(lines[-1]) if ran.returncode == 0 and lines else None
    return None if answer is None else (answer[0], answer[1])


def rows() -> list[Row]:
    """The whole table; about two minutes."""
    return [*orders(), *speed()]
