"""`%orange model`: list, use, add, key, test (R-MOD-2, R-NB-3)."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from orange_jupyter.commands.model_test import test
from orange_jupyter.commands.standing import ENGLISH, Standing, choose, none, one, plain, table, take
from orange_jupyter.config import EMBEDDED, ModelSettings, Provider, Settings, add_model, use_model
from orange_jupyter.core.errors import UsageError
from orange_jupyter.core.masking import MASK
from orange_jupyter.core.pasted import pasted_keys
from orange_jupyter.jupyter.ports import CommandReply
from orange_jupyter.jupyter.strings import Say

USAGE = (
    "%orange model list | use NAME | add NAME --provider P --base-url URL --model ID … | add NAME --gguf FILE | "
    "key NAME | test [NAME]"
)
OPTIONS = (
    "--provider",
    "--base-url",
    "--model",
    "--key-env",
    "--context",
    "--max-output",
    "--vision",
    "--mode",
    "--script",
    "--gguf",
)


def refuse_keys(at: Standing, words: tuple[str, ...]) -> None:
    """Refuse a line in which a key stands, also one that the notebook masked already. Raises UsageError."""
    pasted = pasted_keys(("model", *words)) or [word for word in words if MASK in word or at.app.find_secrets(word)]
    if pasted:
        raise UsageError(at.say("model.pasted"), hint=at.say("model.pasted.hint"))


async def model(at: Standing, words: tuple[str, ...]) -> CommandReply:
    """Run one verb; `list` without any. A key among the words is refused and never repeated."""
    refuse_keys(at, words)
    verb, rest = choose(words, ("list", "use", "add", "key", "test"), "model", at.say)
    match verb:
        case "use":
            return await _use(at, one(rest, "%orange model use NAME", at.say))
        case "add":
            return await _add(at, rest)
        case "key":
            return await _key(at, one(rest, "%orange model key NAME", at.say))
        case "test":
            return await test(at, rest[0] if rest else at.opened.session.state.model)
        case _:
            none(rest, USAGE, at.say)
            return await listed(at, at.opened.session.state.model)


def described(settings: Settings, selected: str) -> list[dict[str, Any]]:
    """The `models[]` of `model list` (R-SCH-10)."""
    names = dict.fromkeys((EMBEDDED, *settings.models))
    return [document(name, settings, selected) for name in names]


def document(name: str, settings: Settings, selected: str) -> dict[str, Any]:
    """One model as programs see it."""
    known = settings.models.get(name) or ModelSettings(provider=Provider.EMBEDDED)
    return {
        "name": name,
        "provider": str(known.provider),
        "host": settings.host(name),
        "model": known.model,
        "contextWindow": known.context_window,
        "maxOutput": known.max_output,
        "vision": known.vision,
        "tools": known.tools,
        "mode": known.mode,
        "selected": name == selected,
    }


async def listed(at: Standing, now: str) -> CommandReply:
    """Every model; `now` is the one that is marked."""
    say = at.say
    settings = await asyncio.to_thread(at.app.ground.settings)
    models = described(settings, now)
    rows = [
        (
            say("now") if one["name"] == now else "",
            one["name"],
            one["provider"],
            one["host"] or say("here"),
            f"{one['contextWindow']:,}",
        )
        for one in models
    ]
    shown = table(("", *(say(key) for key in ("model", "model.provider", "model.goes", "model.window"))), rows)
    return CommandReply(shown, {"ok": True, "models": models})


async def _use(at: Standing, name: str) -> CommandReply:
    await at.opened.session.use_model(name)
    settings = await asyncio.to_thread(at.app.ground.settings)
    about = document(name, settings, name)
    where = plain(about["host"] or at.say("model.here"))
    return CommandReply(at.say("model.used", name=plain(name), host=where), {"ok": True, "model": about})


async def use_by_default(at: Standing, name: str) -> CommandReply:
    """Set the default of this ORANGE_HOME (the command line's `model use`)."""
    settings = await asyncio.to_thread(use_model, at.app.ground.folders.config, name)
    data = {"ok": True, "model": document(name, settings, name)}
    return CommandReply(at.say("model.default", name=plain(name)), data)


async def _add(at: Standing, words: tuple[str, ...]) -> CommandReply:
    flags = tuple("--vision=true" if word == "--vision" else word for word in words)
    rest, given = take(flags, OPTIONS, USAGE, at.say)
    name = one(rest, USAGE, at.say)
    described = described_by(given, name, at.say)
    told = await _replaced(at, name, described)
    settings = await asyncio.to_thread(add_model, at.app.ground.folders.config, name, described)
    data = {"ok": True, "model": document(name, settings, at.opened.session.state.model)}
    return CommandReply(f"{at.say('model.added', name=plain(name))}{told}", data)


async def _replaced(at: Standing, name: str, described: ModelSettings) -> str:
    """What a person must know where the name meant another model; a key stays with its server."""
    settings = await asyncio.to_thread(at.app.ground.settings)
    before = settings.models.get(name)
    if before is None:
        return ""
    told = f" {at.say('model.replaced', host=plain(settings.host(name) or at.say('here')))}"
    if before.key_name(name) == described.key_name(name):
        return told
    kept = await asyncio.to_thread(at.app.ground.keys.find, before.key_name(name))
    return f"{told} {at.say('model.key.stays')}" if kept else told


def described_by(given: dict[str, str], name: str, say: Say = ENGLISH) -> ModelSettings:
    """Options as settings; a server's model is called like the name where no id is given. Raises UsageError."""
    fields: dict[str, Any] = {
        "provider": given.get("--provider", "openai_compatible"),
        "base_url": given.get("--base-url", ""),
        "model": given.get("--model") or (name if given.get("--base-url") else ""),
        "key_env": given.get("--key-env"),
        "vision": given.get("--vision") == "true",
        "script": given.get("--script", ""),
        "gguf": str(Path(given["--gguf"]).expanduser().absolute()) if given.get("--gguf") else "",
    }
    for option, field in (("--context", "context_window"), ("--max-output", "max_output")):
        if option in given:
            if not given[option].isdigit():
                raise UsageError(say("model.number", option=option, word=given[option]))
            fields[field] = int(given[option])
    if "--mode" in given:
        fields["mode"] = given["--mode"]
    try:
        return ModelSettings(**fields)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"]) or "model"
        raise UsageError(f"{where}: {first['msg'].removeprefix('Value error, ')}.", hint=USAGE) from None


async def _key(at: Standing, name: str) -> CommandReply:
    settings = await asyncio.to_thread(at.app.ground.settings)
    if name not in settings.models:  # the word may be a key of an unknown shape: it is not repeated
        known = ", ".join(settings.models) or at.say("nothing")
        raise UsageError(at.say("model.unnamed", names=known), hint=at.say("model.pasted.hint"))
    model = settings.models[name]
    if model.any_of:
        raise UsageError(at.say("model.key.virtual", name=plain(name), names=", ".join(model.any_of)))
    value = await at.secret(at.say("model.ask", name=name))
    if not value or not value.strip():
        raise UsageError(at.say("model.keyless"))
    source = await asyncio.to_thread(at.app.ground.keys.set, model.key_name(name), value.strip())
    await at.app.learn_secrets()
    told = at.say(f"model.kept.{source}", name=plain(name))
    return CommandReply(told, {"ok": True, "model": name, "kept": str(source)})
