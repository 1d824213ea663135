"""A URL taken apart once, strictly: where a request goes and what it asks for there (N06, A09)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote, urljoin

from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import WebError
from orange_jupyter.core.visible import visible
from orange_jupyter.local.web.hosts import BadHostError, ascii_host

_USER: Final = re.compile(r"//[^/?#]*@")
_MOST_URL: Final = 8_000
_SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_AUTHORITY: Final = re.compile(r"//([^/?#]*)([^#]*)")
_CONTROLS: Final = re.compile("[\x00-\x20\x7f-\xa0]")
_KEPT: Final = "!$%&'()*+,-./:;=?@_~[]|^`{}"
_PORTS: Final = {"http": 80, "https": 443}
_OTHER_PROTOCOLS: Final = frozenset(
    {*(1719, 1720, 1723, 2049, 3306, 3659, 4045, 4190, 5060, 5061, 5432, 6379, 6566, 6697, 9200, 10080, 11211, 27017)}
    | set(range(6000, 6064))
    | set(range(6665, 6670))
)
"""Ports from 1024 up where something else than HTTP listens; below, only 80 and 443 are asked."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a request goes. `host` is ASCII, or an address (IPv6 without brackets); `target` is path and query."""

    scheme: str
    host: str
    port: int
    target: str

    @property
    def shown_host(self) -> str:
        """Host, with its port where that is not the scheme's own."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def url(self) -> str:
        """The whole address in ASCII, without a fragment."""
        return f"{self.scheme}://{self.shown_host}{self.target}"

    @property
    def usual_port(self) -> bool:
        """Whether web pages may be behind this port."""
        return self.port in (80, 443) or (self.port >= 1024 and self.port not in _OTHER_PROTOCOLS)


def read_place(url: str) -> Place:
    """Take a URL apart. Raises WebError bad_scheme, blocked_address (a user or password in it), invalid_argument."""
    if len(url) > _MOST_URL:
        raise _malformed(url, "it is too long")
    scheme = _scheme(url)
    if _CONTROLS.search(url):
        raise _malformed(url, "it has blanks or control characters in it")
    found = _AUTHORITY.match(url, len(scheme) + 1)
    if found is None or not found[1]:
        raise _malformed(url, "it names no host")
    authority, target = found.groups()
    if "@" in authority:
        raise WebError(
            Code.BLOCKED_ADDRESS,
            f"The address has a user or password before its host, which is refused: {short(url)}",
            hint="Write it without what stands before the @.",
        )
    host, port = _host_and_port(url, authority)
    return Place(scheme, host, port or _PORTS[scheme], _target(target))


def read_spot(written: str) -> tuple[str, int]:
    """A host of the settings, `wiki.lab`, `10.0.0.5:8080` or `[fd00::1]:80`, as (host, port); port 0 for none given.

    Raises WebError invalid_argument, blocked_address.
    """
    place = read_place(f"http://{written}/")
    if place.target != "/":
        raise _malformed(written, "only a host and a port can stand here")
    return place.host, place.port if re.search(r":[0-9]+$", written) else 0


def follow(place: Place, location: str) -> Place:
    """Where a redirect leads. Raises WebError as `read_place` does, http_error for one that cannot be understood."""
    try:
        return read_place(urljoin(place.url, location.strip(" \t\r\n\f")))
    except ValueError:
        raise WebError(Code.HTTP_ERROR, f"{place.shown_host} redirects to no address: {short(location)}") from None
    except WebError as error:
        if error.code is Code.INVALID_ARGUMENT:
            raise WebError(Code.HTTP_ERROR, f"A redirect leads nowhere. {error.message}") from None
        raise


def short(text: str) -> str:
    """A URL as an error quotes it: no user or password, invisible characters shown, cut to 200 characters."""
    shown = visible(_USER.sub("//…@", text[:1_000]))[0].replace("\n", "\\n").replace("\t", "\\t")
    return shown if len(shown) <= 200 else f"{shown[:199]}…"


def _scheme(url: str) -> str:
    found = _SCHEME.match(url)
    scheme = found[1].lower() if found else ""
    if scheme not in _PORTS or not url[len(scheme) + 1 :].startswith("//"):
        raise WebError(
            Code.BAD_SCHEME,
            f"Only http:// and https:// addresses are read, not {short(url)}",
            hint="Write the whole address, beginning with https://.",
        )
    return scheme


def _host_and_port(url: str, authority: str) -> tuple[str, int]:
    host, colon, port = authority, "", ""
    if not authority.endswith("]"):
        host, colon, port = authority.rpartition(":") if ":" in authority else (authority, "", "")
    if colon and port and not (re.fullmatch("[0-9]{1,5}", port) and 0 < int(port) < 65_536):
        raise _malformed(url, "its port is not a number from 1 to 65535")
    try:
        return ascii_host(host), int(port or 0)
    except BadHostError as error:
        raise _malformed(url, f"its host is not one: {error}") from None


def _target(written: str) -> str:
    target = quote(written, safe=_KEPT)
    return target if target.startswith("/") else f"/{target}"


def _malformed(url: str, reason: str) -> WebError:
    return WebError(Code.INVALID_ARGUMENT, f"This is not a web address, {reason}: {short(url)}")
