"""Pictures that `read` sends along (R-READ-6…10, R-IMG-1, R-IMG-2), through the whole dispatch, with a model that sees."""

from __future__ import annotations

import json
from io import BytesIO

import pymupdf
import pytest
from docx import Document
from PIL import Image

from orange_jupyter.app import App, ForThisRun
from orange_jupyter.cli.tool import call
from orange_jupyter.core.document import DocumentText, PictureLimits
from orange_jupyter.core.grant import Tier
from orange_jupyter.providers.scripted import Script, Scripted
from orange_jupyter.terminal import Yes
from orange_jupyter.tools.reading.choosing import pages_without_text
from tests.documents.samples import bare_png, saved


@pytest.fixture
async def eyes(tmp_path):
    """`await eyes(tool, **arguments)` is the envelope of a call by a model that sees; `eyes.images` went along."""
    root = tmp_path / "kb"
    root.mkdir()
    environ = {"ORANGE_HOME": str(tmp_path / "home"), "ORANGE_CACHE": str(tmp_path / "cache"), "HOME": str(tmp_path)}
    app = await App.open(environ, str(root), Yes(), run=ForThisRun(folders=(str(root),)))

    async def model(_):
        return Scripted(Script(replies=(), vision=run.vision), pictures=run.limits)

    async def run(tool, tier=None, **arguments):
        opened = next(iter(app._opened.values()), None) or await app.create()
        ran = await call(app, opened, tool, arguments)
        run.images, run.content = ran.result.images, ran.result.content
        assert "base64" not in json.dumps(ran.envelope)
        return ran.envelope

    app.model = model
    run.root, run.tmp, run.app = root, tmp_path, app
    run.vision, run.limits = True, PictureLimits(300, 300)
    yield run
    await app.close()


def paper(path, pages):
    """A PDF; a page is the text on it, or None for one that is only drawn."""
    with pymupdf.open() as pdf:
        for text in pages:
            page = pdf.new_page()
            page.draw_rect((100, 100, 400, 300), fill=(0.9, 0.4, 0.1))
            if text:
                page.insert_text((72, 72), text)
        pdf.save(path)


def report(path, pictures, *, words="Some words."):
    """A DOCX with a paragraph before each picture."""
    document = Document()
    for number in range(pictures):
        document.add_paragraph(f"{words} Figure {number + 1} follows.")
        document.add_picture(BytesIO(saved(Image.new("RGB", (40 + number, 30), (200, 90, number * 5)), "PNG")))
    document.save(path)


def places(read, key="documentImages"):
    """The pages or blocks of the pictures listed."""
    return [one.get("page", one.get("block")) for one in read.get(key, ())]


async def test_a_page_or_range_that_is_asked_for_is_seen(eyes):
    """R-READ-6, R-READ-7: page given: its picture follows, listed by id, page and size; the whole file: none."""
    paper(eyes.root / "p.pdf", ["one", "two", "three"])
    assert "documentImages" not in await eyes("read", path="p.pdf")
    read = await eyes("read", path="p.pdf", page=2)
    (listed,), (image,) = read["documentImages"], eyes.images
    assert listed == {"id": f"img_{image.sha256[:16]}", "page": 2, "width": image.width, "height": image.height}
    assert (image.path, image.page, image.caption) == ("p.pdf", 2, "p.pdf, page 2")
    assert places(await eyes("read", path="p.pdf", page=1, pageEnd=3)) == [1, 2, 3]
    none = await eyes("read", path="p.pdf", page=2, includeImages="none")
    assert ("documentImages" in none, "visionUnavailable" in none, eyes.images) == (False, False, ())
    assert places(await eyes("read", path="p.pdf", includeImages="always")) == [1, 2, 3]


async def test_a_block_of_a_pdf_shows_its_page(eyes):
    """R-READ-6: block given."""
    paper(eyes.root / "p.pdf", ["one", "two", "three"])
    read = await eyes("read", path="p.pdf", block=3)
    assert (read["documentImages"][0]["page"], read["documentImages"][0]["block"]) == (3, 3)
    assert (eyes.images[0].page, eyes.images[0].block) == (3, 3)


async def test_a_long_scan_is_seen_four_pages_at_a_time(eyes):
    """R-READ-6, R-READ-8: no text layer; what did not fit is named with what to read next, to the very end."""
    paper(eyes.root / "scan.pdf", [None] * 11)
    read = await eyes("read", path="scan.pdf")
    assert places(read) == [1, 2, 3, 4]
    (left,) = read["imagesLeftOut"]
    assert (left["page"], "pages 5–11" in left["reason"], "page=5 and pageEnd=8" in left["reason"]) == (5, True, True)
    assert places(await eyes("read", path="scan.pdf", page=5, pageEnd=8)) == [5, 6, 7, 8]
    last = await eyes("read", path="scan.pdf", page=9, pageEnd=11)
    assert (places(last), "imagesLeftOut" in last) == ([9, 10, 11], False)
    wide = await eyes("read", path="scan.pdf", page=1, pageEnd=11)
    assert (places(wide), places(wide, "imagesLeftOut")) == ([1, 2, 3, 4], [5])
    assert "pages 5–11 did not fit: at most 4 pages without" in wide["imagesLeftOut"][0]["reason"]


