"""The hosts that this installation has named to its person as receivers of text (R-MOD-11): ORANGE_HOME/hosts.json."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from orange_jupyter.storage.folders import private_folder, write_private

FILE_NAME: Final = "hosts.json"


class Hosts:
    """Names of hosts, each told once. Reads and writes a file: call it off the loop."""

    def __init__(self, home: Path) -> None:
        self._file = home / FILE_NAME

    def new(self, hosts: Iterable[str]) -> tuple[str, ...]:
        """Those that were not told yet, in order. A broken file counts as none: better told twice than never."""
        known = self._read()
        return tuple(dict.fromkeys(host for host in hosts if host and host not in known))

    def remember(self, hosts: Iterable[str]) -> None:
        """Keep them as told. Where that is impossible they are told again the next time."""
        known = sorted({*self._read(), *hosts})
        try:
            private_folder(self._file.parent)
            write_private(self._file, json.dumps(known, ensure_ascii=False).encode())
        except OSError:
            return

    def _read(self) -> frozenset[str]:
        try:
            found = json.loads(self._file.read_bytes())
        except (OSError, ValueError):
            return frozenset()
        return frozenset(one for one in found if isinstance(one, str)) if isinstance(found, list) else frozenset()
