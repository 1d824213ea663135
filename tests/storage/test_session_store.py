"""Sessions as a list."""

from __future__ import annotations

from pathlib import Path

import pytest

from orange_jupyter.core.errors import SessionError
from orange_jupyter.core.events import TurnStarted
from orange_jupyter.core.grant import Tier
from orange_jupyter.storage.database import Database
from orange_jupyter.storage.lease import Leases
from orange_jupyter.storage.sessions import Sessions
from orange_jupyter.storage.transcript import Transcript


async def test_a_session_comes_back_with_all_its_fields(sessions: Sessions) -> None:
    """R-SESS-1."""
    made = await sessions.create(
        title="  读书 笔记 ",
        model="gpt",
        tier=Tier.WORKSPACE_WRITE,
        plan=True,
        memory=True,
        knowledge_base_ids=("kb_1", "kb_2"),
        selected_tools=("grep",),
        notebook="/n/第 1 章.ipynb",
    )
    assert made.session_id.startswith("s_")
    assert made.title == "读书 笔记"
    assert (made.tier, made.plan, made.memory) == (Tier.WORKSPACE_WRITE, True, True)
    assert (made.knowledge_base_ids, made.selected_tools) == (("kb_1", "kb_2"), ("grep",))
    assert await sessions.get(made.session_id) == made
    assert await sessions.get("读书 笔记") == made


async def test_a_new_session_is_read_only_without_memory(sessions: Sessions) -> None:
    """R-PERM-1, R-MEM-1."""
    made = await sessions.create()
    assert (made.tier, made.plan, made.memory, made.permission_version) == (Tier.WORKSPACE_READONLY, False, False, 1)


@pytest.mark.parametrize("full", [Tier.FULL_CONFIRM, Tier.FULL_AUTO])
@pytest.mark.parametrize("before", [Tier.WORKSPACE_READONLY, Tier.WORKSPACE_WRITE])
async def test_a_full_tier_ends_with_its_kernel(sessions: Sessions, full: Tier, before: Tier) -> None:
    """R-PERM-10: the workspace tier from before comes back, and the full one is named once."""
    made = await sessions.create(tier=before)
    await sessions.update(made.session_id, tier=full, permission_version=2)
    found = await sessions.get(made.session_id)
    assert (found.tier, found.ended_full) == (before, full)
    again = await sessions.update(made.session_id, tier=found.tier)
    assert (again.tier, again.ended_full) == (before, None)


async def test_full_auto_after_full_confirm_still_comes_back_to_the_workspace_tier(sessions: Sessions) -> None:
    """R-PERM-10."""
    made = await sessions.create(tier=Tier.WORKSPACE_WRITE)
    await sessions.update(made.session_id, tier=Tier.FULL_CONFIRM)
    await sessions.update(made.session_id, tier=Tier.FULL_AUTO)
    assert (await sessions.get(made.session_id)).tier is Tier.WORKSPACE_WRITE


async def test_a_session_made_in_a_full_tier_comes_back_read_only(sessions: Sessions) -> None:
    """R-PERM-10, a command-line run with --tier full-auto."""
    made = await sessions.create(tier=Tier.FULL_AUTO)
    assert (made.tier, made.ended_full) == (Tier.WORKSPACE_READONLY, Tier.FULL_AUTO)


async def test_sessions_are_listed_the_last_used_first_and_renamed(sessions: Sessions) -> None:
    """R-SESS-1."""
    first, second = await sessions.create(title="one"), await sessions.create(title="two")
    await sessions.rename(first.session_id, "erste")
    assert [one.title for one in await sessions.list()] == ["erste", "two"]
    assert (await sessions.get("ERSTE")).session_id == first.session_id
    assert (await sessions.get(second.session_id)).title == "two"


async def test_an_unknown_name_suggests_the_nearest(sessions: Sessions) -> None:
    await sessions.create(title="physics notes")
    with pytest.raises(SessionError, match="no session 'phisics notes'") as caught:
        await sessions.get("phisics notes")
    assert "physics notes" in (caught.value.hint or "")


