"""Small files made by ourselves: honest ones and hostile ones."""

from __future__ import annotations

import struct
import zipfile
import zlib
from io import BytesIO

from PIL import Image

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
MAIN = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
TYPES = (
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    f'<Override PartName="/word/document.xml" ContentType="{MAIN}"/></Types>'
)

SIMPLIFIED = """每天的笔记如果没有整理，过一段时间就很难再找到。我们希望这个工具能够帮助大家把会议记录、读书心得和实验数据放在一起，
用一句话就能找到当时写下的内容。搜索的时候，可以输入关键词，也可以描述问题；系统会列出最相关的段落，并且标明出处，
方便回到原来的文件继续阅读。文件改名或者移动以后，引用不会失效。为了安全，任何修改都要先给人看过差异，确认以后才会写入。
如果编码无法判断，就给出警告，并且不允许编辑，因为猜错的编码会毁掉整个文件。最后请记得定期备份：再好的工具，
也救不回从来没有保存过的数据。下个月我们还要讨论索引的速度，以及怎样在很大的知识库里保持结果准确。
请每个人先写下自己的想法，再一起讨论哪些问题应该先做。"""
TRADITIONAL = """臺灣的天氣在每一個季節都有不同的樣貌，春天多雨，夏天炎熱，秋天涼爽，冬天則偶爾會有寒流來襲。許多人喜歡在週末的時候
到山上去走一走，看看樹林裡的鳥，聽聽溪流的聲音。我們把每天讀過的書和聽過的課都記在筆記裡，過了一段時間再回頭整理，就會發現
當時沒有想清楚的問題，其實答案早就藏在別的章節。這個專案的目標是讓每一位使用者都能夠快速找到自己寫過的內容，不論是會議記錄、
讀書心得，還是實驗數據。搜尋的時候可以輸入關鍵字，也可以用一句話來描述，系統會把最相關的段落列出來，並且標示出處，讓你能夠
回到原來的文件繼續閱讀。如果檔案被移動或者改名，也不會影響已經建立的引用。最後請記得定期備份，因為再好的工具也沒有辦法救回
沒有存過的資料。"""
JAPANESE = """このプロジェクトの目的は、毎日の記録をあとから簡単に見つけられるようにすることです。会議のメモや読書の感想、実験の結果などを
ひとつのフォルダーに保存しておけば、検索するだけで関係のある段落がすぐに表示されます。たとえば「去年の夏に読んだ本」と入力すると、
そのときに書いたノートが一覧になって出てきます。ファイルの名前を変えたり、別の場所に移動したりしても、引用は切れません。文字コードが
古いファイルでも正しく読めるように、いくつかの方法で確認をしています。もし判断ができない場合は、警告を出して編集を止めます。安全のために、
元のファイルは決して書き換えません。最後に、定期的なバックアップを忘れないでください。保存していないデータは戻らないからです。"""
FRENCH = """L’été dernier, nous avons passé trois semaines dans une maison près de la forêt. Le matin, on prenait le café dehors ;
l’après-midi, chacun lisait ou dessinait. « C’est ici que j’ai compris, disait ma grand-mère, que le temps n’est pas une chose
qu’on possède. » Nous avons noté ces phrases dans un cahier, où elles sont restées jusqu’à aujourd’hui. Où étiez-vous, à cette
époque ? Peut-être déjà à Besançon, peut-être encore sur la route."""
GERMAN = """Die Größe des Gartens überraschte uns alle: Äpfel, Birnen und sogar ein paar Kürbisse wuchsen zwischen den Wegen. Am
Nachmittag kam der Nachbar herüber und erklärte, wie man die Bäume im Frühjahr zurückschneidet. „Nicht zu früh“, sagte er, „und
niemals bei Frost.“ Wir schrieben alles auf und beschlossen, im nächsten Jahr früher anzufangen. Außerdem wollten wir endlich das
Häuschen streichen, das seit Jahren grün war."""
ENGLISH = """The keeper’s log for that winter is mostly weather, but on some pages she wrote about the birds. “They come in at dusk,”
she noted, “and sit on the rail as if they owned it.” Nothing else in the book is half as warm. Later pages list repairs, oil and
lamp glass, and the price of each in a column that never adds up. We read it twice, and the second time the sums made sense."""


def pdf(*contents: bytes, media: bytes = b"0 0 612 792", filters: bytes = b"") -> bytes:
    """A PDF with a page for each content stream, given as it lies in the file."""
    kids = b" ".join(b"%d 0 R" % (4 + 2 * index) for index in range(len(contents)))
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[%s]/Count %d>>" % (kids, len(contents)),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    for index, stream in enumerate(contents):
        page = b"<</Type/Page/Parent 2 0 R/MediaBox[%s]/Contents %d 0 R/Resources<</Font<</F1 3 0 R>>>>>>"
        objects.append(page % (media, 5 + 2 * index))
        objects.append(b"<<%s/Length %d>>stream\n%s\nendstream" % (filters, len(stream), stream))
    out = b"%PDF-1.4\n"
    places: list[int] = []
    for number, content in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    end = b"xref\n0 %d\n0000000000 65535 f \n%strailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF"
    return out + end % (len(objects) + 1, table, len(objects) + 1, len(out))


def words(text: str) -> bytes:
    """A content stream that shows one line."""
    return b"BT /F1 12 Tf 72 700 Td (%s) Tj ET" % text.encode("latin-1")


def slow_pdf() -> bytes:
    """D01: a few KB that ask for ten million lines; rendering takes far longer than any limit here."""
    lines = b"".join(b"%d %d m %d %d l S\n" % (i % 600, i % 700, i * 7 % 600, i * 3 % 700) for i in range(1000))
    form = b"/Type/XObject/Subtype/Form/BBox[0 0 612 792]"
    inner = b"/A<<%s/Length %d>>stream\n%s\nendstream" % (form, len(lines), lines)
    plain = pdf(b"/B Do\n" * 100)
    names = b"/XObject<</A 6 0 R/B 7 0 R>>/Font"
    calls = b"/A Do\n" * 100
    objects = (
        b"6 0 obj%s\nendobj\n7 0 obj<<%s/Resources<</XObject<</A 6 0 R>>>>/Length %d>>stream\n%s\nendstream\nendobj\n"
        % (
            inner.removeprefix(b"/A"),
            form,
            len(calls),
            calls,
        )
    )
    return plain.replace(b"/Font<<", names + b"<<").replace(b"xref\n", objects + b"xref\n", 1)


def docx(body: str, head: str = "") -> bytes:
    """A Word file with this body; `head` stands before the root element."""
    return package({"word/document.xml": f"{head}<w:document {W}><w:body>{body}</w:body></w:document>"})


def package(parts: dict[str, str | bytes], types: str = TYPES) -> bytes:
    """A ZIP of parts with the content types of a Word file."""
    out = BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", types)
        for name, content in parts.items():
            archive.writestr(name, content)
    return out.getvalue()


def paragraph(text: str) -> str:
    """One plain paragraph."""
    return f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>"


def bare_png(width: int, height: int) -> bytes:
    """A black 1-bit PNG of any size, a few KB small: what it costs is only known when it is decoded (D06)."""

    def part(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    row = b"\0" * ((width + 7) // 8 + 1)
    packer = zlib.compressobj(9)
    pixels = b"".join([packer.compress(row) for _ in range(height)]) + packer.flush()
    header = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + part(b"IHDR", header) + part(b"IDAT", pixels) + part(b"IEND", b"")


def saved(image: Image.Image, kind: str, **options: object) -> bytes:
    """A Pillow image as a file."""
    out = BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()
