"""`edit` tells a model nothing of a value that `read` hides, and never changes one (R-READ-15, R-EDIT-6)."""

from __future__ import annotations

from pathlib import Path

import pytest

from orange_jupyter.core.changes.again import propose_again
from orange_jupyter.core.errors import ChangeError
from tests.tools.changing import code, desk

KEY = "sk-" + "abcdEFGHijklMNOPqrst"
NOTE = f"# Melt\napi_key = {KEY}\nfactor 4.1\n"


@pytest.mark.parametrize(
    "old",
    [
        "api_key = sk-a",
        "api_key = sk-z",
        KEY,
        "EFGHijkl",
        "zzzz",
        f"api_key = {KEY}\nfactor",
        f"# Melt\napi_key = {KEY[:7]}",
    ],
)
async def test_a_right_guess_and_a_wrong_one_get_the_same_answer(tmp_path: Path, old: str) -> None:
    """No match, no hint of it, nothing proposed."""
    async with desk(tmp_path) as here:
        (here.root / "a.md").write_text(NOTE)
        for how in ({"operation": "replace", "oldText": old, "newText": "x"},
                    {"operation": "multi_replace", "edits": [{"oldText": old, "newText": "x"}]}):  # fmt: skip
            answer = await here("edit", path="a.md", **how)
            if old == "api_key = ":
                assert answer["ok"]
                continue
            assert code(answer) == "no_match"
            assert KEY[3:7] not in str(answer) or KEY[3:7] in old
        assert (here.root / "a.md").read_text() == NOTE


async def test_hints_show_no_hidden_value(tmp_path: Path) -> None:
    async with desk(tmp_path) as here:
        (here.root / "a.md").write_text(NOTE)
        answer = await here("edit", path="a.md", operation="replace", oldText="API_KEY  =  sk-", newText="x")
        assert code(answer) == "no_match"
        assert "abcd" not in str(answer)


async def test_a_file_with_hidden_values_is_not_rewritten_as_a_whole(tmp_path: Path) -> None:
    """A line that is the same would not be a change: a rewrite would tell whether a guess is right, and lose the value."""
    async with desk(tmp_path) as here:
        (here.root / "a.md").write_text(NOTE)
        assert code(await here("edit", path="a.md", operation="rewrite", content=NOTE)) == "masked_text"
        beside = await here("edit", path="a.md", operation="replace", oldText="factor 4.1", newText="factor 4.6")
        assert beside["ok"]
        more = await here("edit", path="a.md", operation="append", content="end\n")
        assert more["ok"]


async def test_jupyter_s_own_folder_is_protected_under_any_name_of_it(tmp_path: Path) -> None:
    """R-PERM-9, A11."""
    async with desk(tmp_path) as here:
        (here.root / "conf" / "custom").mkdir(parents=True)
        (here.root / "a.md").write_text("a\n")
        calls = (
            ("edit", {"path": "conf", "operation": "rename", "destination": ".jupyter"}),
            ("edit", {"path": "a.md", "operation": "rename", "destination": "jupyter_server_config.md"}),
            ("write", {"kind": "folder", "targetPath": ".Jupyter"}),
            ("write", {"kind": "folder", "targetPath": ".ipython"}),
            ("write", {"kind": "folder", "targetPath": "jupyter_server_config.d"}),
            ("write", {"kind": "folder", "targetPath": "jupyter notes"}),
        )
        decisions = []
        for tool, arguments in calls:
            await here(tool, **arguments)
            decisions.append(here.decision)
        assert decisions == ["approved"] * 5 + ["allowed"]


@pytest.mark.parametrize(
    ("name", "text", "old", "new"),
    [
        ("a.md", "password: hunter2x\n", "password: ", "note: "),
        ("a.md", f"key {KEY} end\n", "key ", "keyX"),
        ("a.md", f"key {KEY} end\n", " end", "!end"),
        ("a.md", "密码：hunter2\n", "密码：", "茶"),
    ],
)
async def test_no_edit_beside_a_hidden_value_opens_it(tmp_path: Path, name: str, text: str, old: str, new: str) -> None:
    """A value that is hidden for the words beside it must stay hidden, in the pending view and on the disk."""
    async with desk(tmp_path) as here:
        (here.root / name).write_text(text)
        shown = await here("read", path=name)
        assert shown["maskedValues"] == 1
        answer = await here("edit", path=name, operation="replace", oldText=old, newText=new)
        assert code(answer) in ("masked_text", "no_match") if not answer["ok"] else True
        seen = await here("read", path=name)
        assert "hunter2" not in str(seen)
        assert KEY not in str(seen)


