"""The embedded search's words: what it is, what it quotes, what it did not find, in the question's language."""

from __future__ import annotations

import re
from typing import Any

from orange_jupyter.providers.embedded_passages import Quote
from orange_jupyter.providers.embedded_question import Question

_MOST_FILES = 3
_MOST_QUOTES = 5
_MOST_IN_A_FILE = 2
_MOST_ENTRIES = 60
_LONGEST_READ = 3_000
_FRONT_MATTER = re.compile(
    r"---[ \t]*\r?\n"
    r"(?:(?:[^\s:#][^\n:]*:(?:[ \t][^\n]*)?|[ \t#-][^\n]*|\r?)\n){0,200}?"
    r"(?:---|\.\.\.)[ \t\r]*(?:\n|\Z)\s*"
)
"""The YAML block at a note's head: keys, their lists, comments; a rule with prose below it is none."""
_ANCHOR = re.compile(r"\s*\{\s*#[^}]*\}\s*$")


def answer(question: Question, quotes: list[Quote], missing: list[str]) -> str:
    """The quotes grouped by file, best first, each followed by its citation."""
    zh = question.chinese
    lead = (
        "这是内置检索，不是语言模型：下面是你的笔记里的原文。"
        if zh
        else "This is the embedded search, not a language model: it quotes what your notes say."
    )
    blocks = [lead]
    for path, group in _by_file(quotes):
        blocks.append(f"**{_title(group[0])}** · {_code(path)}")
        blocks += [_quoted(quote) for quote in group]
    if missing:
        words = ("、" if zh else ", ").join(missing)
        blocks.append(f"上面的引文里没有出现：{words}。" if zh else f"Not mentioned in these passages: {words}.")
    return "\n\n".join(blocks)


def nothing(question: Question, queries: list[str], envelope: dict[str, Any], near: list[tuple[str, list[str]]]) -> str:
    """That nothing fits, what was searched, and what may help. `near` are (path, words it shares) of files."""
    zh = question.chinese
    searched = envelope.get("searched")
    searched = searched if isinstance(searched, dict) else {}
    names = [str(base.get("name", "")) for base in searched.get("knowledgeBases", []) if isinstance(base, dict)]
    files = searched.get("files")
    asked = ("；" if zh else "; ").join(queries)
    if zh:
        where = (
            f"（知识库：{'、'.join(names)}" + (f"，{files} 个文件）" if isinstance(files, int) else "）")
            if names
            else ""
        )
        text = f"没有找到能回答的段落：你的笔记里没有段落回答这个问题{where}。\n\n搜索过：{asked}"
        hint = "可以换成笔记里会用的说法，或少用几个词再试。内置检索只按词查找，不会推断意思，也不会翻译。"
    else:
        count = f", {files} files" if isinstance(files, int) else ""
        where = f" (knowledge base: {', '.join(names)}{count})" if names else ""
        text = f"Nothing found that answers: no passage of your notes answers this question{where}."
        text += f"\n\nSearched for: {asked}"
        hint = (
            "Try the words your notes would use, or fewer of them. The embedded search matches words; "
            "it does not guess meanings and does not translate."
        )
    return "\n\n".join([text, *_near(near, chinese=zh), hint, *_still_indexing(envelope.get("indexing"), chinese=zh)])


def _near(near: list[tuple[str, list[str]]], *, chinese: bool) -> list[str]:
    if not near:
        return []
    head = (
        "这些笔记只含其中几个词，不算回答："
        if chinese
        else "These notes only share some of the words and are no answer:"
    )
    rows = [f"- {_code(path)} ({('、' if chinese else ', ').join(words)})" for path, words in near]
    return [head + "\n\n" + "\n".join(rows)]


def listed(question: Question, envelope: dict[str, Any]) -> str:
    """The entries of a listing."""
    zh = question.chinese
    entries = [entry for entry in envelope.get("entries", []) if isinstance(entry, dict)]
    total = envelope.get("total", len(entries))
    where = question.folder or ""
    if not entries:
        if zh:
            return f"没有找到文件{f'（{where}）' if where else ''}。"
        return f"Nothing found: no such files{f' in {where}' if where else ''}."
    head = f"共 {total} 项：" if zh else f"{total} entries:"
    lines = [_entry(entry) for entry in entries[:_MOST_ENTRIES]]
    rest = total - len(lines) if isinstance(total, int) else 0
    if rest > 0:
        lines.append(f"- …还有 {rest} 项" if zh else f"- … and {rest} more")
    return head + "\n\n" + "\n".join(lines)


def read_out(question: Question, envelope: dict[str, Any]) -> str:
    """The text of a file or of its pages, quoted as it stands."""
    zh = question.chinese
    path = _code(str(envelope.get("path", question.file)))
    parts = _texts(envelope)
    if not parts:
        return f"{path} 里没有可以显示的文字。" if zh else f"{path} has no text to show."
    blocks: list[str] = []
    shown = 0
    for page, text in parts:
        name = "" if page is None else (f" 第 {page} 页" if zh else f", page {page}")
        piece = text[: max(0, _LONGEST_READ - shown)]
        shown += len(piece)
        if piece.strip():
            blocks.append(f"{path}{name}\n\n{_blockquote(piece)}")
    more = envelope.get("nextOffset") is not None or shown < sum(len(text) for _, text in parts)
    if more:
        blocks.append("（后面还有内容。）" if zh else "(There is more after this.)")
    return "\n\n".join(blocks) or (f"{path} 是空的。" if zh else f"{path} is empty.")


