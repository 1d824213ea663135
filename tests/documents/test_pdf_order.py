"""PDF: the order of reading, on pages whose order is known, drawn well and badly."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import ModuleType

import pymupdf
import pytest

from orange_jupyter.documents import pdf
from orange_jupyter.documents.pdf_lines import Piece, place
from orange_jupyter.documents.pdf_order import order
from orange_jupyter.documents.pdf_page import MOST_PAGES
from tests.documents.layouts import LAYOUTS, Layout, band_between, scores, table_in_text, two_columns
from tests.documents.redraw import moved, redrawn

ARABIC_RIGHT = "مرحبا بكم في هذا النص الطويل الذي يملأ العمود الأيمن من الصفحة حتى يمكن فحص ترتيب القراءة. "
ARABIC_LEFT = "هنا يبدأ العمود الأيسر ويجب أن يأتي بعد العمود الأيمن دائما من اليمين إلى اليسار. "


@cache
def made(make: Callable[[int], Layout], seed: int) -> Layout:
    """A layout, made once."""
    return make(seed)


@pytest.mark.parametrize("variant", ["native", "rows", "shuffle"])
@pytest.mark.parametrize("make", LAYOUTS, ids=lambda make: make.__name__)
def test_a_page_is_read_in_its_order_however_it_is_drawn(make: Callable[[int], Layout], variant: str) -> None:
    """R-READ-3: columns, titles, footnotes, side notes, tables, captions, Chinese, a rotated page."""
    layout = made(make, 3)
    read = pdf.text(layout.drawn(variant, 3)).pages[0]
    pair, whole = scores(read.replace(" | ", " "), layout.words)
    assert (pair, whole) == (1.0, 1.0), read


@pytest.mark.parametrize("variant", ["parts", "swap", "by_x", "by_y"])
def test_whole_paragraphs_in_a_wrong_order_are_put_right(variant: str) -> None:
    """R-READ-3: a stream whose lines follow each other, but whose parts do not: all, one in six, by left or top edge."""
    for make in LAYOUTS:
        if make is not table_in_text:
            layout = made(make, 3)
            parts = moved(layout.parts, variant, 5, lambda part: (part[0].x, part[0].y))
            read = pdf.text(replace(layout, parts=parts).drawn("native")).pages[0]
            assert scores(read, layout.words)[0] == 1.0, make.__name__


def test_a_heading_over_both_columns_stays_at_its_height_though_drawn_last() -> None:
    """R-READ-3: the left column's two halves, the right one's, then the heading between them."""
    layout = band_between(4)
    parts = sorted(layout.parts, key=lambda part: (max(line.x for line in part) > layout.width / 2, part[0].y))
    parts.sort(key=lambda part: len(part) == 1)
    read = pdf.text(replace(layout, parts=parts).drawn("native")).pages[0]
    assert scores(read, layout.words)[0] == 1.0


def test_right_to_left_columns_start_at_the_right_and_keep_their_letters_order() -> None:
    """R-READ-3: the left column is drawn first; letters stay in logical order."""
    with pymupdf.open() as document:
        page = document.new_page()
        for content, x in ((ARABIC_LEFT, 54), (ARABIC_RIGHT, 316)):
            page.insert_htmlbox((x, 70, x + 240, 700), f'<p dir="rtl" style="text-align:right">{content * 6}</p>')
        read = pdf.text(document.tobytes()).pages[0]
    assert 0 <= read.find("مرحبا") < read.rfind("مرحبا") < read.find("هنا")


def test_vertical_lines_go_from_right_to_left_in_two_tiers() -> None:
    """R-READ-3: vertical Japanese; the upper tier before the lower one, though the stream mixes them."""
    pieces: list[Piece] = []
    for column in range(20):
        for tier, top in enumerate((40.0, 420.0)):
            x = 560.0 - 18 * column
            name = f"{'上下'[tier]}{column:02} 春夏秋冬山川草木天地日月星辰風雨雷電花鳥"
            pieces.append(Piece(name, (x, top, x + 10, top + 340), 10, False, "down", len(pieces), 0, False))
    for piece in pieces:
        place(piece, (600.0, 800.0))
    found = [piece.text[:3] for leaf in order(pieces, 800.0).leaves for piece in leaf]
    assert found == [f"{tier}{column:02}" for tier in "上下" for column in range(20)]


def test_margin_text_that_is_turned_comes_last() -> None:
    """R-READ-3: a stamp along the edge, drawn first, does not stand before the title."""
    layout = two_columns(2)
    with pymupdf.open(stream=layout.drawn("native"), filetype="pdf") as document:
        page = document[0]
        page.insert_text((30, 600), "arXiv:2201.00069v1 [cs.XY] 1 Jan 2022", rotate=90, overlay=False)
        read = pdf.text(document.tobytes()).pages[0]
    assert read.endswith("arXiv:2201.00069v1 [cs.XY] 1 Jan 2022")


def test_over_the_budget_the_files_own_order_stays_and_is_named() -> None:
    """R-READ-3: more than 200 pages, or more than 4 MB: stream order and a warning."""
    layout = two_columns(4)
    with pymupdf.open(stream=layout.drawn("rows"), filetype="pdf") as document:
        within = pdf.text(document.tobytes())
        for _ in range(MOST_PAGES):
            document.new_page()
        many = document.tobytes()
    padded = layout.drawn("rows").replace(b"%%EOF", b"%" + b" " * 4_200_000 + b"\n%%EOF")
    assert within.warnings == ()
    for data in (many, padded):
        found = pdf.text(data)
        assert "file's own order" in found.warnings[0]
        assert scores(found.pages[0], layout.words)[1] < 0.5
        assert pdf.page_text(data, 1).text == found.pages[0]
        assert "file's own order" in pdf.page_text(data, 1).warnings[0]


@pytest.mark.corpus
def test_public_pages_keep_their_goals(data: Path) -> None:
    """R-READ-3, issue 6: native pair >= .97 and never below the stream's; redrawn >= .92 and contig >= .90."""
    judge = _judge(data)
    got: dict[str, list[tuple[float, float]]] = {"native": [], "rows": [], "shuffle": []}
    for at, (path, number, anchors) in enumerate(judge.pages(data / "documents" / "INDEX.tsv")):
        native = judge.single(path.read_bytes(), number)
        whole = judge.norm(judge.stream(native, 1))
        usable = [anchor for anchor in anchors if whole.count(anchor) == 1]
        parts = list(judge.blocks(pymupdf.open("pdf", native)[0]))
        for variant, results in got.items():
            if variant != "native" and variant != ("rows", "shuffle")[at % 2]:
                continue  # the benchmark takes all
            drawn = native if variant == "native" else judge.redraw(native, variant, 5)
            here = [anchor for anchor in usable if anchor in judge.norm(judge.stream(drawn, 1))]
            wholes = [next(part for part in parts if anchor in part)[:160] for anchor in here]
            pair, contig = judge.score(pdf.text(drawn).pages[0], here, wholes)
            results.append((pair, contig))
            if variant == "native":
                assert pair >= judge.score(judge.stream(drawn, 1), here, wholes)[0], path.name
    for variant, results in got.items():
        pair, contig = (sum(column) / len(results) for column in zip(*results, strict=True))
        assert pair >= (0.97 if variant == "native" else 0.92), variant
        assert contig >= 0.90, variant


