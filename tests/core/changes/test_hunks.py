"""Hunks of whole lines, and what a person takes of them (R-CHG-12)."""

from __future__ import annotations

import random
from itertools import accumulate, pairwise
from time import process_time

import pytest

from orange_jupyter.core.changes.hunks import Hunk, hunks, shown_after, taken
from orange_jupyter.core.changes.lines import lines_of
from orange_jupyter.core.changes.matching import Edit, appended, replacements
from orange_jupyter.core.changes.pieces import Splice
from orange_jupyter.core.changes.rewriting import rewritten
from orange_jupyter.core.changes.rows import paired, rows
from orange_jupyter.core.changes.splices import ordered, spliced
from orange_jupyter.core.changes.values import HunkChoice
from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import ChangeError

NOTE = "".join(f"第 {n} 行 line {n}\r\n" for n in range(1, 21))


def replaced(text: str, *pairs: tuple[str, str]) -> tuple[Splice, ...]:
    return replacements(text, [Edit(old_text=old, new_text=new) for old, new in pairs])


def spans(found: tuple[Hunk, ...]) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    return [(one.old, one.new) for one in found]


def random_change(chance: random.Random) -> tuple[str, tuple[Splice, ...]]:
    ends = chance.choice([["\n"], ["\r\n"], ["\n", "\r\n"]])
    text = "".join(
        chance.choice("ab雪") * chance.randint(0, 3) + chance.choice(ends) for _ in range(chance.randint(0, 14))
    )
    text += chance.choice(["", "末行"])
    done: list[Splice] = []
    at = 0
    while at <= len(text) and len(done) < 4:
        start = chance.randint(at, len(text))
        end = min(start + chance.choice([0, 0, 1, 3, 8]), len(text))
        new = "".join(chance.choices(["a", "雪", "\n", "新\n", ""], k=3))
        if new != text[start:end]:
            done.append(Splice(start=start, end=end, text=new))
        at = end + chance.randint(1, 12)
    return text, tuple(done)


def test_hunks_are_the_change_and_nothing_more() -> None:
    """Put onto the text, the hunks' after-texts give what the splices give; they are whole lines, in order, apart."""
    chance = random.Random(11)
    for _ in range(4000):
        text, splices = random_change(chance)
        found = hunks(text, splices)
        whole = [Splice(start=one.start, end=one.end, text=one.after) for one in found]
        assert spliced(text, whole) == spliced(text, splices)
        assert [one for hunk in found for one in hunk.splices] == list(range(len(splices)))
        new = lines_of(spliced(text, splices))
        for number, one in enumerate(found, 1):
            assert one.number == number
            assert text[one.start : one.end] == one.before == "".join(lines_of(text)[one.old[0] - 1 : one.old[1]])
            assert one.after == "".join(new[one.new[0] - 1 : one.new[1]])
        assert all(one.end <= other.start for one, other in pairwise(found))


def test_any_choice_of_hunks_keeps_the_splices_of_those_that_are_taken() -> None:
    """R-CHG-12: taken ones are the same values, so that later layers find their place; the rest is gone."""
    chance = random.Random(12)
    for _ in range(3000):
        text, splices = random_change(chance)
        found = hunks(text, splices)
        keep = {one.number: chance.random() < 0.5 for one in found}
        named = [
            HunkChoice(number=number, taken=wanted)
            for number, wanted in keep.items()
            if not wanted or chance.random() < 0.5
        ]
        got = taken(text, splices, named)
        assert got == tuple(splices[place] for one in found if keep[one.number] for place in one.splices)
        whole = [Splice(start=one.start, end=one.end, text=one.after) for one in found if keep[one.number]]
        assert spliced(text, got) == spliced(text, whole)


