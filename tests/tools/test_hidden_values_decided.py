"""What was hidden stays hidden, and as it is, whatever a person takes, leaves out, writes, undoes or asks for again."""

from __future__ import annotations

from pathlib import Path

import pytest

from orange_jupyter.api_changes import ChangesObject
from orange_jupyter.core.changes.again import propose_again
from orange_jupyter.core.changes.news import news
from orange_jupyter.core.changes.values import HunkChoice
from orange_jupyter.core.errors import ChangeError
from orange_jupyter.core.grant import Tier
from orange_jupyter.jupyter.changes.record import Kept, change_record
from orange_jupyter.reviewing import review_of
from tests.tools.changing import Desk, code, desk, operation

V = "q7Tq0vX3mW8rB5kL2nP9sD4z"


async def seen(here: Desk, path: str) -> str:
    """All that `read` shows a model of a note, pending and on the disk."""
    return str([await here("read", path=path, view=view) for view in ("pending", "disk")])


async def test_a_value_that_stands_elsewhere_too_hinders_no_edit(tmp_path: Path) -> None:
    """R-EDIT-6: only the hidden stretch itself is looked after, not the same letters somewhere else."""
    async with desk(tmp_path) as here:
        note = "# Database\n\nWe run postgres 15.\n\n```\nDB_PASSWORD=postgres\n```\n\n- [ ] back up\n"
        (here.root / "db.md").write_text(note)
        assert "postgres 15" in await seen(here, "db.md")
        await here.applied(await here.replace("db.md", "- [ ] back up", "- [x] back up"))
        assert (here.root / "db.md").read_text() == note.replace("[ ]", "[x]")


async def test_full_auto_answers_a_right_guess_as_a_wrong_one(tmp_path: Path) -> None:
    """R-READ-15: an edit is no oracle for a value."""
    async with desk(tmp_path, tier=Tier.FULL_AUTO) as here:
        (here.root / "u.md").write_text("# N\n\n密码：4711\n\nend\n")
        answers = [await here.edit("append", "u.md", content=f"g {guess}\n") for guess in ("0815", "4711", "4712")]
        assert [one["state"] for one in answers] == ["applied"] * 3
        assert (await here("read", path="u.md"))["maskedValues"] == 1


async def test_what_the_person_writes_is_theirs(tmp_path: Path) -> None:
    """R-CHG-12: their own text may say what was hidden."""
    async with desk(tmp_path) as here:
        (here.root / "m.md").write_text("密码：4711 alt\n\nend\n")
        name = await here.replace("m.md", "alt", "old")
        await here.applied(name, hunks=(HunkChoice(number=1, text="PIN 4711 old"),))
        assert (here.root / "m.md").read_text() == "PIN 4711 old\n\nend\n"


async def test_an_undo_that_would_open_a_value_says_what_to_undo_with_it(tmp_path: Path) -> None:
    """R-CHG-9, R-READ-15: refused alone, done together."""
    async with desk(tmp_path) as here:
        note = "# N\n\n密码：4711\n\nend\n"
        (here.root / "u.md").write_text(note)
        first = await here.replace("u.md", "：", "密钥：")
        second = await here.replace("u.md", "密码", "编号")
        await here.applied(first, second)
        (alone,) = await here.undo(first)
        assert isinstance(alone.error, ChangeError)
        assert (alone.error.code, alone.error.details["needs"]) == ("masked_text", [second])
        assert second in (alone.error.hint or "")
        assert (here.root / "u.md").read_text() == "# N\n\n编号密钥：4711\n\nend\n"
        assert "4711" not in await seen(here, "u.md")
        done = await here.undo(first, second)
        assert [one.error for one in done] == [None, None]
        assert (here.root / "u.md").read_text() == note


async def test_changes_that_cannot_go_one_by_one_are_undone_together(tmp_path: Path) -> None:
    """R-CHG-9: each alone would open the value, or the other builds on it; together they are one write."""
    async with desk(tmp_path) as here:
        (here.root / "u.md").write_text("a\nx\nb\n")
        words = await here.replace("u.md", "x", "编号 4711")
        label = await here.replace("u.md", "编号", "密码：")
        await here.applied(words, label)
        assert "4711" not in await seen(here, "u.md")
        codes = [(await here.undo(name))[0].error.code for name in (words, label)]
        assert codes == ["parent_missing", "masked_text"]
        done = await here.undo(words, label)
        assert [one.error for one in done] == [None, None]
        assert (here.root / "u.md").read_text() == "a\nx\nb\n"


async def test_undo_gives_back_what_stood_open_before(tmp_path: Path) -> None:
    """R-CHG-9: nothing of the former text was hidden, so nothing is opened."""
    async with desk(tmp_path) as here:
        (here.root / "u.md").write_text("编号：4711\n")
        name = await here.replace("u.md", "编号", "密码")
        await here.applied(name)
        (undone,) = await here.undo(name)
        assert undone.error is None
        assert (here.root / "u.md").read_text() == "编号：4711\n"


