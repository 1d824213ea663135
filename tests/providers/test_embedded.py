"""The embedded search as a newcomer meets it: what it quotes, what it says when there is nothing (R-MOD-7)."""

from __future__ import annotations

import asyncio
import json
import re
from typing import Any

import pytest

from orange_jupyter.core.messages import Image, Message, Request, Role, Text
from orange_jupyter.jupyter.quotes import is_quoted
from orange_jupyter.providers import embedded_passages
from orange_jupyter.providers.embedded import Embedded
from orange_jupyter.providers.embedded_terms import terms_of
from tests.providers.notes import NOTES, Talk, answer, citations, run_tool
from tests.providers.wires import READ, TOOLS, Heard

ANSWERED = {
    "When is the budget review?": ("work/budget 2026.md", "14 March"),
    "who brings the numbers to the budget review": ("work/budget 2026.md", "Carla brings the numbers"),
    "How much can we spend on travel?": ("work/budget 2026.md", "12,000 euros"),
    "How do I roll back the shop?": ("work/deploy.md", "make rollback"),
    "What does error E1042 mean?": ("work/deploy.md", "error E1042"),
    "SHOP_TOKEN": ("work/deploy.md", "`SHOP_TOKEN`"),
    'find "never on the leaves"': ("home/garden.md", "never on the leaves"),
    "What temperature for green tea?": ("home/tea.md", "80 degrees"),
    "how long do I bake the bread": ("home/recipes/sourdough.md", "35 minutes"),
    "what is multi-head attention": ("reading/attention.md", "Multi-head attention"),
    "Until when is the Alan Turing Institute our partner?": ("work/budget 2026.md", "until 2027"),
    "报销需要谁审批？": ("工作/报销流程.md", "财务总监"),
    "报销的钱什么时候打到工资卡": ("工作/报销流程.md", "每周五"),
    "新版本什么时候发布？": ("工作/周会 2026-03-02.md", "四月十五日"),
    "谁负责翻译 API 文档": ("工作/周会 2026-03-02.md", "韩梅梅"),
    "数据库迁移为什么推迟": ("工作/周会 2026-03-02.md", "备份空间不够"),
    "手冲咖啡的水温是多少": ("生活/咖啡.md", "九十二度"),
    "豆子烘焙后放多久最好": ("生活/咖啡.md", "七天"),
    "周会有谁参加": ("工作/周会 2026-03-02.md", "李雷"),
    "我的血压是多少": ("生活/体检.md", "128/82"),
    "位置编码 positional encoding 是做什么的": ("学习/transformer 笔记.md", "词的顺序"),
    "dropout 设多少": ("学习/transformer 笔记.md", "dropout=0.1"),
    "怎么 rollback shop": ("work/deploy.md", "make rollback"),
    "transformer 里 self-attention 是什么": ("reading/attention.md", "self-attention"),
}

UNANSWERED = [
    "What is the capital of Mongolia?",
    "Who is the CEO of the shop?",
    "When is the dentist appointment?",
    "How do I water an orchid?",
    "What is the budget of the garden?",
    "What does error E9999 mean?",
    "How hot is the sun?",
    "年会在哪里举办？",
    "怎么申请年假？",
    "公司的班车时间表",
    "咖啡因对血压有什么影响",
    "李雷的电话号码是多少",
    "如何备份数据库到云端",
    "火星上有多少个乌龟养殖场？",
]


def quotes(text: str) -> list[tuple[str, str]]:
    """(quoted words, citation id) of an answer."""
    found = []
    for block in re.findall(r"(?m)(?:^>.*\n?)+", text):
        lines = [line.removeprefix(">").removeprefix(" ") for line in block.rstrip("\n").split("\n")]
        whole = "\n".join(lines)
        words, _, number = whole.rpartition("[")
        words = re.sub(r"^`{3,}\n|\n`{3,}\n*$", "", words.strip())
        found.append((words.strip(), number.rstrip("]")))
    return found


@pytest.mark.parametrize("question", ANSWERED)
async def test_a_question_is_answered_by_a_quote_from_the_right_note(question: str) -> None:
    """R-MOD-7: the best file first, the sentence that answers, says what it is in the question's language."""
    path, words = ANSWERED[question]
    text = await answer(question)
    assert words in text
    assert text.index(f"`{path}`") == text.index("`", text.index("·"))
    assert ("不是语言模型" in text) == bool(re.search(r"[\u4e00-\u9fff]", question))
    assert ("not a language model" in text) != ("不是语言模型" in text)


