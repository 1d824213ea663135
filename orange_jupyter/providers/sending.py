"""One server and the requests on their way to it: adaptations, tries, and what they become; for every API.

Keys stand only in the header that is added while a request is sent; redirects are never followed; proxies and
certificates come from the settings alone, never from the process's environment or a project's files.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Generator, MutableMapping
from dataclasses import dataclass, field, replace
from typing import ClassVar

import httpx

from orange_jupyter.core.messages import Finish, Message, Reply, Request
from orange_jupyter.core.ports import ModelInfo
from orange_jupyter.providers.assemble import Assembler, ToolNames
from orange_jupyter.providers.dialect import Dialect, Refused, adapted, dialect_of
from orange_jupyter.providers.envelope import enveloped
from orange_jupyter.providers.exchange import Exchange
from orange_jupyter.providers.faults import Failure, Faults
from orange_jupyter.providers.loopback import LoopbackOnly
from orange_jupyter.providers.pieces import Emit
from orange_jupyter.providers.placement import data_urls
from orange_jupyter.providers.retry import keep_trying
from orange_jupyter.providers.settings import Blob, Pacing, ServerSettings, is_loopback
from orange_jupyter.providers.speech import Folds, Speech, Wording
from orange_jupyter.providers.textcall import without_text_calls
from orange_jupyter.providers.window import cut_notice

_MOST_ADAPTATIONS = 4


class ServedModel:
    """A Model over one address. Between requests it keeps only its connections and what the server refused by name.

    A subclass says in `own_speech` which API its server speaks. `blob` gives a picture's bytes by sha256. `client` is
    for tests; a client that is given is not closed here. `learnt` is what servers refused, by address and model:
    shared, so that the next turn's model knows it.
    """

    own_speech: ClassVar[Speech]

    def __init__(
        self,
        settings: ServerSettings,
        blob: Blob,
        *,
        pacing: Pacing | None = None,
        client: httpx.AsyncClient | None = None,
        learnt: MutableMapping[str, Dialect] | None = None,
    ) -> None:
        self.settings = settings
        self.speech = enveloped(self.own_speech) if settings.envelope else self.own_speech
        self.pacing = pacing or Pacing()
        self.faults = Faults(settings, self.speech)
        self._learnt = learnt if learnt is not None else {}
        self._server = f"{settings.base_url} {settings.model}"
        self._blob = blob
        self._client = client
        self._owned = client is None
        self._opening = asyncio.Lock()

    @property
    def dialect(self) -> Dialect:
        """What the server is known to take."""
        return self._learnt.get(self._server) or dialect_of(self.settings.host)

    @dialect.setter
    def dialect(self, dialect: Dialect) -> None:
        self._learnt[self._server] = dialect

    @property
    def info(self) -> ModelInfo:
        """Name, host and limits as configured."""
        settings = self.settings
        return ModelInfo(
            name=settings.name,
            model=settings.model,
            host=settings.host,
            context_window=settings.context_window,
            max_output=settings.max_output,
            vision=settings.vision,
            vision_reason=settings.blind,
            pictures=settings.pictures,
        )

    async def respond(self, request: Request, emit: Emit) -> Reply:
        """Stream one reply. Raises ModelError, whose text and causes hold no key (U08)."""
        pictures = await data_urls(request, self._blob) if self.settings.vision else {}
        return await keep_trying(_Sending(self, request, pictures).once, emit, self.pacing)

    async def exchange(self) -> Exchange:
        """The line for one request; its client is made at first use."""
        return Exchange(await self._open(), self.speech.endpoint(self.settings), self.faults, self.pacing)

    async def close(self) -> None:
        """Close the connections that were opened here."""
        if self._client is not None and self._owned:
            await self._client.aclose()
            self._client = None

    async def _open(self) -> httpx.AsyncClient:
        """The client, made in a worker thread: reading certificates takes tens of milliseconds."""
        async with self._opening:
            if self._client is None:
                self._client = await asyncio.to_thread(make_client, self.settings, self.speech, self.pacing)
            return self._client


@dataclass(slots=True)
class _Sending:
    """One request on its way, over all its tries."""

    line: ServedModel
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
        """Learn from a refusal: for the server's other requests too, but pictures for this one only."""
        before = replace(self.line.dialect, images=self.with_pictures)
        after = adapted(before, Refused(failure.status, failure.text, has_pictures=bool(self.pictures)))
        if after is None:
            return False
        if not after.images and before.images:
            self.with_pictures = False
            self.notices.append("The model's server refused the pictures; the request was sent without them.")
        self.line.dialect = replace(after, images=True)
        return True

    async def _exchange(self, emit: Emit) -> Reply | Failure:
        line = self.line
        names = ToolNames(schema.name for schema in self.request.tools)
        assembler = Assembler(names, used_ids(self.request.messages))
        folding = line.speech.folding(assembler, emit)
        wording = Wording(line.settings, replace(line.dialect, images=self.with_pictures), self.pictures)
        body = line.speech.body(wording, self.request)
        failure = await (await line.exchange()).run(body, folding)
        if failure is not None:
            return replace(failure, shown=folding.shown)
        reply = self._reply(folding)
        if isinstance(reply, Failure):
            return reply
        reply = without_text_calls(reply, names, assembler, recover=line.settings.recover_text_calls)
        cut = cut_notice(body, reply.usage)
        notices = (*reply.notices, *self.notices, *((cut,) if cut else ()))
        return reply.model_copy(update={"notices": notices}) if notices else reply

    def _reply(self, folding: Folds) -> Reply | Failure:
        """What was folded; a filter that left nothing of the answer is an error, not an empty answer."""
        reply = folding.reply(self.line.settings.model)
        if reply.finish is Finish.CONTENT_FILTER and not folding.shown and not reply.parts:
            return self.line.faults.filtered()
        return reply


class KeyHeader(httpx.Auth):
    """Puts the key into its header while a request is sent; its repr shows nothing."""

    def __init__(self, settings: ServerSettings, speech: Speech) -> None:
        self._settings = settings
        self._speech = speech

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        """Add the key, if there is one, and the configured extra headers."""
        if self._settings.key:
            request.headers[self._speech.key_header] = f"{self._speech.key_prefix}{self._settings.key}"
        for name, value in (*self._speech.headers, *self._settings.headers):
            request.headers[name] = value
        yield request


def make_client(settings: ServerSettings, speech: Speech, pacing: Pacing) -> httpx.AsyncClient:
    """A client that follows no redirect and reads neither proxies, certificates nor netrc from the environment.

    A proxy of the person's own comes in `settings.proxy`; loopback addresses never go through it. The time limits
    for reading are kept in `exchange`, since they differ before and after the first byte. With `local_only` the
    address is checked when it is connected to.
    """
    local = is_loopback(httpx.URL(settings.base_url).host)
    verify = _certificates(settings.ca_file)
    only = LoopbackOnly(httpx.AsyncHTTPTransport(verify=verify, trust_env=False)) if settings.local_only else None
    return httpx.AsyncClient(
        auth=KeyHeader(settings, speech),
        timeout=httpx.Timeout(None, connect=pacing.connect, pool=pacing.connect),
        follow_redirects=False,
        trust_env=False,
        proxy=None if local else settings.proxy,
        verify=verify,
        transport=only,
    )


def _certificates(ca_file: str | None) -> bool | ssl.SSLContext:
    return ssl.create_default_context(cafile=ca_file) if ca_file else True


def used_ids(messages: tuple[Message, ...]) -> list[str]:
    """The ids of all calls in the conversation."""
    return [call.id for message in messages for call in message.calls]
