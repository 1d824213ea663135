"""A desk of one's own, and a small disk."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.local.applying.desk import Desk


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """A KB, a home and a trash on this disk."""
    return Desk(tmp_path)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 256 KB of its own."""
    folder = tmp_path.resolve() / "small"
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", folder], check=True)
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)
