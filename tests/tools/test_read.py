"""`read` through the whole dispatch: R-READ-1, -2, -4, -5, -7, -9, -10, -12, -13, -15, R-SCOPE-1…3, R-PERM-9; P01, P02, P06, P14, P15."""

from __future__ import annotations

import json
import os
import socket

import pytest
from docx import Document
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from orange_jupyter.core.grant import Tier


async def test_a_note_is_read_in_pieces_that_join_to_the_whole(kb):
    """R-READ-1, R-READ-2: code points, nextOffset, totalChars; the last piece has none."""
    text = "---\ntitle: 雪 line\n---\n# H\n" + "雪线 snow 🗻 line\n" * 900
    (kb.root / "a.md").write_text(text, encoding="utf-8")
    pieces, offset = [], 0
    while offset is not None:
        read = await kb("read", path="a.md", offset=offset, limit=777)
        pieces.append(read["content"])
        offset = read["nextOffset"]
    assert "".join(pieces) == text
    assert (read["totalChars"], read["title"], read["fileType"]) == (len(text), "雪 line", "markdown")
    assert read["contentHash"].startswith("sha256:")
    again = await kb("read", fileId=read["fileId"], limit=10)
    assert again["content"] == text[:10]


async def test_what_a_model_gets_is_cut_to_fit_with_the_offset_moved(kb):
    """R-CTX-2: 8,000 characters full of quotes do not fit 9,000 characters of JSON."""
    (kb.root / "q.txt").write_text('"\n' * 6000)
    whole = await kb("read", path="q.txt", limit=8000)
    shown = json.loads(kb.result.content)
    assert len(whole["content"]) == 8000
    assert len(kb.result.content) <= 9000
    assert shown["truncated"] is True
    assert shown["nextOffset"] == len(shown["content"])


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("", "invalid_path"),
        ("../kb-private/x.md", "outside_workspace"),
        ("a/../../kb-private/x.md", "outside_workspace"),
        ("/etc/hostname", "outside_workspace"),
        ("%2e%2e/x.md", "not_found"),
        ("a\\..\\b", "not_found"),
        ("~/.ssh/id_rsa", "not_found"),
        ("nul\0byte", "invalid_path"),
        ("x" * 5000, "invalid_path"),
        ("missing.md", "not_found"),
    ],
)
async def test_no_path_leaves_the_workspace(kb, path, code):
    """P01, P06, R-SCOPE-1: typed, no exception text, no content."""
    (kb.tmp / "kb-private").mkdir()
    (kb.tmp / "kb-private" / "x.md").write_text("CANARY")
    read = await kb("read", path=path)
    assert read["error"]["code"] == code
    assert "CANARY" not in json.dumps(read)
    assert "Errno" not in read["error"]["message"]


async def test_a_link_that_leaves_the_kb_is_refused_in_every_tier(kb):
    """P02, R-SCOPE-1: read, list, search and image references; CANARY nowhere."""
    (kb.tmp / "secret.txt").write_text("CANARY")
    (kb.root / "a.md").symlink_to(kb.tmp / "secret.txt")
    (kb.root / "d").symlink_to(kb.tmp)
    (kb.root / "n.md").write_text("# N\n\n![x](d/secret.txt) ![y](a.md)\n")
    for tier in (Tier.WORKSPACE_READONLY, Tier.FULL_AUTO):
        for path in ("a.md", "d/secret.txt"):
            assert (await kb("read", tier, path=path))["error"]["code"] in ("link_escape", "outside_workspace")
        seen = json.dumps(
            [await kb("search", tier, query="CANARY"), await kb("list", tier), await kb("read", tier, path="n.md")]
        )
        assert "CANARY" not in seen.replace('"query": "CANARY"', "")


async def test_special_files_are_refused_at_once(kb):
    """P14, R-SCOPE-3: FIFO, socket, device link."""
    os.mkfifo(kb.root / "fifo.md")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(kb.root / "s.md"))
        (kb.root / "zero.md").symlink_to("/dev/zero")
        for name in ("fifo.md", "s.md", "zero.md"):
            assert (await kb("read", path=name))["error"]["code"] in ("not_regular_file", "link_escape")


