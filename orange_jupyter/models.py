"""Makes a model from the person's settings: the one place that knows which class a provider has."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import SecretStr

from orange_jupyter.config import ModelSettings, Provider
from orange_jupyter.core.errors import ConfigError
from orange_jupyter.core.ports import Model
from orange_jupyter.ground import Ground
from orange_jupyter.prices import Priced

if TYPE_CHECKING:
    from orange_jupyter.providers.llama_process import LocalFile
    from orange_jupyter.providers.llama_server import LlamaServer
    from orange_jupyter.providers.settings import ServerSettings


class Models:
    """Models by name. A scripted one is kept, since its script goes on from turn to turn; so are local servers."""

    def __init__(self, ground: Ground) -> None:
        self._ground = ground
        self._scripted: dict[str, Model] = {}
        self._servers: dict[LocalFile, LlamaServer] = {}

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
                return self._chat(name, settings)
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

    def _chat(self, name: str, settings: ModelSettings) -> Model:
        """A chat-completions server: the person's, or one that is started for a GGUF."""
        from orange_jupyter.providers.openai_compatible import OpenAICompatible

        def speak(at: ServerSettings) -> Model:
            return OpenAICompatible(at, self._ground.blobs.get)

        return self._local(name, settings, speak) if settings.gguf else speak(self._server(name, settings))

    def _local(self, name: str, settings: ModelSettings, speak: Callable[[ServerSettings], Model]) -> Model:
        """A GGUF on this machine; its server is shared by all models and turns of this process that use the file."""
        from orange_jupyter.providers.llama_process import LocalFile
        from orange_jupyter.providers.llama_server import LlamaServer
        from orange_jupyter.providers.local_model import LocalModel

        model = settings.model or name
        file = LocalFile(Path(settings.gguf).expanduser().absolute(), settings.context_window, model)
        server = self._servers.setdefault(file, LlamaServer(file, self._ground.environ))
        placed = settings.model_copy(update={"base_url": "http://127.0.0.1", "model": model})
        return LocalModel(self._server(name, placed), server, speak)

    def close(self) -> None:
        """End the servers that were started here; blocks until they are gone."""
        for server in self._servers.values():
            server.stop()

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