async def test_a_range_holds_at_most_four_pages_without_text_and_eight_in_all(eyes):
    """R-READ-8: the range is cut before the fifth page without text, or after eight pages; the rest is named."""
    paper(eyes.root / "mixed.pdf", ["one", None, "two", None, "three", None, None, None, None, "four"])
    read = await eyes("read", path="mixed.pdf", page=1, pageEnd=10)
    assert (places(read), places(read, "imagesLeftOut")) == ([*range(1, 8)], [8])
    paper(eyes.root / "text.pdf", ["some words"] * 10)
    read = await eyes("read", path="text.pdf", page=1, pageEnd=10)
    assert (places(read), places(read, "imagesLeftOut")) == ([*range(1, 9)], [9])
    assert "at most 8 pages at a time" in read["imagesLeftOut"][0]["reason"]


KEY = "sk-proj-Ab12Cd34Ef56Gh78Ij90Kl12Mn34Op56Qr78St90Uv12"
PEM = [f"{a}MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8c{a}" for a in "abcdefgh"]


async def test_no_picture_of_a_page_that_holds_a_hidden_value(eyes):
    """R-READ-15: by page, by range, unasked, by block; named with the reason; the other pages are there."""
    paper(eyes.root / "key.pdf", ["one", f"OPENAI_API_KEY={KEY}", "three", None])
    for arguments, seen, left in (
        ({"page": 2}, [], [2]),
        ({"page": 1, "pageEnd": 4}, [1, 3, 4], [2]),
        ({"includeImages": "always"}, [1, 3, 4], [2]),
        ({"page": 1, "limit": 2}, [1], []),
        ({"page": 2, "limit": 3}, [], [2]),
        ({"block": 2}, [], [2]),
        ({"block": 2, "includeImages": "always"}, [], [2]),
        ({"block": 3}, [3], []),
    ):
        read = await eyes("read", path="key.pdf", **arguments)
        assert ([image.page for image in eyes.images], places(read)) == (seen, seen), arguments
        assert [one["page"] for one in read.get("imagesLeftOut", ())] == left, arguments
        assert all("hidden value" in one["reason"] for one in read.get("imagesLeftOut", ()))
        assert KEY[:20] not in json.dumps(read)
    eyes.vision = False
    assert "visionUnavailable" in await eyes("read", path="key.pdf", page=2)


async def test_a_hidden_value_that_runs_over_a_page_end_hides_both_pages(eyes):
    """R-READ-15: masked over the whole document, whichever page is asked for."""
    with pymupdf.open() as pdf:
        for lines in (["words"], ["-----BEGIN PRIVATE KEY-----", *PEM[:4]], [*PEM[4:], "-----END PRIVATE KEY-----"]):
            pdf.new_page().insert_text((50, 72), lines, fontsize=8)
        pdf.new_page().insert_text((50, 72), "more words")
        pdf.save(eyes.root / "pem.pdf")
    read = await eyes("read", path="pem.pdf", page=1, pageEnd=4)
    assert (places(read), places(read, "imagesLeftOut")) == ([1, 4], [2, 3])
    for page in (2, 3):
        assert "hidden value" in (await eyes("read", path="pem.pdf", page=page))["imagesLeftOut"][0]["reason"]
        assert eyes.images == ()


async def test_pictures_of_a_word_file_are_not_touched_by_its_hidden_values(eyes):
    """R-READ-15: an embedded picture holds none of the file's text."""
    report(eyes.root / "r.docx", 2, words=f"The key is {KEY}.")
    read = await eyes("read", path="r.docx", includeImages="always")
    assert (len(eyes.images), read["maskedValues"], "imagesLeftOut" in read) == (2, 2, False)


async def test_pages_without_text_among_others_are_offered(eyes):
    """R-READ-6: they may be blank or scanned; named with how to see them, those of the piece only."""
    paper(eyes.root / "mixed.pdf", ["one", None, "three", None])
    read = await eyes("read", path="mixed.pdf", limit=10)
    assert ("documentImages" in read, read["imagesLeftOut"]) == (
        False,
        [{"page": 2, "reason": "no text on this page; read page=2 to see it"}],
    )
    assert places(await eyes("read", path="mixed.pdf", page=2)) == [2]
    eyes.vision = False
    blind = await eyes("read", path="mixed.pdf")
    assert ("imagesLeftOut" in blind, "visionUnavailable" in blind) == (False, False)


