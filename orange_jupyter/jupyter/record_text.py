"""The record as Markdown, as plain text and as a small JSON value (screen 2, lower half)."""

from __future__ import annotations

import re
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from orange_jupyter.core.citing import CITED, cited_ids
from orange_jupyter.core.corpus import Citation
from orange_jupyter.jupyter.commanded import ended, is_command
from orange_jupyter.jupyter.figures import images_of
from orange_jupyter.jupyter.record_commands import outputs_lines, unknown
from orange_jupyter.jupyter.record_html import SOURCE_LIMIT
from orange_jupyter.jupyter.record_pictures import as_values, attached_lines, shown_lines
from orange_jupyter.jupyter.sheet import (
    QUESTION_LIMIT,
    ROW_LIMIT,
    Sheet,
    advice,
    asides,
    clock,
    date,
    ending,
    href,
    name,
    notices,
    place_of,
    seconds,
    state_word,
    usage,
    what_of,
    without_answer,
)
from orange_jupyter.jupyter.view import Line

JSON_PASSAGE = 1000
_PASSAGE = 160
_ASKED = 1000
_CALLS = 40
_MARKS = re.compile(r"([\\`*_\[\]<>|#~$!&@^{}]|:(?=//)|(?<=www)\.|(?<=WWW)\.)")
_AT_START = re.compile(r"(\d{0,9})([-+=:.)])")
_TAG = re.compile(r"<(?=[A-Za-z/!?])")


def as_markdown(paper: Sheet) -> str:
    """GitHub-flavoured Markdown without pictures and raw HTML, citations as their numbers."""
    parts = ["**" + state_word(paper) + "**" + "".join(f" · {plainly(part)}" for part in _meta(paper))]
    if paper.view.started:
        asked = paper.view.started.text.strip()[:QUESTION_LIMIT]
        parts.append("\n".join(f"> {plainly(line)}" for line in asked.split("\n")))
    attached = attached_lines(paper)
    if attached:
        count = plainly(paper.say("figure.attached", n=len(attached)))
        parts.append("\n".join([f"{count}:", "", *(f"- {_linked(*one)}" for one in attached)]))
    parts += [plainly(notice.text) for notice in notices(paper)]
    parts += [f"*{plainly(words)}*" for words in asides(paper)]
    parts.append(_numbered(_inert(paper.answer), paper) or plainly(without_answer(paper)))
    parts += [plainly(line) for line in _after(paper)]
    if paper.used:
        rows = (_source(paper, one, n) for n, one in enumerate(paper.used[:SOURCE_LIMIT], start=1))
        parts += [f"**{paper.say('sources')}**", "\n".join(rows)]
    calls = _calls(paper)
    if calls:
        rows = (f"{'  ' * (depth - 1)}- {_linked(words, address)}" for depth, words, address in calls[1:])
        parts += [f"**{plainly(calls[0][1])}**", "\n".join(rows)]
    ended = [" ".join(row) for row in _decisions(paper)]
    if ended:
        parts.append(f"**{paper.say('decisions')}** · " + " · ".join(plainly(row) for row in ended))
    parts.append(plainly(usage(paper)))
    return "\n\n".join(part for part in parts if part) + "\n"


def as_plain(paper: Sheet) -> str:
    """Plain text for a terminal and for diffs of the notebook."""
    parts = [f"[{paper.say(f'state.{paper.view.state}').lower()}] " + ", ".join(_meta(paper)[1:])]
    parts += [*(f"> {name(line)}" for line in _question(paper)), *(f"  {words}" for words, _ in attached_lines(paper))]
    parts.append("")
    parts += [name(notice.text) for notice in notices(paper)]
    parts += [f"({' '.join(words.split())})" for words in asides(paper)]
    parts += [_numbered(paper.answer, paper) or without_answer(paper), *_after(paper), ""]
    for number, citation in enumerate(paper.used[:SOURCE_LIMIT], start=1):
        where = place_of(citation, paper.language)
        off = f"   {paper.say('quote.off').lower()}" if citation.citation_id in paper.citing.missing else ""
        parts.append(f"[{number}] {name(citation.path)}{where.replace(' › ', ' > ')}{off}")
    calls = _calls(paper)
    parts += [""] if paper.used else []
    parts += [f"{'  ' * depth}{words}" for depth, words, _ in calls]
    parts += ["  ".join(row) for row in _decisions(paper)]
    parts.append(usage(paper))
    return "\n".join(parts) + "\n"


