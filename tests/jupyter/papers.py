"""A two-column paper with a figure, made here: text that can be cited, bars that can be seen, three pages."""

from __future__ import annotations

from io import BytesIO

import pymupdf
from PIL import Image, ImageDraw

LEFT = (
    "Snowmelt in cold continental basins is usually estimated with a degree-day factor, the melt depth per day and per "
    "degree above a threshold. The factor is a lumped description of the energy balance and therefore varies with "
    "season, aspect and snow age. A constant factor gives an early peak."
)
FACTS = (
    "From April to June the factor of exposed snow rose from 3.7 to 5.3 mm per degree-day, with a mean of 4.6. Before "
    "April no factor could be told from zero. A single annual value of 4.1 underestimated June melt by 19 per cent."
)
BELOW = (
    "Dust deposition in the second week of May raised the factor by about one third for eleven days. The effect ended "
    "with the next snowfall deeper than six centimetres."
)
CAPTION = "Figure 4. Monthly factor of exposed snow."


def paper(*, pages: int = 3, secret: str = "") -> bytes:
    """A PDF whose page 2 has two columns, a figure on the left and FACTS at the top of the right column."""
    document = pymupdf.open()
    document.set_metadata({"title": "Seasonal degree-day factors"})
    for number in range(1, pages + 1):
        sheet = document.new_page(width=500, height=660)
        sheet.insert_text((36, 34), f"MENG AND LU: SEASONAL DEGREE-DAY FACTORS, {number}", fontsize=7)
        if number == 2:
            _columns(sheet)
        else:
            sheet.insert_textbox((36, 60, 464, 300), f"Page number {number} of the paper. {LEFT} {secret}", fontsize=10)
    return bytes(document.tobytes())


def _columns(sheet: pymupdf.Page) -> None:
    sheet.insert_textbox((36, 52, 242, 230), LEFT, fontsize=10, lineheight=1.3)
    for at, height in enumerate((6, 67, 87, 95, 90, 79)):
        sheet.draw_rect((60 + at * 28, 400 - height, 74 + at * 28, 400), fill=(0.49, 0.56, 0.64), width=0)
    sheet.draw_rect((36, 270, 242, 420), width=0.6, color=(0.7, 0.7, 0.7))
    sheet.insert_text((36, 434), CAPTION, fontsize=8)
    sheet.insert_textbox((258, 52, 464, 170), FACTS, fontsize=10, lineheight=1.3)
    sheet.insert_textbox((258, 200, 464, 330), BELOW, fontsize=10, lineheight=1.3)


def scan() -> bytes:
    """A PDF of two pages without a text layer."""
    picture = Image.new("RGB", (620, 877), "white")
    ImageDraw.Draw(picture).text((80, 80), "A scanned page", fill="black")
    data = BytesIO()
    picture.save(data, "PNG")
    document = pymupdf.open()
    for _ in range(2):
        document.new_page(width=595, height=842).insert_image((0, 0, 595, 842), stream=data.getvalue())
    return bytes(document.tobytes())


def chart() -> bytes:
    """A small PNG."""
    picture = Image.new("RGB", (300, 200), "white")
    ImageDraw.Draw(picture).rectangle((40, 60, 120, 190), fill="steelblue")
    data = BytesIO()
    picture.save(data, "PNG")
    return data.getvalue()
