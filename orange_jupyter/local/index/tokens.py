"""Text as the full-text index sees it: normalised, Chinese, Japanese and Korean runs as bigrams, identifiers split.

Only the index sees this form; passages and offsets are always those of the real text.
"""

from __future__ import annotations

import re
import string
import unicodedata
from operator import add

TOKENIZER = f"3/{unicodedata.unidata_version}"
"""Changes whenever any function here gives other tokens: deletes replay them, so an older index is built anew."""

FTS_TOKENIZER = "porter unicode61 remove_diacritics 2"

_CJK = (
    "\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3105-\u312f\u3131-\u318e\u31a0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U000323af"
)
CJK_RUN = re.compile(f"[{_CJK}]+")
_WRAPPED_RUN = re.compile(f"([{_CJK}]+(?:[ \t]*\r?\n[ \t]*[{_CJK}]+)*)")
_SOFT_HYPHEN = re.compile("\u00ad(?:[ \t]*\r?\n[ \t]*)?")
_BREAK = re.compile(r"[-\u2010][ \t]?\r?\n(?:[ \t]*\r?\n)?[ \t]*(?=[^\W\d_])")
"""A line end, or one blank line: between the blocks of a PDF page, as from a column to the next."""
_BREAKS = ("-\n", "-\r", "\u2010")
"""Without one of these a text is left alone: most notes have none."""
_LAST_WORD, _WORD = re.compile(r"[^\W\d_]+\Z"), re.compile(r"[^\W\d_]+")
_LONGEST = 60
"""Letters of a word that is looked at where a line end parts it."""
_ALNUM = frozenset(string.ascii_letters + string.digits)
_HUMPED = re.compile(r"[A-Z](?<=[a-z0-9][A-Z])[A-Za-z0-9]*")
"""An identifier from its first hump on; the character set in front is what lets the search skip other text quickly."""
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def normalised(text: str) -> str:
    """NFKC, so that NFC and NFD forms, full-width letters and ligatures meet (P11); no soft hyphens.

    What cannot be encoded becomes `?`.
    """
    if text.isascii():
        return text
    plain = unicodedata.normalize("NFKC", _SOFT_HYPHEN.sub("", text) if "\u00ad" in text else text)
    try:
        plain.encode()
    except UnicodeEncodeError:
        return plain.encode("utf-8", "replace").decode()
    return plain


def unbroken(text: str) -> tuple[str, str]:
    """The text with words put together that a hyphen parts at a line end; and what stands around, in its parts.

    `algo-` and `rithm` are one word to most readers, `well-` and `known` are two: the second text has both, with three
    words before and after, so that phrases are found either way. Only a hyphen that parts nothing else is taken out.
    """
    if not any(sign in text for sign in _BREAKS):
        return text, ""
    joined: list[str] = []
    parted: list[str] = []
    at = 0
    for match in _BREAK.finditer(text):
        if _is_one_word(text, match.start(), match.end()):
            joined.append(text[at : match.start()])
            at = match.end()
            before = text[max(0, match.start() - _LONGEST) : match.start()].split()[-4:]
            parted += [*before, *text[at : at + _LONGEST].split()[:4]]
    return ("".join([*joined, text[at:]]), " ".join(parted)) if joined else (text, "")


def carried(text: str, following: str) -> str:
    """The word that a hyphen at the end of a passage parts from the beginning of the next passage; often none."""
    if not text.endswith(("-", "\u2010")):
        return ""
    left, right = normalised(text[-_LONGEST:])[:-1], normalised(following[:_LONGEST].lstrip())
    whole = f"{left}-\n{right}"
    if not _is_one_word(whole, len(left), len(left) + 2):
        return ""
    return "".join([*_LAST_WORD.findall(left), *_WORD.findall(right)[:1]])


def _is_one_word(text: str, end: int, start: int) -> bool:
    """Whether what ends at `end` and goes on at `start` is in one case and no part of a longer compound."""
    left = _LAST_WORD.search(text, max(0, end - _LONGEST), end)
    right = _WORD.match(text, start, start + _LONGEST)
    if left is None or right is None:
        return False
    hyphens = text[max(0, left.start() - 1) : left.start()] + text[right.end() : right.end() + 1]
    same_case = right[0][0].islower() or (left[0].isupper() and right[0].isupper())
    return same_case and not set(hyphens) & {"-", "\u2010"}


def tokens(text: str) -> str:
    """Normalised text with each CJK run of n characters as n-1 overlapping bigrams and its last character.

    The last character alone makes every character the start of some token, so that `猫*` finds 猫 anywhere.
    A run goes on over a single line break: Chinese is often wrapped by hand.
    """
    if text.isascii():
        return text
    parts = _WRAPPED_RUN.split(text)
    for number in range(1, len(parts), 2):
        run = "".join(parts[number].split())
        parts[number] = f" {' '.join(map(add, run, run[1:]))} {run[-1]} "
    return "".join(parts)


def bigrams(run: str) -> str:
    """The phrase that finds a CJK word of two or more characters inside any longer run."""
    return " ".join(map(add, run, run[1:]))


def name_token(name: str) -> str:
    """One word for a whole file name: `a.md` gives `filenameamd`. It is rare where the name's own words are not."""
    return "filename" + "".join(filter(str.isalnum, normalised(name).casefold()))


def humps(text: str) -> str:
    """The parts of camelCase identifiers: `getUserName` gives `get User Name`; `snake_case` and `a.b` split anyway."""
    found = []
    for match in _HUMPED.finditer(text):
        start = match.start() - 1
        while start and text[start - 1] in _ALNUM:
            start -= 1
        found.append(text[start : match.end()])
    return _HUMP.sub(" ", " ".join(dict.fromkeys(found))) if found else ""
