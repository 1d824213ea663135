"""`doctor`: every line names what to do, nothing hangs, offline it works (R-NB-3, R-HL-2, R-MOD-6, R-MOD-11, S04, K01)."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from orange_jupyter.app import App
from orange_jupyter.commands import doctor_model
from orange_jupyter.commands.checks import Check, both, report, within
from orange_jupyter.core.errors import StoreError
from orange_jupyter.jupyter.ports import CommandReply
from orange_jupyter.providers.addresses import oddity, other_stem
from tests.commands.model_server import Mind, thinking
from tests.providers.server import HOLD, Answer, serving

Say = Callable[..., Awaitable[CommandReply]]


async def checks(say: Say, *more: str) -> dict[str, dict[str, Any]]:
    reply = await say("doctor", *more)
    assert reply.data is not None
    for one in reply.data["checks"]:
        assert one["status"] in ("ok", "warning", "failed")
        assert one["status"] == "ok" or "action" in one or "Index" in one["name"], one
    return {one["name"]: one for one in reply.data["checks"]}


async def use(app: App, say: Say, url: str, more: str = "", model: str = "m-1") -> None:
    text = f'default_model = "mine"\n[models.mine]\nprovider = "openai_compatible"\nbase_url = "{url}"\nmodel = "{model}"\n{more}'
    app.ground.folders.config.write_text(text, encoding="utf-8")
    await say("model use mine")


async def test_the_facts_of_a_fresh_installation(app: App, say: Say) -> None:
    """Versions, way of waiting, folders with their rights, keyring, project, index, and that no model is set up."""
    found = await checks(say)
    names = (
        "Python",
        "ipykernel",
        "IPython",
        "JupyterLab",
        "Waiting",
        "State folder",
        "Disk",
        "Cache folder",
        "Keyring",
    )
    assert {*names, "Knowledge bases", "Project settings", "Index", "Model"} <= set(found)
    assert found["ipykernel"]["message"][0].isdigit()
    assert found["Knowledge bases"]["action"] == "%orange kb add ."
    assert (found["Model"]["status"], "model add" in found["Model"]["action"]) == ("warning", True)
    assert (await say("doctor")).data["ok"] is True  # type: ignore[index]
    chinese = (await say("doctor", "zh")).markdown
    assert "状态文件夹" in chinese
    assert "知识库" in chinese


@pytest.mark.parametrize(("way", "status"), [("await", "ok"), ("pump", "ok"), ("block", "ok"), ("detached", "warning")])
async def test_the_way_of_waiting_is_named(say: Say, way: str, status: str) -> None:
    """R-UI-2."""
    assert (await checks(say, "en", way))["Waiting"]["status"] == status


async def test_a_folder_that_others_can_read_and_an_ignored_project_file(app: App, say: Say) -> None:
    """S04, K01."""
    app.ground.folders.home.chmod(0o755)
    project = Path(app.folder) / ".orange"
    project.mkdir()
    (project / "config.toml").write_text('default_tier = "full-auto"\n')
    found = await checks(say)
    assert "755" in found["State folder's rights"]["message"]
    assert "chmod 700" in found["State folder's rights"]["action"]
    assert (found["Project settings"]["status"], "default_tier" in found["Project settings"]["message"]) == (
        "warning",
        True,
    )


async def test_a_model_that_was_tested_shows_what_was_found(app: App, say: Say) -> None:
    """R-MOD-6, R-MOD-11: host, key, list of models, and the last test's streaming, tool calls, vision."""
    async with thinking(Mind(native=False, sees=False)) as server:
        await use(app, say, server.url, "vision = true\n")
        before = await checks(say)
        await say("model test mine")
        found = await checks(say)
    assert (before["Model test"]["status"], before["Model test"]["action"]) == ("warning", "%orange model test mine")
    assert f"127.0.0.1:{server.port}" in found["Model"]["message"]
    assert found["Models offered"]["status"] == found["Base URL"]["status"] == found["Key"]["status"] == "ok"
    assert "mode envelope" in found["Model test"]["message"]
    assert {name: found[name]["status"] for name in ("Streaming", "Tool calls", "Vision")} == {
        "Streaming": "ok",
        "Tool calls": "ok",
        "Vision": "warning",
    }


async def test_a_model_that_the_server_does_not_have_is_named_with_the_nearest(app: App, say: Say) -> None:
    async with thinking(Mind(offered=("qwen3:8b", "llama3"))) as server:
        await use(app, say, server.url, model="qwen3-8b")
        found = await checks(say)
    assert found["Models offered"]["status"] == "warning"
    assert found["Models offered"]["action"].startswith("It has: qwen3:8b")


async def test_a_base_url_without_v1_is_mended_by_trial(app: App, say: Say) -> None:
    class OnlyV1(Mind):
        def answer(self, seen: Any) -> Answer:
            return super()._get(seen.line.split(" ")[1] if "/v1/" in seen.line else "/nothing")

    async with thinking(OnlyV1()) as server:
        await use(app, say, server.url.removesuffix("/v1"))
        found = await checks(say)
    assert found["Base URL"]["action"] == f"Set base_url = {server.url}"


async def test_offline_every_line_comes_quickly(app: App, say: Say) -> None:
    """Nobody listens there: failed, with what to do; nothing is tried for long."""
    await use(app, say, "http://127.0.0.1:9/v1")
    began = time.monotonic()
    found = await checks(say)
    assert time.monotonic() - began < 10
    assert (found["Models offered"]["status"], found["Index"]["status"]) == ("failed", "ok")


async def test_a_silent_server_and_a_slow_look_do_not_hang(app: App, say: Say, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor_model, "SECONDS", 0.3)
    async with serving(Answer((HOLD,))) as server:
        await use(app, say, server.url)
        found = await checks(say)
    assert found["Models offered"]["status"] == "warning"
    assert "No result within" in found["Models offered"]["message"]


async def test_a_look_that_fails_is_a_line() -> None:
    async def broken() -> list[Check]:
        raise StoreError("No.", hint="Do this.")

    reply = report(await within(1, both("Store"), broken()), "en")
    assert reply.data == {
        "ok": False,
        "checks": [{"name": "Store", "status": "failed", "message": "No.", "action": "Do this."}],
    }


@pytest.mark.parametrize(
    ("url", "better"),
    [
        ("https://api.openai.com/v1", None),
        ("https://api.openai.com/v1/chat/completions", None),
        ("https://api.openai.com", "https://api.openai.com/v1"),
        ("http://127.0.0.1:1234/v1/chat/completions/chat/completions", "http://127.0.0.1:1234/v1"),
        ("http://127.0.0.1:1234/v1/completions", "http://127.0.0.1:1234/v1"),
        ("http://127.0.0.1:11434/v1/v1", "http://127.0.0.1:11434/v1"),
        ("https://dashscope.aliyuncs.com/v1", "https://dashscope.aliyuncs.com/compatible-mode/v1"),
        ("https://openrouter.ai/v1", "https://openrouter.ai/api/v1"),
        ("http://models.example.org/v1", "https://models.example.org/v1"),
        ("http://localhost:8000/v1", None),
    ],
)
def test_a_base_url_of_an_odd_form_is_said_with_a_better_one(url: str, better: str | None) -> None:
    found = oddity(url, chat=True)
    assert (found[1] if found else None) == better


def test_the_address_to_try_next() -> None:
    assert other_stem("http://127.0.0.1:11434") == "http://127.0.0.1:11434/v1"
    assert other_stem("http://127.0.0.1:11434/v1") is None
    assert other_stem("https://open.bigmodel.cn/api/paas/v4") is None