def test_any_text_of_a_person_stands_in_its_hunk_and_nowhere_else() -> None:
    chance = random.Random(13)
    for _ in range(3000):
        text, splices = random_change(chance)
        found = hunks(text, splices)
        if not found:
            continue
        hunk = chance.choice(found)
        given = "".join(chance.choices(["a", "雪", "\n", "我的\n", "b"], k=chance.randint(1, 4)))
        got = ordered(taken(text, splices, [HunkChoice(number=hunk.number, text=given)]))
        full = given + "\n" * ((hunk.after or hunk.before or "\n").endswith("\n"))
        whole = [Splice(start=one.start, end=one.end, text=full if one is hunk else one.after) for one in found]
        assert spliced(text, got).replace("\r\n", "\n") == spliced(text, whole).replace("\r\n", "\n")
        if given == shown_after(hunk):
            assert got == splices


def test_changes_two_lines_apart_are_one_hunk_and_three_apart_are_two() -> None:
    assert spans(hunks(NOTE, replaced(NOTE, ("line 4\n", "Line 4\n"), ("line 7\n", "Line 7\n")))) == [((4, 7), (4, 7))]
    two = hunks(NOTE, replaced(NOTE, ("line 4\n", "Line 4\nmore\n"), ("line 8\n", "Line 8\n")))
    assert spans(two) == [((4, 4), (4, 5)), ((8, 8), (9, 9))]
    assert [one.room for one in two] == [(3, 2), (1, 12)]


def test_lines_that_a_replacement_only_repeats_are_no_part_of_its_hunk() -> None:
    """A model gives lines around to make a text unique: they are not changes."""
    old = "第 3 行 line 3\n第 4 行 line 4\n第 5 行 line 5\n"
    found = hunks(NOTE, replaced(NOTE, (old, old.replace("4", "四"))))
    assert spans(found) == [((4, 4), (4, 4))]
    assert (found[0].before, found[0].after) == ("第 4 行 line 4\r\n", "第 四 行 line 四\r\n")


@pytest.mark.parametrize(
    ("text", "splice", "old", "new", "before", "after"),
    [
        ("a\nb\n", Splice(start=2, end=2, text="x\n"), (2, 1), (2, 2), "", "x\n"),
        ("a\nb\n", Splice(start=1, end=1, text="\nx"), (2, 1), (2, 2), "", "x\n"),
        ("a\nb\n", Splice(start=0, end=2, text=""), (1, 1), (1, 0), "a\n", ""),
        ("a\nb\n", Splice(start=1, end=2, text=""), (1, 2), (1, 1), "a\nb\n", "ab\n"),
        ("a\nb\n", Splice(start=4, end=4, text="x"), (3, 2), (3, 3), "", "x"),
        ("a\nb", Splice(start=3, end=3, text="x"), (2, 2), (2, 2), "b", "bx"),
        ("a\nb", Splice(start=3, end=3, text="\nx"), (2, 2), (2, 3), "b", "b\nx"),
        ("", Splice(start=0, end=0, text="x\ny"), (1, 0), (1, 2), "", "x\ny"),
        ("a\n", Splice(start=0, end=2, text=""), (1, 1), (1, 0), "a\n", ""),
        ("a\nb\nc\n", Splice(start=2, end=3, text=""), (2, 2), (2, 2), "b\n", "\n"),
    ],
)
def test_which_lines_a_splice_touches(
    text: str, splice: Splice, old: tuple[int, int], new: tuple[int, int], before: str, after: str
) -> None:
    (found,) = hunks(text, [splice])
    assert (found.old, found.new, found.before, found.after) == (old, new, before, after)


