"""Names near one that does not exist, for the hint of `not_found`."""

from __future__ import annotations

import unicodedata
from difflib import get_close_matches

from orange_jupyter.local.scan import Scan

MOST = 3
COMPARED = 2000  # close matches cost 50 µs a name


def near_names(scan: Scan, relative: str, base_name: str) -> list[str]:
    """At most three paths of files: the same name elsewhere or in another case first, then like-sounding ones."""
    paths = [seen.relative for seen in scan.files]
    wanted = _folded(relative)
    name = wanted.rpartition("/")[2]
    same = [path for path in paths if _folded(path) in (wanted, _without(wanted, base_name.casefold()))]
    same += [path for path in paths if _folded(path.rpartition("/")[2]) == name]
    folder = relative.rpartition("/")[0]
    siblings = {_folded(path): path for path in paths if path.rpartition("/")[0] == folder}
    close = get_close_matches(wanted, list(siblings)[:COMPARED], n=MOST)
    return list(dict.fromkeys([*same, *(siblings[one] for one in close)]))[:MOST]


def _folded(text: str) -> str:
    return unicodedata.normalize("NFC", text).casefold()


def _without(path: str, base_name: str) -> str:
    """The path without the KB's own name in front, which models like to put there."""
    return path.removeprefix(base_name + "/")
