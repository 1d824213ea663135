"""The network under every request: a name is resolved once, all its addresses are checked, a checked one is connected.

No environment proxy is used: a proxy would resolve the name again, on its own (N04, N12).
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable, Iterable

import httpcore

from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import WebError
from orange_jupyter.local.web.places import Place
from orange_jupyter.local.web.rules import Rules

Resolve = Callable[[str, int], Awaitable[tuple[str, ...]]]
"""The addresses of a name, for a port. Raises OSError."""

Connect = Callable[[str, int, float], Awaitable[httpcore.AsyncNetworkStream]]
"""A stream to an address, a port, within seconds. Raises httpcore.ConnectError, httpcore.ConnectTimeout."""

_MOST_ADDRESSES = 4
_CONNECT_SECONDS = 5.0


async def resolve_here(host: str, port: int) -> tuple[str, ...]:
    """What the system's resolver says, each address once. Raises OSError."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return tuple(dict.fromkeys(str(one[4][0]) for one in found))


async def connect_here(address: str, port: int, seconds: float) -> httpcore.AsyncNetworkStream:
    """A TCP connection to an address by number; nothing is resolved."""
    return await httpcore.AnyIOBackend().connect_tcp(address, port, timeout=seconds)


class CheckedBackend(httpcore.AsyncNetworkBackend):
    """Connects for one hop to one place; any other host or port is a mistake of the caller."""

    def __init__(self, place: Place, rules: Rules, resolve: Resolve, connect: Connect) -> None:
        self._place = place
        self._rules = rules
        self._resolve = resolve
        self._connect = connect

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,  # noqa: ARG002  httpcore's signature
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,  # noqa: ARG002
    ) -> httpcore.AsyncNetworkStream:
        """Resolve, check all, connect to the first that answers. Raises WebError, httpcore.ConnectError."""
        if (host, port) != (self._place.host, self._place.port):
            raise WebError(Code.BLOCKED_ADDRESS, f"{host}:{port} was not asked for; nothing was connected.")
        self._rules.check_place(self._place)
        addresses = self._rules.check_addresses(self._place, await self._addresses())
        seconds = min(timeout or _CONNECT_SECONDS, _CONNECT_SECONDS)
        problem: httpcore.ConnectError | httpcore.ConnectTimeout | None = None
        for address in addresses[:_MOST_ADDRESSES]:
            try:
                stream = await self._connect(address, port, seconds)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                problem = error
                continue
            return await self._checked(stream)
        raise problem or httpcore.ConnectError(f"{host} has no address")

    async def connect_unix_socket(
        self,
        path: str,
        timeout: float | None = None,  # noqa: ARG002
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,  # noqa: ARG002
    ) -> httpcore.AsyncNetworkStream:
        """Never: the web is not behind a socket file."""
        raise WebError(Code.BLOCKED_ADDRESS, f"{path} is not an address of the web.")

    async def sleep(self, seconds: float) -> None:
        """Wait, as httpcore does between tries."""
        await asyncio.sleep(seconds)

    async def _addresses(self) -> tuple[str, ...]:
        try:
            return await self._resolve(self._place.host, self._place.port)
        except (OSError, UnicodeError) as error:
            raise WebError(
                Code.OFFLINE,
                f"{self._place.shown_host} is not known here ({error}).",
                hint="Check the spelling and the network connection.",
            ) from None

    async def _checked(self, stream: httpcore.AsyncNetworkStream) -> httpcore.AsyncNetworkStream:
        """The stream, where its other end is an address that may be connected to. Raises WebError."""
        peer = stream.get_extra_info("server_addr")
        if isinstance(peer, tuple) and peer:
            try:
                self._rules.check_addresses(self._place, (str(peer[0]),))
            except WebError:
                await stream.aclose()
                raise
        return stream
