"""Each system call of applying fails once: typed, nothing lost, never reported as done when it is not (C02, C03, C04).

Prints `N of N` for each scenario (`-s` shows it).
"""

from __future__ import annotations

import pytest

from tests.local.applying.desk import Desk
from tests.local.applying.faults import LOOKING, OWNED, PLACING, Fault, Scene, errors_of, met_all, staged
from tests.local.applying.tracing import Call, Crew

pytestmark = pytest.mark.traced
ANY = ("EIO", "ENOSPC", "EACCES")
SCENARIOS = tuple(OWNED)


def changing(scene: Scene) -> list[Call]:
    return [call for call in scene.calls if call.changes]


def test_a_call_that_fails_while_files_are_written_is_told(crew: Crew, with_folder: Desk) -> None:
    """C02, C03, C04, R-CHG-7: a full disk, a broken one and a closed one, at every call that changes something."""
    scene = staged(crew, with_folder, "three_files")
    assert len(changing(scene)) >= 60
    met_all(crew, scene, [Fault(call.name, call.nth, error) for call in changing(scene) for error in ANY])


@pytest.mark.parametrize("scenario", ["deletion", "undoing"])
def test_a_call_that_fails_in_a_deletion_or_an_undo_is_told(
    crew: Crew, template: Desk, request: pytest.FixtureRequest, scenario: str
) -> None:
    """C02, C03, C04, R-CHG-6, R-CHG-9: the three errors take turns."""
    if scenario == "deletion":
        request.getfixturevalue("with_folder")
    scene = staged(crew, template, scenario)
    assert len(changing(scene)) >= 50
    met_all(crew, scene, [Fault(one.name, one.nth, ANY[n % 3]) for n, one in enumerate(changing(scene))])


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_a_busy_place_another_disk_and_a_lock_that_fails_are_told(
    crew: Crew, template: Desk, request: pytest.FixtureRequest, scenario: str
) -> None:
    """C04, P20: EBUSY and EXDEV wherever a name is made, changed or taken away; locks that cannot be taken."""
    if scenario != "undoing":
        request.getfixturevalue("with_folder")
    scene = staged(crew, template, scenario)
    placing = [call for call in scene.calls if call.name in PLACING | {"flock"}]
    met_all(crew, scene, [Fault(one.name, one.nth, error) for one in placing for error in errors_of(one)[-2:]])


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_what_cannot_be_looked_at_is_told(
    crew: Crew, template: Desk, request: pytest.FixtureRequest, scenario: str
) -> None:
    """C02, R-CHG-6: EIO and EACCES at each open, EIO at each read of content, listing and attributes."""
    if scenario != "undoing":
        request.getfixturevalue("with_folder")
    scene = staged(crew, template, scenario)
    looking = [call for call in scene.calls if call.name in LOOKING - {"newfstatat", "lseek"} and not call.changes]
    met_all(crew, scene, [Fault(one.name, one.nth, errors_of(one)[n % 2 - 1]) for n, one in enumerate(looking)])


@pytest.mark.parametrize("call", ["openat", "write", "unlinkat", "renameat2", "newfstatat"])
def test_a_fault_that_lasts_leaves_nothing_to_be_done_later(crew: Crew, template: Desk, call: str) -> None:
    """C02, C03, R-CHG-7: what was told as not done is not done by recovery, and a waiting file is swept by it.

    Of `newfstatat` every fourth: a disk that shows nothing at all ends the search for a trash.
    """
    scene = staged(crew, template, "undoing")
    found = [one for one in scene.calls if one.name == call]
    met_all(
        crew, scene, [Fault(one.name, one.nth, "EIO", lasting=True) for one in found[:: 4 if len(found) > 60 else 1]]
    )
