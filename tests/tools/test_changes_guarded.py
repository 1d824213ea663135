"""What edit and write refuse: links out, protected names, roots, tiers, plan mode, files changed meanwhile."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from orange_jupyter.core.approval import ApprovalRequest, Outcome, TierRequest
from orange_jupyter.core.changes.again import overwrite, propose_again
from orange_jupyter.core.changes.applying import apply
from orange_jupyter.core.changes.news import news
from orange_jupyter.core.errors import RightsError
from orange_jupyter.core.grant import Tier
from orange_jupyter.core.ports import Answer
from tests.tools.changing import Desk, code, desk, operation, tree

PROTECTED = (
    ".orange/config.md",
    ".ORANGE/x.md",
    ".Git/hooks/post-merge.md",
    ".vscode/notes.md",
    "d/.git/x.md",
    "jupyter_config.md",
)


class Person:
    """Answers as prepared, and remembers what was asked."""

    def __init__(self, outcome: Outcome) -> None:
        self.outcome = outcome
        self.asked: list[ApprovalRequest] = []

    async def ask(self, request: ApprovalRequest) -> Answer:
        """As prepared."""
        self.asked.append(request)
        return Answer(self.outcome, request.digest)

    async def confirm(self, _: TierRequest) -> Outcome:
        """Yes."""
        return Outcome.APPROVED


def outside(tmp: Path) -> Path:
    folder = tmp / "o"
    folder.mkdir()
    (folder / "secret.txt").write_text("CANARY\n")
    return folder


@pytest.mark.parametrize("tier", [Tier.WORKSPACE_WRITE, Tier.FULL_AUTO])
async def test_links_that_leave_are_never_written_through(tmp_path, tier):
    """P02, P03, P04: edit, write, move and folders through links; nothing outside changes, no canary in a result."""
    away = outside(tmp_path)
    before = tree(away)
    async with desk(tmp_path, tier=tier) as kb:
        (kb.root / "a.md").symlink_to(away / "secret.txt")
        (kb.root / "d").symlink_to(away)
        (kb.root / "new.md").symlink_to(away / "created.md")
        (kb.root / "mine.md").write_text("mine\n")
        tried = [
            await kb.edit("replace", "a.md", oldText="CANARY", newText="x"),
            await kb.edit("append", "a.md", content="x"),
            await kb.edit("rewrite", "d/secret.txt", content="x"),
            await kb.write("d/new.md", "x"),
            await kb.write("d/sub"),
            await kb.write("new.md", "x"),
            await kb.edit("move", "mine.md", destination="d/mine.md"),
            await kb.edit("move", "mine.md", destination="d/"),
            await kb.edit("delete", "d/secret.txt"),
        ]
        assert [code(one) for one in tried] == ["link_escape"] * 9
        assert "CANARY" not in str(tried)
        assert (kb.root / "mine.md").read_text() == "mine\n"
    assert tree(away) == before


async def test_a_link_inside_stays_a_link_and_its_target_changes(tmp_path):
    """C14: the result names both paths; after applying and undoing the link is one still."""
    async with desk(tmp_path) as kb:
        (kb.root / "real.md").write_text("one\n")
        (kb.root / "link.md").symlink_to("real.md")
        made = await kb.edit("replace", "link.md", oldText="one", newText="1")
        assert "link.md" in made["warnings"][0]
        assert "real.md" in made["warnings"][0]
        await kb.applied()
        assert os.readlink(kb.root / "link.md") == "real.md"
        assert (kb.root / "real.md").read_text() == "1\n"
        await kb.undo(operation(made))
        assert os.readlink(kb.root / "link.md") == "real.md"
        assert (kb.root / "real.md").read_text() == "one\n"


async def test_hard_links_are_warned_of_and_attributes_stay(tmp_path):
    """P07, C13: the other name keeps its bytes; mode and extended attributes are those of before."""
    away = outside(tmp_path)
    async with desk(tmp_path) as kb:
        os.link(away / "secret.txt", kb.root / "h.md")
        (kb.root / "h.md").chmod(0o640)
        os.setxattr(kb.root / "h.md", "user.note", b"kept")
        made = await kb.edit("append", "h.md", content="x\n")
        assert "hard link" in str(made["warnings"])
        await kb.applied()
        assert (away / "secret.txt").read_text() == "CANARY\n"
        assert (kb.root / "h.md").read_text() == "CANARY\nx\n"
        assert (kb.root / "h.md").stat().st_mode & 0o777 == 0o640
        assert os.getxattr(kb.root / "h.md", "user.note") == b"kept"


@pytest.mark.parametrize("tier", [Tier.WORKSPACE_WRITE, Tier.FULL_CONFIRM, Tier.FULL_AUTO])
@pytest.mark.parametrize("outcome", [Outcome.DENIED, Outcome.NEEDS_PERSON])
async def test_protected_names_ask_on_their_own_in_every_tier(tmp_path, tier, outcome):
    """R-PERM-9, A11, P09: whatever the case, as target or source; denied or with nobody there nothing is proposed."""
    person = Person(outcome)
    async with desk(tmp_path, tier=tier, approver=person) as kb:
        for name in (".orange", ".ORANGE", ".Git/hooks", ".vscode", "d/.git"):
            (kb.root / name).mkdir(parents=True)
        for name in PROTECTED:
            (kb.root / name).write_text("x\n")
        (kb.root / "n.md").write_text("x\n")
        before = kb.tree()
        tried = [await kb.edit("append", name, content="y\n") for name in PROTECTED]
        tried += [await kb.write(name.replace(".md", "2.md"), "y\n") for name in PROTECTED[:5]]
        tried += [await kb.edit("move", "n.md", destination=name.replace(".md", "3.md")) for name in PROTECTED[:5]]
        tried += [await kb.edit("delete", name) for name in (".vscode", "d", "d/.git")]
        tried += [await kb.edit("rename", "d", destination="e")]
        wanted = {Outcome.DENIED: "approval_denied", Outcome.NEEDS_PERSON: "needs_person"}[outcome]
        assert [code(one) for one in tried] == [wanted] * len(tried)
        assert len(person.asked) == len(tried)
        assert all("protected" in str(one.warnings) for one in person.asked)
        assert not await kb.pending()
        assert kb.tree() == before


async def test_roots_parents_and_folders_into_themselves_are_refused(tmp_path):
    """P18, R-CHG-5: every spelling of the root; nothing moves."""
    inner = tmp_path / "kb" / "inner"
    inner.mkdir(parents=True)
    async with desk(tmp_path, more=(inner,)) as kb:
        (kb.root / "a").mkdir()
        before = kb.tree()
        asked = [await kb.edit(what, path, **more) for path in (".", "a/..", "./", str(kb.root), "inner") for what, more in
                 (("delete", {}), ("rename", {"destination": "z"}), ("move", {"destination": "z"}))]  # fmt: skip
        assert {code(one) for one in asked} <= {"kb_root", "ambiguous_path"}
        assert code(await kb.edit("delete", "..")) == "outside_workspace"
        assert code(await kb.edit("move", "a", destination="a/b")) == "overlapping_paths"
        assert code(await kb.edit("move", "a", destination="a")) == "overlapping_paths"
        assert kb.tree() == before


async def test_a_move_to_another_disk_fails_and_the_source_stays(tmp_path):
    """P20, R-CHG-5: tmpfs and disk; cross_device, source byte for byte, no part of a target."""
    other = tmp_path / "ram"
    other.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(other)], check=True)
    try:
        async with desk(tmp_path, more=(other,)) as kb:
            (kb.root / "d").mkdir()
            (kb.root / "d" / "a.md").write_text("x\n")
            before = kb.tree()
            ids = [
                operation(await kb.edit("move", path, destination=name, destinationKnowledgeBaseId="ram"))
                for path, name in (("d/a.md", "a.md"), ("d", "d"))
            ]
            for name in ids:
                assert (await kb.apply(name))[0].error.code == "cross_device"
            assert kb.tree() == before
            assert tree(other) == {}
    finally:
        subprocess.run(["umount", str(other)], check=True)


async def test_rights_are_looked_at_when_a_change_is_decided(tmp_path):
    """R-PLAN-2, R-PERM-8, R-SCH-8: plan mode and readonly refuse proposing and applying; rejecting is always allowed."""
    async with desk(tmp_path, approver=Person(Outcome.APPROVED)) as kb:
        (kb.root / "a.md").write_text("x\n")
        one, two = [operation(await kb.edit("append", "a.md", content=f"{n}\n")) for n in range(2)]
        chosen = await kb.choices(one, two)
        await kb.opened.session.set_plan(True)
        for wanted in ("denied_by_plan", "denied_by_tier"):
            for refused in (apply(kb.app.means, kb.opened.session.grant(), chosen), kb.undo(one)):
                with pytest.raises(RightsError) as raised:
                    await refused
                assert raised.value.code == wanted
            assert code(await kb.edit("append", "a.md", content="z")) == wanted
            assert code(await kb.write("n.md", "z")) == wanted
            await kb.opened.session.set_plan(False)
            await kb.opened.session.set_tier(Tier.WORKSPACE_READONLY)
        assert (kb.root / "a.md").read_text() == "x\n"
        await kb.reject(two)
        assert await kb.states(one, two) == ["pending", "rejected"]


async def test_full_auto_applies_what_is_new_and_leaves_what_is_old(tmp_path):
    """C24, R-CHG-8: older operations stay pending, also what builds on them; a new edit beside them is applied."""
    async with desk(tmp_path, approver=Person(Outcome.APPROVED)) as kb:
        (kb.root / "a.md").write_text("one\ntwo\nthree\n")
        old = await kb.replace("a.md", "one", "1")
        await kb.opened.session.set_tier(Tier.FULL_AUTO)
        new = await kb.edit("replace", "a.md", oldText="three", newText="3")
        assert new["state"] == "applied"
        assert await news(kb.app.means, kb.changes.session_id) == ""  # the result said it
        assert (kb.root / "a.md").read_text() == "one\ntwo\n3\n"
        over = await kb.edit("replace", "a.md", oldText="1", newText="11")
        assert over["state"] == "pending"
        assert "waits" in str(over["notices"])
        assert await kb.states(old, operation(over)) == ["pending", "pending"]
        made = await kb.write("n.md", "new\n")
        assert made["state"] == "applied"
        hits = await kb("search", query="new")
        assert [one["path"] for one in hits["citations"]] == ["n.md"]


async def _conflict(kb: Desk) -> list[str]:
    note = kb.root / "a.md"
    note.write_text("one\ntwo\nthree\n")
    ids = [await kb.replace("a.md", "one", "ONE and more"), await kb.replace("a.md", "three", "3")]
    state = note.stat()
    note.write_text("one\nTWO\nthree\n")
    os.utime(note, ns=(state.st_atime_ns, state.st_mtime_ns))
    return ids


async def test_a_file_changed_outside_with_its_size_and_time_kept_is_a_conflict(tmp_path):
    """C05, C06, cases/edits 11, R-CHG-4: nothing is written; proposing again or knowingly overwriting asks once more."""
    async with desk(tmp_path) as kb:
        ids = await _conflict(kb)
        (kb.root / "b.md").write_text("b\n")
        apart = operation(await kb.edit("append", "b.md", content="more\n"))
        decided = {one.proposal.id: one.error for one in await kb.apply()}
        assert [decided[name].code for name in ids] == ["stale_source"] * 2
        assert decided[apart] is None
        assert (kb.root / "a.md").read_text() == "one\nTWO\nthree\n"
        assert code(await kb.edit("append", "a.md", content="x\n")) == "stale_source"
        again = await propose_again(kb.changes, ids[1])
        assert again.operation.state == "pending"
        assert (kb.root / "a.md").read_text() == "one\nTWO\nthree\n"
        await kb.applied(again.id)
        assert (kb.root / "a.md").read_text() == "one\nTWO\n3\n"


async def test_overwriting_knowingly_is_one_more_question(tmp_path):
    """R-CHG-4: a new pending rewrite with its own diff; what was on the disk comes back by undo."""
    async with desk(tmp_path) as kb:
        ids = await _conflict(kb)
        again = await overwrite(kb.changes, ids[1])
        assert (kb.root / "a.md").read_text() == "one\nTWO\nthree\n"
        await kb.applied(again.id)
        assert (kb.root / "a.md").read_text() == "ONE and more\ntwo\n3\n"
        await kb.undo(again.id)
        assert (kb.root / "a.md").read_text() == "one\nTWO\nthree\n"


async def test_a_conflict_that_goes_away_by_itself_never_moves_an_edit(tmp_path):
    """R-EDIT-4, cases/edits 1: one of two layers was refused, the old text came back: the other still hits its words."""
    async with desk(tmp_path) as kb:
        ids = await _conflict(kb)
        await kb.apply(ids[0])
        (kb.root / "a.md").write_text("one\ntwo\nthree\n")
        await kb.applied(ids[1])
        assert (kb.root / "a.md").read_text() == "one\ntwo\n3\n"
        await kb.applied(ids[0])
        assert (kb.root / "a.md").read_text() == "ONE and more\ntwo\n3\n"