def as_json(paper: Sheet) -> dict[str, Any]:
    """What a program or the Lab extension reads: no file texts beyond the passages, no rights, no secrets."""
    view = paper.view
    return {
        "version": 1,
        "turn": view.started.turn_id if view.started else "",
        "number": paper.number,
        "session": paper.session,
        "state": str(view.state),
        "stopReason": str(view.finished.stop_reason) if view.finished else None,
        "question": view.started.text[:QUESTION_LIMIT] if view.started else "",
        "attached": as_values(view.started.images if view.started else ()),
        "answer": paper.answer,
        "cut": paper.cut,
        "citations": [_citation(one) for one in paper.used[:SOURCE_LIMIT]],
        "unknownCitations": [one for one in cited_ids(paper.answer) if one not in paper.citing.known][:SOURCE_LIMIT],
        "quotationsNotFound": sorted(paper.citing.missing),
        "calls": [_call(line) for line in view.lines[-ROW_LIMIT:]],
        "decisions": [" ".join(row) for row in _decisions(paper)],
        "usage": view.usage.model_dump(mode="json"),
    }


def _meta(paper: Sheet) -> list[str]:
    started, finished = paper.view.started, paper.view.finished
    meta = [date(started.started_at, paper.language) if started else ""]
    if finished:
        meta.append(paper.say("head.ran", seconds=seconds(finished.seconds, paper.language), steps=finished.steps))
    if started:
        meta.append(paper.say("head.rights", tier=started.tier, version=started.permission_version))
    return meta


def _after(paper: Sheet) -> list[str]:
    lines = [ending(paper)] if ending(paper) else []
    finished = paper.view.finished
    if finished and finished.stop_reason == "model_error":
        lines.append(paper.say(f"fault.{finished.fault or 'other'}") + ". " + name(finished.error or ""))
        lines.append(f"{paper.say('kept')} {advice(paper)}")
    return lines


def _question(paper: Sheet) -> list[str]:
    """The question's lines; a long one is cut, since it stands in the cell too."""
    asked = paper.view.started.text.strip() if paper.view.started else ""
    lines = asked[:_ASKED].splitlines()
    return [*lines, f"… (+{len(asked) - _ASKED:,})"] if len(asked) > _ASKED else lines


def _calls(paper: Sheet) -> list[tuple[int, str, str]]:
    """How many tool calls there were, then one line each: tool, target, what came of it; below it its pictures.

    Each as (depth, words, address or "").
    """
    lines = paper.view.lines
    if not lines:
        return []
    spent = seconds(sum(line.finished.seconds for line in lines if line.finished), paper.language)
    rows = [(0, paper.say("calls", n=len(lines), seconds=spent), "")]
    if len(lines) > _CALLS:
        rows.append((1, paper.say("earlier.calls", n=f"{len(lines) - _CALLS:,}"), ""))
    shown = lines[-_CALLS:]
    below = zip(shown_lines(paper, shown), outputs_lines(paper, shown), strict=True)
    for line, (pictures, outputs) in zip(shown, below, strict=True):
        rows += [(1, _called(paper, line), ""), *((2, words, address) for words, address in pictures)]
        rows += [(2, words, "") for words in outputs]
    return rows


def _linked(words: str, address: str) -> str:
    return f"[{plainly(words)}](<{address}>)" if address else plainly(words)


