"""Refusals and failures: what the person reads, what is tried again, and that no key is in it (rows 22-26, U08)."""

from __future__ import annotations

import asyncio
import json
import re
import traceback
from typing import Any

import httpx
import pytest
from pydantic import SecretStr

from orange_jupyter.core.errors import ModelError, ModelFault, UsageError
from orange_jupyter.core.messages import Text
from orange_jupyter.providers.openai_compatible import CHAT, OpenAICompatible
from orange_jupyter.providers.retry import retry_after
from orange_jupyter.providers.sending import make_client
from orange_jupyter.providers.settings import Pacing
from tests.providers.server import HOLD, Answer, delta, event, head, pieces, plain, serving, stream
from tests.providers.wires import KEY, Heard, ask, blob, fault_of, pacing, reply_of, settings

GOOD = plain(stream(delta(content="ok"), delta("stop")))
HTML = b"<!DOCTYPE html><html><body>Sign in to the network</body></html>"


def refusal(status: str, body: Any, more: str = "") -> Answer:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    return plain(raw, status=status, content_type="application/json", more=more)


def said(message: str, **more: Any) -> dict[str, Any]:
    return {"error": {"message": message, **more}}


F = ModelFault
ROWS: dict[str, tuple[Answer, ModelFault, str]] = {
    "wrong key": (
        refusal("401 Unauthorized", said(f"Incorrect API key provided: {KEY}")),
        F.KEY_REFUSED,
        "refused the key",
    ),
    "forbidden": (refusal("403 Forbidden", b""), F.KEY_REFUSED, "403"),
    "key under 400": (refusal("400 Bad Request", said("API key not valid")), F.KEY_REFUSED, "key"),
    "unknown model": (
        refusal("404 Not Found", said("The model `m-1` does not exist", code="model_not_found")),
        F.UNKNOWN_MODEL,
        "m-1",
    ),
    "unknown model, Ollama": (
        refusal("404 Not Found", said('model "m-1" not found, try pulling it first')),
        F.UNKNOWN_MODEL,
        "m-1",
    ),
    "wrong path, Ollama": (refusal("404 Not Found", b"404 page not found"), F.NOT_A_MODEL_SERVER, "/v1"),
    "wrong path, FastAPI": (refusal("404 Not Found", {"detail": "Not Found"}), F.NOT_A_MODEL_SERVER, "/v1"),
    "no credit": (refusal("402 Payment Required", said("x")), F.NO_CREDIT, "credit"),
    "no credit, DeepSeek": (
        refusal("400 Bad Request", said("Insufficient Balance")),
        F.NO_CREDIT,
        "Insufficient Balance",
    ),
    "no credit under 429": (
        refusal("429 Too Many", said("You exceeded your current quota", code="insufficient_quota")),
        F.NO_CREDIT,
        "quota",
    ),
    "content filter, Azure": (
        refusal("400 Bad Request", said("The response was filtered", code="content_filter")),
        F.CONTENT_FILTER,
        "filter",
    ),
    "content filter, Qwen": (
        refusal("400 Bad Request", {"code": "data_inspection_failed", "message": "bad"}),
        F.CONTENT_FILTER,
        "filter",
    ),
    "too long, OpenAI": (
        refusal("400 Bad Request", said("This model's maximum context length is 8192 tokens.")),
        F.CONTEXT_TOO_LONG,
        "8192",
    ),
    "too long, Anthropic": (
        refusal("400 Bad Request", said("prompt is too long: 210000 tokens > 200000 maximum")),
        F.CONTEXT_TOO_LONG,
        "too long",
    ),
    "too long, Google": (
        refusal(
            "400 Bad Request", said("The input token count (1200000) exceeds the maximum number of tokens allowed")
        ),
        F.CONTEXT_TOO_LONG,
        "too long",
    ),
    "too long, Groq": (
        refusal("400 Bad Request", said("Please reduce the length of the messages or completion.")),
        F.CONTEXT_TOO_LONG,
        "too long",
    ),
    "too long, OpenRouter": (
        refusal("400 Bad Request", said("This endpoint's maximum context length is 4096 tokens")),
        F.CONTEXT_TOO_LONG,
        "too long",
    ),
    "too long, llama.cpp": (
        refusal("500 Internal", said("the request exceeds the available context size")),
        F.CONTEXT_TOO_LONG,
        "too long",
    ),
    "too long, LM Studio": (
        refusal(
            "400 Bad Request",
            {
                "error": "Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens"
            },
        ),
        F.CONTEXT_TOO_LONG,
        "too long",
    ),
    "too long, empty 413": (refusal("413 Too Large", b""), F.CONTEXT_TOO_LONG, "too long"),
    "web page, 200": (plain(HTML, content_type="text/html"), F.NOT_A_MODEL_SERVER, "web page"),
    "web page, said to be a stream": (plain(HTML), F.NOT_A_MODEL_SERVER, "web page"),
    "web page, 404": (refusal("404 Not Found", HTML), F.NOT_A_MODEL_SERVER, "web page"),
    "other JSON": (plain(b'{"status": "ok"}'), F.NOT_A_MODEL_SERVER, "no chat completion"),
    "lines of JSON": (plain(b'{"message": {}}\n{"message": {}}'), F.NOT_A_MODEL_SERVER, "no chat completion"),
    "a list": (plain(b"[1]"), F.NOT_A_MODEL_SERVER, "list"),
    "DONE alone": (plain(b"data: [DONE]\n\n"), F.NOT_A_MODEL_SERVER, "answer"),
    "error under 200": (
        plain(json.dumps(said("The model `x` does not exist")).encode()),
        F.UNKNOWN_MODEL,
        "does not exist",
    ),
    "error in the stream": (
        plain(event(said("Provider returned error", code=400))),
        F.BAD_REQUEST,
        "Provider returned error",
    ),
    "error as a string": (plain(event({"error": "invalid model"})), F.UNKNOWN_MODEL, "invalid model"),
    "other refusal": (
        refusal("422 Unprocessable", {"detail": [{"msg": "field required"}]}),
        F.BAD_REQUEST,
        "field required",
    ),
    "redirect": (
        refusal("307 Temporary Redirect", b"", "Location: https://other.example/v1?key=1\r\n"),
        F.NOT_A_MODEL_SERVER,
        "redirects to https://other.example/v1",
    ),
}


