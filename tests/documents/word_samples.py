"""Word files made by ourselves, part by part, with everything that Word hangs beside the document."""

from __future__ import annotations

from tests.documents import samples

NAMES = (
    'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" '
    'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" '
    'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" '
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
    'xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" '
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
    'xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture" '
    'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" '
    'xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office"'
)
STRICT = NAMES.replace(
    "http://schemas.openxmlformats.org/wordprocessingml/2006/main", "http://purl.oclc.org/ooxml/wordprocessingml/main"
).replace(
    "http://schemas.openxmlformats.org/officeDocument/2006/relationships",
    "http://purl.oclc.org/ooxml/officeDocument/relationships",
)
_ROOTS = {
    "styles": "styles",
    "numbering": "numbering",
    "footnotes": "footnotes",
    "endnotes": "endnotes",
    "comments": "comments",
    "header1": "hdr",
    "header2": "hdr",
    "footer1": "ftr",
}
_RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_STRICT_OFFICE = "http://purl.oclc.org/ooxml/officeDocument/relationships"


def word_file(
    body: str,
    *,
    parts: dict[str, str] | None = None,
    media: dict[str, bytes] | None = None,
    relations: str = "",
    strict: bool = False,
) -> bytes:
    """A Word file with a body, `parts` (`styles`, `footnotes`, `header1` …: what stands in their root) and `media`.

    The relation of `image1.png` has the id `image1`; `relations` are further ones as they stand in the file.
    """
    names, office = (STRICT, _STRICT_OFFICE) if strict else (NAMES, _OFFICE)
    known = "".join(
        f'<Relationship Id="{name}" Type="{office}/{name.rstrip("123")}" Target="{name}.xml"/>' for name in parts or {}
    )
    known += "".join(
        f'<Relationship Id="{name.partition(".")[0]}" Type="{office}/image" Target="media/{name}"/>'
        for name in media or {}
    )
    files: dict[str, str | bytes] = {
        "word/document.xml": f"<w:document {names}><w:body>{body}</w:body></w:document>",
        "word/_rels/document.xml.rels": f'<Relationships xmlns="{_RELATIONS}">{known}{relations}</Relationships>',
    }
    for name, content in (parts or {}).items():
        files[f"word/{name}.xml"] = f"<w:{_ROOTS[name]} {names}>{content}</w:{_ROOTS[name]}>"
    for name, data in (media or {}).items():
        files[f"word/media/{name}"] = data
    return samples.package(files)


def run(text: str, properties: str = "") -> str:
    """A run of text."""
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def para(*inner: str, style: str = "", numbered: tuple[int, int] | None = None) -> str:
    """A paragraph of runs or plain texts; `numbered` is numId and level."""
    runs = "".join(text if text.startswith("<") else run(text) for text in inner)
    number = f'<w:numPr><w:ilvl w:val="{numbered[1]}"/><w:numId w:val="{numbered[0]}"/></w:numPr>' if numbered else ""
    named = f'<w:pStyle w:val="{style}"/>' if style else ""
    return f"<w:p><w:pPr>{named}{number}</w:pPr>{runs}</w:p>"


def table(*rows: tuple[str, ...]) -> str:
    """A table; a cell is given as its inner XML or as plain text."""

    def cell(inner: str) -> str:
        return f"<w:tc><w:tcPr/>{inner if inner.startswith('<') else para(inner)}</w:tc>"

    return "".join(("<w:tbl>", *(f"<w:tr>{''.join(map(cell, row))}</w:tr>" for row in rows), "</w:tbl>"))


def control(inner: str) -> str:
    """A content control around blocks, runs, cells or rows."""
    return f'<w:sdt><w:sdtPr><w:alias w:val="never shown"/></w:sdtPr><w:sdtContent>{inner}</w:sdtContent></w:sdt>'


def inserted(inner: str) -> str:
    """A tracked insertion."""
    return f'<w:ins w:id="1" w:author="Ann">{inner}</w:ins>'


def deleted(text: str) -> str:
    """A tracked deletion."""
    return f'<w:del w:id="2" w:author="Ann"><w:r><w:delText>{text}</w:delText></w:r></w:del>'


