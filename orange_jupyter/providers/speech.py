"""How a family of servers is spoken to: everything in which its adapter differs, as one value."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from orange_jupyter.core.messages import Reply, Request, Usage
from orange_jupyter.providers.assemble import Assembler
from orange_jupyter.providers.dialect import Dialect
from orange_jupyter.providers.pieces import Emit
from orange_jupyter.providers.settings import ServerSettings


class ServerSaidError(Exception):
    """The chunk is an error object; `error` is what stood in it."""

    def __init__(self, error: Any) -> None:
        super().__init__("the server sent an error object")
        self.error = error


class Folds(Protocol):
    """One answer under construction. `understood`: something of it was one; `ended`: the server said so."""

    usage: Usage
    understood: bool
    ended: bool

    @property
    def shown(self) -> bool:
        """Whether a person has seen anything of it."""
        ...

    def feed(self, chunk: dict[str, Any]) -> None:
        """Take the data of one event, or the whole answer that did not stream. Raises ServerSaidError."""
        ...

    def reply(self, model: str) -> Reply:
        """The whole answer, after the last chunk."""
        ...


@dataclass(frozen=True, slots=True)
class Wording:
    """What turns a request into a body: settings, the server's dialect, pictures as data URLs by sha256."""

    settings: ServerSettings
    dialect: Dialect
    pictures: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Speech:
    """One API. `path` follows the base URL, whose end may already hold `endings`; the key goes into `key_header`.

    `answer` and `address_form` are words for the person; `headers` stand beside the key. `formats`: the API knows
    `response_format`. `listing` follows the base URL as `path` does and names the models.
    """

    answer: str
    path: str
    endings: tuple[str, ...]
    address_form: str
    key_header: str
    body: Callable[[Wording, Request], dict[str, Any]]
    folding: Callable[[Assembler, Emit], Folds]
    key_prefix: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    formats: bool = False
    listing: str = "/models"

    def endpoint(self, settings: ServerSettings) -> str:
        """The address that requests are posted to; a query (Azure's api-version) stays at the end."""
        return self._at(settings, self.path)

    def listing_of(self, settings: ServerSettings) -> str:
        """The address at which the server names its models."""
        return self._at(settings, self.listing)

    def _at(self, settings: ServerSettings, path: str) -> str:
        _, mark, query = settings.base_url.partition("?")
        stem = settings.address
        for ending in self.endings:
            stem = stem.removesuffix(ending)
        return f"{stem}{path}{mark}{query}"
