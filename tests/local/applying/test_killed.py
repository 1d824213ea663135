"""kill -9 at every system call of applying that can change the disk, and of recovering (C01, R-CHG-7).

Prints `N of N` for each scenario (`-s` shows it).
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.local.applying.desk import Desk
from tests.local.applying.tracing import Hand, furnish, kill_everywhere

pytestmark = pytest.mark.traced


@pytest.fixture(scope="module")
def hand() -> Iterator[Hand]:
    started = Hand()
    yield started
    started.close()


@pytest.fixture
def template(tmp_path: Path) -> Desk:
    """What each run starts from; `op_kept` is a folder that was deleted before."""
    desk = furnish(tmp_path / "template")
    asyncio.run(desk.apply(desk.trash("d", operation="op_kept")))
    return furnish(tmp_path / "template")


def test_three_files_are_all_old_or_all_new(hand: Hand, template: Desk) -> None:
    """C01."""
    kill_everywhere(hand, template, "three_files")


def test_a_deletion_is_done_or_not(hand: Hand, template: Desk) -> None:
    """C01, R-CHG-6: no note without an entry, no half copy."""
    kill_everywhere(hand, template, "deletion")
