"""Searches: an endpoint of the person's own, and the package without a key (R-WEB-2).

The real service is not reached here: the package gets made-up pages in the shape that it expects, through a client put
in the place of its own. That its service still answers in that shape is not shown by these tests.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from asyncio.subprocess import DEVNULL, PIPE
from pathlib import Path
from typing import Any

import ddgs.base
import pytest

from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import WebError
from orange_jupyter.local.web.hits import Names, hits_of, list_at
from orange_jupyter.local.web.keyless import HOST, Keyless
from orange_jupyter.local.web.keyless_process import answer_to
from orange_jupyter.local.web.opening import Choices, open_web
from orange_jupyter.local.web.opening import Network as Net
from orange_jupyter.local.web.web import LocalWeb
from tests.local.web.stage import PUBLIC, Network, answer, as_it_is, redirect

ROOT = Path(__file__).parents[3]
URL = "https://find.test/search?format=json&q={query}"
ANSWER = {
    "results": [
        {
            "title": "Tree canopy",
            "url": "https://a.test/1",
            "content": "Cover of\n 30 %",
            "publishedDate": "2024-05-01",
        },
        {"title": "", "url": "https://b.test/2"},
        {"title": "again", "url": "https://a.test/1"},
        {"title": "no page", "url": "javascript:alert(1)"},
        {"title": "user", "url": "https://x@c.test/"},
        "no object",
        {
            "title": "树冠\u202e\x1b[31m" + "长" * 500,
            "url": "https://例え.jp/路",
            "content": "y" * 5_000,
            "publishedDate": 2024,
        },
    ]
}


def _web(network: Network, **choices: Any) -> LocalWeb:
    chosen = Choices(**{"backend": "json", "url": URL, **choices})
    return open_web(
        chosen, as_it_is, never=frozenset({("127.0.0.1", 8888)}), network=Net(network.resolve, network.connect)
    )


async def _failed(web: LocalWeb) -> WebError:
    with pytest.raises(WebError) as caught:
        await web.search("q", 3)
    return caught.value


async def test_an_endpoint_gives_title_address_snippet_and_date() -> None:
    """R-WEB-2: bounded, in one line, without control characters, each address once and in ASCII."""
    network = Network(
        {"find.test": [(PUBLIC,)]}, lambda host, target: answer(json.dumps(ANSWER), kind="application/json")
    )
    web = _web(network)
    hits = await web.search('树冠 & "cover"?', 10)
    assert web.search_host == "find.test"
    assert network.requests[0].split(" ")[1] == "/search?format=json&q=%E6%A0%91%E5%86%A0%20%26%20%22cover%22%3F"
    assert [(hit.title, hit.url, hit.date) for hit in hits[:2]] == [
        ("Tree canopy", "https://a.test/1", "2024-05-01"),
        ("https://b.test/2", "https://b.test/2", None),
    ]
    assert hits[0].snippet == "Cover of 30 %"
    assert len(hits) == 3
    assert hits[2].url == "https://xn--r8jz45g.jp/%E8%B7%AF"
    assert (len(hits[2].title), len(hits[2].snippet), hits[2].date) == (300, 1_000, "2024")
    assert hits[2].title.isprintable()
    assert len(await web.search("q", 1)) == 1


async def test_the_field_names_are_the_persons() -> None:
    """R-WEB-2: any JSON with a list of results."""
    document = {"web": {"hits": [{"name": "N", "href": "http://a.test/", "about": "S", "age": "1 day"}]}}
    network = Network({"find.test": [(PUBLIC,)]}, lambda host, target: answer(json.dumps(document)))
    fields = {"results": "web.hits", "title": "name", "url": "href", "snippet": "about", "date": "age"}
    (hit,) = await _web(network, fields=fields).search("q", 3)
    assert (hit.title, hit.url, hit.snippet, hit.date) == ("N", "http://a.test/", "S", "1 day")


async def test_an_endpoint_may_be_on_this_machine_but_not_lead_to_another_spot() -> None:
    """R-WEB-3: the person named it; its redirects are checked like all others, and Jupyter is never asked."""
    local = "http://127.0.0.1:8080/search?q={query}"
    network = Network(site=lambda host, target: answer('{"results": []}'))
    assert await _web(network, url=local).search("q", 3) == ()
    assert network.connected == [("127.0.0.1", 8080)]
    with pytest.raises(WebError):
        await _web(network, url=local).fetch("http://127.0.0.1:8080/")
    network.site = lambda host, target: redirect("http://127.0.0.1:9090/")
    assert (await _failed(_web(network, url=local))).code is Code.BLOCKED_ADDRESS
    assert (await _failed(_web(network, url="http://127.0.0.1:8888/?q={query}"))).code is Code.BLOCKED_ADDRESS
    assert set(network.connected) == {("127.0.0.1", 8080)}


@pytest.mark.parametrize(
    "sent",
    [
        *(
            answer("<html>"),
            answer("[]"),
            answer('{"results": {}}'),
            answer("{}", status="429 Too Many"),
            answer("[" * 100_000),
        ),
        *(answer('{"results": [], "x": "' + "x" * 3_000_000 + '"}'), b"", answer("\xff")),
    ],
)
async def test_an_answer_that_is_none_is_an_http_error(sent: bytes) -> None:
    network = Network({"find.test": [(PUBLIC,)]}, lambda host, target: sent)
    assert (await _failed(_web(network))).code is Code.HTTP_ERROR


async def test_a_search_that_is_off_says_how_to_turn_it_on() -> None:
    web = _web(Network(), backend="off", url="")
    error = await _failed(web)
    assert error.code is Code.NO_BACKEND
    assert "web.search" in str(error.hint)
    assert web.search_host == ""


def test_a_path_leads_to_a_list_or_nowhere() -> None:
    assert list_at({"a": {"b": [1]}}, "a.b") == [1]
    assert list_at([1], "") == [1]
    assert list_at({"a": [1]}, "a.b") is None
    assert hits_of([{"url": None}, {"url": 5}, {}], Names(), 5) == ()


class MadeUpClient:
    """In the place of the package's HTTP client: gives one page to every question and writes the question down."""

    page = ""
    status = 200
    asked: list[tuple[Any, Any]] = []  # noqa: RUF012  one list for the test
    problem: Exception | None = None

    def __init__(self, **_: Any) -> None:
        self.client = self
        self.status_code = self.status
        self.text = self.page

    def headers_update(self, _: Any) -> None:
        return

    def request(self, *args: Any, **named: Any) -> MadeUpClient:
        MadeUpClient.asked.append((args, named))
        if self.problem is not None:
            raise self.problem
        return self


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch) -> type[MadeUpClient]:
    monkeypatch.setattr(ddgs.base, "HttpClient", MadeUpClient)
    for name, value in (("asked", []), ("problem", None), ("status", 200), ("page", "")):
        monkeypatch.setattr(MadeUpClient, name, value)
    return MadeUpClient


