"""What a model can do, tried with tiny requests in which nothing of a person's notes stands (R-MOD-6)."""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass

from orange_jupyter.core.deltas import Delta, ModelRetry, TextDelta
from orange_jupyter.core.errors import ModelError
from orange_jupyter.core.messages import Image, Message, Reply, Request, Role, Text, ToolCall, ToolResult, ToolSchema
from orange_jupyter.core.ports import Model
from orange_jupyter.core.result import as_json


@dataclass(frozen=True, slots=True)
class Probe:
    """One check: its name for programs, whether it passed, what happened in a sentence."""

    name: str
    ok: bool
    message: str


@dataclass(frozen=True, slots=True)
class _Task:
    """A question that only a call can answer: the argument must hold one of `keys`, the answer one of `words`."""

    question: str
    keys: tuple[str, ...]
    content: str
    words: tuple[str, ...]


DRAWER = ToolSchema(
    name="open_drawer",
    description="Opens a drawer and says what lies in it.",
    parameters={
        "type": "object",
        "properties": {"colour": {"type": "string", "description": "The drawer's colour."}},
        "required": ["colour"],
        "additionalProperties": False,
    },
)
WEIGH = ToolSchema(
    name="weigh",
    description="Weighs a thing, in grams.",
    parameters={
        "type": "object",
        "properties": {"thing": {"type": "string"}},
        "required": ["thing"],
        "additionalProperties": False,
    },
)
TASKS = (
    _Task("What lies in the blue drawer? Open it, then tell me in one sentence.", ("blue",), "a walnut", ("walnut",)),
    _Task("红色抽屉里有什么？先打开它，然后用一句话告诉我。", ("红", "red"), "一枚铜钥匙", ("钥匙", "key")),
)
_LINES = 500
RAISE = "For Ollama raise num_ctx (OLLAMA_CONTEXT_LENGTH) to the model's context window."


async def probe_answer(model: Model) -> tuple[Probe, Probe]:
    """Whether it answers, and whether the answer streams. Never raises ModelError."""
    pieces: list[str] = []

    def hear(delta: Delta | ModelRetry) -> None:
        if isinstance(delta, TextDelta):
            pieces.append(delta.text)

    try:
        reply = await model.respond(_request("Count from 1 to 10, with commas, and say nothing else."), hear)
    except ModelError as error:
        failed = f"{error.message} {error.hint or ''}".strip()
        return Probe("connection", False, failed), Probe("streaming", False, "not tried")
    said = _text(reply).strip()
    answered = Probe("connection", bool(said), f"answered “{said[:60]}”" if said else "answered with nothing")
    streams = len(pieces) > 1
    how = f"{len(pieces)} pieces" if streams else "the whole answer came at once, so nothing is shown before its end"
    return answered, Probe("streaming", streams, how)


async def probe_calls(model: Model, name: str = "tool calls") -> Probe:
    """Whether it calls the right tool with the right argument and uses the result: two tasks, one in Chinese."""
    for task in TASKS:
        try:
            problem = await _try_task(model, task)
        except ModelError as error:
            return Probe(name, False, error.message)
        if problem:
            return Probe(name, False, problem)
    return Probe(name, True, f"{len(TASKS)} of {len(TASKS)} tasks done with a tool")


async def probe_parallel(model: Model) -> Probe:
    """Whether it makes two calls in one reply. One at a time works too, only slower: that is no failure."""
    question = "What lies in the blue drawer and in the red drawer? Open both at once, in one reply."
    try:
        reply = await model.respond(_request(question, DRAWER, WEIGH), _unheard)
    except ModelError as error:
        return Probe("parallel calls", False, error.message)
    count = len(_calls(reply))
    return Probe("parallel calls", True, "two calls in one reply" if count > 1 else "one call a reply, which works too")


async def probe_vision(model: Model, picture: Image) -> Probe:
    """Whether it sees `picture`, which is RED_PICTURE."""
    question = Message(role=Role.USER, parts=(Text(text="Which colour is this picture? One word."), picture))
    try:
        reply = await model.respond(Request(messages=(question,)), _unheard)
    except ModelError as error:
        return Probe("vision", False, error.message)
    said = _text(reply).strip()
    if reply.notices:
        return Probe("vision", False, " ".join(reply.notices))
    seen = any(word in said.casefold() for word in ("red", "红", "crimson", "scarlet"))
    return Probe("vision", seen, f"a red picture is “{said[:40]}”")


async def probe_context(model: Model) -> Probe:
    """Whether the server reads a longer prompt whole, or cuts it silently (wire row 25).

    About 5,000 tokens: more than Ollama reads where nobody raised num_ctx.
    """
    lines = "\n".join(f"Line {number}: nothing of interest stands here." for number in range(_LINES))
    text = f"The secret word is PLUM.\n{lines}\nWhich is the secret word? One word."
    try:
        reply = await model.respond(_request(text), _unheard)
    except ModelError as error:
        return Probe("context", False, error.message)
    if reply.notices:
        return Probe("context", False, " ".join(reply.notices))
    tokens = f"{reply.usage.input_tokens:,} tokens"
    if "plum" not in _text(reply).casefold():
        return Probe("context", False, f"the beginning of a longer text was lost; {tokens} were read. {RAISE}")
    return Probe("context", True, f"{tokens} were read whole")


async def _try_task(model: Model, task: _Task) -> str:
    """What went wrong, "" for nothing. Raises ModelError."""
    asked = Message(role=Role.USER, parts=(Text(text=task.question),))
    first = await model.respond(Request(messages=(asked,), tools=(DRAWER, WEIGH)), _unheard)
    calls = _calls(first)
    if not calls:
        return " ".join(first.notices) or f"answered without a call: “{_text(first).strip()[:60]}”"
    call = calls[0]
    colour = str((call.arguments or {}).get("colour", "")).casefold()
    if call.name != DRAWER.name or not any(key in colour for key in task.keys):
        return f"called {call.name} with {as_json(call.arguments) if call.arguments is not None else call.problem}"
    said = Message(role=Role.ASSISTANT, parts=first.parts, model=first.model)
    results = tuple(
        Message(
            role=Role.TOOL,
            parts=(
                ToolResult(
                    call_id=one.id, name=one.name, content=as_json({"ok": True, "content": task.content}), ok=True
                ),
            ),
        )
        for one in calls
    )
    second = await model.respond(Request(messages=(asked, said, *results), tools=(DRAWER, WEIGH)), _unheard)
    answer = _text(second).casefold()
    if not any(word in answer for word in task.words):
        return f"did not use the result: “{answer.strip()[:60]}”"
    return ""


def _calls(reply: Reply) -> tuple[ToolCall, ...]:
    return tuple(part for part in reply.parts if isinstance(part, ToolCall))


def _text(reply: Reply) -> str:
    return "".join(part.text for part in reply.parts if isinstance(part, Text))


def _request(text: str, *tools: ToolSchema) -> Request:
    return Request(messages=(Message(role=Role.USER, parts=(Text(text=text),)),), tools=tools)


def _unheard(_: Delta | ModelRetry) -> None:
    """Nobody looks on."""


def red_picture(side: int = 64) -> bytes:
    """A PNG of one red square; `side` in pixels."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = (b"\0" + b"\xd0\x10\x10" * side) * side
    head = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