def _called(paper: Sheet, line: Line) -> str:
    what = f"{line.tool} {name(line.target)}".rstrip()
    if line.finished is None:
        return what + unknown(paper, line)
    if is_command(line) and (words := ended(line, paper.language)):
        return f"{what}: {words}"
    code = f" ({line.finished.code})" if line.finished.code else ""
    return f"{what}: {name(line.finished.summary)}{code}"


def _decisions(paper: Sheet) -> list[list[str]]:
    ended = [(card, card.ended) for card in paper.view.cards if card.ended]
    return [
        [
            paper.say(f"outcome.{end.outcome}"),
            what_of(card) + (f" “{name(end.reason)}”" if end.reason else ""),
            f"{clock(end.at)} v{end.permission_version}",
        ]
        for card, end in ended[:ROW_LIMIT]
    ]


def _source(paper: Sheet, citation: Citation, number: int) -> str:
    where = place_of(citation, paper.language)
    title = plainly(name(citation.path) + where)
    place = paper.places.get(citation.citation_id)
    if place and place.link:
        page = f"#page={citation.page}" if citation.page is not None else ""
        title = f"[{title}](<{href(place.link)}{page}>)"
    if citation.citation_id in paper.citing.missing:
        return f"{number}. {title}: **{paper.say('quote.off')}**"
    quoted = " ".join(citation.passage.split())
    return f"{number}. {title}: “{plainly(quoted[:_PASSAGE])}{'…' if len(quoted) > _PASSAGE else ''}”"


def _citation(citation: Citation) -> dict[str, Any]:
    return citation.as_json() | {"passage": citation.passage[:JSON_PASSAGE]}


def _call(line: Line) -> dict[str, Any]:
    finished = line.finished
    row: dict[str, Any] = {"tool": line.tool, "target": name(line.target)}
    if finished is not None:
        row |= {"ok": finished.ok, "decision": finished.decision, "summary": name(finished.summary)}
        row |= {"seconds": round(finished.seconds, 3)} | ({"code": str(finished.code)} if finished.code else {})
        row |= {"pictures": as_values(images_of(line))} if images_of(line) else {}
    return row


def _numbered(words: str, paper: Sheet) -> str:
    def mark(identity: str) -> str:
        number = paper.citing.numbers.get(identity)
        if number is None:
            return f"[{identity}?]"
        return f"[{number}{'?' if identity in paper.citing.missing else ''}]"

    return CITED.sub(lambda found: "".join(mark(identity) for identity in cited_ids(found.group())), words)


def plainly(words: str) -> str:
    """Text as Markdown that means nothing but itself, on one line."""
    line = _MARKS.sub(r"\\\1", " ".join(words.encode("utf-8", "replace").decode("utf-8").split()))
    start = _AT_START.match(line)
    return f"{start[1]}\\{start[2]}{line[start.end() :]}" if start else line


def _inert(source: str) -> str:
    """Markdown whose pictures and raw HTML are text; code blocks keep their characters, an open fence is closed."""
    lines = source.split("\n")
    code: set[int] = set()
    tokens = MarkdownIt("js-default", {"html": False}).disable("inline").parse(source)
    for token in tokens:
        if token.type in ("fence", "code_block") and token.map:
            code |= set(range(*token.map))
    inert = (line if at in code else _TAG.sub("&lt;", line.replace("![", "\\!\\[")) for at, line in enumerate(lines))
    return "\n".join(inert) + (_closing(tokens[-1], lines) if tokens else "")


def _closing(last: Token, lines: list[str]) -> str:
    """The fence that is missing at the end of an answer that broke off in a code block."""
    if last.type != "fence" or not last.map:
        return ""
    first, end = last.map
    mark = lines[end - 1].strip()
    closed = end - 1 > first and len(mark) >= len(last.markup) and not mark.strip(last.markup[0])
    return "" if closed else f"\n{last.markup}"
