"""A fake model on loopback that reads what it is sent and answers like a good, a weak or a blind one."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.providers.server import Answer, ModelServer, Seen, call, delta, plain, serving, stream


@dataclass
class Mind:
    """What the model behind the server can do; `offered` are the ids of its list, None for no list."""

    native: bool = True
    envelope: bool = True
    parallel: bool = True
    sees: bool = True
    streams: bool = True
    ollama: bool = False
    window: int = 100_000
    offered: tuple[str, ...] | None = ("m-1",)
    bodies: list[dict[str, Any]] = field(default_factory=list)

    def answer(self, seen: Seen) -> Answer:
        """The answer to one request of any kind."""
        method, path, _ = seen.line.split(" ")
        if method == "GET":
            return self._get(path)
        body = seen.json
        self.bodies.append(body)
        if "response_format" in body or "How you reply" in json.dumps(body["messages"]):
            return self._enveloped(body)
        return self._natively(body)

    def _get(self, path: str) -> Answer:
        if path.endswith("/models") and self.offered is not None:
            return document({"data": [{"id": name} for name in self.offered]})
        if path == "/api/version" and self.ollama:
            return document({"version": "0.12.0"})
        return plain(b"no such page", status="404 Not Found", content_type="text/plain")

    def _natively(self, body: dict[str, Any]) -> Answer:
        text = said(body)
        if "Open both" in text and self.native:
            colours = ("blue", "red") if self.parallel else ("blue",)
            return self._called([(f"c{at}", colour) for at, colour in enumerate(colours)])
        if "drawer" in text or "抽屉" in text:
            if not self.native:
                return self._text("Let us see what lies there.")
            if body["messages"][-1]["role"] == "tool":
                return self._text(f"There lies {json.loads(body['messages'][-1]['content'])['content']}.")
            return self._called([("c0", "blue" if "blue" in text else "红色")])
        return self._text(self._plain(body, text))

    def _plain(self, body: dict[str, Any], text: str) -> str:
        if "picture" in text:
            return "Red." if self.sees else "Green."
        if "PLUM" in text:
            return "PLUM" if self.window > 5_000 else "I do not know."
        return "1, 2, 3, 4, 5, 6, 7, 8, 9, 10"

    def _enveloped(self, body: dict[str, Any]) -> Answer:
        text = body["messages"][-1]["content"]
        if not self.envelope:
            return self._text("Sorry?")
        if text.startswith("Result of"):
            return self._text(json.dumps({"answer": f"There lies {json.loads(text.splitlines()[1])['content']}."}))
        colour = "blue" if "blue" in text else "红色"
        return self._text(json.dumps({"tool": "open_drawer", "arguments": {"colour": colour}}, ensure_ascii=False))

    def _called(self, calls: list[tuple[str, str]]) -> Answer:
        made = [
            call(json.dumps({"colour": colour}), index=at, id=identity, name="open_drawer")
            for at, (identity, colour) in enumerate(calls)
        ]
        return plain(stream(delta(tool_calls=made), delta("tool_calls"), self._usage()))

    def _text(self, text: str) -> Answer:
        pieces = [text[at : at + 4] for at in range(0, len(text), 4)] if self.streams else [text]
        return plain(stream(*(delta(content=piece) for piece in pieces), delta("stop"), self._usage()))

    def _usage(self) -> dict[str, Any]:
        """What a server that cuts at its window counts: four characters a token."""
        count = min(len(json.dumps(self.bodies[-1]["messages"])) // 4, self.window)
        return {"choices": [], "usage": {"prompt_tokens": count, "completion_tokens": 5}}


def said(body: dict[str, Any]) -> str:
    """The text of the first user message."""
    content = next(message["content"] for message in body["messages"] if message["role"] == "user")
    return content if isinstance(content, str) else " ".join(part.get("text", "") for part in content)


def document(value: Any) -> Answer:
    """A JSON document."""
    return plain(json.dumps(value).encode(), content_type="application/json")


class _Answers(list[Answer]):
    """The answers of a ModelServer, made when they are asked for."""

    def __init__(self, model: ModelServer, make: Callable[[Seen], Answer]) -> None:
        super().__init__()
        self._model = model
        self._make = make

    def __len__(self) -> int:
        return len(self._model.seen)

    def __getitem__(self, _: Any) -> Any:
        return self._make(self._model.seen[-1])


@asynccontextmanager
async def thinking(mind: Mind) -> AsyncIterator[ModelServer]:
    """A running server with this mind."""
    async with serving() as server:
        server.answers = _Answers(server, mind.answer)
        yield server