@pytest.mark.parametrize("row", ROWS)
async def test_a_refusal_is_explained_and_not_tried_again(row: str) -> None:
    """R-MOD-4; wire rows 10, 22, 24, 26: plain words, a hint, one request, no key."""
    answer, fault, words = ROWS[row]
    heard = Heard()
    async with serving(answer) as server:
        error = await fault_of(server.url, heard)
        assert len(server.seen) == 1
    assert error.fault is fault
    assert words in f"{error.message} {error.hint}"
    assert error.hint
    assert re.fullmatch(r"[A-Z`].*[.]", error.hint), "advice is whole sentences"
    assert not re.search(r"; [a-z]+ (?:the|it) .*; ", error.hint)
    assert KEY not in f"{error.message}{error.hint}"
    assert "127.0.0.1" in error.message


PASSING = [
    "408 Timeout",
    "409 Conflict",
    "425 Early",
    "429 Slow",
    "500 Error",
    "502 Bad Gateway",
    "503 Busy",
    "529 Overloaded",
]


@pytest.mark.parametrize("status", PASSING)
async def test_what_passes_by_itself_is_tried_again(status: str) -> None:
    """R-MOD-4; wire row 22: announced to the person, then the answer."""
    heard = Heard()
    body = HTML if status.startswith("502") else b'{"error": {"message": "busy"}}'
    async with serving(refusal(status, body), GOOD) as server:
        reply = await reply_of(server.url, heard)
    assert reply.parts == (Text(text="ok"),)
    assert [(one.attempt, one.of) for one in heard.retries] == [(2, 5)]
    assert status[:3] in heard.retries[0].reason


async def test_five_tries_with_growing_waits_and_then_the_error() -> None:
    """R-MOD-4."""
    heard = Heard()
    async with serving(refusal("503 Busy", b"busy")) as server:
        error = await fault_of(server.url, heard)
        assert len(server.seen) == 5
    assert heard.waits == [0.5, 1.0, 2.0, 4.0]
    assert (error.fault, error.tries) == (ModelFault.SERVER_ERROR, 5)


async def test_an_overload_told_inside_the_stream_is_tried_again() -> None:
    heard = Heard()
    async with serving(plain(event(said("Overloaded", code=529))), GOOD) as server:
        assert (await reply_of(server.url, heard)).parts == (Text(text="ok"),)
    assert len(heard.retries) == 1


