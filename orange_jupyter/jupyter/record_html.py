"""The record as HTML (screens 2 and 10): one article, readable without its style, without a button, loading nothing."""

from __future__ import annotations

import html
from functools import lru_cache

from orange_jupyter.core.approval import Outcome
from orange_jupyter.core.corpus import Citation
from orange_jupyter.core.events import Notice
from orange_jupyter.jupyter.assets import assets
from orange_jupyter.jupyter.commanded import ended, is_command
from orange_jupyter.jupyter.icons import icon
from orange_jupyter.jupyter.markdown import escape, language_of_text
from orange_jupyter.jupyter.passage import with_passages
from orange_jupyter.jupyter.record_commands import outputs_html, unknown
from orange_jupyter.jupyter.record_inert import inert
from orange_jupyter.jupyter.record_pictures import attached_html, shown_html
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
from orange_jupyter.jupyter.view import Card, Line, State

PASSAGE_LIMIT = 400
SOURCE_LIMIT = 60
_STATE_LOOK = {
    State.WAITING: ("is-run", "ask"),
    State.RUNNING: ("is-run", "ask"),
    State.STOPPING: ("is-run", "ask"),
    State.DONE: ("is-ok", "tick"),
    State.STOPPED: ("is-off", "void"),
    State.FAILED: ("is-bad", "cross"),
    State.INTERRUPTED: ("is-warn", "warning"),
    State.LIMIT: ("is-warn", "warning"),
}
OUTCOME_LOOK = {
    Outcome.APPROVED: ("is-ok", "tick"),
    Outcome.DENIED: ("is-bad", "cross"),
    Outcome.CANCELLED: ("is-off", "void"),
    Outcome.EXPIRED: ("is-warn", "warning"),
    Outcome.NEEDS_PERSON: ("is-bad", "cross"),
}


def as_html(paper: Sheet) -> str:
    """The whole record; its id lets the controls hide it while they show the same turn live."""
    written, below = with_passages(paper)
    parts = [_head(paper), _question(paper), _notices(paper), _answer(paper, written), _sources(paper, below)]
    parts += [_calls(paper), _decisions(paper), f'<p class="oj-usage">{escape(usage(paper))}</p>']
    article = f'<article class="oj-turn" aria-labelledby="{paper.citing.prefix}">{"".join(parts)}</article>'
    return wrapped(article, identity=record_id(paper.view.started.turn_id if paper.view.started else ""))


def wrapped(body: str, *, identity: str = "", language: str = "") -> str:
    """HTML in the root that carries the style and keeps keys from running notebook commands."""
    extra = (f' id="{identity}"' if identity else "") + (f' lang="{language}"' if language else "")
    return f'<div class="oj" data-lm-suppress-shortcuts="true"{extra}><style>{style()}</style>\n{inert(body)}\n</div>'


def record_id(turn_id: str) -> str:
    """The HTML id of a turn's record; the controls know it by the same rule."""
    return "oj-rec-" + "".join(character for character in turn_id if character.isascii() and character.isalnum())


@lru_cache(maxsize=1)
def style() -> str:
    """The style sheet without its line breaks and indents."""
    raw = assets("style.css")
    return "".join(line.strip() for line in raw.split("\n") if not line.startswith("/*"))


def state(look: tuple[str, str], words: str) -> str:
    """A state: icon and word in the colour of `look` (class, icon)."""
    return f'<span class="oj-state {look[0]}">{icon(look[1])} {escape(words)}</span>'


def note(kind: str, symbol: str, words: str) -> str:
    """A notice line. `words` is HTML."""
    return f'<div class="oj-note {kind}">{icon(symbol)} <span>{words}</span></div>'


def _head(paper: Sheet) -> str:
    view, started, finished = paper.view, paper.view.started, paper.view.finished
    meta = [date(started.started_at, paper.language)] if started else []
    if finished:
        ran = seconds(finished.seconds, paper.language)
        meta.append(paper.say("head.ran", seconds=ran, steps=finished.steps))
    if started:
        meta.append(paper.say("head.rights", tier=started.tier, version=started.permission_version))
        meta += [paper.say("head.plan")] if started.plan else []
    shown = state(_STATE_LOOK[view.state], state_word(paper))
    title = f'<span class="oj-vh">{escape(paper.say("turn", n=paper.number))}: </span>{shown}'
    return (
        f'<header class="oj-head"><h3 id="{paper.citing.prefix}">{title}</h3>'
        f'<span class="oj-meta"> {escape(" · ".join(meta))}</span></header>'
    )


