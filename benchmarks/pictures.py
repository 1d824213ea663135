"""A 50-megapixel photo made ready for a model, against plain Pillow in the same run: open, resize, save.

CPU seconds of this process, the least of three rounds. Both end at 2,048 px, the most that is ever sent, and JPEG
quality 80. The second photo was taken with a turned camera (EXIF); a PNG cannot be decoded at a fraction of its size.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from io import BytesIO

from PIL import Image, ImageOps

from benchmarks import Row, at_most
from orange_jupyter.core.document import Picture, PictureLimits
from orange_jupyter.documents.image import picture

ROUNDS = 3
SIDES = (8192, 6144)
GOAL_SECONDS = 3.0
CAP_BYTES = 4_194_304
CAP_SIDE = 2_048


def rows() -> list[Row]:
    """The table's rows."""
    noise = Image.effect_noise((1024, 768), 50).convert("RGB")
    photo = Image.blend(noise, Image.linear_gradient("L").resize(noise.size).convert("RGB"), 0.6)
    photo = photo.resize(SIDES, Image.Resampling.BICUBIC)
    drawing = Image.linear_gradient("L").resize(SIDES).convert("RGB")
    turned = Image.Exif()
    turned[0x0112] = 6
    found = [_measured("50 MP photo", _saved(photo, "JPEG", quality=90))]
    found.append(_measured("50 MP photo, camera turned", _saved(photo, "JPEG", quality=90, exif=turned)))
    found.append(_measured("50 MP drawing (PNG)", _saved(drawing, "PNG", compress_level=1)))
    largest = [at_most("largest picture made", max(size for _, size, _ in found), "bytes", CAP_BYTES)]
    largest.append(at_most("longest side made", max(side for _, _, side in found), "px", CAP_SIDE))
    return [*(row for row, _, _ in found), *largest]


def _measured(name: str, data: bytes) -> tuple[Row, int, int]:
    ours, made = _least(lambda: picture(data, PictureLimits(9_999, 9_999, 10**9)))
    peer, _ = _least(lambda: _plain(data))
    row = at_most(name, ours, "CPU s", GOAL_SECONDS, peer="Pillow open, resize, save", peer_value=round(peer, 3))
    return row, len(made.data), max(made.width, made.height)


def _plain(data: bytes) -> Picture:
    """What a program does that does not think about it."""
    with Image.open(BytesIO(data)) as image:
        upright = ImageOps.exif_transpose(image)
        share = CAP_SIDE / max(upright.size)
        small = upright.resize((round(upright.width * share), round(upright.height * share)), Image.Resampling.LANCZOS)
        return Picture(_saved(small.convert("RGB"), "JPEG", quality=80), "image/jpeg", *small.size)


def _least(run: Callable[[], Picture]) -> tuple[float, Picture]:
    spent = []
    for _ in range(ROUNDS):
        began = time.process_time()
        made = run()
        spent.append(time.process_time() - began)
    return min(spent), made


def _saved(image: Image.Image, kind: str, **options: object) -> bytes:
    out = BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()
