"""A review without a page: what its messages do, against the real office, store and disk (R-CHG-4, R-APPR-3)."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import nbformat
import pytest

from orange_jupyter.core.grant import Tier
from orange_jupyter.jupyter.approver import NotebookApprover
from orange_jupyter.jupyter.changes.live import LiveReview
from orange_jupyter.jupyter.changes.messages import Apply, Message, Reject, Undo, parse
from orange_jupyter.jupyter.changes.reviews import Reviews
from orange_jupyter.jupyter.magic import guarded
from orange_jupyter.jupyter.options import parse_options
from orange_jupyter.jupyter.people import Front
from orange_jupyter.jupyter.ports import CellRequest, Where
from orange_jupyter.jupyter.runtime import Runtime
from orange_jupyter.jupyter.screen import Screen
from orange_jupyter.office import NotebookOffice, open_office
from tests.kernels import execute
from tests.lab import write_notebook

NOTE = "a\nkey sk-ant-api03-" + "aB3dE6gH9j" * 9 + "\nc\n"
PROPOSE = {
    "calls": [
        {"name": "edit", "arguments": {"operation": "replace", "path": "log.md", "oldText": "a\n", "newText": "A\n"}},
        {"name": "write", "arguments": {"kind": "file", "targetPath": "new.md", "content": "new\n"}},
    ]
}
FILES = {
    ".orange/config.toml": '[[knowledge_bases]]\nid = "kb_t"\nname = "notes"\npath = "kb"\n',
    "kb/log.md": NOTE,
    "writer.json": json.dumps({"replies": [PROPOSE, {"text": "Proposed."}, {"text": "more", "always": True}]}),
}
ADD = ("model", "add", "writer", "--provider", "scripted", "--script", "writer.json")


class Quiet:
    """The view of a turn that nobody looks at."""

    async def hear(self, event: object) -> None:
        """Nothing."""

    def delta(self, delta: object) -> None:
        """Nothing."""

    def waits_for(self, session: str, cell: int | None) -> None:
        """Nothing."""


class Cell:
    """A cell's screen that keeps what was published, and the review in it."""

    def __init__(self, office: NotebookOffice, reviews: Reviews, where: Where) -> None:
        self.office, self.reviews, self.where = office, reviews, where
        self.said: list[str] = []
        shell = SimpleNamespace(kernel=object(), display_pub=SimpleNamespace(publish=lambda *_, **__: None))
        self.screen = Screen(shell, Front.NOTEBOOK)

    async def show(self, turn_id: str = "") -> LiveReview:
        review = await self.office.review(self.where, None, turn_id)
        live = await self.reviews.show(review, self.screen, "en")
        assert live is not None
        assert live._widget is not None
        live._widget.send = self._hear  # what a page would get
        return live

    def _hear(self, message: dict[str, Any]) -> None:
        if message["type"] == "say":
            self.said.append(message["text"])

    @property
    def record(self) -> str:
        return (self.screen.shown or {})["text/plain"]


async def done(live: LiveReview, message: Message | None) -> None:
    assert message is not None
    live._take(message)
    await asyncio.gather(*live._tasks)
    for one in (live, *live._reviews._open):
        await one._writer.written()


def digests(live: LiveReview) -> dict[str, str]:
    return {one.proposal.operation.path: (one.proposal.id, one.digest) for one in live._board.everything}


def reviewed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, test: Callable[[Cell, Cell, Path], Awaitable[None]]
) -> None:
    """Run a test with two cells that show the same proposed changes."""
    for relative, text in FILES.items():
        (tmp_path / relative).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / relative).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("ORANGE_HOME", str(tmp_path / "orange"))
    for name in [name for name in os.environ if name.startswith("XDG_")]:
        monkeypatch.delenv(name)
    (tmp_path / "home").mkdir()

    async def run() -> None:
        where = Where(None, None, str(tmp_path))
        office = await open_office(NotebookApprover(), where)
        reviews = Reviews(Runtime(), guarded)
        try:
            await office.command(ADD, where)
            options = parse_options("--model writer --tier workspace-write", "en")
            await office.send(CellRequest("propose", options, where), view=Quiet())
            await test(Cell(office, reviews, where), Cell(office, reviews, where), tmp_path / "kb")
        finally:
            await office.close()

    asyncio.run(run())


def test_a_stale_decision_changes_nothing_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """R-APPR-3: another digest, an operation that another cell decided, a message that is not whole."""

    async def test(one: Cell, two: Cell, kb: Path) -> None:
        live, other = await one.show(), await two.show()
        known = digests(live)
        log, new = known["log.md"], known["new.md"]
        for wrong in ((log[0], "0" * 64), ("op_unknown", log[1])):
            asked = [{"op": name, "digest": digest, "hunks": []} for name, digest in (new, wrong)]
            await done(live, parse({"type": "apply", "operations": asked}))
            assert "Nothing was done; look again" in one.said.pop()
            assert not (kb / "new.md").exists()
        await done(other, Reject((new,)))
        assert "[Rejected] New file new.md" in one.record
        asked = [{"op": name, "digest": digest, "hunks": []} for name, digest in (log, new)]
        await done(live, parse({"type": "apply", "operations": asked}))
        assert (kb / "log.md").read_text(encoding="utf-8") == NOTE
        assert not (kb / "new.md").exists()

    reviewed(tmp_path, monkeypatch, test)


