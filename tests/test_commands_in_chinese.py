"""Every `%orange` line answers in the person's language, words to type stay as they are (R-UI-8)."""

from __future__ import annotations

import re

import pytest

from orange_jupyter.core.errors import OrangeError, UsageError
from orange_jupyter.jupyter.options import help_of_cell, parse_options, split
from tests.test_office import kernel_in

office = pytest.fixture(kernel_in)
HAN = re.compile(r"[\u4e00-\u9fff]")
ANSWERS = [
    "status",
    "help",
    "kb list",
    "kb scan",
    "kb select kb",
    "tier",
    "tier workspace-write",
    "plan on",
    "session list",
    "session rename melt",
    "session new melt",
    "session export --to out.md",
    "usage",
    "changes",
    "changes list",
    "changes apply",
    "changes reject",
]
MISTAKES = [
    "statsu",
    "kb selct",
    "changes aply",
    "undo a b",
    "kb select melting",
    "kb rename kb",
    "kb add",
    "kb add kb --nam x",
    "kb scan everything",
    "tier workspace-readonyl",
    "plan maybe",
    "session use",
    "session rename",
    "show",
    "show c99",
    "show melt.md 2",
]
OPTIONS = ["--tire x", "--tier x", "--steps 0", "--var 1a", "--new --session a", '--kb "a', "word", "--json x", "--out"]


@pytest.mark.parametrize("line", ANSWERS)
async def test_an_answer_is_chinese_or_english_as_the_person_is(office, line):
    """R-UI-8: and the document for programs is the same in both."""
    await office.say("kb add kb")
    await office("", "melt factor?")
    english = await office.say(line)
    assert not HAN.search(english.markdown)
    if line.startswith("session export"):
        line = "session export --to 另存.md"
    chinese = await office.say(line, language="zh")
    assert HAN.search(chinese.markdown)
    assert set(chinese.data) == set(english.data)


@pytest.mark.parametrize("line", MISTAKES)
async def test_a_mistake_is_told_in_the_person_s_language(office, line):
    """R-NB-3, R-UI-8."""
    await office.say("kb add kb")
    for language, han in (("en", False), ("zh", True)):
        with pytest.raises(OrangeError) as raised:
            await office.say(line, language=language)
        assert bool(HAN.search(raised.value.message)) is han


async def test_a_notebook_without_a_knowledge_base_is_told_how_to_add_one_in_chinese(office):
    """R-NB-5, R-UI-8."""
    reply = await office.say("status", language="zh")
    assert "还没有知识库。`%orange kb add .`" in reply.markdown
    added = await office.say("kb add kb", language="zh")
    assert added.markdown == "**kb** 已选中：1 个文件，1 段。登记在本项目的 .orange/config.toml。"


@pytest.mark.parametrize("line", OPTIONS)
def test_wrong_options_of_a_cell_are_told_in_the_person_s_language(line):
    """R-NB-2, R-UI-8."""
    with pytest.raises(UsageError) as english:
        parse_options(line)
    assert not HAN.search(english.value.message)
    with pytest.raises(UsageError) as chinese:
        parse_options(line, "zh")
    assert HAN.search(chinese.value.message)


def test_the_help_of_a_cell_names_the_same_options_in_both_languages():
    """R-NB-2."""
    options = [re.findall(r"`(--[a-z-]+)", help_of_cell(language)) for language in ("en", "zh")]
    assert options[0] == options[1]
    assert HAN.search(help_of_cell("zh"))
    assert split("“a b”", "zh") == ["“a", "b”"]
