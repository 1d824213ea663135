"""Pictures that other programs make or break: inks, depths, palettes, frames, profiles, sizes (R-IMG-3, D06)."""

from __future__ import annotations

import struct
import zlib
from io import BytesIO

import pytest
from PIL import Image, ImageCms

from orange_jupyter.core.codes import Code
from orange_jupyter.core.document import Picture, PictureLimits
from orange_jupyter.core.errors import ReadError
from orange_jupyter.documents.image import picture
from tests.documents.samples import saved

LIMITS = PictureLimits()
GIF_FRAME = b"\x2c\0\0\0\0\1\0\1\0\0\x02\x02\x44\x01\0"
GIF_HEAD = b"GIF89a\1\0\1\0\x80\0\0\xff\0\0\0\0\xff"


def pixel(found: Picture, at: tuple[int, int] = (5, 5)) -> tuple[int, ...]:
    """The colour of a place, as red, green, blue, alpha."""
    with Image.open(BytesIO(found.data)) as image:
        assert image.size == (found.width, found.height)
        colour = image.convert("RGBA").getpixel(at)
    assert isinstance(colour, tuple)
    return tuple(int(value) for value in colour)


def near(found: tuple[int, ...], wanted: tuple[int, ...], *, off: int = 12) -> bool:
    """Whether two colours look alike."""
    return all(abs(a - b) <= off for a, b in zip(found, wanted, strict=True))


def png(width: int, height: int, *, depth: int, colour: int, sample: bytes, more: bytes = b"") -> bytes:
    """A PNG of one colour in any depth and kind; `sample` is one pixel, `more` chunks before the pixels."""
    row = b"\0" + sample * width
    head = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + more
        + chunk(b"IDAT", zlib.compress(row * height))
        + chunk(b"IEND", b"")
    )


def chunk(kind: bytes, content: bytes) -> bytes:
    """One chunk of a PNG."""
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


@pytest.mark.parametrize("inverted", [True, False])
def test_inks_become_the_colours_that_are_printed(inverted: bool) -> None:
    """R-IMG-3: CMYK, as Adobe writes it (inverted, with its marker) and without."""
    data = saved(Image.new("CMYK", (40, 30), (0, 255, 255, 0)), "JPEG", quality=95)
    marker = data.index(b"\xff\xee")
    assert data[marker + 4 : marker + 9] == b"Adobe"
    if not inverted:
        data = saved(Image.new("CMYK", (40, 30), (255, 0, 0, 255)), "JPEG", quality=95)
        marker = data.index(b"\xff\xee")
        data = data[:marker] + data[marker + 2 + int.from_bytes(data[marker + 2 : marker + 4], "big") :]
    assert near(pixel(picture(data, LIMITS)), (255, 0, 0, 255), off=20)


@pytest.mark.parametrize(
    ("depth", "colour", "sample", "wanted"),
    [
        (16, 0, b"\x80\x00", (128, 128, 128, 255)),
        (16, 2, b"\x80\x00\x40\x00\xff\xff", (128, 64, 255, 255)),
        (16, 4, b"\x80\x00\x80\x00", (128, 128, 128, 128)),
        (16, 6, b"\x80\x00\x40\x00\xff\xff\x80\x00", (128, 64, 255, 128)),
        (8, 4, b"\x30\x40", (48, 48, 48, 64)),
        (8, 6, b"\x10\x20\x30\xff", (16, 32, 48, 255)),
    ],
)
def test_every_depth_and_kind_of_png(depth: int, colour: int, sample: bytes, wanted: tuple[int, ...]) -> None:
    """R-IMG-3: 16 bits are scaled, not clipped; alpha is kept where it is used."""
    found = picture(png(20, 20, depth=depth, colour=colour, sample=sample), LIMITS)
    assert near(pixel(found), wanted, off=4)


def test_a_palette_with_clear_entries_and_a_clear_colour() -> None:
    """R-IMG-3: tRNS of a palette, and tRNS of a grey picture."""
    table = chunk(b"PLTE", b"\xff\0\0\0\xff\0") + chunk(b"tRNS", b"\xff\x40")
    assert near(pixel(picture(png(20, 20, depth=8, colour=3, sample=b"\1", more=table), LIMITS)), (0, 255, 0, 64))
    assert near(pixel(picture(png(20, 20, depth=8, colour=3, sample=b"\0", more=table), LIMITS)), (255, 0, 0, 255))
    clear = chunk(b"tRNS", b"\0\x77")
    assert pixel(picture(png(20, 20, depth=8, colour=0, sample=b"\x77", more=clear), LIMITS))[3] == 0


def test_ten_thousand_frames_are_counted_and_one_is_decoded() -> None:
    """D06: the first frame; the others are not decoded, also where the end is missing or the head lies."""
    data = GIF_HEAD + GIF_FRAME * 10_000 + b";"
    assert (picture(data, LIMITS).frames, pixel(picture(data, LIMITS), (0, 0))) == (10_000, (255, 0, 0, 255))
    assert picture(data[:-900], LIMITS).frames in range(9_900, 10_000)
    animation = saved(Image.new("RGB", (9, 9), "red"), "PNG", save_all=True, append_images=[Image.new("RGB", (9, 9))])
    at = animation.index(b"acTL") - 4
    lying = animation[:at] + chunk(b"acTL", struct.pack(">II", 2**31 - 1, 0)) + animation[at + 20 :]
    assert picture(lying, LIMITS).frames <= len(lying) // 30


