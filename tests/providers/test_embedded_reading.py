"""What the embedded search shows of a note that is read: its text without its properties (R-MOD-7)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.providers.notes import Talk

FILES = {
    "---\ntitle: Watering rule\ntags: [garden, rules]\naliases:\n  - rain\nupdated: 2026-03-01\n---\n\n# Rule\n\nAt dusk.": "Rule",
    "---\r\ntitle: x\r\n---\r\n# Rule\r\n\r\nAt dusk.": "Rule",
    "---\nA rule: then prose\nwith no key in this line\n---\n\nAt dusk.": "A rule: then prose",
    "---\ntitle: never closed\n\nAt dusk.": "title: never closed",
}


@pytest.mark.parametrize("content", FILES)
async def test_a_note_is_read_out_without_its_properties(content: str) -> None:
    """R-READ-1: the YAML block is no text of the note; what only looks like one stays; a later part is never cut."""

    def tools(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        return {"ok": True, "path": "rule.md", "content": content, "offset": 0, "nextOffset": None}

    text = await Talk(tools=tools).ask("read rule.md")
    assert FILES[content] in text
    assert "At dusk." in text
    assert "updated:" not in text
    assert "title: x" not in text
    later = await Talk(tools=lambda *_: {**tools("", {}), "offset": 9}).ask("read rule.md")
    assert "> ---" in later
