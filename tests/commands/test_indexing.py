"""What a person and a model are told while documents are indexed in the background."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from orange_jupyter.__main__ import main
from orange_jupyter.app import App, ForThisRun
from orange_jupyter.cli import run as command_line
from orange_jupyter.cli.tool import call
from orange_jupyter.jupyter.ports import Where
from orange_jupyter.office import NotebookOffice
from orange_jupyter.terminal import Nobody
from tests.commands.conftest import environment
from tests.documents import samples

COUNT = 12


def write(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "melt.md").write_text("# Melt\n\nThe melt factor of run 17 is 4.6.\n", encoding="utf-8")
    for number in range(COUNT):
        pages = [samples.words(f"The melt factor on page {page} of paper {number}.") for page in range(40)]
        (folder / f"paper {number}.pdf").write_bytes(samples.pdf(*pages))


@pytest.fixture
async def hasty(tmp_path: Path) -> AsyncIterator[App]:
    """An app whose searches wait for no document."""
    write(tmp_path / "kb")
    run = ForThisRun(folders=(str(tmp_path / "kb"),), patience=0.0)
    opened = await App.open(environment(tmp_path), str(tmp_path), Nobody(), run=run)
    yield opened
    await opened.close()


async def test_a_person_and_a_model_see_how_far_the_index_is(hasty: App) -> None:
    """12 search `indexing`, R-ALL-6, issue 6 item 4: in the result, `%orange kb` and `%orange status`; a scan waits."""
    office = NotebookOffice(hasty, strict=False)
    where = Where(str(Path(hasty.folder) / "a.ipynb"), None, hasty.folder, "en", "")
    opened = await hasty.create()
    ran = await call(hasty, opened, "search", {"query": "melt factor", "limit": 16})
    told = ran.envelope["indexing"]
    assert "melt.md" in [one["path"] for one in ran.envelope["citations"]]
    assert told["total"] == COUNT
    assert told["done"] < COUNT
    assert f"{told['done']} of {COUNT} done" in ran.envelope["notices"][0]
    assert "still being indexed" in ran.result.content
    for word in ("kb", "status"):
        reply = await office.command((word,), where)
        (base,) = reply.data["knowledgeBases"]
        assert base["indexing"]["total"] == COUNT
        assert f"of {COUNT} documents" in reply.markdown
    chinese = Where(where.notebook, None, hasty.folder, "zh", "")
    assert "正在索引文档" in (await office.command(("status",), chinese)).markdown
    scanned = await office.command(("kb", "scan"), where)
    assert scanned.data["knowledgeBases"][0]["files"] == COUNT + 1
    assert hasty.indexing.background.progress() == {}
    async with asyncio.timeout(60):  # what was read within two seconds of its making is looked at again (R06)
        while (
            "indexing" in (ran := await call(hasty, opened, "search", {"query": "melt factor", "limit": 16})).envelope
        ):
            await asyncio.sleep(0.2)
    assert "notices" not in ran.envelope
    assert {one["fileType"] for one in ran.envelope["citations"]} == {"markdown", "pdf"}
    assert all(one["page"] >= 1 for one in ran.envelope["citations"] if one["fileType"] == "pdf")


async def test_the_work_goes_on_after_the_answer(hasty: App) -> None:
    """Issue 6 item 4: without another question."""
    await call(hasty, await hasty.create(), "search", {"query": "melt factor"})
    async with asyncio.timeout(60):
        while hasty.indexing.background.progress():
            await asyncio.sleep(0.05)
    report = await (
        await hasty.reach(next(iter(hasty._opened.values())).session.state.knowledge_bases)
    ).library.refresh()
    assert (report.added, report.bases[0].files) == (0, COUNT + 1)


def test_a_command_waits_for_documents_or_says_what_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """R-HL-2, R-SCH-10: nothing goes on when the process has ended, so nothing is left out in silence."""
    for name in ("home", "cache"):
        monkeypatch.setenv(f"ORANGE_{name.upper()}", str(tmp_path / name))
    write(tmp_path / "kb")
    monkeypatch.chdir(tmp_path)
    search = ["search", "melt factor", "--kb", "kb", "--limit", "16", "--json"]
    with monkeypatch.context() as hurried:
        hurried.setattr(command_line, "DOCUMENTS_PATIENCE", 0.0)
        assert main(search) == 0
    out, err = capfd.readouterr()
    assert json.loads(out)["indexing"]["total"] == COUNT
    assert f"of {COUNT} documents were indexed; orange-jupyter index does the rest." in err
    assert main(search) == 0
    out, err = capfd.readouterr()
    assert "indexing" not in json.loads(out)
    assert len(json.loads(out)["citations"]) == 16
    assert err == ""
