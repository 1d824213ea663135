"""Word's equations as LaTeX."""

from __future__ import annotations

import pytest

from orange_jupyter.documents import word
from tests.documents.word_samples import math, para, sign, table, word_file


def _e(inner: str, name: str = "e") -> str:
    return f"<m:{name}>{inner}</m:{name}>"


def _with(name: str, properties: str, *parts: str) -> str:
    return f"<m:{name}><m:{name}Pr>{properties}</m:{name}Pr>{''.join(parts)}</m:{name}>"


def _sup(base: str, above: str) -> str:
    return _with("sSup", "", _e(sign(base)), _e(sign(above), "sup"))


X, Y = sign("x"), sign("y")
ROWS = "".join(f"<m:mr>{''.join(_e(sign(cell)) for cell in row)}</m:mr>" for row in ("ab", "cd"))
PLAIN = '<m:r><m:rPr><m:sty m:val="p"/></m:rPr><m:t>{}</m:t></m:r>'
CASES = {
    r"\frac{x}{y}": _with("f", "", _e(X, "num"), _e(Y, "den")),
    r"x/y": _with("f", '<m:type m:val="lin"/>', _e(X, "num"), _e(Y, "den")),
    r"{x \atop y}": _with("f", '<m:type m:val="noBar"/>', _e(X, "num"), _e(Y, "den")),
    r"x_{i}": _with("sSub", "", _e(X), _e(sign("i"), "sub")),
    r"x_{i}^{2}": _with("sSubSup", "", _e(X), _e(sign("i"), "sub"), _e(sign("2"), "sup")),
    r"{}_{i}^{2}x": _with("sPre", "", _e(sign("i"), "sub"), _e(sign("2"), "sup"), _e(X)),
    r"{ab}^{2}": _sup("ab", "2"),
    r"\sqrt{x}": _with("rad", '<m:degHide m:val="1"/>', _e("", "deg"), _e(X)),
    r"\sqrt[3]{x}": _with("rad", "", _e(sign("3"), "deg"), _e(X)),
    r"\sum_{i=1}^{n} x": _with("nary", '<m:chr m:val="∑"/>', _e(sign("i=1"), "sub"), _e(sign("n"), "sup"), _e(X)),
    r"\int x": _with("nary", '<m:subHide m:val="1"/>', _e("", "sub"), _e("", "sup"), _e(X)),
    r"\left( x | y \right)": _with("d", "", _e(X), _e(Y)),
    r"\left\{ x \right.": _with("d", '<m:begChr m:val="{"/><m:endChr m:val=""/>', _e(X)),
    r"\left\lfloor x \right\rfloor": _with("d", '<m:begChr m:val="⌊"/><m:endChr m:val="⌋"/>', _e(X)),
    r"\begin{matrix} a & b \\ c & d \end{matrix}": _with("m", "", ROWS),
    r"\begin{pmatrix} a & b \\ c & d \end{pmatrix}": _with("d", "", _e(_with("m", "", ROWS))),
    r"\begin{cases} x \\ y \end{cases}": _with(
        "d", '<m:begChr m:val="{"/><m:endChr m:val=""/>', _e(_with("eqArr", "", _e(X), _e(Y)))
    ),
    r"\begin{aligned} x \\ y \end{aligned}": _with("eqArr", "", _e(X), _e(Y)),
    r"x=y\quad 3": _with("eqArr", "", _e(sign("x=y#3"))),
    r"\hat{x}": _with("acc", "", _e(X)),
    r"\vec{x}": _with("acc", '<m:chr m:val="&#x20D7;"/>', _e(X)),
    r"\overline{x}": _with("bar", '<m:pos m:val="top"/>', _e(X)),
    r"\underbrace{x}": _with("groupChr", "", _e(X)),
    r"\sin x": _with("func", "", _e(PLAIN.format("sin"), "fName"), _e(X)),
    r"\operatorname{rank} x": _with("func", "", _e(PLAIN.format("rank"), "fName"), _e(X)),
    r"\lim_{x\to0} y": _with(
        "func", "", _e(_with("limLow", "", _e(PLAIN.format("lim")), _e(sign("x→0"), "lim")), "fName"), _e(Y)
    ),
    r"\overset{y}{x}": _with("limUpp", "", _e(X), _e(Y, "lim")),
    r"\boxed{x}": _with("borderBox", "", _e(X)),
    r"\alpha x+\beta\leq\infty": sign("αx+β≤∞"),
    r"x\mathbb{R}\mathbf{v}": sign("𝑥ℝ𝐯"),
    r"\text{速度}=50\%": sign("速度=50%"),
    r"\text{if so}": "<m:r><m:rPr><m:nor/></m:rPr><m:t>if so</m:t></m:r>",
    r"x+y": _with("box", "", _e(sign("x+"))) + "<m:unknown>" + Y + "</m:unknown>",
    r"kept": "<w:ins>" + sign("kept") + "</w:ins><w:del>" + sign("gone") + "</w:del>",
}


@pytest.mark.parametrize("wanted", CASES)
def test_a_construct_has_its_latex(wanted: str) -> None:
    """R-READ-1: the usual constructs; what is not known keeps its characters in order."""
    found = word.text(word_file(para(math(CASES[wanted], display=True))))
    assert [(block.kind, block.text) for block in found.blocks] == [("equation", wanted)]


def test_equations_stand_in_the_text_and_displays_are_blocks() -> None:
    """R-READ-1: `$…$` inside paragraphs and cells; a display, or an equation alone in its paragraph, is a block."""
    body = (
        para("area ", math(_sup("r", "2")), " and ", math(X, display=True), "so it is")
        + para(math(Y))
        + table((para("is ", math(X)), para(math(Y, display=True))))
    )
    assert [(block.kind, block.text) for block in word.text(word_file(body)).blocks] == [
        ("paragraph", "area $r^{2}$ and "),
        ("equation", "x"),
        ("paragraph", "so it is"),
        ("equation", "y"),
        ("table", "is $x$ | $y$"),
    ]
