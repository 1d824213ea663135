"""What a careful person sees in a Word file: numbers, notes, boxes, changes, tables, fields, signs."""

from __future__ import annotations

from orange_jupyter.core.document import DocumentText
from orange_jupyter.documents import word
from tests.documents.word_samples import (
    box,
    control,
    deleted,
    field,
    heading_styles,
    inserted,
    levels,
    note,
    old_box,
    para,
    picture,
    reference,
    run,
    table,
    word_file,
)

DECIMAL = (("decimal", "%1"), ("decimal", "%1.%2"), ("decimal", "%1.%2.%3"))


def _shown(found: DocumentText) -> list[tuple[str, str]]:
    return [(block.kind, block.text) for block in found.blocks]


def _texts(body: str, **more: dict[str, str]) -> list[str]:
    return [block.text for block in word.text(word_file(body, **more)).blocks]  # type: ignore[arg-type]


def test_headings_have_their_numbers() -> None:
    """R-READ-4: levels count through the document and restart; the number is part of the text and of the path."""
    titles = [("H1", "Aim"), ("H2", "Scope"), ("H2", "Methods"), ("H3", "Data"), ("H1", "Results"), ("H2", "First")]
    body = "".join(para(title, style=style) for style, title in titles) + para("end")
    found = word.text(word_file(body, parts={"styles": heading_styles(1), "numbering": levels(*DECIMAL)}))
    numbered = ["1 Aim", "1.1 Scope", "1.2 Methods", "1.2.1 Data", "2 Results", "2.1 First"]
    assert [block.text for block in found.blocks[:-1]] == numbered
    assert found.blocks[-1].heading_path == ("2 Results", "2.1 First")


def test_lists_have_their_numbers_formats_and_restarts() -> None:
    """R-READ-1: letters, Roman, Chinese, bullets; a second number on the same list starts anew where it says so."""
    shapes = (("decimal", "%1."), ("lowerLetter", "%2)"), ("upperRoman", "(%3)"), ("bullet", "\uf0b7"))
    again = '<w:num w:numId="9"><w:abstractNumId w:val="1"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="5"/></w:lvlOverride></w:num>'
    chinese = levels(("chineseCounting", "第%1条"), number=2)
    where = [(1, 0), (1, 1), (1, 1), (1, 2), (1, 3), (1, 0), (1, 1)]
    body = "".join(para(f"t{at}", numbered=place) for at, place in enumerate(where)) + para("between")
    body += para("five", numbered=(9, 0)) + para("six", numbered=(9, 0)) + para("between")
    body += "".join(para("款", numbered=(2, 0)) for _ in range(12))
    parts = {"numbering": levels(*shapes) + again + chinese}
    first, _, second, _, third = _texts(body, parts=parts)
    assert first.splitlines() == ["1. t0", "  a) t1", "  b) t2", "    (I) t3", "      - t4", "2. t5", "  a) t6"]
    assert second == "5. five\n6. six"
    assert third.splitlines()[::11] == ["第一条 款", "第十二条 款"]


def test_a_deleted_numbered_paragraph_does_not_count_and_a_deleted_end_joins_two() -> None:
    """R-READ-1: what the file says after all changes are accepted."""
    mark = '<w:rPr><w:del w:id="4" w:author="Ann"/></w:rPr>'
    gone = para(deleted("old"), numbered=(1, 0)).replace("</w:pPr>", f"{mark}</w:pPr>", 1)
    half = para("the be").replace("</w:pPr>", f"{mark}</w:pPr>", 1)
    body = para("one", numbered=(1, 0)) + gone + para("two", numbered=(1, 0)) + half + para("ginning")
    found = word.text(word_file(body, parts={"numbering": levels(("decimal", "%1."))}))
    assert _shown(found) == [("list", "1. one\n2. two"), ("paragraph", "the beginning")]
    assert "1 deletions" in found.warnings[0]


