"""The unified diff is one that git applies, and its counts are the lines it has (R-CHG-2)."""

from __future__ import annotations

import random
import subprocess
from pathlib import Path

import pytest

from orange_jupyter.core.changes.hunks import hunks
from orange_jupyter.core.changes.lines import lines_of
from orange_jupyter.core.changes.matching import appended
from orange_jupyter.core.changes.rewriting import rewritten
from orange_jupyter.core.changes.splices import spliced
from orange_jupyter.core.changes.unified import counts, unified


def test_the_form_of_a_unified_diff() -> None:
    text = "".join(f"{n}\n" for n in range(1, 10)) + "末"
    splices = rewritten(text, text.replace("2\n", "二\n2b\n") + "\n终\n")
    assert unified(text, splices, "雪 note.md", context=1) == (
        "--- a/雪 note.md\t\n+++ b/雪 note.md\t\n"
        "@@ -1,3 +1,4 @@\n 1\n-2\n+二\n+2b\n 3\n"
        "@@ -9,2 +10,3 @@\n 9\n-末\n\\ No newline at end of file\n+末\n+终\n"
    )
    assert counts(hunks(text, splices)) == (4, 2)


def test_no_change_is_no_diff() -> None:
    assert unified("a\n", [], "a.md") == ""
    assert counts(hunks("a\n", [])) == (0, 0)


def test_an_empty_range_names_the_line_before_it() -> None:
    assert "@@ -0,0 +1,2 @@\n+雪\n+冰\n" in unified("", rewritten("", "雪\n冰\n"), "a.md")
    assert "@@ -2,0 +3 @@\n+c\n" in unified("a\nb\nd\n", rewritten("a\nb\nd\n", "a\nb\nc\nd\n"), "a.md", context=0)


def test_a_long_replacement_that_changes_one_line_counts_one() -> None:
    text = "a\nb\nc\n"
    splices = [appended(text, "d\n"), *rewritten(text, "a\nB\nc\n")]
    assert counts(hunks(text, splices)) == (2, 1)


@pytest.mark.parametrize("seed", range(12))
def test_git_applies_it_to_the_very_bytes(tmp_path: Path, seed: int) -> None:
    """Mixed endings, a lone CR, a missing newline at the end, an empty file: git makes the proposed text of it."""
    chance = random.Random(seed)
    lines = [
        f"{chance.choice(['雪', 'factor', 'a b', ''])}{chance.choice([chr(10), chr(13) + chr(10)])}" for _ in range(40)
    ]
    text = "".join(lines) + ("end" if seed % 3 else "")
    for number in range(0, 40, 5):
        lines[number] = chance.choice(["新\n", "", "x\ry\n", "two\nlines\r\n"])
    content = "".join(lines) + ("end" if seed % 2 else "the end\n")
    splices = rewritten(text, content)
    file = tmp_path / "note 雪.md"
    file.write_bytes(text.encode())
    diff = unified(text, splices, file.name, context=seed % 4 + 1)
    ran = subprocess.run(
        ["git", "apply", "--whitespace=nowarn"], cwd=tmp_path, input=diff.encode(), capture_output=True, check=False
    )
    assert ran.returncode == 0, ran.stderr.decode()
    assert file.read_bytes() == spliced(text, splices).encode()
    added, removed = counts(hunks(text, splices))
    assert len(lines_of(spliced(text, splices))) - len(lines_of(text)) == added - removed
