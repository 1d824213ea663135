"""What a search finds, in both languages, and how its filters narrow it."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import unicodedata
from pathlib import Path

import pytest

from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import ArgumentError
from orange_jupyter.core.paths import Place
from orange_jupyter.local.index.words import overlapping, parse
from tests.local.indexed import Indexed

DAY = 86_400_000_000_000


async def one(desk: Indexed, query: str) -> bool:
    """Whether `n.md` is found."""
    return "n.md" in await desk.paths(query, limit=16)


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("中华人民共和国的知识库管理系统", "知识库"),
        ("中华人民共和国的知识库管理系统", "管理"),
        ("我家的小猫", "猫"),
        ("使用JWT登录认证", "JWT"),
        ("使用JWT登录认证", "登录"),
        ("使用 JWT 登录", "怎么用JWT登录"),
        ("手工换行的知\n识库", "知识库"),
        ("関数を呼び出す", "関数"),
        ("한국어 문서입니다", "한국어"),
        ("the optimizer optimises everything", "optimisation"),
        ("configuration of the server", "config"),
        ("she was running", "run"),
        ("call my_snake_case() first", "my_snake_case"),
        ("call my_snake_case() first", "snake"),
        ("call getUserName() first", "getUserName"),
        ("call getUserName() first", "getusername"),
        ("call getUserName() first", "user"),
        ("see numpy.linalg.norm there", "numpy.linalg.norm"),
        ("see numpy.linalg.norm there", "linalg"),
        ("ＦａｓｔＡＰＩ full width", "FastAPI"),
        ("a café in Paris", "cafe"),
        ("to be or not to be", "to be"),
        ("---\ntitle: Winter plan\n---\n\ntext", "winter"),
        ("---\ntags: [方法论]\n---\n\ntext", "方法论"),
        ("# Deep heading\n\ntext", "heading"),
    ],
)
async def test_a_word_is_found_inside_mixed_text(tmp_path: Path, text: str, query: str) -> None:
    """R-SRCH-5."""
    async with Indexed(tmp_path) as desk:
        desk.write("n.md", text + "\n")
        desk.write("other.md", "nothing of that kind\n")
        assert await one(desk, query)


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ('"state of the art"', True),
        ('"art of the state"', False),
        ("“state of the art”", True),
        ("「知识库管理」", True),
        ("「库知识」", False),
        ('"使用 JWT 登"', True),
        ('"JWT 使用"', False),
        ('"录"', True),
        ('"my_snake_case"', True),
        ('"case snake"', False),
        ('state "art missing"', False),
        ('"unbalanced state', True),
    ],
)
async def test_a_quoted_phrase_is_exact(tmp_path: Path, query: str, found: bool) -> None:
    """R-SRCH-5."""
    async with Indexed(tmp_path) as desk:
        desk.write("n.md", "the state of the art, 我的知识库管理系统, 使用JWT登录, my_snake_case\n")
        assert await one(desk, query) is found


@pytest.mark.parametrize(
    "query", ["C++ AND", "NEAR(a b)", 'a" OR "b', "title:x", "* ^", "(", "'; DROP TABLE file", "!!!", "🙂"]
)
async def test_no_query_is_taken_for_syntax(tmp_path: Path, query: str) -> None:
    """R-SRCH-5: words that FTS5 would read as operators are words."""
    async with Indexed(tmp_path) as desk:
        desk.write("n.md", "walrus\n")
        await desk.search(query)
        assert await one(desk, "walrus")


async def test_nfc_and_nfd_forms_meet(tmp_path: Path) -> None:
    """P11: in text, queries and names; each passage in its own form."""
    async with Indexed(tmp_path) as desk:
        desk.write("nfc.md", unicodedata.normalize("NFC", "Crème brûlée\n"))
        desk.write("nfd.md", unicodedata.normalize("NFD", "Crème brûlée\n"))
        desk.write(unicodedata.normalize("NFD", "Résumé.md"), "text\n")
        for form in ("NFC", "NFD"):
            assert sorted(await desk.paths(unicodedata.normalize(form, "brûlée"))) == ["nfc.md", "nfd.md"]
            assert len(await desk.paths(unicodedata.normalize(form, "Résumé"))) == 1
            assert len(await desk.paths("text", path_prefix=unicodedata.normalize(form, "Rés"))) == 1


async def test_a_file_name_is_found_and_leads_to_its_first_passage(tmp_path: Path) -> None:
    """R-SRCH-5."""
    async with Indexed(tmp_path) as desk:
        desk.write("会议 纪要/季度 review-notes.md", "第一段\n\n" + "别的内容。\n\n" * 200)
        (hit, *_) = (await desk.search("review-notes")).hits
        assert hit.info.place.relative == "会议 纪要/季度 review-notes.md"
        assert await desk.paths("季度") == ["会议 纪要/季度 review-notes.md"]


async def test_a_hit_is_enough_to_open_the_place_again(tmp_path: Path) -> None:
    """R-SRCH-4: offsets are those of the real text, with front matter, wide characters and CRLF."""
    async with Indexed(tmp_path) as desk:
        text = "---\ntitle: 报告\n---\r\n# 一\r\n\r\n" + "😀 开头。\r\n\r\n## 二\r\n\r\n水獭 walrus\r\n"
        desk.write("报告.md", text)
        (hit, *_) = (await desk.search("walrus")).hits
        assert text[hit.start : hit.end] == hit.passage
        assert (hit.title, hit.heading_path, hit.info.file_type) == ("报告", ("一", "二"), "markdown")
        assert hit.content_hash.startswith("sha256:")
        assert hit.info.mtime_ns == (desk.root / "报告.md").stat().st_mtime_ns
        assert hit.score > 0


async def test_filters_narrow_the_search(tmp_path: Path) -> None:
    """R-SRCH-1, 12 search: folder or file, literal prefix, tags, types, times, bases."""
    async with Indexed(tmp_path, "inner") as desk:
        old = desk.write("a/old.md", "---\ntags: [Project/Alpha, Z]\n---\nwalrus\n")
        desk.write("a b/new.txt", "walrus\n")
        desk.write("a.md", "walrus #beta/deep\n")
        desk.write("inner/i.md", "walrus\n")
        now = time.time_ns()
        os.utime(old, ns=(now - 9 * DAY, now - 9 * DAY))
        note = desk.base

        async def found(**filters: object) -> list[str]:
            return sorted(await desk.paths("walrus", limit=16, **filters))

        assert await found() == ["a b/new.txt", "a.md", "a/old.md", "i.md"]
        assert await found(folder=Place(note, "a", "a")) == ["a/old.md"]
        assert await found(folder=Place(note, "a/old.md", "a/old.md")) == ["a/old.md"]
        assert await found(folder=Place(note, "", ".")) == ["a b/new.txt", "a.md", "a/old.md"]
        assert await found(path_prefix="a") == ["a b/new.txt", "a.md", "a/old.md"]
        assert await found(path_prefix="a/") == ["a/old.md"]
        assert await found(tags=("project",)) == ["a/old.md"]
        assert await found(tags=("PROJECT/alpha", "#z")) == ["a/old.md"]
        assert await found(tags=("proj",)) == []
        assert await found(tags=("beta",)) == ["a.md"]
        assert await found(tags=("beta", "z")) == []
        assert await found(file_types=("txt",)) == ["a b/new.txt"]
        assert await found(file_types=("image",)) == []
        assert await found(updated_after=now - DAY) == ["a b/new.txt", "a.md", "i.md"]
        assert await found(updated_before=now - DAY) == ["a/old.md"]
        assert await found(updated_after=now - 9 * DAY, updated_before=now - 9 * DAY + 1) == ["a/old.md"]
        assert await found(bases=("kb_inner",)) == ["i.md"]
        hits = await desk.search("absent", file_types=("txt",))
        assert (hits.hits, hits.files) == ((), 1)


async def test_an_empty_query_needs_a_filter_and_gives_the_newest_first(tmp_path: Path) -> None:
    """12 search."""
    async with Indexed(tmp_path) as desk:
        for number in range(3):
            path = desk.write(f"n{number}.md", "text\n")
            os.utime(path, ns=(10**18, 10**18 + number * DAY))
        assert await desk.paths("", file_types=("markdown",)) == ["n2.md", "n1.md", "n0.md"]
        with pytest.raises(ArgumentError) as caught:
            await desk.search("  ")
        assert caught.value.code is Code.INVALID_ARGUMENT


async def test_one_file_does_not_crowd_out_the_others(tmp_path: Path) -> None:
    """At most two passages of a file while other files match; all of them when it is the only one."""
    async with Indexed(tmp_path) as desk:
        desk.write("long.md", "".join(f"# Part {n}\n\nwalrus walrus {'word ' * 150}\n\n" for n in range(10)))
        assert len((await desk.search("walrus", limit=4)).hits) == 4
        for number in range(4):
            desk.write(f"short{number}.md", f"a walrus in a longer text {'other ' * 60}\n")
        hits = (await desk.search("walrus", limit=6)).hits
        names = [hit.info.place.relative for hit in hits]
        assert names.count("long.md") <= 2
        assert len(set(names)) == 5


async def test_the_order_is_the_same_every_time(tmp_path: Path) -> None:
    """Equal passages come in a fixed order, also from an index with another history."""
    async with Indexed(tmp_path) as desk:
        for number in (3, 1, 2):
            os.utime(desk.write(f"n{number}.md", "walrus\n"), ns=(10**18, 10**18))
        first = await desk.paths("walrus")
        desk.write("n1.md", "badger\n")
        await desk.library.refresh()
        os.utime(desk.write("n1.md", "walrus\n"), ns=(10**18, 10**18))
        assert await desk.paths("walrus") == first == ["n1.md", "n2.md", "n3.md"]


async def test_a_small_base_about_the_word_is_not_drowned_by_a_large_one(tmp_path: Path) -> None:
    """R-ALL-3: scores of two indexes are made comparable."""
    async with Indexed(tmp_path, "inner") as desk:
        for number in range(30):
            desk.write(
                f"n{number}.md", f"filler {number} " + ("walrus mentioned once " if number < 6 else "") + "word " * 150
            )
        desk.write("inner/walrus.md", "# Walrus\n\nwalrus walrus\n")
        desk.write("inner/walrus two.md", "# Walrus\n\nthe walrus\n")
        assert (await desk.paths("walrus"))[0] == "walrus.md"


@pytest.mark.corpus
async def test_pdf_passages_carry_their_page(tmp_path: Path, data: Path) -> None:
    """R-SRCH-2."""
    pdf = data / "documents" / "pdf.js_test_pdfs_tracemonkey.pdf"
    async with Indexed(tmp_path) as desk:
        desk.write("论文 paper.pdf", pdf.read_bytes())
        (hit, *_) = (await desk.search("nested trace trees")).hits
        assert hit.page is not None
        assert hit.info.page_count == 14
        text = await desk.documents.text(pdf.read_bytes(), "pdf")
        assert text.pages[hit.page - 1][hit.start : hit.end] == hit.passage


def test_without_a_dictionary_chinese_is_cut_into_pairs() -> None:
    """R-SRCH-5: jieba is optional."""
    question = parse("虚拟机 DOM", overlapping)
    assert [piece.match for piece in question.pieces][-2:] == ['"虚拟"', '"拟机"']
    assert overlapping("猫") == ["猫"]


def test_the_dictionary_keeps_its_cache_in_its_own_folder(tmp_path: Path) -> None:
    """R-HL-3: nothing is left in the shared temporary folder."""
    code = f"""
from pathlib import Path
from orange_jupyter.local.index.words import Dictionary
print("知识库" in Dictionary(Path({str(tmp_path)!r})).cut("知识库管理系统"))
"""
    elsewhere = tmp_path / "shared temporary folder"
    elsewhere.mkdir()
    environment = {**os.environ, "TMPDIR": str(elsewhere)}
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True)
    assert ran.stdout.strip() == "True"
    assert ran.stderr == ""
    assert (tmp_path / "jieba.cache").is_file()
    assert list(elsewhere.iterdir()) == []
