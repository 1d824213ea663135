"""The sample notes: both languages, links that lead somewhere, facts that agree, files that can be made again."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import nbformat

ROOT = Path(__file__).parents[1]
KB = ROOT / "notebooks" / "kb"
NOTES = sorted(KB.rglob("*.md"))
WIKI = re.compile(r"\[\[([^\]|#]+)")
LINK = re.compile(r"\]\((?:<([^>]+)>|([^)\s]+))\)")


def text(note: Path) -> str:
    return note.read_text(encoding="utf-8")


def test_about_half_of_the_notes_is_chinese() -> None:
    chinese = [note for note in NOTES if len(re.findall(r"[\u4e00-\u9fff]", text(note))) > 60]
    assert 25 <= len(NOTES) <= 32
    assert 0.4 <= len(chinese) / len(NOTES) <= 0.6


def test_every_link_and_picture_of_a_note_is_there() -> None:
    names = {note.stem for note in NOTES}
    missing = []
    for note in NOTES:
        missing += [(note.name, name) for name in WIKI.findall(text(note)) if name not in names]
        targets = [angled or plain for angled, plain in LINK.findall(text(note))]
        missing += [(note.name, target) for target in targets if not (note.parent / target).exists()]
    assert not missing


def test_the_generated_files_are_the_same_bytes_again(tmp_path: Path) -> None:
    made = []
    for name in ("first", "second"):
        subprocess.run([sys.executable, ROOT / "notebooks" / "make_kb.py", tmp_path / name], check=True, stdout=-3)
        made.append({p.relative_to(tmp_path / name): p.read_bytes() for p in (tmp_path / name).rglob("*.*")})
    assert made[0] == made[1]
    assert all((KB / relative).is_file() for relative in made[0])
    assert {path.suffix for path in made[0]} == {".png", ".pdf", ".docx"}


def test_the_numbers_of_the_notes_agree() -> None:
    table = text(KB / "sites" / "segments.md")
    covers = [int(cover) for cover in re.findall(r"^\| S\d\d .*\| (\d+) % \|$", table, re.MULTILINE)]
    assert len(covers) == 12
    assert sum(covers) / 12 == 49
    budget = text(KB / "management" / "年度预算 2025.md")
    sums = [int(amount.replace(",", "")) for amount in re.findall(r"\| \**([\d,]+)\** \|$", budget, re.MULTILINE)]
    assert sum(sums[:-1]) == sums[-1] == 186_000


def test_the_tour_is_short_clean_and_names_its_kernel() -> None:
    tour = nbformat.read(ROOT / "notebooks" / "tour.ipynb", as_version=4)
    nbformat.validate(tour)
    assert tour.metadata.kernelspec.name == "python3"
    code = [cell for cell in tour.cells if cell.cell_type == "code"]
    assert len(code) <= 10
    assert not any(cell.outputs or cell.execution_count for cell in code)