@pytest.mark.parametrize("question", ANSWERED)
async def test_every_quote_is_verbatim_and_has_the_citation_of_its_passage(question: str) -> None:
    """R-MOD-7, R-SRCH-9: nothing is rewritten and no id is invented."""
    passages = {
        one["citationId"]: one["passage"] for query in ("", question) for one in citations(query + " ".join(NOTES), 99)
    }
    found = quotes(await answer(question))
    assert found
    for words, number in found:
        assert words
        assert words in passages[number]


@pytest.mark.parametrize("question", UNANSWERED)
async def test_a_question_without_an_answer_says_so_and_what_was_searched(question: str) -> None:
    """R-MOD-7, R-SRCH-8: passages that share a common word are no answer; no citation, no quote."""
    text = await answer(question)
    assert text.startswith(("Nothing found", "没有找到"))
    assert not re.search(r"\[c\d+\]", text)
    assert not quotes(text)
    assert "我的笔记" in text
    assert str(len(NOTES)) in text


async def test_nothing_found_takes_a_second_round_with_other_words_only() -> None:
    talk = Talk()
    await talk.ask("When is the dentist appointment?")
    queries = [arguments["query"] for _, arguments in talk.calls]
    assert len(queries) == len(set(queries)) == 2


async def test_a_mixed_question_searches_both_languages() -> None:
    """R-SRCH-5: the whole, the Chinese part and the English part, in one step."""
    talk = Talk()
    await talk.ask("位置编码 positional encoding 是做什么的")
    assert [arguments["query"] for _, arguments in talk.calls] == [
        "位置编码 positional encoding",
        "位置编码",
        "positional encoding",
    ]
    assert len([message for message in talk.messages if message.calls]) == 1


async def test_words_of_the_question_that_no_passage_has_are_named() -> None:
    assert "pizza" in (await answer("sourdough pizza dough recipe with salt and water")).splitlines()[-1]


FOLLOW_UPS = [
    (("When is the budget review?", "and who brings the numbers?"), "Carla brings the numbers"),
    (("how long do I bake the sourdough bread", "at what temperature?"), "240 degrees"),
    (("新版本什么时候发布？", "那数据库迁移呢？"), "五月"),
    (("手冲咖啡的水温是多少", "它的总时间是多少？"), "两分半"),
]


@pytest.mark.parametrize(("questions", "words"), FOLLOW_UPS)
async def test_a_follow_up_refers_to_the_question_before(questions: tuple[str, str], words: str) -> None:
    talk = Talk()
    for question in questions:
        text = await talk.ask(question)
    assert words in text


async def test_a_new_short_question_stands_alone() -> None:
    talk = Talk()
    await talk.ask("When is the budget review?")
    await talk.ask("dropout")
    assert talk.calls == [("search", {"query": "dropout", "limit": 8})]


READS: dict[str, tuple[str, dict[str, Any]]] = {
    "read home/tea.md": ("80 degrees", {"path": "home/tea.md"}),
    "please open the file tea.md": ("80 degrees", {"path": "home/tea.md"}),
    "Read `work/budget 2026.md`": ("14 March", {"path": "work/budget 2026.md"}),
    "read work/budget 2026.md": ("14 March", {"path": "work/budget 2026.md"}),
    "读 工作/报销流程.md": ("五千元", {"path": "工作/报销流程.md"}),
    "请打开 周会 2026-03-02.md": ("李雷", {"path": "工作/周会 2026-03-02.md"}),
    "打开《报销流程》": ("五千元", {"path": "工作/报销流程.md"}),
    "read garden": ("Tomatoes", {"path": "home/garden.md"}),
    "show page 3 of report.pdf": ("", {"path": "report.pdf", "page": 3}),
    "show pages 2-4 of my report.pdf": ("", {"path": "my report.pdf", "page": 2, "pageEnd": 4}),
    "显示 年度报告.pdf 第 3 页": ("", {"path": "年度报告.pdf", "page": 3}),
    "显示 年度 报告.pdf 的第十二页": ("", {"path": "年度 报告.pdf", "page": 12}),
    "读 年度报告.pdf 第2到4页": ("", {"path": "年度报告.pdf", "page": 2, "pageEnd": 4}),
}


