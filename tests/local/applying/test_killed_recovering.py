"""kill -9 at every system call of recovery itself, and the order in which things become durable."""

from __future__ import annotations

import re
import shutil

import pytest

from tests.local.applying.desk import Desk
from tests.local.applying.tracing import Crew, Hand, copy, points, recovered, state

pytestmark = pytest.mark.traced


@pytest.mark.parametrize("begun", ["fsync", "renameat2"])
def test_recovery_can_be_killed_too(crew: Crew, template: Desk, begun: str) -> None:
    """C01: before the commit mark it is taken back, after it completed, however often recovery dies."""
    old = state(template)
    whole = copy(template, template.base.parent / "whole")
    crew.run(whole, "three_files")
    new = state(whole)
    kill = ("-e", f"inject={begun}:signal=SIGKILL:when={5 if begun == 'fsync' else 2}")
    cut = copy(template, template.base.parent / "cut")
    crew.run(cut, "three_files", *kill)
    assert state(cut) not in (old, new)
    once = moved_copy(cut, "once")
    crew.run(once, "recover")
    wanted = old if begun == "fsync" else new
    assert state(once) == wanted

    def killed(hand: Hand, number: int, point: tuple[str, int]) -> None:
        desk = moved_copy(cut, f"{number}")
        hand.run(desk, "recover", "-e", f"inject={point[0]}:signal=SIGKILL:when={point[1]}")
        recovered(desk)
        assert state(desk) == wanted, point
        shutil.rmtree(desk.base)

    done = crew.each(killed, points(once))
    assert len(done) > 10
    print(f"recovery after {begun}: {len(done)} of {len(points(once))} points")


def moved_copy(cut: Desk, name: str) -> Desk:
    """A copy of a desk whose process was killed; its journal tells of the copy's own folders."""
    desk = copy(cut, cut.base.parent / name)
    (journal,) = (desk.home / "changes/journal").glob("*.json")
    told = journal.read_text()
    assert f"{cut.base}/" in told
    journal.write_text(told.replace(f"{cut.base}/", f"{desk.base}/"))
    return desk


@pytest.mark.parametrize("scenario", ["three_files", "undoing"])
def test_content_is_durable_before_its_name_and_the_journal_goes_last(
    crew: Crew, template: Desk, scenario: str
) -> None:
    """R-CHG-7, C03: kills cannot show a missing fsync, the order of the calls can."""
    desk = copy(template, template.base.parent / "whole")
    assert crew.run(desk, scenario).startswith("applied")
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
