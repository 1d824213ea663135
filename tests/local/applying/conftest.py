"""A desk of one's own, and a small disk."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.local.applying.desk import Desk
from tests.local.applying.tracing import Crew, furnish


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


@pytest.fixture(scope="module")
def crew() -> Iterator[Crew]:
    """Two processes that apply under a tracer."""
    started = Crew()
    yield started
    started.close()


@pytest.fixture
def template(tmp_path: Path) -> Desk:
    """What each traced run starts from: all that the scenarios need, and a folder `d` that was deleted as `op_kept`."""
    desk = furnish(tmp_path / "template")
    asyncio.run(desk.apply(desk.trash("d", operation="op_kept")))
    return desk


@pytest.fixture
def with_folder(template: Desk) -> Desk:
    """The same with its folder `d` again."""
    return furnish(template.base)
