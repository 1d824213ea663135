"""Which encoding a web page is in: servers and pages often say a wrong one (N07)."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from typing import Final

from orange_jupyter.documents.guess import guess

_MARKS: Final = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_META: Final = re.compile(rb"<meta[^>]{0,400}?charset\s*=\s*[\"']?\s*([A-Za-z0-9_:.-]{2,40})", re.IGNORECASE)
_XML: Final = re.compile(rb"^\s*<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([A-Za-z0-9_:.-]{2,40})")
_HEAD: Final = 4_096
_WIDER: Final = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "big5": "big5hkscs",
}
"""What pages that say the one are really in: browsers read them so (the Encoding standard)."""


def decode_page(data: bytes, said: str, *, markup: bool) -> tuple[str, str | None]:
    """The text and a warning where what was `said` (by the server; "" for nothing) or the page says was not right.

    A byte order mark counts first, then UTF-8 wherever all bytes are UTF-8, then what was said, then a guess. A
    character that was cut at the end is left out; U+FFFD stands for bytes that nothing explains.
    """
    named = [name for name in _named(data, said, markup=markup) if name]
    for mark, name in _MARKS:
        if data.startswith(mark):
            return data[len(mark) :].decode(name, "replace"), None
    seven = next((name for name in named if name.startswith(("iso2022", "hz"))), None)
    for name in dict.fromkeys([*([seven] if seven else ["utf-8"]), *named]):
        text = _strict(data, name)
        if text is not None:
            return text, _warning(named, name)
    found = guess(data)
    if found is not None:
        return found[0], _warning(named, found[1])
    return data.decode(named[0] if named else "utf-8", "replace"), "encoding_uncertain: some bytes could not be read."


def _named(data: bytes, said: str, *, markup: bool) -> Iterator[str]:
    yield _codec(said)
    if markup:
        for pattern in (_META, _XML):
            found = pattern.search(data[:_HEAD])
            if found:
                yield _codec(found[1].decode("ascii"))


def _codec(name: str) -> str:
    """Python's name of a text encoding, its wider form; "" for none that is one."""
    try:
        found = codecs.lookup(name.strip())
        "".encode(found.name)
    except (LookupError, ValueError):
        return ""
    unusable = found.name.startswith(("utf-7", "idna", "punycode", "unicode", "raw"))
    return "" if unusable or not name else _WIDER.get(found.name, found.name)


def _strict(data: bytes, name: str) -> str | None:
    """The text, less a character that is cut at the end; None where the bytes are not in this encoding.

    One odd byte at the end of a text that is ASCII else is no cut character: nothing speaks for this encoding.
    """
    reading = codecs.getincrementaldecoder(name)()
    try:
        text = reading.decode(data)
    except UnicodeDecodeError:
        return None
    return None if reading.getstate()[0] and text.isascii() else text


def _warning(named: list[str], used: str) -> str | None:
    if not named or named[0] == used:
        return None
    return f"encoding: the server or page says {named[0]}, but the text is {used}."
