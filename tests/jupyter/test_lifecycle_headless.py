"""Notebooks run without a person by every common runner: what would ask is refused at once, and nothing hangs."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest

from tests.jupyter.lifecycle import read_outside
from tests.jupyter.test_product_in_lab import files, use
from tests.kernels import kernel_folders
from tests.lab import write_notebook

pytestmark = pytest.mark.kernel

BY_NO_CLICK = """
from orange_jupyter.core.grant import Tier
notebook = get_ipython().extension_of_orange.magics.notebook
async def enter():
    office = await notebook.entrance.office(notebook.where())
    await office._current.session._change_rights(tier=Tier.FULL_CONFIRM)
notebook.entrance.runtime.run(enter())
"""
"""Puts the session where a person's click would have put it, for no cell can."""

CELLS = (
    "%load_ext orange_jupyter",
    use("reader"),
    "%orange tier full-confirm",
    BY_NO_CLICK,
    "%%orange --model reader\nread it",
    "print('after 之后')",
    "%orange wait",
)
TIER, ASKS, AFTER, WAIT = 2, 4, 5, 6
MISSED = "a person was needed and nobody is here (headless.strict)."

Command = Callable[[Path, Path], list[str]]


def jupyter_execute(notebook: Path, out: Path) -> list[str]:
    return [sys.executable, "-m", "jupyter", "execute", f"--output={out}", str(notebook)]


def by_nbclient(notebook: Path, out: Path) -> list[str]:
    code = (
        "import sys, nbformat, nbclient; node = nbformat.read(sys.argv[1], 4); "
        "nbclient.NotebookClient(node, timeout=60).execute(); nbformat.write(node, sys.argv[2])"
    )
    return [sys.executable, "-c", code, str(notebook), str(out)]


def by_nbconvert(notebook: Path, out: Path) -> list[str]:
    return [sys.executable, "-m", "nbconvert", "--to=notebook", "--execute", f"--output={out}", str(notebook)]


def by_papermill(notebook: Path, out: Path) -> list[str]:
    return [sys.executable, "-m", "papermill", "--no-progress-bar", str(notebook), str(out)]


RUNNERS = pytest.mark.parametrize("runner", [by_nbclient, jupyter_execute, by_nbconvert, by_papermill])


def run(runner: Command, folder: Path) -> tuple[subprocess.CompletedProcess[str], Path]:
    """Run a notebook that would ask; at most 100 s."""
    for name, text in files("reader", read_outside(folder), {"text": "Refused: {{last.error.code}}"}).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    notebook, out = folder / "周报 1.ipynb", folder / "done.ipynb"
    write_notebook(notebook, list(CELLS))
    paths = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    env = os.environ | kernel_folders(folder) | {"PATH": paths, "LANG": "C.UTF-8"}
    done = subprocess.run(
        runner(notebook, out),
        cwd=folder,
        env=env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    return done, out


def plain(cell: Any) -> str:
    shown = [output.get("data", {}).get("text/plain", "") or output.get("text", "") for output in cell.outputs]
    return "".join(shown)


@RUNNERS
def test_what_would_ask_is_refused_at_once_and_the_notebook_goes_on(runner: Command, tmp_path: Path) -> None:
    """R-APPR-4, R-HL-1, R-PERM-3, A18, A19: `needs_person` reaches the model; the tier stays; the cells end normally."""
    done, out = run(runner, tmp_path)
    assert done.returncode == 0, done.stderr[-2000:]
    cells = nbformat.read(out, as_version=4).cells
    assert "Nobody is here to confirm full-confirm" in plain(cells[TIER])
    assert "Refused: needs_person" in plain(cells[ASKS])
    assert "Refused, nobody to ask" in plain(cells[ASKS])
    assert "CANARY" not in str(cells)
    assert plain(cells[AFTER]) == "after 之后\n"
    assert plain(cells[WAIT]) == ""
    assert "widget-view" not in str(cells)


@RUNNERS
def test_strict_stops_the_run(runner: Command, tmp_path: Path) -> None:
    """R-APPR-4: with `headless.strict` the line that needs a person raises, and the runner says so."""
    home = tmp_path / "orange-home"
    home.mkdir(mode=0o700)
    (home / "config.toml").write_text("[headless]\nstrict = true\n")
    done, _ = run(runner, tmp_path)
    assert done.returncode != 0
    assert MISSED in done.stdout + done.stderr
