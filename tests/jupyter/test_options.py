"""The `%%orange` line: every option, words in Chinese and with spaces, wrong words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orange_jupyter.core.errors import UsageError
from orange_jupyter.core.grant import Tier
from orange_jupyter.jupyter.options import Options, parse_options, split


def test_every_option_fills_its_field() -> None:
    """R-NB-2."""
    line = (
        "--tier workspace-write --no-plan --model m1 --kb 笔记 '水文 资料' --session \"周报 1\" --image a.png 图.png "
        "--var df 数据 --out turn --detach --steps 500 --json --kb=third"
    )
    assert parse_options(line) == Options(
        tier=Tier.WORKSPACE_WRITE,
        plan=False,
        model="m1",
        knowledge_bases=("笔记", "水文 资料", "third"),
        session="周报 1",
        images=("a.png", "图.png"),
        variables=("df", "数据"),
        out="turn",
        detach=True,
        steps=500,
        json=True,
    )
    assert parse_options("") == Options()
    assert parse_options("--plan --new --help") == Options(plan=True, new=True, help=True)


def test_every_tier_is_a_word_of_the_option() -> None:
    """R-NB-2: a cell may go down from full-auto to full-confirm; going up is refused where the session is known."""
    for tier in Tier:
        assert parse_options(f"--tier {tier}").tier is tier


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("--teir x", "There is no option --teir. Did you mean --tier?"),
        ("--tier workspace-writ", "There is no tier “workspace-writ”. Did you mean workspace-write?"),
        ("plan", "“plan” is not an option. Did you mean --plan?"),
        ("what is this", "“what” is not an option."),
        ("--plan=yes", "--plan takes no value."),
        ("--kb", "--kb needs a value."),
        ("--model --json", "--model needs a value."),
        ('--session ""', "--session needs a value."),
        ("--out 1a", "“1a” is not the name of a variable."),
        ("--var df.x", "“df.x” is not the name of a variable."),
        ('--kb "水文', 'A quote " is not closed.'),
        ("--new --session a", "--new begins a new session"),
        *[(f"--steps {n}", "--steps takes a whole number from 1 to 500") for n in ("0", "501", "-1", "x", "５", "1.5")],
    ],
)
def test_a_wrong_word_is_named_with_the_nearest_right_one(line: str, said: str) -> None:
    """R-NB-2, R-NB-3, A23."""
    with pytest.raises(UsageError, match=None) as raised:
        parse_options(line)
    assert raised.value.message.startswith(said)


def test_nothing_is_expanded() -> None:
    """A24: dollars, braces, tildes, backslashes and globs are letters."""
    assert split(r"{side()} $SECRET ~/x C:\new *.md it's 'a b'") == [
        *("{side()}", "$SECRET", "~/x", r"C:\new", "*.md", "it's", "a b"),
    ]
    assert split("--kb\u3000笔记\u00a0b --session='a b'") == ["--kb", "笔记", "b", "--session=a b"]


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\"'"), min_size=1)))
def test_a_quoted_word_comes_out_as_it_was(words: list[str]) -> None:
    assert split(" ".join(f'"{word}"' for word in words)) == words
