"""Hidden values are places: what is left of them is looked for where their characters went (R-READ-15, R-EDIT-6)."""

from __future__ import annotations

import random

import pytest

from orange_jupyter.core.changes.hiding import LONG, Sourced, carried, hider, outputs, require_closed
from orange_jupyter.core.changes.pieces import Splice
from orange_jupyter.core.changes.splices import Layer, settle, spliced
from orange_jupyter.core.errors import ChangeError
from orange_jupyter.core.shapes import secret_spans

HIDE = hider(secret_spans, "a.md")
KEY = "sk-ant-api03-" + "aB3dE6gH9j" * 3


def closed(text: str, *splices: Splice) -> bool:
    settled = settle(text, [Layer((one,)) for one in splices])
    try:
        require_closed(Sourced.base(text), Sourced(settled.text, settled.pieces), HIDE)
    except ChangeError:
        return False
    return True


@pytest.mark.parametrize(
    ("splice", "fine"),
    [
        (Splice(start=0, end=0, text="4711 4711\n"), True),
        (Splice(start=0, end=2, text="编号"), False),
        (Splice(start=7, end=7, text="9"), False),
        (Splice(start=0, end=7, text="编号 4711"), True),
        (Splice(start=3, end=7, text=""), True),
        (Splice(start=2, end=5, text=" "), False),
    ],
)
def test_only_what_is_left_of_a_value_counts(splice: Splice, fine: bool) -> None:
    """Equal letters elsewhere and what is written anew are nobody's secret; a rest, or a longer one, is."""
    assert closed("密码：4711\nend\n", splice) is fine


def test_a_look_near_the_changes_finds_what_a_look_at_all_finds() -> None:
    """Long texts with keys at random places, and random replacements beside them: the same stretches, 40 of 40."""
    chance = random.Random(5)
    same = 0
    for _ in range(40):
        lines = [f"line {number} of a long note\n" for number in range(LONG // 20)]
        for _ in range(6):
            lines[chance.randrange(len(lines))] = f"the key {KEY} and more\n"
        text = "".join(lines)
        places = sorted(chance.sample(range(len(text)), 6))
        splices = tuple(Splice(start=at, end=at + 3, text=chance.choice(("", "x\n", f" {KEY} "))) for at in places)
        after = spliced(text, splices)
        known = carried(HIDE(text), splices)
        touched = any(one.start < end and start < one.end for one in splices for start, end in HIDE(text))
        near, every = HIDE.near(after, outputs(splices), known), HIDE(after)
        same += near == every or touched
    assert same == 40
