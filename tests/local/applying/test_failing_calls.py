"""Each system call of applying fails once: typed, nothing lost, never reported as done when it is not (C02, C03, C04)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.local.applying.desk import Desk
from tests.local.applying.tracing import Hand, copy, furnish, points, recovered

pytestmark = pytest.mark.traced
NEW = b"new text\n" * 50


@pytest.fixture(scope="module")
def hand() -> Iterator[Hand]:
    started = Hand()
    yield started
    started.close()


def content(path: Path) -> bytes | None:
    return path.read_bytes() if path.exists() else None


def outcome(desk: Desk) -> list[bool]:
    """Which of the three steps are done, by the disk; each is either all old or all new."""
    note, new = content(desk.root / "a.md"), content(desk.root / "new.md")
    old_place, new_place = content(desk.root / "m.md"), content(desk.root / "sub/moved.md")
    assert note in (b"old\n", NEW)
    assert new in (None, b"new\n")
    assert {old_place, new_place} == {None, b"to move\n"}
    return [note == NEW, new is not None, old_place is None]


@pytest.mark.parametrize("error", ["EIO", "ENOSPC", "EACCES"])
def test_a_failing_call_is_told_and_nothing_is_lost(hand: Hand, tmp_path: Path, error: str) -> None:
    """C02, C03, C04, R-CHG-7."""
    template = furnish(tmp_path / "template")
    whole = copy(template, tmp_path / "whole")
    hand.run(whole, "three_files")
    names = ("fsync", "write", "renameat2", "fchmod", "fsetxattr", "mkdir", "rename")
    places = [(name, nth) for name, nth in points(whole) if name in names]
    partly = 0
    for number, (name, nth) in enumerate(places):
        desk = copy(template, tmp_path / f"{number}")
        said = hand.run(desk, "three_files", "-e", f"inject={name}:error={error}:when={nth}")
        found = outcome(desk)
        if said.startswith("applied"):
            told = [one.startswith("True") for one in said.split()[1:]]
            assert told == found, (name, nth, said, found)
            partly += not all(told)
        else:
            assert said.startswith("raised ChangeError"), (name, nth, said)
        if said.startswith("raised") and (desk.home / "changes/journal").is_dir():
            recovered(desk)
            assert outcome(desk) == found, (name, nth, said)
        desk.require_clean()
    assert partly >= 3
    print(f"{error}: {len(places)} of {len(places)} points, {partly} told as partly done")