def test_the_package_reads_a_made_up_page(client: type[MadeUpClient]) -> None:
    """R-WEB-2: the package's own parsing, not its service; one host gets the words."""
    client.page = "<html><body>" + "".join(
        f'<div class="links_main result__body"><h2><a>Canopy {n} &amp; 树冠</a></h2><a href="https://a.test/{n}">About canopy {n}</a></div>'
        for n in range(5)
    )
    found = answer_to("canopy 树冠", 3, 5.0)
    assert len(found["results"]) == 5
    hits = hits_of(found["results"], Names(results="", url="href", snippet="body", date="date"), 3)
    assert {hit.url for hit in hits} <= {f"https://a.test/{n}" for n in range(5)}
    assert hits[0].title.startswith("Canopy ")
    assert "树冠" in hits[0].title
    assert hits[0].date is None
    ((args, named),) = client.asked
    assert args == ("POST", f"https://{HOST}/html/")
    assert named["data"]["q"] == "canopy 树冠"


@pytest.mark.parametrize(
    ("page", "status", "problem", "expected"),
    [
        ("<html><body>nothing", 200, None, {"results": []}),
        ("<html>refused", 202, None, {"error": "http_error"}),
        ("", 403, None, {"error": "http_error"}),
        ("", 200, ddgs.exceptions.TimeoutException("timed out"), {"error": "timed_out"}),
        ("", 200, ddgs.exceptions.DDGSException("ConnectError: dns error"), {"error": "offline"}),
        ("", 200, ddgs.exceptions.DDGSException("BodyError: odd"), {"error": "http_error"}),
    ],
)
def test_what_the_package_says_when_it_fails(
    client: type[MadeUpClient], page: str, status: int, problem: Any, expected: Any
) -> None:
    client.page, client.status, client.problem = page, status, problem
    assert answer_to("q", 3, 5.0) == expected


