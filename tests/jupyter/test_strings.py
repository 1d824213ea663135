"""The interface's words in both languages (R-UI-8)."""

from __future__ import annotations

import re
from string import Formatter

import pytest

from orange_jupyter.core.approval import Outcome
from orange_jupyter.core.errors import ModelFault
from orange_jupyter.core.events import StopReason
from orange_jupyter.jupyter.strings import WORDS, language_of, text
from orange_jupyter.jupyter.strings_cards import CARD_WORDS
from orange_jupyter.jupyter.strings_changes import CHANGE_WORDS
from orange_jupyter.jupyter.strings_commands import COMMAND_WORDS
from orange_jupyter.jupyter.strings_exec import EXEC_WORDS
from orange_jupyter.jupyter.strings_figures import FIGURE_WORDS
from orange_jupyter.jupyter.strings_inspector import LOOK_WORDS
from orange_jupyter.jupyter.view import State

TABLES = (WORDS, CARD_WORDS, CHANGE_WORDS, COMMAND_WORDS, EXEC_WORDS, FIGURE_WORDS, LOOK_WORDS)
ALL = {key: row for table in TABLES for key, row in table.items()}


def fields(words: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(words) if name}


def test_both_languages_have_every_key_with_the_same_values() -> None:
    """R-UI-8."""
    for key, (english, chinese) in ALL.items():
        assert english.strip(), key
        assert chinese.strip(), key
        assert fields(english) == fields(chinese), key


def test_the_words_follow_the_design_rules() -> None:
    """DESIGN.md, Words: sentence case, no exclamation marks, no "OK", no "Oops"."""
    for key, (english, chinese) in ALL.items():
        assert not re.search(r"[!！]|\bOK\b|Oops|Are you sure", english + chinese), key


@pytest.mark.parametrize(
    ("key", "english", "chinese"),
    [
        ("card.run", "Run this command?", "运行这条命令？"),
        ("card.reason", "Reason (optional, the model is told)", "拒绝的理由（可不填，会告诉模型）"),
        ("full.enter.auto", "Enter full-auto, run without asking", "进入 full-auto，不再询问"),
        ("quote.off", "Quotation not found in the source", "原文中没有这句引文"),
        (
            "gone",
            "The kernel restarted, so these buttons do nothing. Nothing ran.",
            "内核已重启，这些按钮不再起作用，没有执行。",
        ),
        ("change.keep", "Keep my text", "采用我的文字"),
        ("change.again", "Propose again on the new text", "按新内容重新提议"),
        ("change.overwrite", "Overwrite the disk version", "覆盖磁盘版本"),
        ("change.undo.text", "Undo text change", "撤销文本改动"),
        ("change.kind.delete", "Move to trash", "移到废纸篓"),
        ("state.stopped", "Stopped by you", "已由你停止"),
    ],
)
def test_the_words_are_those_of_the_design(key: str, english: str, chinese: str) -> None:
    """DESIGN.md, Words."""
    assert (text("en", key), text("zh", key)) == (english, chinese)


def test_every_state_outcome_fault_and_ending_has_words() -> None:
    """DESIGN.md: every state has a word; screen 10: every error says what happened."""
    wanted = {f"state.{state}" for state in State} | {f"outcome.{outcome}" for outcome in Outcome}
    wanted |= {f"{part}.{fault}" for fault in (*ModelFault, "other") for part in ("fault", "advice")}
    silent = {StopReason.ANSWER, StopReason.PLAN, StopReason.MODEL_ERROR}
    wanted |= {f"end.{reason}" for reason in StopReason if reason not in silent}
    assert wanted <= ALL.keys()


def test_one_is_singular_and_an_unknown_key_is_an_error() -> None:
    assert text("en", "card.invisible", n=1) == "1 invisible character is shown as an escape."
    assert text("en", "card.invisible", n=2) == "2 invisible characters are shown as escapes."
    with pytest.raises(KeyError):
        text("en", "no.such.key")


def test_the_language_follows_the_locale() -> None:
    """R-UI-8."""
    assert [language_of(name) for name in ("zh_CN.UTF-8", "zh-TW", "en_GB.UTF-8", "C", "")] == ["zh", "zh", *["en"] * 3]
