"""Any OpenAI-compatible chat-completions server as a Model (R-MOD-1): the request, its tries, and what they become.

Keys stand only in the Authorization header that is added while a request is sent; redirects are never followed;
proxies and certificates come from the settings alone, never from the process's environment or a project's files.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable, Generator
from dataclasses import dataclass, field, replace

import httpx

from orange_jupyter.core.deltas import Delta, ModelRetry
from orange_jupyter.core.messages import Message, Reply, Request
from orange_jupyter.core.ports import ModelInfo
from orange_jupyter.providers.assemble import Assembler, ToolNames
from orange_jupyter.providers.dialect import adapted
from orange_jupyter.providers.exchange import Exchange
from orange_jupyter.providers.faults import Failure, Faults
from orange_jupyter.providers.fold import Folding
from orange_jupyter.providers.retry import Emit, keep_trying
from orange_jupyter.providers.settings import Blob, Pacing, ServerSettings
from orange_jupyter.providers.textcall import without_text_calls
from orange_jupyter.providers.window import cut_notice
from orange_jupyter.providers.wire import Dialect, Wire, data_urls

_MOST_ADAPTATIONS = 4


class OpenAICompatible:
    """A Model over one address. Between requests it keeps only its connections and what the server refused by name.

    `blob` gives a picture's bytes by sha256. `client` is for tests; a client that is given is not closed here.
    """

    def __init__(
        self,
        settings: ServerSettings,
        blob: Blob,
        *,
        pacing: Pacing | None = None,
        client: httpx.AsyncClient | None = None,
    ) -> None:
        self._settings = settings
        self._blob = blob
        self._pacing = pacing or Pacing()
        self._faults = Faults(settings)
        self._dialect = Dialect()
        self._client = client
        self._owned = client is None
        self._opening = asyncio.Lock()

    @property
    def info(self) -> ModelInfo:
        """Name, host and limits as configured."""
        settings = self._settings
        return ModelInfo(
            name=settings.name,
            model=settings.model,
            host=settings.host,
            context_window=settings.context_window,
            max_output=settings.max_output,
            vision=settings.vision,
            vision_reason="" if settings.vision else f"the vision switch of model {settings.name} is off",
        )

    async def respond(self, request: Request, emit: Callable[[Delta | ModelRetry], None]) -> Reply:
        """Stream one reply. Raises ModelError, whose text and causes hold no key (U08)."""
        pictures = await data_urls(request, self._blob) if self._settings.vision else {}
        sending = _Sending(self, request, pictures)
        return await keep_trying(sending.once, emit, self._pacing)

    async def close(self) -> None:
        """Close the connections that were opened here."""
        if self._client is not None and self._owned:
            await self._client.aclose()
            self._client = None

    async def _open(self) -> httpx.AsyncClient:
        """The client, made at first use in a worker thread: reading certificates takes tens of milliseconds."""
        async with self._opening:
            if self._client is None:
                self._client = await asyncio.to_thread(make_client, self._settings, self._pacing)
            return self._client


@dataclass(slots=True)
class _Sending:
    """One request on its way, over all its tries."""

    model: OpenAICompatible
    request: Request
    pictures: dict[str, str]
    notices: list[str] = field(default_factory=list)
    with_pictures: bool = True

    async def once(self, emit: Emit) -> Reply | Failure:
        """One try; a field that the server refuses by name is left out at once and does not count as a try."""
        outcome = await self._exchange(emit)
        for _ in range(_MOST_ADAPTATIONS):
            if isinstance(outcome, Reply) or not self._adapt(outcome):
                return outcome
            outcome = await self._exchange(emit)
        return outcome

    def _adapt(self, failure: Failure) -> bool:
        before = self._dialect()
        after = adapted(before, failure, has_pictures=bool(self.pictures))
        if after is None:
            return False
        if after.images != before.images:
            self.with_pictures = False
            self.notices.append("The model's server refused the pictures; the request was sent without them.")
        self.model._dialect = Dialect(after.stream_options, after.max_tokens, True, after.reasoning)
        return True

    def _dialect(self) -> Dialect:
        own = self.model._dialect
        return Dialect(own.stream_options, own.max_tokens, self.with_pictures, own.reasoning)

    async def _exchange(self, emit: Emit) -> Reply | Failure:
        model, settings = self.model, self.model._settings
        names = ToolNames(schema.name for schema in self.request.tools)
        assembler = Assembler(names, used_ids(self.request.messages))
        folding = Folding(assembler, emit)
        body = Wire(settings, self._dialect(), self.pictures).body(self.request)
        exchange = Exchange(await model._open(), settings, model._faults, model._pacing)
        failure = await exchange.run(body, folding)
        if failure is not None:
            return replace(failure, shown=folding.shown)
        reply = folding.reply(settings.model)
        reply = without_text_calls(reply, names, assembler, recover=settings.recover_text_calls)
        cut = cut_notice(body, reply.usage)
        notices = (*reply.notices, *self.notices, *((cut,) if cut else ()))
        return reply.model_copy(update={"notices": notices}) if notices else reply


class BearerKey(httpx.Auth):
    """Puts the key into the Authorization header while a request is sent; its repr shows nothing."""

    def __init__(self, settings: ServerSettings) -> None:
        self._settings = settings

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        """Add the key, if there is one, and the configured extra headers."""
        if self._settings.key:
            request.headers["Authorization"] = f"Bearer {self._settings.key}"
        for name, value in self._settings.headers:
            request.headers[name] = value
        yield request


def make_client(settings: ServerSettings, pacing: Pacing) -> httpx.AsyncClient:
    """A client that follows no redirect and reads neither proxies, certificates nor netrc from the environment.

    A proxy of the person's own comes in `settings.proxy`; loopback addresses never go through it. The time limits
    for reading are kept in `exchange`, since they differ before and after the first byte.
    """
    local = httpx.URL(settings.base_url).host in ("localhost", "127.0.0.1", "::1")
    return httpx.AsyncClient(
        auth=BearerKey(settings),
        timeout=httpx.Timeout(None, connect=pacing.connect, pool=pacing.connect),
        follow_redirects=False,
        trust_env=False,
        proxy=None if local else settings.proxy,
        verify=_certificates(settings.ca_file),
    )


def _certificates(ca_file: str | None) -> bool | ssl.SSLContext:
    return ssl.create_default_context(cafile=ca_file) if ca_file else True


def used_ids(messages: tuple[Message, ...]) -> list[str]:
    """The ids of all calls in the conversation."""
    return [call.id for message in messages for call in message.calls]
