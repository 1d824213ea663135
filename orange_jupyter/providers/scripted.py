"""The public fake: a model that follows a script, for tests, notebooks and trying the product without a server.

A script is a list of replies in JSON, given in their order:

    {"replies": [
      {"calls": [{"name": "search", "arguments": {"query": "tea"}}]},
      {"text": "Green tea, 80 degrees [{{last.citations.0.citationId}}].", "chunk": 4, "delay": 0.02}
    ]}

`{{last.…}}` is the newest tool result's envelope, `{{results.N.…}}` the N-th of the conversation (from 0, negative from
the end), `{{tool.NAME.…}}` the newest of a tool, `{{user}}` the last user message. A string that is one placeholder
takes the value with its type. A reply with `when` waits for a user message that contains it; with `always` it is not
used up.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError

from orange_jupyter.core.deltas import Delta, ModelRetry, ReasoningDelta, Restarted, TextDelta
from orange_jupyter.core.document import PictureLimits
from orange_jupyter.core.errors import ConfigError, ModelError, ModelFault
from orange_jupyter.core.messages import Finish, Message, Reasoning, Reply, Request, Role, Text, ToolCall, Usage, Value
from orange_jupyter.core.ports import ModelInfo
from orange_jupyter.providers.placeholders import Known, filled


class ScriptedError(Value):
    """A failure that ends a reply, after its text has streamed."""

    fault: ModelFault = ModelFault.SERVER_ERROR
    message: str = "the script says so"
    hint: str | None = None


class ScriptedRetry(Value):
    """A try that fails before the first byte, as a view sees it."""

    seconds: float = 0.0
    reason: str = "the server asks to slow down (HTTP 429)"


class ScriptedCall(Value):
    """A tool call; `raw` instead of `arguments` is what a model writes when it gets the JSON wrong."""

    name: str
    arguments: dict[str, Any] = Field(default_factory=dict)
    raw: str | None = None
    id: str | None = None


class ScriptedReply(Value):
    """One reply. `chunk` characters a delta, `delay` seconds before each; `dropped` is text before an open restart."""

    text: str = ""
    reasoning: str = ""
    calls: tuple[ScriptedCall, ...] = ()
    error: ScriptedError | None = None
    retries: tuple[ScriptedRetry, ...] = ()
    dropped: str = ""
    chunk: int = Field(default=16, ge=1)
    delay: float = Field(default=0.0, ge=0.0)
    finish: Finish | None = None
    usage: Usage = Usage()
    notices: tuple[str, ...] = ()
    when: str | None = None
    always: bool = False


class Script(Value):
    """What a scripted model says, and what it claims to be."""

    replies: tuple[ScriptedReply, ...]
    context_window: int = 32_768
    vision: bool = False


def load_script(path: Path) -> Script:
    """Read a script's JSON. Raises ConfigError with the place of the first mistake."""
    try:
        return Script.model_validate_json(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"the script cannot be read: {error.strerror}", file=str(path), key="script") from None
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(step) for step in first["loc"])
        raise ConfigError(f"the script is wrong at {place or 'its start'}: {first['msg']}", file=str(path)) from None


class Scripted:
    """A Model that follows a script and records every request. Cancellable at any delta."""

    def __init__(
        self,
        script: Script | list[ScriptedReply] | tuple[ScriptedReply, ...],
        *,
        name: str = "scripted",
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        pictures: PictureLimits | None = None,
    ) -> None:
        self._script = script if isinstance(script, Script) else Script(replies=tuple(script))
        self._left = list(self._script.replies)
        self._name = name
        self._sleep = sleep
        self._pictures = pictures or PictureLimits()
        self.requests: list[Request] = []

    @property
    def info(self) -> ModelInfo:
        """A model on no host, with the script's limits."""
        return ModelInfo(
            name=self._name,
            model="scripted",
            context_window=self._script.context_window,
            vision=self._script.vision,
            vision_reason="" if self._script.vision else "the script has vision off",
            pictures=self._pictures,
        )

    async def respond(self, request: Request, emit: Callable[[Delta | ModelRetry], None]) -> Reply:
        """The script's next reply. Raises its ModelError, or one that says that no reply is left."""
        self.requests.append(request)
        known = Known.of(request)
        reply = self._next(known)
        await self._retries(reply, emit)
        reasoning, text = str(filled(reply.reasoning, known)), str(filled(reply.text, known))
        await self._stream(reasoning, reply, lambda piece: emit(ReasoningDelta(text=piece)))
        if reply.dropped:
            await self._stream(reply.dropped, reply, lambda piece: emit(TextDelta(text=piece)))
            emit(Restarted(reason="the connection closed"))
        await self._stream(text, reply, lambda piece: emit(TextDelta(text=piece)))
        if reply.error is not None:
            raise ModelError(reply.error.fault, reply.error.message, hint=reply.error.hint)
        said = (*((Reasoning(text=reasoning),) if reasoning else ()), *((Text(text=text),) if text else ()))
        calls = _calls(reply, known, request.messages)
        finish = reply.finish or (Finish.TOOL_CALLS if calls else Finish.STOP)
        return Reply(parts=(*said, *calls), finish=finish, usage=reply.usage, model="scripted", notices=reply.notices)

    async def close(self) -> None:
        """Nothing is open."""

    def _next(self, known: Known) -> ScriptedReply:
        for place, reply in enumerate(self._left):
            if reply.when is None or reply.when in known.user:
                if not reply.always:
                    del self._left[place]
                return reply
        raise ModelError(
            ModelFault.BAD_REQUEST,
            f"The script has no reply left for request {len(self.requests)}.",
            hint="add a reply to the script, or start it again by restarting the kernel",
        )

    async def _retries(self, reply: ScriptedReply, emit: Callable[[Delta | ModelRetry], None]) -> None:
        for number, retry in enumerate(reply.retries, start=2):
            emit(ModelRetry(attempt=number, of=5, seconds=retry.seconds, reason=retry.reason))
            await self._sleep(retry.seconds)

    async def _stream(self, text: str, reply: ScriptedReply, tell: Callable[[str], None]) -> None:
        for start in range(0, len(text), reply.chunk):
            await self._sleep(reply.delay)
            tell(text[start : start + reply.chunk])


def _calls(reply: ScriptedReply, known: Known, messages: tuple[Message, ...]) -> tuple[ToolCall, ...]:
    made = sum(len(message.calls) for message in messages if message.role is Role.ASSISTANT)
    return tuple(_call(call, f"call_{made + number}", known) for number, call in enumerate(reply.calls, start=1))


def _call(call: ScriptedCall, number: str, known: Known) -> ToolCall:
    if call.raw is not None:
        problem = "the arguments are not valid JSON (the script says so)"
        return ToolCall(id=call.id or number, name=call.name, arguments=None, raw=call.raw, problem=problem)
    arguments = filled(call.arguments, known)
    raw = json.dumps(arguments, ensure_ascii=False)
    return ToolCall(id=call.id or number, name=call.name, arguments=arguments, raw=raw)
