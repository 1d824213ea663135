"""Exact or nothing: what `oldText` means, and the file's own line endings (R-EDIT-1, R-EDIT-2)."""

from __future__ import annotations

import random
import re

import pytest

from orange_jupyter.core.changes.matching import Edit, appended, line_of, occurrences, replacement, replacements
from orange_jupyter.core.changes.splices import spliced
from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import ChangeError

NOTE = "# 融雪\r\n结论：见图①，（表 2）。  \r\nx² 与 4.1 mm\r\n末行\r\n"


def edited(text: str, old: str, new: str, occurrence: int | None = None) -> str:
    return spliced(text, [replacement(text, Edit(old_text=old, new_text=new, occurrence=occurrence))])


def refused(text: str, *edits: Edit) -> ChangeError:
    with pytest.raises(ChangeError) as caught:
        replacement(text, edits[0]) if len(edits) == 1 else replacements(text, edits)
    return caught.value


def test_the_bytes_outside_the_span_stay() -> None:
    """edits.md 2: full-width signs, `x²` and the two spaces of a hard break are not touched by an edit elsewhere."""
    assert edited(NOTE, "4.1 mm", "4.6 mm") == NOTE.replace("4.1", "4.6")


def test_search_text_with_lf_matches_a_crlf_file_which_stays_crlf() -> None:
    """edits.md 4, C08."""
    assert edited(NOTE, "4.1 mm\n末行\n", "4.6 mm\n新\n末行\n") == NOTE.replace("4.1 mm\r\n", "4.6 mm\r\n新\r\n")


def test_search_text_with_crlf_does_not_match_an_lf_file() -> None:
    error = refused("a\nb\n", Edit(old_text="a\r\nb", new_text="c"))
    assert error.code is Code.NO_MATCH
    assert "CRLF" in (error.hint or "")


def test_a_mixed_file_keeps_each_lines_ending_and_a_lone_cr() -> None:
    """edits.md 4, C09: replaced lines keep theirs, an added one takes the last replaced one's."""
    text = "a\r\nb\nc\rd\r\ne\n"
    assert edited(text, "a\nb\n", "A\nB\nnew\n") == "A\r\nB\nnew\nc\rd\r\ne\n"
    assert edited(text, "d", "D\nmore") == "a\r\nb\nc\rD\r\nmore\r\ne\n"
    assert edited(text, "c\rd", "c\rD") == "a\r\nb\nc\rD\r\ne\n"


def test_a_cr_before_a_crlf_does_not_become_one() -> None:
    assert edited("a\nb\n", "b", "b\r\r\nc") == "a\nb\r\r\nc\n"


@pytest.mark.parametrize("new", ["$1", r"\title{雪}", "$$", r"\g<0>", r"\1", r"a\nb", "%s {0}"])
def test_replacement_text_is_literal(new: str) -> None:
    r"""edits.md 3."""
    assert edited("见 (x) 与 y\n", "(x)", new) == f"见 {new} 与 y\n"


@pytest.mark.parametrize("old", ["(x)", "a.b", "[1]", "$1", r"\title", "^", "a|b", "*"])
def test_search_text_is_literal(old: str) -> None:
    text = f"前{old}后\r\n"
    assert edited(text, f"前{old}后\n", "新\n") == "新\r\n"
    assert refused("前axb后\r\n", Edit(old_text=old, new_text="q")).code is Code.NO_MATCH


@pytest.mark.parametrize("end", ["", "\n", "\r\n"])
def test_the_final_newline_or_its_absence_stays(end: str) -> None:
    """edits.md 6."""
    assert edited(f"a\nb{end}", "b", "雪") == f"a\n雪{end}"


def test_an_empty_search_text_is_refused() -> None:
    """edits.md 7, C15: also on an empty file and with an occurrence, where it would insert."""
    for text in ("", "abc"):
        for occurrence in (None, 1):
            error = refused(text, Edit(old_text="", new_text="x", occurrence=occurrence))
            assert error.code is Code.INVALID_ARGUMENT


def test_a_replacement_that_changes_nothing_is_refused() -> None:
    """edits.md 7: equal texts, and texts that are equal with the file's endings."""
    assert refused("a", Edit(old_text="a", new_text="a")).code is Code.NOTHING_TO_DO
    assert refused("a\r\nb", Edit(old_text="a\nb", new_text="a\r\nb")).code is Code.NOTHING_TO_DO


@pytest.mark.parametrize("number", [0, -1, -3, 4, 99])
def test_an_occurrence_that_does_not_exist_is_an_error_with_the_count(number: int) -> None:
    """edits.md 8, C15: nothing is taken for the nearest one, and negative numbers do not count from the end."""
    error = refused("雪 雪\n雪", Edit(old_text="雪", new_text="冰", occurrence=number))
    assert error.code is Code.OCCURRENCE_OUT_OF_RANGE
    assert error.details == {"count": 3, "lines": [1, 1, 2]}


