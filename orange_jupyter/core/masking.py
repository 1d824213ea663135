"""Hides credentials: exact known values and shapes in any text (R-ALL-5), values of key files on read. Pure."""

from __future__ import annotations

import base64
import json
import re
import urllib.parse
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from orange_jupyter.core.shapes import has_private_key, merged, replace_shapes, secret_spans

MASK: Final = "⟦masked⟧"
MASKING: Final = 2
"""The version of the rules; one more whenever they hide more, so that what was kept by the old ones is made anew."""
_MIN_SECRET: Final = 6
"""Shorter values are words of every text; masking them would destroy it."""

Span = tuple[int, int]
FindSecrets = Callable[[str], tuple[Span, ...]]
"""Where a text holds credentials: [start, end) in code points, in order; `Masker.spans`, or the shapes alone."""

COVER: Final = "█"
"""Stands for each character of a masked value where the length must stay."""
_ASSIGNMENT: Final = re.compile(
    r"(?m)(?:^|(?<=\r))[ \t]*+(?:#[ \t#]*+)?(?:export[ \t]++)?[A-Za-z_][A-Za-z0-9_.-]*+[ \t]*+[=:][ \t]*+"
    r"(?P<value>(?:\"(?:[^\"\\]|\\.)*+\"|'[^']*+')(?=[ \t]*+(?:\#|[\r\n]|\Z))|[^\r\n]*+)",
    re.DOTALL,
)
_KEY_ENDINGS: Final = (".pem", ".key", ".p8")
_COVERED: Final = re.compile(f"{COVER}+")
_INK: Final = re.compile(r"\S")
_NETRC: Final = re.compile(r"(?<!\S)(?:login|password|account)\s++(?P<value>\"(?:[^\"\\]|\\.)*+\"|\S++)")


@dataclass(frozen=True, slots=True)
class Masker:
    """Hides `secrets` (exact values, also URL-encoded, base64, JSON-escaped) and what looks like a credential."""

    secrets: tuple[str, ...] = field(default=(), repr=False)
    _exact: re.Pattern[str] | None = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        forms = {form for secret in self.secrets for form in _forms(secret) if len(form) >= _MIN_SECRET}
        longest_first = sorted(forms, key=lambda form: (-len(form), form))
        exact = re.compile("|".join(map(re.escape, longest_first))) if forms else None
        object.__setattr__(self, "_exact", exact)

    def mask(self, text: str) -> str:
        """The text with every known or recognised credential replaced by `⟦masked⟧`; twice changes nothing more."""
        if self._exact is not None:
            text = self._exact.sub(MASK, text)
        return replace_shapes(text, MASK)

    def spans(self, text: str) -> tuple[Span, ...]:
        """Where the text holds known or recognised credentials: for a whole text of which parts will be shown."""
        if self._exact is None:
            return secret_spans(text)
        return merged([*(found.span() for found in self._exact.finditer(text)), *secret_spans(text)])


@dataclass(frozen=True, slots=True)
class Masked:
    """A file's real text and the stretches of it that are never shown (R-READ-15).

    `spans` are [start, end) in code points of the real text, in order. Offsets, lengths and hashes that a tool
    gives are those of the real text; only what is shown goes through `masked_slice`.
    """

    text: str = field(repr=False)
    spans: tuple[Span, ...] = ()

    @property
    def count(self) -> int:
        """How many values are masked (`maskedValues`)."""
        return len(self.spans)

    @property
    def shown(self) -> str:
        """The whole text as it may be shown."""
        return self.masked_slice(0, len(self.text))

    @property
    def covered(self) -> str:
        """The text with every masked character but white space as COVER: of the same length, to cut and search in."""
        pieces: list[str] = []
        at = 0
        for first, last in self.spans:
            pieces += [self.text[at:first], _INK.sub(COVER, self.text[first:last])]
            at = last
        return "".join([*pieces, self.text[at:]])

    def masked_slice(self, start: int, end: int) -> str:
        """What may be shown of `text[start:end]`: a value that it touches, even in part, is its token `⟦masked:n⟧`.

        n counts the file's masked values from 1, so the same value has the same token in every slice.
        """
        if end <= start:
            return ""
        pieces: list[str] = []
        at = start
        before = bisect_right(self.spans, start, key=lambda span: span[1])
        for number in range(before, len(self.spans)):
            first, last = self.spans[number]
            if first >= end:
                break
            pieces += [self.text[at:first], f"⟦masked:{number + 1}⟧"]
            at = last
        return "".join([*pieces, self.text[at:end]])


