"""Three hundred broken files, made and supplied ones: a result or a typed error each, this process alive (D02)."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import psutil
import pytest

from orange_jupyter.core.codes import Code
from orange_jupyter.documents.extract import LocalDocuments
from orange_jupyter.documents.process import WorkerLimits
from tests.documents import samples
from tests.documents.mutations import CHANGES, broken, originals, outcome

SEED = 20_261_201
ROUNDS = 300
MOST_GROWTH = 64 * 1_048_576


@pytest.mark.corpus
async def test_three_hundred_broken_files_give_a_result_or_a_typed_error(data: Path) -> None:
    """D02, issue 6: PDF, DOCX and pictures in turn; memory bounded, the pool answers afterwards.

    A crash is a typed error too, but costs a new process: more than one in a hundred is a check that is missing.
    """
    chance, files = random.Random(SEED), originals(data / "documents")
    assert {file.file_type for file in files} == {"pdf", "docx", "image"}
    assert len(files) > 20
    documents = LocalDocuments(limits=WorkerLimits(seconds=10))
    await documents.text(samples.pdf(samples.words("warm")), "pdf")
    before, codes, crashed = psutil.Process().memory_info().rss, Counter[Code](), []
    for number in range(ROUNDS):
        variant = broken(files, number, chance)
        found = await outcome(documents, variant)
        codes.update(found)
        if Code.PARSER_CRASHED in found:
            crashed.append(f"{variant.original.name}: {variant.how}")
    assert len(crashed) <= ROUNDS // 100, crashed
    assert codes[Code.DAMAGED] > ROUNDS // 10  # they are really broken
    assert psutil.Process().memory_info().rss - before < MOST_GROWTH
    assert (await documents.text(samples.pdf(samples.words("alive")), "pdf")).pages == ("alive",)
    await documents.close()


@pytest.mark.corpus
async def test_a_page_whose_drawing_ends_the_worker_is_read_all_the_same(data: Path) -> None:
    """D02, D03: MuPDF aborts while it draws these pages; their text needs no drawing, and a warning says what is left."""
    honest = (data / "documents" / "pdfplumber_tests_pdfs_pr-138-example.pdf").read_bytes()
    change = next(change for change in CHANGES if change.__name__ == "_flipped")
    documents = LocalDocuments()
    read = await documents.text(bytes(change(bytearray(honest), random.Random(3))), "pdf")
    assert len(read.pages) == 2
    assert sum(map(len, read.pages)) > 10_000
    if "crash" not in " ".join(read.warnings):  # a MuPDF that no longer aborts looked at the pages itself
        assert read.warnings == (await documents.text(honest, "pdf")).warnings
    await documents.close()


def test_the_same_seed_makes_the_same_files() -> None:
    """D02: so that a failure can be looked at."""
    files = originals(None)
    one, two = ([broken(files, n, random.Random(n)).data for n in range(60)] for _ in range(2))
    assert one == two
    assert {broken(files, n, random.Random(n)).original.file_type for n in range(3)} == {"pdf", "docx", "image"}


@pytest.mark.parametrize("change", CHANGES)
def test_every_change_changes(change) -> None:
    """D02."""
    data = bytes(range(256)) * 8 + b"0123456789 obj" * 9
    assert any(bytes(change(bytearray(data), random.Random(n))) != data for n in range(5))
