"""In the real Lab: a pasted key leaves the cell, and the saved notebook holds none (issue 4 item 4, S03)."""

from __future__ import annotations

import json

import pytest

from tests.lab import Lab

KEY = "sk-proj-9f8e7d6c5b4a392817069f8e7d6c"


@pytest.mark.browser
def test_a_pasted_key_is_gone_from_the_cell_and_the_saved_notebook(lab: Lab) -> None:
    """The reply's payload replaces the cell's text; doctor, whose table is wide, stays inside its cell."""
    lab.open(
        ["%load_ext orange_jupyter", f"x = 1\n%orange model key {KEY}", f"%%orange {KEY}\nhello", "%orange doctor"]
    )
    lab.run(0)
    lab.run(1)
    lab.wait_output(1, "A key stands in this line")
    lab.run(2)
    lab.wait_output(2, "not an option")
    lab.run(3)
    lab.wait_output(3, "Keyring")
    for index in (1, 2):
        lab.page.wait_for_function(
            "([cell, key]) => !cell.textContent.includes(key)", arg=[lab.cell(index).element_handle(), KEY]
        )
    saved = json.dumps(lab.save(), ensure_ascii=False)
    assert KEY not in saved
    assert "%orange model key ⟦masked⟧" in saved
    for dark in (False, True):
        lab.theme(dark=dark)
        for width in (900, 400):
            lab.width(width)
            lab.shot(f"doctor-{'dark' if dark else 'light'}-{width}", 3)
    lab.theme(dark=False)
    lab.width(1200)
