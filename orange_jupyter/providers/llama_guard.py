"""A small process between a kernel and its llama.cpp server, so that no server outlives the kernel (R-MOD-7).

Run by path, with the standard library only: `python -I -S llama_guard.py KERNEL_PID PROGRAM ARGUMENT…`. It ends the
server when its own standard input closes or its parent is gone, and says on standard output how the server ended.
"""

import ctypes
import json
import os
import signal
import subprocess
import sys
import threading
from collections import deque

LAST_LINES = 30
LONGEST_LINE = 400
PATIENCE = 0.8
"""Seconds that a server has to end by itself."""
_PR_SET_PDEATHSIG = 1


def main(arguments: list[str]) -> int:
    """Run the server until it ends or the kernel does."""
    kernel, command = int(arguments[0]), arguments[1:]
    try:
        # Safe before a fork hook: this process has no second thread yet.
        server = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            preexec_fn=_end_with_the_guard if sys.platform == "linux" else None,  # noqa: PLW1509
        )
    except OSError as error:
        _report(None, [error.strerror or "it cannot be run"])
        return 1
    said: deque[str] = deque(maxlen=LAST_LINES)
    changed = threading.Event()
    gone = threading.Event()
    threading.Thread(target=_wait_for_end, args=(gone, changed), daemon=True).start()
    listening = threading.Thread(target=_listen, args=(server, said, changed), daemon=True)
    listening.start()
    while server.poll() is None and not gone.is_set() and os.getppid() == kernel:
        changed.wait(0.3)
        changed.clear()
    _end(server)
    listening.join(PATIENCE)
    _report(server.returncode, list(said))
    return 0


def _end_with_the_guard() -> None:
    """In the server before it starts: if the guard is killed, the system kills the server too."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _wait_for_end(gone: threading.Event, changed: threading.Event) -> None:
    """Until the kernel closes our standard input; unbuffered, since a lock on it would hold up our own end."""
    while os.read(0, 64):
        continue
    gone.set()
    changed.set()


def _listen(server: "subprocess.Popen[bytes]", said: "deque[str]", changed: threading.Event) -> None:
    """Keep the last lines until the server ends; one whose output nobody reads would stand still."""
    assert server.stdout is not None
    for line in server.stdout:
        said.append(line[:LONGEST_LINE].decode("utf-8", "replace").rstrip())
    server.wait()
    changed.set()


def _end(server: "subprocess.Popen[bytes]") -> None:
    if server.poll() is not None:
        return
    server.terminate()
    try:
        server.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()


def _report(code: int | None, said: list[str]) -> None:
    """One JSON line: the server's exit code (negative: the signal; null: it never ran) and its last lines."""
    try:
        sys.stdout.write(json.dumps({"code": code, "said": said}) + "\n")
        sys.stdout.flush()
    except OSError:  # the kernel is gone: nobody reads it
        os._exit(0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