def test_an_occurrence_counts_from_one() -> None:
    assert [edited("雪 雪 雪", "雪", "冰", n) for n in (1, 2, 3)] == ["冰 雪 雪", "雪 冰 雪", "雪 雪 冰"]


def test_a_text_that_is_not_unique_is_refused_with_its_lines() -> None:
    """C15."""
    error = refused("雪\n\n雪", Edit(old_text="雪", new_text="冰"))
    assert (error.code, error.details) == (Code.NOT_UNIQUE, {"count": 2, "lines": [1, 3]})


def test_overlapping_occurrences_count_each() -> None:
    assert occurrences("aaaa", "aa") == [(0, 2), (1, 3), (2, 4)]
    assert occurrences("a\r\na\r\na", "a\na") == [(0, 4), (3, 7)]
    assert refused("哈哈哈", Edit(old_text="哈哈", new_text="嘿")).code is Code.NOT_UNIQUE


def test_occurrences_are_those_that_the_definition_gives() -> None:
    r"""A `\n` stands for `\n` or `\r\n`, all else for itself: against the expression that says just that."""
    chance = random.Random(7)
    for _ in range(4000):
        text = "".join(chance.choice(["a", "雪", "\r", "\n", "\r\n"]) for _ in range(chance.randint(0, 14)))
        old = "".join(chance.choice(["a", "雪", "\n", "\r\n", "\r"]) for _ in range(chance.randint(1, 4)))
        units = [r"(?:\r\n|(?<!\r)\n)" if one == "\n" else re.escape(one) for one in re.split(r"((?<!\r)\n)", old)]
        wanted = [one.span(1) for one in re.finditer(f"(?=({''.join(units)}))", text)]
        assert occurrences(text, old) == wanted, (text, old)


def test_one_bad_edit_leaves_nothing_and_is_named() -> None:
    """edits.md 9, C16."""
    error = refused("a b", Edit(old_text="a", new_text="x"), Edit(old_text="q", new_text="y"))
    assert error.code is Code.NO_MATCH
    assert error.details["edit"] == 2
    assert error.message.startswith("Edit 2: ")


def test_overlapping_and_double_edits_are_refused() -> None:
    """edits.md 9, C16."""
    for other in ("bc", "abc", "b", "ab"):
        error = refused("x\nabc", Edit(old_text="ab", new_text="1"), Edit(old_text=other, new_text="2"))
        assert error.code is Code.OVERLAPPING_EDITS
        assert error.details == {"edits": [1, 2]}
        assert "line 2" in error.message


def test_edits_that_touch_are_no_overlap() -> None:
    text = "abcd"
    found = replacements(text, [Edit(old_text="cd", new_text="2"), Edit(old_text="ab", new_text="1")])
    assert spliced(text, found) == "12"


def test_an_edit_never_matches_what_another_one_inserted() -> None:
    """edits.md 9, C16: all are matched against the original text."""
    error = refused("a", Edit(old_text="a", new_text="b"), Edit(old_text="b", new_text="c"))
    assert error.code is Code.NO_MATCH
    assert (
        spliced("ab", replacements("ab", [Edit(old_text="a", new_text="b"), Edit(old_text="b", new_text="a")])) == "ba"
    )


def test_a_miss_is_an_error_with_the_nearest_place() -> None:
    """edits.md 1, 12: nothing is applied approximately."""
    error = refused(NOTE, Edit(old_text="结论:见图1,(表 2)。", new_text="x"))
    assert error.code is Code.NO_MATCH
    assert error.details["near"][0]["line"] == 2
    assert "line 2: 结论：见图①" in (error.hint or "")


@pytest.mark.parametrize(
    ("text", "content", "wanted"),
    [
        ("a\r\n", "b\n", "a\r\nb\r\n"),
        ("a\r\nb", "c", "a\r\nbc"),
        ("a", "\nb", "a\nb"),
        ("", "雪\n", "雪\n"),
        ("a\r\nb\n", "c\nd", "a\r\nb\nc\nd"),
    ],
)
def test_append_takes_the_files_endings_and_adds_no_newline(text: str, content: str, wanted: str) -> None:
    """R-EDIT-1, R-EDIT-2."""
    assert spliced(text, [appended(text, content)]) == wanted


def test_an_empty_append_is_refused() -> None:
    with pytest.raises(ChangeError) as caught:
        appended("a", "")
    assert caught.value.code is Code.NOTHING_TO_DO


def test_lines_count_from_one_by_newlines_alone() -> None:
    text = "a\r\nb\rc\u2028d\x0ce\nf"
    assert [line_of(text, text.index(one)) for one in "abcdef"] == [1, 2, 2, 2, 2, 3]
