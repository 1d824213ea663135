"""The LaTeX words of the characters that stand in Word's equations."""

from __future__ import annotations

import unicodedata

_GREEK = [
    "alpha",
    "beta",
    "gamma",
    "delta",
    "varepsilon",
    "zeta",
    "eta",
    "theta",
    "iota",
    "kappa",
    "lambda",
    "mu",
    "nu",
    "xi",
    "omicron",
    "pi",
    "rho",
    "varsigma",
    "sigma",
    "tau",
    "upsilon",
    "varphi",
    "chi",
    "psi",
    "omega",
]
_CAPITALS = {
    "Γ": "Gamma", "Δ": "Delta", "Θ": "Theta", "Λ": "Lambda", "Ξ": "Xi", "Π": "Pi", "Σ": "Sigma", "Υ": "Upsilon",
    "Φ": "Phi", "Ψ": "Psi", "Ω": "Omega",
}  # fmt: skip
_LATIN_CAPITALS = dict(zip("ΑΒΕΖΗΙΚΜΝΟΡΤΧ", "ABEZHIKMNOPTX", strict=True))
_OPERATORS = {
    "×": "times", "÷": "div", "±": "pm", "∓": "mp", "⋅": "cdot", "·": "cdot", "∙": "cdot", "∗": "ast", "∘": "circ",
    "≤": "leq", "≥": "geq", "≠": "neq", "≈": "approx", "≡": "equiv", "≅": "cong", "∼": "sim", "≃": "simeq",
    "∝": "propto", "≪": "ll", "≫": "gg", "≺": "prec", "≻": "succ", "∞": "infty", "∂": "partial", "∇": "nabla",
    "∈": "in", "∉": "notin", "∋": "ni", "⊂": "subset", "⊃": "supset", "⊆": "subseteq", "⊇": "supseteq", "∪": "cup",
    "∩": "cap", "∖": "setminus", "∅": "emptyset", "∀": "forall", "∃": "exists", "∄": "nexists", "¬": "neg",
    "∧": "wedge", "∨": "vee", "→": "to", "←": "leftarrow", "↔": "leftrightarrow", "⇒": "Rightarrow",
    "⇐": "Leftarrow", "⇔": "Leftrightarrow", "↦": "mapsto", "↑": "uparrow", "↓": "downarrow", "⟶": "longrightarrow",
    "⟹": "Longrightarrow", "⟺": "Longleftrightarrow", "⊕": "oplus", "⊗": "otimes", "⊥": "perp", "∥": "parallel",
    "∠": "angle", "∴": "therefore", "∵": "because", "…": "ldots", "⋯": "cdots", "⋮": "vdots", "⋱": "ddots",
    "ℏ": "hbar", "ℓ": "ell", "ℜ": "Re", "ℑ": "Im", "ℵ": "aleph", "℘": "wp", "′": "prime", "″": "prime\\prime",
    "†": "dagger", "⊢": "vdash", "⊨": "models", "∣": "mid", "⟨": "langle", "⟩": "rangle", "⌊": "lfloor",
    "⌋": "rfloor", "⌈": "lceil", "⌉": "rceil", "‖": "Vert", "∑": "sum", "∏": "prod", "∐": "coprod", "∫": "int",
    "∬": "iint", "∭": "iiint", "∮": "oint", "∯": "oiint", "∰": "oiiint",
    "⋃": "bigcup", "⋂": "bigcap", "⋁": "bigvee", "⋀": "bigwedge",
    "⨁": "bigoplus", "⨂": "bigotimes", "ϵ": "epsilon", "ϑ": "vartheta", "ϕ": "phi", "ϖ": "varpi", "ϱ": "varrho",
}  # fmt: skip
WORDS = (
    {chr(0x3B1 + index): "\\" + name for index, name in enumerate(_GREEK) if name != "omicron"}
    | {sign: "\\" + name for sign, name in _CAPITALS.items()}
    | {sign: "\\" + name for sign, name in _OPERATORS.items()}
    | _LATIN_CAPITALS
    | {
        "ο": "o",
        "−": "-",
        "\u2009": "\\,",
        "\u2005": "\\;",
        "\u2003": "\\quad ",
        "\u2061": "",
        "\u2062": "",
        "\u200b": "",
    }
    | {"\u2064": "", "\u00a0": " "}
    | {sign: "\\" + sign for sign in "{}%#&_$"}
    | {"\\": "\\backslash", "~": "\\sim", "^": "\\hat{}"}
)
"""What a character is written as; a word that ends in a letter needs a blank before the next letter."""

