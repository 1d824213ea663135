"""The port `Web`: pages, texts, PDFs, errors and its end (R-WEB-3, N08, N11)."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from typing import Any

import httpcore
import psutil
import pytest

from orange_jupyter.core.codes import Code
from orange_jupyter.core.document import DocumentText
from orange_jupyter.core.errors import ReadError, WebError
from orange_jupyter.core.fetching import Web
from orange_jupyter.documents.extract import LocalDocuments
from orange_jupyter.local.web.opening import Choices, open_web
from orange_jupyter.local.web.opening import Network as Net
from tests.local.web.stage import PUBLIC, Network, answer, as_it_is, redirect

PAGE = "<html><head><title>树冠</title></head><body><h1>Canopy</h1><p>Cover is 30 % in the streets. <a href='/x'>More</a></p></body></html>"
PDF = b"%PDF-1.4\n1 0 obj\n<<>>\nendobj\n%%EOF"


def _web(site: Any, read_page: Any = as_it_is) -> Web:
    network = Network({"a.test": [(PUBLIC,)]}, site)
    return open_web(Choices(), read_page, never=frozenset(), network=Net(network.resolve, network.connect))


async def _failed(web: Web, url: str = "http://a.test/") -> WebError:
    with pytest.raises(WebError) as caught:
        await web.fetch(url)
    return caught.value


@pytest.fixture
async def documents() -> AsyncIterator[LocalDocuments]:
    documents = LocalDocuments(1)
    yield documents
    await documents.close()


async def test_a_page_comes_as_markdown_with_its_title_and_where_it_was(documents: LocalDocuments) -> None:
    """R-WEB-3: the whole way, through a redirect and the worker."""

    def site(host: str, target: str) -> bytes:
        return redirect("http://a.test/p?q=1#part") if target == "/" else answer(PAGE, kind="text/html; charset=UTF-8")

    page = await _web(site, documents.web_page).fetch("https://a.test")
    assert (page.url, page.final_url, page.status) == ("https://a.test", "http://a.test/p?q=1", 200)
    assert (page.title, page.content_type, page.truncated, page.data) == ("树冠", "text/html", False, b"")
    assert "# Canopy" in page.text
    assert "[More](http://a.test/x)" in page.text
    assert page.warnings[0] == "redirected: https://a.test/ → http://a.test/p?q=1"
    assert page.warnings[1].startswith("not_encrypted")


@pytest.mark.parametrize(
    "kind",
    [
        "text/plain",
        "application/json",
        "text/markdown",
        "text/csv",
        "application/ld+json",
        "application/atom+xml",
        "application/x-bibtex",
        "",
    ],
)
async def test_texts_come_as_they_are(kind: str) -> None:
    """R-WEB-3"""
    page = await _web(lambda host, target: answer('{"a": "<b>"}', kind=kind)).fetch("http://a.test/")
    assert page.text == '{"a": "<b>"}'
    assert page.title == ""


@pytest.mark.parametrize("kind", ["application/pdf", "application/octet-stream", "text/html", ""])
async def test_a_pdf_comes_as_bytes(kind: str) -> None:
    """R-WEB-3: known by its content."""
    page = await _web(lambda host, target: answer(PDF, kind=kind)).fetch("http://a.test/")
    assert (page.data, page.text, page.content_type) == (PDF, "", "application/pdf")


async def test_a_pdf_beyond_the_limit_is_too_large() -> None:
    """N07: half a PDF is none."""
    error = await _failed(_web(lambda host, target: answer(PDF + b"x" * 11_000_000, kind="application/pdf")))
    assert error.code is Code.TOO_LARGE


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        *(("image/png", b"\x89PNG"), ("application/zip", b"PK"), ("video/mp4", b"x"), ("image/svg+xml", b"<svg/>")),
        *(
            ("application/octet-stream", b"\x00\x01"),
            ("text/plain", b"a\0b"),
            ("", b"\x7fELF\x01\x02\x03" * 9),
            ("a\u202eb/x", b""),
        ),
    ],
)
async def test_other_types_are_named_and_refused(kind: str, data: bytes) -> None:
    error = await _failed(_web(lambda host, target: answer(data, kind=kind)))
    assert error.code is Code.UNSUPPORTED_TYPE
    assert kind.replace("\u202e", "\\u202e") in error.message
    assert "\u202e" not in error.message


@pytest.mark.parametrize("status", ["404 Not Found", "401 Unauthorized", "500 Oops", "407 Proxy"])
async def test_a_status_that_is_no_success_is_an_http_error(status: str) -> None:
    error = await _failed(_web(lambda host, target: answer("no", status=status)))
    assert error.code is Code.HTTP_ERROR
    assert error.details["status"] == int(status[:3])


async def test_a_long_text_is_marked_as_truncated() -> None:
    """N07"""
    page = await _web(lambda host, target: answer(b"x" * 11_000_000)).fetch("http://a.test/")
    assert page.truncated
    assert len(page.text) == 10 * 1_048_576
    assert any(warning.startswith("truncated") for warning in page.warnings)


async def test_the_readers_error_is_the_webs() -> None:
    async def broken(data: bytes, *, charset: str, url: str, markup: bool) -> DocumentText:
        raise ReadError(Code.PARSER_LIMIT, "too much", hint="less")

    error = await _failed(_web(lambda host, target: answer(PAGE, kind="text/html"), broken))
    assert (error.code, error.hint) == (Code.PARSER_LIMIT, "less")


async def test_closing_stops_what_runs() -> None:
    """Whoever waits hears of it as an error, not as a Stop of their own."""
    started = asyncio.Event()

    async def silent(address: str, port: int, seconds: float) -> httpcore.AsyncNetworkStream:
        started.set()
        await asyncio.sleep(60)
        raise AssertionError

    network = Network({"a.test": [(PUBLIC,)]})
    web = open_web(Choices(), as_it_is, never=frozenset(), network=Net(network.resolve, silent))
    task = asyncio.create_task(web.fetch("http://a.test/"))
    await started.wait()
    async with asyncio.timeout(2):
        await web.close()
        with pytest.raises(WebError) as caught:
            await task
    assert caught.value.code is Code.CANCELLED


async def test_nothing_listens_while_the_web_is_read() -> None:
    """N11"""
    seen: list[Any] = []

    def site(host: str, target: str) -> bytes:
        seen.extend(
            one for one in psutil.Process(os.getpid()).net_connections("inet") if one.status == psutil.CONN_LISTEN
        )
        return answer("x")

    before = {
        one.laddr for one in psutil.Process(os.getpid()).net_connections("inet") if one.status == psutil.CONN_LISTEN
    }
    await _web(site).fetch("http://a.test/")
    assert not [one for one in seen if one.laddr not in before]
