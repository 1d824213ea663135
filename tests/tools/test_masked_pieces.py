"""Credentials stay masked in every piece that a tool gives of a file: R-READ-15, R-ALL-5, R-PERM-9; S02."""

from __future__ import annotations

import json
import random
import string

import pytest
from docx import Document

from orange_jupyter.core.grant import Tier

TOKEN = "ghp_" + "aB3" * 12


def pem(lines: int = 40) -> list[str]:
    """A PEM private key's lines, the same in every run."""
    chance = random.Random(15)
    letters = string.ascii_letters + string.digits + "+/"
    body = ["".join(chance.choice(letters) for _ in range(64)) for _ in range(lines)]
    return ["-----BEGIN RSA PRIVATE KEY-----", *body, "-----END RSA PRIVATE KEY-----"]


def leaked(shown: str, secret: str) -> list[str]:
    """Stretches of 12 characters of the secret that stand in what was shown."""
    return [secret[at : at + 12] for at in range(0, len(secret) - 11, 4) if secret[at : at + 12] in shown]


@pytest.fixture
def note(kb):
    """A note with a key and a token between its words."""
    text = "# Keys 钥匙\n\nwalrus 海象 begins\n\n" + "\n".join(pem()) + f"\n\nthen {TOKEN} and the walrus ends\n"
    (kb.root / "我的 k.md").write_text(text, encoding="utf-8")
    return text


@pytest.mark.parametrize("limit", [1, 7, 200, 1000])
async def test_a_note_read_in_pieces_shows_no_piece_of_a_key(kb, note, limit):
    """R-READ-15, S02: every offset and limit; tokens are numbered through the file, figures are the real text's."""
    starts = (
        range(0, len(note), limit) if limit > 7 else (*range(30, 110, 3), *range(note.index(TOKEN) - 2, len(note), 5))
    )
    for offset in starts:
        read = await kb("read", path="我的 k.md", offset=offset, limit=limit)
        assert leaked(read["content"], "\n".join(pem())) == []
        assert "aB3" not in read["content"]
        assert (read["totalChars"], read["maskedValues"], read["offset"]) == (len(note), 2, offset)
        assert read["nextOffset"] == (offset + limit if offset + limit < len(note) else None)
    inside = await kb("read", path="我的 k.md", offset=100, limit=200)
    assert inside["content"] == "⟦masked:1⟧"
    last = await kb("read", path="我的 k.md", offset=note.index(TOKEN) + 10, limit=200)
    assert last["content"] == "⟦masked:2⟧ and the walrus ends\n"


async def test_a_key_over_many_blocks_of_a_document_is_masked_in_each(kb):
    """R-READ-15, S02: in Word every line of a pasted key is a paragraph of its own."""
    document = Document()
    for line in ("walrus before", *pem(), f"token {TOKEN}"):
        document.add_paragraph(line)
    document.save(kb.root / "d.docx")
    whole = await kb("read", path="d.docx")
    block = await kb("read", path="d.docx", block=20)
    found = await kb("search", query="walrus token", limit=16)
    everything = json.dumps([whole, block, found], ensure_ascii=False)
    assert leaked(everything, "\n".join(pem())) == []
    assert TOKEN[:12] not in everything
    assert (block["maskedValues"], block["blocks"][0]["text"]) == (2, "⟦masked:1⟧")
    assert whole["blocks"][-1]["text"] == "token ⟦masked:2⟧"
    assert found["citations"][0]["passage"]


async def test_a_key_over_two_pages_is_masked_on_both(kb):
    """R-READ-15, S02."""
    import pymupdf

    with pymupdf.open() as pdf:
        for lines in (["walrus page", *pem()[:21]], [*pem()[21:], "after the walrus"]):
            pdf.new_page().insert_text((40, 60), "\n".join(lines), fontsize=8)
        pdf.save(kb.root / "r.pdf")
    second = await kb("read", path="r.pdf", page=2, offset=5, limit=300)
    found = await kb("search", query="walrus", limit=16)
    assert leaked(json.dumps([second, found]), "\n".join(pem())) == []
    assert second["pages"][0]["text"].startswith("⟦masked:1⟧")
    assert (second["maskedValues"], len(found["citations"])) == (1, 2)


