"""A turn that dies with its process at any step (R-SESS-2, wire row 14): the store opens and the next turn is well-formed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from orange_jupyter.core.messages import Message, Role, ToolCall, ToolResult
from tests.killing import well_formed


def test_a_turn_killed_at_every_step_is_resumed_with_a_well_formed_request(tmp_path):
    """Row 14, R-SESS-2: SIGKILL at every event and piece of text of a turn with five calls; N of N resume."""
    folder = tmp_path / "notes 笔记"
    (folder / ".orange").mkdir(parents=True)
    (folder / ".orange" / "config.toml").write_text('[[knowledge_bases]]\nid = "kb_m"\nname = "notes"\npath = "."\n')
    (folder / "a.md").write_text("# Melt\n\nThe melt factor is 4.6. 融雪因子。\n", encoding="utf-8")
    run = subprocess.run(
        [sys.executable, "-m", "tests.killing", str(tmp_path), str(folder)],
        check=False,
        cwd=Path(__file__).parents[1],
        capture_output=True,
        text=True,
        timeout=110,
    )
    rows = [json.loads(line) for line in run.stdout.splitlines()]
    assert run.returncode == 0, run.stderr
    *killed, whole = rows
    assert whole["ended"], whole
    assert len(killed) >= 25
    assert [row["at"] for row in killed if not row["killed"]] == []
    wrong = [row for row in rows if row["broken"] or not row.get("wellFormed") or row.get("asked") != 2]
    assert wrong == [], f"{len(rows) - len(wrong)} of {len(rows)}: {wrong[:3]}"
    assert whole["cutOff"] == "None"
    assert [row["at"] for row in killed if row["cutOff"] != "interrupted"] in ([], [killed[-1]["at"]])
    print(f"{len(rows)} of {len(rows)} points resumed")


def test_the_count_of_well_formed_messages_can_fail():
    """Row 14: a missing, a second and a foreign result are each seen."""
    call = Message(role=Role.ASSISTANT, parts=(ToolCall(id="1", name="list", arguments={}),))
    result = Message(role=Role.TOOL, parts=(ToolResult(call_id="1", name="list", content="{}", ok=True),))
    assert well_formed((call, result))
    assert not well_formed((call,))
    assert not well_formed((call, result, result))
    assert not well_formed((result,))
    assert not well_formed((call, call, result, result))