def _question(paper: Sheet) -> str:
    if paper.view.started is None:
        return ""
    asked = paper.view.started.text.encode("utf-8", "replace").decode("utf-8").replace("\x00", "\ufffd").strip()
    shown = escape(asked[:QUESTION_LIMIT])
    if len(asked) > QUESTION_LIMIT:
        shown += f" <i>{escape(paper.say('cut', n=f'{len(asked) - QUESTION_LIMIT:,}'))}</i>"
    label = html.escape(paper.say("question"))
    return (
        f'<div role="group" aria-label="{label}" class="oj-q"><p{_lang(asked)}>{shown}</p></div>{attached_html(paper)}'
    )


def _answer(paper: Sheet, written: str) -> str:
    label = html.escape(paper.say("answer"))
    body = written or (f"<p>{escape(without_answer(paper))}</p>" if not _failed(paper) else "")
    under = f'<p class="oj-sub">{escape(ending(paper))}</p>' if ending(paper) else ""
    prose = f'<div role="group" aria-label="{label}" class="oj-prose">{body}</div>' if body else ""
    return prose + under + _fault(paper)


def _failed(paper: Sheet) -> bool:
    return bool(paper.view.finished and paper.view.finished.stop_reason == "model_error")


def _fault(paper: Sheet) -> str:
    """A model's failure says what happened, what is kept and what to do (screen 10)."""
    finished = paper.view.finished
    if finished is None or not _failed(paper):
        return ""
    key = f"fault.{finished.fault or 'other'}"
    title = escape(paper.say(key))
    lines = [name(finished.error or ""), paper.say("kept"), advice(paper)]
    body = "".join(f"<p>{escape(line)}</p>" for line in lines if line)
    symbol = icon("key" if key.endswith("key_refused") else "web")
    shown = state(("is-bad", "cross"), paper.say("state.failed"))
    return (
        f'<div class="oj-card is-bad" role="group" aria-label="{html.escape(paper.say(key))}"><header>{symbol}'
        f'<h3>{title}</h3> {shown}</header><div class="oj-body">{body}</div></div>'
    )


def _notices(paper: Sheet) -> str:
    return "".join(_notice(one) for one in notices(paper))


def _notice(notice: Notice) -> str:
    kind, symbol = {"info": ("", "info"), "warning": ("is-warn", "warning"), "error": ("is-bad", "cross")}[notice.level]
    hint = f" {escape(name(notice.hint))}" if notice.hint else ""
    words = escape(name(notice.text))
    return note(kind, symbol, (f"<b>{words}</b>" if notice.level != "info" else words) + hint)


def _sources(paper: Sheet, below: frozenset[int]) -> str:
    if not paper.used:
        return ""
    rows = [_source(paper, one, n, shown=n in below) for n, one in enumerate(paper.used[:SOURCE_LIMIT], start=1)]
    label = paper.say("sources")
    return (
        f'<div role="group" class="oj-sec" aria-label="{html.escape(label)}"><h4>{escape(label)}</h4>'
        f'<ol class="oj-sources">{"".join(rows)}</ol></div>'
    )


def _source(paper: Sheet, citation: Citation, number: int, *, shown: bool) -> str:
    place = paper.places.get(citation.citation_id)
    path = escape(name(citation.path))
    fragment = f"#page={citation.page}" if citation.page is not None and place else ""
    title = f'<a href="{href(place.link)}{fragment}">{path}</a>' if place and place.link else path
    where = place_of(citation, paper.language)
    missing = paper.citing.missing.get(citation.citation_id)
    off = f" {state(('is-warn', 'warning'), paper.say('quote.off'))}" if missing else ""
    quoted = " ".join((missing or citation.passage).split())
    cut = "…" if len(quoted) > PASSAGE_LIMIT else ""
    identity = "" if shown else f' id="{paper.citing.prefix}-s{number}"'
    return (
        f"<li{identity}><div>{title}{escape(where)} "
        f'<span class="oj-sub">({escape(name(citation.knowledge_base))})</span>{off} '
        f"<q{_lang(quoted)}>{escape(quoted[:PASSAGE_LIMIT])}{cut}</q></div></li>"
    )


