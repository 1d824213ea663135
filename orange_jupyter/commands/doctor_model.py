"""The doctor's look at a session's model: address, key, what the server offers, what its last test found (R-MOD-6)."""

from __future__ import annotations

import asyncio
import difflib
from dataclasses import replace
from typing import TYPE_CHECKING

from orange_jupyter.commands.checks import Check, Words, both, check, within
from orange_jupyter.commands.model_test import NAMES, SERVED
from orange_jupyter.commands.standing import Standing
from orange_jupyter.config import ModelSettings, Provider
from orange_jupyter.core.errors import ModelError, ModelFault, OrangeError
from orange_jupyter.providers.addresses import oddity, other_stem

if TYPE_CHECKING:
    from orange_jupyter.providers.offered import Enquiry

SECONDS = 20.0
MODEL: Words = ("Model", "模型")
ADDRESS: Words = ("Base URL", "Base URL")
OFFERED: Words = ("Models offered", "可用模型")
KEY: Words = ("Key", "密钥")
KEYRING: Words = ("Keyring", "密钥环")
TESTED: Words = ("Model test", "模型测试")
SHOWN = 8


async def model_checks(at: Standing) -> list[Check]:
    """The session's model, or each one behind a virtual name. Never raises OrangeError, never hangs."""
    name = at.opened.session.state.model
    try:
        settings = await asyncio.to_thread(at.app.models.settings, name)
        await (await at.app.model(name)).close()
    except OrangeError as error:
        return [_keyring(at), Check(MODEL, "failed", both(error.message), both(error.hint) if error.hint else None)]
    checks = [_keyring(at), await _model(at, name, settings)]
    for one in settings.any_of or [name]:
        own = await asyncio.to_thread(at.app.models.settings, one)
        if own.provider in SERVED:
            checks += await within(SECONDS, KEY, _key(at, one, own))
            checks += await within(SECONDS, OFFERED, _server(at, one, own))
            checks += await within(SECONDS, TESTED, _tested(at, one, own))
    return checks


def _keyring(at: Standing) -> Check:
    if at.app.ground.keys.has_keyring:
        return Check(KEYRING, "ok", ("keys are kept in this system's keyring.", "密钥保存在系统密钥环。"))
    file = at.app.ground.folders.home / "keys.toml"
    return Check(
        KEYRING, "ok", (f"none; keys are kept in {file} (mode 600).", f"没有；密钥保存在 {file}（模式 600）。")
    )


async def _model(at: Standing, name: str, settings: ModelSettings) -> Check:
    every = await asyncio.to_thread(at.app.ground.settings)
    only = every.localOnly
    if settings.provider is Provider.EMBEDDED:
        message: Words = (f"{name}, runs on this machine.", f"{name}，在本机运行。")
        action: Words = (
            "For a language model: %orange model add NAME --base-url URL --model ID.",
            "要用语言模型：%orange model add NAME --base-url URL --model ID。",
        )
        return Check(MODEL, "warning", message, action)
    bound: Words = (" localOnly is on.", " localOnly 已开启。") if only else ("", "")
    host = every.host(name) or settings.host or "this machine"
    return Check(MODEL, "ok", (f"{name}, text goes to {host}.{bound[0]}", f"{name}，文本发送到 {host}。{bound[1]}"))


async def _key(at: Standing, name: str, settings: ModelSettings) -> list[Check]:
    """Where the key lies; its value is nowhere shown."""
    found = await asyncio.to_thread(at.app.ground.keys.find, settings.key_name(name), settings.key_env)
    about = f"{name}: " if settings.gguf == "" else ""
    if found is not None:
        return [Check(KEY, "ok", (f"{about}set ({found.source}).", f"{about}已设置（{found.source}）。"))]
    if settings.local:
        return [Check(KEY, "ok", (f"{about}none, on this machine.", f"{about}无（本机）。"))]
    action = (f"%orange model key {name} asks for it.", f"%orange model key {name} 会询问密钥。")
    return [Check(KEY, "warning", (f"{about}none is set.", f"{about}未设置。"), action)]


