"""Pictures in Word files: blocks, their words, their pixels."""

from __future__ import annotations

from io import BytesIO

import pytest
from PIL import Image

from orange_jupyter.core.codes import Code
from orange_jupyter.core.document import PictureLimits
from orange_jupyter.core.errors import ReadError
from orange_jupyter.documents import word
from orange_jupyter.documents.extract import LocalDocuments
from tests.documents.samples import bare_png, saved
from tests.documents.word_samples import box, heading_styles, note, para, picture, reference, table, word_file

LIMITS = PictureLimits()
RED, BLUE = (200, 40, 40), (40, 40, 200)
CAPTION = '<w:style w:type="paragraph" w:styleId="C"><w:name w:val="caption"/></w:style>'


def _png(colour: tuple[int, int, int], size: tuple[int, int] = (40, 30)) -> bytes:
    return saved(Image.new("RGB", size, colour), "PNG")


def _colour(data: bytes, block: int) -> tuple[int, ...]:
    found = word.block_picture(data, block, LIMITS)
    with Image.open(BytesIO(found.data)) as image:
        assert image.size == (found.width, found.height)
        pixel = image.convert("RGB").getpixel((5, 5))
    assert isinstance(pixel, tuple)
    return pixel


def test_pictures_are_blocks_with_their_alternative_text_or_caption() -> None:
    """R-READ-1, R-READ-6: after the text they float in, also from tables, boxes and notes; drawn ones and VML."""
    old = '<w:r><w:pict><v:shape alt="old one"><v:imagedata r:id="image2"/></v:shape></w:pict></w:r>'
    footnotes = '<Relationship Id="f" Type="http://x/image" Target="media/image2.png"/>'
    body = (
        para("see ", picture("image1", "a red map"), " here")
        + para(picture("image1"))
        + para("Figure 2: the map", style="C")
        + table((para(old),))
        + para(box(para("boxed", picture("image2", "in a box"))))
        + para(picture("image1"), reference("footnote", 1))
    )
    data = word_file(
        body,
        parts={"styles": CAPTION, "footnotes": note("footnote", 1, "n")},
        media={"image1.png": _png(RED), "image2.png": _png(BLUE)},
        relations=footnotes,
    )
    found = word.text(data)
    assert [(block.kind, block.text) for block in found.blocks] == [
        ("paragraph", "see  here"),
        ("image", "a red map"),
        ("image", "Figure 2: the map"),
        ("paragraph", "Figure 2: the map"),
        ("image", "old one"),
        ("textbox", "boxed"),
        ("image", "in a box"),
        ("paragraph", "[^1]"),
        ("image", "Picture"),
        ("footnote", "[^1] n"),
    ]
    colours = [_colour(data, number) for number in (2, 3, 5, 7, 9)]
    assert [abs(pixel[0] - RED[0]) < 8 for pixel in colours] == [True, True, False, False, True]
    passages = [chunk.text for chunk in word.extract(data, name="n").chunks]
    assert passages.count("Figure 2: the map") == 1
    assert "Picture" not in passages
    assert "a red map" in passages


def test_a_block_without_a_picture_says_where_the_pictures_are() -> None:
    """R-READ-4: out of range and not an image, with the image blocks."""
    data = word_file(para("a") + para(picture("image1")), media={"image1.png": _png(RED)})
    for block, code in ((1, Code.UNSUPPORTED_TYPE), (0, Code.OUT_OF_RANGE), (3, Code.OUT_OF_RANGE)):
        with pytest.raises(ReadError) as caught:
            word.block_picture(data, block, LIMITS)
        assert caught.value.code is code
        assert caught.value.details == {"valid": [1, 2], "imageBlocks": [2]}
        assert "2" in (caught.value.hint or "")


EMF = b"\x01\0\0\0" + b"\0" * 36 + b" EMF" + b"\0" * 60