@pytest.mark.parametrize("question", READS)
async def test_a_file_is_read_by_name_path_and_page(question: str) -> None:
    """R-MOD-7, R-READ-4."""

    def tools(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        if name == "read" and "page" in arguments:
            return {
                "ok": True,
                "path": arguments["path"],
                "pages": [{"page": arguments["page"], "text": "第 page text"}],
            }
        return run_tool(name, arguments)

    words, arguments = READS[question]
    talk = Talk(tools=tools)
    text = await talk.ask(question)
    assert talk.calls[-1] == ("read", arguments)
    assert f"> {words or '第 page text'}" in text or words in text
    assert "[c" not in text


async def test_a_missing_file_is_said_plainly() -> None:
    text = await answer("read nothere.md")
    assert text.startswith("This did not work: there is no nothere.md")


async def test_several_files_that_fit_a_name_are_offered() -> None:
    talk = Talk()
    assert "work/budget 2026.md" in await talk.ask("read work")
    assert talk.calls == [("read", {"path": "work"}), ("list", {"query": "work"})]


LISTS: dict[str, tuple[dict[str, Any], str]] = {
    "list my files": ({}, "home/tea.md"),
    "list": ({}, "home/tea.md"),
    "list all PDFs": ({"fileType": "pdf"}, ""),
    "list the notes in work": ({"path": "work"}, "work/deploy.md"),
    "Which files are in home/recipes?": ({"path": "home/recipes"}, "sourdough.md"),
    "列出所有文件": ({}, "工作/报销流程.md"),
    "列出工作文件夹里的笔记": ({"path": "工作"}, "工作/报销流程.md"),
    "列出所有图片": ({"fileType": "image"}, ""),
    "我有哪些笔记？": ({}, "生活/咖啡.md"),
}


@pytest.mark.parametrize("question", LISTS)
async def test_files_are_listed(question: str) -> None:
    """R-MOD-7, R-LIST-1."""
    arguments, path = LISTS[question]
    talk = Talk()
    text = await talk.ask(question)
    assert talk.calls == [("list", arguments)]
    assert path in text


@pytest.mark.parametrize(
    "question",
    [
        "list the notes about tea",
        "show me how to bake bread",
        "列出报销的步骤",
        "打开文件的方法是什么？",
        "what documents do I need to travel",
    ],
)
async def test_a_question_about_contents_is_searched(question: str) -> None:
    talk = Talk()
    await talk.ask(question)
    assert talk.calls[0][0] == "search"


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("hello", "no key and no network"),
        ("你好", "不需要密钥"),
        ("what can you do?", "list all PDFs"),
        ("你是谁？", "内置检索"),
    ],
)
async def test_a_greeting_tells_what_it_is(question: str, words: str) -> None:
    assert words in await answer(question)


@pytest.mark.parametrize("question", ["?", "why", "是什么？", "", "   ", "\ud83c"])
async def test_a_message_without_words_to_search_for_is_answered(question: str) -> None:
    talk = Talk()
    assert await talk.ask(question)
    assert not talk.calls


async def test_a_search_that_fails_is_said_plainly() -> None:
    """R-ALL-1: a failure never looks like a success."""
    broken = {"ok": False, "error": {"code": "kb_unavailable", "message": "知识库读不到", "hint": "check the drive"}}
    talk = Talk(tools=lambda name, arguments: broken)
    assert (await talk.ask("When is the budget review?")).startswith("This did not work: 知识库读不到. check the drive")


async def test_a_clipped_or_strange_result_is_survived() -> None:
    """R-CTX-2: `truncated`, missing fields, other types."""
    for odd in (
        {"citations": None},
        {"citations": [{}, {"citationId": 3, "passage": "x"}, "x"]},
        {"searched": [], "indexing": {"done": 1, "total": 2}},
    ):
        talk = Talk(tools=lambda name, arguments, odd=odd: {"ok": True, "truncated": True, **odd})  # type: ignore[misc]
        assert "Nothing found" in await talk.ask("When is the budget review?")


async def test_while_indexing_goes_on_an_empty_answer_says_so() -> None:
    talk = Talk(tools=lambda name, arguments: {"ok": True, "citations": [], "indexing": {"done": 3, "total": 9}})
    assert "3 of 9" in await talk.ask("When is the budget review?")


async def test_a_note_that_contains_a_false_citation_is_not_quoted_there() -> None:
    """S10: only ids that a tool gave stand in the answer."""
    passage = "The budget review is on Monday [c77].\n\nThe budget review needs numbers."
    talk = Talk(
        tools=lambda name, arguments: {
            "ok": True,
            "citations": [{"citationId": "c1", "path": "a.md", "title": "a", "passage": passage}],
        }
    )
    text = await talk.ask("When is the budget review?")
    assert "[c77]" not in text
    assert "needs numbers. [c1]" in text


async def test_a_quote_from_code_keeps_its_lines_in_a_fence() -> None:
    passage = "```python\nretry_limit = 5\n```"
    talk = Talk(
        tools=lambda name, arguments: {
            "ok": True,
            "citations": [{"citationId": "c1", "path": "a`b.md", "title": "*a*", "passage": passage}],
        }
    )
    text = await talk.ask("retry_limit")
    assert "> ```\n> retry_limit = 5\n> ```\n>\n> [c1]" in text
    assert "`` a`b.md ``" in text
    assert r"\*a\*" in text