async def test_news_of_what_the_person_wrote_is_masked_as_read_masks_it(tmp_path: Path) -> None:
    """R-CHG-12, R-READ-15: by name and by shape, within the whole new text."""
    async with desk(tmp_path) as here:
        (here.root / ".env.md").write_text("FOO=plainword\nnote\n")
        (here.root / "n.md").write_text("a\nb\n密码：\nzzz\n")
        env, note = await here.replace(".env.md", "FOO", "FUU"), await here.replace("n.md", "a", "A")
        await here.applied(env, hunks=(HunkChoice(number=1, text="FOZ=plainword"),))
        await here.applied(note, hunks=(HunkChoice(number=1, text="A 密码：4711\nmore"),))
        told = await news(here.app.means, here.changes.session_id)
        assert "plainword" not in told
        assert "4711" not in told
        assert "'FOZ=⟦masked:1⟧'" in told
        assert "'A 密码：⟦masked:1⟧\\nmore'" in told


async def test_news_of_a_text_that_is_as_before_quotes_nothing(tmp_path: Path) -> None:
    async with desk(tmp_path) as here:
        (here.root / ".env.md").write_text("FOO=plainword\nnote\n\n\n\nend\n")
        asked = [{"oldText": "FOO", "newText": "FUU"}, {"oldText": "end", "newText": "END"}]
        name = operation(await here.edit("multi_replace", ".env.md", edits=asked))
        await here.applied(name, hunks=(HunkChoice(number=1, text="FOO=plainword"),))
        told = await news(here.app.means, here.changes.session_id)
        assert "plainword" not in told
        assert "anew" in told


async def test_proposing_again_finds_no_place_in_a_hidden_value(tmp_path: Path) -> None:
    """R-EDIT-6: the same check as for the first proposal; nothing is altered."""
    async with desk(tmp_path) as here:
        (here.root / "s.md").write_text("alpha\nbeta\n")
        name = await here.replace("s.md", "beta", "BETA")
        (here.root / "s.md").write_text("alpha\n密码：abcbeta9\n")
        (decided,) = await here.apply(name)
        assert decided.error is not None
        with pytest.raises(ChangeError) as refused:
            await propose_again(here.changes, name)
        assert refused.value.code == "no_match"
        assert await here.states(name) == ["stale"]
        assert (here.root / "s.md").read_text() == "alpha\n密码：abcbeta9\n"


async def test_a_rewrite_is_not_proposed_again_over_a_hidden_value(tmp_path: Path) -> None:
    async with desk(tmp_path) as here:
        (here.root / "s.md").write_text("alpha\n")
        name = operation(await here.edit("rewrite", "s.md", content="beta\n"))
        (here.root / "s.md").write_text("alpha\n密码：abc123\n")
        await here.apply(name)
        with pytest.raises(ChangeError) as refused:
            await propose_again(here.changes, name)
        assert refused.value.code == "masked_text"


async def test_a_link_s_own_name_opens_nothing_in_what_is_saved(tmp_path: Path) -> None:
    """R-SAVE-1, R-READ-15: diffs for programs and the record mask by the name of the file behind the link."""
    async with desk(tmp_path) as here:
        (here.root / ".env.md").write_text("FOO=plainword\nnote\n")
        (here.root / "lnk.md").symlink_to(".env.md")
        name = await here.replace("lnk.md", "FOO", "FUU")
        review = review_of(here.app, here.opened)
        found, _ = await review.look()
        kept = Kept(found, {}, "en", here.app.find_secrets, "2026-12-01T00:00:00Z")
        saved = str(change_record(kept))
        diff = await _diff(here, name)
        for text in (saved, diff):
            assert "FUU=" in text
            assert "plainword" not in text


async def _diff(here: Desk, name: str) -> str:
    """`session.changes.diff`, without the notebook's thread."""
    from orange_jupyter.session_changes import Plainly, SessionChanges

    known = SessionChanges(here.app.means, here.changes.session_id, Plainly(here.app.means, here.opened.session.grant))
    made = []
    ChangesObject(lambda work: made.append(work(known, here.app))).diff(name)
    return str(await made[0])


async def test_a_name_that_covers_is_not_left_without_the_words_that_cover(tmp_path: Path) -> None:
    """R-READ-15: a rename that relies on an edit opens nothing when only the rename is applied, or the edit undone."""
    async with desk(tmp_path) as here:
        (here.root / ".env.md").write_text(f"FOO={V}\n")
        cover = await here.replace(".env.md", "FOO", "FOO_API_KEY")
        rename = operation(await here.edit("rename", ".env.md", destination="notes.md"))
        (alone,) = await here.apply(rename)
        assert alone.error is not None
        assert alone.error.code == "masked_text"
        assert list(here.tree()) == [".env.md"]
        await here.applied(cover, rename)
        assert V not in await seen(here, "notes.md")
        (undone,) = await here.undo(cover)
        assert undone.error is not None
        assert V not in await seen(here, "notes.md")


async def test_undoing_a_new_name_opens_nothing_that_it_covers(tmp_path: Path) -> None:
    async with desk(tmp_path) as here:
        (here.root / "n.md").write_text(f"api key: {V}\n")
        rename = operation(await here.edit("rename", "n.md", destination="a.env.md"))
        await here.applied(rename)
        edit = await here.edit("replace", "a.env.md", oldText="api key: ", newText="A=")
        if edit["ok"]:
            await here.applied(edit["operationId"])
            (undone,) = await here.undo(rename)
            assert undone.error is not None
            assert undone.error.code == "masked_text"
        else:
            assert code(edit) == "masked_text"
        for path in here.tree():
            assert V not in await seen(here, path)
