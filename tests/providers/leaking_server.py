"""A model server on loopback, in a thread, that gives back the key it was sent in every way that it can."""

from __future__ import annotations

import base64
import json
import threading
import urllib.parse
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.providers.server import call, delta, event, stream

KEY = "Zk/9+canary==q7Tq0vX3~mW8rB5"
"""A key that no shape of the masker knows: it is hidden because it is configured. URL-encoded it looks different."""


def forms(key: str = KEY) -> dict[str, str]:
    """The key as it may stand somewhere: plain, in two URL encodings, in base64 alone and inside an Authorization header."""
    whole = base64.b64encode(f"Bearer {key}".encode()).decode()
    return {
        "plain": key,
        "url": urllib.parse.quote(key, safe=""),
        "query": urllib.parse.quote_plus(key, safe="/"),
        "base64": base64.b64encode(key.encode()).decode(),
        # the digits that only the key decides: 7 bytes before it are 9 digits and 2 bits of the next
        "header in base64": whole[10:-2],
    }


LEAK = " | ".join(forms().values())
STOP = delta("stop")
ARGUMENTS = json.dumps({"path": "茶 tea.md", "why": LEAK})


def streams() -> dict[str, bytes]:
    """By a word of the question: an answer under status 200."""
    letters = [delta(content=letter) for letter in f"The key is {LEAK} 好"]
    return {
        "letters": stream(*letters, STOP),
        "whole": stream(delta(content=f"好 {LEAK}"), STOP),
        "reasoning": stream(*(delta(reasoning_content=letter) for letter in LEAK), delta(content="好"), STOP),
        "arguments": stream(
            delta(tool_calls=[call("", index=0, id="a", name="read")]),
            *(delta(tool_calls=[call(letter, index=0)]) for letter in ARGUMENTS),
            STOP,
        ),
        "malformed": stream(delta(tool_calls=[call('{"path": "' + LEAK, index=0, id="a", name="read")]), STOP),
        "unknown": stream(delta(tool_calls=[call("{}", index=0, id=KEY, name=KEY)]), STOP),
        "broken": stream(delta(content="half")) + event({"error": {"message": f"bad {LEAK}", "code": 400}}),
        "page": f"<!DOCTYPE html><html><title>{LEAK}</title><body>{LEAK}</body></html>".encode(),
        "other": json.dumps({"detail": LEAK}).encode(),
        "cut": stream(delta(content=f"half {LEAK[:40]}"), done=False),
        "good": stream(delta(content="好"), STOP),
    }


STATUSES = {
    "refused": (401, json.dumps({"error": {"message": f"Incorrect API key provided: {LEAK}"}}).encode()),
    "sign in": (401, f"<html><body>Sign in. You sent {LEAK}</body></html>".encode()),
    "bad": (400, json.dumps({"error": {"message": f"no {LEAK}", "param": KEY}}).encode()),
    "busy": (503, LEAK.encode()),
    "moved": (307, b""),
}
QUESTIONS = [f"{word}?" for word in (*streams(), *STATUSES)]


@dataclass
class Leaking:
    """The running server: its address, and which keys it was sent."""

    url: str = ""
    keys: set[str] = field(default_factory=set)


@contextmanager
def leaking() -> Iterator[Leaking]:
    """Run it until the block ends."""
    about = Leaking()

    class Serve(BaseHTTPRequestHandler):
        def log_message(self, *_: Any) -> None:
            """Quiet."""

        def do_GET(self) -> None:
            self._answer(200, json.dumps({"data": [{"id": KEY}, {"id": "m-1"}]}).encode())

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            about.keys.add(str(self.headers.get("Authorization", "")).removeprefix("Bearer "))
            words = json.dumps(body["messages"][-1], ensure_ascii=False)
            asked = next((word for word in (*STATUSES, *streams()) if f"{word}?" in words), "")
            if asked in STATUSES:
                self._answer(*STATUSES[asked])
            else:
                self._answer(200, streams()[asked or "whole"])

        def _answer(self, status: int, body: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", "text/html" if body.startswith(b"<") else "text/event-stream")
            self.send_header("Content-Length", str(len(body)))
            self.send_header("X-Request-Id", KEY)
            self.send_header("Retry-After", "0")
            if status == 307:
                self.send_header("Location", f"https://{urllib.parse.quote(KEY, safe='')}.example/v1?key={LEAK}")
            self.end_headers()
            self.wfile.write(body)

    with ThreadingHTTPServer(("127.0.0.1", 0), Serve) as server:
        about.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield about
        finally:
            server.shutdown()
            thread.join(5)
