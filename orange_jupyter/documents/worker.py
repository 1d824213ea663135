"""A worker process: reads calls from stdin, parses, answers on stdout; ends when its parent does (decision 9).

It limits itself before it touches a file: memory, processor time a call, no core dump, no file written.
"""

from __future__ import annotations

import importlib
import os
import signal
import sys
from contextlib import suppress
from typing import Any, BinaryIO, cast

from orange_jupyter.core.codes import Code
from orange_jupyter.core.document import PictureLimits
from orange_jupyter.core.errors import ReadError
from orange_jupyter.documents.formats import FORMATS
from orange_jupyter.documents.frames import Result, pack_error, pack_result, read_frame, write_frame

if sys.platform != "win32":
    import fcntl
    import resource

_PACKAGE = __name__.rpartition(".")[0]


def main(memory: int, seconds: float, lifeline: int | None) -> None:
    """Serve calls until stdin ends. `memory` in bytes, `seconds` of processor time a call.

    `lifeline` is the read end of a pipe whose other end only the parent holds: when it closes, the system ends this
    process even inside a parser that never comes back.
    """
    calls, answers = _streams()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if lifeline is not None:
        _tie(lifeline)
    _limit_process(memory)
    while (frame := read_frame(calls)) is not None:
        _limit_call(seconds)
        try:
            head, body = pack_result(run(*frame))
        except ReadError as error:
            head, body = pack_error(error), b""
        except MemoryError:
            head, body = pack_error(over_limit("memory")), b""
        write_frame(answers, head, body)


def run(call: dict[str, Any], data: bytes) -> Result:
    """One call: `{"file_type", "operation", "arguments"}`; only what FORMATS names can be called."""
    known = {entry.file_type: entry for entry in FORMATS if entry.in_worker}
    entry, operation = known[call["file_type"]], call["operation"]
    if operation not in entry.operations:
        raise KeyError(operation)
    arguments = dict(call["arguments"])
    if "limits" in arguments:
        arguments["limits"] = PictureLimits(**arguments["limits"])
    parse = getattr(importlib.import_module(f"{_PACKAGE}.{entry.module}"), operation)
    return cast(Result, parse(data, **arguments))


def over_limit(what: str) -> ReadError:
    """The error of a call that used up its memory or time."""
    return ReadError(
        Code.PARSER_LIMIT,
        f"Reading the file was stopped: it needs more {what} than a file may use.",
        hint="Read a single page, or save the part you need in a smaller file.",
        details={"limit": what},
    )


def _streams() -> tuple[BinaryIO, BinaryIO]:
    """The two pipes on descriptors of their own, so that a library that prints cannot break a frame."""
    calls, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nothing, descriptor)
    os.close(nothing)
    return calls, answers


def _tie(lifeline: int) -> None:
    """Ask for SIGIO, whose default ends the process, when the other end of the pipe closes."""
    if sys.platform == "win32":
        return
    signal.signal(signal.SIGIO, signal.SIG_DFL)
    fcntl.fcntl(lifeline, fcntl.F_SETOWN, os.getpid())
    flags = fcntl.fcntl(lifeline, fcntl.F_GETFL)
    fcntl.fcntl(lifeline, fcntl.F_SETFL, flags | os.O_ASYNC | os.O_NONBLOCK)
    with suppress(BlockingIOError):
        if not os.read(lifeline, 1):  # the parent ended while this process was starting: no signal comes any more
            os._exit(0)


def _limit_process(memory: int) -> None:
    if sys.platform == "win32":
        return
    for kind, most in (
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, 0),
    ):
        hard = resource.getrlimit(kind)[1]
        soft = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(kind, (soft, soft))


def _limit_call(seconds: float) -> None:
    """Let this call use `seconds` of processor time; beyond, the system ends the process with SIGXCPU."""
    if sys.platform == "win32":
        return
    used = resource.getrusage(resource.RUSAGE_SELF)
    soft = int(used.ru_utime + used.ru_stime + seconds) + 1
    hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
    resource.setrlimit(resource.RLIMIT_CPU, (soft if hard == resource.RLIM_INFINITY else min(soft, hard), hard))


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else None)
