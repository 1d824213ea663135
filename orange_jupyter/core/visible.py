"""Makes invisible characters visible: what a person approves or reads must be what is there (R-APPR-2, A07)."""

from __future__ import annotations

import re
import unicodedata

_FILLERS = frozenset({0x115F, 0x1160, 0x17B4, 0x17B5, 0x3164, 0xFFA0, 0x2800, 0x034F, 0x00AD})

# C0 but tab and newline, DEL, C1; bidi marks; line and paragraph separators.
_STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def is_invisible(character: str) -> bool:
    """Whether a character draws nothing or steers drawing: controls but tab and newline, bidi marks, tags, fillers.

    `str.isprintable` is not enough: U+3164 and U+FE0F pass it (measured).
    """
    number = ord(character)
    if character in "\t\n":
        return False
    if number in _FILLERS or 0xFE00 <= number <= 0xFE0F or 0xE0000 <= number <= 0xE0FFF:
        return True
    return unicodedata.category(character) in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")


def escape(character: str) -> str:
    r"""The visible form of one character: `\u200b`, `\U000e0041`."""
    number = ord(character)
    return f"\\u{number:04x}" if number <= 0xFFFF else f"\\U{number:08x}"


def visible(text: str) -> tuple[str, int]:
    """The text with invisible characters as escapes, and how many there were."""
    count = 0
    pieces: list[str] = []
    for character in text:
        if is_invisible(character):
            count += 1
            pieces.append(escape(character))
        else:
            pieces.append(character)
    return "".join(pieces), count


def for_terminal(text: str) -> str:
    """The text with what steers a terminal or the order of drawing as escapes; tab and newline stay, CRLF is a newline.

    Joiners and variation selectors stay too: emoji and Persian need them, and nothing is approved by this text.
    """
    return _STEERING.sub(lambda found: escape(found.group()), text.replace("\r\n", "\n"))
