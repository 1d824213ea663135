"""`%orange model test`: tries what a model can do, chooses how it calls tools, and records it (R-MOD-6, R-MOD-10)."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from orange_jupyter.commands.checks import Words
from orange_jupyter.commands.standing import Standing, plain, table
from orange_jupyter.config import ModelSettings, Provider, set_mode
from orange_jupyter.core.messages import Image
from orange_jupyter.core.ports import Model
from orange_jupyter.jupyter.ports import CommandReply
from orange_jupyter.providers.probes import (
    Probe,
    probe_answer,
    probe_calls,
    probe_context,
    probe_parallel,
    probe_vision,
    red_picture,
)
from orange_jupyter.providers.settings import Pacing
from orange_jupyter.storage.trials import Found, Trial

if TYPE_CHECKING:
    from orange_jupyter.models import Models

Mode = Literal["native", "envelope"]
SERVED = (Provider.OPENAI_COMPATIBLE, Provider.ANTHROPIC)
PACING = Pacing(attempts=2, first=180.0)
"""A model may have to be loaded first; a busy server is asked twice, not five times."""

STAGES = 3
"""Answer, calls, and the rest."""
LEAST_WINDOW = 8_192
NAMES: dict[str, Words] = {
    "connection": ("connection", "连接"),
    "streaming": ("streaming", "流式输出"),
    "tool calls": ("tool calls", "工具调用"),
    "parallel calls": ("parallel calls", "并行调用"),
    "vision": ("vision", "看图"),
    "context": ("context", "上下文"),
}
NOT_NEEDED = "streaming"
"""A model whose answer comes at once can be used all the same."""


@dataclass(frozen=True, slots=True)
class _Ended:
    """One model's trial: its checks, the mode that works or the one that is set."""

    probes: tuple[Probe, ...]
    mode: Mode

    @property
    def ok(self) -> bool:
        """Whether the model can be used."""
        return all(probe.ok for probe in self.probes if probe.name != NOT_NEEDED)


async def test(at: Standing, name: str) -> CommandReply:
    """Tiny requests, in none of which anything of the notes stands. Raises ConfigError, UsageError."""
    settings = await asyncio.to_thread(at.app.models.settings, name)
    names = settings.any_of or [name]
    trials = {one: await _trial(at, one) for one in names}
    chinese = at.where.language.startswith("zh")
    rows = [
        (
            *([one] if len(names) > 1 else []),
            NAMES[probe.name][chinese],
            (("failed", "ok"), ("失败", "正常"))[chinese][probe.ok],
            probe.message,
        )
        for one, ended in trials.items()
        for probe in ended.probes
    ]
    head = (
        *([("Model", "模型")[chinese]] if len(names) > 1 else []),
        *(("Check", "", "What happened"), ("检查", "", "结果"))[chinese],
    )
    told = [await _told(at, one, trials[one], chinese=chinese) for one in names]
    checks = [
        {"name": probe.name, "ok": probe.ok, "message": probe.message, **({"model": one} if len(names) > 1 else {})}
        for one, ended in trials.items()
        for probe in ended.probes
    ]
    ok = all(ended.ok for ended in trials.values())
    mode = trials[names[0]].mode
    host = (await asyncio.to_thread(at.app.ground.settings)).host(name)
    return CommandReply(
        "\n\n".join([*told, table(head, rows)]), {"ok": ok, "checks": checks, "mode": mode, "host": host}
    )


async def _told(at: Standing, name: str, ended: _Ended, *, chinese: bool) -> str:
    """Where the test's text went, and how the model calls tools from now on."""
    settings = await asyncio.to_thread(at.app.models.settings, name)
    host = plain(settings.host)
    if settings.provider not in SERVED:
        return (f"**{plain(name)}** runs on this machine.", f"**{plain(name)}** 在本机运行。")[chinese]
    where = (f"**{plain(name)}**: text went to {host}.", f"**{plain(name)}**：文本发送到 {host}。")[chinese]
    how = {
        "native": (" It calls tools natively.", " 它用原生方式调用工具。"),
        "envelope": (" It calls tools as JSON text (mode = envelope).", " 它用 JSON 文本调用工具（mode = envelope）。"),
    }[ended.mode][chinese]
    works = any(probe.name == "tool calls" and probe.ok for probe in ended.probes)
    return where + (how if works else "")


