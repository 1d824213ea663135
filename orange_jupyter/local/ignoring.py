"""What a person wants a scan to leave out: the gitignore rules in a KB's `.orange/ignore` (R-SRCH-10)."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass

from pathspec import GitIgnoreSpec

from orange_jupyter.local.opening import RootFolder

IGNORE_FILE = ".orange/ignore"
IGNORE_BYTES = 1_048_576


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules as they are written, ready to ask."""

    text: str
    spec: GitIgnoreSpec

    def ignore(self, relative: str) -> bool:
        """Whether a KB-relative path is left out; a folder's ends with `/`."""
        return bool(self.spec.match_file(relative))


def read_rules(root: RootFolder, before: Rules | None = None) -> Rules | None:
    """A KB's rules, `before` itself where they are still the same; None where it has no readable regular file."""
    try:
        fd = root.open(IGNORE_FILE, os.O_RDONLY | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            return None
        text = os.read(fd, IGNORE_BYTES).decode("utf-8", "surrogateescape")
    finally:
        os.close(fd)
    if before is not None and before.text == text:
        return before
    return Rules(text, GitIgnoreSpec.from_lines(text.splitlines()))
