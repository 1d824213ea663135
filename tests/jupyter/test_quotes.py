"""Quotations are compared as words that a person reads: Markdown never makes one wrong, a changed word always does."""

from __future__ import annotations

import csv
import re
import time
from pathlib import Path

import pytest

from orange_jupyter.core.corpus import Citation
from orange_jupyter.jupyter import citing as walk
from orange_jupyter.jupyter.citing import Citing
from orange_jupyter.jupyter.markdown import render
from orange_jupyter.jupyter.quotes import is_quoted
from orange_jupyter.providers.embedded_answer import answer
from orange_jupyter.providers.embedded_passages import Found, quotes, weighed
from orange_jupyter.providers.embedded_question import understand
from tests.jupyter.turns import CITATIONS

VERBATIM = {
    "link": ("install [`python-multipart`](https://example.org/a_(b)) first", "> install [`python-multipart`](https://example.org/a_(b)) first [c1]"),
    "link rendered": ("see [the *docs*](a.md#x) now", "It says “see the docs now” [c1]"),
    "reference link": ("see [the docs][1] now\n\n[1]: http://x", "> see the docs now [c1]"),
    "wiki link": ("参见 [[融雪/率定|率定记录]]，只用于四月", "> 参见 率定记录，只用于四月 [c1]"),
    "wiki link itself": ("see [[snow melt]] and ![[map.png]]", "> see [[snow melt]] and ![[map.png]] [c1]"),
    "emphasis": ("该因子**不适用**于*冰川*，~~旧值~~作废", "> 该因子不适用于冰川，旧值作废 [c1]"),
    "wrapped": ("- the gauge\n  record has\n  a gap\n- next", "> the gauge record has a gap [c1]"),
    "wrapped in a quotation": ("> the gauge\n> record has", "“the gauge record has” [c1]"),
    "table row": ("| run | factor |\n|----:|:--|\n| 17 | **4.6** mm |", "> | run | factor |\n> |---|---|\n> | 17 | 4.6 mm |\n>\n> [c1]"),
    "cells without a head": ("| 17 | 4.6 mm |\n| 18 | 5.1 mm |", "It holds “17 | 4.6 mm” [c1]"),
    "in a cell": ("the gauge has a gap", "| what | says |\n|---|---|\n| gap | “the gauge has a gap” [c1] |"),
    "in a list": ("测站缺测三天", "1. 结论\n   - “测站缺测三天” [c1]\n   - other"),
    "quotation in a list": ("测站缺测三天", "- 结论：\n\n  > 测站缺测三天 [c1]"),
    "list of the source": ("1. 先建站\n2. 再率定\n3. [ ] 后验证", "> 先建站\n> 再率定\n> 后验证 [c1]"),
    "heading": ("## 率定 { #calibration }\n\n率定期", "> 率定\n> 率定期 [c1]"),
    "tags and entities": ("press <kbd>Ctrl</kbd>&nbsp;+<br>C &amp; wait", "> press Ctrl + C & wait [c1]"),
    "code": ("```vue\n<script setup>\nconst a = 1\n```", "> ```\n> <script setup>\n> const a = 1\n> ```\n>\n> [c1]"),
    "formula": (r"取 $M = C(T - T_0)$ 计算", r"> 取 $M = C(T - T_0)$ 计算 [c1]"),
    "escapes": (r"5 \* 3 \_ x", r"> 5 \* 3 \_ x [c1]"),
    "footnote": ("因子取 4.6[^1]，见表", "> 因子取 4.6，见表 [c1]"),
    "cut link": ("problem known as [Prop Drilling](/guide/provide#x).", "> problem known as [Prop Drilling](/guide/pro… [c1]"),
    "two quotations": ("one two three. four five", "> one two three [c1]\n>\n> four five [c1]"),
    "full width": ("取值：4.6（四月）。", "> 取值:4.6(四月) [c1]"),
}  # fmt: skip