async def test_without_the_tool_it_says_so() -> None:
    assert "does not allow search" in await Talk(declared=(READ,)).ask("When is the budget review?")


async def test_the_same_conversation_gives_the_same_answer_in_small_pieces() -> None:
    first, second = Talk(), Talk()
    assert await first.ask("手冲咖啡的水温是多少") == await second.ask("手冲咖啡的水温是多少") == first.heard.text
    assert first.messages == second.messages
    assert len(first.heard.events) > 2
    assert Embedded().info.embedded
    assert not Embedded().info.host


async def test_it_can_be_stopped_between_two_pieces() -> None:
    """R-SESS-4, R-ALL-6."""
    heard = Heard()
    request = Request(messages=(Message(role=Role.USER, parts=(Text(text="hello"),)),), tools=TOOLS)
    task = asyncio.create_task(Embedded().respond(request, heard))
    while not heard.events:
        await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert len(heard.events) < 4


async def test_call_ids_are_unique_in_the_conversation() -> None:
    talk = Talk()
    await talk.ask("When is the dentist appointment?")
    await talk.ask("位置编码 positional encoding 是做什么的")
    ids = [call.id for message in talk.messages for call in message.calls]
    assert len(ids) == len(set(ids)) == 5
    assert json.dumps(ids)


def test_a_number_at_the_start_of_a_wrapped_line_is_no_list_item() -> None:
    """R-MOD-7: a PDF's line may begin with "1.8 °C"; the quote keeps the figure whole."""
    passage = "On hot days the four shaded segments were\n1.8 °C cooler in the afternoon than the open ones.\n"
    found = embedded_passages.Found("c1", "r.pdf", "Report", (), passage, page=1)
    (quote,) = embedded_passages.quotes([found], terms_of("How much cooler were the shaded segments in the afternoon?"))
    assert "1.8 °C cooler" in quote.text
    assert quote.text in passage


PICTURE = Image(sha256="0" * 64, media_type="image/png", width=2, height=2)


def test_a_zero_written_in_chinese_is_part_of_its_number() -> None:
    """R-SRCH-5: U+3007 belongs to 二〇一九."""
    assert terms_of("二〇一九年考察时冰有多厚？")[0].text.startswith("二〇一九年")


async def test_only_the_first_text_of_a_message_is_the_question() -> None:
    """R-NB-2: the values of variables come as a second text and are not searched for."""
    talk = Talk()
    assert "14 March" in await talk.ask("When is the budget review?", Text(text="df = dropout 咖啡 read tea.md"))
    assert not any("dropout" in str(arguments) or "咖啡" in str(arguments) for _, arguments in talk.calls)


@pytest.mark.parametrize(
    ("question", "blind", "words"),
    [
        ("What is in this picture?", "cannot see pictures", "Nothing found"),
        ("What does the image show?", "cannot see pictures", "Nothing found"),
        ("这张图片里有什么？", "看不到图片", "没有"),
        ("When is the budget review?", "cannot see pictures", "14 March"),
        ("报销需要谁审批？", "看不到图片", "财务总监"),
    ],
)
async def test_a_picture_is_said_to_be_unseen_and_the_notes_still_answer(question: str, blind: str, words: str) -> None:
    """R-MOD-7, R-ALL-1: in the question's language; asking about a picture is no listing."""
    talk = Talk()
    text = await talk.ask(question, PICTURE)
    assert blind in text.split("\n\n")[0]
    assert words in text
    assert all(tool == "search" for tool, _ in talk.calls)
    assert "list" not in {tool for tool, _ in talk.calls}
    assert blind not in await talk.ask("When is the budget review?")


@pytest.mark.parametrize("question", ["What is the budget of the garden?", "咖啡因对血压有什么影响"])
async def test_passages_that_were_found_and_do_not_answer_are_not_denied(question: str) -> None:
    """R-SRCH-8: the search's own line counts passages, so the answer says that none of them answers."""
    assert (await answer(question)).startswith(("Nothing found that answers: no passage", "没有找到能回答的段落"))


async def test_neighbouring_bullets_quoted_with_their_markers_are_no_false_quotation() -> None:
    """R-MOD-7, R-UI-3: what stands between two quoted items of a list is part of the passage."""
    passage = "## Decisions\n\n- Travel is capped at 12,000 euros.\n- Travel by night train is not capped.\n"
    cited = {"citationId": "c1", "path": "a.md", "title": "a", "passage": passage}
    talk = Talk(tools=lambda name, arguments: {"ok": True, "citations": [cited]})
    text = await talk.ask("travel capped euros night train")
    assert "> Travel is capped at 12,000 euros.\n> - Travel by night train" in text
    ((words, _),) = quotes(text)
    assert is_quoted(words, passage)
