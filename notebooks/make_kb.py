"""Draws the pictures of the sample notes and makes their PDF and DOCX; the notes themselves are written by hand.

Run it from anywhere: `python notebooks/make_kb.py [FOLDER]`. The same versions of Pillow, PyMuPDF and python-docx
give the same bytes again: no clock, no random number, no font of this machine.
"""

from __future__ import annotations

import datetime
import io
import math
import sys
import zipfile
from pathlib import Path

import docx
import pymupdf
from docx.shared import Cm
from PIL import Image, ImageDraw, ImageFont
from report_texts import AGES, COLUMNS, SUMMARY, ZH_SUMMARY

HERE = Path(__file__).parent
DAY = datetime.datetime(2025, 10, 16, tzinfo=datetime.UTC)
# Segment: canopy cover in %, cooling in °C, and the ends of its line on the sketch map.
SEGMENTS = {
    "S01": (82, 2.0, ((60, 330), (250, 330))),
    "S02": (78, 1.8, ((250, 330), (250, 160))),
    "S03": (76, 1.9, ((60, 420), (250, 420))),
    "S04": (31, 0.6, ((290, 420), (500, 420))),
    "S05": (71, 1.7, ((250, 130), (430, 130))),
    "S06": (63, 1.4, ((290, 330), (500, 330))),
    "S07": (55, 1.2, ((60, 240), (220, 240))),
    "S08": (48, 0.9, ((60, 80), (300, 80))),
    "S09": (17, 0.1, ((540, 450), (540, 290))),
    "S10": (36, 0.7, ((340, 80), (560, 80))),
    "S11": (19, 0.1, ((540, 230), (680, 230))),
    "S12": (12, -0.2, ((640, 360), (710, 430))),
}
PAPER, INK, GREY, GREEN, RED, SOIL = "#ffffff", "#222222", "#b5b5b5", "#2f7d4f", "#b4472a", "#c9ad86"


def font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """Pillow's own font, so that every machine draws the same."""
    return ImageFont.load_default(size)


def canvas(width: int, height: int, title: str) -> tuple[Image.Image, ImageDraw.ImageDraw]:
    """A white picture with a title."""
    image = Image.new("RGB", (width, height), PAPER)
    draw = ImageDraw.Draw(image)
    draw.text((24, 14), title, fill=INK, font=font(20))
    return image, draw


def axes(draw: ImageDraw.ImageDraw, box: tuple[int, int, int, int], labels: tuple[str, str]) -> None:
    """The two axes of a chart with their names."""
    left, top, right, bottom = box
    draw.line([(left, top), (left, bottom), (right, bottom)], fill=INK, width=2)
    draw.text((right - 150, bottom + 30), labels[0], fill=INK, font=font(15))
    draw.text((left + 8, top - 4), labels[1], fill=INK, font=font(15))