def choose(question: Question, paths: list[str]) -> str:
    """Several files fit a name."""
    lines = "\n".join(f"- {_code(path)}" for path in paths)
    if question.chinese:
        return f"有几个文件的名字符合，请写出完整路径：\n\n{lines}"
    return f"Several files fit this name; write the whole path:\n\n{lines}"


def failed(question: Question, envelope: dict[str, Any]) -> str:
    """A tool call that did not work, in one plain sentence."""
    error = envelope.get("error")
    error = error if isinstance(error, dict) else {}
    message = str(error.get("message") or error.get("code") or "?").rstrip(".。")
    hint = error.get("hint")
    tail = f" {hint}" if isinstance(hint, str) else ""
    return f"没有成功：{message}。{tail}" if question.chinese else f"This did not work: {message}.{tail}"


def introduction(question: Question) -> str:
    """Who it is and what it can do."""
    if question.chinese:
        return (
            "我是内置检索，不是语言模型，不需要密钥和网络。我可以在你的笔记里查找并引用原文，例如：\n\n"
            "- 一个问题：报销流程是什么？\n- 列出文件：列出所有 PDF\n- 读文件：读 会议记录.md，显示 报告.pdf 第 3 页"
        )
    return (
        "I am the embedded search, not a language model; I need no key and no network. I find passages in your notes "
        "and quote them, for example:\n\n"
        "- a question: when is the budget review?\n- a listing: list all PDFs\n"
        "- a file: read meeting.md, show page 3 of report.pdf"
    )


def blind(question: Question) -> str:
    """That the pictures of the message were not looked at."""
    if question.chinese:
        return "内置检索看不到图片，只按文字在笔记里查找。要看图，请用能看图的模型。"
    return (
        "The embedded search cannot see pictures; it only looks for the words in your notes. "
        "For the picture, use a model that sees."
    )


def no_words(question: Question) -> str:
    """Nothing in the message can be searched for."""
    if question.chinese:
        return "没有找到可以搜索的词：请写出你要找的内容，例如人名、主题或文件名。"
    return "There is nothing to search for in this: name what you look for, such as a topic, a person or a file."


def not_allowed(question: Question, tool: str) -> str:
    """The tool is not declared in this session."""
    if question.chinese:
        return f"这个会话不能使用 {tool}，所以内置检索无法回答。"
    return f"This session does not allow {tool}, so the embedded search cannot answer."


def _by_file(quotes: list[Quote]) -> list[tuple[str, list[Quote]]]:
    groups: dict[str, list[Quote]] = {}
    count = 0
    for quote in quotes:
        if quote.found.path not in groups and len(groups) == _MOST_FILES:
            continue
        group = groups.setdefault(quote.found.path, [])
        if len(group) < _MOST_IN_A_FILE and count < _MOST_QUOTES and all(quote.text != other.text for other in group):
            group.append(quote)
            count += 1
    return [(path, group) for path, group in groups.items() if group]


def _title(quote: Quote) -> str:
    title = _ANCHOR.sub("", quote.found.title) or quote.found.path.rpartition("/")[2]
    return re.sub(r"([\\`*_\[\]<>])", r"\\\1", " ".join(title.split()))


def _quoted(quote: Quote) -> str:
    """The words as a block quote with the citation behind them; code keeps its lines in a fence."""
    mark = f"[{quote.found.citation_id}]"
    if quote.code:
        fence = "`" * max(3, 1 + max((len(run) for run in re.findall(r"`+", quote.text)), default=0))
        return _blockquote("\n".join((fence, quote.text, fence, "", mark)))
    return f"{_blockquote(quote.text)} {mark}"


def _blockquote(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in text.splitlines())


def _code(path: str) -> str:
    """A path as a code span; one with backticks in it needs a longer fence."""
    return f"`` {path} ``" if "`" in path else f"`{path}`"


def _entry(entry: dict[str, Any]) -> str:
    path = str(entry.get("path", ""))
    return f"- {_code(path + '/' if entry.get('fileType') == 'folder' else path)}"


def _without_front_matter(content: str) -> str:
    """A note as it is read: its properties are not a part of its text, as in a search."""
    found = _FRONT_MATTER.match(content)
    return content[found.end() :] if found else content


def _texts(envelope: dict[str, Any]) -> list[tuple[int | None, str]]:
    content = envelope.get("content")
    if isinstance(content, str):
        body = content if envelope.get("offset") else _without_front_matter(content)
        return [(None, body)] if body.strip() else []
    pages = [page for page in envelope.get("pages", []) if isinstance(page, dict)]
    if pages:
        return [(page.get("page"), str(page.get("text", ""))) for page in pages]
    blocks = [block for block in envelope.get("blocks", []) if isinstance(block, dict)]
    text = "\n\n".join(str(block.get("text", "")) for block in blocks)
    return [(None, text)] if text.strip() else []


def _still_indexing(indexing: Any, *, chinese: bool) -> list[str]:
    if not isinstance(indexing, dict):
        return []
    done, total = indexing.get("done"), indexing.get("total")
    if chinese:
        return [f"索引还在进行（{done}/{total}），稍后再问一次可能会找到更多。"]
    return [f"Indexing is still going on ({done} of {total}); ask again later, there may be more."]
