"""The default search: DuckDuckGo's HTML pages through the `ddgs` package, in a process that is ended after each search.

`ddgs` brings an HTTP client of its own that takes no transport of ours, and reads the answer with an HTML parser; in
a process of its own, with an empty environment (no proxies, no secrets), it can be stopped at any moment. The tests
cannot reach the real service: they give the package made-up pages.
"""

from __future__ import annotations

import asyncio
import importlib.util
import json
import os
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final

from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import WebError
from orange_jupyter.core.fetching import MOST_SECONDS, WebHit
from orange_jupyter.local.web.hits import Names, hits_of

HOST: Final = "html.duckduckgo.com"
_NAMES: Final = Names(results="", title="title", url="href", snippet="body", date="")
_MOST_ANSWER: Final = 1_048_576
_BOOT: Final = (
    "import json, sys; sys.path[:] = [*dict.fromkeys([*json.loads(sys.argv[1]), *sys.path])]; "
    "from orange_jupyter.local.web.keyless_process import main; main()"
)


class Keyless:
    """Searches without a key, each in a process of its own. Used from one event loop."""

    host = HOST

    def __init__(self, seconds: float = MOST_SECONDS, *, command: Sequence[str] | None = None) -> None:
        """`command` starts the process; by default this Python."""
        self._seconds = seconds
        self._command = tuple(command or (sys.executable, "-I", "-c", _BOOT, json.dumps(_import_paths())))
        self._running: set[Process] = set()

    async def search(self, query: str, limit: int) -> tuple[WebHit, ...]:
        """At most `limit` results. Raises WebError no_backend (not installed), http_error, offline, timed_out."""
        if await asyncio.to_thread(importlib.util.find_spec, "ddgs") is None:
            raise WebError(
                Code.NO_BACKEND,
                "No web search is installed.",
                hint="A person can install orange-jupyter[web], or name an endpoint under [web.search] in config.toml.",
            )
        asked = json.dumps({"query": query, "limit": limit, "seconds": self._seconds}).encode("ascii")
        try:
            async with asyncio.timeout(self._seconds):
                answer = await self._ask(asked + b"\n")
        except TimeoutError:
            raise WebError(Code.TIMED_OUT, f"{HOST} did not answer within {self._seconds:g} seconds.") from None
        return _hits(answer, limit)

    async def close(self) -> None:
        """End the searches that run; each then fails as http_error."""
        for process in list(self._running):
            _kill(process)

    async def _ask(self, line: bytes) -> bytes:
        process = await asyncio.create_subprocess_exec(
            *self._command,
            stdin=PIPE,
            stdout=PIPE,
            stderr=DEVNULL,
            cwd=os.path.sep,
            env={},
            start_new_session=True,
            limit=_MOST_ANSWER,
        )
        self._running.add(process)
        try:
            assert process.stdin is not None
            assert process.stdout is not None
            with suppress(BrokenPipeError, ConnectionResetError):
                process.stdin.write(line)
                await process.stdin.drain()
            return await process.stdout.readline()
        except ValueError:  # longer than any answer is
            return b""
        finally:
            _kill(process)
            await process.wait()
            self._running.discard(process)


def _hits(answer: bytes, limit: int) -> tuple[WebHit, ...]:
    match _document(answer):
        case {"results": list(entries)}:
            return hits_of(entries, _NAMES, limit)
        case {"error": "timed_out"}:
            raise WebError(Code.TIMED_OUT, f"{HOST} did not answer in time.")
        case {"error": "offline"}:
            raise WebError(Code.OFFLINE, f"{HOST} cannot be reached.", hint="Check the network connection.")
        case _:
            raise WebError(
                Code.HTTP_ERROR,
                f"The search at {HOST} failed; it may limit how often it is asked.",
                hint="Try again in a minute, or name another endpoint under [web.search] in config.toml.",
            )


def _document(answer: bytes) -> Any:
    try:
        return json.loads(answer)
    except ValueError:
        return None


def _kill(process: Process) -> None:
    if process.returncode is None:
        with suppress(ProcessLookupError):
            process.kill()


def _import_paths() -> list[str]:
    """Where the process may import from: the absolute entries of this one's path, but for its working directory."""
    try:
        here = os.getcwd()
    except FileNotFoundError:
        here = ""
    return [entry for entry in sys.path if os.path.isabs(entry) and entry != here]
