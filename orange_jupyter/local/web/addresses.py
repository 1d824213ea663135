"""Which addresses may be connected to: a table made from the registries of special-purpose addresses (N01).

IPv4 is open but for what is listed. IPv6 is closed but for global unicast (2000::/3), and there closed for what is
listed. Python's own `is_global` is not asked: it lets some tunnels pass.
"""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Final

Address = IPv4Address | IPv6Address

_V4: Final = tuple(
    (IPv4Network(network), reason)
    for network, reason in (
        ("0.0.0.0/8", "this network"),
        ("10.0.0.0/8", "private"),
        ("100.64.0.0/10", "carrier NAT"),
        ("127.0.0.0/8", "loopback"),
        ("168.63.129.16/32", "cloud metadata"),  # Azure's, in public space
        ("169.254.0.0/16", "link-local, metadata"),
        ("172.16.0.0/12", "private"),
        ("192.0.0.0/24", "special purpose"),
        ("192.0.2.0/24", "documentation"),
        ("192.31.196.0/24", "special purpose"),
        ("192.52.193.0/24", "special purpose"),
        ("192.88.99.0/24", "6to4 relay"),
        ("192.168.0.0/16", "private"),
        ("192.175.48.0/24", "special purpose"),
        ("198.18.0.0/15", "benchmarking"),
        ("198.51.100.0/24", "documentation"),
        ("203.0.113.0/24", "documentation"),
        ("224.0.0.0/4", "multicast"),
        ("255.255.255.255/32", "broadcast"),
        ("240.0.0.0/4", "reserved"),
    )
)

_GLOBAL_UNICAST: Final = IPv6Network("2000::/3")

_V6: Final = tuple(
    (IPv6Network(network), reason)
    for network, reason in (
        ("::/128", "unspecified"),
        ("::1/128", "loopback"),
        ("::ffff:0:0/96", "IPv4 in IPv6 (mapped)"),
        ("::ffff:0:0:0/96", "IPv4 in IPv6 (translated)"),
        ("::/96", "IPv4 in IPv6 (compatible)"),
        ("64:ff9b::/96", "NAT64"),
        ("64:ff9b:1::/48", "local NAT64"),
        ("2001::/32", "Teredo"),
        ("2001:2::/48", "benchmarking"),
        ("2001::/23", "special purpose"),
        ("2001:db8::/32", "documentation"),
        ("2002::/16", "6to4"),
        ("2620:4f:8000::/48", "special purpose"),
        ("3fff::/20", "documentation"),
        ("fc00::/7", "unique local"),
        ("fe80::/10", "link-local"),
        ("fec0::/10", "site-local"),
        ("ff00::/8", "multicast"),
    )
)


def refused(address: Address) -> str | None:
    """Why an address is refused, in a word or two, or None for one that the public reaches."""
    if isinstance(address, IPv4Address):
        return next((reason for network, reason in _V4 if address in network), None)
    if address.scope_id is not None:
        return "bound to one interface"
    found = next((reason for network, reason in _V6 if address in network), None)
    return found or (None if address in _GLOBAL_UNICAST else "reserved")


def read_address(text: str) -> Address | None:
    """The address that a resolver or a URL wrote, or None where it is a name."""
    try:
        return ip_address(text)
    except ValueError:
        return None


def plain(address: Address) -> Address:
    """An IPv4 address in its IPv6 dress without it, so that both are one when they are compared."""
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        return address.ipv4_mapped
    return address