def segments_map() -> Image.Image:
    """Where the segments lie; green the denser the canopy."""
    image, draw = canvas(760, 500, "Qingtong old town: the twelve segments (not to scale)")
    for name, (cover, _, (start, end)) in SEGMENTS.items():
        share = cover / 100
        colour = tuple(round(a + (b - a) * share) for a, b in zip((214, 190, 150), (20, 110, 60), strict=True))
        draw.line([start, end], fill=colour, width=14)
        middle = ((start[0] + end[0]) // 2, (start[1] + end[1]) // 2)
        draw.text((middle[0] + 12, middle[1] - 30), f"{name}  {cover}%", fill=INK, font=font(16))
    draw.line([(20, 470), (740, 470)], fill="#7aa6c2", width=10)
    draw.text((600, 444), "Qing river", fill="#41718f", font=font(15))
    return image


def day_curve() -> Image.Image:
    """Air temperature on S01 and S12 on 22 July 2025."""
    image, draw = canvas(760, 440, "Air temperature, 22 July 2025")
    axes(draw, (70, 70, 720, 370), ("hour of the day", "°C"))
    for degrees in (28, 32, 36, 40):
        y = 370 - (degrees - 26) * 18
        draw.line([(66, y), (720, y)], fill="#e4e4e4")
        draw.text((34, y - 9), str(degrees), fill=INK, font=font(15))
    for hour in (0, 6, 12, 18, 24):
        draw.text((70 + hour * 27 - 8, 376), str(hour), fill=INK, font=font(15))
    for name, low, high, colour in (("S01 Wenchang Road", 29.3, 37.0, GREEN), ("S12 Zhanqian Road", 29.0, 41.2, RED)):
        points = [(70 + hour * 2.7, 370 - (_temperature(hour / 10, low, high) - 26) * 18) for hour in range(0, 241, 2)]
        draw.line(points, fill=colour, width=3)
        draw.text((90, 96 if colour == GREEN else 120), name, fill=colour, font=font(16))
    return image


def _temperature(hour: float, low: float, high: float) -> float:
    """A plausible day: coolest at 5:00, warmest at 15:10."""
    if 5 <= hour <= 15.17:
        share = (1 - math.cos(math.pi * (hour - 5) / 10.17)) / 2
    else:
        since = (hour - 15.17) % 24
        share = (1 + math.cos(math.pi * since / 13.83)) / 2
    return low + (high - low) * share


def cooling_chart() -> Image.Image:
    """Afternoon cooling against canopy cover."""
    image, draw = canvas(760, 440, "Afternoon cooling against canopy cover, 23 hot days")
    axes(draw, (70, 70, 720, 370), ("canopy cover, %", "°C cooler than the sparse group"))
    for cover in (0, 20, 40, 60, 80, 100):
        draw.text((70 + cover * 6.4 - 8, 376), str(cover), fill=INK, font=font(15))
    for degrees in (0, 1, 2):
        draw.text((44, 330 - degrees * 110 - 9), str(degrees), fill=INK, font=font(15))
        draw.line([(66, 330 - degrees * 110), (720, 330 - degrees * 110)], fill="#e4e4e4")
    ends = [(70 + cover * 6.4, 330 - 0.028 * (cover - 16) * 110) for cover in (5, 90)]
    draw.line(ends, fill=GREY, width=3)
    for name, (cover, cooling, _) in SEGMENTS.items():
        x, y = 70 + cover * 6.4, 330 - cooling * 110
        draw.ellipse([x - 6, y - 6, x + 6, y + 6], fill=RED if name == "S04" else GREEN)
        beside = -36 if name in ("S03", "S05", "S09") else 9
        draw.text((x + beside, y - 6), name, fill=INK, font=font(13))
    return image


def tree_pit() -> Image.Image:
    """A tree pit in section."""
    image, draw = canvas(760, 420, "Tree pit, section")
    draw.rectangle([40, 220, 720, 240], fill=GREY)
    draw.rectangle([40, 240, 720, 380], fill="#dcd3c4")
    draw.rectangle([230, 220, 530, 380], fill=SOIL)
    draw.rectangle([360, 60, 400, 300], fill="#7b5b3a")
    draw.ellipse([230, 34, 530, 140], fill=GREEN)
    for x in (260, 500):
        draw.rectangle([x - 8, 205, x + 8, 350], fill="#eeeeee", outline=INK)
    for angle in range(20, 161, 20):
        reach = (380 + 130 * math.cos(math.radians(angle)), 300 + 60 * math.sin(math.radians(angle)))
        draw.line([(380, 290), reach], fill="#7b5b3a", width=4)
    draw.line([(230, 396), (530, 396)], fill=INK, width=2)
    draw.text((345, 398), "1.5 m", fill=INK, font=font(16))
    draw.text((546, 290), "structural soil", fill=INK, font=font(15))
    draw.text((546, 190), "pavement", fill=INK, font=font(15))
    draw.text((80, 190), "aeration pipe, 10 cm", fill=INK, font=font(15))
    draw.line([(225, 205), (250, 215)], fill=INK, width=2)
    return image


def report() -> bytes:
    """The interim report: two pages, two columns, an abstract in both languages across the first page."""
    document = pymupdf.open()
    for number in range(2):
        page = document.new_page(width=595, height=842)
        top = 60
        if number == 0:
            page.insert_text((56, 72), "Street trees and summer heat in Qingtong", fontsize=19, fontname="hebo")
            page.insert_text((56, 92), "Interim report 2025 - Shen, Zhou, He, Ruiz", fontsize=10.5, fontname="heit")
            write(page, pymupdf.Rect(56, 108, 539, 170), SUMMARY, "helv")
            write(page, pymupdf.Rect(56, 172, 539, 214), ZH_SUMMARY, "china-s")
            top = 228
        for column in range(2):
            left = 56 + column * 252
            fill_column(page, pymupdf.Rect(left, top, left + 231, 790), COLUMNS[number * 2 + column])
        page.insert_text((290, 818), str(number + 1), fontsize=9)
    document.set_metadata(
        {
            "title": "Street trees and summer heat in Qingtong: interim report 2025",
            "author": "Shen Lan, Zhou Qiming, He Jing, Marta Ruiz",
            "creationDate": "D:20251016090000Z",
            "modDate": "D:20251016090000Z",
        }
    )
    return bytes(document.tobytes(garbage=3, deflate=True, no_new_id=True))


def fill_column(page: pymupdf.Page, box: pymupdf.Rect, texts: tuple[str, ...]) -> None:
    """Write headings and paragraphs one below the other."""
    top = box.y0
    for text in texts:
        heading = len(text) < 40
        if heading:
            top += 8
            page.insert_text((box.x0, top + 10), text, fontsize=11, fontname="hebo")
            top += 18
        else:
            left = write(page, pymupdf.Rect(box.x0, top, box.x1, box.y1), text, "helv")
            top = box.y1 - left + 6


def write(page: pymupdf.Page, box: pymupdf.Rect, text: str, name: str) -> float:
    """Write a paragraph; returns the height that is left in the box. Raises ValueError when it does not fit."""
    left = float(page.insert_textbox(box, text, fontsize=9.5, fontname=name, lineheight=1.35))
    if left < 0:
        raise ValueError(f"the box is too small for: {text[:40]}")
    return left


def questionnaire(picture: bytes) -> bytes:
    """The report on the questionnaire, in Chinese: headings, a list, a table, a picture."""
    document = docx.Document()
    document.core_properties.title = "居民问卷报告"
    document.core_properties.author = "周启明"
    document.core_properties.created = document.core_properties.modified = DAY
    document.add_heading("居民问卷报告", level=1)
    document.add_paragraph(
        "2025 年 9 月在文昌路、书院街、和平路、桂花巷和建工路发放问卷 500 份，收回有效问卷 412 份（82.4%）。"
    )
    document.add_heading("主要结果", level=2)
    for line in (
        "78% 的受访者要求保留悬铃木。",
        "61% 的受访者受飞絮困扰，其中三分之一会在四、五月戴口罩出门。",
        "34% 的受访者赞成逐步更换一部分悬铃木。",
        "和平路的受访者里有 83% 认为抹头以后“街上热得没法走”。",
    ):
        document.add_paragraph(line, style="List Bullet")
    document.add_heading("按年龄", level=2)
    table = document.add_table(rows=1, cols=4, style="Table Grid")
    for cell, text in zip(table.rows[0].cells, ("年龄", "人数", "要求保留", "受飞絮困扰"), strict=True):
        cell.text = text
    for row in AGES:
        for cell, value in zip(table.add_row().cells, row, strict=True):
            cell.text = str(value)
    document.add_heading("居民的建议", level=2)
    document.add_paragraph("提得最多的三条：飞絮期早晚各洒一次水；候车亭旁边补一棵大树；修剪以前先贴告示。")
    document.add_picture(io.BytesIO(picture), width=Cm(14))
    document.add_paragraph("图 1　十二个路段的位置与树冠覆盖率", style="Caption")
    kept = io.BytesIO()
    document.save(kept)
    return same_times(kept.getvalue())


def same_times(data: bytes) -> bytes:
    """The same ZIP with one fixed time for every member, so that two runs give the same bytes."""
    kept = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as source, zipfile.ZipFile(kept, "w", zipfile.ZIP_DEFLATED) as target:
        for name in source.namelist():
            target.writestr(zipfile.ZipInfo(name, (2025, 10, 16, 9, 0, 0)), source.read(name), zipfile.ZIP_DEFLATED)
    return kept.getvalue()


def png(image: Image.Image) -> bytes:
    """A picture as PNG with few colours, so that it stays small."""
    kept = io.BytesIO()
    image.quantize(64).save(kept, "PNG", optimize=True)
    return kept.getvalue()


def make(folder: Path) -> list[Path]:
    """Write every generated file under `folder`; returns them."""
    figures = {
        "segments": segments_map(),
        "day-curve": day_curve(),
        "cooling-by-canopy": cooling_chart(),
        "tree-pit": tree_pit(),
    }
    files = {folder / "figures" / f"{name}.png": png(image) for name, image in figures.items()}
    files[folder / "reports" / "interim-report-2025.pdf"] = report()
    files[folder / "reports" / "居民问卷报告.docx"] = questionnaire(files[folder / "figures" / "segments.png"])
    for path, data in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return list(files)


if __name__ == "__main__":
    for written in make(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "kb"):
        print(written)
