"""CONTRIBUTING's "add a tool in 25 lines" is code that runs."""

from __future__ import annotations

import contextlib
import dataclasses
import re
import types
from pathlib import Path

from orange_jupyter.core.dispatch import run_call
from orange_jupyter.core.grant import Tier
from orange_jupyter.core.messages import ToolCall
from orange_jupyter.core.paths import KnowledgeBase
from orange_jupyter.local.fileids import FileIds
from orange_jupyter.local.protected import Protected
from orange_jupyter.local.workspace import LocalWorkspace
from tests.core.stage import Stage

PAGE = Path(__file__).parents[1] / "CONTRIBUTING.md"


def snippet() -> str:
    found = re.search(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert found
    return found.group(1)


def test_the_snippet_has_at_most_25_lines_of_code() -> None:
    lines = [line for line in snippet().splitlines() if line.strip()]
    assert len(lines) <= 25


async def test_the_tool_of_the_snippet_runs_through_the_one_dispatch(tmp_path: Path) -> None:
    """R-ALL-1, R-PERM-7: the example gets its envelope and its refusals like every other tool."""
    module = types.ModuleType("count")
    exec(compile(snippet(), str(PAGE), "exec"), module.__dict__)
    base = tmp_path / "my notes 笔记"
    base.mkdir()
    (base / "日记 one.md").write_text("一\n二\nthree\n", encoding="utf-8")
    (tmp_path / "outside.md").write_text("no", encoding="utf-8")
    stage = Stage(module.COUNT, tier=Tier.WORKSPACE_READONLY)
    with contextlib.closing(FileIds(tmp_path / "ids.db")) as ids:
        workspace = LocalWorkspace([KnowledgeBase("kb_1", "notes", str(base))], ids, Protected(str(tmp_path / "home")))
        plain = stage.desk.context
        desk = dataclasses.replace(
            stage.desk, context=lambda grant, report: dataclasses.replace(plain(grant, report), workspace=workspace)
        )
        good = await run_call(desk, ToolCall(id="1", name="count", arguments={"path": "日记 one.md"}))
        assert good.envelope == {"ok": True, "path": "日记 one.md", "lines": 3, "bytes": 14}
        far = await run_call(desk, ToolCall(id="2", name="count", arguments={"path": str(tmp_path / "outside.md")}))
        assert far.envelope["error"]["code"] == "outside_workspace"
        wrong = await run_call(desk, ToolCall(id="3", name="count", arguments={"paht": "a"}))
        assert wrong.envelope["error"]["code"] == "invalid_argument"
