"""Whether a word looks like a key of no known shape, or like a password that stands behind the word password. Pure.

The first is long, letters and digits well mixed, no ordinary words; the second has a digit and is no code and no term.
"""

from __future__ import annotations

import re
from typing import Final

LONG: Final = 20
"""Characters from which a word can be a key."""
_RUN: Final = 16
"""Characters of letters and digits without a break, of which a key has one such run."""
_APART: Final = re.compile(r"[^A-Za-z0-9]+")
_DIGITS: Final = re.compile(r"[0-9]+")
_TOKENS: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_UUID: Final = re.compile(r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")
_DOI: Final = re.compile(r"10\.[0-9]{4,9}/")
_WEAK: Final = ("token", "secret", "pass")
"""Names that are ordinary words too: what follows them must be eight characters, and alone."""
_PASSWORDS: Final = ("pass", "pwd", "密码", "密碼", "口令")
"""How names begin whose values people make up: they may be digits alone, or letters and signs."""
_CODE: Final = re.compile(
    r"[A-Za-z_][\w.]{2,}[(\[{][\w.,:=()\[\]-]*|(?:self|this|os|process|config|settings|env|args|request|options)\.[\w.]+"
    r"|[A-Za-z0-9+.-]{2,12}://.*|(?:\.{0,2}|[A-Za-z]:)[/\\].*|[\w.-]+(?:/[\w.-]+)+\.[a-z]{1,5}"
)
"""A call, an index, a field, an address, a path."""
_TERM: Final = re.compile(
    r"(?:sha|md|utf|aes|rsa|des|base|b?crypt|scrypt|argon|pbkdf|oauth|hmac|ed|ipv|ascii|u?int|float|string|varchar|char|win"
    r"|web|python|gpt|bert|llama|word|erc|fido|totp|x|v)[-_]?[0-9][\w.-]*|[0-9]{1,3}(?:[-–][0-9]{1,3})?[-–]?[A-Za-z]{2,}"
    r"|[12][0-9]{3}-[0-9]{2}-[0-9]{2}\S*|10\.[0-9]{4,9}/\S*|arxiv:\S*",
    re.IGNORECASE,
)
"""A method, a type, a name with a number, a count of something, a date, a DOI."""
_NAME: Final = re.compile(
    r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+|\w*(?:Key|Token)[A-Z]\w*|(?:[A-Za-z]+|[0-9]+)(?:[-_](?:[A-Za-z]+|[0-9]+)){2,}"
)
"""A field, a type, words and numbers with hyphens: what an API key or a token is not, and a password may be."""
_SIGNS: Final = re.compile(r"[^\W_][!@#$%^+~][^\W_]")


def looks_chosen(value: str, *, name: str, alone: bool, quoted: bool = False) -> bool:
    """Whether what follows a name such as `password` is its value; `alone` if no sentence goes on behind it.

    In quotes it is, but behind a name that is an ordinary word too.
    """
    if quoted and name.casefold() not in ("token", "pwd"):
        return True
    if _CODE.fullmatch(value) or _TERM.fullmatch(value):
        return False
    digit, letter = any(one.isdigit() for one in value), any(one.isalpha() for one in value)
    if name.casefold() not in _WEAK and name.casefold().startswith(_PASSWORDS):
        return (digit and (letter or alone)) or _SIGNS.search(value) is not None
    if not (digit and letter) or _NAME.fullmatch(value):
        return False
    return name.casefold() not in _WEAK or (alone and len(value) >= 8)


def may_follow(value: str, *, name: str) -> bool:
    """Whether a value may stand behind a name with nothing but a blank between: `password hunter2222`, no sentence."""
    strong = name.casefold().startswith(_PASSWORDS) and name.casefold() not in _WEAK
    return strong and len(value) >= 8 and any(map(str.isdigit, value)) and any(map(str.isalpha, value))


def looks_random(word: str) -> bool:
    """Whether the word looks made by chance: no name, date, DOI, or citation key such as `vaswani2017attention`."""
    if _UUID.fullmatch(word):
        return True
    if len(word) < LONG or not word.isascii() or _DOI.match(word):
        return False
    if not any(one.isdigit() for one in word) or not any(one.isalpha() for one in word):
        return False
    return any(_mixed(run) for run in _APART.split(word))


def _mixed(run: str) -> bool:
    """Three groups of digits, or a new kind of character at every third: words and years have neither."""
    if len(run) < _RUN or run.isdigit():
        return False
    return len(_DIGITS.findall(run)) >= 3 or len(_TOKENS.findall(run)) * 3 >= len(run)
