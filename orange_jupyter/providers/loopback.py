"""`localOnly` at the last moment: the address that is connected to is checked, not the name (R-MOD-11, N04)."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import Awaitable, Callable

import httpx

Lookup = Callable[[str, int], Awaitable[tuple[str, ...]]]
"""The addresses of a name, for a port. Raises OSError."""


class NotThisMachineError(httpx.ConnectError):
    """The name leads to another machine; nothing was connected."""


async def look_up(host: str, port: int) -> tuple[str, ...]:
    """What the system's resolver says, each address once. Raises OSError."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return tuple(dict.fromkeys(str(one[4][0]) for one in found))


class LoopbackOnly(httpx.AsyncBaseTransport):
    """Connects to checked loopback addresses by number, one after the other; any other address refuses the name."""

    def __init__(self, inner: httpx.AsyncBaseTransport, *, lookup: Lookup = look_up) -> None:
        self._inner = inner
        self._lookup = lookup

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request. Raises NotThisMachineError, httpx.ConnectError."""
        host = request.url.host
        addresses = await self._checked(host, request.url.port or (443 if request.url.scheme == "https" else 80))
        named = request.url
        for address in addresses:
            # the Host header was made from the name and stays; TLS asks for the name too
            request.url = named.copy_with(host=address)
            request.extensions = {**request.extensions, "sni_hostname": host}
            try:
                return await self._inner.handle_async_request(request)
            except httpx.ConnectError:
                if address == addresses[-1]:
                    raise
        raise httpx.ConnectError(f"{host} has no address")

    async def aclose(self) -> None:
        """Close the connections."""
        await self._inner.aclose()

    async def _checked(self, host: str, port: int) -> tuple[str, ...]:
        try:
            addresses = await self._lookup(host, port)
        except OSError as error:
            raise httpx.ConnectError(f"{host} is not known: {error.strerror}") from None
        for address in addresses:
            if not ipaddress.ip_address(address.partition("%")[0]).is_loopback:
                raise NotThisMachineError(f"localOnly is on and {host} is {address}, which is not this machine")
        return addresses
