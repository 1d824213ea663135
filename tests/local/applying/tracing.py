"""Runs a scenario under strace: counts its system calls, and kills it or makes one of them fail."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

from tests.local.applying.desk import Desk, picture
from tests.local.applying.hand import recover

CALL = re.compile(r"^(?:\[pid +\d+\] |\d+ +)?(\w+)\(")
LOOKS = (
    "futex|mmap|munmap|mprotect|madvise|brk|rt_\\w+|epoll\\w*|eventfd2|socketpair|clone3?|set_robust_list|rseq|"
    "gettid|getpid|sched_\\w+|prctl|getrandom|poll|ppoll|fcntl|ioctl|exit\\w*|sigaltstack|geteuid|getuid|shutdown|"
    "read|lseek|fstat|newfstatat|statx?|lstat|readlink\\w*|getcwd|getdents64|\\w*listxattr|\\w*getxattr|pread64|"
    "sendto|recvfrom|setsockopt|clock_\\w+|restart_syscall|wait4|uname|sysinfo|umask|close|dup\\w*|membarrier|access"
)
"""Calls that change nothing on the disk: to be killed there is to be killed at the next one that does."""


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
        """What the child said ("" if nothing); the log is in `strace.log`."""
        assert self._template.stdin is not None
        assert self._template.stdout is not None
        os.mkfifo(desk.base / "go")
        (desk.base / "said").unlink(missing_ok=True)
        self._template.stdin.write(f"{desk.base}\t{scenario}\n")
        self._template.stdin.flush()
        pid = self._template.stdout.readline().strip()
        wait_until_asleep(desk, pid)
        command = ["strace", "-f", "-y", "-o", str(desk.base / "strace.log"), *strace, "-p", pid]
        with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True) as tracer:
            assert tracer.stderr is not None
            assert "attached" in tracer.stderr.readline()
            (desk.base / "go").write_bytes(b"!")
            assert self._template.stdout.readline() == "ended\n"
            tracer.stderr.read()
        (desk.base / "go").unlink()
        (desk.base / "ready").unlink()
        said = desk.base / "said"
        return said.read_text() if said.exists() else ""

    def close(self) -> None:
        self._template.communicate(timeout=30)


def wait_until_asleep(desk: Desk, pid: str) -> None:
    """Until the child waits at its barrier: calls before it would be counted."""
    until = time.monotonic() + 20
    while time.monotonic() < until:
        if (desk.base / "ready").exists() and ") S " in Path(f"/proc/{pid}/stat").read_text():
            return
        time.sleep(0.001)
    raise TimeoutError("the child never came to its barrier")


def points(desk: Desk) -> list[tuple[str, int]]:
    """Each call's name and its number among those of the same name, in their order, from the barrier on.

    Calls that only look are left out.
    """
    seen: Counter[str] = Counter()
    found: list[tuple[str, int]] = []
    for line in (desk.base / "strace.log").read_text().splitlines():
        if not (call := CALL.match(line)):
            continue
        name = call.group(1)
        seen[name] += 1
        if not re.fullmatch(LOOKS, name) and "/said" not in line:
            found.append((name, seen[name]))
    return found


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
    found = asyncio.run(recover(desk))
    assert asyncio.run(recover(desk)) == ()
    desk.require_clean()
    return tuple(result for one in found for result in one.results)


def kill_everywhere(hand: Hand, template: Desk, scenario: str) -> None:
    """At each point: all old or all new after recovery, and what was said or found says which."""
    old = state(template)
    whole = copy(template, template.base.parent / "whole")
    assert hand.run(whole, scenario).startswith("applied")
    new = state(whole)
    whole.require_clean()
    assert old != new
    places = points(whole)
    outcomes = {"old": 0, "new": 0}
    for number, (name, nth) in enumerate(places):
        desk = copy(template, template.base.parent / f"{number}")
        said = hand.run(desk, scenario, "-e", f"inject={name}:signal=SIGKILL:when={nth}")
        results = recovered(desk)
        now = state(desk)
        assert now in (old, new), (name, nth, said, results)
        if said:
            assert now == new, (name, nth)
        if results:
            assert all(result.done for result in results) is (now == new), (name, nth, results)
        outcomes["new" if now == new else "old"] += 1
    assert min(outcomes.values()) > 5, outcomes
    print(f"{scenario}: {sum(outcomes.values())} of {len(places)} points, {outcomes}")