@pytest.mark.parametrize(
    "path", ["/proc/self/environ", "/dev/urandom", "home/keys.toml", "home/orange.db", ".ssh/id_ed25519"]
)
async def test_files_that_hold_keys_are_never_read_not_even_approved(kb, path):
    """P15, R-PERM-9: approval was given, the file stays closed."""
    (kb.tmp / ".ssh").mkdir()
    (kb.tmp / ".ssh" / "id_ed25519").write_text("CANARY")
    await kb("list", Tier.FULL_AUTO)
    real = path if path.startswith("/") else str(kb.tmp / path)
    for tier in (Tier.FULL_CONFIRM, Tier.FULL_AUTO):
        read = await kb("read", tier, path=real)
        assert read["ok"] is False
        assert read["error"]["code"] in ("protected_path", "not_regular_file", "not_found")


async def test_an_outside_text_is_read_after_approval_and_marked(kb):
    """R-READ-12, R-PERM-5, R-SCOPE-2: the real place was shown; the result is untrusted, without image references."""
    (kb.tmp / "o.md").write_text("# Out\n\n![x](y.png)\n")
    read = await kb("read", Tier.FULL_CONFIRM, path=str(kb.tmp / "o.md"))
    assert (read["ok"], read["untrusted"], kb.decision) == (True, True, "approved")
    assert "imageRefs" not in read
    assert read["path"] == str((kb.tmp / "o.md").resolve())


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("p.png", "image_outside_workspace"),
        ("d.docx", "use_file_id"),
        ("d.pdf", "use_file_id"),
        ("v.svg", "svg_not_rasterised"),
    ],
)
async def test_outside_only_text_is_read(kb, name, code):
    """R-READ-5, R-READ-9: pictures and documents outside are refused, not even in a full tier."""
    (kb.tmp / name).write_bytes(b"whatever")
    assert (await kb("read", Tier.FULL_AUTO, path=str(kb.tmp / name)))["error"]["code"] == code


async def test_references_to_pictures_say_where_they_lead(kb):
    """R-READ-10: paths with spaces, parentheses, escapes, encoded names, titles, reference style; and skip reasons."""
    (kb.root / "notes").mkdir()
    (kb.root / "img").mkdir()
    for name in ("a b.png", "c (1).png", "图.png"):
        Image.new("RGB", (4, 4)).save(kb.root / "img" / name)
    (kb.root / "notes" / "n.md").write_text(
        "![one](<../img/a b.png>) ![two](../img/c%20(1).png 'title') ![three][r]\n\n"
        "![web](https://x.test/a.png) ![abs](/etc/a.png) ![up](../../a.png) ![vec](v.svg) ![drawn](../img/d.svg) ![gone](gone.png)\n\n[r]: ../img/图.png\n",
        encoding="utf-8",
    )
    (kb.root / "img" / "d.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg'/>")
    read = await kb("read", path="notes/n.md", includeImages="always")
    refs = {ref.get("alt"): ref for ref in read["imageRefs"]}
    assert [refs[alt]["exists"] for alt in ("one", "two", "three")] == [True] * 3
    drawn = refs["drawn"]
    assert (drawn["exists"], drawn["skipped"], drawn["path"]) == (True, "svg", "img/d.svg")
    assert drawn["fileId"].startswith("f_")
    assert "svg" not in str(read.get("imagesLeftOut", ""))
    assert refs["three"]["path"] == "img/图.png"
    assert refs["one"]["fileId"].startswith("f_")
    skipped = {alt: refs[alt]["skipped"] for alt in ("web", "abs", "up", "vec", "gone")}
    assert skipped == {
        "web": "remote",
        "abs": "absolute",
        "up": "escapes-knowledge-base",
        "vec": "svg",
        "gone": "missing",
    }


@pytest.mark.parametrize("encoding", ["gb18030", "big5", "utf-16"])
async def test_old_encodings_are_read_and_named(kb, encoding):
    """R-READ-13, C11: 300 characters and more."""
    text = (
        "這是一份關於森林與氣候的調查報告，記錄了山地的雪線變化。"
        if encoding == "big5"
        else "这是一份关于森林与气候的调查报告，记录了山地的雪线变化。"
    ) * 15
    (kb.root / "old.txt").write_bytes(text.encode(encoding))
    read = await kb("read", path="old.txt")
    assert read["content"] == text[:6000]
    assert read["encoding"].replace("-", "").lower() not in ("utf8", "")


async def test_binary_content_under_a_text_name_fails_clearly(kb):
    """R-READ-13, D07."""
    (kb.root / "b.md").write_bytes(bytes(range(256)) * 20)
    assert (await kb("read", path="b.md"))["error"]["code"] in ("type_mismatch", "encoding_unknown")