@pytest.mark.parametrize(
    ("text", "content", "given", "wanted"),
    [
        ("a\r\nb\r\nc\r\n", "a\nB\nc\n", "我的\n两行", "a\r\n我的\r\n两行\r\nc\r\n"),
        ("a\nb", "a\nB", "mine", "a\nmine"),
        ("a\nb", "a\nB", "mine\n", "a\nmine\n"),
        ("a\nb\n", "a\nb\nc", "mine", "a\nb\nmine"),
        ("a\r\nb\r\n", "a\n", "mine", "a\r\nmine\r\n"),
        ("a\nb\nc\n", "a\nB\nc\n", "", "a\nc\n"),
        ("a\nb\nc\n", "a\nB\nc\n", "b", "a\nb\nc\n"),
        ("a\nb\n", "a\nb\nx\ny\n", "x\n", "a\nb\nx\n\n"),
        ("a\r\nb\nc\r\n", "a\nB\nC\n", "B\nmine", "a\r\nB\nmine\r\n"),
        ("", "x\n", "mine", "mine\n"),
    ],
)
def test_a_persons_text_gets_the_files_endings(text: str, content: str, given: str, wanted: str) -> None:
    """R-CHG-12, R-EDIT-2: as an editor gives it, with LF and without its last line's end."""
    assert spliced(text, taken(text, rewritten(text, content), [HunkChoice(number=1, text=given)])) == wanted


def test_a_text_that_was_opened_and_not_changed_keeps_the_splices() -> None:
    splices = replaced(NOTE, ("line 4\n", "Line 4\nmore\n"), ("line 8\n", "Line 8\n"))
    found = hunks(NOTE, splices)
    assert taken(NOTE, splices, [HunkChoice(number=1, text=shown_after(found[0]))]) == splices
    deletion = rewritten("a\nb\n", "a\n")
    assert taken("a\nb\n", deletion, [HunkChoice(number=1, text="")]) == deletion


@pytest.mark.parametrize("number", [0, -1, 3])
def test_a_hunk_that_does_not_exist_is_refused(number: int) -> None:
    splices = replaced(NOTE, ("line 4\n", "Line 4\n"), ("line 8\n", "Line 8\n"))
    with pytest.raises(ChangeError) as caught:
        taken(NOTE, splices, [HunkChoice(number=number, taken=False)])
    assert caught.value.code is Code.OUT_OF_RANGE
    assert caught.value.details["count"] == 2


def test_a_hunk_that_is_named_twice_is_refused() -> None:
    splices = replaced(NOTE, ("line 4\n", "Line 4\n"))
    with pytest.raises(ChangeError) as caught:
        taken(NOTE, splices, [HunkChoice(number=1), HunkChoice(number=1, taken=False)])
    assert caught.value.code is Code.INVALID_ARGUMENT


def test_an_append_to_a_line_without_newline_is_a_change_of_that_line() -> None:
    (found,) = hunks("a\r\nb", [appended("a\r\nb", "c\nd")])
    assert (found.before, found.after) == ("b", "bc\r\nd")


def test_a_hundred_places_in_five_megabytes() -> None:
    chance = random.Random(14)
    lines = [
        f"第 {n} 行 {' '.join(chance.choices(['factor', 'snow', 'basin', 'the', '雪'], k=9))}\n" for n in range(100_000)
    ]
    begins = [0, *accumulate(map(len, lines))]
    text = "".join(lines)
    assert len(text.encode()) > 5_000_000
    places = sorted(chance.sample(range(0, 99_000, 20), 100))
    splices = [Splice(start=begins[n] + 4, end=begins[n + 2] - 9, text="新 text\nand more ") for n in places]
    begin = process_time()
    drawn = [paired(rows(text, one)) for one in hunks(text, splices)]
    spent = process_time() - begin
    assert len(drawn) == 100
    assert spent < 1


def test_splices_that_share_a_line_are_one_hunk_however_far_their_changes_lie_apart() -> None:
    """A person's text for the one would else stand on what the other replaces."""
    old = "".join(f"第 {n} 行 line {n}\n" for n in range(3, 12)) + "第 12 行"
    splices = replaced(NOTE, (old, old.replace("line 3\n", "Line 3\n")), ("line 12\n", "Line 12\n"))
    (found,) = hunks(NOTE, splices)
    assert (found.old, found.splices) == ((3, 12), (0, 1))
    mine = taken(NOTE, splices, [HunkChoice(number=1, text="mine")])
    assert spliced(NOTE, ordered(mine)) == NOTE[: found.start] + "mine\r\n" + NOTE[found.end :]
