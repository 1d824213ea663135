"""The process of one keyless search: a question as a line on stdin, results as a line on stdout, then the end."""

from __future__ import annotations

import json
import os
import sys
import threading
from typing import Any, BinaryIO


def main() -> None:
    """Answer one question. Ends when stdin does, which is when its parent ends."""
    asked = json.loads(sys.stdin.buffer.readline())
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what a library prints is no answer
    threading.Thread(target=_end_with, args=(sys.stdin.buffer,), daemon=True).start()
    answer = answer_to(str(asked["query"]), int(asked["limit"]), float(asked["seconds"]))
    answers.write(json.dumps(answer).encode("ascii") + b"\n")
    answers.flush()
    os._exit(0)


def answer_to(query: str, limit: int, seconds: float) -> dict[str, Any]:
    """`{"results": […]}` in the service's own order, or `{"error": …}`: timed_out, offline or http_error.

    The package's engine is asked, not its front: that says "no results" too where the service refused to answer.
    """
    from ddgs.engines.duckduckgo import Duckduckgo
    from ddgs.exceptions import DDGSException, TimeoutException

    try:
        engine = Duckduckgo(timeout=max(1, int(seconds)))
        found = engine.search(query, region="wt-wt", safesearch="moderate")
    except TimeoutException:
        return {"error": "timed_out"}
    except DDGSException as error:
        return {"error": "offline" if _unreachable(str(error)) else "http_error"}
    if found is None:
        return {"error": "http_error"}
    return {"results": [{"title": one.title, "href": one.href, "body": one.body} for one in found[: limit * 2]]}


def _unreachable(reason: str) -> bool:
    """Whether the package's words, its only sign, mean that nothing was reached."""
    return any(word in reason.lower() for word in ("connect", "dns", "resolv", "network"))


def _end_with(stdin: BinaryIO) -> None:
    while stdin.read(4_096):
        pass
    os._exit(1)
