"""What the words of a command name on this disk: files whose change voids an approval, links, protected places.

Synchronous: call it in a thread. Only looks; what a command opens in the end nobody can know before (A06, A10).
"""

from __future__ import annotations

import fnmatch
import hashlib
import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from orange_jupyter.core.paths import KnowledgeBase, is_protected, shown_name
from orange_jupyter.local.placing import innermost

MOST_FILES: Final = 50
MOST_BYTES: Final = 20 * 1_048_576
MOST_BYTES_TOGETHER: Final = 100 * 1_048_576
"""Files of which the content is compared: how many, how large, how much of all."""
MOST_LINKS: Final = 20
_MOST_WORDS: Final = 2_000
_MOST_FOLDERS: Final = 8
_MOST_ENTRIES: Final = 20_000
"""Words, folders that a command goes to, entries of folders that are looked at; beyond them the card says so."""
_SYSTEM: Final = ("/usr/", "/bin/", "/sbin/", "/lib", "/opt/", "/dev/", "/proc/", "/sys/", "/etc/alternatives/")
_WILD: Final = frozenset("*?[")


@dataclass(slots=True)
class Operands:
    """`files` are (path as written, state): `sha256:…` of the content, or size, time and inode of a large file."""

    files: dict[str, str] = field(default_factory=dict)
    limits: dict[str, None] = field(default_factory=dict)
    protected: dict[str, None] = field(default_factory=dict)
    leaving: dict[str, None] = field(default_factory=dict)
    inside: dict[str, None] = field(default_factory=dict)
    entries: int = _MOST_ENTRIES

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a person should know, the worst first; what there is no room for is counted."""
        links = [*self.protected, *self.leaving, *self.inside]
        more = len(links) - MOST_LINKS
        rest = (f"{more} more links and protected places are not named here.",) if more > 0 else ()
        return (*links[:MOST_LINKS], *rest, *self.limits)


@dataclass(frozen=True, slots=True)
class Standpoint:
    """Where a command runs: its real folder, folders that it goes to, and the selected KBs."""

    cwd: str
    folders: tuple[str, ...]
    bases: Sequence[KnowledgeBase]


def look_at(words: Sequence[str], stand: Standpoint) -> Operands:
    """The files, links and protected places that these words name. Never raises for what is not there."""
    found, left = Operands(), MOST_BYTES_TOGETHER
    over = 0
    for written, path in _named(found, words, stand):
        _warn(found, stand, written, path)
        state = _state(path)
        if state is None or written in found.files or not stat.S_ISREG(state.st_mode):
            continue
        if len(found.files) == MOST_FILES:
            over += 1
            continue
        whole = state.st_size <= min(MOST_BYTES, left)
        left -= state.st_size if whole else 0
        digest = _content(path) if whole else None
        if digest is None:
            found.limits[f"{shown_name(written)} is too large to be compared: its size and time are."] = None
        found.files[written] = digest or f"{state.st_size}:{state.st_mtime_ns}:{state.st_ino}"
    if over:
        found.limits[f"Only {MOST_FILES} of the files that the command names are compared before it runs."] = None
    if len(words) > _MOST_WORDS or len(stand.folders) > _MOST_FOLDERS or found.entries < 0:
        found.limits["The command names too much to look at: not all of its files and links are known here."] = None
    return found


def _named(found: Operands, words: Sequence[str], stand: Standpoint) -> Iterator[tuple[str, str]]:
    """(as written, absolute path) of what is there, or could be made where a folder is there."""
    folders = stand.folders[:_MOST_FOLDERS]
    roots = (stand.cwd, *(os.path.join(stand.cwd, os.path.expanduser(one)) for one in folders))
    for word in words[:_MOST_WORDS]:
        if "\0" in word or word in ("", "/", "..") or "\n" in word:
            continue
        for root in roots:
            path = os.path.join(root, os.path.expanduser(word))
            if _WILD.isdisjoint(os.path.basename(path)):
                yield word, path
            else:
                yield from _matching(found, word, path)
            if os.path.isabs(os.path.expanduser(word)):
                break


def _matching(found: Operands, word: str, pattern: str) -> Iterator[tuple[str, str]]:
    folder, name = os.path.split(pattern)
    for entry in _entries(found, folder):
        if fnmatch.fnmatchcase(entry.name, name) and (name.startswith(".") or not entry.name.startswith(".")):
            yield os.path.join(os.path.dirname(word), entry.name), entry.path


def _entries(found: Operands, folder: str) -> list[os.DirEntry[str]]:
    listed: list[os.DirEntry[str]] = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                found.entries -= 1
                if found.entries < 0:
                    break
                listed.append(entry)
    except (OSError, ValueError):
        return []
    return sorted(listed, key=lambda one: one.name)


def _warn(found: Operands, stand: Standpoint, written: str, path: str) -> None:
    """Links on the way to what is named, links that lie in a folder that is named, protected names."""
    try:
        parent = os.path.realpath(os.path.dirname(path.rstrip("/")))
        if not (os.path.lexists(path) or ("/" in written and os.path.isdir(parent))):
            return
        real = os.path.realpath(path)
    except (OSError, ValueError):
        return
    _link(found, stand, (written, path, real))
    if os.path.isdir(real):
        for entry in _entries(found, real):
            if entry.is_symlink():
                _link(found, stand, (os.path.join(written, entry.name), entry.path, os.path.realpath(entry.path)))


def _link(found: Operands, stand: Standpoint, names: tuple[str, str, str]) -> None:
    written, path, real = names
    said, target = shown_name(written), shown_name(real)
    home = innermost(real, stand.bases)
    protected = is_protected(real[len(home.root) :] if home else real)
    linked = real != os.path.normpath(path)
    if linked and not (path.startswith(_SYSTEM) and real.startswith(_SYSTEM)):
        if protected:
            found.protected[f"{said} is a link to {target}, which is protected."] = None
        elif home is None:
            outside = "outside the knowledge bases. The command can read and change what is there."
            found.leaving[f"{said} is a link to {target}, {outside}"] = None
        else:
            found.inside[f"{said} is a link to {target}."] = None
    elif protected:
        found.protected[f"{said} is protected: no other tool changes it without asking."] = None


def _state(path: str) -> os.stat_result | None:
    try:
        return os.stat(path)
    except (OSError, ValueError):
        return None


def _content(path: str) -> str | None:
    """A file's hash; None where it cannot be read or grew beyond what is read."""
    digest, left = hashlib.sha256(), MOST_BYTES + 1
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as file:
            while left > 0 and (piece := file.read(min(left, 1_048_576))):
                digest.update(piece)
                left -= len(piece)
    except (OSError, ValueError):
        return None
    return f"sha256:{digest.hexdigest()}" if left > 0 else None


def folder_state(path: str) -> tuple[int, int] | None:
    """(device, inode) of a real folder, None where there is none or a link leads to it (E10)."""
    try:
        state = os.lstat(path)
    except (OSError, ValueError):
        return None
    return (state.st_dev, state.st_ino) if stat.S_ISDIR(state.st_mode) else None
