"""The settings of one model server as a frozen value, and the clocks of its retries; made by the composition root."""

from __future__ import annotations

import asyncio
import ipaddress
import random
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from pydantic import SecretStr

from orange_jupyter.core.document import PictureLimits
from orange_jupyter.core.errors import UsageError
from orange_jupyter.providers.dialect import EmptyContent

Blob = Callable[[str], Awaitable[bytes]]
"""The bytes of a picture by its sha256. Raises EvidenceError when they are gone."""


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """One model behind an address.

    `base_url` ends before `/chat/completions` or `/v1/messages` (`https://api.openai.com/v1`). `proxy` is the address
    of a proxy that the person's own environment or configuration names; nothing else can set one. `ca_file` replaces
    the bundled certificates. `recover_text_calls` lets calls written as text run (wire row 9). `empty_content` of None
    is what the server is known to take. `extra_body` are further fields of every request (`reasoning_effort`,
    `thinking` …). `local_only` refuses an address that is not this machine (R-MOD-11). `envelope` asks for tool calls
    as JSON text (R-MOD-10). `why_blind` says why pictures are not sent where `vision` is off; `pictures` is what
    one may measure (R-IMG-1).
    """

    name: str
    base_url: str
    model: str
    api_key: SecretStr | None = None
    context_window: int = 32_768
    max_output: int | None = None
    vision: bool = False
    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    proxy: str | None = field(default=None, repr=False)
    ca_file: str | None = None
    empty_content: EmptyContent | None = None
    reasoning_back: bool = True
    recover_text_calls: bool = False
    extra_body: Mapping[str, Any] = field(default_factory=dict)
    local_only: bool = False
    envelope: bool = False
    why_blind: str = ""
    pictures: PictureLimits = field(default_factory=PictureLimits)

    def __post_init__(self) -> None:
        """Refuse what httpx would refuse later with the key in its error (U08). Raises UsageError."""
        parts = urlsplit(self.base_url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise UsageError(
                f"the base URL of model {self.name} is not an http(s) address",
                hint="it looks like https://api.openai.com/v1 or http://127.0.0.1:11434/v1",
            )
        if parts.username or parts.password:
            raise UsageError(f"the base URL of model {self.name} contains a key or password; set the key separately")
        if self.local_only and not is_loopback(parts.hostname):
            raise UsageError(
                f"localOnly is on and {parts.netloc} of model {self.name} is not this machine",
                hint="choose a model on this machine, or set localOnly = false",
            )
        # no local variable of this frame holds a secret: a verbose traceback shows them (U08)
        unsendable = [f"header {name}" for name, value in self.headers if not _can_be_sent(value)]
        if not _can_be_sent(self.key):
            unsendable.insert(0, "key")
        if unsendable:
            raise UsageError(
                f"the {unsendable[0]} of model {self.name} has characters that cannot be sent",
                hint="copy it again, without line breaks",
            )

    @property
    def key(self) -> str:
        """The key itself, "" for none."""
        return self.api_key.get_secret_value() if self.api_key is not None else ""

    @property
    def host(self) -> str:
        """Host and port that receive text, as shown to the person (R-MOD-11)."""
        return urlsplit(self.base_url).netloc

    @property
    def blind(self) -> str:
        """Why this model gets no pictures; "" where it sees (R-MOD-8)."""
        return "" if self.vision else self.why_blind or f"the vision switch of model {self.name} is off"

    @property
    def address(self) -> str:
        """The base URL without its query, for messages."""
        return self.base_url.partition("?")[0].rstrip("/")

    @property
    def secrets(self) -> tuple[str, ...]:
        """What must not appear in any text: the key and the values of extra headers."""
        return tuple(text for text in (self.key, *(value for _, value in self.headers)) if len(text) >= 6)


def is_loopback(host: str) -> bool:
    """Whether a host's name or address is this machine's own, without looking it up."""
    if host.casefold() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _can_be_sent(text: str) -> bool:
    return text.isascii() and not any(ord(character) < 32 or ord(character) == 127 for character in text)


@dataclass(frozen=True, slots=True)
class Pacing:
    """Times and chances of a request, so that tests can hold them.

    Seconds: `connect`; `first` until the first byte (a local model may read a long prompt for minutes); `between`
    chunks after it (wire row 27); `after_end` for what may still follow the answer (usage, the connection's end).
    `attempts` and `longest_wait` are R-MOD-4's numbers.
    """

    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    chance: Callable[[], float] = random.random
    now: Callable[[], float] = time.time
    connect: float = 10.0
    first: float = 300.0
    between: float = 90.0
    after_end: float = 3.0
    attempts: int = 5
    longest_wait: float = 60.0
