"""Models by name, made from the person's settings through the list of providers; what they cost is counted here."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import SecretStr

from orange_jupyter.config import ModelSettings, Provider
from orange_jupyter.core.document import PictureLimits
from orange_jupyter.core.errors import ConfigError
from orange_jupyter.core.ports import Model
from orange_jupyter.ground import Ground
from orange_jupyter.prices import Priced
from orange_jupyter.providers import ModelEntry, open_model

if TYPE_CHECKING:
    from orange_jupyter.providers.dialect import Dialect
    from orange_jupyter.providers.llama_process import LocalFile
    from orange_jupyter.providers.llama_server import LlamaServer
    from orange_jupyter.providers.settings import Pacing, ServerSettings

TRIAL_OUTPUT = 2_000
"""Tokens of an answer to a tiny request: enough to think before a word, not for a model that never ends."""


class Models:
    """Models by name. A scripted one is kept, since its script goes on from turn to turn; so are local servers."""

    def __init__(self, ground: Ground) -> None:
        self._ground = ground
        self._scripted: dict[str, Model] = {}
        self._learnt: dict[str, Dialect] = {}
        self._servers: dict[LocalFile, LlamaServer] = {}

    def make(self, name: str) -> Model:
        """The model `name` as the settings are now. Raises ConfigError; reads the key, so call it off the loop."""
        settings = self.settings(name)
        if settings.provider is Provider.SCRIPTED and name in self._scripted:
            model = self._scripted[name]
        else:
            model = open_model(settings.provider, self._entry(name, settings), self._ground.blobs.get)
        if settings.provider is Provider.SCRIPTED:
            self._scripted[name] = model
        return Priced(model, settings.prices) if settings.prices is not None else model

    def for_trial(self, name: str, pacing: Pacing, *, envelope: bool | None = None) -> Model:
        """The model `name` with other time limits, short answers, in a mode of choice. Raises ConfigError."""
        settings = self.settings(name)
        entry = replace(self._entry(name, settings), pacing=pacing)
        if entry.server is not None:
            short = min(settings.max_output or TRIAL_OUTPUT, TRIAL_OUTPUT)
            wrapped = entry.server.envelope if envelope is None else envelope
            entry = replace(entry, server=replace(entry.server, envelope=wrapped, max_output=short))
        return open_model(settings.provider, entry, self._ground.blobs.get)

    def settings(self, name: str) -> ModelSettings:
        """What is configured for `name` now. Raises ConfigError, UsageError."""
        return self._ground.settings().model(name, self._file)

    def pictures(self, name: str, replied: str | None = None) -> PictureLimits:
        """The limits of a picture for the model `name` (R-IMG-1, R-IMG-2). Raises ConfigError, UsageError.

        For a virtual one those of its member with the model id `replied`, which gave the newest reply; else its own
        where it has some, else its first member's.
        """
        settings = self.settings(name)
        members = [(one, self.settings(one)) for one in settings.any_of]
        for one, member in members:
            if replied == (member.model or one):
                return member.pictures
        own = "input_limits" in settings.model_fields_set or not members
        return settings.pictures if own else members[0][1].pictures

    def server(self, name: str) -> ServerSettings:
        """The address of `name` with its key. Raises ConfigError, UsageError for a model without an address."""
        return self._server(name, self.settings(name))

    def close(self) -> None:
        """End the servers that were started here; blocks until they are gone."""
        for server in self._servers.values():
            server.stop()

    @property
    def _file(self) -> str:
        return str(self._ground.folders.config)

    def _entry(self, name: str, settings: ModelSettings) -> ModelEntry:
        match settings.provider:
            case Provider.EMBEDDED:
                return ModelEntry(name)
            case Provider.SCRIPTED:
                return ModelEntry(name, script=self._script(name, settings), pictures=settings.pictures)
            case Provider.VIRTUAL:
                members = self._members(name, settings)
                return ModelEntry(name, members=members, pictures=self.pictures(name))
            case Provider.OPENAI_COMPATIBLE if settings.gguf:
                return self._local(name, settings)
            case Provider.OPENAI_COMPATIBLE | Provider.ANTHROPIC:
                return ModelEntry(name, server=self._server(name, settings), learnt=self._learnt)

    def _local(self, name: str, settings: ModelSettings) -> ModelEntry:
        """A GGUF on this machine; its server is shared by all models and turns of this process that use the file."""
        from orange_jupyter.providers.llama_process import LocalFile
        from orange_jupyter.providers.llama_server import LlamaServer

        model = settings.model or name
        file = LocalFile(Path(settings.gguf).expanduser().absolute(), settings.context_window, model)
        server = self._servers.setdefault(file, LlamaServer(file, self._ground.environ))
        placed = settings.model_copy(update={"base_url": "http://127.0.0.1", "model": model})
        return ModelEntry(name, server=self._server(name, placed), local=server)

    def _script(self, name: str, settings: ModelSettings) -> Path:
        if not settings.script:
            reason = "a scripted model needs `script`, the path of its JSON file"
            raise ConfigError(reason, file=self._file, key=f"models.{name}.script")
        return Path(settings.script)

    def _members(self, name: str, settings: ModelSettings) -> tuple[Model, ...]:
        """The models behind a name; each is checked like one that is used by itself (localOnly too)."""
        nested = [one for one in settings.any_of if self._is_virtual(one)]
        if nested:
            reason = f"{nested[0]} is a virtual model itself"
            hint = "name the models behind it"
            raise ConfigError(reason, file=self._file, key=f"models.{name}.any_of", hint=hint)
        return tuple(self.make(one) for one in settings.any_of)

    def _is_virtual(self, name: str) -> bool:
        known = self._ground.settings().models.get(name)
        return known is not None and known.provider is Provider.VIRTUAL

    def _server(self, name: str, settings: ModelSettings) -> ServerSettings:
        from orange_jupyter.providers.settings import ServerSettings

        key = self._ground.keys.find(settings.key_name(name), settings.key_env)
        blocked = "sendImages is off for this model" if settings.vision and not settings.sendImages else ""
        return ServerSettings(
            name=name,
            base_url=settings.base_url,
            model=settings.model,
            api_key=SecretStr(key.value) if key else None,
            context_window=settings.context_window,
            max_output=settings.max_output,
            vision=settings.vision and settings.sendImages,
            why_blind=blocked,
            pictures=settings.pictures,
            headers=tuple(settings.headers.items()),
            proxy=None if settings.local else self._ground.proxy(),
            extra_body=settings.extra_body,
            local_only=self._ground.settings().localOnly,
            envelope=settings.mode == "envelope" or not settings.tools,
        )
