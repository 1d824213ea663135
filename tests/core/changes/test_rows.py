"""A hunk as rows: unified and side by side, with what a person must see of line endings (R-CHG-2, R-CHG-12)."""

from __future__ import annotations

import random

import pytest

from orange_jupyter.core.changes.hunks import hunks
from orange_jupyter.core.changes.lines import body, lines_of
from orange_jupyter.core.changes.matching import appended
from orange_jupyter.core.changes.pieces import Splice
from orange_jupyter.core.changes.rewriting import rewritten
from orange_jupyter.core.changes.rows import Row, paired, rows
from orange_jupyter.core.changes.splices import spliced

SIGNS = {"same": " ", "removed": "-", "added": "+"}
NOTE = """## 率定

率定期取 4.1 mm·℃⁻¹·d⁻¹，全年不变；验证期洪峰偏早九天。
阈值温度 0.4 ℃，来自四号点三年的日均值。
"""
AFTER = NOTE.replace("4.1", "4.6").replace("全年不变", "只用于四至六月").replace("偏早九天", "由偏早九天改为偏晚两天")
AFTER = AFTER.replace("阈值", "见 calibration-log 第 17 次；与 Meng 2019 第 7 页一致。\n阈值")


def drawn(row: Row) -> str:
    marks = "".join(f"[{run.text}]" if run.changed else run.text for run in row.runs)
    return f"{row.old or ''}|{row.new or ''}|{SIGNS[row.kind]} {marks}" + (f" ({row.note})" if row.note else "")


def of(text: str, content: str, context: int = 2) -> list[list[str]]:
    splices = rewritten(text, content)
    return [[drawn(row) for row in rows(text, one, context)] for one in hunks(text, splices)]


def test_the_rows_of_the_design() -> None:
    """design/ui/05-changes, first part."""
    assert of(NOTE, AFTER) == [
        [
            "1|1|  ## 率定",
            "2|2|  ",
            "3||- 率定期取 [4.1] mm·℃⁻¹·d⁻¹，[全年不变]；验证期洪峰偏早九天。",
            "|3|+ 率定期取 [4.6] mm·℃⁻¹·d⁻¹，[只用于四至六月]；验证期洪峰[由]偏早九天[改为偏晚两天]。",
            "|4|+ [见 calibration-log 第 17 次；与 Meng 2019 第 7 页一致。]",
            "4|5|  阈值温度 0.4 ℃，来自四号点三年的日均值。",
        ]
    ]


def test_side_by_side_counterparts_stand_together() -> None:
    """design/ui/05-changes, second part: an added line stands beside nothing."""
    (hunk,) = hunks(NOTE, rewritten(NOTE, AFTER))
    pairs = [
        (left and (left.old, left.kind), right and (right.new, right.kind)) for left, right in paired(rows(NOTE, hunk))
    ]
    assert pairs == [
        ((1, "same"), (1, "same")),
        ((2, "same"), (2, "same")),
        ((3, "removed"), (3, "added")),
        (None, (4, "added")),
        ((4, "same"), (5, "same")),
    ]


def test_an_added_line_before_its_neighbour_does_not_take_its_counterpart() -> None:
    text, content = "The factor is 4.1.\n", "一个全新的句子。\nThe factor is 4.6.\n"
    (hunk,) = hunks(text, rewritten(text, content))
    assert [drawn(row) for row in rows(text, hunk)] == [
        "1||- The factor is [4.1].",
        "|1|+ [一个全新的句子。]",
        "|2|+ The factor is [4.6].",
    ]
    assert [(left and left.old, right and right.new) for left, right in paired(rows(text, hunk))] == [(None, 1), (1, 2)]


def test_lines_with_next_to_nothing_in_common_are_no_counterparts() -> None:
    text, content = "The factor is 4.1 mm per day.\n二\n", "率定期 mm 取值，一\n全新的内容在此\n第三行另写\n"
    (hunk,) = hunks(text, rewritten(text, content))
    assert [row.mate for row in rows(text, hunk)] == [None] * 5
    assert all(run.changed for row in rows(text, hunk) for run in row.runs)