def _says(code: str) -> tuple[str, ...]:
    return (sys.executable, "-I", "-c", f"import os, sys, time; line = sys.stdin.readline(); {code}")


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ('print(\'{"error": "timed_out"}\')', Code.TIMED_OUT),
        ('print(\'{"error": "offline"}\')', Code.OFFLINE),
        ('print(\'{"error": "http_error"}\')', Code.HTTP_ERROR),
        ("print('no json')", Code.HTTP_ERROR),
        ("print('x' * 3000000)", Code.HTTP_ERROR),
        ("os._exit(7)", Code.HTTP_ERROR),
        ("time.sleep(60)", Code.TIMED_OUT),
    ],
)
async def test_the_process_may_fail_in_any_way(code: str, expected: Code) -> None:
    search = Keyless(1.5 if "sleep" in code else 20.0, command=_says(code))
    with pytest.raises(WebError) as caught:
        await search.search("q", 3)
    assert caught.value.code is expected
    assert not search._running


async def test_the_process_gets_the_words_and_no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """N12, R-EXEC's rule for secrets: neither keys nor proxies reach it."""
    monkeypatch.setenv("SECRET_KEY", "planted")
    code = "import json; q = json.loads(line); print(json.dumps({'results': [{'title': q['query'] + str(os.environ.get('SECRET_KEY')), 'href': 'http://a.test'}]}))"
    (hit,) = await Keyless(command=_says(code)).search("树冠", 3)
    assert hit.title.startswith("树冠")
    assert "planted" not in hit.title


async def test_a_search_that_is_cancelled_leaves_no_process() -> None:
    """A Stop ends it at once; so does the end of the kernel, which closes its stdin."""
    search = Keyless(command=_says("time.sleep(60)"))
    task = asyncio.create_task(search.search("q", 3))
    while not search._running:
        await asyncio.sleep(0.01)
    (process,) = search._running
    task.cancel()
    await asyncio.wait([task], timeout=2)
    assert task.cancelled()
    assert not os.path.exists(f"/proc/{process.pid}")


STAND_IN = """
import json, sys
sys.path[:] = json.loads(sys.argv[1])
import time, ddgs.base
class Client:
    status_code, text = 200, '<div class="body"><h2>Found</h2><a href="https://a.test/1">words</a></div>'
    def __init__(self, **_): self.client = self
    def headers_update(self, _): pass
    def request(self, *_, **named):
        print("noise of a library")
        if named["data"]["q"] == "slow": time.sleep(60)
        return self
ddgs.base.HttpClient = Client
from orange_jupyter.local.web.keyless_process import main
main()
"""


def _stand_in() -> tuple[str, ...]:
    return (sys.executable, "-I", "-c", STAND_IN, json.dumps([str(ROOT), *sys.path]))


async def test_the_whole_way_through_the_process() -> None:
    """The real process and package with a client that answers by itself; what a library prints is no answer."""
    (hit,) = await Keyless(command=_stand_in()).search("tree canopy", 3)
    assert (hit.title, hit.url) == ("Found", "https://a.test/1")


async def test_the_process_ends_with_whoever_started_it() -> None:
    """Its stdin closes when the kernel is gone, in whatever way."""
    process = await asyncio.create_subprocess_exec(*_stand_in(), stdin=PIPE, stdout=DEVNULL, stderr=DEVNULL, env={})
    assert process.stdin is not None
    process.stdin.write(json.dumps({"query": "slow", "limit": 1, "seconds": 60}).encode() + b"\n")
    process.stdin.close()
    async with asyncio.timeout(20):
        await process.wait()
    assert process.returncode == 1
