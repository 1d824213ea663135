"""Word's equations (OMML) as LaTeX; what has no LaTeX form keeps its characters in order."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from lxml import etree

from orange_jupyter.documents.word_math_signs import ACCENTS, FUNCTIONS, GROUPS, WORDS, joined, latex
from orange_jupyter.documents.word_symbols import symbol
from orange_jupyter.documents.word_xml import alternatives, attribute, child, local, on, value

_OPENING = {"{": "\\{", "": ".", "‖": "\\|", "|": "|"}
_CLOSING = {"}": "\\}", "": ".", "‖": "\\|", "|": "|"}
_SKIPPED = frozenset({"del", "moveFrom", "rPr", "ctrlPr", "instrText", "delText"})
_PROSE = re.compile(r"\s*[A-Za-z]{2,}(?:\s+[A-Za-z]{2,})+\s*")
_ROW = " \\\\ "
_LIMITED = ("\\lim", "\\max", "\\min", "\\sup", "\\inf", "\\limsup", "\\liminf", "\\sum", "\\prod", "\\bigcup")
_MATRICES = {("(", ")"): "pmatrix", ("[", "]"): "bmatrix", ("|", "|"): "vmatrix", ("{", "}"): "Bmatrix"}


def equation(element: etree._Element) -> str:
    """An `oMath` as LaTeX on one line; an `oMathPara` as its equations, a line each."""
    if local(element) != "oMathPara":
        return " ".join(_inner(element).split())
    lines = (" ".join(_inner(inner).split()) for inner in _maths(element))
    return "\n".join(filter(None, lines))


def _maths(element: etree._Element) -> Iterator[etree._Element]:
    for inner in element.iterchildren(etree.Element):
        if local(inner) == "oMath":
            yield inner
        elif local(inner) not in ("oMathParaPr", *_SKIPPED):
            yield from _maths(inner)


def _inner(element: etree._Element | None) -> str:
    if element is None:
        return ""
    return joined([_one(inner) for inner in element.iterchildren(etree.Element)])


def _one(element: etree._Element) -> str:
    name = local(element)
    if name in _SKIPPED or name.endswith("Pr"):
        return ""
    if name in _WRITERS:
        return _WRITERS[name](element)
    if name == "AlternateContent":
        return joined([_inner(inner) for inner in alternatives(element)])
    return _inner(element)


def _part(element: etree._Element, name: str) -> str:
    return _inner(child(element, name)).strip()


def _run(element: etree._Element) -> str:
    text = ""
    for inner in element.iterchildren(etree.Element):
        if local(inner) == "t":
            text += inner.text or ""
        elif local(inner) == "sym":
            text += symbol(attribute(inner, "font"), attribute(inner, "char"))
        elif local(inner) in ("tab", "br", "cr"):
            text += " "
    properties = child(element, "rPr")
    if (on(properties, "nor") and any(sign.isalpha() for sign in text)) or _PROSE.fullmatch(text):
        return f"\\text{{{text}}}"
    if value(properties, "sty") == "b" and text.strip().isalnum():
        return f"\\mathbf{{{latex(text)}}}"
    if text.strip() in FUNCTIONS and value(properties, "sty") == "p":
        return "\\" + text.strip()
    return latex(text)


def _fraction(element: etree._Element) -> str:
    above, below = _part(element, "num"), _part(element, "den")
    kind = value(element, "fPr", "type")
    if kind in ("lin", "skw"):
        return f"{_grouped(above)}/{_grouped(below)}"
    return f"{{{above} \\atop {below}}}" if kind == "noBar" else f"\\frac{{{above}}}{{{below}}}"


def _script(element: etree._Element) -> str:
    return f"{_base(_part(element, 'e'))}{_scripts(element)}"


def _scripts(element: etree._Element) -> str:
    below, above = _part(element, "sub"), _part(element, "sup")
    return (f"_{{{below}}}" if below else "") + (f"^{{{above}}}" if above else "")


def _before(element: etree._Element) -> str:
    return f"{{}}{_scripts(element)}{_part(element, 'e')}"


def _radical(element: etree._Element) -> str:
    degree = "" if on(child(element, "radPr"), "degHide") else _part(element, "deg")
    return f"\\sqrt{f'[{degree}]' if degree else ''}{{{_part(element, 'e')}}}"


def _nary(element: etree._Element) -> str:
    sign = value(element, "naryPr", "chr")
    operator = WORDS.get("∫" if sign is None else sign, sign or "")
    return joined([operator + _scripts(element), " ", _part(element, "e")])


def _delimited(element: etree._Element) -> str:
    properties = child(element, "dPr")
    opening, closing, between = (
        default if (said := value(properties, name)) is None else said
        for name, default in (("begChr", "("), ("endChr", ")"), ("sepChr", "|"))
    )
    parts = [inner for inner in element.iterchildren(etree.Element) if local(inner) == "e"]
    only = _only_child(parts[0]) if len(parts) == 1 else None
    if only is not None and local(only) == "m" and (opening, closing) in _MATRICES:
        return _matrix(only, _MATRICES[opening, closing])
    if only is not None and local(only) == "eqArr" and (opening, closing) == ("{", ""):
        return _array(only, "cases")
    inside = f" {latex(between)} ".join(_inner(part).strip() for part in parts)
    left, right = _OPENING.get(opening) or latex(opening), _CLOSING.get(closing) or latex(closing)
    return f"\\left{left} {inside} \\right{right}"


def _only_child(element: etree._Element) -> etree._Element | None:
    inner = [found for found in element.iterchildren(etree.Element) if not local(found).endswith("Pr")]
    return inner[0] if len(inner) == 1 else None


def _matrix(element: etree._Element, kind: str = "matrix") -> str:
    rows = (
        " & ".join(_inner(cell).strip() for cell in row.iterchildren(etree.Element) if local(cell) == "e")
        for row in element.iterchildren(etree.Element)
        if local(row) == "mr"
    )
    return f"\\begin{{{kind}}} {_ROW.join(rows)} \\end{{{kind}}}"


def _array(element: etree._Element, kind: str = "aligned") -> str:
    rows = [_inner(row).strip() for row in element.iterchildren(etree.Element) if local(row) == "e"]
    rows = [row.replace("\\&", "&").replace("\\#", "\\quad ") for row in rows]  # & aligns, # stands before a number
    if len(rows) == 1 and kind == "aligned":
        return rows[0].replace("&", "")
    return f"\\begin{{{kind}}} {_ROW.join(rows)} \\end{{{kind}}}"


def _accent(element: etree._Element) -> str:
    sign = value(element, "accPr", "chr")
    command = ACCENTS.get("\u0302" if sign is None else sign)
    inside = _part(element, "e")
    return f"\\{command}{{{inside}}}" if command else f"\\overset{{{latex(sign or '')}}}{{{inside}}}"


def _bar(element: etree._Element) -> str:
    return f"\\{'overline' if value(element, 'barPr', 'pos') == 'top' else 'underline'}{{{_part(element, 'e')}}}"


def _group(element: etree._Element) -> str:
    sign = value(element, "groupChrPr", "chr")
    top = value(element, "groupChrPr", "pos") == "top"
    command = GROUPS.get("⏟" if sign is None else sign)
    inside = _part(element, "e")
    if command is None:
        return f"\\{'overset' if top else 'underset'}{{{latex(sign or '')}}}{{{inside}}}"
    return f"\\{command}{{{inside}}}"


def _function(element: etree._Element) -> str:
    name = _part(element, "fName")
    plain = name.removeprefix("\\text{").removesuffix("}")
    if plain in FUNCTIONS:
        name = "\\" + plain
    elif plain.isascii() and plain.isalpha() and len(plain) > 1:
        name = f"\\operatorname{{{plain}}}"
    return joined([name, " ", _part(element, "e")])


def _limit(element: etree._Element) -> str:
    base, edge = _part(element, "e"), _part(element, "lim")
    below = local(element) == "limLow"
    if base in FUNCTIONS:
        base = "\\" + base
    if base.startswith(_LIMITED) or base.startswith(("\\underbrace", "\\overbrace")):
        return f"{base}{'_' if below else '^'}{{{edge}}}"
    return f"\\{'underset' if below else 'overset'}{{{edge}}}{{{base}}}"


def _boxed(element: etree._Element) -> str:
    return f"\\boxed{{{_part(element, 'e')}}}"


def _base(text: str) -> str:
    """What a script hangs on: braces around more than one sign."""
    if text in FUNCTIONS:
        return "\\" + text
    whole = text.startswith("\\left") and text.count("\\left") == 1 and "\\right" in text[-9:]
    return text if len(text) <= 1 or whole or (text[0] == "\\" and text[1:].isalpha()) else f"{{{text}}}"


def _grouped(text: str) -> str:
    return text if len(text) <= 1 or text.isalnum() else f"({text})"


_WRITERS: dict[str, Callable[[etree._Element], str]] = {
    "r": _run,
    "f": _fraction,
    "sSub": _script,
    "sSup": _script,
    "sSubSup": _script,
    "sPre": _before,
    "rad": _radical,
    "nary": _nary,
    "d": _delimited,
    "m": _matrix,
    "eqArr": _array,
    "acc": _accent,
    "bar": _bar,
    "groupChr": _group,
    "func": _function,
    "limLow": _limit,
    "limUpp": _limit,
    "borderBox": _boxed,
}
