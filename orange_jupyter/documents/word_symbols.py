"""What characters of Word's picture fonts mean: Symbol (its own encoding of Greek and mathematics), Wingdings."""

from __future__ import annotations

_SYMBOL_LOW = (
    " !∀#∃%&∍()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼"  # 0x20 … 0x7E
)
_SYMBOL_HIGH = (
    "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪\uf8ff〉∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭"  # 0xA0 …
)
_SYMBOL = dict(enumerate(_SYMBOL_LOW, 0x20)) | dict(enumerate(_SYMBOL_HIGH, 0xA0))
_WINGDINGS = {
    0x20: " ", 0x28: "☎", 0x2A: "✉", 0x36: "⌛", 0x3C: "💾", 0x3F: "✍", 0x46: "☞", 0x4A: "☺", 0x4C: "☹", 0x6C: "●",
    0x6D: "❍", 0x6E: "■", 0x6F: "□", 0x70: "❐", 0x71: "❑", 0x72: "❒", 0x73: "⬧", 0x74: "⧫", 0x75: "◆", 0x76: "❖",
    0x77: "⬥", 0x9F: "•", 0xA1: "○", 0xA7: "▪", 0xA8: "◻", 0xAB: "★", 0xD8: "➢", 0xDF: "←", 0xE0: "→", 0xE1: "↑",
    0xE2: "↓", 0xE8: "➔", 0xEF: "⇦", 0xF0: "⇨", 0xF1: "⇧", 0xF2: "⇩", 0xF3: "⬄", 0xF4: "⇳", 0xFB: "✗", 0xFC: "✓",
    0xFD: "☒", 0xFE: "☑",
}  # fmt: skip
_WINGDINGS_2 = {0x4F: "✗", 0x50: "✓", 0x51: "☒", 0x52: "☑", 0x53: "☒", 0x54: "☒", 0x2A: "☐", 0xA3: "□", 0x98: "●"}
_FONTS = {"symbol": _SYMBOL, "wingdings": _WINGDINGS, "wingdings 2": _WINGDINGS_2}
_UNKNOWN = "□"


def symbol(font: str | None, code: str | None) -> str:
    """The character of a `w:sym`, by its font and its code in hexadecimal; □ where it cannot be known."""
    try:
        place = int(code or "", 16)
    except ValueError:
        return _UNKNOWN
    if 0xF000 <= place <= 0xF0FF or (font or "").casefold() in _FONTS:
        return _meaning(font, place & 0xFF)
    return chr(place) if 0x20 <= place < 0xD800 or 0xE000 <= place < 0x110000 else _UNKNOWN


def plain(text: str, font: str | None) -> str:
    """Text with the private characters that Word stores for picture fonts replaced by what they show."""
    if text.isascii() or not any(_private(sign) for sign in text):
        return text
    table = _FONTS.get((font or "").casefold(), _SYMBOL)
    return "".join(table.get(ord(sign) & 0xFF, sign) if _private(sign) else sign for sign in text)


def _private(sign: str) -> bool:
    return "\uf020" <= sign <= "\uf0ff"


def _meaning(font: str | None, place: int) -> str:
    return _FONTS.get((font or "symbol").casefold(), {}).get(place, _UNKNOWN)
