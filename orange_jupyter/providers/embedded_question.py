"""Understands a person's message by rule: a listing, a file to read, or a question and its searches (R-MOD-7)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from orange_jupyter.providers.embedded_terms import CHINESE, Term, terms_of
from orange_jupyter.providers.embedded_words import FOLLOW_UP_EN, FOLLOW_UP_ZH

_EXTENSION = r"\.(?:md|markdown|txt|pdf|docx|png|jpe?g|webp|gif|bmp|svg|py|json|csv|ya?ml|toml)"
_PAGE_EN = re.compile(r"\b(?:pages?|p\.)\s*(\d+)(?:\s*(?:-|–|to)\s*(\d+))?(?:\s+(?:of|in|from))?", re.IGNORECASE)
_PAGE_ZH = re.compile(r"第\s*(\d+|[一二三四五六七八九十]+)\s*(?:(?:-|–|到|至)\s*(\d+)\s*)?页")
_READ_EN = re.compile(
    r"^(?:(?:please|can you|could you|would you)\s+)*(?:read|open|show|display|view|cat)\b"
    r"(?:\s+(?:me|us))?(?:\s+the)?(?:\s+(?:file|note|document|contents? of))*\s*",
    re.IGNORECASE,
)
_READ_ZH = re.compile(
    r"^(?:请|帮我|麻烦|你|能不能|可以|给我|一下)*(?:读一下|读取|阅读|读|打开|查看|显示|展示|看一下|看看)(?:一下)?(?:文件|笔记)?\s*"
)
_LIST_EN = re.compile(
    r"^(?:(?:please|can you|could you)\s+)*(?:list|show|which|what)\b(?P<rest>.*)$", re.IGNORECASE | re.DOTALL
)
_LIST_ZH = re.compile(
    r"^(?:请|帮我|麻烦)*(?:列出|列一下|列举|显示|有哪些|有什么|我有哪些|我有什么|都有哪些)(?P<rest>.*)$", re.DOTALL
)
_FILES_EN = re.compile(
    r"\b(?:files?|notes?|documents?|docs|folders?|pdfs?|images?|pictures?|directory|everything)\b", re.I
)
_FILES_ZH = re.compile(r"文件夹|文件|笔记|文档|图片|目录|PDF", re.IGNORECASE)
_ABOUT = re.compile(
    r"\b(?:about|mention\w*|that|which|contain\w*|say\w*|regarding|how|to)\b|关于|提到|讲|说", re.IGNORECASE
)
_SHOWN = re.compile(
    r"\b(?:this|that|the|these|those|attached)\s+(?:attached\s+)?(?:images?|pictures?|photos?|screenshots?)\b"
    r"|\b(?:images?|pictures?)\s+shows?\b|[这那此][张幅个些]|图[片像]?[里中上]",
    re.IGNORECASE,
)
"""A picture that is pointed at, not one that is looked for."""
_FOLDER_EN = re.compile(
    r"\b(?:in|under|inside|of)\s+(?:the\s+)?(?:folder\s+|directory\s+)?[\"'`]?(?P<folder>[^\"'`?]+?)[\"'`]?(?:\s+(?:folder|directory))?\s*[?.]?\s*$",
    re.I,
)
_FOLDER_ZH = re.compile(
    r"[\"'`“]?(?P<folder>[^\s\"'`“”的]+?)[\"'`”]?\s*(?:文件夹|目录)?\s*(?:里面|里|下面|下|中)(?:的|有|$)"
)
_TYPES = {
    "pdf": "pdf",
    "word": "docx",
    "docx": "docx",
    "image": "image",
    "picture": "image",
    "图片": "image",
    "图像": "image",
    "markdown": "markdown",
    "txt": "txt",
}
_DIGITS = {character: number for number, character in enumerate("一二三四五六七八九十", start=1)}
_OWN = frozenset(
    {"my notes", "notes", "my knowledge base", "the knowledge base", "here", "my files", "知识库", "笔记", "我", "这"}
)
_GREETING = re.compile(
    r"^(?:hi|hello|hey|help|你好|您好|帮助|嗨)[!！.。?？\s]*$"
    r"|^(?:who|what) are you|what can you do|你是谁|你能做什么|你会什么",
    re.I,
)


class Kind(StrEnum):
    """What a message wants."""

    ASK = "ask"
    LIST = "list"
    READ = "read"
    GREETING = "greeting"


@dataclass(frozen=True, slots=True)
class Question:
    """A message understood. `queries` are searches in two rounds: the second is used when the first finds nothing."""

    kind: Kind
    chinese: bool
    terms: tuple[Term, ...] = ()
    first_queries: tuple[str, ...] = ()
    more_queries: tuple[str, ...] = ()
    file: str = ""
    pages: tuple[int, int] | None = None
    file_type: str | None = None
    folder: str | None = None


def understand(messages: list[str]) -> Question:
    """The last message, with what it refers back to; `messages` are the person's, oldest first."""
    text = messages[-1].strip()
    chinese = _speaks_chinese(text)
    if _GREETING.search(text):
        return Question(Kind.GREETING, chinese)
    terms = _with_earlier(messages)
    asked = _asked(terms, chinese=chinese)
    reading = _reading(text)
    if reading is not None:
        file, pages = reading
        return Question(Kind.READ, chinese, terms, *asked, file=file, pages=pages)
    listing = _listing(text)
    if listing is not None:
        file_type, folder = listing
        return Question(Kind.LIST, chinese, file_type=file_type, folder=folder)
    return Question(Kind.ASK, chinese, terms, *asked)


