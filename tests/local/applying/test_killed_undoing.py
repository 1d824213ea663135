"""kill -9 at every system call of an undo and of recovery itself, and the order in which things become durable."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.local.applying.desk import Desk
from tests.local.applying.tracing import Hand, copy, furnish, kill_everywhere, points, recovered, state

pytestmark = pytest.mark.traced


@pytest.fixture(scope="module")
def hand() -> Iterator[Hand]:
    started = Hand()
    yield started
    started.close()


@pytest.fixture
def template(tmp_path: Path) -> Desk:
    """A folder `d` was deleted as `op_kept`."""
    desk = furnish(tmp_path / "template")
    asyncio.run(desk.apply(desk.trash("d", operation="op_kept")))
    return desk


def test_an_undo_is_done_or_not(hand: Hand, template: Desk) -> None:
    """C01, R-CHG-9: a folder comes back, an old text comes back, a created file goes."""
    kill_everywhere(hand, template, "undoing")


@pytest.mark.parametrize("begun", ["fsync", "renameat2"])
def test_recovery_can_be_killed_too(hand: Hand, template: Desk, begun: str) -> None:
    """C01: before the commit mark it is taken back, after it completed, however often recovery dies."""
    old = state(template)
    whole = copy(template, template.base.parent / "whole")
    hand.run(whole, "three_files")
    new = state(whole)
    kill = ("-e", f"inject={begun}:signal=SIGKILL:when={5 if begun == 'fsync' else 2}")

    def cut_off(name: str) -> Desk:
        desk = copy(template, template.base.parent / name)
        hand.run(desk, "three_files", *kill)
        assert state(desk) not in (old, new)
        return desk

    once = cut_off("once")
    hand.run(once, "recover")
    wanted = old if begun == "fsync" else new
    assert state(once) == wanted
    places = points(once)
    for number, (name, nth) in enumerate(places):
        desk = cut_off(f"{number}")
        hand.run(desk, "recover", "-e", f"inject={name}:signal=SIGKILL:when={nth}")
        recovered(desk)
        assert state(desk) == wanted, (name, nth)
    print(f"recovery after {begun}: {len(places)} of {len(places)} points")


@pytest.mark.parametrize("scenario", ["three_files", "undoing"])
def test_content_is_durable_before_its_name_and_the_journal_goes_last(
    hand: Hand, template: Desk, scenario: str
) -> None:
    """R-CHG-7, C03: kills cannot show a missing fsync, the order of the calls can."""
    desk = copy(template, template.base.parent / "whole")
    assert hand.run(desk, scenario).startswith("applied")
    log = [line for line in (desk.base / "strace.log").read_text().splitlines() if str(desk.base) in line]
    kb = str(desk.root)
    renamed = [n for n, line in enumerate(log) if re.search(r" renameat2?\(", line) and kb in line]
    assert len(renamed) == 3
    commit = [n for n, line in enumerate(log) if " rename(" in line and ".json.tmp" in line][1]
    assert commit < renamed[0]
    synced = [n for n, line in enumerate(log) if " fsync(" in line]
    for n in renamed:
        name = re.search(r"\.orange-[0-9a-f]+-\d+\.tmp", log[n])
        if name:  # a new content: its file, and the folder that names it, were made durable before the mark
            assert any(name[0] in log[m] for m in synced if m < commit), log[n]
            assert any(f"<{kb}>" in log[m] for m in synced if m < commit)
        folder = re.findall(r"<([^>]+)>", log[n])[-1]
        following = next(m for m in range(n + 1, len(log)) if re.search(r" (fsync|rename|unlink)", log[m]))
        assert "fsync(" in log[following], log[n : following + 1]
        assert f"<{folder}>" in log[following], log[n : following + 1]
    changing = re.compile(r" (rename|renameat2|unlink|unlinkat|mkdir|mkdirat)\(")
    last = [line for line in log if changing.search(line)][-2:]
    assert "journal" in last[0], last
    assert "locks" in last[1], last
