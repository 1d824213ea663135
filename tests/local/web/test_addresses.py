"""No address of the machine, its network or a cloud's metadata is ever connected to (N01, N02, N04, R-WEB-3)."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import ip_address
from pathlib import Path

import pytest

from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import WebError
from orange_jupyter.local.web.addresses import refused
from orange_jupyter.local.web.fetching import Fetcher
from orange_jupyter.local.web.rules import Rules
from tests.local.web.notations import answers, hosts
from tests.local.web.stage import OTHER_PUBLIC, PUBLIC, Network, addresses, redirect

REFUSED = {Code.BLOCKED_ADDRESS, Code.INVALID_ARGUMENT, Code.HTTP_ERROR}
"""A notation that is no address of a URL at all is an invalid argument, or behind a redirect the server's mistake."""


@pytest.fixture
def rows(specification: Path) -> list[tuple[str, str, str]]:
    return addresses(specification.parent / "cases" / "addresses.tsv")


def _bad(rows: list[tuple[str, str, str]]) -> Iterator[str]:
    yield from (address for address, _, expected in rows if expected == "refuse")


async def _code(network: Network, url: str) -> Code | None:
    try:
        await Fetcher(Rules(), resolve=network.resolve, connect=network.connect).get(url)
    except WebError as error:
        return error.code
    return None


@pytest.mark.corpus
def test_the_table_says_what_the_list_says(rows: list[tuple[str, str, str]]) -> None:
    """N01: each row of the list."""
    wrong = [row for row in rows if (refused(ip_address(row[0])) is None) != (row[2] == "allow")]
    assert not wrong
    assert len(list(_bad(rows))) == 38


@pytest.mark.corpus
async def test_every_notation_is_refused_at_the_first_hop(rows: list[tuple[str, str, str]]) -> None:
    """N01, N02: nothing is connected, whatever the address is dressed as."""
    urls = [
        f"{scheme}://{host}{port}/x"
        for one in _bad(rows)
        for host in hosts(one).values()
        for scheme, port in (("http", ""), ("https", ":8443"))
    ]
    count = 0
    for url in urls:
        network = Network()
        code = await _code(network, url)
        assert code in REFUSED, url
        assert network.connected == [], url
        count += 1
    print(f"first hop: {count} of {len(urls)} refused with 0 connections")
    assert count > 1_000


@pytest.mark.corpus
async def test_every_notation_is_refused_behind_a_redirect(rows: list[tuple[str, str, str]]) -> None:
    """N03: the second hop is checked like the first."""
    urls = [f"http://{host}/latest/meta-data" for one in _bad(rows) for host in hosts(one).values()]
    count = 0
    for url in urls:
        network = Network({"public.test": [(PUBLIC,)]}, lambda host, target, to=url: redirect(to))
        code = await _code(network, "http://public.test/")
        assert code in REFUSED, url
        assert network.connected == [(PUBLIC, 80)], url
        count += 1
    print(f"redirect: {count} of {len(urls)} refused, only the public first hop was connected")
    assert count > 500


@pytest.mark.corpus
async def test_every_notation_is_refused_as_an_answer_of_the_resolver(rows: list[tuple[str, str, str]]) -> None:
    """N04: alone, beside public ones, or in the second answer for a name that was public at first."""
    bad = [written for one in _bad(rows) for written in answers(one).values()]
    count = 0
    for written in bad:
        for mixed in ((written,), (PUBLIC, written), (written, OTHER_PUBLIC), (PUBLIC, OTHER_PUBLIC, written)):
            network = Network({"mixed.test": [mixed]})
            assert await _code(network, "http://mixed.test/") is Code.BLOCKED_ADDRESS, mixed
            assert network.connected == [], mixed
            count += 1
        network = Network({"turns.test": [(PUBLIC,), (written,)]}, lambda host, target: redirect("/again"))
        assert await _code(network, "http://turns.test/") is Code.BLOCKED_ADDRESS, written
        assert network.connected == [(PUBLIC, 80)], written
        count += 1
    print(f"resolver: {count} of {len(bad) * 5} refused, no bad address was connected")


@pytest.mark.corpus
async def test_every_public_address_is_connected_to(rows: list[tuple[str, str, str]]) -> None:
    """N01: as a URL's host and as the resolver's answer; what is connected is the address itself."""
    good = [address for address, _, expected in rows if expected == "allow"]
    for address in good:
        plain = f"[{address}]" if ":" in address else address
        network = Network({"name.test": [(address,)]})
        assert await _code(network, f"http://{plain}:8080/") is None
        assert await _code(network, "https://name.test/") is None
        assert network.connected == [(address, 8080), (address, 443)]
    print(f"public: {len(good)} of {len(good)} connected, each twice")


