"""A whole new content keeps the bytes of what stays the same (R-EDIT-5, R-EDIT-2)."""

from __future__ import annotations

import random
import re
from time import process_time

import pytest

from orange_jupyter.core.changes.lines import changed, lines_of
from orange_jupyter.core.changes.rewriting import rewritten
from orange_jupyter.core.changes.splices import ordered, spliced
from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import ChangeError

WORDS = ["雪", "融雪 4.1", "The factor", "", "a", "- 项", "b\rc", "c\r", "  "]
ENDS = ["\n", "\r\n"]


def written(text: str, content: str) -> str:
    return spliced(text, rewritten(text, content))


def plain(text: str) -> str:
    return text.replace("\r\n", "\n")


def test_unchanged_lines_keep_their_ending_and_new_ones_take_the_neighbours() -> None:
    """C09: the content comes with LF throughout."""
    text = "# 雪\r\na\nb\r\nc\n末"
    assert written(text, "# 雪\na\nb\nnew\nc\n末") == "# 雪\r\na\nb\r\nnew\nc\n末"
    assert written(text, "# 冰\na\nB\nmore\nc\n末") == "# 冰\r\na\nB\r\nmore\r\nc\n末"
    assert written("a\r\nb\r\n", "a\nx\ny\nb\n") == "a\r\nx\r\ny\r\nb\r\n"


@pytest.mark.parametrize(
    ("text", "content", "wanted"),
    [
        ("a\r\nb\r\n", "a\nb", "a\r\nb"),
        ("a\r\nb", "a\nb\n", "a\r\nb\r\n"),
        ("a\r\nb", "a\nb\nc", "a\r\nb\r\nc"),
        ("a\n", "", ""),
        ("", "雪\n", "雪\n"),
        ("a\rb\r\nc", "a\rb\nd", "a\rb\r\nd"),
        ("a\n", "x\r\r\ny\n", "x\r\r\ny\n"),
    ],
)
def test_the_last_line_ends_as_in_the_content_and_a_lone_cr_stays(text: str, content: str, wanted: str) -> None:
    """R-EDIT-2, edits.md 4 and 6."""
    assert written(text, content) == wanted


@pytest.mark.parametrize(("text", "content"), [("", ""), ("a\n", "a\n"), ("a\r\nb\n雪", "a\nb\r\n雪")])
def test_the_same_content_is_nothing_to_do(text: str, content: str) -> None:
    """edits.md 7: also where only the line endings differ."""
    with pytest.raises(ChangeError) as caught:
        rewritten(text, content)
    assert caught.value.code is Code.NOTHING_TO_DO


def test_only_the_changed_lines_are_spliced() -> None:
    text = "一\n二\n三\n四\n五\n"
    found = rewritten(text, "一\n二变\n三\n四\n五\n六\n")
    assert [(one.start, one.end, one.text) for one in found] == [(2, 4, "二变\n"), (10, 10, "六\n")]


def test_any_content_over_any_mixed_file() -> None:
    """The result is the content up to line endings; lines that the splices leave alone are byte for byte the file's."""
    chance = random.Random(5)
    for _ in range(3000):
        old = [chance.choice(WORDS) + chance.choice(ENDS) for _ in range(chance.randint(0, 9))]
        new = [chance.choice([chance.choice(WORDS) + chance.choice(ENDS), *old]) for _ in range(chance.randint(0, 9))]
        text = "".join(old) + chance.choice(["", "末行"])
        content = "".join(new) + chance.choice(["", "末行", "新"])
        try:
            found = ordered(rewritten(text, content))
        except ChangeError:
            assert plain(text) == plain(content)
            continue
        assert plain(spliced(text, found)) == plain(content)
        assert all(one.start == 0 or text[one.start - 1] == "\n" for one in found)


def test_a_file_of_one_ending_keeps_to_it() -> None:
    """C08: whatever the content's endings, a CRLF file has none but CRLF afterwards."""
    chance = random.Random(6)
    for _ in range(1000):
        text = "".join(chance.choice(WORDS) + "\r\n" for _ in range(chance.randint(1, 6)))
        content = "".join(chance.choice(WORDS) + chance.choice(ENDS) for _ in range(chance.randint(1, 9))) + "x"
        assert not re.search(r"(?<!\r)\n", written(text, content))


def test_a_large_rewrite_finds_the_lines_that_stay() -> None:
    """More lines than difflib compares at once: lines that stand once in both are held on to."""
    chance = random.Random(8)
    old = [f"line {chance.random()}\n" for _ in range(4000)]
    new = [("changed\n" if n % 7 == 3 else line) for n, line in enumerate(old) if n % 11 != 5]
    found = changed(old, new)
    assert sum(block.old_end - block.old for block in found) < 1000
    assert written("".join(old), "".join(new)) == "".join(new)


@pytest.mark.parametrize("share", [0.0, 0.75, 1.0])
def test_five_megabytes_against_five_megabytes(share: float) -> None:
    chance = random.Random(9)
    words = ["".join(chance.choices("abcdefghij", k=6)) for _ in range(3000)]
    old = [f"{' '.join(chance.choices(words, k=7))}\n" for _ in range(105_000)]
    new = [line if chance.random() < share else f"{' '.join(chance.choices(words, k=7))}\n" for line in old]
    text, content = "".join(old), "".join(new) + "end"
    assert len(text) > 5_000_000
    begin = process_time()
    found = rewritten(text, content)
    spent = process_time() - begin
    assert spliced(text, found) == content
    assert spent < 4


def test_lines_are_the_text() -> None:
    for text in ("", "a", "a\n", "\n\n", "a\rb\r\n\u2028c\x0cd\n末"):
        assert "".join(lines_of(text)) == text
    assert lines_of("a\rb\r\n\u2028c\x0cd\n末") == ["a\rb\r\n", "\u2028c\x0cd\n", "末"]