async def test_nothing_listens_is_tried_again_and_then_explained() -> None:
    heard = Heard()
    async with serving(GOOD) as server:
        url = server.url
    error = await fault_of(url, heard)
    assert error.fault is ModelFault.UNREACHABLE
    assert len(heard.retries) == 4


async def test_a_connection_that_closes_before_the_answer_is_tried_again() -> None:
    heard = Heard()
    async with serving(Answer((b"",), reset=True), Answer((head(),)), GOOD) as server:
        assert (await reply_of(server.url, heard)).parts == (Text(text="ok"),)
    assert len(heard.retries) == 2


NOW = 1_700_000_000.0
WAITS: dict[str, tuple[dict[str, str], float | None]] = {
    "seconds": ({"retry-after": "7"}, 7.0),
    "part of a second": ({"retry-after": "0.5"}, 0.5),
    "milliseconds first": ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
    "a date": ({"retry-after": "Tue, 14 Nov 2023 22:13:50 GMT"}, 30.0),
    "a date against the server's clock": (
        {"retry-after": "Tue, 14 Nov 2023 22:13:50 GMT", "date": "Tue, 14 Nov 2023 22:13:45 GMT"},
        5.0,
    ),
    "a past date": ({"retry-after": "Tue, 14 Nov 2023 22:00:00 GMT"}, 0.0),
    "negative": ({"retry-after": "-5"}, 0.0),
    "nonsense": ({"retry-after": "soon"}, None),
    "not a number": ({"retry-after": "nan"}, None),
    "nothing": ({}, None),
}


@pytest.mark.parametrize("row", WAITS)
def test_every_form_of_retry_after_is_read(row: str) -> None:
    """R-MOD-4; wire row 22."""
    headers, seconds = WAITS[row]
    assert retry_after(headers, NOW) == seconds


@pytest.mark.parametrize(("asked", "waited"), [("7", 7.0), ("3600", 60.0)])
async def test_the_wait_asked_for_is_kept_up_to_a_minute(asked: str, waited: float) -> None:
    """R-MOD-4: up to 60 s, shown before it is waited."""
    heard = Heard()
    async with serving(refusal("429 Slow", b"{}", f"Retry-After: {asked}\r\n"), GOOD) as server:
        await reply_of(server.url, heard)
    assert heard.waits == [waited]
    assert heard.retries[0].seconds == waited
    assert ("asked to wait 3,600 s" in heard.retries[0].reason) == (asked == "3600")


async def test_an_error_after_all_tries_says_how_long_the_server_asked_for() -> None:
    """R-MOD-4: with an hour to wait another question in a minute is of no use."""
    async with serving(refusal("429 Slow", b"{}", "Retry-After: 3600\r\n")) as server:
        error = await fault_of(server.url, Heard())
    assert error.message.endswith("(5 tries) The server asked to wait 3,600 s.")


async def test_a_key_that_is_missing_and_one_that_is_wrong_are_told_apart() -> None:
    """Wire row 24: the advice names the command with this model's name."""
    async with serving(refusal("401 Unauthorized", b"")) as server:
        wrong = await fault_of(server.url, Heard())
        keyless = OpenAICompatible(settings(server.url, api_key=None), blob, pacing=pacing(Heard()))
        with pytest.raises(ModelError) as missing:
            await keyless.respond(ask(), Heard())
        await keyless.close()
    name = settings(server.url).name
    assert (wrong.hint or "").startswith(f"Set the key again with `%orange model key {name}`, and check that")
    assert "none is set" in missing.value.message
    assert (missing.value.hint or "").startswith(f"Set it with `%orange model key {name}`")


async def test_a_stop_while_waiting_ends_the_tries() -> None:
    """R-SESS-4: Stop works during a wait."""
    heard = Heard()
    forever = Pacing(sleep=lambda _: asyncio.sleep(3600))
    async with serving(refusal("503 Busy", b"")) as server:
        model = OpenAICompatible(settings(server.url), blob, pacing=forever)
        task = asyncio.create_task(model.respond(ask(), heard))
        async with asyncio.timeout(5):
            while not heard.retries:
                await asyncio.sleep(0.001)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        await model.close()


