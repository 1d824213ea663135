"""A `llama-server` of our own for tests: the same arguments and addresses, and every way to end badly.

`install` writes it as a program into a folder that the test puts on PATH. What it does comes in LLAMA_ARG_STAND_IN, a
JSON object, since variables of that kind are passed on to a real server too.
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PROGRAM = """#!{python} -IS
import json, os, signal, sys, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

given = dict(zip(sys.argv[1:], sys.argv[2:]))
plan = json.loads(os.environ.get("LLAMA_ARG_STAND_IN", "{{}}"))
folder = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(folder, "starts.jsonl"), "a") as log:
    about = {{"pid": os.getpid(), "parent": os.getppid(), "arguments": sys.argv[1:], "environment": dict(os.environ)}}
    log.write(json.dumps(about) + "\\n")
starts = sum(1 for _ in open(os.path.join(folder, "starts.jsonl")))
ending = (plan.get("endings") or []) [starts - 1:starts]
if ending:
    if ending[0].get("says"):
        print(ending[0]["says"], file=sys.stderr, flush=True)
    if ending[0].get("signal"):
        os.kill(os.getpid(), ending[0]["signal"])
    sys.exit(ending[0].get("code", 0))
if plan.get("stubborn"):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
looks = [0]

class Serve(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_GET(self):
        looks[0] += 1
        self.answer(200 if looks[0] > plan.get("looks", 0) else 503, b"{{}}")

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with open(os.path.join(folder, "asked.jsonl"), "a") as log:
            log.write(json.dumps(body) + "\\n")
        if self.headers.get("Authorization") != "Bearer " + os.environ["LLAMA_API_KEY"]:
            return self.answer(401, b"{{}}")
        if plan.get("dies_when_asked"):
            print("ggml: failed to allocate buffer", file=sys.stderr, flush=True)
            os._exit(1)
        self.answer(200, plan["body"].encode())

    def answer(self, status, body):
        self.send_response(status)
        self.send_header("Content-Type", "text/event-stream" if self.command == "POST" else "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

print("a line of its log " * 3000, file=sys.stderr, flush=True)
ThreadingHTTPServer((given["--host"], int(given["--port"])), Serve).serve_forever()
"""


@dataclass(frozen=True)
class StandIn:
    """An installed stand-in: its folder, and what it was started with and asked."""

    folder: Path

    def environ(self, **plan: Any) -> dict[str, str]:
        """An environment in which only it is on PATH."""
        return {"PATH": str(self.folder), "LLAMA_ARG_STAND_IN": json.dumps(plan)}

    @property
    def starts(self) -> list[dict[str, Any]]:
        """One object a start: pid, parent, arguments, environment."""
        return self._lines("starts.jsonl")

    @property
    def asked(self) -> list[dict[str, Any]]:
        """The bodies of all requests."""
        return self._lines("asked.jsonl")

    @property
    def running(self) -> list[int]:
        """The process ids of those that still run."""
        return [one["pid"] for one in self.starts if is_running(one["pid"])]

    def _lines(self, name: str) -> list[dict[str, Any]]:
        file = self.folder / name
        return [json.loads(line) for line in file.read_text("utf-8").splitlines()] if file.exists() else []


def install(folder: Path) -> StandIn:
    """Write the program as `llama-server` into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / "llama-server"
    program.write_text(PROGRAM.format(python=sys.executable), encoding="utf-8")
    program.chmod(0o700)
    return StandIn(folder)


def is_running(pid: int) -> bool:
    """Whether a process runs; one that has ended and only waits to be reaped does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state not in "ZX" and os.path.exists(f"/proc/{pid}")
