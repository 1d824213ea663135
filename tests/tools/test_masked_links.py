"""What a file named like a secret holds stays hidden by every name that leads to it (R-READ-15, R-PERM-9, S02)."""

from __future__ import annotations

import json
import os
import shutil

import pytest

from orange_jupyter.core.grant import Tier
from orange_jupyter.core.masking import telling

VALUE = "plainword"
LINES = f"# Title={VALUE}\n\nwalrus notes\n\nFOO={VALUE}\nnote of a walrus ![{VALUE}](x.png)\nBAR=![{VALUE}](y.png)\n"


@pytest.mark.parametrize("real", [".env.md", "keys/.env.md", ".env.txt"])
@pytest.mark.parametrize("link", ["lnk.md", "a/深 lnk.md", "lnk.txt"])
async def test_a_link_to_an_env_file_is_found_without_its_values(kb, real, link):
    """R-READ-15, S02: search, titles and headings, read by path and by id, list, the index on the disk."""
    for one in (real, link):
        (kb.root / one).parent.mkdir(exist_ok=True)
    (kb.root / real).write_text(LINES.replace(f"walrus ![{VALUE}](x.png)", "walrus"), encoding="utf-8")
    (kb.root / link).symlink_to(os.path.relpath(kb.root / real, (kb.root / link).parent))
    assert (await kb("search", query=VALUE, limit=16))["citations"] == []
    found = await kb("search", query="walrus", limit=16)
    assert [one["path"] for one in found["citations"]] == [link]
    assert "FOO=⟦masked:" in found["citations"][0]["passage"]
    read = await kb("read", path=link)
    by_id = await kb("read", fileId=found["citations"][0]["fileId"])
    assert "FOO=⟦masked:" in read["content"] == by_id["content"]
    everything = [found, read, by_id, await kb("list", path="."), await kb("read", path=real)]
    assert VALUE not in json.dumps(everything, ensure_ascii=False)
    for file in (kb.tmp / "cache").rglob("*"):
        assert not file.is_file() or VALUE.encode() not in file.read_bytes()


async def test_a_chain_of_links_and_a_copy(kb):
    """R-READ-15: only the name at the end counts; a copy or a hard link under a note's name is a note of its own."""
    (kb.root / ".env.md").write_text(f"FOO={VALUE}\nAPI_TOKEN=hunter2222\nwalrus\n")
    (kb.root / "a.md").symlink_to(".env.md")
    (kb.root / "b.md").symlink_to("a.md")
    shutil.copy(kb.root / ".env.md", kb.root / "copy.md")
    (kb.root / "hard.md").hardlink_to(kb.root / "copy.md")
    shown = json.dumps([await kb("search", query="walrus", limit=16), await kb("read", path="b.md")])
    assert f"API_TOKEN={VALUE}" not in shown
    assert "hunter2222" not in shown
    assert VALUE in (await kb("read", path="copy.md"))["content"]
    assert VALUE in (await kb("read", path="hard.md"))["content"]
    assert VALUE not in json.dumps(await kb("read", path="b.md"))


@pytest.mark.parametrize(
    ("link", "real", "told"),
    [
        ("a.md", ".env.md", ".env.md"), (".env.md", "a.md", ".env.md"), ("a.md", "b.md", "a.md"), ("a.md", "id_rsa", "id_rsa"),
        ("a.md", "x.pem", "x.pem"), (".env.md", "id_card.md", ".env.md"), (".env", ".netrc", ".netrc"),
    ],
)  # fmt: skip
def test_the_name_that_hides_more_counts(link, real, told):
    """R-READ-15."""
    assert telling(link, real) == told


async def test_a_note_that_ends_in_a_secret_can_be_continued(kb):
    """R-READ-15, R-EDIT-6: the value is hidden before and after, so the change is proposed."""
    (kb.root / "n.md").write_text("note\npassword: hunter2222\n")
    done = await kb("edit", tier=Tier.WORKSPACE_WRITE, operation="append", path="n.md", content="more\n")
    assert done["ok"], done
    read = await kb("read", tier=Tier.WORKSPACE_WRITE, path="n.md")
    assert "hunter2222" not in json.dumps([done, read])
