"""Makes a model from the person's settings: the one place that knows which class a provider has."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import SecretStr

from orange_jupyter.config import ModelSettings, Provider
from orange_jupyter.core.errors import ConfigError
from orange_jupyter.core.ports import Model
from orange_jupyter.ground import Ground
from orange_jupyter.prices import Priced

if TYPE_CHECKING:
    from orange_jupyter.providers.settings import ServerSettings


class Models:
    """Models by name. A scripted one is kept, since its script goes on from turn to turn."""

    def __init__(self, ground: Ground) -> None:
        self._ground = ground
        self._scripted: dict[str, Model] = {}

    def make(self, name: str) -> Model:
        """The model `name` as the settings are now. Raises ConfigError; reads the key, so call it off the loop."""
        settings = self._ground.settings().model(name, str(self._ground.folders.config))
        for key, built in (("mode", settings.mode == "native"), ("tools", settings.tools)):
            if not built:
                reason = f"{key} = {str(getattr(settings, key)).lower()} is not built yet: only native tool calls work"
                config = str(self._ground.folders.config)
                raise ConfigError(reason, file=config, key=f"models.{name}.{key}", hint="Take this setting out.")
        match settings.provider:
            case Provider.EMBEDDED:
                from orange_jupyter.providers.embedded import Embedded

                return Embedded(name)
            case Provider.SCRIPTED:
                return self._script(name, settings)
            case Provider.VIRTUAL:
                return self._virtual(name, settings)
            case Provider.OPENAI_COMPATIBLE:
                from orange_jupyter.providers.openai_compatible import OpenAICompatible

                return OpenAICompatible(self._server(name, settings), self._ground.blobs.get)
            case Provider.ANTHROPIC:
                from orange_jupyter.providers.anthropic_messages import AnthropicMessages

                return AnthropicMessages(self._server(name, settings), self._ground.blobs.get)

    def _script(self, name: str, settings: ModelSettings) -> Model:
        from orange_jupyter.providers.scripted import Scripted, load_script

        if not settings.script:
            raise ConfigError(
                "a scripted model needs `script`, the path of its JSON file",
                file=str(self._ground.folders.config),
                key=f"models.{name}.script",
            )
        if name not in self._scripted:
            self._scripted[name] = Scripted(load_script(Path(settings.script)), name=name)
        return self._scripted[name]

    def _virtual(self, name: str, settings: ModelSettings) -> Model:
        """The models behind a name; each is checked like one that is used by itself (localOnly too)."""
        from orange_jupyter.providers.virtual import Virtual

        nested = [one for one in settings.any_of if self._is_virtual(one)]
        if nested:
            raise ConfigError(
                f"{nested[0]} is a virtual model itself",
                file=str(self._ground.folders.config),
                key=f"models.{name}.any_of",
                hint="name the models behind it",
            )
        return Virtual(name, tuple(self._member(one) for one in settings.any_of))

    def _member(self, name: str) -> Model:
        """A model behind another name: what it costs is counted by its own prices."""
        prices = self._ground.settings().model(name, str(self._ground.folders.config)).prices
        model = self.make(name)
        return Priced(model, prices) if prices is not None else model

    def _is_virtual(self, name: str) -> bool:
        known = self._ground.settings().models.get(name)
        return known is not None and known.provider is Provider.VIRTUAL

    def _server(self, name: str, settings: ModelSettings) -> ServerSettings:
        from orange_jupyter.providers.settings import ServerSettings

        key = self._ground.keys.find(name, settings.key_env)
        return ServerSettings(
            name=name,
            base_url=settings.base_url,
            model=settings.model,
            api_key=SecretStr(key.value) if key else None,
            context_window=settings.context_window,
            max_output=settings.max_output,
            vision=settings.vision and settings.sendImages,
            headers=tuple(settings.headers.items()),
            proxy=None if settings.local else self._ground.proxy(),
            extra_body=settings.extra_body,
            local_only=self._ground.settings().localOnly,
        )