async def test_values_of_an_env_file_are_masked_and_offsets_stay_true(kb):
    """R-READ-15, R-PERM-9, S02: a token in place of each value, the count beside it."""
    text = "NAME=visible\nAPI_KEY=canary-0123456789abcdef\n# end\n"
    (kb.root / ".env").write_text(text)
    read = await kb("read", path=".env")
    assert "canary" not in json.dumps(read)
    assert "⟦masked:" in read["content"]
    assert (read["totalChars"], read["maskedValues"] >= 1) == (len(text), True)


async def test_a_document_is_read_by_block_and_heading(kb):
    """R-READ-1, R-READ-4: sections end at the next heading of the same or higher level; out of range gives the range."""
    document = Document()
    for level, heading in ((1, "方法"), (2, "Sites"), (1, "Results"), (2, "Sites")):
        document.add_heading(heading, level)
        document.add_paragraph(f"Text under {heading} of level {level}.")
    document.save(kb.root / "d.docx")
    whole = await kb("read", path="d.docx")
    assert whole["blockCount"] == 8
    assert [block["kind"] for block in whole["blocks"]][:2] == ["heading", "paragraph"]
    section = await kb("read", path="d.docx", heading="方法")
    assert [block["text"] for block in section["blocks"]][-1] == "Text under Sites of level 2."
    assert len(section["blocks"]) == 4
    twice = await kb("read", path="d.docx", heading="Sites")
    assert (twice["error"]["code"], twice["error"]["details"]["blocks"]) == ("ambiguous_heading", [3, 7])
    assert len((await kb("read", path="d.docx", heading="Results > Sites"))["blocks"]) == 2
    assert (await kb("read", path="d.docx", heading="Nope"))["error"]["code"] == "heading_not_found"
    block = await kb("read", path="d.docx", block=2)
    assert block["blocks"] == [whole["blocks"][1]]
    beyond = await kb("read", path="d.docx", block=10**9)
    assert (beyond["error"]["code"], beyond["error"]["details"]["valid"]) == ("out_of_range", [1, 8])
    assert (await kb("read", path="d.docx", page=1))["error"]["code"] == "unsupported_type"


async def test_a_pdf_is_read_by_page(kb):
    """R-READ-1, R-READ-4: pageCount, ranges, a clear error beyond the end."""
    import pymupdf

    with pymupdf.open() as pdf:
        for number in range(1, 4):
            pdf.new_page().insert_text((72, 72), f"This is page {number} of the report.")
        pdf.save(kb.root / "r.pdf")
    whole = await kb("read", path="r.pdf")
    assert [page["page"] for page in whole["pages"]] == [1, 2, 3]
    second = await kb("read", path="r.pdf", page=2)
    assert (second["pageCount"], "page 2" in second["pages"][0]["text"], len(second["pages"])) == (3, True, 1)
    assert second["visionUnavailable"]["reason"]
    assert [page["page"] for page in (await kb("read", path="r.pdf", page=2, pageEnd=3))["pages"]] == [2, 3]
    beyond = await kb("read", path="r.pdf", page=4)
    assert (beyond["error"]["code"], beyond["error"]["details"]["valid"]) == ("out_of_range", [1, 3])


async def test_a_picture_is_measured_and_never_put_into_the_envelope(kb):
    """R-READ-7, R-READ-9, R-LIST-3, R-IMG-3, U03: size and format; type by content; metadata is not passed on."""
    Image.new("RGB", (3000, 1500), "navy").save(kb.root / "wide.png")
    read = await kb("read", path="wide.png")
    assert max(read["image"]["width"], read["image"]["height"]) <= 2000
    assert len(json.dumps(read)) < 2000
    (kb.root / "v.svg").write_text("<svg/>")
    assert (await kb("read", path="v.svg"))["error"]["code"] == "svg_not_rasterised"
    for content in ("<html>not a picture</html>", "<svg xmlns='http://www.w3.org/2000/svg'><script>1</script></svg>"):
        (kb.root / "fake.png").write_text(content)
        assert (await kb("read", path="fake.png"))["error"]["code"] in ("type_mismatch", "damaged")
    described = PngInfo()
    described.add_text("Comment", "<script>alert(1)</script>")
    Image.new("RGB", (9, 9)).save(kb.root / "meta.png", pnginfo=described)
    assert (await kb("read", path="meta.png"))["ok"] is True
    kept = list((kb.tmp / "home" / "blobs").rglob("*.*"))
    assert kept
    assert not any(b"script" in file.read_bytes() for file in kept)


async def test_a_folder_is_not_read(kb):
    """R-SCOPE-3: the message says to use list."""
    (kb.root / "folder").mkdir()
    read = await kb("read", path="folder")
    assert read["error"]["code"] == "not_regular_file"
    assert "list" in read["error"]["hint"]
