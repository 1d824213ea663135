"""Takes docs/images/tour.png, the README's picture: the tour's first question in a real JupyterLab (`make docs`)."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.lab import Lab

ROOT = Path(__file__).parents[1]
TARGET = Path(__file__).parent / "images" / "tour.png"


@pytest.mark.browser
def test_take_the_picture(lab: Lab) -> None:
    """Run the tour's first cells and keep what a person sees."""
    shutil.copytree(ROOT / "notebooks", lab.folder, dirs_exist_ok=True)
    lab.width(1000, 880)
    lab.show(lab.folder / "tour.ipynb")
    for index in (1, 2):
        lab.run(index)
    lab.output(2).get_by_text("1.8 °C").first.wait_for(timeout=60_000)
    lab.cell(2).scroll_into_view_if_needed()
    TARGET.parent.mkdir(exist_ok=True)
    lab.page.screenshot(path=TARGET)
