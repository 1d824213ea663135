"""A made-up network: names with addresses, pages behind them, and a `connect` that writes down where it was led."""

from __future__ import annotations

import ssl
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import httpcore

from orange_jupyter.core.document import DocumentText

PUBLIC = "93.184.215.14"
OTHER_PUBLIC = "2606:2800:21f:cb07:6820:80da:af6b:8b2c"

Site = Callable[[str, str], bytes]
"""The bytes that a server sends for (Host header, target)."""


def answer(body: bytes | str = b"", *, status: str = "200 OK", kind: str = "text/plain", **headers: str) -> bytes:
    """A whole HTTP answer; `content_encoding=` becomes Content-Encoding."""
    data = body.encode() if isinstance(body, str) else body
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(data)}", f"Content-Type: {kind}"]
    lines += [f"{name.replace('_', '-').title()}: {value}" for name, value in headers.items()]
    return "\r\n".join(lines).encode("utf-8") + b"\r\n\r\n" + data


def redirect(location: str, status: str = "302 Found") -> bytes:
    """An answer that leads elsewhere."""
    return answer(status=status, location=location)


class Stream(httpcore.AsyncNetworkStream):
    """One connection to a made-up server; TLS is taken as done."""

    def __init__(self, network: Network) -> None:
        self._network = network
        self._asked = b""
        self._left: bytes | None = None
        self.closed = False

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        if self._left is None:
            head = self._asked.decode("latin-1")
            lines = head.split("\r\n")
            host = next(line[6:] for line in lines if line.lower().startswith("host: "))
            self._network.requests.append(head)
            self._left = self._network.site(host, lines[0].split(" ")[1])
        piece, self._left = self._left[:max_bytes], self._left[max_bytes:]
        return piece

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._asked += buffer

    async def aclose(self) -> None:
        self.closed = True

    async def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.AsyncNetworkStream:
        return self

    def get_extra_info(self, info: str) -> Any:
        return None


class Network:
    """Names, their answers one after the other (the last stays), and what was asked and connected."""

    def __init__(
        self,
        names: Mapping[str, Iterable[tuple[str, ...]]] | None = None,
        site: Site = lambda host, target: answer("hi"),
    ) -> None:
        self.names = {name: list(answers) for name, answers in (names or {}).items()}
        self.site = site
        self.resolved: list[str] = []
        self.connected: list[tuple[str, int]] = []
        self.requests: list[str] = []
        self.streams: list[Stream] = []

    async def resolve(self, host: str, port: int) -> tuple[str, ...]:
        self.resolved.append(host)
        if host not in self.names:
            return (host,)  # as a resolver answers for an address
        answers = self.names[host]
        return answers.pop(0) if len(answers) > 1 else answers[0]

    async def connect(self, address: str, port: int, seconds: float) -> httpcore.AsyncNetworkStream:
        self.connected.append((address, port))
        self.streams.append(Stream(self))
        return self.streams[-1]


async def as_it_is(data: bytes, *, charset: str, url: str, markup: bool) -> DocumentText:
    """A `ReadPage` for tests that are not about the text."""
    return DocumentText("html", pages=(data.decode("utf-8", "replace"),))


def addresses(file: Path) -> list[tuple[str, str, str]]:
    """The rows (address, kind, expected) of addresses.tsv."""
    lines = file.read_text(encoding="utf-8").splitlines()[1:]
    return [(row[0], row[1], row[2]) for row in (line.split("\t") for line in lines)]