def test_context_never_reaches_into_a_neighbouring_hunks() -> None:
    text = "".join(f"{n}\n" for n in range(1, 12))
    splices = [Splice(start=text.index(one), end=text.index(one) + 1, text=f"{one}'") for one in ("3", "7")]
    numbers = [[row.old for row in rows(text, one) if row.old] for one in hunks(text, splices)]
    assert numbers == [[1, 2, 3, 4, 5], [6, 7, 8, 9]]
    wide = [[row.old for row in rows(text, one, 9) if row.old] for one in hunks(text, splices)]
    assert wide == [[1, 2, 3, 4, 5], [6, 7, 8, 9, 10, 11]]
    assert [[row.old for row in rows(text, one, 0) if row.old] for one in hunks(text, splices)] == [[3], [7]]


@pytest.mark.parametrize(
    ("text", "splice", "wanted"),
    [
        ("雪\n末", Splice(start=3, end=3, text="\n"), ["1|1|  雪", "2||- 末 (no newline at the end)", "|2|+ 末"]),
        ("雪\n末\n", Splice(start=3, end=4, text=""), ["1|1|  雪", "2||- 末", "|2|+ 末 (no newline at the end)"]),
        ("雪\r\n末\n", Splice(start=1, end=3, text="\n"), ["1||- 雪 (CRLF)", "|1|+ 雪 (LF)", "2|2|  末"]),
        ("\n\n", Splice(start=0, end=0, text="\r"), ["1||-  (LF)", "|1|+  (CRLF)", "2|2|  "]),
        ("雪", Splice(start=0, end=1, text=""), ["1||- [雪] (no newline at the end)"]),
        ("a\r\rb\n", Splice(start=2, end=3, text=""), ["1||- a\r[\r]b", "|1|+ a\rb"]),
    ],
)
def test_a_change_of_a_line_ending_alone_is_seen(text: str, splice: Splice, wanted: list[str]) -> None:
    """R-EDIT-2: endings are not in the text of a row, so a note names them."""
    (hunk,) = hunks(text, [splice])
    assert [drawn(row) for row in rows(text, hunk)] == wanted


def test_an_append_to_a_line_without_newline_is_a_change_of_that_line() -> None:
    text = "a\nlast"
    (hunk,) = hunks(text, [appended(text, "\nmore")])
    assert [drawn(row) for row in rows(text, hunk)] == [
        "1|1|  a",
        "2||- last (no newline at the end)",
        "|2|+ last",
        "|3|+ [more] (no newline at the end)",
    ]


def test_rows_are_the_text_before_and_after() -> None:
    """Over random changes: the rows of all hunks, with all context, are every line once, under its own number."""
    chance = random.Random(21)
    for _ in range(1500):
        text, content = (
            "".join(chance.choices(["雪\n", "a b\n", "a c\r\n", "\n", "融雪 4.1\n"], k=chance.randint(0, 12)))
            for _ in range(2)
        )
        if text.replace("\r\n", "\n") == content.replace("\r\n", "\n"):
            continue
        splices = rewritten(text, content)
        found = [row for one in hunks(text, splices) for row in rows(text, one, 99)]
        new = spliced(text, splices)
        for side, whole in (
            ([(row.old, row.text) for row in found if row.old], text),
            ([(row.new, row.text) for row in found if row.new], new),
        ):
            assert side == [(number, body(line)) for number, line in enumerate(lines_of(whole), 1)]
        pairs = paired(found)
        assert [left for left, _ in pairs if left] == [row for row in found if row.kind != "added"]
        assert [right for _, right in pairs if right] == [row for row in found if row.kind != "removed"]
        assert all(left or right for left, right in pairs)
