"""`%orange model test`: what works is found by trial and recorded; the host is named first (R-MOD-6, R-MOD-8, R-MOD-10, R-MOD-11)."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from orange_jupyter.app import App
from orange_jupyter.core.errors import UsageError
from orange_jupyter.jupyter.ports import CommandReply
from orange_jupyter.providers.probes import red_picture
from tests.commands.model_server import Mind, thinking

Say = Callable[..., Awaitable[CommandReply]]


def configure(app: App, url: str, more: str = "") -> None:
    text = f'[models.mine]\nprovider = "openai_compatible"\nbase_url = "{url}"\nmodel = "m-1"  # 注释\n{more}\n'
    app.ground.folders.config.write_text(text, encoding="utf-8")


def passed(reply: CommandReply) -> dict[str, bool]:
    assert reply.data is not None
    return {one["name"]: one["ok"] for one in reply.data["checks"]}


async def test_a_good_model_passes_and_its_checks_are_recorded(app: App, say: Say) -> None:
    """R-MOD-6: connection, streaming, tool calls, parallel calls, vision; the document has mode and checks."""
    mind = Mind()
    async with thinking(mind) as server:
        configure(app, server.url, "vision = true")
        reply = await say("model test mine")
    assert reply.data is not None
    assert (reply.data["ok"], reply.data["mode"]) == (True, "native")
    assert passed(reply) == dict.fromkeys(("connection", "streaming", "tool calls", "parallel calls", "vision"), True)
    assert "two calls in one reply" in reply.markdown
    assert reply.markdown.startswith(f"**mine**: text went to 127.0.0.1:{server.port}.")
    kept = app.ground.trials.of("mine", server.url, "m-1")
    assert kept is not None
    assert [one.name for one in kept.checks] == list(passed(reply))
    assert app.ground.trials.of("mine", server.url, "m-2") is None
    assert "mode =" not in app.ground.folders.config.read_text("utf-8")


async def test_a_model_without_native_calls_gets_the_envelope_and_back(app: App, say: Say) -> None:
    """R-MOD-10: the mode is chosen by trial and written to config.toml, comments and all; later it is chosen anew."""
    mind = Mind(native=False)
    async with thinking(mind) as server:
        configure(app, server.url)
        reply = await say("model test mine", "zh")
        assert reply.data is not None
        assert (reply.data["ok"], reply.data["mode"]) == (True, "envelope")
        assert "用 JSON 文本调用工具" in reply.markdown
        written = app.ground.folders.config.read_text("utf-8")
        assert 'mode = "envelope"' in written
        assert "# 注释" in written
        mind.native = True
        assert (await say("model test mine")).data["mode"] == "native"  # type: ignore[index]
    assert 'mode = "native"' in app.ground.folders.config.read_text("utf-8")


async def test_tools_false_asks_for_the_envelope_only(app: App, say: Say) -> None:
    mind = Mind()
    async with thinking(mind) as server:
        configure(app, server.url, "tools = false")
        assert (await say("model test mine")).data["mode"] == "envelope"  # type: ignore[index]
    assert not any("tools" in body for body in mind.bodies)


async def test_a_model_that_cannot_says_so_and_nothing_is_recorded_as_working(app: App, say: Say) -> None:
    async with thinking(Mind(native=False, envelope=False)) as server:
        configure(app, server.url)
        reply = await say("model test mine")
    assert reply.data is not None
    assert (reply.data["ok"], passed(reply)["tool calls"]) == (False, False)
    assert "natively: answered without a call" in reply.markdown
    assert "mode =" not in app.ground.folders.config.read_text("utf-8")


@pytest.mark.parametrize(
    ("mind", "more", "name", "ok", "words"),
    [
        (Mind(sees=False), "vision = true", "vision", False, "Green"),
        (Mind(), "vision = true\nsendImages = false", "vision", True, "sendImages = false"),
        (Mind(), "", "vision", True, "vision = false"),
        (Mind(streams=False), "", "streaming", False, "came at once"),
        (Mind(parallel=False), "", "parallel calls", True, "one call a reply"),
        (Mind(ollama=True, window=2_048), "", "context", False, "num_ctx"),
        (Mind(ollama=True), "", "context", True, "read whole"),
    ],
)
async def test_each_check_says_what_happened(
    app: App, say: Say, mind: Mind, more: str, name: str, ok: bool, words: str
) -> None:
    """R-MOD-6, R-MOD-8, R-MOD-11, wire row 25."""
    async with thinking(mind) as server:
        configure(app, server.url, more)
        reply = await say("model test mine")
    assert reply.data is not None
    found = next(one for one in reply.data["checks"] if one["name"] == name)
    assert (found["ok"], words in found["message"]) == (ok, True), found
    sent = json.dumps(mind.bodies)
    assert ("image_url" in sent) == ("sendImages" not in more and "vision = true" in more)


async def test_a_server_that_is_not_there_is_one_failed_check(app: App, say: Say) -> None:
    """Offline: quick, and nothing is recorded over what was known."""
    configure(app, "http://127.0.0.1:9/v1")
    reply = await say("model test mine")
    assert reply.data is not None
    assert (reply.data["ok"], passed(reply)) == (False, {"connection": False, "streaming": False})
    assert "Check that the server runs" in reply.markdown


async def test_the_models_behind_a_virtual_one_are_tried_one_by_one(app: App, say: Say) -> None:
    """R-MOD-9."""
    async with thinking(Mind()) as server:
        configure(app, server.url, '[models.both]\nany_of = ["mine", "embedded"]')
        reply = await say("model test both")
    assert reply.data is not None
    assert reply.data["ok"] is True
    assert {one["model"] for one in reply.data["checks"]} == {"mine", "embedded"}


async def test_the_embedded_model_and_an_unknown_one(app: App, say: Say) -> None:
    assert (await say("model test")).data["ok"] is True  # type: ignore[index]
    with pytest.raises(UsageError, match="no model"):
        await say("model test nobody")


def test_the_red_picture_is_a_png() -> None:
    from io import BytesIO

    from PIL import Image

    with Image.open(BytesIO(red_picture())) as picture:
        pixel: Any = picture.convert("RGB").getpixel((5, 5))
        assert (picture.size, pixel) == ((64, 64), (208, 16, 16))