def test_rights_are_those_of_the_moment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """R-SCH-8, R-PLAN-2: Apply and Undo say why they are refused; Reject always works."""

    async def test(one: Cell, _: Cell, kb: Path) -> None:
        live = await one.show()
        log = digests(live)["log.md"]
        apply = parse({"type": "apply", "operations": [{"op": log[0], "digest": log[1], "hunks": []}]})
        for switch, back in (
            (one.office.set_tier(Tier.WORKSPACE_READONLY), lambda: one.office.set_tier(Tier.WORKSPACE_WRITE)),
            (one.office.set_plan(True), lambda: one.office.set_plan(False)),
        ):
            await switch
            await done(live, apply)
            assert one.said.pop()
            assert (kb / "log.md").read_text(encoding="utf-8") == NOTE
            await back()
        await done(live, apply)
        assert one.said.pop() == "1 applied."
        assert (kb / "log.md").read_text(encoding="utf-8") == "A" + NOTE[1:]
        await one.office.set_plan(True)
        await done(live, Undo((digests(live)["log.md"],)))
        assert (kb / "log.md").read_text(encoding="utf-8").startswith("A")
        await done(live, Reject((digests(live)["new.md"],)))
        assert one.said.pop() == "1 rejected."

    reviewed(tmp_path, monkeypatch, test)


def test_the_record_follows_every_decision_and_hides_secrets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """R-SAVE-1, R-CHG-9: pending, applied, undone; what is masked in the note is masked there."""

    async def test(one: Cell, _: Cell, kb: Path) -> None:
        live = await one.show()
        assert "[Pending] log.md +1 −1" in one.record
        log = digests(live)["log.md"]
        await done(live, parse({"type": "apply", "operations": [{"op": log[0], "digest": log[1], "hunks": []}]}))
        assert "[Applied] log.md" in one.record
        assert "- a\n" in one.record
        assert "⟦masked:1⟧" in one.record
        assert "sk-ant" not in json.dumps(one.screen.shown)
        await done(live, Undo((digests(live)["log.md"],)))
        await done(live, Reject((digests(live)["new.md"],)))
        assert (kb / "log.md").read_text(encoding="utf-8") == NOTE
        assert "[Undone] log.md" in one.record
        assert live.over
        assert live._widget is None

    reviewed(tmp_path, monkeypatch, test)


@pytest.mark.parametrize(
    "content",
    [
        {},
        {"type": "apply"},
        {"type": "apply", "operations": []},
        {"type": "apply", "operations": [{"op": "op_1", "digest": "d"}]},
        {"type": "apply", "operations": [{"op": "op_1", "digest": "d", "hunks": [{"number": "1"}]}]},
        {"type": "apply", "operations": [{"op": "op_1", "digest": "d", "hunks": []}, {"op": 3}]},
        {"type": "apply", "operations": [{"op": "op_1", "digest": "d", "hunks": []}] * 2},
        {"type": "way", "op": "op_1", "digest": "d", "way": "force"},
        {"type": "unfold", "op": "op_1", "how": "everything"},
        {"type": "keep", "op": "<b>", "digest": "d", "hunk": 1, "text": "x"},
    ],
)
def test_a_message_that_is_not_whole_is_none(content: dict[str, Any]) -> None:
    """R-APPR-3: of a decision with one part that is not understood nothing counts."""
    assert parse(content) is None


def test_a_decision_is_parsed_with_its_hunks() -> None:
    """R-CHG-12."""
    hunks = [{"number": 1, "taken": False}, {"number": 2, "taken": True, "text": "x"}]
    found = parse({"type": "apply", "operations": [{"op": "op_1", "digest": "d", "hunks": hunks}]})
    assert isinstance(found, Apply)
    assert [(one.number, one.taken, one.text) for one in found.choices[0].hunks] == [(1, False, None), (2, True, "x")]


@pytest.mark.kernel
def test_without_a_person_the_changes_are_a_static_list(tmp_path: Path) -> None:
    """R-APPR-4: nbclient; no widget, nothing hangs, and it says where to review."""
    for relative, text in FILES.items():
        (tmp_path / relative).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / relative).write_text(text, encoding="utf-8")
    write_notebook(
        tmp_path / "n.ipynb",
        [
            "%load_ext orange_jupyter",
            "%orange " + " ".join(ADD),
            "%%orange --model writer --tier workspace-write\npropose",
            "%orange changes",
        ],
    )
    ran = execute(tmp_path / "n.ipynb")
    for cell in ran.cells[2:]:
        shown = json.dumps(cell.outputs, ensure_ascii=False)
        assert "2 changes to review" in shown
        assert "Pending: nothing was written when this was shown. Review it with %orange changes." in shown
    assert "widget-view" not in nbformat.writes(ran)
    assert not (tmp_path / "kb/new.md").exists()
