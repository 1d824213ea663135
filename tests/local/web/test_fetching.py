"""Redirects, limits and broken servers (N03, N07)."""

from __future__ import annotations

import asyncio
import gzip
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest

from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import WebError
from orange_jupyter.local.web.fetching import Answer, Fetcher, Limits
from orange_jupyter.local.web.rules import Rules
from tests.local.web.stage import OTHER_PUBLIC, PUBLIC, Network, answer, redirect

NAMES = {"a.test": [(PUBLIC,)], "b.test": [(OTHER_PUBLIC,)]}
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"


async def _failed(network: Network, url: str = "http://a.test/") -> WebError:
    with pytest.raises(WebError) as caught:
        await Fetcher(Rules(), resolve=network.resolve, connect=network.connect).get(url)
    return caught.value


async def _got(network: Network, url: str = "http://a.test/", limits: Limits | None = None) -> Answer:
    return await Fetcher(Rules(), resolve=network.resolve, connect=network.connect, limits=limits).get(url)


async def test_five_redirects_are_followed_and_listed() -> None:
    """N03: each hop is resolved, checked and connected by itself."""
    steps = {f"/{n}": f"http://{'b' if n % 2 == 0 else 'a'}.test/{n + 1}" for n in range(5)}
    network = Network(NAMES, lambda host, target: redirect(steps[target]) if target in steps else answer("end"))
    got = await _got(network, "http://a.test/0")
    assert got.data == b"end"
    assert got.hops == tuple(f"http://{'b' if n % 2 else 'a'}.test/{n}" for n in range(5))
    assert got.place.url == "http://b.test/5"
    assert len(network.connected) == 6
    assert all(stream.closed for stream in network.streams)


async def test_a_loop_of_redirects_ends_after_five() -> None:
    """N03"""
    network = Network(NAMES, lambda host, target: redirect(f"/{int(target[1:] or 0) + 1}"))
    error = await _failed(network)
    assert error.code is Code.TOO_MANY_REDIRECTS
    assert len(network.connected) == 6


@pytest.mark.parametrize(
    ("location", "code"),
    [
        ("file:///etc/passwd", Code.BAD_SCHEME),
        ("FILE:/etc/passwd", Code.BAD_SCHEME),
        ("java\tscript:alert(1)", Code.BAD_SCHEME),
        ("http://169.254.169.254/latest/", Code.BLOCKED_ADDRESS),
        ("http://u:p@b.test/", Code.BLOCKED_ADDRESS),
        ("http://b.test:25/", Code.BLOCKED_ADDRESS),
        ("http://[::1", Code.HTTP_ERROR),
        ("http://a b.test/", Code.HTTP_ERROR),
    ],
)
async def test_a_redirect_leads_nowhere_else(location: str, code: Code) -> None:
    """N03, N06"""
    network = Network(NAMES, lambda host, target: redirect(location))
    error = await _failed(network)
    assert error.code is code
    assert network.connected == [(PUBLIC, 80)]


async def test_nothing_of_one_host_is_told_to_the_next() -> None:
    """N03: no cookie, no credentials, no referrer."""

    def site(host: str, target: str) -> bytes:
        if host == "a.test":
            return answer(status="302 Found", location="http://b.test/", set_cookie="id=1", www_authenticate="Basic")
        return answer("x")

    network = Network(NAMES, site)
    await _got(network, "http://a.test/secret?token=1")
    asked = network.requests[1].lower()
    names = {line.partition(":")[0] for line in asked.split("\r\n")[1:] if line}
    assert names == {"host", "user-agent", "accept", "accept-encoding", "connection"}
    assert "a.test" not in asked


async def test_a_meta_refresh_and_a_refresh_header_are_not_followed() -> None:
    """N03"""
    page = answer(
        '<meta http-equiv="refresh" content="0;url=http://127.0.0.1/">',
        kind="text/html",
        refresh="0;url=http://b.test/",
    )
    network = Network(NAMES, lambda host, target: page)
    await _got(network)
    assert network.connected == [(PUBLIC, 80)]


@pytest.mark.parametrize("packing", ["gzip", "x-gzip", "deflate", "raw deflate", "identity", ""])
async def test_packed_answers_are_unpacked(packing: str) -> None:
    text = ("树冠覆盖率 " * 5_000).encode()
    raw = zlib.compressobj(wbits=-15)
    packed = {
        "gzip": gzip.compress,
        "x-gzip": gzip.compress,
        "deflate": zlib.compress,
        "raw deflate": lambda data: raw.compress(data) + raw.flush(),
    }
    data = packed.get(packing, bytes)(text)
    network = Network(NAMES, lambda host, target: answer(data, content_encoding=packing.removeprefix("raw ")))
    got = await _got(network)
    assert got.data == text
    assert not got.cut


@pytest.mark.parametrize("packing", ["br", "gzip, gzip", "zstd"])
async def test_a_packing_that_was_not_asked_for_is_an_error(packing: str) -> None:
    network = Network(NAMES, lambda host, target: answer(b"x", content_encoding=packing))
    assert (await _failed(network)).code is Code.HTTP_ERROR


async def test_broken_packing_is_an_error() -> None:
    packed = gzip.compress(b"x" * 999)
    network = Network(NAMES, lambda host, target: answer(packed[:10] + b"\xff" * 99, content_encoding="gzip"))
    assert (await _failed(network)).code is Code.HTTP_ERROR


