"""`localOnly`: the address that is connected to decides, not the name (R-MOD-11, N04, N10)."""

from __future__ import annotations

import httpx
import pytest

from orange_jupyter.core.errors import ModelError, ModelFault
from orange_jupyter.providers.loopback import LoopbackOnly, NotThisMachineError
from orange_jupyter.providers.openai_compatible import OpenAICompatible
from tests.providers.server import delta, plain, serving, stream
from tests.providers.wires import Heard, ask, blob, pacing, reply_of, settings

OK = plain(stream(delta(content="ok"), delta("stop")))


class Reached(httpx.AsyncBaseTransport):
    """Notes what it is asked to connect to; refuses the first `refusing` of them."""

    def __init__(self, refusing: int = 0) -> None:
        self.requests: list[tuple[str, str, str]] = []
        self._refusing = refusing

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.requests.append((request.url.host, request.headers["host"], request.extensions["sni_hostname"]))
        if len(self.requests) <= self._refusing:
            raise httpx.ConnectError("no")
        return httpx.Response(200)


def resolver(*addresses: str):
    async def look_up(host: str, port: int) -> tuple[str, ...]:
        return addresses

    return look_up


@pytest.mark.parametrize("bad", ["10.0.0.1", "169.254.169.254", "0.0.0.0", "::", "fe80::1%2", "2606:4700::1"])
async def test_one_address_elsewhere_refuses_the_name_without_a_connection(bad: str) -> None:
    """N04: mixed records are refused whole."""
    reached = Reached()
    only = LoopbackOnly(reached, lookup=resolver("127.0.0.1", bad))
    with pytest.raises(NotThisMachineError, match="not this machine"):
        await only.handle_async_request(httpx.Request("POST", "http://localhost:1234/v1"))
    assert reached.requests == []


async def test_the_checked_addresses_are_connected_to_by_number_in_order() -> None:
    """The server may listen on one of the two only; host header and TLS name stay the person's."""
    reached = Reached(refusing=1)
    only = LoopbackOnly(reached, lookup=resolver("::1", "127.0.0.1"))
    await only.handle_async_request(httpx.Request("POST", "https://localhost:1234/v1"))
    assert reached.requests == [("::1", "localhost:1234", "localhost"), ("127.0.0.1", "localhost:1234", "localhost")]


async def test_a_server_on_localhost_answers() -> None:
    async with serving(OK) as server:
        reply = await reply_of(server.url.replace("127.0.0.1", "localhost"), Heard(), local_only=True)
    assert reply.parts[0].kind == "text"
    assert server.seen[0].headers["host"] == f"localhost:{server.port}"


async def test_a_refused_name_is_one_try_and_a_plain_error() -> None:
    """A hosts file that leads localhost astray: said at once, not after five tries."""
    async with httpx.AsyncClient(transport=LoopbackOnly(Reached(), lookup=resolver("10.1.2.3"))) as client:
        url = "http://localhost:1/v1"
        heard = Heard()
        model = OpenAICompatible(settings(url, local_only=True), blob, pacing=pacing(heard), client=client)
        with pytest.raises(ModelError, match=r"localhost is 10\.1\.2\.3") as caught:
            await model.respond(ask(), heard)
    assert (caught.value.fault, caught.value.tries, heard.waits) == (ModelFault.UNREACHABLE, 1, [])