def _calls(paper: Sheet) -> str:
    lines, said = paper.view.lines, "".join(map(_aside, asides(paper)))
    if not lines:
        return said
    spent = seconds(sum(line.finished.seconds for line in lines if line.finished), paper.language)
    heads = [paper.say(key) for key in ("call", "target", "result", "time")]
    shown = lines[-ROW_LIMIT:]
    below = (
        [under] if under else None
        for under in map("".join, zip(shown_html(paper, shown), outputs_html(paper, shown), strict=True))
    )
    pairs = zip((_call(paper, line) for line in shown), below, strict=True)
    rows = [row for pair in pairs for row in pair if row is not None]
    more = len(lines) - ROW_LIMIT
    rest = f'<p class="oj-sub">{escape(paper.say("earlier.calls", n=f"{more:,}"))}</p>' if more > 0 else ""
    summary = escape(paper.say("calls", n=len(lines), seconds=spent))
    return f'<details class="oj-sec"><summary>{summary}</summary>{said}{rest}{table(heads, rows)}</details>'


def _aside(words: str) -> str:
    """Words of the model from before a call, as they came: their Markdown is not rendered."""
    return f'<p class="oj-sub"{_lang(words)}>{"<br>".join(map(escape, words.splitlines()))}</p>'


def _call(paper: Sheet, line: Line) -> list[str]:
    done = line.finished
    if is_command(line) and (words := ended(line, paper.language)):
        assert done is not None
        result, spent = words, seconds(done.seconds, paper.language)
    elif done is None:
        key = "tool.state.running" if paper.view.state.live else "state.interrupted"
        result, spent = paper.say(key) + unknown(paper, line), ""
    else:
        code = f" ({done.code})" if done.code else ""
        result, spent = name(done.summary) + code, seconds(done.seconds, paper.language)
    return [escape(line.tool), escape(name(line.target)), escape(result), escape(spent)]


def _decisions(paper: Sheet) -> str:
    ended = [card for card in paper.view.cards if card.ended]
    if not ended:
        return ""
    heads = [paper.say(key) for key in ("decision", "what", "time")]
    rows = [_decision(paper, card) for card in ended[:ROW_LIMIT]]
    label = paper.say("decisions")
    title = f"<h4>{escape(label)}</h4>"
    return f'<div role="group" class="oj-sec" aria-label="{html.escape(label)}">{title}{table(heads, rows)}</div>'


def _decision(paper: Sheet, card: Card) -> list[str]:
    assert card.ended is not None
    outcome = card.ended.outcome
    shown = state(OUTCOME_LOOK[outcome], paper.say(f"outcome.{outcome}"))
    reason = f": “{name(card.ended.reason)}”" if card.ended.reason else ""
    when = f"{clock(card.ended.at)}, v{card.ended.permission_version}"
    return [shown, escape(what_of(card) + reason), escape(when)]


def table(heads: list[str], rows: list[list[str]]) -> str:
    """A table that becomes blocks where it is narrow; cells are HTML, the last column a time.

    A row of one cell belongs to the row above it and is as wide as the table.
    """
    top = "".join(f'<th scope="col">{escape(head)}</th>' for head in heads)
    last = len(heads) - 1
    body = []
    for row in rows:
        if len(row) == 1:
            body.append(f'<tr><td colspan="{len(heads)}">{row[0]}</td></tr>')
            continue
        cells = (
            f'<td class="n" data-h="{html.escape(heads[at])}">{cell}</td>' if at == last else f"<td>{cell}</td>"
            for at, cell in enumerate(row)
        )
        body.append(f"<tr>{''.join(cells)}</tr>")
    return f'<table class="oj-table oj-stack"><thead><tr>{top}</tr></thead><tbody>{"".join(body)}</tbody></table>'


def _lang(words: str) -> str:
    language = language_of_text(words[:2000])
    return f' lang="{language}"' if language else ""
