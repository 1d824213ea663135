"""A text that was not found: what it almost matched, with what cannot be seen made visible (R-EDIT-1, edits.md 12)."""

from __future__ import annotations

import random
from time import process_time

import pytest

from orange_jupyter.core.changes.folding import Folded
from orange_jupyter.core.changes.near import NearMiss, near_misses

NOTE = (
    "# 融雪\n"
    "结论：见图①，（表 2）。\n"
    "The Factor is 4.1 mm.\n"
    "  - caf\u00e9 au lait\n"
    "\tindented here\n"
    "non\u00a0break and zero\u200bwidth\n"
    "he said “yes” to it\n"
    "x² is two  \n"
    "第 17 次 calibration\r\n"
    "the degree-day factor of the upper basin was calibrated over three years\n"
    "re\u0301sume\u0301 and \u202eover\u202c\n"
)


@pytest.mark.parametrize(
    ("old", "line", "shown", "why"),
    [
        ("the factor is 4.1 MM", 3, "The Factor is 4.1 mm.", "differs in case"),
        ("结论:见图①，", 2, "结论：见图①，（表 2）。", "has ： (U+FF1A) where : (U+003A) was given"),
        ("（表 2).", 2, "结论：见图①，（表 2）。", "has ） (U+FF09) where ) (U+0029) was given"),
        ("caf\u0065\u0301 au", 4, "  - caf\u00e9 au lait", "has composed characters (NFC) where separate accents (NFD) were given"),
        ("r\u00e9sum\u00e9 and", 11, r"re\u0301sume\u0301 and \u202eover\u202c", "has separate accents (NFD) where composed characters (NFC) were given"),
        ("    indented", 5, r"\tindented here", "has a tab where 4 spaces were given"),
        ("non break", 6, r"non\u00a0break and zero\u200bwidth", "has a no-break space (U+00A0) where a space was given"),
        ("zerowidth", 6, r"non\u00a0break and zero\u200bwidth", "has a zero width space (U+200B) that was not given"),
        ('said "yes"', 7, "he said “yes” to it", "has “ (U+201C) where \" (U+0022) was given"),
        ("x2 is", 8, "x² is two  ", "has ² (U+00B2) where 2 was given"),
        ("is two\n第", 8, "x² is two  ", "has 2 spaces and a line break where a line break was given"),
        ("第17次", 9, r"第 17 次 calibration\r", "has a space that was not given"),
        ("the  upper", 10, None, "has a space where 2 spaces were given"),
        ("Factor is 4.1 mm.\r\n", 3, "The Factor is 4.1 mm.", "has a line break where a CRLF line break was given"),
        ("yes” to it ", 7, "he said “yes” to it", "has nothing where a space was given"),
    ],
)  # fmt: skip
def test_what_the_eye_passes_over_is_named(old: str, line: int, shown: str | None, why: str) -> None:
    found = near_misses(NOTE, old)
    assert (found[0].line, found[0].why) == (line, why)
    assert shown is None or found[0].shown == shown
    assert old not in NOTE


@pytest.mark.parametrize(
    ("old", "line", "why"),
    [
        ("The Factor is 4.2 mm.", 3, "has “4.1” where “4.2” was given"),
        ("the degree-day factor of the lower basin was calibrated", 10, "has “upper” where “lower” was given"),
        ("the degree-day factor of the upper basin was not calibrated over", 10, "lacks “not ”"),
        (
            "# 融雪\n结论：见图①，（表 3）。\nThe Factor is 4.1 mm.",
            2,
            "has “2” where “3” was given, in line 2 of what was given",
        ),
    ],
)
def test_else_the_lines_most_alike(old: str, line: int, why: str) -> None:
    assert (near_misses(NOTE, old)[0].line, near_misses(NOTE, old)[0].why) == (line, why)


@pytest.mark.parametrize("old", ["完全没有的句子", "zzz qqq", "   ", "\n\n", "\u200b", "", "%"])
def test_nothing_alike_is_no_hint(old: str) -> None:
    assert near_misses(NOTE, old) == ()
    assert near_misses("", old or "x") == ()


def test_several_places_come_with_their_lines_and_no_more_than_asked() -> None:
    text = "Snow melts.\n" * 5
    assert [one.line for one in near_misses(text, "snow melts.")] == [1, 2, 3]
    assert near_misses(text, "snow melts.", most=1) == (NearMiss(1, "Snow melts.", "differs in case"),)


def test_a_long_line_is_shown_around_the_place() -> None:
    text = "雪" * 3000 + "The\u3000Factor" + "融" * 3000
    (found,) = near_misses(text, "The Factor")
    assert len(found.shown) <= 160
    assert found.shown[0] == found.shown[-1] == "…"
    assert "The\\u3000Factor" in found.shown
    assert found.why == "has an ideographic space (U+3000) where a space was given"


def test_nothing_invisible_is_left_in_what_is_shown() -> None:
    """Whatever the text: at most 160 characters, no control, bidi mark or odd space; a place in the file."""
    chance = random.Random(31)
    letters = [
        "a",
        "B",
        "雪",
        " ",
        "\u00a0",
        "\u3000",
        "\t",
        "\r",
        "\n",
        "\u200b",
        "\u202e",
        "e\u0301",
        "“",
        "，",
        "\x00",
        "\x1b",
    ]
    for _ in range(2000):
        text = "".join(chance.choices(letters, k=chance.randint(0, 60)))
        old = "".join(chance.choices(letters, k=chance.randint(1, 6)))
        for one in near_misses(text, old):
            assert 1 <= one.line <= text.count("\n") + 1
            assert len(one.shown) <= 160
            assert not set(one.shown + one.why) & set("\u00a0\u3000\t\r\n\u200b\u202e\x00\x1b\u0301")


def test_a_folded_text_knows_where_it_comes_from() -> None:
    """Across its chunks too, with characters that fold to several and to none."""
    chance = random.Random(32)
    text = "".join(chance.choices(["Ａ", "…", " ", "é", "雪", "\u200b", "ß", "ﬁ"], k=9000)) + "X"
    folded = Folded(text)
    for _ in range(100):
        start = chance.randint(0, len(text) - 2)
        end = chance.randint(start + 1, min(start + 50, len(text)))
        piece = folded.of(text[start:end])
        place = len(folded.of(text[:start]))
        assert folded.text[place : place + len(piece)] == piece
        if piece:
            low, high = folded.span(place, place + len(piece))
            assert folded.of(text[low:high]) == piece


@pytest.mark.parametrize("letters", ["abcdefghij    ", "的一是了在人有我他这中大来上国和地到 \n"])
def test_a_hundred_kilobytes_in_five_megabytes(letters: str) -> None:
    chance = random.Random(33)
    block = "".join(chance.choices(letters, k=50_000))
    text = "\n".join(f"{n} {block[n : n + 60]}" for n in range(0, 49_000, 1)) * (1 if letters[0] != "a" else 2)
    text = text[: 5_000_000 // len(letters[0].encode())]
    old = text[1_000_000:1_100_000].swapcase() + "Q"
    begin = process_time()
    near_misses(text, old)
    near_misses(text, old[:200])
    assert process_time() - begin < 4
