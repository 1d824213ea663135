"""Puts the parts of the web together, from what the person's settings say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from orange_jupyter.core.fetching import MOST_SECONDS
from orange_jupyter.local.web.backend import Connect, Resolve, connect_here, resolve_here
from orange_jupyter.local.web.endpoint import LIMITS, QUERY, Endpoint
from orange_jupyter.local.web.fetching import Fetcher, Limits
from orange_jupyter.local.web.hits import Names
from orange_jupyter.local.web.keyless import Keyless
from orange_jupyter.local.web.places import read_place, read_spot
from orange_jupyter.local.web.rules import Rules, Spot
from orange_jupyter.local.web.web import LocalWeb, ReadPage, Search

_NETWORK_SECONDS = 0.75 * MOST_SECONDS
"""Of a fetch's time; what came by then is still read."""


@dataclass(frozen=True, slots=True)
class Choices:
    """What a person chose. `url` is the endpoint of the backend `json`, with `{query}`; `fields` its names."""

    backend: Literal["duckduckgo", "json", "off"] = "duckduckgo"
    url: str = ""
    fields: Mapping[str, str] = field(default_factory=dict)
    allow_hosts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Network:
    """How names are resolved and addresses connected."""

    resolve: Resolve = resolve_here
    connect: Connect = connect_here


def open_web(
    choices: Choices, read_page: ReadPage, *, never: frozenset[Spot], network: Network | None = None
) -> LocalWeb:
    """The web; nothing is connected yet. `never` are the (host, port) of the Jupyter server.

    Raises WebError for a host or an endpoint that is no address.
    """
    net = network or Network()
    rules = Rules(frozenset(map(read_spot, choices.allow_hosts)), never)
    fetcher = Fetcher(rules, resolve=net.resolve, connect=net.connect, limits=Limits(seconds=_NETWORK_SECONDS))
    return LocalWeb(fetcher, read_page, search=_search(choices, never, net))


def _search(choices: Choices, never: frozenset[Spot], net: Network) -> Search | None:
    if choices.backend == "off":
        return None
    if choices.backend == "duckduckgo":
        return Keyless()
    place = read_place(choices.url.replace(QUERY, "q"))
    rules = Rules(frozenset({(place.host, place.port)}), never)
    fetcher = Fetcher(rules, resolve=net.resolve, connect=net.connect, limits=LIMITS)
    return Endpoint(choices.url, fetcher, Names(**choices.fields))
