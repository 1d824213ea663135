"""`edit` tells a model nothing of a value that `read` hides, and never changes one (R-READ-15, R-EDIT-6)."""

from __future__ import annotations

from pathlib import Path

import pytest

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
