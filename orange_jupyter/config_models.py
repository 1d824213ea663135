"""One `[models.NAME]` of the person's config.toml as a value (R-MOD-2)."""

from __future__ import annotations

import ipaddress
import re
import urllib.parse
from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, JsonValue, field_validator, model_validator

from orange_jupyter.core.document import PictureLimits
from orange_jupyter.core.errors import WebError


class Table(BaseModel):
    """Base of one table of the file: frozen, no coercion beyond int to float, unknown keys refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, hide_input_in_errors=True)


class Provider(StrEnum):
    """What speaks to a model."""

    OPENAI_COMPATIBLE = "openai_compatible"
    ANTHROPIC = "anthropic"
    EMBEDDED = "embedded"
    SCRIPTED = "scripted"
    VIRTUAL = "virtual"


class SearchSettings(Table):
    """`[web.search]` (R-WEB-2): a backend without a key, or an endpoint that answers in JSON.

    `url` holds `{query}`; `results` is the dotted path of the list, the others name the fields of one result.
    """

    backend: Literal["duckduckgo", "json", "off"] = "duckduckgo"
    url: str = Field("", max_length=2_000)
    results: str = "results"
    title: str = "title"
    link: str = "url"
    snippet: str = "content"
    date: str = "publishedDate"

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if (self.backend == "json") != bool(self.url):
            raise ValueError('backend = "json" and url go together')
        if self.url and "{query}" not in self.url.partition("://")[2].partition("/")[2]:
            raise ValueError("url must hold {query} behind its host, where the words are put")
        if self.url:
            _web_address(self.url.replace("{query}", "q"))
        return self

    @property
    def fields(self) -> dict[str, str]:
        """The names as the search takes them."""
        names = {"results": self.results, "title": self.title, "url": self.link}
        return {**names, "snippet": self.snippet, "date": self.date}


class WebSettings(Table):
    """`[web]` (R-WEB-3): `allow_hosts` are hosts of the person's own network that may be read, a port behind or not."""

    allow_hosts: list[str] = Field(default_factory=list, max_length=100)
    search: SearchSettings = SearchSettings()

    @field_validator("allow_hosts")
    @classmethod
    def _hosts(cls, value: list[str]) -> list[str]:
        for host in value:
            _web_address(host, spot=True)
        return value


def _web_address(written: str, *, spot: bool = False) -> None:
    """Refuse what is no web address, or with `spot` no host with or without a port. Raises ValueError."""
    from orange_jupyter.local.web.places import read_place, read_spot

    try:
        _ = read_spot(written) if spot else read_place(written)
    except WebError as error:
        raise ValueError(error.message) from None


_OWN_FIELDS = frozenset({"model", "messages", "system", "tools", "stream", "max_tokens", "max_completion_tokens"})

ADDRESSES: Mapping[Provider, str] = MappingProxyType({Provider.ANTHROPIC: "https://api.anthropic.com"})
"""Base URLs of providers that have one of their own."""


class Prices(Table):
    """Prices in one currency per million tokens; a cache price that is missing counts as `input`."""

    input: float = Field(ge=0)
    output: float = Field(ge=0)
    cache_read: float | None = Field(None, ge=0)
    cache_write: float | None = Field(None, ge=0)


class Resize(Table):
    """`input_limits.images.resize` of a model (R-IMG-1): pixels a side, bytes of base64 text, JPEG quality.

    R-READ-8's 2,048 px and 4 MB are caps above them.
    """

    maxWidth: int = Field(2_000, ge=1)
    maxHeight: int = Field(2_000, ge=1)
    maxBytes: int = Field(4_718_592, ge=1)
    jpegQuality: int = Field(80, ge=1, le=100)


class ImageLimits(Table):
    """`input_limits.images` of a model."""

    resize: Resize = Resize()


class InputLimits(Table):
    """`input_limits` of a model."""

    images: ImageLimits = ImageLimits()