async def test_pages_with_an_unreadable_text_layer_are_seen_unasked(eyes):
    """R-READ-6: a wrong font table is like no text; only its pages follow, or the whole file's first four."""
    garbled = "xz$qv wr%kl bt#cd pf^gh tv~jk zx$mw " * 3
    paper(eyes.root / "some.pdf", ["A page of plain words.", garbled, "Another page of words.", garbled])
    read = await eyes("read", path="some.pdf")
    assert any("2, 4 is not readable" in line for line in read["warnings"])
    assert places(read) == [2, 4]
    assert "documentImages" not in await eyes("read", path="some.pdf", includeImages="none")
    paper(eyes.root / "all.pdf", [garbled] * 6)
    assert places(await eyes("read", path="all.pdf")) == [1, 2, 3, 4]


async def test_always_gives_the_pages_where_the_piece_begins(eyes):
    """R-READ-6: up to four; a later piece shows later pages."""
    paper(eyes.root / "p.pdf", ["some text"] * 6)
    read = await eyes("read", path="p.pdf", includeImages="always", limit=15)
    assert (places(read), places(read, "imagesLeftOut")) == ([1, 2, 3, 4], [5])
    later = await eyes("read", path="p.pdf", includeImages="always", offset=24, limit=15)
    assert places(later)[0] == 3


def test_pages_whose_text_cannot_be_trusted_count_as_without_text():
    """R-READ-6: as the document says, whatever words its warnings use."""
    pages = ("a", "", "gibberish", "b", "c", "d", "e")
    for unreadable in ((), (3,), (3, 5), (3, 5, 6, 7)):
        said = ("Page 4 is odd.", "The text layer of page 6 is not readable; look at pictures.")
        document = DocumentText("pdf", pages, warnings=said, unreadable=unreadable)
        assert pages_without_text(document) == {2, *unreadable}


async def test_a_picture_of_a_word_file_follows_when_its_block_is_read(eyes):
    """R-READ-6: the embedded picture, by block; no picture for a block of text."""
    report(eyes.root / "r.docx", 3)
    whole = await eyes("read", path="r.docx")
    assert "documentImages" not in whole
    blocks = [block["block"] for block in whole["blocks"] if block["kind"] == "image"]
    assert len(blocks) == 3
    read = await eyes("read", path="r.docx", block=blocks[1])
    assert (read["documentImages"][0]["block"], read["documentImages"][0]["width"]) == (blocks[1], 41)
    (image,) = eyes.images
    assert (image.path, image.block, image.caption) == ("r.docx", blocks[1], f"r.docx, block {blocks[1]}")
    assert "documentImages" not in await eyes("read", path="r.docx", block=1)
    assert "documentImages" not in await eyes("read", path="r.docx", block=blocks[1], includeImages="none")


async def test_the_first_pictures_of_a_word_file_follow_and_the_rest_is_named(eyes):
    """R-READ-6, R-READ-8: eight a message, the others by block, each readable by itself."""
    report(eyes.root / "r.docx", 11)
    read = await eyes("read", path="r.docx", includeImages="always")
    assert (len(eyes.images), len(read["documentImages"])) == (8, 8)
    left = places(read, "imagesLeftOut")
    assert len(left) == 3
    assert all("at most 8" in one["reason"] for one in read["imagesLeftOut"])
    assert places(await eyes("read", path="r.docx", block=left[-1])) == [left[-1]]
    assert eyes.images[0].width == 50


async def test_a_picture_that_cannot_be_made_is_named_and_the_text_is_there(eyes):
    """R-READ-8, R-IMG-2: the limits cannot be met; the rest of the result is whole."""
    paper(eyes.root / "p.pdf", ["one", "two"])
    eyes.limits = PictureLimits(max_bytes=40)
    read = await eyes("read", path="p.pdf", page=1, pageEnd=2)
    assert (read["ok"], read["documentImages"], places(read, "imagesLeftOut")) == (True, [], [1, 2])
    assert "40 bytes" in read["imagesLeftOut"][0]["reason"]
    assert read["pages"][0]["text"] == "one"