def test_notes_have_marks_and_stand_at_the_end_of_their_section() -> None:
    """R-READ-1, R-READ-4: numbered as they are referred to; unreferred ones and headers come last."""
    body = (
        para("One", style="H1")
        + para("a", reference("footnote", 7), " b", reference("endnote", 2), " c", reference("footnote", 3))
        + para("Two", style="H1")
        + para("tail", reference("footnote", 7))
    )
    parts = {
        "styles": heading_styles(),
        "footnotes": note("footnote", 0, "---", attributes='w:type="separator"')
        + note("footnote", 3, "third")
        + note("footnote", 5, "alone")
        + note("footnote", 7, "first", "more"),
        "endnotes": note("endnote", 2, "at the end"),
        "header1": para("Draft"),
        "header2": para("Draft"),
        "footer1": para(field("PAGE", "3")),
    }
    found = word.text(word_file(body, parts=parts))
    assert _shown(found) == [
        ("heading", "One"),
        ("paragraph", "a[^1] b[^e1] c[^2]"),
        ("footnote", "[^1] first\nmore"),
        ("footnote", "[^e1] at the end"),
        ("footnote", "[^2] third"),
        ("heading", "Two"),
        ("paragraph", "tail[^1]"),
        ("footnote", "[^3] alone"),
        ("paragraph", "Page header: Draft"),
    ]
    assert found.blocks[2].heading_path == ("One",)


def test_comments_name_their_author_and_the_text_they_are_on() -> None:
    """R-READ-1, R-SRCH-2: a comment is a block and a passage of its own."""
    body = para(
        "We measured ",
        '<w:commentRangeStart w:id="4"/>',
        "twice a day",
        '<w:commentRangeEnd w:id="4"/>',
        reference("comment", 4),
        ".",
    )
    data = word_file(body, parts={"comments": note("comment", 4, "Really?", attributes='w:author="Ann Lee"')})
    assert _shown(word.text(data))[1] == ("comment", "Ann Lee on “twice a day”: Really?")
    found = word.extract(data, name="n")
    assert [(chunk.block, chunk.text) for chunk in found.chunks][1] == (2, "Ann Lee on “twice a day”: Really?")


def test_text_boxes_are_read_once_where_they_are_anchored() -> None:
    """R-READ-1: new, old, nested ones; tables and lists in them."""
    inner = para("in the box", old_box(para("inside that"))) + table(("a", "b"))
    found = word.text(word_file(para("before", box(inner), " after") + para("next")))
    assert _shown(found) == [
        ("paragraph", "before after"),
        ("textbox", "in the box\na | b"),
        ("textbox", "inside that"),
        ("paragraph", "next"),
    ]


def test_of_alternatives_the_first_that_says_something_is_read() -> None:
    """R-READ-1: the Choice and not its Fallback; the Fallback where no Choice has text."""

    def alternatives(choice: str, fallback: str) -> str:
        inner = f'<mc:Choice Requires="wps">{choice}</mc:Choice><mc:Fallback>{fallback}</mc:Fallback>'
        return f"<w:r><mc:AlternateContent>{inner}</mc:AlternateContent></w:r>"

    said, other = "<w:t>new </w:t>", "<w:t>old</w:t>"
    assert _texts(para(alternatives(said, other), alternatives("<w:drawing/>", other))) == ["new old"]


def test_content_controls_are_read_at_every_level() -> None:
    """R-READ-1: around blocks, runs, rows and cells; their properties are not text."""
    row = "<w:tr><w:tc>" + para("r1") + "</w:tc>" + control(f"<w:tc>{para('r2')}</w:tc>") + "</w:tr>"
    body = (
        control(para("block"))
        + para("a ", control(run("inline")), " b")
        + f"<w:tbl><w:tr><w:tc>{para('h1')}</w:tc><w:tc>{control(para('h2'))}</w:tc></w:tr>{control(row)}</w:tbl>"
    )
    assert _texts(body) == ["block", "a inline b", "h1 | h2\nr1 | r2"]


