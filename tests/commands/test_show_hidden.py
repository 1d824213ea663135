"""`%orange show` in a notebook, which is saved and passed on: values that no tool shows are hidden (R-READ-15, R-UI-3)."""

from __future__ import annotations

from pathlib import Path

import pytest

from orange_jupyter.cli.tool import call
from orange_jupyter.jupyter.ports import Where

VALUE = "plainword"


@pytest.fixture
async def root(app, say):
    """A KB with `.env.md` and a link to it under a note's name."""
    root = Path(app.folder) / "kb"
    (root / ".env.md").write_text(f"# Walrus\n\nFOO={VALUE}\nBAR={VALUE}\n\nwalrus notes\n", encoding="utf-8")
    (root / "lnk.md").symlink_to(".env.md")
    await say("kb add kb")
    return root


async def test_a_shown_note_hides_its_values(root, say):
    """R-READ-15: by its path, through a link, and values by their shape in any note."""
    (root / "server.md").write_text("# Server\npassword: hunter2222\nport 22\n", encoding="utf-8")
    for words in ("show lnk.md", "show .env.md", "show server.md"):
        reply = await say(words)
        assert "⟦masked:1⟧" in reply.markdown
        assert VALUE not in reply.markdown + reply.html
        assert "hunter2222" not in reply.markdown + reply.html


async def test_what_stands_around_a_citation_through_a_link_hides_its_values(app, office, say, root):
    """R-READ-15: the passage, and the text around it, which is read anew from the link."""
    where = Where(str(Path(app.folder) / "a.ipynb"), None, app.folder)
    opened = await office._now(where)
    long = "".join(f"line {number} of the walrus\nFOO{number}={VALUE}\n\n" for number in range(400))
    (root / ".env.md").write_text(f"# Walrus\n\n{long}", encoding="utf-8")
    found = (await call(app, opened, "search", {"query": "walrus", "limit": 3})).envelope
    assert found["citations"]
    for citation in found["citations"]:
        reply = await say(f"show {citation['citationId']}")
        assert VALUE not in reply.markdown + reply.html
        assert "⟦masked:" in reply.html