def mask_file(name: str, text: str, find: FindSecrets = secret_spans) -> Masked:
    """What of a file is hidden wherever it is shown: a key file whole, `.env*` and `.netrc` value by value (R-READ-15).

    `name` is the file's name or path, `text` all of its text: a piece of a key does not look like one. In every file
    also what `find` finds is hidden.
    """
    base = _base(name)
    if _is_key_file(base, text):
        return Masked(text, merged([(0, len(text))]))
    values = _values(base)
    return Masked(text, merged([*_spans(values, text), *find(text)] if values else find(text)))


def uncovered(title: str) -> str:
    """A title or heading taken from a covered text, as it is shown."""
    return _COVERED.sub(MASK, title)


def telling(name: str, real: str) -> str:
    """Of a link's name and that of the file it leads to, the one by which more is hidden (R-READ-15).

    A hard link leads nowhere, each of its names is as real as the other: what it holds is hidden by its shape alone.
    """
    base = _base(real)
    if _values(base) or not _values(_base(name)):
        return real if _values(base) or base.startswith("id_") or base.endswith(_KEY_ENDINGS) else name
    return name


def _base(name: str) -> str:
    return name.replace("\\", "/").rsplit("/", 1)[-1].casefold()


def _values(base: str) -> re.Pattern[str] | None:
    """What stands where in a file of values, by its name: `.env`, `.env.local`, `prod.env`, `.netrc`."""
    if base in (".netrc", "_netrc"):
        return _NETRC
    return _ASSIGNMENT if base.startswith(".env") or base.endswith(".env") else None


def _is_key_file(base: str, text: str) -> bool:
    """`id_rsa` and its kin (not `.pub`, not a note like `id_card.md`), and files that begin as or are named PEM."""
    if base.startswith("id_") and "." not in base:
        return True
    named = base.endswith(_KEY_ENDINGS) or base.startswith("id_")
    return (
        has_private_key(text)
        if named
        else text.lstrip("\ufeff \t\r\n").startswith("-----BEGIN") and has_private_key(text)
    )


def _spans(pattern: re.Pattern[str], text: str) -> list[Span]:
    spans: list[Span] = []
    for found in pattern.finditer(text):
        value = found.group("value")
        spans.append((found.start("value"), found.start("value") + len(value.rstrip())))
    return spans


def _forms(secret: str) -> set[str]:
    """The ways in which a value is written down elsewhere."""
    if len(secret) < _MIN_SECRET:
        return set()
    quoted = {urllib.parse.quote(secret, safe=safe) for safe in ("", "/")} | {urllib.parse.quote_plus(secret)}
    lower = {re.sub("%[0-9A-F]{2}", lambda found: found.group().lower(), form) for form in quoted}
    escaped = {json.dumps(secret, ensure_ascii=ascii_only)[1:-1] for ascii_only in (True, False)}
    return {secret, *quoted, *lower, *escaped, *_base64_forms(secret.encode("utf-8", "surrogatepass"))}


def _base64_forms(data: bytes) -> set[str]:
    """Base64 of the value alone and inside something longer: the digits that only it decides, at three shifts."""
    forms: set[str] = set()
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        forms.add(encode(data).decode("ascii"))
        for shift in range(3):
            digits = encode(bytes(shift) + data).decode("ascii").rstrip("=")
            last = len(digits) if (shift + len(data)) % 3 == 0 else len(digits) - 1
            forms.add(digits[-(-shift * 8 // 6) : last])
    return forms