def test_tables_keep_nested_ones_and_columns_of_merged_cells() -> None:
    """R-READ-1: a nested table's rows stand indented below its row; what a cell spans is empty."""
    wide = f'<w:tc><w:tcPr><w:gridSpan w:val="2"/></w:tcPr>{para("wide")}</w:tc>'
    low = "<w:tc><w:tcPr><w:vMerge/></w:tcPr><w:p/></w:tc>"
    nested = para("see") + table(("n1", "n2"), ("n3", "n4")) + para("tail")
    body = (
        f"<w:tbl><w:tr>{wide}<w:tc>{para('z')}</w:tc></w:tr><w:tr>{low}<w:tc>{nested}</w:tc><w:tc>{para('e')}</w:tc></w:tr></w:tbl>"
        + table((para("one") + para("cell"),))
    )
    assert _texts(body) == ["wide |  | z\n | see tail | e\n    n1 | n2\n    n3 | n4", "one\ncell"]


def test_fields_give_their_result_and_not_their_code() -> None:
    """R-READ-1: simple and complex ones, a table of contents over several paragraphs, a code that never ends."""
    begin = '<w:r><w:fldChar w:fldCharType="begin"/></w:r>'
    code = "<w:r><w:instrText>TOC \\o</w:instrText></w:r>"
    half = '<w:r><w:fldChar w:fldCharType="separate"/></w:r>'
    end = '<w:r><w:fldChar w:fldCharType="end"/></w:r>'
    body = (
        para("See ", field('REF x "y"', "Figure 3"), ", ", f'<w:fldSimple w:instr="DATE">{run("1 May")}</w:fldSimple>')
        + para(begin, code, half, "Aim", "<w:r><w:tab/></w:r>", "1")
        + para("Methods", "<w:r><w:tab/></w:r>", "4", end)
        + para(begin, "IF a nested code", field("PAGE", "9"), half, "shown", end, " tail")
        + para(begin, code, "lost?")
        + para("still here")
        + para('<w:hyperlink w:anchor="x">' + run("a link") + "</w:hyperlink>")
    )
    assert _texts(body) == ["See Figure 3, 1 May", "Aim\t1", "Methods\t4", "shown tail", "still here", "a link"]


def test_old_form_fields_show_what_is_chosen() -> None:
    """R-READ-1: check boxes and lists of forms have no text of their own."""
    form = '<w:r><w:fldChar w:fldCharType="begin"><w:ffData>{}</w:ffData></w:fldChar></w:r>'
    rest = '<w:r><w:instrText>FORM</w:instrText></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>'
    entries = "".join(f'<w:listEntry w:val="{name}"/>' for name in ("red", "blue"))
    body = para(
        form.format('<w:checkBox><w:default w:val="0"/><w:checked/></w:checkBox>') + rest,
        " yes ",
        form.format('<w:checkBox><w:default w:val="0"/></w:checkBox>') + rest,
        " no ",
        form.format(f'<w:ddList><w:result w:val="1"/>{entries}</w:ddList>') + rest,
    )
    assert _texts(body) == ["☒ yes ☐ no blue"]


def test_numbers_stand_as_the_list_sets_them() -> None:
    """R-READ-4: no gap where the list has none; the level that a style is linked to; a level that is missing above."""
    linked = (
        '<w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="chineseCounting"/>'
        '<w:suff w:val="nothing"/><w:lvlText w:val="%1、"/><w:pStyle w:val="H1"/></w:lvl><w:lvl w:ilvl="1"><w:start w:val="1"/>'
        '<w:numFmt w:val="decimal"/><w:isLgl/><w:lvlText w:val="%1.%2"/><w:pStyle w:val="H2"/></w:lvl></w:abstractNum>'
        '<w:num w:numId="1"><w:abstractNumId w:val="1"/></w:num>'
    )
    styles = heading_styles(1).replace('<w:ilvl w:val="1"/>', "")
    body = para("before", style="H2") + para("目标", style="H1") + para("scope", style="H2")
    assert _texts(body, parts={"styles": styles, "numbering": linked}) == ["1.1 before", "一、目标", "1.1 scope"]


