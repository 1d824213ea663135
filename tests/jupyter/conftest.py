"""Kernels with the extension loaded and the fake office behind it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.kernels import Kernel

ROOT = Path(__file__).parents[2]
LOAD = "import sys; sys.path.insert(0, {root!r})\nfrom tests.jupyter.fake_office import load; load(get_ipython(){more})"


def load_fake(kernel: Kernel, more: str = "") -> None:
    """Load Orange with the fake office."""
    cell = kernel.run(LOAD.format(root=str(ROOT), more=more))
    assert (cell.status, cell.outputs) == ("ok", []), cell


@pytest.fixture
def orange(kernel: Kernel) -> Kernel:
    """A kernel with Orange and the fake office."""
    load_fake(kernel)
    return kernel