CHANGED = {
    "word": ("the gauge record has a gap", "> the gauge record has no gap [c1]"),
    "number": ("取 4.6 mm", "> 取 4.7 mm [c1]"),
    "longer number": ("run 17 used 4.6 mm", "“run 1 used” [c1]"),
    "shorter number": ("a factor of 14.6 mm", "“4.6 mm” [c1]"),
    "cut number": ("a factor of 4.62", "“factor of 4.6” [c1]"),
    "no to un": ("it is unable to melt", "“able to melt” [c1]"),
    "chinese word": ("该因子**不适用**于冰川", "> 该因子**适用**于冰川 [c1]"),
    "words of a link": ("see [the docs](a.md) now", "> see [the notes](a.md) now [c1]"),
    "wiki link": ("参见 [[率定记录]]，只用于四月", "> 参见 [[率定记录]]，只用于五月 [c1]"),
    "table": ("| 17 | 4.6 mm |", "| a |\n|---|\n| “4.5 mm” [c1] |"),
    "code": ("`<script setup>` blocks", "> `<script start>` blocks [c1]"),
    "order": ("one two three", "> three … one [c1]"),
}


def missing(answer: str, passage: str) -> dict[str, str]:
    citing = Citing("p", known={"c1": CITATIONS[0].model_copy(update={"citation_id": "c1", "passage": passage})})
    render(answer, citing)
    assert citing.numbers, "the citation was not read"
    return citing.missing


@pytest.mark.parametrize(("passage", "answer"), VERBATIM.values(), ids=VERBATIM)
def test_a_verbatim_quotation_is_never_marked(passage: str, answer: str) -> None:
    """R-UI-3: links, emphasis, tables, lists, wiki links, wrapping and code do not make a quotation wrong."""
    assert missing(answer, passage) == {}


@pytest.mark.parametrize(("passage", "answer"), CHANGED.values(), ids=CHANGED)
def test_a_changed_word_in_a_quotation_is_marked(passage: str, answer: str) -> None:
    """R-UI-3: a word, a digit or a negation that the source does not hold."""
    assert list(missing(answer, passage)) == ["c1"]


def test_hostile_sources_cost_little_time() -> None:
    """R-UI-7: a passage made for the patterns stays linear."""
    for source in (
        "[a](" * 5000,
        "\n" * 20_000,
        "[[" * 10_000,
        "> " * 10_000,
        "|--" * 7000,
        "<b " * 7000,
        "[x](" + "()" * 9000,
    ):
        began = time.perf_counter()
        assert not is_quoted("words that are not there", source)
        assert time.perf_counter() - began < 2, source[:10]


@pytest.mark.corpus
@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_the_embedded_search_quotes_from_real_notes_is_found_and_a_change_is_not(
    language: str, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R-UI-3, R-MOD-7: English and Chinese documentation full of links, tables and code, both ways."""
    seen: list[tuple[str, str]] = []

    def spied(quotation: str, source: str) -> bool:
        seen.append((quotation, source))
        return is_quoted(quotation, source)

    monkeypatch.setattr(walk, "is_quoted", spied)
    with (data / "notes" / "queries.tsv").open(encoding="utf-8") as table:
        rows = [row for row in csv.DictReader(table, delimiter="\t") if row["language"] == language]
    for row in rows:
        known = found(data / "notes", row["targets"].split(",")[0].split("|")[0].strip())
        question = understand([row["query"]])
        passages = [Found.of(document(one)) for one in known.values()]
        good = quotes([one for one in passages if one], weighed(question.terms, [one for one in passages if one]))
        citing = Citing("p", known=known)
        render(answer(question, good, []), citing)
        assert citing.missing == {}, row["query"]
    assert len(seen) > 5
    for quotation, source in seen:
        words = list(
            re.finditer(r"[A-Za-z]{3,}|\d+|[\u4e00-\u9fff]{2}", re.sub(r"\{.*?\}|\]\(.*?(\)|$)", "", quotation))
        )
        for found_word in words[1:-1:5]:
            word = found_word.group()
            changed = quotation.replace(word, "误改" if ord(word[0]) > 0x2E80 else f"{word}7", 1)
            assert not is_quoted(changed, source), (word, changed)


def document(one: Citation) -> dict[str, object]:
    return {"citationId": one.citation_id, "path": one.path, "passage": one.passage}


def found(folder: Path, target: str) -> dict[str, Citation]:
    """The note's sections as passages."""
    text = (folder / target).read_text(encoding="utf-8")
    parts = [part for part in re.split(r"(?m)^(?=#{1,3} )", text) if part.strip()]
    return {
        f"c{at}": CITATIONS[0].model_copy(update={"citation_id": f"c{at}", "passage": part.strip(), "path": target})
        for at, part in enumerate(parts, 1)
    }
