"""A GGUF in the product: added by a command, asked from the command line and from a real kernel, gone with them."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from orange_jupyter.__main__ import main
from orange_jupyter.core.messages import Message, Role, ToolCall
from orange_jupyter.core.messages import Request as ModelRequest
from orange_jupyter.core.messages import Text as TextPart
from orange_jupyter.providers.llama_process import LocalFile
from orange_jupyter.providers.llama_server import LlamaServer
from orange_jupyter.providers.local_model import LocalModel
from orange_jupyter.providers.openai_compatible import OpenAICompatible
from tests.kernels import StartKernel
from tests.providers.llama_stand_in import StandIn, install
from tests.providers.server import delta, stream
from tests.providers.wires import READ, SEARCH, Heard, blob, settings

BODY = stream(delta(content="你好 from this machine"), delta("stop")).decode()


@pytest.fixture
def stand_in(tmp_path: Path) -> StandIn:
    return install(tmp_path / "programs")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "小模型 tiny.gguf").write_bytes(b"GGUF\x03\0\0\0" + bytes(4_000))
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "茶 tea.md").write_text("# Tea\n\nGreen tea is 绿茶.\n", encoding="utf-8")
    return tmp_path


def document(capfd: Any, *words: str) -> tuple[int, Any]:
    status = main([*words, "--json"])
    out, _ = capfd.readouterr()
    return status, json.loads(out)


def test_a_gguf_is_added_tested_and_asked_from_the_command_line(
    place: Path, stand_in: StandIn, monkeypatch: pytest.MonkeyPatch, capfd: Any
) -> None:
    """R-MOD-7, R-SCH-10: `model add NAME --gguf FILE`; `localOnly` allows it; each run leaves no server behind."""
    for name, value in stand_in.environ(looks=2, body=BODY).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("ORANGE_HOME", str(place / "home"))
    monkeypatch.setenv("ORANGE_CACHE", str(place / "cache"))
    monkeypatch.chdir(place)
    status, added = document(capfd, "model", "add", "tiny", "--gguf", "小模型 tiny.gguf", "--context", "4096")
    assert (status, added["model"]["host"]) == (0, "127.0.0.1")
    config = place / "home" / "config.toml"
    assert str(place / "小模型 tiny.gguf") in config.read_text("utf-8")
    config.write_text("localOnly = true\n" + config.read_text("utf-8"), encoding="utf-8")
    _, tested = document(capfd, "model", "test", "tiny")
    assert tested["checks"][0]["ok"]
    status, asked = document(capfd, "ask", "茶?", "--kb", "notes", "--model", "tiny")
    assert (status, asked["answer"]) == (0, "你好 from this machine")
    assert len(stand_in.starts) == 2
    assert not stand_in.running
    (place / "小模型 tiny.gguf").unlink()
    status, failed = document(capfd, "ask", "茶?", "--kb", "notes", "--model", "tiny")
    assert (status, failed["stopReason"]) == (1, "model_error")
    assert "There is no file" in failed["error"]["message"]


@pytest.mark.parametrize(
    "line", ["--gguf x.gguf --base-url http://127.0.0.1:1/v1", "--gguf x.gguf --provider anthropic --model m"]
)
def test_a_gguf_takes_the_place_of_an_address(
    place: Path, monkeypatch: pytest.MonkeyPatch, capfd: Any, line: str
) -> None:
    monkeypatch.setenv("ORANGE_HOME", str(place / "home"))
    status, failed = document(capfd, "model", "add", "tiny", *line.split())
    assert status != 0
    assert "gguf goes with the provider openai_compatible" in failed["error"]["message"]


def until_gone(stand_in: StandIn) -> float:
    started = time.monotonic()
    while stand_in.running:
        assert time.monotonic() - started < 10
        time.sleep(0.02)
    return time.monotonic() - started


@pytest.mark.kernel
def test_a_kernel_keeps_its_server_between_cells_and_takes_it_along(
    place: Path, stand_in: StandIn, start_kernel: StartKernel
) -> None:
    """Issue 4: one server for all cells; none is left two seconds after a restart, nor after a SIGKILL."""
    plan = stand_in.environ(looks=2, body=BODY)
    path = os.pathsep.join((plan["PATH"], os.environ["PATH"]))
    kernel = start_kernel(cwd=place, env=plan | {"PATH": path})
    ask = "%%orange\nWhat is 绿茶?"
    for code in (
        "%load_ext orange_jupyter",
        "%orange model add tiny --gguf '小模型 tiny.gguf'",
        "%orange model use tiny",
    ):
        assert kernel.run(code).status == "ok"
    for _ in range(2):
        assert "你好 from this machine" in kernel.run(ask).text
    assert len(stand_in.starts) == len(stand_in.running) == 1
    kernel.restart()
    assert until_gone(stand_in) < 2.0
    kernel.run("%load_ext orange_jupyter")
    kernel.run("%orange model use tiny")
    assert "你好 from this machine" in kernel.run(ask).text
    assert len(stand_in.running) == 1
    pid = kernel.run("import os; os.getpid()").text
    os.kill(int(pid), signal.SIGKILL)
    assert until_gone(stand_in) < 2.0


async def test_a_real_llama_cpp_server_calls_a_tool_in_envelope_mode(real_gguf: Path) -> None:
    """R-MOD-7, R-MOD-10: ORANGE_TEST_GGUF names the file; `llama-server` is on PATH or in the `local` extra's wheel."""
    server = LlamaServer(LocalFile(real_gguf, 4096, "real"), dict(os.environ))
    own = settings("http://127.0.0.1", model="real", api_key=None, envelope=True, max_output=200, vision=False)
    model = LocalModel(own, server, lambda at: OpenAICompatible(at, blob))
    words = "Use the tool search to look for green tea. Call search with the query: green tea"
    question = Message(role=Role.USER, parts=(TextPart(text=words),))
    try:
        reply = await model.respond(ModelRequest(messages=(question,), tools=(SEARCH, READ)), Heard())
    finally:
        await model.close()
        await asyncio.to_thread(server.stop)
    assert reply.usage.output_tokens
    assert all(part.arguments is not None for part in reply.parts if isinstance(part, ToolCall))
    assert any(isinstance(part, ToolCall | TextPart) for part in reply.parts)
