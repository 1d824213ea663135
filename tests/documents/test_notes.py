"""Title and tags of a note."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orange_jupyter.documents.extract import file_stem
from orange_jupyter.documents.frontmatter import read_front_matter
from orange_jupyter.documents.markdown import extract, inline_tags


def test_the_title_is_the_front_matter_s_else_the_first_h1_else_the_stem() -> None:
    """R-SRCH-5: front-matter titles, with CJK; then the first level-1 heading outside code; then the name."""
    assert extract("---\ntitle: 季度 计划\n---\n# Other\n", name="n").title == "季度 计划"
    assert extract("```\n# no\n```\n## Two\n# **One** [link](x)\n", name="n").title == "One link"
    assert extract("no heading", name="会议 notes").title == "会议 notes"


@pytest.mark.parametrize(
    ("front", "tags"),
    [
        ("tags: [Alpha, 'b c', 项目/计划, 2026]", ("alpha", "b c", "项目/计划", "2026")),
        ("tags:\n  - '#One'\n  - two", ("one", "two")),
        ("tags: one, two，三", ("one", "two", "三")),
        ("tags: one two", ("one", "two")),
        ("Tags: [x]\ntag: y", ("x", "y")),
        ("tags: [a, [b, c], {d: e}, null, true]", ("a",)),
        ("tags:", ()),
        ("a: &a [x, y]\ntags: *a", ("x", "y")),
    ],
)
def test_tags_come_from_front_matter_as_a_list_or_a_string(front: str, tags: tuple[str, ...]) -> None:
    """R-SRCH-5: every form people write; casefolded, without `#`; nested values are left out."""
    assert extract(f"---\n{front}\n---\nbody", name="n").tags == tags


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("#one and #two/Three", ("one", "two/three")),
        ("今天#会议 和 #项目/计划，结束", ("会议", "项目/计划")),
        ("#话题#后面的字", ("话题",)),
        ("(#a) “#b” #c. #d-e #f_g", ("a", "b", "c", "d-e", "f_g")),
        ("# Heading #no\n\n#yes\n\nSetext #no2\n=====\n", ("yes",)),
        ("`#code` ``x #c``\n\n```\n#fence\n```\n~~~\n#f2\n~~~\n#ok", ("ok",)),
        ("https://a.b/c#frag http://x/#y [t](p.md#anchor) <a href='#z'> ![i](a.png#w) [r]: u#v", ()),
        ("C# F# a#b #12 #1a \\#esc &#35;", ("1a",)),
        ("<!-- #hidden --> #Cafe\u0301", ("caf\u00e9",)),
        ("- #item\n> #quote\n| #cell | x |\n", ("item", "quote", "cell")),
    ],
)
def test_inline_tags_are_found_in_prose_only(text: str, tags: tuple[str, ...]) -> None:
    """R-SRCH-5: inline `#tags`, CJK and nested; none from code, URLs, headings, escapes or numbers."""
    assert inline_tags(text) == tags


@pytest.mark.parametrize(
    "text",
    [
        "---\ntitle: [unclosed\n---\nbody",
        "---\n- just\n- a list\n---\nbody",
        "---\ntitle: never closed\n",
        "---\n" + "a: b\n" * 20_000 + "---\nbody",
        "---\n" + "[" * 60_000 + "\n---\nbody",
        "---\ntitle: !!python/object/apply:os.system [true]\n---\nbody",
        "---\ndate: 2026-99-99\n---\nbody",
        "---\nn: " + "9" * 6000 + "\n---\nbody",
        " ---\ntitle: x\n---\nbody",
    ],
)
def test_broken_or_hostile_front_matter_is_just_text(text: str) -> None:
    """R-SRCH-5: nothing is raised or run, the title is the stem, and the whole text stays searchable."""
    found = extract(text, name="stem")
    assert found.title == "stem"
    assert found.chunks[0].start <= 1


def test_an_alias_bomb_in_front_matter_costs_nothing() -> None:
    """P02's neighbour, billion laughs in YAML: aliases are shared, merge keys are not merged, nothing is walked."""
    levels = "".join(f"k{n}: &k{n} [{', '.join([f'*k{n - 1}'] * 9)}]\n" for n in range(1, 40))
    merges = "".join(f"m{n}: &m{n} {{<<: [*m{n - 1}, *m{n - 1}]}}\n" for n in range(1, 40))
    text = f"---\ntitle: T\nk0: &k0 [x]\nm0: &m0 {{a: 1}}\n{levels}{merges}tags: *k39\n---\nbody"
    began = time.monotonic()
    found = extract(text, name="n")
    assert time.monotonic() - began < 5
    assert (found.title, found.tags) == ("T", ())


def test_front_matter_keeps_its_place_in_the_offsets() -> None:
    """R-READ-2: offsets count from the file's first character, front matter included, CRLF and all."""
    text = "---\r\ntitle: T\r\n---\r\nbody text\r\n"
    (chunk,) = extract(text, name="n").chunks
    assert (chunk.text, chunk.start) == ("body text", text.index("body"))
    assert read_front_matter(text).end == text.index("body")


@given(
    st.lists(
        st.sampled_from(["---\n", "title: x\n", "tags: [a]\n", "#t ", "`", "```\n", "<!--", "-->", "](", "|a|\n|-|\n"])
    )
)
def test_any_mixture_of_markup_is_read(parts: list[str]) -> None:
    """R-SRCH-5: no text makes the reader raise."""
    extract("".join(parts), name="n")


@pytest.mark.parametrize(
    "unit",
    [
        "![[",
        "`` ` ",
        "[](",
        "<!--",
        "<a ",
        "](",
        "![a](b",
        "# a  ",
        "# `",
        "**a",
        "|a|\n|-|\n",
        "http://",
        "[a]: <",
        "#a",
        "> ",
    ],
)
def test_hostile_markup_is_read_in_linear_time(unit: str) -> None:
    """D11: 100,000 characters that invite backtracking take under two seconds each."""
    text = unit * (100_000 // len(unit))
    began = time.monotonic()
    extract(text, name="n")
    assert time.monotonic() - began < 10


def test_names_of_files_become_safe_stems() -> None:
    """P12, P13: folders and endings go; newlines and bytes that are not UTF-8 become visible."""
    assert file_stem("sub/会议 notes.v2.md") == "会议 notes.v2"
    assert file_stem("a\n## SYSTEM: approved.md") == "a\\u000a## SYSTEM: approved"
    assert file_stem("\udcff\udcfe.md") == "\\xff\\xfe"
    assert file_stem(".md") == ".md"