async def test_two_sessions_of_one_title_are_told_apart_by_id(sessions: Sessions) -> None:
    one, two = await sessions.create(title="same"), await sessions.create(title="same")
    with pytest.raises(SessionError, match="2 sessions are called") as caught:
        await sessions.get("same")
    assert one.session_id in str(caught.value)
    assert two.session_id in str(caught.value)


async def test_deleting_removes_all_that_was_kept(sessions: Sessions, database: Database, leases: Leases) -> None:
    """R-SESS-1."""
    made = await sessions.create()
    await sessions.remember_cells(made.session_id, "a")
    transcript = Transcript(database, made.session_id)
    await transcript.save_partial("t1", "half")
    await sessions.delete(made.session_id)
    with pytest.raises(SessionError):
        await sessions.get(made.session_id)
    assert await database.run(
        lambda one: one.execute("SELECT (SELECT count(*) FROM partials) + (SELECT count(*) FROM cells)").fetchone()
    ) == (0,)
    with pytest.raises(SessionError, match="was deleted"):
        await transcript.append_event(
            "t1",
            TurnStarted(
                turn_id="t1",
                session_id=made.session_id,
                number=1,
                text="x",
                model="m",
                tier=Tier.WORKSPACE_READONLY,
                permission_version=1,
                started_at="2026-11-30T17:05:00Z",
            ),
        )


async def test_a_session_that_another_kernel_has_open_is_not_deleted(sessions: Sessions, leases: Leases) -> None:
    """R-SESS-3."""
    made = await sessions.create()
    with await leases.acquire(made.session_id, "/n/a.ipynb") as lease:
        with pytest.raises(SessionError, match=r"a\.ipynb"):
            await sessions.delete(made.session_id)
        await sessions.delete(made.session_id, lease)
    with pytest.raises(SessionError):
        await sessions.delete(made.session_id)


async def test_a_notebook_finds_its_session_by_path_first(sessions: Sessions) -> None:
    """R-SESS-1, traps: the path first."""
    mine = await sessions.create(notebook="/n/笔记 本.ipynb")
    other = await sessions.create(notebook="/n/b.ipynb")
    await sessions.remember_cells(other.session_id, "c1", "c2")
    found = await sessions.for_notebook("/n/笔记 本.ipynb", ("c1", "c2"))
    assert found is not None
    assert found.session_id == mine.session_id
    assert await sessions.for_notebook("/n/unknown.ipynb", ("c9",)) is None
    assert await sessions.for_notebook("/n/unknown.ipynb") is None


async def test_the_current_session_of_a_notebook_is_the_last_that_was_bound(sessions: Sessions) -> None:
    """R-SESS-1: %orange session use."""
    first = await sessions.create(notebook="/n/a.ipynb")
    await sessions.create(notebook="/n/a.ipynb")
    await sessions.update(first.session_id, notebook="/n/a.ipynb")
    found = await sessions.for_notebook("/n/a.ipynb")
    assert found is not None
    assert found.session_id == first.session_id


async def test_a_renamed_notebook_finds_its_session_by_its_cells(sessions: Sessions, tmp_path: Path) -> None:
    """R-SESS-1, traps: then the cellIds; a copy beside the living original gets none."""
    notebook = tmp_path / "old.ipynb"
    notebook.write_text("{}")
    made = await sessions.create(notebook=str(notebook))
    await sessions.remember_cells(made.session_id, "c1", "c2")
    await sessions.remember_cells(made.session_id, "c3")
    renamed = str(tmp_path / "new.ipynb")
    assert await sessions.for_notebook(renamed, ("c2", "x")) is None
    notebook.rename(renamed)
    found = await sessions.for_notebook(renamed, ("c2", "x"))
    assert found is not None
    assert (found.session_id, found.cell_ids) == (made.session_id, ("c1", "c2", "c3"))


async def test_only_the_latest_500_cells_are_remembered(sessions: Sessions) -> None:
    made = await sessions.create()
    await sessions.remember_cells(made.session_id, *(f"c{number}" for number in range(510)))
    cells = (await sessions.get(made.session_id)).cell_ids
    assert (len(cells), cells[0], cells[-1]) == (500, "c10", "c509")
