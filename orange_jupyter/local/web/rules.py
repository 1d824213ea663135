"""Which places may be asked: the table of addresses, the person's own hosts, and never the Jupyter server (N10)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import psutil

from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import WebError
from orange_jupyter.local.web.addresses import Address, plain, read_address, refused
from orange_jupyter.local.web.places import Place

Spot = tuple[str, int]
"""A host as `places.Place` writes it, and a port."""


def own_addresses() -> frozenset[str]:
    """Every address of this machine's interfaces, without zones."""
    return frozenset(str(one.address).partition("%")[0] for found in psutil.net_if_addrs().values() for one in found)


@dataclass(frozen=True, slots=True)
class Rules:
    """What may be connected to.

    `allowed` are hosts of the person's own settings: with a port only that one, with port 0 any usual one; their
    addresses are not checked. `never` are the spots of the Jupyter server: refused by name, and their ports on every
    address that is not public or is this machine's, whatever `allowed` says.
    """

    allowed: frozenset[Spot] = frozenset()
    never: frozenset[Spot] = frozenset()
    own: Callable[[], frozenset[str]] = field(default=own_addresses)

    def check_place(self, place: Place) -> None:
        """What can be told before a name is resolved. Raises WebError blocked_address."""
        if any(place.host == host.lower() and place.port == port for host, port in self.never):
            raise _jupyter(place)
        address = read_address(place.host)
        if address is not None:
            self.check_addresses(place, (place.host,))
        exact = (place.host, place.port) in self.allowed
        if exact:
            return
        if not place.usual_port:
            raise _blocked(place, f"port {place.port} is not one of web pages")
        if (place.host, 0) not in self.allowed and (place.host == "localhost" or place.host.endswith(".localhost")):
            raise _blocked(place, "loopback")

    def check_addresses(self, place: Place, addresses: tuple[str, ...]) -> tuple[str, ...]:
        """All answers of a resolver, to be connected to; one bad answer refuses the name. Raises WebError."""
        allowed = (place.host, place.port) in self.allowed or (place.host, 0) in self.allowed
        for text in addresses:
            address = read_address(text)
            reason = refused(address) if address is not None else "not an address"
            if self._jupyter_may_be_at(address, place.port, reason):
                raise _jupyter(place)
            if address is None or (reason and not allowed):
                raise _blocked(place, f"{text} is {reason}" if text != place.host else str(reason))
        return addresses

    def _jupyter_may_be_at(self, address: Address | None, port: int, reason: str | None) -> bool:
        if address is None or all(port != closed for _, closed in self.never):
            return False
        own = self.own() | {host for host, closed in self.never if closed == port}
        return reason is not None or str(plain(address)) in own


def _blocked(place: Place, reason: str) -> WebError:
    return WebError(
        Code.BLOCKED_ADDRESS,
        f"{place.shown_host} is refused: {reason}. Only public addresses are read; nothing was connected.",
        hint="A person can allow a host of their own network: `allow_hosts` under [web] in config.toml.",
        details={"host": place.shown_host, "reason": reason},
    )


def _jupyter(place: Place) -> WebError:
    return WebError(
        Code.BLOCKED_ADDRESS,
        f"{place.shown_host} is refused: a Jupyter server of this machine may be there, which is never read.",
        details={"host": place.shown_host, "reason": "Jupyter server"},
    )
