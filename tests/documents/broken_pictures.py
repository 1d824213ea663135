"""Seeds of every kind of picture, and broken copies of them; also for the soak."""

from __future__ import annotations

import random

from PIL import Image

from tests.documents.samples import saved

STRANGE = (b"\xff\xff\xff\xff", b"\0\0\0\0", b"\x7f\xff\xff\xff", b"\xff\xd9", b"IEND", b"\x80")


def seeds() -> list[bytes]:
    """Small pictures of all kinds, some animated, some with EXIF and palettes."""
    noise = Image.effect_noise((90, 70), 80).convert("RGB")
    frames = [Image.new("RGB", (30, 20), colour) for colour in ("red", "green", "blue")]
    exif = Image.Exif()
    exif[0x0112] = 6
    return [
        saved(noise, "JPEG", exif=exif),
        saved(noise, "JPEG", progressive=True),
        saved(noise.convert("CMYK"), "JPEG"),
        saved(noise, "PNG", exif=exif),
        saved(noise.convert("P"), "PNG", transparency=3),
        saved(noise.convert("RGBA"), "PNG"),
        saved(Image.new("I;16", (40, 40), 900), "PNG"),
        saved(noise, "GIF"),
        saved(noise, "BMP"),
        saved(noise.convert("1"), "BMP"),
        saved(noise, "WEBP"),
        saved(noise.convert("RGBA"), "WEBP", lossless=True),
        *(
            saved(frames[0], kind, save_all=True, append_images=frames[1:], duration=40)
            for kind in ("GIF", "PNG", "WEBP")
        ),
    ]


def broken(data: bytes, chance: random.Random) -> bytes:
    """A copy with bytes changed, cut out, doubled or ended early; the head is hit more often than the rest."""
    copy = bytearray(data)
    for _ in range(chance.randint(1, 8)):
        at = chance.randrange(min(len(copy), chance.choice((64, 300, len(copy)))) or 1)
        match chance.randrange(5):
            case 0:
                copy[at : at + 1] = bytes([chance.randrange(256)])
            case 1:
                strange = chance.choice(STRANGE)
                copy[at : at + len(strange)] = strange
            case 2:
                del copy[at : at + chance.randint(1, 40)]
            case 3:
                copy[at:at] = copy[at : at + chance.randint(1, 400)]
            case _:
                del copy[max(8, chance.randrange(len(copy) + 1)) :]
        if len(copy) < 16:
            break
    return bytes(copy)