async def _trial(at: Standing, name: str) -> _Ended:
    """Try one model and record what was found."""
    models = at.app.models
    settings = await asyncio.to_thread(models.settings, name)
    goes = at.say("model.testing", name=name, host=settings.host or at.say("here"))
    at.progress(goes, 0, STAGES)  # named before anything is sent (R-MOD-11)
    model = await asyncio.to_thread(models.for_trial, name, PACING, envelope=False)
    try:
        probes = list(await probe_answer(model))
        if settings.provider not in SERVED or not probes[0].ok:
            return _Ended(_without_secrets(at, probes), settings.mode)
        at.progress(goes, 1, STAGES)
        calls, mode = await _calls(models, name, (settings, model))
        at.progress(goes, 2, STAGES)
        probes += [*calls, *await _more(at, model, (name, settings))]
    finally:
        await model.close()
        at.progress(goes, STAGES, STAGES)
    ended = _Ended(_without_secrets(at, probes), mode)
    await asyncio.to_thread(_record, at, name, ended)
    return ended


def _without_secrets(at: Standing, probes: list[Probe]) -> tuple[Probe, ...]:
    """What the model said stands in the messages, and a server may give back the key that it was sent (U08)."""
    return tuple(replace(probe, message=at.app.mask(probe.message)) for probe in probes)


async def _calls(models: Models, name: str, tried: tuple[ModelSettings, Model]) -> tuple[list[Probe], Mode]:
    """Native calls first; where they fail, calls as JSON text."""
    settings, native = tried
    first = await probe_calls(native) if settings.tools else Probe("tool calls", False, "tools = false is set")
    if first.ok:
        return [first, await probe_parallel(native)], "native"
    wrapped = await asyncio.to_thread(models.for_trial, name, PACING, envelope=True)
    try:
        second = await probe_calls(wrapped)
    finally:
        await wrapped.close()
    if second.ok:
        return [Probe("tool calls", True, f"as JSON text: {second.message}; natively: {first.message}")], "envelope"
    message = f"natively: {first.message}; as JSON text: {second.message}"
    return [Probe("tool calls", False, message)], settings.mode


async def _more(at: Standing, model: Model, tried: tuple[str, ModelSettings]) -> list[Probe]:
    """Pictures where they may be sent, and a longer text where the server is known to cut one."""
    name, settings = tried
    probes = [await _vision(at, model, settings)]
    if settings.context_window >= LEAST_WINDOW and await _is_ollama(at, name, settings):
        probes.append(await probe_context(model))
    return probes


async def _vision(at: Standing, model: Model, settings: ModelSettings) -> Probe:
    if not settings.vision:
        return Probe("vision", True, "off: no picture is sent (vision = false)")
    if not settings.sendImages:
        return Probe("vision", True, "off: no picture is sent (sendImages = false)")
    sha256 = await at.app.ground.blobs.put(red_picture(), "image/png")
    return await probe_vision(model, Image(sha256=sha256, media_type="image/png", width=64, height=64))


async def _is_ollama(at: Standing, name: str, settings: ModelSettings) -> bool:
    from orange_jupyter.providers.offered import Enquiry

    if settings.provider is not Provider.OPENAI_COMPATIBLE or settings.gguf:
        return False
    server = await asyncio.to_thread(at.app.models.server, name)
    enquiry = await asyncio.to_thread(Enquiry, server, settings.provider)
    try:
        return await enquiry.is_ollama()
    finally:
        await enquiry.close()


def _record(at: Standing, name: str, ended: _Ended) -> None:
    """Keep the mode in config.toml where it is another one, and the checks in the store."""
    settings = at.app.models.settings(name)
    works = any(probe.name == "tool calls" and probe.ok for probe in ended.probes)
    if works and settings.mode != ended.mode:
        set_mode(at.app.ground.folders.config, name, ended.mode)
    checks = tuple(Found(name=one.name, ok=one.ok, message=at.app.mask(one.message)) for one in ended.probes)
    trial = Trial(
        at=at.app.ground.clock.now(), base_url=settings.base_url, model=settings.model, mode=ended.mode, checks=checks
    )
    at.app.ground.trials.keep(name, trial)