def box(inner: str) -> str:
    """A run with a text box as Word writes it: a drawing, and the same again as VML for old versions."""
    content = f"<w:txbxContent>{inner}</w:txbxContent>"
    drawing = (
        f'<w:drawing><wp:anchor><wp:docPr id="1" name="Box"/><a:graphic><a:graphicData><wps:wsp><wps:txbx>{content}'
        "</wps:txbx></wps:wsp></a:graphicData></a:graphic></wp:anchor></w:drawing>"
    )
    old = f"<w:pict><v:shape><v:textbox>{content}</v:textbox></v:shape></w:pict>"
    return (
        f'<w:r><mc:AlternateContent><mc:Choice Requires="wps">{drawing}</mc:Choice><mc:Fallback>{old}</mc:Fallback>'
        "</mc:AlternateContent></w:r>"
    )


def old_box(inner: str) -> str:
    """A run with a text box of a Word before 2010."""
    return f"<w:r><w:pict><v:rect><v:textbox><w:txbxContent>{inner}</w:txbxContent></v:textbox></v:rect></w:pict></w:r>"


def picture(relation: str, alt: str = "", kind: str = "embed") -> str:
    """A run with a picture."""
    return (
        f'<w:r><w:drawing><wp:inline><wp:docPr id="1" name="Picture 1" descr="{alt}"/><a:graphic><a:graphicData><pic:pic>'
        f'<pic:nvPicPr><pic:cNvPr id="0" name="x.png"/></pic:nvPicPr><pic:blipFill><a:blip r:{kind}="{relation}"/>'
        "</pic:blipFill></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r>"
    )


def note(kind: str, number: int, *inner: str, attributes: str = "") -> str:
    """A footnote, endnote or comment."""
    content = "".join(text if text.startswith("<") else para(text) for text in inner)
    return f'<w:{kind} w:id="{number}" {attributes}>{content}</w:{kind}>'


def reference(kind: str, number: int) -> str:
    """The run that refers to a note."""
    return f'<w:r><w:{kind}Reference w:id="{number}"/></w:r>'


def field(code: str, result: str) -> str:
    """A complex field with its code and its result."""
    return (
        '<w:r><w:fldChar w:fldCharType="begin"/></w:r>'
        f"<w:r><w:instrText>{code}</w:instrText></w:r>"
        '<w:r><w:fldChar w:fldCharType="separate"/></w:r>'
        f'{run(result)}<w:r><w:fldChar w:fldCharType="end"/></w:r>'
    )


def levels(*shapes: tuple[str, str], number: int = 1) -> str:
    """A numbering part's list `number` with a format and text for each level."""
    inner = "".join(
        f'<w:lvl w:ilvl="{at}"><w:start w:val="1"/><w:numFmt w:val="{shape}"/><w:lvlText w:val="{text}"/></w:lvl>'
        for at, (shape, text) in enumerate(shapes)
    )
    return (
        f'<w:abstractNum w:abstractNumId="{number}">{inner}</w:abstractNum>'
        f'<w:num w:numId="{number}"><w:abstractNumId w:val="{number}"/></w:num>'
    )


def heading_styles(num_id: int | None = None) -> str:
    """Styles `H1` … `H3`, with the levels of a numbering if one is given."""

    def style(level: int) -> str:
        number = f'<w:numPr><w:ilvl w:val="{level - 1}"/><w:numId w:val="{num_id}"/></w:numPr>' if num_id else ""
        return (
            f'<w:style w:type="paragraph" w:styleId="H{level}"><w:name w:val="heading {level}"/>'
            f'<w:pPr>{number}<w:outlineLvl w:val="{level - 1}"/></w:pPr></w:style>'
        )

    return "".join(map(style, (1, 2, 3)))


def math(inner: str, *, display: bool = False) -> str:
    """An equation of OMML."""
    plain = f"<m:oMath>{inner}</m:oMath>"
    return f"<m:oMathPara>{plain}</m:oMathPara>" if display else plain


def sign(text: str) -> str:
    """A run of an equation."""
    return f"<m:r><m:t>{text}</m:t></m:r>"
