"""Ten questions over a knowledge base that the test writes at run time (issue: five Chinese, five English): R-MOD-7, R-SRCH-5."""

from __future__ import annotations

import asyncio
import random

import pytest

from orange_jupyter.app import App
from orange_jupyter.core.ports import Listener
from orange_jupyter.core.session import Said
from orange_jupyter.terminal import Nobody
from orange_jupyter.turns import Collector

PLACES_EN = [
    "Alder Creek",
    "Blackthorn Weir",
    "Copper Fen",
    "Drover's Ford",
    "Elm Spinney",
    "Fallow Mere",
    "Gorse Hill",
]
THINGS_EN = ["lichen cover", "otter tracks", "peat depth", "nitrate load", "moth catch", "frost days", "seed weight"]
UNITS_EN = ["percent", "per kilometre", "centimetres", "milligrams per litre", "individuals", "days", "grams"]
PLACES_ZH = ["青石沟", "白杨渡", "黑瓦寨", "红泥塘", "松风岭", "柳湾村", "鹿鸣坪"]
THINGS_ZH = ["苔藓盖度", "鸟巢密度", "泥炭厚度", "硝氮浓度", "蛾类数量", "霜冻天数", "种子千粒重"]
UNITS_ZH = ["百分之", "每公顷", "厘米", "毫克每升", "头", "天", "克"]
FILLER_EN = [
    "The survey party met at dawn and walked the transect twice.",
    "Weather was mild, with a light breeze from the west.",
    "Equipment was checked the evening before; two batteries were replaced.",
    "The landowner asked us to close every gate behind us.",
]
FILLER_ZH = [
    "清晨集合，沿样线走了两遍。",
    "天气温和，微风。",
    "前一晚检查了仪器，换了两块电池。",
    "村民提醒我们随手关门。",
]


def write_notes(folder, seed):
    """Notes with one fact each; returns [(question, file name)] in both languages."""
    chance = random.Random(seed)
    asked = []
    for places, things, units, filler, zh in (
        (PLACES_EN, THINGS_EN, UNITS_EN, FILLER_EN, False),
        (PLACES_ZH, THINGS_ZH, UNITS_ZH, FILLER_ZH, True),
    ):
        order = chance.sample(range(7), 7)
        for number, (place, index) in enumerate(zip(places, order, strict=True)):
            value = chance.randint(11, 98)
            thing, unit = things[index], units[index]
            fact = f"{place}的{thing}是{value}{unit}。" if zh else f"The {thing} at {place} was {value} {unit}."
            body = chance.sample(filler, 3)
            body.insert(chance.randint(0, 3), fact)
            name = f"{'野外' if zh else 'field'} {number:02d}.md"
            head = f"# {'调查记录' if zh else 'Survey note'} {number}\n\n## {'结果' if zh else 'Results'}\n\n"
            (folder / name).write_text(head + "\n\n".join(body) + "\n", encoding="utf-8")
            question = f"{place}的{thing}是多少？" if zh else f"What was the {thing} at {place}?"
            asked.append((question, name))
    return chance.sample(asked[:7], 5) + chance.sample(asked[7:], 5)


async def answered(folder, home, questions, *views: Listener):
    """Each question in one session of the embedded default; the turns."""
    environ = {"ORANGE_HOME": str(home / "home"), "ORANGE_CACHE": str(home / "cache"), "HOME": str(home)}
    app = await App.open(environ, str(folder), Nobody())
    turns = []
    try:
        opened = await app.create()
        base = app.bases().bases[0]
        await opened.session.select((base.id,))
        for question in questions:
            collector = Collector()
            finished = await opened.session.send(question, Said(views=(collector, *views)))
            turns.append(collector.turn(finished, opened.session.state))
    finally:
        await app.close()
    return turns


@pytest.mark.parametrize("seed", [1, 20261130, 77])
async def test_the_right_file_is_among_the_citations_of_at_least_nine_of_ten_questions(tmp_path, seed):
    """R-MOD-7: and every quoted passage is byte-equal to the file at its range."""
    folder = tmp_path / "notes"
    (folder / ".orange").mkdir(parents=True)
    (folder / ".orange" / "config.toml").write_text('[[knowledge_bases]]\nid = "kb_q"\nname = "q"\npath = "."\n')
    asked = write_notes(folder, seed)
    turns = await answered(folder, tmp_path, [question for question, _ in asked])
    right = 0
    for (question, name), turn in zip(asked, turns, strict=True):
        assert turn.ok, (question, turn.error)
        paths = [citation.path for citation in turn.citations]
        right += name in paths
        for citation in turn.citations:
            text = await asyncio.to_thread((folder / citation.path).read_text, "utf-8")
            assert text[citation.start : citation.end] == citation.passage
            quoted = [line.removeprefix("> ") for line in turn.answer.splitlines() if line.startswith("> ")]
            assert quoted
    assert right >= 9, f"{right} of 10"


@pytest.mark.parametrize(
    "question",
    [
        "What was the ketone level at Zebra Quay?",
        "火星基地的氧气储量是多少？",
        "Who wrote the opera about the lighthouse?",
        "外婆的菜谱里放了几克藏红花？",
    ],
)
async def test_a_question_without_an_answer_says_so_and_cites_nothing(tmp_path, question):
    """R-MOD-7: "nothing found" is said plainly, in the question's language."""
    folder = tmp_path / "notes"
    (folder / ".orange").mkdir(parents=True)
    (folder / ".orange" / "config.toml").write_text('[[knowledge_bases]]\nid = "kb_q"\nname = "q"\npath = "."\n')
    write_notes(folder, 5)
    (turn,) = await answered(folder, tmp_path, [question])
    assert turn.citations == ()
    assert ("没有" in turn.answer) or ("nothing" in turn.answer.lower()) or ("no passage" in turn.answer.lower())