def everything_about(error: BaseException) -> str:
    """What `%debug` and `%tb` show: text, repr, attributes, causes, and the locals of every frame."""
    shown = []
    waiting: list[BaseException | None] = [error]
    while waiting:
        one = waiting.pop()
        if one is None:
            continue
        shown += [str(one), repr(one), repr(one.args), repr(vars(one))]
        for frame, _ in traceback.walk_tb(one.__traceback__):
            if "orange_jupyter" in frame.f_code.co_filename:
                shown += [f"{name} = {value!r}" for name, value in frame.f_locals.items()]
        waiting += [one.__cause__, one.__context__]
    return "\n".join(shown)


LEAKS = {
    "wrong key": ROWS["wrong key"][0],
    "key echoed in another error": refusal("400 Bad Request", said(f"bad header Authorization: Bearer {KEY}")),
    "server error": refusal("500 Error", said(f"key {KEY}")),
    "cut": pieces(event(delta(content="x"))),
    "redirect": refusal("302 Found", b"", f"Location: https://evil.example/{KEY}\r\n"),
    "silent": pieces(HOLD),
}


@pytest.mark.parametrize("row", LEAKS)
async def test_no_error_shows_the_key(row: str) -> None:
    """R-ALL-5; U08: neither in texts nor in reprs, causes or the locals of the traceback."""
    heard = Heard()
    secret_header = "header-secret-123456"
    async with serving(LEAKS[row]) as server:
        own = settings(server.url, headers=(("X-Own", secret_header),))
        model = OpenAICompatible(own, blob, pacing=pacing(heard, first=0.1))
        with pytest.raises(ModelError) as caught:
            await model.respond(ask(), heard)
        await model.close()
        assert server.seen[0].headers["authorization"] == f"Bearer {KEY}"
        assert server.seen[0].headers["x-own"] == secret_header
    shown = everything_about(caught.value) + repr(heard.events) + repr(own) + repr(model) + str(model.info)
    assert KEY not in shown
    assert secret_header not in shown
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None


async def test_a_redirect_never_carries_the_key() -> None:
    """R-MOD-2: the other address sees no request at all."""
    async with serving(GOOD) as other:
        async with serving(refusal("308 Moved", b"", f"Location: {other.url}/chat/completions\r\n")) as server:
            error = await fault_of(server.url, Heard())
        assert not other.seen
    assert "never sent on" in str(error.hint)


@pytest.mark.parametrize("key", ["sk-line\nbreak-secret", "sk-schlüssel-secret"])
def test_a_key_that_cannot_be_sent_is_refused_without_being_shown(key: str) -> None:
    """U08: httpx would put it into its own error."""
    with pytest.raises(UsageError) as caught:
        settings("http://127.0.0.1:1/v1", api_key=SecretStr(key))
    assert "secret" not in everything_about(caught.value)


@pytest.mark.parametrize("url", ["api.openai.com/v1", "ftp://x/v1", "http://user:pass@host/v1", ""])
def test_a_base_url_that_cannot_work_is_refused(url: str) -> None:
    with pytest.raises(UsageError) as caught:
        settings(url)
    assert "pass@" not in str(caught.value)


async def test_nothing_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    """Decision 11: proxies, certificates and netrc of the process are not read; loopback never goes through a proxy."""
    (tmp_path / ".netrc").write_text("machine 127.0.0.1 login a password b")
    monkeypatch.setenv("NETRC", str(tmp_path / ".netrc"))
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    async with serving(GOOD) as server:
        await reply_of(server.url, Heard(), api_key=None, proxy="http://127.0.0.1:9")
        assert "authorization" not in server.seen[0].headers


async def test_a_client_follows_no_redirects_and_knows_no_key_by_itself() -> None:
    async with make_client(settings("https://api.example/v1"), CHAT, Pacing()) as client:
        assert not client.follow_redirects
        assert not client.trust_env
        assert KEY not in repr(client.headers) + repr(vars(client))
        assert isinstance(client, httpx.AsyncClient)


async def test_a_server_that_takes_no_tools_is_told_with_the_way_out() -> None:
    """R-MOD-10: its own words, and `model test`, which finds the mode that works."""
    answer = refusal("400 Bad Request", said("tools is not supported by this model"))
    async with serving(answer) as server:
        error = await fault_of(server.url, Heard())
    assert error.fault is ModelFault.BAD_REQUEST
    assert "tools is not supported by this model" in error.message
    assert "%orange model test" in (error.hint or "")
