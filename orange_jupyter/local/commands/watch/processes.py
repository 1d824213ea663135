"""Finds and ends the processes below this one. Linux: orphans come to it, since it is their subreaper.

Ending needs no list of them: who kills each of his own children until he has none reaches every descendant, since the
children of a killed one become his. Environment, name, group and session of a process play no part. Elsewhere there is
no subreaper: what has left the shell's group and lost its parent is out of reach.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import time
from collections.abc import Iterator

_PR_SET_CHILD_SUBREAPER = 36
_BUSY_ROUNDS = 300
"""Rounds without a pause: a chain that forks and exits is caught by being quicker."""
_PAUSE = 0.001


ADOPTS = sys.platform == "linux"
"""Whether the system gives a subreaper its orphans."""


def become_subreaper() -> None:
    """From now on the orphans below this process become its children."""
    if ADOPTS:
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def children_of(pid: int) -> list[int]:
    """The children of a process; none when it is gone."""
    try:
        with open(f"/proc/{pid}/task/{pid}/children", "rb") as listing:
            return [int(word) for word in listing.read().split()]
    except FileNotFoundError:  # gone, or a kernel without these lists
        return [child for child, parent in _parents() if parent == pid]
    except OSError:
        return []


def descendants_of(pid: int) -> list[tuple[int, int]]:
    """Each process below another, with its parent, parents first."""
    found: list[tuple[int, int]] = []
    waiting = [pid]
    while waiting and len(found) < 10_000:
        parent = waiting.pop()
        children = children_of(parent)
        found += [(child, parent) for child in children]
        waiting += children
    return found


def ask_to_end(pid: int) -> None:
    """SIGTERM to each process below one, and SIGCONT so that a stopped one hears it."""
    for child, parent in descendants_of(pid):
        for number in (signal.SIGTERM, signal.SIGCONT):
            _signal_child(child, parent, number)


def reap() -> Iterator[tuple[int, int]]:
    """Children of this process that have ended, with their wait status."""
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if pid == 0:
            return
        yield pid, status


def has_children() -> bool:
    """Whether this process has any child, ended ones that were not reaped included."""
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True


def kill_children(spared: frozenset[int] = frozenset()) -> bool:
    """SIGKILL to each child but the spared ones; whether there was one."""
    children = [child for child in children_of(os.getpid()) if child not in spared]
    for child in children:  # not reaped yet, so the number cannot be another's
        send(child, signal.SIGKILL)
    return bool(children)


def end_children(seconds: float) -> Iterator[tuple[int, int]]:
    """Kill and reap until there is no child left, at most so long; yields what `reap` does."""
    deadline = time.monotonic() + seconds
    rounds = 0
    while has_children() and time.monotonic() < deadline:
        kill_children()
        yield from reap()
        rounds += 1
        if rounds > _BUSY_ROUNDS:
            time.sleep(_PAUSE)


def end_group(group: int, number: int) -> bool:
    """Send a signal to a process group; whether it had a member. For systems whose orphans do not come to us."""
    try:
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):  # macOS refuses where only ended ones are left
        return False
    return True


def send(pid: int, number: int) -> None:
    """Send a signal; a process that is gone or another user's stays as it is."""
    try:
        os.kill(pid, number)
    except (ProcessLookupError, PermissionError):
        return


def _signal_child(pid: int, parent: int, number: int) -> None:
    """Send a signal to a process that still has this parent, by a handle, since its number may be taken again."""
    if not hasattr(os, "pidfd_open"):
        send(pid, number)
        return
    try:
        handle = os.pidfd_open(pid)
    except OSError:
        return
    try:
        if _parent_of(pid) == parent:
            signal.pidfd_send_signal(handle, number)
    except (ProcessLookupError, PermissionError):
        return
    finally:
        os.close(handle)


def _parent_of(pid: int) -> int | None:
    try:
        with open(f"/proc/{pid}/stat", "rb") as stat:
            return int(stat.read().rpartition(b")")[2].split()[1])
    except (OSError, ValueError, IndexError):
        return None


def _parents() -> Iterator[tuple[int, int]]:
    """Every process with its parent; nothing where there is no /proc."""
    if not os.path.isdir("/proc/self"):
        return
    for name in os.listdir("/proc"):
        if name.isdigit() and (parent := _parent_of(int(name))) is not None:
            yield int(name), parent
