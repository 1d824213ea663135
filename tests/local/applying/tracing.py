"""Runs a scenario under strace: counts its system calls, and kills it or makes one of them fail."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from typing import TypeVar

from tests.local.applying.desk import Desk, picture
from tests.local.applying.hand import recover

T = TypeVar("T")
R = TypeVar("R")
CALL = re.compile(r"^(?:\[pid +\d+\] |\d+ +)?(\w+)\(")
LOOKS = (
    "futex|mmap|munmap|mremap|mprotect|madvise|brk|rt_\\w+|epoll\\w*|eventfd2|socketpair|clone3?|set_robust_list|rseq|"
    "gettid|getpid|sched_\\w+|prctl|getrandom|poll|ppoll|fcntl|ioctl|exit\\w*|sigaltstack|geteuid|getuid|shutdown|"
    "readv?|lseek|fstat|newfstatat|statx?|lstat|readlink\\w*|getcwd|getdents64|\\w*listxattr|\\w*getxattr|pread64|"
    "sendto|recvfrom|setsockopt|clock_\\w+|restart_syscall|wait4|uname|sysinfo|umask|close|dup\\w*|membarrier|access"
)
"""Calls that change nothing on the disk: to be killed there is to be killed at the next one that does."""


OPENING = re.compile(r"open(at2?)?")
LOCK = "flock"
PATIENCE_S = 60.0


@dataclass(frozen=True, slots=True)
class Call:
    """A system call: its name, its number among those of the same name from the barrier on, and its line in the log."""

    name: str
    nth: int
    line: str

    @property
    def makes(self) -> bool:
        """Whether it opens a file that it may make or empty."""
        return bool(OPENING.fullmatch(self.name)) and ("O_CREAT" in self.line or "O_TRUNC" in self.line)

    @property
    def changes(self) -> bool:
        """Whether it can change the disk; the others only look, and a lock goes with its process."""
        looks = re.fullmatch(LOOKS, self.name) or OPENING.fullmatch(self.name) or self.name == LOCK
        return self.makes or not looks


class Hand:
    """A warm process that forks one applying child after the other, each traced from its barrier on."""

    def __init__(self) -> None:
        self._template = subprocess.Popen(
            [sys.executable, "-m", "tests.local.applying.hand"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).parents[3],
        )

    def run(self, desk: Desk, scenario: str, *strace: str) -> str:
        """What the child said ("" if nothing); the log is in `strace.log`. Raises TimeoutError after a minute."""
        assert self._template.stdin is not None
        assert self._template.stdout is not None
        os.mkfifo(desk.base / "go")
        self._template.stdin.write(f"{desk.base}\t{scenario}\n")
        self._template.stdin.flush()
        pid = int(self._template.stdout.readline())
        wait_until_asleep(desk, pid)
        traced(desk, pid, strace or ("-y",))
        assert self._template.stdout.readline() == "ended\n"
        (desk.base / "go").unlink()
        (desk.base / "ready").unlink()
        return (desk.base / "said").read_text()

    def close(self) -> None:
        self._template.communicate(timeout=30)


def traced(desk: Desk, pid: int, options: tuple[str, ...]) -> None:
    """Let a child that waits go, with a tracer; both are ended after a minute. Raises TimeoutError then."""
    command = ["strace", "-f", "-o", str(desk.base / "strace.log"), *options, "-p", str(pid)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True) as tracer:
        late = threading.Timer(PATIENCE_S, _end, (tracer, pid))
        late.start()
        try:
            assert tracer.stderr is not None
            assert "attached" in tracer.stderr.readline()
            (desk.base / "go").write_bytes(b"!")
            tracer.stderr.read()
        except BaseException:
            _end(tracer, pid)
            raise
        finally:
            late.cancel()
    if tracer.returncode == -signal.SIGKILL:
        raise TimeoutError(f"the tracer of {desk.base} did not end")


def _end(tracer: subprocess.Popen[str], pid: int) -> None:
    """End a tracer and its child, which nobody else waits for before we say so."""
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
    tracer.kill()


class Crew:
    """Two hands that work at once."""

    def __init__(self, size: int = 2) -> None:
        self._size = size
        self._hands = [Hand() for _ in range(size)]
        self._idle: SimpleQueue[Hand] = SimpleQueue()
        for hand in self._hands:
            self._idle.put(hand)

    def each(self, work: Callable[[Hand, int, T], R], given: Sequence[T]) -> list[R]:
        """The work's results for each of what is given, with its number, in order. Raises what the first one raises."""

        def lent(number: int, one: T) -> R:
            hand = self._idle.get()
            try:
                return work(hand, number, one)
            finally:
                self._idle.put(hand)

        with ThreadPoolExecutor(self._size) as pool:
            return list(pool.map(lent, range(len(given)), given))

    def run(self, desk: Desk, scenario: str, *strace: str) -> str:
        """As `Hand.run`, with one of the hands."""
        return self.each(lambda hand, _, one: hand.run(one, scenario, *strace), [desk])[0]

    def close(self) -> None:
        for hand in self._hands:
            hand.close()


