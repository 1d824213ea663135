"""One kernel a module with the extension loaded and the fake office behind it: starting one takes seconds."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from jupyter_client.manager import KernelManager

from tests.kernels import Kernel, kernel_folders

ROOT = Path(__file__).parents[2]
LOAD = "import sys; sys.path.insert(0, {root!r})\nfrom tests.jupyter.fake_office import load; load(get_ipython(){more})"


def load_fake(kernel: Kernel, more: str = "") -> None:
    """Load Orange with the fake office."""
    cell = kernel.run(LOAD.format(root=str(ROOT), more=more))
    assert (cell.status, cell.outputs) == ("ok", []), cell


@pytest.fixture(scope="module")
def orange(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kernel]:
    """A kernel with Orange and the fake office, shared by a module's tests."""
    folder = tmp_path_factory.mktemp("kernel")
    manager = KernelManager(kernel_name="python3")
    manager.start_kernel(cwd=str(folder), env=os.environ | kernel_folders(folder))
    client = manager.blocking_client()
    client.start_channels()
    client.wait_for_ready(timeout=60)
    kernel = Kernel(manager, client)
    load_fake(kernel)
    yield kernel
    client.stop_channels()
    manager.shutdown_kernel(now=True)
    manager.cleanup_resources()