async def test_a_new_name_opens_no_hidden_value(tmp_path: Path) -> None:
    async with desk(tmp_path) as here:
        (here.root / ".env.md").write_text("COLOUR=walrus-colour\n")
        assert code(await here("edit", path=".env.md", operation="rename", destination="env.md")) == "masked_text"
        (here.root / "b.md").write_text("COLOUR=walrus-colour\n")
        assert (await here("edit", path="b.md", operation="rename", destination="c.md"))["ok"]


V = "q7Tq0vX3mW8rB5kL2nP9sD4z"


async def shows(here, path: str) -> bool:
    """Whether a model sees the value there, pending or on the disk."""
    seen = [await here("read", path=path, view=view) for view in ("pending", "disk")]
    assert any(one["ok"] for one in seen)
    return V in str(seen)


async def test_a_name_that_hides_and_edits_that_rely_on_it_do_not_open_a_value_in_turns(tmp_path: Path) -> None:
    """Rename and edit in either order: what is pending counts, not the disk."""
    async with desk(tmp_path) as here:
        (here.root / ".env.md").write_text(f"FOO_API_KEY={V}\n")
        await here("edit", path=".env.md", operation="replace", oldText="FOO_API_KEY", newText="FOO")
        await here("edit", path=".env.md", operation="rename", destination="notes.md")
        assert not await shows(here, ".env.md")
        (here.root / "n.md").write_text(f"api key: {V}\n")
        await here("edit", path="n.md", operation="rename", destination="a.env.md")
        await here("edit", path="a.env.md", operation="replace", oldText="api key: ", newText="A=")
        await here("edit", path="a.env.md", operation="rename", destination="m.md")
        for path in [one.name for one in here.root.iterdir()] + ["a.env.md", "m.md"]:
            seen = await here("read", path=path)
            assert V not in str(seen), path
        await here.apply()
        for path in [one.name for one in here.root.iterdir()]:
            assert V not in str(await here("read", path=path)), path


async def test_taking_back_or_leaving_out_what_covered_a_value_opens_nothing(tmp_path: Path) -> None:
    """Withdrawn: hidden in the pending view. Applied alone: refused, for the value would stand open on the disk."""
    async with desk(tmp_path) as here:
        (here.root / "a.md").write_text(f"my api key is: {V}\n")
        cover = await here("edit", path="a.md", operation="replace", oldText="is: ", newText="is: secret: ")
        bare = await here("edit", path="a.md", operation="replace", oldText="my api key", newText="banana")
        if not (cover["ok"] and bare["ok"]):
            return
        (alone,) = await here.apply(bare["operationId"])
        assert alone.error is not None
        await here("edit", operation="withdraw", operationId=cover["operationId"])
        assert not await shows(here, "a.md")
        await here.apply()
        assert not await shows(here, "a.md")


async def test_a_link_hides_what_its_target_s_name_hides(tmp_path: Path) -> None:
    async with desk(tmp_path) as here:
        (here.root / ".env.md").write_text(f"FOO={V}\n")
        (here.root / "l.md").symlink_to(".env.md")
        assert V not in str(await here("read", path="l.md"))
        assert code(await here("edit", path="l.md", operation="replace", oldText=V, newText="x")) == "no_match"
        await here("edit", path="l.md", operation="rename", destination="x.md")
        await here.apply()
        assert V not in str(await here("read", path="x.md"))


@pytest.mark.parametrize(
    ("name", "text", "edit"),
    [
        ("a.md", f"api key: {V}", {"operation": "append", "content": "ZZZ"}),
        (".env.md", f"PORT={V}\nB=x\n", {"operation": "replace", "oldText": "PORT=", "newText": "PORT=zz"}),
        (".env.md", f"PORT={V}\nB=x\n", {"operation": "replace", "oldText": "\nB", "newText": "99\nB"}),
    ],
)
async def test_nothing_is_joined_to_a_hidden_value(tmp_path: Path, name: str, text: str, edit: dict) -> None:
    """R-EDIT-6: the value stays."""
    async with desk(tmp_path) as here:
        (here.root / name).write_text(text)
        assert code(await here("edit", path=name, **edit)) == "masked_text"


async def test_proposing_again_on_a_text_with_a_new_hidden_value_opens_nothing(tmp_path: Path) -> None:
    async with desk(tmp_path) as here:
        (here.root / "a.md").write_text("the key\n")
        old = await here.replace("a.md", "key", "grape")
        (here.root / "a.md").write_text(f"the key: {V}\n")
        await here.apply(old)
        with pytest.raises(ChangeError) as refused:
            await propose_again(here.changes, old)
        assert refused.value.code == "masked_text"
        assert not await shows(here, "a.md")
        await here.apply()
        assert not await shows(here, "a.md")
