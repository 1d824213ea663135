"""What a person sees before anything is sent: the host, and a key that was hidden (R-MOD-11, issue 4 item 4, S03)."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from orange_jupyter.app import App
from orange_jupyter.core.deltas import Delta
from orange_jupyter.core.events import Event, Notice, TurnFinished
from orange_jupyter.jupyter.options import parse_options
from orange_jupyter.jupyter.ports import CellRequest, CommandReply, Where
from orange_jupyter.office import NotebookOffice
from tests.commands.model_server import Mind, thinking
from tests.providers.server import ModelServer

KEY = "sk-proj-9f8e7d6c5b4a392817069f8e7d6c"


class View:
    """A view that knows how many requests had gone out when each line came."""

    def __init__(self, server: ModelServer | None = None) -> None:
        self.events: list[Event] = []
        self.lines: list[tuple[str, int]] = []
        self._server = server

    async def hear(self, event: Event) -> None:
        self.events.append(event)
        if isinstance(event, Notice):
            self.lines.append((event.text, len(self._server.seen) if self._server else 0))

    def delta(self, delta: Delta) -> None:
        pass

    def waits_for(self, session: str, cell: int | None) -> None:
        pass


async def cell(office: NotebookOffice, view: View, line: str, text: str) -> TurnFinished:
    folder = office.app.folder
    where = Where(str(Path(folder) / "a.ipynb"), None, folder)
    return await office.send(CellRequest(text, parse_options(line), where), view=view)


def configure(app: App, url: str, more: str = "") -> None:
    text = f'{more}\n[models.mine]\nprovider = "openai_compatible"\nbase_url = "{url}"\nmodel = "m-1"\n'
    app.ground.folders.config.write_text(text, encoding="utf-8")


async def test_a_new_host_is_named_before_anything_is_sent_and_once(app: App, office: NotebookOffice) -> None:
    """R-MOD-11: one line before the first request; remembered by the installation, also by another session."""
    async with thinking(Mind()) as server:
        configure(app, server.url)
        view = View(server)
        await cell(office, view, "--model mine", "hello")
        (named,) = [line for line in view.lines if "127.0.0.1" in line[0]]
        assert (named[0].startswith(f"Text goes to 127.0.0.1:{server.port}"), named[1]) == (True, 0)
        again = View(server)
        await cell(office, again, "--new --model mine", "hello")
        assert not [line for line in again.lines if "127.0.0.1" in line[0]]
    assert json.loads((app.ground.folders.home / "hosts.json").read_text()) == [f"127.0.0.1:{server.port}"]


async def test_the_line_that_names_a_host_speaks_the_cells_language(app: App, office: NotebookOffice) -> None:
    """R-UI-8, R-MOD-11: Lab's language, not only the environment's."""
    async with thinking(Mind()) as server:
        configure(app, server.url)
        view = View(server)
        where = Where(str(Path(app.folder) / "a.ipynb"), None, app.folder, "zh")
        await office.send(CellRequest("你好", parse_options("--model mine"), where), view=view)
    assert any(line.startswith(f"文本会发送到 127.0.0.1:{server.port}") for line, _ in view.lines)


async def test_the_embedded_model_sends_nothing_and_names_no_host(app: App, office: NotebookOffice) -> None:
    view = View()
    await cell(office, view, "", "What is the melt factor?")
    assert not [line for line, _ in view.lines if "Text goes to" in line]
    assert not (app.ground.folders.home / "hosts.json").exists()


async def test_every_host_behind_a_virtual_model_is_named(app: App, office: NotebookOffice) -> None:
    """R-MOD-9: all that may receive text, before the first of them does."""
    async with thinking(Mind()) as one, thinking(Mind()) as two:
        configure(app, one.url)
        more = f'[models.two]\nprovider = "openai_compatible"\nbase_url = "{two.url}"\nmodel = "m-1"\n'
        file = app.ground.folders.config
        file.write_text(f'{file.read_text("utf-8")}{more}[models.both]\nany_of = ["mine", "two"]\n', encoding="utf-8")
        view = View(one)
        await cell(office, view, "--model both", "hello")
    told = " ".join(line for line, _ in view.lines)
    assert f"127.0.0.1:{one.port}" in told
    assert f"127.0.0.1:{two.port}" in told


async def test_a_key_in_a_question_is_hidden_and_the_person_is_told(
    app: App, office: NotebookOffice, say: Callable[..., Awaitable[CommandReply]]
) -> None:
    """S03: neither the server, the events, the store nor the title holds it; the rest of the question is sent."""
    async with thinking(Mind()) as server:
        configure(app, server.url)
        view = View(server)
        await cell(office, view, "--model mine", f"my key is {KEY}\n这个密钥能用吗？")
        sent = b"".join(seen.body for seen in server.seen).decode()
    assert KEY not in sent
    assert "这个密钥能用吗" in sent
    assert any("hidden" in line and count == 0 for line, count in view.lines)
    assert KEY not in "".join(event.model_dump_json() for event in view.events)
    assert KEY not in json.dumps((await say("session list")).data)
    everything = b"".join(file.read_bytes() for file in app.ground.folders.home.rglob("*") if file.is_file())
    assert KEY.encode() not in everything


@pytest.mark.parametrize(
    ("name", "allowed"),
    [("localhost", True), ("127.0.0.1", True), ("127.9.9.9", True), ("192.168.1.5", False), ("api.example.org", False)],
)
async def test_local_only_looks_at_the_address(app: App, name: str, allowed: bool) -> None:
    """R-MOD-11, N02."""
    configure(app, f"http://{name}:9/v1", "localOnly = true")
    refused: Any = None
    try:
        await (await app.model("mine")).close()
    except Exception as error:  # noqa: BLE001 - the test asks only whether there is one
        refused = error
    assert (refused is None) is allowed, refused