@pytest.mark.parametrize(
    "host",
    [
        *("2130706433", "0x7f000001", "0177.0.0.1", "127.1", "0", "①②⑦.⓪.⓪.①", "localhost.", "[::ffff:a9fe:a9fe]"),
        *(
            "localhost",
            "LOCALHOST",
            "a.localhost",
            "ｌｏｃａｌｈｏｓｔ",
            "0x",
            "127。0。0。1",
            "①②⑦。①",
            "[::]",
            "[0:0::1]",
        ),
    ],
)
async def test_other_names_of_this_machine_are_refused(host: str) -> None:
    """N02: even where the resolver calls them public."""
    network = Network({host.rstrip(".").lower(): [(PUBLIC,)], "localhost": [(PUBLIC,)]})
    assert await _code(network, f"http://{host}/") is Code.BLOCKED_ADDRESS
    assert network.connected == []


async def test_a_name_is_resolved_once_and_the_checked_address_connected() -> None:
    """N04: a resolver that turns after the check changes nothing."""
    network = Network({"turns.test": [(PUBLIC,), ("127.0.0.1",)]})
    assert await _code(network, "http://turns.test/") is None
    assert network.resolved == ["turns.test"]
    assert network.connected == [(PUBLIC, 80)]


async def test_the_other_end_of_a_connection_is_checked_too() -> None:
    """R-WEB-3: on the address really connected to, whatever lies between."""
    network = Network({"a.test": [(PUBLIC,)]})

    async def led_astray(address: str, port: int, seconds: float):
        stream = await network.connect(address, port, seconds)
        stream.get_extra_info = lambda info: ("169.254.169.254", 80) if info == "server_addr" else None  # type: ignore[method-assign]
        return stream

    with pytest.raises(WebError) as caught:
        await Fetcher(Rules(), resolve=network.resolve, connect=led_astray).get("http://a.test/")
    assert caught.value.code is Code.BLOCKED_ADDRESS
    assert network.requests == []
    assert network.streams[0].closed


async def test_an_allowed_host_is_read_and_only_that_one() -> None:
    """R-WEB-3: the person's own settings allow a host, with its port or any usual one; no redirect carries that on."""
    rules = Rules(frozenset({("wiki.lab", 8_080), ("10.0.0.5", 0)}))
    network = Network({"wiki.lab": [("10.0.0.9",)], "public.test": [(PUBLIC,)]})
    fetcher = Fetcher(rules, resolve=network.resolve, connect=network.connect)
    await fetcher.get("http://WIKI.lab.:8080/")
    await fetcher.get("https://10.5/")
    assert network.connected == [("10.0.0.9", 8080), ("10.0.0.5", 443)]
    for url in ("http://wiki.lab/", "http://x.wiki.lab:8080/", "http://10.0.0.9:8080/", "http://10.0.0.5:22/"):
        with pytest.raises(WebError) as caught:
            await fetcher.get(url)
        assert caught.value.code is Code.BLOCKED_ADDRESS, url
    network.site = lambda host, target: redirect("http://10.0.0.9:8080/")
    with pytest.raises(WebError):
        await fetcher.get("http://wiki.lab:8080/")
    assert len(network.connected) == 3


@pytest.mark.parametrize(
    "url",
    [
        *("http://127.0.0.1:8888/api/kernels?token=x", "http://localhost:8888/", "http://10.0.0.5:8888/"),
        *("http://hub.test:8888/", "http://home.test:8888/", "http://[::1]:8888/", "http://93.184.215.15:8888/"),
    ],
)
async def test_the_jupyter_server_is_never_read(url: str) -> None:
    """N10: by name, by any address of this machine, even where the settings allow the host."""
    allowed = frozenset(
        {("127.0.0.1", 8888), ("localhost", 0), ("10.0.0.5", 8888), ("hub.test", 0), ("home.test", 0), ("::1", 0)}
    )
    rules = Rules(allowed, frozenset({("hub.test", 8888), ("0.0.0.0", 8888)}), lambda: frozenset({"93.184.215.15"}))
    names = {"hub.test": [(PUBLIC,)], "home.test": [("93.184.215.15",)], "localhost": [("127.0.0.1",)]}
    network = Network(names)
    with pytest.raises(WebError, match="Jupyter"):
        await Fetcher(rules, resolve=network.resolve, connect=network.connect).get(url)
    assert network.connected == []


async def test_the_jupyter_servers_host_may_be_read_at_another_port() -> None:
    """N10 closes spots, not hosts."""
    rules = Rules(frozenset({("127.0.0.1", 9000)}), frozenset({("127.0.0.1", 8888)}))
    network = Network({"a.test": [(PUBLIC,)]})
    fetcher = Fetcher(rules, resolve=network.resolve, connect=network.connect)
    await fetcher.get("http://127.0.0.1:9000/")
    await fetcher.get("http://a.test:8888/")
    assert network.connected == [("127.0.0.1", 9000), (PUBLIC, 8888)]
