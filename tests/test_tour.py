"""The tour is executed headless, as `jupyter execute` and `make demo` without a terminal do, and shows what it promises."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.kernels import execute

NOTEBOOKS = Path(__file__).parents[1] / "notebooks"


@pytest.mark.kernel
def test_the_tour_runs_and_answers_in_both_languages(tmp_path: Path) -> None:
    """R-HL-1, R-NB-4, R-NB-5, R-NB-6, R-MOD-7, R-SAVE-1: no key, no network, no person."""
    folder = tmp_path / "a clone 克隆"
    shutil.copytree(NOTEBOOKS, folder)
    before = (folder / "tour.ipynb").read_bytes()
    cells = [cell for cell in execute(folder / "tour.ipynb").cells if cell.cell_type == "code"]
    shown = {cell.source: "".join(plain(output) for output in cell.outputs) for cell in cells}
    english, chinese, listing, reading, nothing = (
        text for source, text in shown.items() if source.startswith("%%orange")
    )
    assert "1.8 °C" in english
    assert "results/cooling-corrected.md" in english
    assert "1.1 °C" in chinese
    assert "results/修剪试验.md" in chinese
    assert "protocols/鱼眼照片.md" in listing
    assert "150 litres a tree" in reading
    assert "Nothing found" in nothing
    assert "workspace" in shown["%orange status"]
    assert "48" in shown[cells[-1].source]
    assert "results/sap-flow.md" in shown[cells[-1].source]
    assert (folder / "tour.ipynb").read_bytes() == before


def plain(output: dict) -> str:
    return str(output.get("text") or output.get("data", {}).get("text/plain", ""))
