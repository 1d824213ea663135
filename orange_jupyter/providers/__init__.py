"""Models: OpenAI-compatible servers, Anthropic, the embedded default, the scripted fake. `PROVIDERS` names them all.

A provider is a class with `info`, `respond` and `close` (core.ports.Model), one function here and one line below.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableMapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from orange_jupyter.core.document import PictureLimits
from orange_jupyter.core.errors import UsageError
from orange_jupyter.core.ports import Model
from orange_jupyter.providers.settings import Blob, Pacing, ServerSettings

if TYPE_CHECKING:
    from orange_jupyter.providers.dialect import Dialect
    from orange_jupyter.providers.llama_server import LlamaServer


@dataclass(frozen=True, slots=True)
class ModelEntry:
    """One configured model: `server` for a provider with an address, `script` for the scripted one, `members` for
    a virtual one. `local` is what serves a GGUF on this machine; `pacing` of None is the usual
    one; `learnt` is what servers refused so far; `pictures` are the limits of one without a server of its own."""

    name: str
    server: ServerSettings | None = None
    pacing: Pacing | None = None
    local: LlamaServer | None = None
    learnt: MutableMapping[str, Dialect] | None = None
    script: Path | None = None
    members: tuple[Model, ...] = ()
    pictures: PictureLimits = field(default_factory=PictureLimits)


def _openai_compatible(entry: ModelEntry, blob: Blob) -> Model:
    from orange_jupyter.providers.openai_compatible import OpenAICompatible

    def speak(at: ServerSettings) -> Model:
        return OpenAICompatible(at, blob, pacing=entry.pacing, learnt=entry.learnt)

    if entry.local is None:
        return speak(_server(entry))
    from orange_jupyter.providers.local_model import LocalModel

    return LocalModel(_server(entry), entry.local, speak)


def _anthropic_messages(entry: ModelEntry, blob: Blob) -> Model:
    from orange_jupyter.providers.anthropic_messages import AnthropicMessages

    return AnthropicMessages(_server(entry), blob, pacing=entry.pacing, learnt=entry.learnt)


def _server(entry: ModelEntry) -> ServerSettings:
    if entry.server is None:
        raise UsageError(f"model {entry.name} needs a base URL", hint="orange-jupyter model add NAME --base-url URL")
    return entry.server


def _embedded(entry: ModelEntry, _: Blob) -> Model:
    from orange_jupyter.providers.embedded import Embedded

    return Embedded(entry.name)


def _scripted(entry: ModelEntry, _: Blob) -> Model:
    from orange_jupyter.providers.scripted import Scripted, load_script

    if entry.script is None:
        raise UsageError(f"model {entry.name} needs a script", hint="set `script` to the path of a JSON file")
    return Scripted(load_script(entry.script), name=entry.name, pictures=entry.pictures)


def _virtual(entry: ModelEntry, _: Blob) -> Model:
    from orange_jupyter.providers.virtual import Virtual

    return Virtual(entry.name, entry.members, pictures=entry.pictures)


PROVIDERS: Mapping[str, Callable[[ModelEntry, Blob], Model]] = MappingProxyType(
    {
        "openai_compatible": _openai_compatible,
        "anthropic": _anthropic_messages,
        "embedded": _embedded,
        "scripted": _scripted,
        "virtual": _virtual,
    }
)
"""Provider name in the settings → its constructor, which imports its module late: httpx costs 76 ms.

They raise UsageError for a missing setting, ConfigError for a wrong script.
"""


def open_model(provider: str, entry: ModelEntry, blob: Blob) -> Model:
    """The model of one configuration entry. Raises UsageError for an unknown provider or a missing setting."""
    make = PROVIDERS.get(provider)
    if make is None:
        raise UsageError(f"there is no provider {provider!r}", hint=f"one of: {', '.join(PROVIDERS)}")
    return make(entry, blob)
