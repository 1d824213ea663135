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
    threading.Thread(target=_end_with, args=(sys.stdin.buffer,), daemon=True).start()
    answer = answer_to(str(asked["query"]), int(asked["limit"]), float(asked["seconds"]))
    answers.write(json.dumps(answer).encode("ascii") + b"\n")
    answers.flush()
    os._exit(0)  # the package waits for its threads otherwise


def answer_to(query: str, limit: int, seconds: float) -> dict[str, Any]:
    """`{"results": […]}` as the package gives them, or `{"error": …}`: timed_out, offline or http_error."""
    from ddgs import DDGS
    from ddgs.exceptions import DDGSException, TimeoutException

    try:
        found = DDGS(timeout=max(1, int(seconds))).text(
            query, region="wt-wt", safesearch="moderate", max_results=limit, backend="duckduckgo"
        )
    except TimeoutException:
        return {"error": "timed_out"}
    except DDGSException as error:
        return _failed(str(error))
    return {"results": found}


def _failed(reason: str) -> dict[str, Any]:
    """What the package's words mean: it has one error for all but a time-out."""
    if reason == "No results found.":
        return {"results": []}
    unreachable = any(word in reason.lower() for word in ("connect", "dns", "resolve", "network"))
    return {"error": "offline" if unreachable else "http_error"}


def _end_with(stdin: BinaryIO) -> None:
    while stdin.read(4_096):
        pass
    os._exit(1)