class ModelSettings(Table):
    """One `[models.NAME]`. Sizes in tokens; `key_env` names the environment variable that holds the key.

    `extra_body` are further fields of every request, as the server documents them (`thinking`, `reasoning_effort` …).
    `any_of` names the models behind a virtual one, in order (R-MOD-9). `gguf` is the path of a model file that a
    llama.cpp server on this machine is started for, in place of `base_url` (R-MOD-7).
    """

    provider: Annotated[Provider, Field(strict=False)]
    base_url: str = ""
    model: str = ""
    key_env: str | None = None
    script: str = ""
    gguf: str = ""
    any_of: list[str] = Field(default_factory=list)
    context_window: int = Field(32_768, ge=1_024)
    max_output: int | None = Field(None, ge=1)
    vision: bool = False
    sendImages: bool = True
    tools: bool = True
    mode: Literal["native", "envelope"] = "native"
    headers: dict[str, str] = Field(default_factory=dict, repr=False)
    extra_body: dict[str, JsonValue] = Field(default_factory=dict)
    prices: Prices | None = None
    input_limits: InputLimits = InputLimits()

    @model_validator(mode="before")
    @classmethod
    def _own_address(cls, values: Any) -> Any:
        """A provider with one address needs none in the file, and `any_of` says that a model is virtual."""
        if isinstance(values, dict) and values.get("any_of") and "provider" not in values:
            return {**values, "provider": Provider.VIRTUAL}
        if isinstance(values, dict) and not values.get("base_url") and values.get("provider") in ADDRESSES:
            return {**values, "base_url": ADDRESSES[Provider(values["provider"])]}
        return values

    @field_validator("base_url")
    @classmethod
    def _address(cls, value: str) -> str:
        parts = urllib.parse.urlsplit(value)
        if value and (parts.scheme not in ("http", "https") or not parts.hostname):
            raise ValueError("must be an http:// or https:// address")
        if parts.username or parts.password:
            raise ValueError("must not hold a user or password; use key_env or `%orange model key`")
        return value.rstrip("/")

    @field_validator("key_env")
    @classmethod
    def _variable(cls, value: str | None) -> str | None:
        if value is not None and not re.fullmatch("[A-Za-z_][A-Za-z0-9_]{0,100}", value):
            raise ValueError("must be the name of an environment variable, not the key itself")
        return value

    @field_validator("extra_body")
    @classmethod
    def _extra(cls, value: dict[str, JsonValue]) -> dict[str, JsonValue]:
        own = sorted(_OWN_FIELDS & set(value))
        if own:
            raise ValueError(f"cannot set {own[0]}: that field is Orange's own")
        return value

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if self.gguf and (self.base_url or self.provider is not Provider.OPENAI_COMPATIBLE):
            raise ValueError("gguf goes with the provider openai_compatible and takes the place of base_url")
        if self.provider is Provider.OPENAI_COMPATIBLE and not (self.gguf or (self.base_url and self.model)):
            raise ValueError("a model of the provider openai_compatible needs base_url and model, or gguf")
        if self.provider is Provider.ANTHROPIC and not self.model:
            raise ValueError("a model of the provider anthropic needs model")
        if (self.provider is Provider.VIRTUAL) != bool(self.any_of):
            raise ValueError("any_of names the models of a virtual model, and only of one")
        return self

    @property
    def pictures(self) -> PictureLimits:
        """The limits of a picture for this model; base64 text takes four characters for three bytes."""
        resize = self.input_limits.images.resize
        return PictureLimits(resize.maxWidth, resize.maxHeight, resize.maxBytes // 4 * 3, resize.jpegQuality)

    @property
    def host(self) -> str:
        """The host that receives text, with its port where one is given; "" for none (R-MOD-11).

        For a virtual model the names of its models, each of which has a host of its own.
        """
        if self.any_of:
            return ", ".join(self.any_of)
        if self.gguf:
            return "127.0.0.1"
        return urllib.parse.urlsplit(self.base_url).netloc

    def key_name(self, name: str) -> str:
        """What a key of the model `name` is kept under: it names the server, so no other server ever gets it (S03).

        A host is the same in small and capital letters, and with its scheme's own port; a `gguf` has this machine's.
        """
        parts = urllib.parse.urlsplit("http://127.0.0.1" if self.gguf else self.base_url)
        port = {"https": ":443", "http": ":80"}.get(parts.scheme, "")
        return f"{name} @ {parts.scheme}://{parts.netloc.lower().removesuffix(port)} ({self.provider})"

    @property
    def local(self) -> bool:
        """Whether text stays on this machine: no address, or a loopback one."""
        name = urllib.parse.urlsplit(self.base_url).hostname
        if not name or name == "localhost":
            return True
        try:
            return ipaddress.ip_address(name).is_loopback
        except ValueError:
            return False
