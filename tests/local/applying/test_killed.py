"""kill -9 at every system call of applying that can change the disk, and of recovering (C01, R-CHG-7).

Prints `N of N` for each scenario (`-s` shows it).
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.local.applying.desk import Desk
from tests.local.applying.hand import recover
from tests.local.applying.tracing import Hand, copy, furnish, points, state

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


def without_folder(template: Desk) -> Desk:
    """The same where the folder `d` is still deleted."""
    asyncio.run(template.apply(template.trash("d", operation="op_again")))
    return template


def recovered(desk: Desk) -> tuple:
    """The results of what was found; a second recovery finds nothing, and nothing of ours is left."""
    found = asyncio.run(recover(desk))
    assert asyncio.run(recover(desk)) == ()
    desk.require_clean()
    return tuple(result for one in found for result in one.results)


def kill_everywhere(hand: Hand, template: Desk, scenario: str) -> None:
    """At each point: all old or all new after recovery, and what was said or found says which."""
    old = state(template)
    whole = copy(template, template.base.parent / "whole")
    assert hand.run(whole, scenario).startswith("applied")
    new = state(whole)
    whole.require_clean()
    assert old != new
    places = points(whole)
    outcomes = {"old": 0, "new": 0}
    for number, (name, nth) in enumerate(places):
        desk = copy(template, template.base.parent / f"{number}")
        said = hand.run(desk, scenario, "-e", f"inject={name}:signal=SIGKILL:when={nth}")
        results = recovered(desk)
        now = state(desk)
        assert now in (old, new), (name, nth, said, results)
        if said:
            assert now == new, (name, nth)
        if results:
            assert all(result.done for result in results) is (now == new), (name, nth, results)
        outcomes["new" if now == new else "old"] += 1
    assert min(outcomes.values()) > 5, outcomes
    print(f"{scenario}: {sum(outcomes.values())} of {len(places)} points, {outcomes}")


def test_three_files_are_all_old_or_all_new(hand: Hand, template: Desk) -> None:
    """C01."""
    kill_everywhere(hand, template, "three_files")


def test_a_deletion_is_done_or_not(hand: Hand, template: Desk) -> None:
    """C01, R-CHG-6: no note without an entry, no half copy."""
    kill_everywhere(hand, template, "deletion")