async def _server(at: Standing, name: str, settings: ModelSettings) -> list[Check]:
    """The form of the address, and whether the server offers the model."""
    if settings.gguf:
        return [Check(OFFERED, "ok", (f"{settings.gguf} on this machine.", f"本机的 {settings.gguf}。"))]
    odd = oddity(settings.base_url, chat=settings.provider is Provider.OPENAI_COMPATIBLE)
    try:
        offered = await _offered(at, name, settings.base_url)
    except ModelError as error:
        better = await _at_v1(at, name, settings) if error.fault is ModelFault.NOT_A_MODEL_SERVER else None
        return [_address(settings.base_url, (odd[0], better or odd[1]) if odd else _missing(better)), _silent(error)]
    return [_address(settings.base_url, odd), _listed(settings.model, offered)]


def _missing(better: str | None) -> tuple[str, str] | None:
    return ("answers only with /v1 at its end", better) if better else None


def _address(base_url: str, odd: tuple[str, str] | None) -> Check:
    shown = base_url.partition("?")[0]
    if odd is None:
        return Check(ADDRESS, "ok", both(shown))
    action = (f"Set base_url = {odd[1]}", f"请设置 base_url = {odd[1]}")
    return Check(ADDRESS, "warning", (f"{shown} {odd[0]}.", f"{shown}：{odd[0]}。"), action)


def _silent(error: ModelError) -> Check:
    """A server that has no list may still answer; one that cannot be reached or refuses the key will not."""
    fatal = error.fault in (ModelFault.UNREACHABLE, ModelFault.KEY_REFUSED, ModelFault.TIMED_OUT)
    return Check(
        OFFERED, "failed" if fatal else "warning", both(error.message), both(error.hint) if error.hint else None
    )


def _listed(model: str, offered: tuple[str, ...]) -> Check:
    names = {model, f"{model}:latest", f"models/{model}"}
    if not offered:
        none: Words = ("The server's list of models is empty.", "服务器的模型列表是空的。")
        return Check(OFFERED, "warning", none, ("Load a model there.", "请在服务器上加载模型。"))
    if names & set(offered):
        return Check(OFFERED, "ok", (f"{model} is one of {len(offered)}.", f"{len(offered)} 个中有 {model}。"))
    near = difflib.get_close_matches(model, offered, n=SHOWN, cutoff=0.3) or list(offered[:SHOWN])
    message = (f"{model} is not in the server's list.", f"服务器的列表里没有 {model}。")
    return Check(OFFERED, "warning", message, (f"It has: {', '.join(near)}.", f"它有：{'、'.join(near)}。"))


async def _offered(at: Standing, name: str, base_url: str) -> tuple[str, ...]:
    enquiry = await _enquiry(at, name, base_url)
    try:
        return await enquiry.models()
    finally:
        await enquiry.close()


async def _at_v1(at: Standing, name: str, settings: ModelSettings) -> str | None:
    """The address with /v1, where that is the one that answers."""
    better = other_stem(settings.base_url)
    if better is None or settings.provider is not Provider.OPENAI_COMPATIBLE:
        return None
    try:
        await _offered(at, name, better)
    except ModelError:
        return None
    return better


async def _enquiry(at: Standing, name: str, base_url: str) -> Enquiry:
    from orange_jupyter.providers.offered import Enquiry

    def make() -> Enquiry:
        provider = at.app.models.settings(name).provider
        return Enquiry(replace(at.app.models.server(name), base_url=base_url), provider)

    return await asyncio.to_thread(make)


async def _tested(at: Standing, name: str, settings: ModelSettings) -> list[Check]:
    """What the last `model test` found: streaming, tool calls, vision, context."""
    trial = await asyncio.to_thread(at.app.ground.trials.of, name, settings.base_url, settings.model)
    action = (f"%orange model test {name}", f"%orange model test {name}")
    if trial is None:
        return [Check(TESTED, "warning", (f"{name} was not tested yet.", f"{name} 还没有测试过。"), action)]
    checks = [Check(TESTED, "ok", (f"{trial.at}, mode {trial.mode}.", f"{trial.at}，模式 {trial.mode}。"))]
    for found in trial.checks:
        if found.name == "connection":
            continue
        shown = NAMES.get(found.name, both(found.name))
        label = (shown[0].capitalize(), shown[1])
        checks.append(check(label, found.ok, both(found.message), action, bad="warning"))
    return checks