def test_signs_hyphens_ruby_and_hidden_text() -> None:
    """R-READ-1: picture fonts as what they show, soft hyphens gone, ruby behind its word, hidden text said."""
    ruby = "".join(
        f"<w:r><w:ruby><w:rt>{run(above)}</w:rt><w:rubyBase>{run(base)}</w:rubyBase></w:ruby></w:r>"
        for base, above in (("漢", "かん"), ("字", "じ"))
    )
    body = (
        para('<w:r><w:sym w:font="Symbol" w:char="F061"/><w:sym w:font="Wingdings" w:char="F0FE"/></w:r>', " ok")
        + para("re\u00adsearch", "<w:r><w:softHyphen/><w:t>er</w:t><w:noBreakHyphen/><w:t>led</w:t></w:r>")
        + para(ruby, "を読む")
        + para(run("seen "), run("hidden", "<w:vanish/>"), run(" not", '<w:vanish w:val="0"/>'))
        + para(run("\uf062", '<w:rFonts w:ascii="Symbol"/>'))
    )
    found = word.text(word_file(body))
    assert [block.text for block in found.blocks] == [
        "α☑ ok",
        "researcher-led",
        "漢字(かんじ)を読む",
        "seen hidden not",
        "β",
    ]
    assert found.warnings == ("Hidden text (6 characters) is included.",)


def test_changes_are_read_as_accepted_and_counted() -> None:
    """R-READ-1: insertions and what was moved here are in; deletions and what was moved away are out."""
    body = para("a ", inserted(run("new ")), deleted("old!"), f"<w:moveTo>{run('here')}</w:moveTo>") + para(
        f"<w:moveFrom>{run('gone')}</w:moveFrom>", "z"
    )
    found = word.text(word_file(body))
    assert [block.text for block in found.blocks] == ["a new here", "z"]
    assert found.warnings == (
        "The file has tracked changes: 2 insertions are in the text; 1 deletions and 1 passages moved away (8 characters) are left out.",
    )


def test_strict_files_read_alike_with_all_their_parts() -> None:
    """R-READ-1: other namespaces and relation types, the same blocks."""
    body = para("T", style="H1") + para("a", reference("footnote", 1), box(para("b"))) + para("x", numbered=(1, 0))
    parts = {
        "styles": heading_styles(),
        "numbering": levels(("lowerRoman", "%1.")),
        "footnotes": note("footnote", 1, "n"),
    }
    strict = word.text(word_file(body, parts=parts, strict=True))
    assert strict.blocks == word.text(word_file(body, parts=parts)).blocks
    assert [block.text for block in strict.blocks] == ["T", "a[^1]", "b", "i. x", "[^1] n"]


def test_what_is_missing_or_not_read_is_named_not_an_error() -> None:
    """R-READ-1: embedded files, missing media and notes, broken relations and parts beside the document."""
    relation = '<Relationship Id="{0}" Type="http://x/{1}" Target="{2}"/>'
    relations = (
        relation.format("c1", "aFChunk", "chunk.mht")
        + relation.format("p1", "image", "media/gone.png")
        + relation.format("s", "styles", "nowhere.xml")
    )
    body = (
        para("text", reference("footnote", 8)) + '<w:altChunk r:id="c1"/>' + para(picture("p1", "a map"), picture("p2"))
    )
    data = word_file(body, relations=relations, parts={"footnotes": "<broken"})
    found = word.text(data)
    assert _shown(found) == [("paragraph", "text[^1]"), ("image", "a map"), ("image", "Picture")]
    said = " ".join(found.warnings)
    for name in (
        "word/chunk.mht",
        "word/media/gone.png",
        "the picture p2",
        "word/nowhere.xml",
        "word/footnotes.xml",
        "footnote 8",
    ):
        assert name in said