FUNCTIONS = frozenset(
    [
        "sin",
        "cos",
        "tan",
        "cot",
        "sec",
        "csc",
        "arcsin",
        "arccos",
        "arctan",
        "sinh",
        "cosh",
        "tanh",
        "coth",
        "log",
        "ln",
        "lg",
        "exp",
        "lim",
        "max",
        "min",
        "sup",
        "inf",
        "limsup",
        "liminf",
        "det",
        "dim",
        "ker",
        "gcd",
        "hom",
        "arg",
        "deg",
        "Pr",
    ]
)
ACCENTS = {
    "\u0302": "hat", "^": "hat", "\u0303": "tilde", "~": "tilde", "\u0304": "bar", "\u0305": "overline", "¯": "bar",
    "\u0306": "breve", "\u0307": "dot", "\u0308": "ddot", "\u20db": "dddot", "\u030c": "check", "\u0301": "acute",
    "\u0300": "grave", "\u20d7": "vec", "→": "vec", "\u20d6": "overleftarrow", "\u20e1": "overleftrightarrow",
    "\u0332": "underline",
}  # fmt: skip
GROUPS = {"⏟": "underbrace", "⏞": "overbrace", "→": "overrightarrow", "←": "overleftarrow", "⏜": "overparen"}
_ALPHABETS = (
    ("MATHEMATICAL BOLD SCRIPT", "mathcal"),
    ("MATHEMATICAL SCRIPT", "mathcal"),
    ("SCRIPT", "mathcal"),
    ("MATHEMATICAL BOLD FRAKTUR", "mathfrak"),
    ("MATHEMATICAL FRAKTUR", "mathfrak"),
    ("BLACK-LETTER", "mathfrak"),
    ("MATHEMATICAL DOUBLE-STRUCK", "mathbb"),
    ("DOUBLE-STRUCK", "mathbb"),
    ("MATHEMATICAL BOLD", "mathbf"),
    ("MATHEMATICAL SANS-SERIF", "mathsf"),
    ("MATHEMATICAL MONOSPACE", "mathtt"),
    ("MATHEMATICAL ITALIC", ""),
)


def latex(text: str) -> str:
    """The characters of an equation as LaTeX; words of other scripts, such as Chinese, as text."""
    out: list[str] = []
    words = ""
    for sign in text:
        if _is_word(sign):
            words += sign
            continue
        if words:
            out.append(f"\\text{{{words}}}")
            words = ""
        out.append(_sign(sign))
    return joined([*out, f"\\text{{{words}}}" if words else ""])


def joined(pieces: list[str]) -> str:
    """Pieces one after another, a blank where a command would swallow the letter behind it."""
    out: list[str] = []
    for piece in pieces:
        if piece and out and piece[0].isalpha() and _ends_in_command(out[-1]):
            out.append(" ")
        if piece:
            out.append(piece)
    return "".join(out)


def _ends_in_command(piece: str) -> bool:
    tail = piece.rpartition("\\")[2]
    return "\\" in piece and tail.isascii() and tail.isalpha()


def _sign(sign: str) -> str:
    if sign.isascii() and (sign.isalnum() or sign in "+-=()[]|,.:;!?<>/*'\" "):
        return sign
    word = WORDS.get(sign)
    if word is not None:
        return word
    name = unicodedata.name(sign, "")
    for alphabet, command in _ALPHABETS:
        if name.startswith(alphabet):
            letter = _sign(unicodedata.normalize("NFKC", sign)) if unicodedata.normalize("NFKC", sign) != sign else sign
            return f"\\{command}{{{letter}}}" if command else letter
    return sign


def _is_word(sign: str) -> bool:
    """Letters that are no mathematics: Chinese, Japanese, Korean, accented Latin, Cyrillic, Arabic …"""
    return sign.isalpha() and not sign.isascii() and sign not in WORDS and ord(sign) < 0x1D400 and not _lettered(sign)


def _lettered(sign: str) -> bool:
    return 0x2100 <= ord(sign) <= 0x214F or 0x370 <= ord(sign) <= 0x3FF
