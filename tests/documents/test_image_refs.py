"""Picture references of a note, as values."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from orange_jupyter.documents.image_refs import image_refs

PARSER = MarkdownIt("commonmark")


@pytest.mark.parametrize(
    ("source", "path", "alt"),
    [
        ("![a](pic.png)", "pic.png", "a"),
        ("![图 一](<my 图片/a b.png>)", "my 图片/a b.png", "图 一"),
        ("![a](pic(1).png)", "pic(1).png", "a"),
        ("![a](a((b)c).png)", "a((b)c).png", "a"),
        (r"![a](we\(ird\).png)", "we(ird).png", "a"),
        (r"![a\]b](x\_y.png)", "x_y.png", "a]b"),
        ("![a](my%20pic%E5%9B%BE.png)", "my pic图.png", "a"),
        ('![a](p.png "A title (1)")', "p.png", "a"),
        ("![a]( p.png\n 'two\nlines' )", "p.png", "a"),
        ("![a][ref]\n\n[REF]: <r 1.png> 'T'", "r 1.png", "a"),
        ("![ref][]\n\n[ref]: r.png", "r.png", "ref"),
        ("![图]\n\n[图]: r.png", "r.png", "图"),
        ("![a](../up/../../etc/passwd)", "../up/../../etc/passwd", "a"),
        ("![a](/abs/x.png)", "/abs/x.png", "a"),
        ("![a](https://h/x%20y.png)", "https://h/x%20y.png", "a"),
        ("![a](bad%ff.png)", "bad%ff.png", "a"),
        ("![a](nul%00.png)", "nul%00.png", "a"),
        ("[![badge](b.svg)](https://x)", "b.svg", "badge"),
        ("![]()", "", ""),
    ],
)
def test_a_reference_gives_its_path_as_a_value(source: str, path: str, alt: str) -> None:
    """R-READ-10, P02: every supported form; paths that lead out are values like others, nothing is opened."""
    text = f"前文 text {source}"
    (found,) = image_refs(text)
    assert (found.path, found.alt) == (path, alt)
    assert text[found.start : found.end].startswith("![")
    assert text[found.start : found.end] == source.split("\n\n", maxsplit=1)[0].removeprefix("[").removesuffix(
        "](https://x)"
    )


@pytest.mark.parametrize(
    "text",
    [
        "`![a](x.png)`",
        "```\n![a](x.png)\n```",
        "<!-- ![a](x.png) -->",
        r"!\[a](x.png)",
        "![a] (x.png)",
        "![a](x y.png)",
        "![a](x.png",
        "![a][nowhere]",
        "![a\n\nb](x.png)",
        "---\ntitle: '![a](x.png)'\n---\n",
        "[a](x.png)",
    ],
)
def test_what_is_no_picture_is_left_alone(text: str) -> None:
    """R-READ-10: code, comments, escapes, broken forms and plain links."""
    assert image_refs(text) == ()


def test_a_piece_of_a_note_gives_its_own_references_only() -> None:
    """R-READ-10: references that begin in the piece, though their definition stands elsewhere."""
    text = "![a](1.png) ![b][r] ![c](3.png)\n\n[r]: 2.png\n"
    assert [ref.path for ref in image_refs(text, 12, 20)] == ["2.png"]
    assert [ref.path for ref in image_refs(text, 5)] == ["2.png", "3.png"]


@given(
    st.lists(
        st.sampled_from(
            ["![", "!", "[", "]", "(", ")", "<", ">", "a", "b.png", " ", "\\", '"t"', "'", "%20", "\n", "r", "`", "图"]
        ),
        max_size=14,
    ).map("".join)
)
def test_references_agree_with_a_markdown_parser(source: str) -> None:
    """R-READ-10: on one paragraph and a definition, we find the targets that markdown-it finds."""
    text = f"x{source}\n\n[r]: ref.png\n"
    ours = [PARSER.normalizeLink(ref.destination) for ref in image_refs(text)]
    theirs = [str(token.attrs["src"]) for token in _pictures(PARSER.parse(text))]
    assert sorted(ours) == sorted(theirs)


def _pictures(tokens: list) -> list:
    found = []
    for token in tokens:
        found += [token] if token.type == "image" else []
        found += _pictures(token.children or [])
    return found


@pytest.mark.parametrize(
    "unit", ["![", "![a](", "![a](b", "![a](<b", '![a](b "', "[a]: b\n", "]", "\\", "![x]", "<!--", "`` ` "]
)
def test_hostile_references_are_read_in_linear_time(unit: str) -> None:
    """D11: 60,000 characters that invite backtracking."""
    began = time.monotonic()
    image_refs(unit * (60_000 // len(unit)))
    assert time.monotonic() - began < 10
