"""One installation of its own, and a notebook's office over it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from orange_jupyter.app import App
from orange_jupyter.jupyter.ports import CommandReply, Where
from orange_jupyter.jupyter.strings import Language
from orange_jupyter.office import NotebookOffice
from orange_jupyter.terminal import Nobody


def environment(tmp_path: Path) -> dict[str, str]:
    """Folders of a test's own."""
    return {"ORANGE_HOME": str(tmp_path / "home"), "ORANGE_CACHE": str(tmp_path / "cache"), "HOME": str(tmp_path)}


@pytest.fixture
async def app(tmp_path: Path) -> AsyncIterator[App]:
    """An app whose notebook lies in a folder with a blank and Chinese characters, with one note in a KB."""
    folder = tmp_path / "工作 work"
    (folder / "kb").mkdir(parents=True)
    (folder / "kb" / "melt.md").write_text("# Melt\n\nThe melt factor of run 17 is 4.6.\n", encoding="utf-8")
    opened = await App.open(environment(tmp_path), str(folder), Nobody())
    yield opened
    await opened.close()


@pytest.fixture
def office(app: App) -> NotebookOffice:
    """The notebook's office."""
    return NotebookOffice(app, strict=False)


@pytest.fixture
def say(app: App, office: NotebookOffice) -> Callable[..., Awaitable[CommandReply]]:
    """Run a `%orange` line: `await say("model list", "zh")`."""

    async def line(text: str, language: Language = "en", way: str = "") -> CommandReply:
        where = Where(str(Path(app.folder) / "a.ipynb"), None, app.folder, language, way)
        return await office.command(tuple(text.split()), where)

    return line