def wait_until_asleep(desk: Desk, pid: int) -> None:
    """Until the child waits at its barrier: calls before it would be counted."""
    until = time.monotonic() + 20
    while time.monotonic() < until:
        if (desk.base / "ready").exists() and ") S " in Path(f"/proc/{pid}/stat").read_text():
            return
        time.sleep(0.001)
    raise TimeoutError("the child never came to its barrier")


def calls(desk: Desk) -> list[Call]:
    """Every call of the run that was traced last, in order, but those of the barrier and of saying how it went."""
    seen: Counter[str] = Counter()
    found: list[Call] = []
    for line in (desk.base / "strace.log").read_text().splitlines():
        if match := CALL.match(line):
            name = match.group(1)
            seen[name] += 1
            if not re.search(r"/(said|go)[>|\"]", line):
                found.append(Call(name, seen[name], line))
    return found


def points(desk: Desk) -> list[tuple[str, int]]:
    """Name and number of each call that can change the disk: to be killed at another is to be killed at the next."""
    return [(call.name, call.nth) for call in calls(desk) if call.changes]


def furnish(base: Path) -> Desk:
    """A desk with all that the scenarios need."""
    desk = Desk(base)
    desk.put("a.md", b"old\n", 0o600)
    os.setxattr(desk.root / "a.md", "user.tag", b"1")
    desk.put("m.md", b"to move\n")
    desk.put("sub/still.md", b"still\n")
    desk.put("d/one.md", b"one\n", 0o640)
    desk.put("d/.deep/two.md", b"two\n")
    (desk.root / "d/link").symlink_to("one.md")
    for path in desk.root.rglob("*"):
        os.utime(path, ns=(10**18, 1_234_567_890_123_456_789), follow_symlinks=False)
    return desk


def copy(template: Desk, base: Path) -> Desk:
    """Another desk that is the same."""
    shutil.copytree(
        template.base, base, symlinks=True, ignore=shutil.ignore_patterns("go", "ready", "said", "strace.log")
    )
    return Desk(base)


WRITTEN = ("a.md", "new.md")


def state(desk: Desk) -> tuple:
    """All that matters of a KB and its trash: each byte, mode, attribute, and the times of files not written."""
    kb = {name: one[:-1] if name in WRITTEN else one for name, one in picture(desk.root).items()}
    trash = {
        name: one
        for name, one in picture(desk.data).items()
        if not name.endswith(".trashinfo") and name.startswith("Trash/files/")
    }
    return tuple(sorted(kb.items())), tuple(sorted(trash.items()))


def recovered(desk: Desk) -> tuple:
    """The results of what was found; a second recovery finds nothing, and nothing of ours is left."""
    found = asyncio.run(recover(desk.applier()))
    assert asyncio.run(recover(desk.applier())) == ()
    desk.require_clean()
    return tuple(result for one in found for result in one.results)


def kill_everywhere(crew: Crew, template: Desk, scenario: str) -> None:
    """At each point: all old or all new after recovery, and what was said or found says which."""
    old = state(template)
    whole = copy(template, template.base.parent / "whole")
    assert crew.run(whole, scenario).startswith("applied")
    new = state(whole)
    whole.require_clean()
    assert old != new

    def killed(hand: Hand, number: int, point: tuple[str, int]) -> bool:
        desk = copy(template, template.base.parent / f"{number}")
        said = hand.run(desk, scenario, "-e", f"inject={point[0]}:signal=SIGKILL:when={point[1]}")
        results = recovered(desk)
        now = state(desk)
        assert now in (old, new), (point, said, results)
        if said:
            assert now == new, point
        if results:
            assert all(result.done for result in results) is (now == new), (point, results)
        shutil.rmtree(desk.base)
        return now == new

    done = crew.each(killed, points(whole))
    outcomes = {"old": done.count(False), "new": done.count(True)}
    assert min(outcomes.values()) > 5, outcomes
    print(f"{scenario}: {len(done)} of {len(points(whole))} points, {outcomes}")
