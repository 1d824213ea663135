"""The ways in which one address can be written as the host of a URL (N02)."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, ip_address

_WIDE = str.maketrans("0123456789abcdefx.", "0123456789abcdefx。")
_CIRCLED = str.maketrans("0123456789", "⓪①②③④⑤⑥⑦⑧⑨")


def hosts(address: str) -> dict[str, str]:
    """Notation → the host as it stands in a URL."""
    found = ip_address(address)
    return _v4(found) if isinstance(found, IPv4Address) else _v6(found)


def answers(address: str) -> dict[str, str]:
    """Notation → an address as a resolver may give it."""
    found = ip_address(address)
    if isinstance(found, IPv6Address):
        return {"short": str(found), "long": found.exploded, "capitals": str(found).upper(), "zone": f"{found}%2"}
    return {
        "dotted": address,
        "mapped": f"::ffff:{address}",
        "mapped long": f"0:0:0:0:0:ffff:{int(found) >> 16:x}:{int(found) & 0xFFFF:x}",
    }


def _v4(address: IPv4Address) -> dict[str, str]:
    a, b, c, d = address.packed
    dotted, whole = str(address), int(address)
    return {
        "dotted": dotted,
        "trailing dot": f"{dotted}.",
        "integer": str(whole),
        "hexadecimal": f"0x{whole:x}",
        "hexadecimal, capitals": f"0X{whole:08X}",
        "octal": f"0{whole:o}",
        "dotted octal": f"0{a:o}.0{b:o}.0{c:o}.0{d:o}",
        "dotted octal, padded": f"{a:04o}.{b:05o}.{c:06o}.{d:07o}",
        "dotted hexadecimal": f"0x{a:x}.0x{b:x}.0x{c:x}.0x{d:x}",
        "mixed": f"{a}.0x{b:x}.0{c:o}.{d}",
        "short of two": f"{a}.{whole & 0xFFFFFF}",
        "short of three": f"{a}.{b}.{whole & 0xFFFF}",
        "full-width": dotted.translate(_WIDE),
        "full-width digits": dotted.translate(str.maketrans("0123456789", "０１２３４５６７８９")),
        "circled": dotted.translate(_CIRCLED),
        "percent codes": "".join(f"%{ord(one):02x}" for one in dotted),
        "mapped": f"[::ffff:{dotted}]",
        "mapped in hexadecimal": f"[::FFFF:{whole >> 16:x}:{whole & 0xFFFF:x}]",
        "translated": f"[::ffff:0:{dotted}]",
        "compatible": f"[::{dotted}]",
        "NAT64": f"[64:ff9b::{dotted}]",
        "6to4": f"[2002:{whole >> 16:x}:{whole & 0xFFFF:x}::1]",
    }


def _v6(address: IPv6Address) -> dict[str, str]:
    tail = IPv4Address(int(address) & 0xFFFFFFFF)
    groups = address.exploded.split(":")[:6]
    return {
        "short": f"[{address}]",
        "long": f"[{address.exploded}]",
        "capitals": f"[{str(address).upper()}]",
        "no zeros": f"[{':'.join(f'{int(group, 16):x}' for group in address.exploded.split(':'))}]",
        "IPv4 tail": f"[{':'.join(groups)}:{tail}]",
        "zone": f"[{address}%25lo]",
        "zone, not coded": f"[{address}%lo]",
        "trailing dot": f"[{address}].",
    }
