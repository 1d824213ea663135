"""The host of a URL in the one form that is shown, compared and resolved: ASCII or numbers (A09, N02)."""

from __future__ import annotations

import re
import unicodedata
from ipaddress import AddressValueError, IPv4Address, IPv6Address
from typing import Final
from urllib.parse import unquote_to_bytes

import idna

_LABEL: Final = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
_NUMBER: Final = re.compile(r"[0-9]+|0x[0-9a-f]*")
_MOST_WRITTEN: Final = 1_000


class BadHostError(ValueError):
    """What stands where a host should is none; `str(error)` says why."""


def ascii_host(written: str) -> str:
    """The host as ASCII without its trailing dot; numbers in any notation as `a.b.c.d`, IPv6 without brackets.

    Full-width and circled characters and other dots are what the standard maps them to; other scripts become
    punycode. Raises BadHostError.
    """
    if len(written) > _MOST_WRITTEN:
        raise BadHostError("it is too long")
    if written.startswith("["):
        return _bracketed(written)
    name = _mapped(_unquoted(written)).removesuffix(".")
    labels = name.split(".")
    if _NUMBER.fullmatch(labels[-1]):
        return str(_numbers(labels))
    if len(name) > 253 or not all(_LABEL.fullmatch(label) for label in labels):
        raise BadHostError("it is not a host name")
    return name


def _bracketed(written: str) -> str:
    if not written.endswith("]"):
        raise BadHostError("a bracket is open")
    if "%" in written:
        raise BadHostError("it is bound to one interface")
    try:
        return str(IPv6Address(written[1:-1]))
    except AddressValueError:
        raise BadHostError("it is not an IPv6 address") from None


def _unquoted(written: str) -> str:
    try:
        return unquote_to_bytes(written).decode("utf-8")
    except UnicodeDecodeError:
        raise BadHostError("its percent codes are not UTF-8") from None


def _mapped(name: str) -> str:
    """Lower case ASCII. Names in other scripts go by IDNA 2008 after the mapping of UTS 46."""
    if name.isascii() and "xn--" not in name.lower():
        return name.lower()
    try:
        plain = idna.uts46_remap(name, std3_rules=False, transitional=False)
        if plain.isascii() and "xn--" not in plain:
            return plain
        return idna.encode(unicodedata.normalize("NFC", plain), strict=False, uts46=False).decode("ascii")
    except UnicodeError as error:  # IDNAError is one
        raise BadHostError(f"it is not a valid international name ({error})"[:200]) from None


def _numbers(labels: list[str]) -> IPv4Address:
    """`127.1`, `0x7f000001`, `0177.0.0.1`, `2130706433`: the last number fills the rest, as in browsers."""
    try:
        values = [_number(label) for label in labels]
    except ValueError:
        raise BadHostError("it ends in a number but is not an address") from None
    rest = 256 ** (5 - len(values))
    if len(values) > 4 or any(value > 255 for value in values[:-1]) or values[-1] >= rest:
        raise BadHostError("it ends in a number but is not an address")
    whole = values[-1]
    for place, value in enumerate(values[:-1]):
        whole += value * 256 ** (3 - place)
    return IPv4Address(whole)


def _number(label: str) -> int:
    if not _NUMBER.fullmatch(label) or len(label) > 40:
        raise ValueError(label)
    if label.startswith("0x"):
        return int(label[2:] or "0", 16)
    return int(label, 8 if label.startswith("0") else 10)
