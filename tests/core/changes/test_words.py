"""Marks within a line read as a person would set them (R-CHG-12)."""

from __future__ import annotations

import random
from itertools import pairwise
from time import process_time

import pytest

from orange_jupyter.core.changes.words import Runs, alike, marked, tokens


def drawn(runs: Runs) -> str:
    return "".join(f"[{run.text}]" if run.changed else run.text for run in runs)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "率定期取 [4.1] mm·℃⁻¹·d⁻¹，[全年不变]；验证期洪峰偏早九天。",
            "率定期取 [4.6] mm·℃⁻¹·d⁻¹，[只用于四至六月]；验证期洪峰[由]偏早九天[改为偏晚两天]。",
        ),
        (
            "The factor [is constant over] the basin, and north slopes [need no] correction.",
            "The factor [varies across] the basin, and [on ]north slopes [it is about 30 % lower, so they need their own] correction.",
        ),
        ("the [model was] run for [10] years", "the [models were] run for [12] years"),
        ("[春]季气温[升高]", "[夏]季气温[降低]"),
        ("本研究采用[SWAT]模型", "本研究采用[了HBV]模型"),
        ("- [[ ]] 洗样品", "- [[x]] 洗样品"),
        ("取 [1,000.5] m", "取 [1,000.75] m"),
        ("It [isn't] so", "It [wasn't] so"),
        ("a[ ]b", "a[\t]b"),
        ("[caf\u00e9] x y z", "[cafe\u0301] x y z"),
        ("[融雪]", "[a quite other line]"),
        ("", "[new]"),
        ("한[국]어 문장", "한[글]어 문장"),
        ("これは[四]月です", "これは[五]月です"),
    ],
)
def test_marks_are_by_word_in_english_and_by_character_in_chinese(before: str, after: str) -> None:
    """As design/ui/05-changes shows them; brackets that are not marks stand inside marks."""
    plain = [one.replace("[[", "\0").replace("]]", "\1").replace("[", "").replace("]", "") for one in (before, after)]
    old, new = (one.replace("\0", "[").replace("\1", "]") for one in plain)
    if "[[" in before:
        assert [drawn(one) for one in marked(old, new)] == ["- [[ ]] 洗样品", "- [[x]] 洗样品"]
    else:
        assert [drawn(one) for one in marked(old, new)] == [before, after]


def test_runs_give_back_exactly_the_text() -> None:
    chance = random.Random(3)
    letters = [
        "雪",
        "融",
        "a",
        "bc",
        " ",
        "  ",
        "\t",
        "4",
        ".",
        "，",
        "\r",
        "e\u0301",
        "\u200b",
        "👨\u200d👩",
        "\ud800",
        "_",
    ]
    for _ in range(3000):
        old, new = ("".join(chance.choices(letters, k=chance.randint(0, 12))) for _ in range(2))
        for runs, text in zip(marked(old, new), (old, new), strict=True):
            assert "".join(run.text for run in runs) == text
            assert all(run.text for run in runs)
            assert all(one.changed != other.changed for one, other in pairwise(runs))
        assert "".join(tokens(old)) == old


def test_what_is_not_marked_is_the_same_on_both_sides() -> None:
    chance = random.Random(4)
    for _ in range(2000):
        old, new = (" ".join(chance.choices(["雪", "factor", "the", "4.1", "融雪"], k=8)) for _ in range(2))
        kept = [[run.text for run in runs if not run.changed] for runs in marked(old, new)]
        assert "".join(kept[0]) == "".join(kept[1])


def test_equal_lines_have_no_mark() -> None:
    assert [drawn(runs) for runs in marked("雪 4.1", "雪 4.1")] == ["雪 4.1", "雪 4.1"]
    assert marked("", "") == ((), ())


def test_accents_and_joined_signs_stay_with_what_they_are_drawn_on() -> None:
    assert tokens("cafe\u0301 👨\u200d👩 नमस्ते R2 ２.５") == [
        "cafe\u0301",
        " ",
        "👨\u200d👩",
        " ",
        "नमस्ते",
        " ",
        "R2",
        " ",
        "２.５",
    ]


def test_a_long_paragraph_is_marked_where_it_changed() -> None:
    """The common ends do not count: only what differs is bounded."""
    text = "融雪期的度日因子随海拔变化。" * 400
    old, new = marked(text, text[:3000] + "新" + text[3000:])
    assert [run.text for run in new if run.changed] == ["新"]
    assert not any(run.changed for run in old)


def test_lines_with_too_much_to_compare_are_marked_whole_and_soon() -> None:
    chance = random.Random(5)
    begin = process_time()
    old, new = ("".join(chance.choices("天地人水火土", k=2500)) for _ in range(2))
    assert [len(runs) for runs in marked(old, new)] == [1, 1]
    old, new = (" ".join(chance.choices(["alpha", "beta", "gamma", "delta"], k=990)) for _ in range(2))
    marked(old, new)
    assert process_time() - begin < 2


def test_likeness_counts_what_both_have() -> None:
    assert alike(tokens("the snow"), tokens("the  snow")) == 1.0
    assert alike(tokens("雪"), tokens("冰")) == 0.0
    assert alike([], []) == 1.0
    assert alike([], ["x"]) == 0.0
    assert 0.3 < alike(tokens("a b c"), tokens("a x y")) < 0.4