async def test_search_neither_shows_nor_stores_nor_finds_a_key(kb, note):
    """R-READ-15, R-ALL-5, S02: the passage after the first has no BEGIN line; the cache holds nothing either."""
    found = await kb("search", query="walrus", limit=16)
    shown = "\n".join(citation["passage"] for citation in found["citations"])
    assert leaked(shown, "\n".join(pem())) == []
    assert ("⟦masked:1⟧" in shown, "⟦masked:2⟧ and the walrus ends" in shown) == (True, True)
    line = pem()[25]
    (kb.root / "after.md").write_text(f"# 密码：hunter22\n\nplain text {line[:20]}\n", encoding="utf-8")
    again = await kb("search", query=line, limit=16)
    assert [one["path"] for one in again["citations"]] in ([], ["after.md"])
    cache = b"".join(path.read_bytes() for path in (kb.tmp / "cache").rglob("*") if path.is_file())
    assert b"hunter22" not in cache
    for at in range(1, 20):
        assert pem()[at][:20].encode() not in cache
        assert pem()[at][:20].lower().encode() not in cache
    assert TOKEN[4:].encode() not in cache


async def test_passages_without_secrets_stay_equal_to_the_file(kb, note):
    """R-SRCH-4: around a key the offsets are those of the real text."""
    text = note + "\n## Snow 雪线\n\n" + "The snow line is high here. 雪线很高。\n" * 60
    (kb.root / "我的 k.md").write_text(text, encoding="utf-8")
    found = await kb("search", query="雪线 snow line", limit=16)
    plain = [one for one in found["citations"] if "⟦masked" not in one["passage"]]
    assert plain
    assert all(text[one["start"] : one["end"]] == one["passage"] for one in plain)


async def test_an_outside_search_shows_and_finds_no_key(kb):
    """R-READ-15, R-PERM-9, S02: key files whole, `.env` values, keys in notes; also not by guessing at them."""
    outside = kb.tmp / "o"
    outside.mkdir()
    lines = pem()
    (outside / "id_rsa").write_text("\n".join(lines))
    (outside / "k.txt").write_text("walrus\n" + "\n".join(lines) + "\nwalrus after\n")
    (outside / "app.env").write_text("COLOUR=walrus-colour\nNAME=x\n")
    for query in ("walrus", "BEGIN", lines[3][:16], lines[30], "NAME", "walrus-colour", "after"):
        found = await kb("search", tier=Tier.FULL_AUTO, query=query, path=str(outside), limit=16)
        passages = [one["passage"] for one in found.get("results", found["citations"])]
        shown = json.dumps(passages, ensure_ascii=False)
        assert leaked(shown, "\n".join(lines)) == []
        assert "walrus-colour" not in shown
        if query == "after":
            assert passages[0].endswith("walrus after\n")
        if query in ("BEGIN", lines[3][:16], lines[30], "walrus-colour"):
            assert passages == []
    read = await kb("read", tier=Tier.FULL_AUTO, path=str(outside / "k.txt"), offset=100, limit=100)
    assert read["content"] == "⟦masked:1⟧"


async def test_a_configured_key_is_masked_where_a_piece_cuts_it(kb):
    """R-READ-15, R-ALL-5: a key without any known shape, known because a model uses it."""
    secret = "correct-horse-battery-staple"
    (kb.tmp / "home").mkdir()
    (kb.tmp / "home" / "keys.toml").write_text(f'[keys]\nmine = "{secret}"\n')
    (kb.tmp / "home" / "keys.toml").chmod(0o600)
    (kb.root / "a.md").write_text(f"walrus {secret} end\n")
    read = await kb("read", path="a.md", offset=10, limit=8)
    assert (read["content"], read["maskedValues"]) == ("⟦masked:1⟧", 1)
    found = await kb("search", query="walrus")
    assert found["citations"][0]["passage"] == "walrus ⟦masked:1⟧ end"
    cache = b"".join(path.read_bytes() for path in (kb.tmp / "cache").rglob("*") if path.is_file())
    assert b"battery" not in cache


async def test_an_env_file_of_short_values_is_read_to_its_end_without_a_gap(kb):
    """R-READ-15, R-READ-2, R-CTX-2: tokens longer than their values do not shift what a model reads next."""
    text = "".join(f"N{number}=x\n" for number in range(3000))
    (kb.root / ".env").write_text(text)
    names, offset = "", 0
    while offset is not None:
        await kb("read", path=".env", offset=offset, limit=8000)
        shown = json.loads(kb.result.content)
        names += shown["content"]
        assert "truncated" not in shown
        offset = shown["nextOffset"]
    assert [line.split("=")[0] for line in names.splitlines()] == [f"N{number}" for number in range(3000)]
