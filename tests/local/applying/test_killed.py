"""kill -9 at every system call of applying that can change the disk (C01, R-CHG-7).

Prints `N of N` for each scenario (`-s` shows it).
"""

from __future__ import annotations

import pytest

from tests.local.applying.desk import Desk
from tests.local.applying.tracing import Crew, kill_everywhere

pytestmark = pytest.mark.traced


def test_three_files_are_all_old_or_all_new(crew: Crew, with_folder: Desk) -> None:
    """C01."""
    kill_everywhere(crew, with_folder, "three_files")


def test_a_deletion_is_done_or_not(crew: Crew, with_folder: Desk) -> None:
    """C01, R-CHG-6: no note without an entry, no half copy."""
    kill_everywhere(crew, with_folder, "deletion")


def test_an_undo_is_done_or_not(crew: Crew, template: Desk) -> None:
    """C01, R-CHG-9: a folder comes back, an old text comes back, a created file goes."""
    kill_everywhere(crew, template, "undoing")
