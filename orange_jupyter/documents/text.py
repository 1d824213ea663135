"""Plain text: bytes of a note become code points exactly once, here; and the `txt` format itself (R-READ-13)."""

from __future__ import annotations

import codecs
from dataclasses import dataclass

from orange_jupyter.core.codes import Code
from orange_jupyter.core.document import Extract
from orange_jupyter.core.errors import ReadError
from orange_jupyter.documents.chunks import chunk_plain
from orange_jupyter.documents.guess import guess

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SIGNATURES = (
    (b"PK\x03\x04", "a ZIP or Office file"),
    (b"\xd0\xcf\x11\xe0", "an old Office file"),
    (b"\x89PNG", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"GIF8", "a GIF picture"),
    (b"%PDF-", "a PDF"),
    (b"\x1f\x8b", "a gzip file"),
    (b"\x7fELF", "a program"),
)
_ORDINARY = bytes(range(32, 256)) + b"\t\n\r\f\x1b\x1a\x08"


@dataclass(frozen=True, slots=True)
class Decoded:
    """The text of a file. `bom` is not part of `text`; `uncertain` means a guess, which must not be written back."""

    text: str
    encoding: str = "utf-8"
    bom: bytes = b""
    uncertain: bool = False

    def encode(self, text: str) -> bytes:
        """The bytes of another text in this file's encoding, BOM first. Raises UnicodeEncodeError."""
        return self.bom + text.encode(self.encoding)

    @property
    def warning(self) -> str | None:
        """The warning `encoding_uncertain` with the guess, or None."""
        if not self.uncertain:
            return None
        return f"encoding_uncertain: the text was read as {self.encoding}, which is a guess; it will not be edited."


def decode(data: bytes, encoding: str | None = None) -> Decoded:
    """Bytes to code points, newlines untouched: BOM, then strict UTF-8, then `encoding` (the KB's setting) or a guess.

    A file that is UTF-8 but for a few bytes is read as UTF-8 with those bytes as `\\xe9` and is uncertain; U+FFFD is
    never put in. Raises ReadError type_mismatch for binary content, encoding_unknown where nothing fits.
    """
    for mark, name in _MARKS:
        if data.startswith(mark):
            return _after_mark(data, mark, name)
    text = _strict(data, "utf-8")
    if text is not None and "\0" not in text:
        return Decoded(text)
    if b"\0" in data:
        return _without_mark(data, encoding)
    _refuse_binary(data)
    if encoding is not None:
        return _as_set(data, encoding)
    damaged = _damaged_utf8(data)
    if damaged is not None:
        return damaged
    found = guess(data)
    if found is None:
        raise _unknown("No encoding fits this text.")
    text, name, uncertain = found
    return Decoded(text, name, uncertain=uncertain or text.encode(name, "replace") != data)


def extract(text: str, *, name: str) -> Extract:
    """Title (the file's stem) and chunks of a plain text; text files carry no tags."""
    return Extract(title=name, tags=(), chunks=chunk_plain(text))


def _strict(data: bytes, encoding: str) -> str | None:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        return None


def _after_mark(data: bytes, mark: bytes, name: str) -> Decoded:
    try:
        text = data[len(mark) :].decode(name)
    except UnicodeDecodeError as error:
        raise _unknown(f"The file says it is {name}, but byte {error.start + len(mark)} is not.") from None
    if "\0" in text:
        raise _binary("binary data")
    return Decoded(text, name, bom=mark)


def _without_mark(data: bytes, encoding: str | None) -> Decoded:
    """Data with NUL bytes: UTF-16 without a BOM where most pairs have one, all on the same side; else binary."""
    if encoding is not None and codecs_name(encoding).startswith(("utf-16", "utf-32")):
        return _as_set(data, encoding)
    zeros = data[:65_536][0::2].count(0), data[:65_536][1::2].count(0)
    name = "utf-16-le" if zeros[1] > zeros[0] else "utf-16-be"
    text = _strict(data, name)
    mostly_latin = max(zeros) * 5 >= min(len(data), 65_536)
    if text is None or min(zeros) > 0 or not mostly_latin or not _readable(text):
        _refuse_binary(data)
        raise _binary("binary data")
    return Decoded(text, name, uncertain=True)


def _readable(text: str) -> bool:
    odd = sum(not (character.isprintable() or character in "\t\n\r\f") for character in text[:20_000])
    return odd * 200 <= min(len(text), 20_000)


def _as_set(data: bytes, encoding: str) -> Decoded:
    name = codecs_name(encoding)
    try:
        return Decoded(data.decode(name), name)
    except UnicodeDecodeError as error:
        raise _unknown(f"Byte {error.start} is not {name}, which this knowledge base's settings name.") from None


def codecs_name(encoding: str) -> str:
    """Python's name of a text encoding. Raises ReadError encoding_unknown for names that are none."""
    try:
        found = codecs.lookup(encoding)
        "".encode(encoding)
    except LookupError:
        raise _unknown(f"`{encoding}` is not the name of a text encoding.") from None
    return found.name


def _damaged_utf8(data: bytes) -> Decoded | None:
    """UTF-8 with a few bad bytes: at least ten good sequences for each bad byte, judged on the first 256 KB."""
    head = data[:262_144].decode("utf-8", "surrogateescape")
    bad = sum("\udc80" <= character <= "\udcff" for character in head)
    good = sum(character > "\x7f" for character in head) - bad
    if good < 10 * bad:
        return None
    return Decoded(data.decode("utf-8", "backslashreplace"), "utf-8", uncertain=True)


def _refuse_binary(data: bytes) -> None:
    for signature, what in _SIGNATURES:
        if data.startswith(signature):
            raise _binary(what)
    controls = len(data.translate(None, _ORDINARY))
    if controls * 200 > len(data):
        raise _binary("binary data")


def _binary(what: str) -> ReadError:
    return ReadError(
        Code.TYPE_MISMATCH,
        f"The file's name says text, but its content is {what}.",
        hint="Read it under a name that fits its content.",
    )


def _unknown(reason: str) -> ReadError:
    return ReadError(
        Code.ENCODING_UNKNOWN,
        f"The text's encoding could not be told. {reason}",
        hint="Set `encoding` for this knowledge base, or save the file as UTF-8.",
    )