def test_a_picture_pair_of_a_camera_is_one_picture() -> None:
    """R-IMG-3: MPO, which says JPEG at its head."""
    one, two = Image.new("RGB", (60, 40), "navy"), Image.new("RGB", (60, 40), "white")
    found = picture(saved(one, "MPO", save_all=True, append_images=[two]), LIMITS)
    assert (found.frames, found.width) == (1, 60)
    assert near(pixel(found), (0, 0, 128, 255))


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
@pytest.mark.parametrize(
    "junk",
    [
        b"",
        b"Exif\0\0",
        b"Exif\0\0II",
        b"Exif\0\0no TIFF head",
        b"Exif\0\0II*\0",
        b"Exif\0\0MM\0*\xff\xff\xff\xff",
        b"Exif\0\0II*\0\x08\0\0\0\xff\xff" + b"\x12\x01" * 500,
    ],
)
def test_broken_exif_costs_nothing_but_itself(kind: str, junk: bytes) -> None:
    """R-IMG-3, D06: the pixels are still there."""
    found = picture(saved(Image.new("RGB", (50, 20), "green"), kind, exif=junk), LIMITS)
    assert (found.width, found.height) == (50, 20)
    assert near(pixel(found), (0, 128, 0, 255))


@pytest.mark.parametrize("value", [0, 9, 65_535])
def test_an_orientation_that_does_not_exist_turns_nothing(value: int) -> None:
    """R-READ-8: 1 to 8 only."""
    exif = Image.Exif()
    exif[0x0112] = value
    assert picture(saved(Image.new("RGB", (50, 20)), "JPEG", exif=exif), LIMITS).width == 50


def test_colours_are_those_of_the_profile_and_no_profile_goes_on() -> None:
    """R-IMG-3: a profile of another space is applied; a broken one, or one of another kind, is dropped."""
    lab = ImageCms.ImageCmsProfile(ImageCms.createProfile("LAB")).tobytes()
    for junk in (b"CANARY" * 500, lab):
        for kind in ("JPEG", "PNG"):
            found = picture(saved(Image.new("RGB", (40, 20), (200, 40, 40)), kind, icc_profile=junk), LIMITS)
            assert near(pixel(found), (200, 40, 40, 255))
            assert b"CANARY" not in found.data
            assert b"ICC" not in found.data.upper()[:200]
    srgb = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    found = picture(saved(Image.new("RGB", (40, 20), (200, 40, 40)), "PNG", icc_profile=srgb), LIMITS)
    assert near(pixel(found), (200, 40, 40, 255), off=3)


@pytest.mark.parametrize("size", [(1, 1), (1, 500), (20_000, 10), (10, 20_000), (3000, 1)])
@pytest.mark.parametrize("kind", ["PNG", "JPEG", "BMP"])
def test_tiny_and_very_long_pictures(kind: str, size: tuple[int, int]) -> None:
    """R-READ-8: neither side is ever 0, both are within the limits."""
    found = picture(saved(Image.new("RGB", size, "red"), kind), LIMITS)
    assert 1 <= min(found.width, found.height) <= max(found.width, found.height) <= 2000
    assert (found.original_width, found.original_height) == size


def test_a_progressive_photo_is_read() -> None:
    """R-IMG-3."""
    noise = Image.effect_noise((900, 700), 60).convert("RGB")
    assert picture(saved(noise, "JPEG", progressive=True, quality=85), LIMITS).width == 900


@pytest.mark.parametrize("kind", ["VP8X", "VP8L", "VP8 "])
def test_the_canvas_of_a_webp_is_checked_before_its_decoder_takes_memory(kind: str) -> None:
    """D06: 12,001² pixels told by 40 bytes."""
    side = 12_000
    heads = {
        "VP8X": b"\x10\0\0\0" + side.to_bytes(3, "little") * 2,
        "VP8L": b"\x2f" + (side | side << 14).to_bytes(4, "little"),
        "VP8 ": b"\0\0\0\x9d\x01\x2a" + side.to_bytes(2, "little") * 2,
    }
    body = kind.encode() + struct.pack("<I", len(heads[kind])) + heads[kind] + b"\0" * 12
    with pytest.raises(ReadError) as caught:
        picture(b"RIFF" + struct.pack("<I", len(body) + 4) + b"WEBP" + body, LIMITS)
    assert caught.value.code is Code.TOO_LARGE


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "GIF", "BMP", "WEBP"])
@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_a_file_that_ends_early_is_damaged(kind: str, share: float) -> None:
    """R-IMG-3, D06: typed, with what to do; a half picture is not passed off as a whole one."""
    noise = Image.effect_noise((200, 150), 90).convert("RGB")
    whole = saved(noise, kind)
    with pytest.raises(ReadError) as caught:
        picture(whole[: int(len(whole) * share)], LIMITS)
    assert caught.value.code is Code.DAMAGED
    assert caught.value.hint


def test_words_hidden_in_a_picture_stay_in_it() -> None:
    """U03, S10: comments and text chunks of every kind do not go to a model."""
    image = Image.new("RGB", (40, 20), "teal")
    for data in (
        saved(image, "JPEG", comment=b"CANARY"),
        saved(image, "GIF", comment=b"CANARY"),
        png(
            9,
            9,
            depth=8,
            colour=0,
            sample=b"\1",
            more=chunk(b"tEXt", b"Title\0CANARY") + chunk(b"iTXt", b"a\0\0\0\0\0CANARY"),
        ),
        saved(image, "WEBP", xmp=b"CANARY"),
    ):
        assert b"CANARY" in data
        assert b"CANARY" not in picture(data, LIMITS).data