@pytest.mark.parametrize(
    ("content", "code", "said"),
    [
        (EMF, Code.UNSUPPORTED_TYPE, "is an EMF or WMF drawing and cannot be shown"),
        (b"\xd7\xcd\xc6\x9a" + b"\0" * 60, Code.UNSUPPORTED_TYPE, "is an EMF or WMF drawing and cannot be shown"),
        (
            b'<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>',
            Code.UNSUPPORTED_TYPE,
            "is an SVG drawing and cannot be shown",
        ),
        (b"II*\0" + b"\0" * 60, Code.UNSUPPORTED_TYPE, "is a TIFF picture and cannot be shown"),
        (b"\x1f\x8b" + b"\0" * 60, Code.UNSUPPORTED_TYPE, "is a packed EMF or WMF drawing and cannot be shown"),
        (b"what is this", Code.UNSUPPORTED_TYPE, "is of an unknown kind and cannot be shown"),
        (_png(RED)[:60], Code.DAMAGED, "damaged"),
        (b"", Code.DAMAGED, "damaged"),
        (bare_png(30_000, 30_000), Code.TOO_LARGE, "more pixels"),
    ],
)
def test_what_cannot_be_shown_is_a_typed_error(content: bytes, code: Code, said: str) -> None:
    """R-READ-9, D06: vector drawings, other kinds and bombs in a document, by content and with a way on."""
    data = word_file(para(picture("image1", "drawing")), media={"image1.png": content})
    with pytest.raises(ReadError) as caught:
        word.block_picture(data, 1, LIMITS)
    assert caught.value.code is code
    assert caught.value.hint
    assert said in caught.value.message


def test_missing_linked_and_drawn_from_data() -> None:
    """R-READ-6: a missing part is damage; a link is never fetched; a chart has no pixels. All are said in warnings."""
    chart = (
        '<w:r><w:drawing><wp:inline><wp:docPr id="1" name="c" descr="sales"/><a:graphic><a:graphicData>'
        '<c:chart xmlns:c="x" r:id="k"/></a:graphicData></a:graphic></wp:inline></w:drawing></w:r>'
    )
    relations = (
        '<Relationship Id="gone" Type="http://x/image" Target="media/gone.png"/>'
        '<Relationship Id="far" Type="http://x/image" Target="http://example.org/x.png" TargetMode="External"/>'
        '<Relationship Id="k" Type="http://x/chart" Target="charts/chart1.xml"/>'
        '<Relationship Id="up" Type="http://x/image" Target="../../../etc/passwd"/>'
    )
    body = para(picture("gone"), picture("far", kind="link"), chart, picture("none"), picture("up"))
    data = word_file(body, relations=relations)
    codes = []
    for block in range(1, 6):
        with pytest.raises(ReadError) as caught:
            word.block_picture(data, block, LIMITS)
        codes.append(caught.value.code)
    assert codes == [Code.DAMAGED, Code.UNSUPPORTED_TYPE, Code.UNSUPPORTED_TYPE, Code.DAMAGED, Code.DAMAGED]
    found = word.text(data)
    assert found.blocks[2].text == "sales"
    said = " ".join(found.warnings)
    assert "word/media/gone.png" in said
    assert "linked" in said
    assert "Charts" in said


def test_drawings_that_cannot_be_shown_are_said_beforehand() -> None:
    """R-READ-6: EMF, WMF and SVG pictures stay blocks; a warning names them."""
    data = word_file(
        para(picture("image1", "flow"), picture("image2")), media={"image1.emf": EMF, "image2.svg": b"<svg/>"}
    )
    found = word.text(data)
    assert [block.text for block in found.blocks] == ["flow", "Picture"]
    assert found.warnings == (
        "word/media/image1.emf, word/media/image2.svg are of a kind that cannot be shown as a picture.",
    )


async def test_the_port_gives_the_picture_of_a_block() -> None:
    """R-READ-6, R-READ-8: through a worker, within the caps, the number that `text` gives."""
    data = word_file(
        para("T", style="H1") + para(picture("image1", "wide")),
        parts={"styles": heading_styles()},
        media={"image1.png": _png(RED, (3000, 1500))},
    )
    documents = LocalDocuments()
    try:
        block = next(block for block in (await documents.text(data, "docx")).blocks if block.kind == "image")
        found = await documents.block_picture(data, block.number, LIMITS)
    finally:
        await documents.close()
    assert (found.width, found.height, found.original_width) == (2000, 1000, 3000)