@pytest.mark.parametrize(
    ("limits", "most"),
    [
        (PictureLimits(), (2000, 2000, 3_538_944)),
        (PictureLimits(4000, 4000, 10**9, 100), (2048, 2048, 4_194_304)),
        (PictureLimits(300, 200, 9_000, 60), (300, 200, 9_000)),
    ],
)
async def test_every_picture_is_held_to_the_limits_of_the_model(eyes, limits, most):
    """R-IMG-1, R-IMG-2, R-READ-8: an image file, a page, a note's picture; the caps stand above what is configured."""
    Image.effect_noise((3000, 2600), 90).save(eyes.root / "photo.jpg")
    paper(eyes.root / "p.pdf", ["one"])
    (eyes.root / "n.md").write_text("![a](photo.jpg)")
    eyes.limits = limits
    for arguments in ({"path": "photo.jpg"}, {"path": "p.pdf", "page": 1}, {"path": "n.md", "includeImages": "always"}):
        await eyes("read", **arguments)
        (image,) = eyes.images
        data = await eyes.app.ground.blobs.get(image.sha256)
        with Image.open(BytesIO(data)) as seen:
            assert seen.size == (image.width, image.height)
        assert image.width <= most[0]
        assert image.height <= most[1]
        assert len(data) <= most[2]


async def test_without_vision_nothing_is_drawn_and_the_reason_is_given(eyes):
    """R-READ-7, R-MOD-8: for a page, a picture of a note, an image file; the tool line tells the person."""
    eyes.vision = False
    paper(eyes.root / "p.pdf", ["one"])
    Image.new("RGB", (9, 9)).save(eyes.root / "a.png")
    (eyes.root / "n.md").write_text("![a](a.png)")
    for arguments in ({"path": "a.png"}, {"path": "p.pdf", "page": 1}, {"path": "n.md", "includeImages": "always"}):
        read = await eyes("read", **arguments)
        assert read["visionUnavailable"] == {"reason": "the script has vision off"}
        assert eyes.images == ()
        assert "documentImages" not in read


async def test_a_note_s_pictures_follow_once_each_and_at_most_four(eyes):
    """R-READ-10: paths only by default; always: four, the rest and the broken one named."""
    for number in range(6):
        Image.new("RGB", (9 + number, 9)).save(eyes.root / f"{number}.png")
    (eyes.root / "broken.png").write_bytes(b"\x89PNG\r\n\x1a\n no")
    refs = "![same](0.png) ![same](0.png) ![bad](broken.png) ![gone](x.png) " + " ".join(
        f"![p{number}]({number}.png)" for number in range(1, 6)
    )
    (eyes.root / "n.md").write_text(refs)
    plain = await eyes("read", path="n.md")
    assert ("documentImages" in plain, eyes.images, len(plain["imageRefs"])) == (False, (), 9)
    read = await eyes("read", path="n.md", includeImages="always")
    assert [image.path for image in eyes.images] == ["0.png", "1.png", "2.png"]
    assert [one["caption"] for one in read["documentImages"]] == ["same", "p1", "p2"]
    reasons = " ".join(one["reason"] for one in read["imagesLeftOut"])
    assert all(name in reasons for name in ("broken.png", "3.png", "4.png", "5.png"))


async def test_image_files_by_id_and_path_and_what_is_refused(eyes):
    """R-READ-9, D07: type by content, 20 MB, bombs; an animation is its first frame; `none` measures only."""
    frames = [Image.new("RGB", (20, 20), colour) for colour in ("red", "blue")]
    frames[0].save(eyes.root / "a.gif", save_all=True, append_images=frames[1:])
    read = await eyes("read", path="a.gif")
    assert (read["image"]["frames"], read["image"]["format"], len(eyes.images)) == (2, "png", 1)
    again = await eyes("read", fileId=read["fileId"], includeImages="none")
    assert (again["image"]["id"], eyes.images) == (read["image"]["id"], ())
    (eyes.root / "page.png").write_bytes(b"%PDF-1.7\n")
    (eyes.root / "bomb.png").write_bytes(bare_png(30_000, 30_000))
    with (eyes.root / "large.png").open("wb") as file:
        file.truncate(20 * 1_048_576 + 1)
    (eyes.root / "v.svg").write_text("<svg/>")
    codes = [
        (await eyes("read", path=name))["error"]["code"] for name in ("page.png", "bomb.png", "large.png", "v.svg")
    ]
    assert codes == ["type_mismatch", "too_large", "too_large", "svg_not_rasterised"]
    assert (await eyes("read", path="a.gif"))["ok"] is True


@pytest.mark.parametrize("tier", list(Tier))
async def test_pictures_outside_the_knowledge_bases_are_never_read(kb, tier):
    """R-READ-9, R-SCOPE-2: in no tier, by no path, through no link; a base that is not selected is outside."""
    Image.new("RGB", (9, 9)).save(kb.tmp / "out.png")
    (kb.root / "link.png").symlink_to(kb.tmp / "out.png")
    outside = (await kb("read", tier, path=str(kb.tmp / "out.png")))["error"]["code"]
    assert outside == ("image_outside_workspace" if tier.full else "outside_workspace")
    assert (await kb("read", tier, path="link.png"))["error"]["code"] == "link_escape"
    assert kb.result.images == ()