@pytest.mark.corpus
@pytest.mark.parametrize("variant", ["swap", "by_x"])
def test_public_pages_with_blocks_out_of_place_are_put_right(data: Path, variant: str) -> None:
    """R-READ-3: the public pages, drawn block by block in another order: pair >= .97."""
    judge = _judge(data)
    results = []
    for path, number, anchors in judge.pages(data / "documents" / "INDEX.tsv"):
        native = judge.single(path.read_bytes(), number)
        whole = judge.norm(judge.stream(native, 1))
        drawn = redrawn(native, variant, 1)
        seen = judge.norm(judge.stream(drawn, 1))
        here = [anchor for anchor in anchors if whole.count(anchor) == 1 and anchor in seen]
        results.append(judge.score(pdf.text(drawn).pages[0], here, here)[0])
    assert sum(results) / len(results) >= 0.97, results


@pytest.mark.corpus
def test_a_wide_table_is_not_read_down_its_columns(data: Path) -> None:
    """R-READ-3: the rows of a rate sheet stay rows."""
    found = pdf.text((data / "documents" / "pdfplumber_tests_pdfs_pr-138-example.pdf").read_bytes())
    plain = re.sub(r"[\s|]+", " ", found.pages[0])
    assert "4.04% 5.38% 3.89% 5.18%" in plain


def _judge(data: Path) -> ModuleType:
    path = data.parent / "tools" / "order_score.py"
    spec = importlib.util.spec_from_file_location("order_score", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
