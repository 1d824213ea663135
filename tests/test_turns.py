"""A turn as a document for programs (R-SCH-10)."""

from __future__ import annotations

from orange_jupyter.turns import Call


def test_a_call_s_warnings_stand_behind_its_summary() -> None:
    """R-SCH-10: the schema has no field for them, and a script that reads `ask --json` should see them."""
    envelope = {"ok": True, "warnings": ["The index is kept in memory.", "磁盘已满。"]}
    call = Call("c1", "search", {"query": "melt"}, True, "allowed", "2 passages", envelope=envelope)
    assert call.document()["summary"] == "2 passages Warning: The index is kept in memory. Warning: 磁盘已满。"
    assert Call("c1", "search", {}, True, "allowed", "2 passages").document()["summary"] == "2 passages"