async def test_packing_that_ends_early_is_marked_as_cut() -> None:
    packed = gzip.compress(bytes(range(256)) * 99)
    network = Network(NAMES, lambda host, target: answer(packed[:-20], content_encoding="gzip"))
    got = await _got(network)
    assert got.data.startswith(bytes(range(200)))
    assert "ends early" in got.cut


async def test_what_unpacks_to_a_thousand_times_its_size_is_cut() -> None:
    """N07: 1 MB at least is free, then 100 times what arrived."""
    bomb = gzip.compress(b"\0" * 50_000_000)
    network = Network(NAMES, lambda host, target: answer(bomb, content_encoding="gzip"))
    got = await _got(network)
    assert "100 times" in got.cut
    assert len(got.data) < 6_000_000


async def test_ten_megabytes_are_read_at_most() -> None:
    """N07"""
    network = Network(NAMES, lambda host, target: answer(b"x" * 11_000_000))
    got = await _got(network)
    assert len(got.data) == 10 * 1_048_576
    assert "10,485,760" in got.cut


async def test_ten_megabytes_of_headers_are_an_error() -> None:
    """N07"""
    network = Network(NAMES, lambda host, target: HEAD + b"X-Long: " + b"x" * 10_000_000 + b"\r\n\r\nhi")
    assert (await _failed(network)).code is Code.HTTP_ERROR


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"SSH-2.0-OpenSSH_9\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 90\r\n\r\nshort",
        b"HTTP/1.1 999999 X\r\n\r\n",
    ],
)
async def test_what_is_no_answer_is_an_error(sent: bytes) -> None:
    network = Network(NAMES, lambda host, target: sent)
    assert (await _failed(network)).code is Code.HTTP_ERROR


async def test_a_name_that_is_not_known_is_offline() -> None:
    async def nobody(host: str, port: int) -> tuple[str, ...]:
        raise OSError("Name or service not known")

    network = Network()
    with pytest.raises(WebError) as caught:
        await Fetcher(Rules(), resolve=nobody, connect=network.connect).get("http://a.test/")
    assert caught.value.code is Code.OFFLINE
    assert network.connected == []


@asynccontextmanager
async def _server(talk: Callable[[asyncio.StreamWriter], Awaitable[None]]) -> AsyncIterator[tuple[Fetcher, str]]:
    """A real server on loopback, a fetcher that is allowed to read it in one second, and its address."""

    async def answered(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await reader.readuntil(b"\r\n\r\n")
            await talk(writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(answered, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    rules = Rules(frozenset({("127.0.0.1", port)}))
    try:
        yield Fetcher(rules, limits=Limits(seconds=1.0)), f"http://127.0.0.1:{port}/"
    finally:
        server.close()
        await server.wait_closed()


async def test_a_trickle_is_cut_when_the_time_is_up() -> None:
    """N07: what came is given, marked as cut."""

    async def trickle(writer: asyncio.StreamWriter) -> None:
        writer.write(HEAD + b"\r\n")
        for _ in range(100):
            writer.write(b"x")
            await writer.drain()
            await asyncio.sleep(0.2)

    async with _server(trickle) as (fetcher, url):
        got = await fetcher.get(url)
    assert 1 <= len(got.data) < 10
    assert got.cut


async def test_headers_that_trickle_are_timed_out() -> None:
    """N07"""

    async def trickle(writer: asyncio.StreamWriter) -> None:
        for letter in HEAD:
            writer.write(bytes([letter]))
            await writer.drain()
            await asyncio.sleep(0.1)

    async with _server(trickle) as (fetcher, url):
        with pytest.raises(WebError) as caught:
            await fetcher.get(url)
    assert caught.value.code is Code.TIMED_OUT


async def test_ten_gigabytes_are_left_where_they_are() -> None:
    """N07: the server sends without end; 10 MB are taken and the connection closed."""
    sent = 0

    async def flood(writer: asyncio.StreamWriter) -> None:
        nonlocal sent
        writer.write(HEAD + b"Content-Length: 10737418240\r\n\r\n")
        while True:
            writer.write(b"x" * 1_048_576)
            await writer.drain()
            sent += 1_048_576

    async with _server(flood) as (fetcher, url):
        got = await fetcher.get(url)
        await asyncio.sleep(0)
    assert got.cut
    assert len(got.data) <= 10 * 1_048_576
    assert sent < 100_000_000


async def test_a_fetch_is_cancelled_at_once() -> None:
    """A Stop does not wait for a server."""
    asked = asyncio.Event()

    async def silent(writer: asyncio.StreamWriter) -> None:
        asked.set()
        await asyncio.sleep(60)

    async with _server(silent) as (fetcher, url):
        task = asyncio.create_task(Fetcher(fetcher._rules).get(url))
        await asked.wait()
        task.cancel()
        await asyncio.wait([task], timeout=2)
        assert task.cancelled()
        for other in asyncio.all_tasks() - {asyncio.current_task()}:
            other.cancel()


async def test_nobody_at_the_address_is_offline() -> None:
    server = await asyncio.start_server(lambda reader, writer: None, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    server.close()
    await server.wait_closed()
    with pytest.raises(WebError) as caught:
        await Fetcher(Rules(frozenset({("127.0.0.1", port)}))).get(f"http://127.0.0.1:{port}/")
    assert caught.value.code is Code.OFFLINE


async def test_environment_proxies_are_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """N12: a proxy would resolve by itself; none is used."""
    for name in ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    network = Network(NAMES)
    await _got(network)
    assert network.connected == [(PUBLIC, 80)]
