"""Passages: exact offsets, bounded sizes, nothing lost."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from orange_jupyter.documents.chunks import CJK_LIMIT, LATIN_LIMIT, chunk_plain, mostly_cjk
from orange_jupyter.documents.frontmatter import read_front_matter
from orange_jupyter.documents.markdown import extract

PIECES = st.sampled_from(
    [
        "# Heading 标题\n",
        "## Sub *two*\n\n",
        "Setext\n======\n",
        "A sentence. Another one! And a third? ",
        "这是一个句子。下一句！还有吗？",
        "长" * 700,
        "word " * 300,
        "x" * 1500,
        "👩‍👩‍👧‍👦" * 120,
        "e\u0301" * 700,
        "\n\n",
        "\r\n\r\n",
        "\n",
        "```python\n# not a heading\nprint('x')\n```\n",
        "```\nunclosed ",
        "| a | b |\n|---|---|\n| 1 | 2 |\n",
        "- item #tag\n",
        "---\ntitle: T\n---\n",
        "\t  \n",
        "\u3000缩进段落",
    ]
)
NOTES = st.lists(PIECES | st.text(max_size=30), max_size=25).map("".join)


@given(NOTES)
def test_a_note_s_chunks_are_exact_bounded_and_complete(text: str) -> None:
    """R-READ-2, R-SRCH-4: text[start:end] is the passage; order, sizes; only front matter and blanks are left out."""
    position = read_front_matter(text).end
    left_out = ""
    for chunk in extract(text, name="n").chunks:
        assert text[chunk.start : chunk.end] == chunk.text
        assert chunk.start >= position
        assert len(chunk.text) <= (CJK_LIMIT if mostly_cjk(chunk.text) else LATIN_LIMIT)
        assert chunk.text == chunk.text.strip()
        left_out += text[position : chunk.start]
        position = chunk.end
    assert not (left_out + text[position:]).strip()


@given(NOTES)
def test_a_plain_text_s_chunks_are_exact_bounded_and_complete(text: str) -> None:
    """R-SRCH-4: the same for txt, PDF pages and DOCX blocks, with their page or block on each chunk."""
    position = 0
    left_out = ""
    for chunk in chunk_plain(text, page=3, block=7):
        assert text[chunk.start : chunk.end] == chunk.text
        assert (chunk.page, chunk.block) == (3, 7)
        assert len(chunk.text) <= (CJK_LIMIT if mostly_cjk(chunk.text) else LATIN_LIMIT)
        left_out += text[position : chunk.start]
        position = chunk.end
    assert not (left_out + text[position:]).strip()


def test_long_paragraphs_are_cut_at_sentence_ends() -> None:
    """R-SRCH-4: passages end with 。！？ or .!? where sentences fit."""
    chinese = "".join(f"第{number}句话说明了一件很重要的事情。" for number in range(100))
    english = " ".join(f"Sentence number {number} says something of weight." for number in range(100))
    for text, end in ((chinese, "。"), (english, ".")):
        chunks = chunk_plain(text)
        assert len(chunks) > 2
        assert all(chunk.text.endswith(end) for chunk in chunks)


def test_code_and_tables_that_fit_stay_whole() -> None:
    """R-SRCH-4: a fence with blank lines inside and a table are one piece, even behind a nearly full passage."""
    code = "```python\n" + "\n\n".join(f"value_{n} = {n}" for n in range(20)) + "\n```"
    table = "| a | b |\n|---|---|\n" + "\n".join(f"| {n} | two |" for n in range(40))
    text = f"# T\n\n{'Prose. ' * 140}\n\n{code}\n\n{'Prose. ' * 120}\n\n{table}\n"
    chunks = extract(text, name="n").chunks
    assert sum(code in chunk.text for chunk in chunks) == 1
    assert sum(table in chunk.text for chunk in chunks) == 1


def test_accents_and_joined_emoji_are_not_parted() -> None:
    """R-READ-2: a hard cut never falls between a letter and its accent or inside a family emoji."""
    for unit in ("e\u0301", "👩‍👩‍👧‍👦"):
        for chunk in chunk_plain(unit * 1000):
            assert chunk.text.startswith(unit[0])
            assert re.fullmatch(f"(?:{unit})+", chunk.text)


def test_chunks_know_their_headings() -> None:
    """R-SRCH-4: the heading path; a heading without text of its own joins the passage below it; code is no heading."""
    text = "Intro\n\n# One\n\n## Two `x` {#two}\n\nbody\n\n```\n# no\n```\n\n# Three #\n\n第三\n\nFour\n----\nend\n"
    found = [(chunk.heading_path, chunk.text.split("\n")[0]) for chunk in extract(text, name="n").chunks]
    assert found == [
        ((), "Intro"),
        (("One", "Two x"), "# One"),
        (("Three",), "# Three #"),
        (("Three", "Four"), "Four"),
    ]