def _speaks_chinese(text: str) -> bool:
    """Whether the words around file names and quotes are Chinese."""
    bare = re.sub(rf"[\"“`][^\"”`]*[\"”`]|\S+{_EXTENSION}\b", " ", text, flags=re.IGNORECASE)
    found = len(re.findall(f"[{CHINESE}]", bare))
    return found >= 2 or (found == 1 and not re.search(r"[A-Za-z]{2,}", bare))


def _with_earlier(messages: list[str]) -> tuple[Term, ...]:
    """The terms of the last message; those of the one before join when it is too short to stand alone."""
    own = terms_of(messages[-1])
    strong = [term for term in own if term.key or term.weight >= 1.0]
    refers = FOLLOW_UP_EN.search(messages[-1]) or FOLLOW_UP_ZH.search(messages[-1])
    if len(messages) < 2 or (own and not refers) or len(strong) >= 3:
        return own
    earlier = _with_earlier(messages[:-1][-3:])
    known = {term.text.casefold() for term in own}
    return own + tuple(term for term in earlier if term.text.casefold() not in known)


def _asked(terms: tuple[Term, ...], *, chinese: bool) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Up to three searches: everything, then each language's part, then only the weightiest terms."""
    if not terms:
        return (), ()
    whole = _query(terms)
    latin = tuple(term for term in terms if not term.chinese)
    wide = tuple(term for term in terms if term.chinese)
    first = [whole]
    if latin and wide:
        first += [_query(wide), _query(latin)] if chinese else [_query(latin), _query(wide)]
    weightiest = sorted(terms, key=lambda term: (not term.key, -term.weight))[: max(1, (len(terms) + 1) // 2)]
    kept = tuple(term for term in terms if term in weightiest)
    more = [query for query in (_query(kept), _query(weightiest[:1])) if query not in first]
    return tuple(dict.fromkeys(first)), tuple(dict.fromkeys(more))


def _query(terms: tuple[Term, ...] | list[Term]) -> str:
    """A phrase of several words goes in quotes; at most 1,000 characters (12-schemas.md)."""
    words = [f'"{term.text}"' if term.key and " " in term.text else term.text for term in terms]
    query = ""
    for word in words:
        if len(query) + len(word) + 1 > 1_000:
            break
        query = f"{query} {word}".strip()
    return query


def _reading(text: str) -> tuple[str, tuple[int, int] | None] | None:
    """The file and pages of "read FILE", "show page N of FILE", "显示 FILE 第 N 页"; None for anything else."""
    bare = text.rstrip("?？.。!！ \n")
    start = _READ_EN.match(bare) or _READ_ZH.match(bare)
    pages = _pages(bare)
    if start is None and pages is None:
        return None
    rest = bare[start.end() :] if start else bare
    rest = _PAGE_ZH.sub(" ", _PAGE_EN.sub(" ", rest))
    named = re.search(rf"[\"'`“《]([^\"'`”》]+)[\"'`”》]|(\S.*?{_EXTENSION})\b", rest, re.IGNORECASE)
    if named:
        return (named.group(1) or named.group(2)).strip(), pages
    rest = re.sub(r"^\s*的|的\s*$|[,，:：]", " ", rest).strip()
    plain = start is not None and rest and len(rest.split()) <= 4 and len(rest) <= 40
    if (
        plain
        and not re.search(r"[?？]", text)
        and not re.match(r"(?:me|how|what|why|where|all|怎|如何|哪|什么)", rest, re.I)
    ):
        verb = start.group().strip().casefold() if start else ""
        if pages is not None or verb.startswith(("read", "open", "读", "打开")):
            return rest, pages
    return None


def _pages(text: str) -> tuple[int, int] | None:
    match = _PAGE_EN.search(text) or _PAGE_ZH.search(text)
    if match is None:
        return None
    first = _number(match.group(1))
    last = int(match.group(2)) if match.group(2) else first
    return (first, max(first, last)) if first else None


def _number(text: str) -> int:
    """Arabic digits, or Chinese ones up to ninety-nine."""
    if text.isdecimal():
        return int(text)
    tens, mark, ones = text.rpartition("十")
    if not mark:
        return _DIGITS.get(text, 0)
    return (_DIGITS.get(tens, 1) if tens else 1) * 10 + _DIGITS.get(ones, 0)


def _listing(text: str) -> tuple[str | None, str | None] | None:
    """(file type, folder) of "list …" / "列出…"; None when it asks about contents instead of files."""
    bare = text.strip().rstrip("?？.。!！")
    match = _LIST_EN.match(bare) or _LIST_ZH.match(bare)
    tail = match.group("rest") if match else ""
    if _SHOWN.search(bare):
        return None
    if match is None and re.search(r"(?:有哪些|有什么|都有哪些)(?:文件|笔记|文档|图片|PDF)$", bare, re.IGNORECASE):
        tail = bare
    elif match is None:
        return None
    bare_list = not tail.strip() and bare.casefold() in ("list", "列出", "列一下")
    if not bare_list and (not (_FILES_EN.search(tail) or _FILES_ZH.search(tail)) or _ABOUT.search(tail)):
        return None
    file_type = next((kind for word, kind in _TYPES.items() if re.search(word, tail, re.IGNORECASE)), None)
    found = _FOLDER_EN.search(tail) or _FOLDER_ZH.search(tail)
    folder = found.group("folder").strip() if found else None
    return file_type, None if folder is None or folder.casefold() in _OWN else folder
