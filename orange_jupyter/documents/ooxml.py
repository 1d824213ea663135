"""A Word file's package: its parts, read by the bytes that really come out of it (D04, D05, D13)."""

from __future__ import annotations

import posixpath
import zlib
from dataclasses import dataclass
from io import BytesIO
from urllib.parse import unquote
from zipfile import BadZipFile, ZipFile, ZipInfo

from lxml import etree

from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import ReadError

MAX_PART = 32 * 1_048_576
"""Bytes of one unpacked part; the text of a 1,000-page book has about 10 MB."""

MAX_PARTS = 4 * MAX_PART
"""Bytes of all parts that are unpacked for one call."""

_MAX_ENTRIES = 20_000
_PIECE = 1_048_576
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
_MAIN_TYPES = (
    "wordprocessingml.document.main",
    "wordprocessingml.template.main",
    "ms-word.document.macroenabled.main",
    "ms-word.template.macroenabledtemplate.main",
)


@dataclass(frozen=True, slots=True)
class Relation:
    """What a part refers to: `kind` is the last word of its type; `target` a part's name, or an address outside."""

    kind: str
    target: str
    external: bool = False


class Package:
    """An open Word package. `main` is the name of its document part."""

    def __init__(self, data: bytes) -> None:
        """Raises ReadError type_mismatch, encrypted, damaged, parser_limit."""
        _check_kind(data)
        try:
            self._zip = ZipFile(BytesIO(data))
        except (BadZipFile, ValueError, OSError, NotImplementedError, EOFError):
            raise damaged("its ZIP directory cannot be read") from None
        self._names = {_folded(info.filename): info for info in self._zip.infolist()}
        self._unpacked = 0
        self._relations: dict[str, dict[str, Relation]] = {}
        if len(self._zip.infolist()) > _MAX_ENTRIES:
            raise limit("it has too many parts")
        self.main = self._find_main()

    def close(self) -> None:
        """Let the package go."""
        self._zip.close()

    def has(self, name: str) -> bool:
        """Whether there is such a part."""
        return self._info(name) is not None

    def xml(self, name: str) -> etree._Element | None:
        """A part's root element, or None if there is no such part. Raises ReadError damaged, parser_limit."""
        content = self.content(name)
        return None if content is None else parse(content)

    def content(self, name: str) -> bytes | None:
        """A part's bytes, or None if there is no such part. Raises ReadError damaged, parser_limit."""
        info = self._info(name)
        return None if info is None else self._bytes(info)

    def related(self, kind: str) -> str | None:
        """The name of the part that the document refers to as `styles`, `footnotes` …, if there is one."""
        relations = self.relations(self.main).values()
        return next((found.target for found in relations if found.kind == kind and not found.external), None)

    def relations(self, part: str) -> dict[str, Relation]:
        """What a part refers to, by relation id; nothing where the list is missing or broken."""
        if part not in self._relations:
            self._relations[part] = self._read_relations(part)
        return self._relations[part]

    def _read_relations(self, part: str) -> dict[str, Relation]:
        folder, base = posixpath.split(part)
        try:
            root = self.xml(posixpath.join(folder, "_rels", f"{base}.rels"))
        except ReadError as error:
            if error.code is not Code.DAMAGED:
                raise
            return {}
        found = {}
        for entry in () if root is None else root.iterchildren(etree.Element):
            kind, target = entry.get("Type", "").rpartition("/")[2], entry.get("Target", "")
            external = entry.get("TargetMode") == "External"
            if not external:
                target = posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/")
            found[entry.get("Id", "")] = Relation(kind, target, external)
        return found

    def _info(self, name: str) -> ZipInfo | None:
        return self._names.get(_folded(name)) or self._names.get(_folded(unquote(name)))

    def _find_main(self) -> str:
        types = self.xml("[Content_Types].xml")
        if types is None:
            raise _mismatch("a ZIP archive")
        for entry in types:
            content_type = entry.get("ContentType", "").lower()
            name = str(entry.get("PartName", "")).lstrip("/")
            if any(main in content_type for main in _MAIN_TYPES) and self.has(name):
                return name
        if self.has("word/document.xml"):
            return "word/document.xml"
        if any(name.startswith("word/") for name in self._names):
            raise damaged("its document part is missing")
        raise _mismatch("another kind of Office file or archive")

    def _bytes(self, info: ZipInfo) -> bytes:
        """A part's bytes, at most MAX_PART and MAX_PARTS in all, whatever size the directory declares."""
        content = bytearray()
        try:
            with self._zip.open(info) as part:
                while piece := part.read(_PIECE):
                    content += piece
                    self._unpacked += len(piece)
                    if len(content) > MAX_PART:
                        raise limit(f"its part {info.filename} unpacks to more than {MAX_PART:,} bytes")
                    if self._unpacked > MAX_PARTS:
                        raise limit(f"its parts unpack to more than {MAX_PARTS:,} bytes")
        except (BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError, ValueError):
            raise damaged(f"its part {info.filename} cannot be unpacked") from None
        return bytes(content)


def _folded(name: str) -> str:
    """A part's name as it is compared: case does not count, and some writers put backslashes."""
    return name.replace("\\", "/").lower()


def parse(content: bytes) -> etree._Element:
    """XML without entities, network or DTD, with lxml's limits on depth and size. Raises ReadError damaged."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        root = etree.fromstring(content, parser)
    except etree.XMLSyntaxError as error:
        raise damaged(f"its XML is broken ({error.msg})") from None
    if root.getroottree().docinfo.doctype:
        raise damaged("it declares XML entities, which Word never does")
    return root


def damaged(reason: str) -> ReadError:
    """The error of a Word file that cannot be read."""
    return ReadError(
        Code.DAMAGED, f"The Word file is damaged: {reason}.", hint="Open it in a word processor and save it again."
    )


def limit(reason: str) -> ReadError:
    """The error of a Word file that is refused before it costs memory."""
    return ReadError(
        Code.PARSER_LIMIT, f"The Word file was not opened: {reason}.", hint="Save its text in a smaller file."
    )


def _mismatch(what: str) -> ReadError:
    return ReadError(
        Code.TYPE_MISMATCH,
        f"The file's name says Word document, but its content is {what}.",
        hint="Save it as .docx in a word processor.",
    )


def _check_kind(data: bytes) -> None:
    if not data:
        raise damaged("the file is empty")
    if data.startswith(_OLE):
        if _ENCRYPTED in data:
            raise ReadError(
                Code.ENCRYPTED,
                "The Word file needs a password.",
                hint="Save a copy without a password and read that.",
            )
        raise _mismatch("an old Office file (.doc)")
    if not data.startswith(b"PK"):
        raise _mismatch("something else")
