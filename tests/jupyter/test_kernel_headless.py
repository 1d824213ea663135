"""nbclient, as `jupyter execute` and papermill use it: no person, the turn is waited for, the record stays."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbclient
import pytest

from tests.jupyter.conftest import LOAD, ROOT
from tests.kernels import execute, kernel_folders
from tests.lab import write_notebook

pytestmark = pytest.mark.kernel


def cells(*code: str, more: str = "") -> list[str]:
    return [LOAD.format(root=str(ROOT), more=more), *code]


@pytest.fixture(autouse=True)
def _own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in kernel_folders(tmp_path).items():
        monkeypatch.setenv(name, value)


def plain(cell: Any) -> str:
    return "".join(output.get("data", {}).get("text/plain", "") for output in cell.outputs)


def test_an_executed_notebook_holds_the_final_records(tmp_path: Path) -> None:
    """R-HL-1, R-APPR-4, A18: also for --detach and below %%time; what had to ask was refused and says so."""
    notebook = tmp_path / "周报 1.ipynb"
    write_notebook(
        notebook,
        cells("%%orange\nbrief 你好", "%%orange --detach\nbrief b", "%%time\n%%orange\nbrief c", "%%orange\nask"),
    )
    done = execute(notebook)
    assert not done.cells[0].outputs
    for cell, said in zip(done.cells[1:], ("brief 你好", "brief b", "brief c", "needs_person"), strict=True):
        assert said in plain(cell)
        assert "[done]" in plain(cell)
        assert "widget-view" not in str(cell.outputs)
    assert "Refused, nobody to ask" in plain(done.cells[4])


def test_strict_makes_the_cell_raise(tmp_path: Path) -> None:
    """R-APPR-4: `headless.strict`; the record is there all the same."""
    notebook = tmp_path / "strict.ipynb"
    write_notebook(notebook, cells("%%orange\nhello", "%%orange\nask", more=", strict=True"))
    with pytest.raises(nbclient.exceptions.CellExecutionError, match="a person was needed and nobody is here"):
        execute(notebook)
