"""What the three written forms of a turn share: the numbered citations, the bounded answer, words and numbers."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import quote

from orange_jupyter.core.corpus import Citation
from orange_jupyter.core.events import Notice
from orange_jupyter.core.visible import visible
from orange_jupyter.jupyter.citing import Citing
from orange_jupyter.jupyter.excerpt import WHOLE, Excerpt, excerpt
from orange_jupyter.jupyter.figures import Figure, fitting, wanted
from orange_jupyter.jupyter.markdown import escape, plain_block, render_blocks
from orange_jupyter.jupyter.record_inert import inert
from orange_jupyter.jupyter.said import Said
from orange_jupyter.jupyter.strings import Language, text
from orange_jupyter.jupyter.view import Card, TurnView

HTML_LIMIT = 200_000
QUESTION_LIMIT = 20_000
ROW_LIMIT = 300
CHECKED = 600
"""Characters around a passage in which a quotation may stand that cites it."""
NOTICE_LIMIT = 50
ASIDE_LIMIT = 40
_CUT_NAME = 400
_CUT_ASIDE = 1000


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Where a cited passage stands: text around it as read, first line, a notebook-relative path to link to.

    `figure` is a PDF page's picture with the passage marked; `no_figure` says why there is none (`figures.MASKED` …).
    """

    link: str | None = None
    before: str = ""
    after: str = ""
    line: int | None = None
    changed: bool = False
    figure: Figure | None = None
    no_figure: str = ""


@dataclass(frozen=True, slots=True)
class Sheet:
    """One turn ready to be written: `answer` is at most 100,000 characters, `cut` counts what is left out of it.

    `kept` are the figures that find room, by citation id and, of what the model was shown, by sha256.
    """

    view: TurnView
    language: Language
    number: int
    session: str
    places: Mapping[str, Surroundings]
    citing: Citing
    answer: str
    blocks: tuple[str, ...]
    cut: int
    kept: Mapping[str, Figure]

    def say(self, key: str, **values: object) -> str:
        """Words in this sheet's language."""
        return text(self.language, key, **values)

    @property
    def used(self) -> tuple[Citation, ...]:
        """Citations in the order of the numbers."""
        return self.citing.used


def sheet(view: TurnView, language: Language, number: int, session: str, places: Mapping[str, Surroundings]) -> Sheet:
    """Number the citations and render the answer once for all forms."""
    around = {name: f"{one.before[-CHECKED:]}\n{one.after[:CHECKED]}" for name, one in places.items()}
    prefix = f"oj-{number}{_suffix(view)}"
    citing = Citing(prefix=prefix, language=language, known=view.known, around=around)
    shown, written = _bounded(view.answer, citing)
    answer = shown.head + (f"\n\n{_between(shown, language)}\n\n{shown.tail}" if shown.cut else "")
    names = (*(one.citation_id for one in citing.used), *(one.sha256 for one in wanted(view)))
    kept = fitting((one, places[one].figure) for one in names if one in places)
    return Sheet(view, language, number, session, places, citing, answer, written, shown.cut, kept)


def _suffix(view: TurnView) -> str:
    """Two sessions in one notebook both have a turn 12: a piece of the turn's id keeps their HTML ids apart."""
    identity = re.sub(r"[^a-z0-9]", "", view.started.turn_id.lower()) if view.started else ""
    return f"-{identity[-5:]}" if identity else ""


def _bounded(answer: str, citing: Citing) -> tuple[Excerpt, tuple[str, ...]]:
    """What is shown of an answer, and the HTML of each of its blocks."""
    limit = WHOLE
    for _ in range(2):
        shown = _clean(excerpt(answer, whole=limit))
        written = _blocks(shown, citing, lambda part: [inert(block) for block in render_blocks(part, citing)])
        size = sum(map(len, written))
        if size <= HTML_LIMIT:
            return shown, written
        limit = max(HTML_LIMIT // 10, int(min(limit, len(answer)) * HTML_LIMIT / size * 0.9))  # tables take much HTML
    shown = _clean(excerpt(answer, whole=HTML_LIMIT // 10))  # one character can take 20 in HTML, citations more
    return shown, _blocks(shown, citing, lambda part: [plain_block(part)])


def _blocks(shown: Excerpt, citing: Citing, write: Callable[[str], list[str]]) -> tuple[str, ...]:
    if not shown.cut:
        return tuple(write(shown.head))
    gap = f'<p class="oj-sub">{inert(escape(_between(shown, citing.language)))}</p>'
    return (*write(shown.head), gap, *write(shown.tail))


def _between(shown: Excerpt, language: Language) -> str:
    return f"[… {text(language, 'earlier.cut', n=f'{shown.cut:,}')}]"


def _clean(shown: Excerpt) -> Excerpt:
    return Excerpt(_well_formed(shown.head), _well_formed(shown.tail), shown.cut)


def _well_formed(words: str) -> str:
    """Text that can be encoded and parsed: no lone surrogates, no controls but tab and newline."""
    whole = words.encode("utf-8", "replace").decode("utf-8")
    return re.sub(r"[\x00-\x08\x0b-\x1f\x7f]", lambda found: "\n" if found.group() == "\r" else "", whole)


def name(words: str) -> str:
    """A path, target or reason on one line: invisible characters as escapes, long ones cut with a count."""
    shown, _ = visible(words.replace("\n", "\u23ce").encode("utf-8", "replace").decode("utf-8"))
    return shown if len(shown) <= _CUT_NAME else f"{shown[:_CUT_NAME]}… (+{len(shown) - _CUT_NAME:,})"


def href(link: str) -> str:
    """A notebook-relative path as an address: quoted, never absolute, so never another host's."""
    return html.escape(quote(link.lstrip("/")))


def place_of(citation: Citation, language: Language) -> str:
    """Heading path, page or block of a citation in words, to stand right after its path; "" where it has none."""
    parts = [f" › {name(' › '.join(citation.heading_path))}"] if citation.heading_path else []
    if citation.page is not None:
        parts.append(", " + text(language, "page", n=citation.page))
    elif citation.block is not None:
        parts.append(", " + text(language, "block", n=citation.block))
    return "".join(parts)


def seconds(value: float, language: Language) -> str:
    """A duration: `0.2 s` under ten seconds, else whole seconds, minutes and hours as they are needed."""
    if value < 10:
        return text(language, "seconds", n=f"{value:.1f}")
    if value < 100:
        return text(language, "seconds", n=f"{value:.0f}")
    minutes, rest = divmod(round(value), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def date(iso: str, language: Language) -> str:
    """A moment in the kernel's time zone to the minute; an unreadable one stays as it is."""
    moment = _moment(iso)
    if moment is None:
        return iso
    if language == "zh":
        return f"{moment.year} 年 {moment.month} 月 {moment.day} 日 {moment:%H:%M}"
    months = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec"
    return f"{moment.day} {months.split()[moment.month - 1]} {moment.year}, {moment:%H:%M}"


def clock(iso: str) -> str:
    """A moment's time of day, `14:33:05`."""
    moment = _moment(iso)
    return f"{moment:%H:%M:%S}" if moment else iso


def _moment(iso: str) -> datetime | None:
    try:
        return datetime.fromisoformat(iso).astimezone()
    except ValueError:
        return None


def what_of(card: Card) -> str:
    """What a decision was about: the tool and its target."""
    return f"{card.request.tool} {name(card.request.target)}".rstrip()


def asides(paper: Sheet) -> list[str]:
    """What the model said in earlier steps, before it called a tool: no part of the answer, each at most 1,000 long."""
    found: dict[str, int] = {}
    for item in paper.view.items:
        if isinstance(item, Said) and len(found) < ASIDE_LIMIT:
            words = _well_formed(item.between(0, 2 * _CUT_ASIDE)).strip()
            if words and words not in paper.answer:
                found[words] = len(item)
    return [
        words if size <= _CUT_ASIDE else f"{words[:_CUT_ASIDE]}… (+{max(0, size - _CUT_ASIDE):,})"
        for words, size in found.items()
    ]


def notices(paper: Sheet) -> list[Notice]:
    """What the person was told, without what a failed turn's own error says again."""
    finished = paper.view.finished
    error = (finished.error if finished else None) or ""
    return [one for one in paper.view.notices if not error.startswith(one.text)][:NOTICE_LIMIT]


def state_word(paper: Sheet) -> str:
    """The state's word; of a turn that runs only what stays true of a saved notebook (R-SAVE-1)."""
    return paper.say("life.saved" if paper.view.state.live else f"state.{paper.view.state}")


def without_answer(paper: Sheet) -> str:
    """What stands where the answer would be."""
    return paper.say("life.saved.no_text" if paper.view.state.live else "no_answer")


def ending(paper: Sheet) -> str:
    """The sentence under an answer that is not simply done; "" for one that is."""
    finished = paper.view.finished
    if paper.view.state.live:
        return paper.say("end.running")
    if finished is None or finished.stop_reason in ("answer", "plan", "model_error"):
        return paper.say("end.interrupted") if finished is None else ""
    return paper.say(f"end.{finished.stop_reason}", limit=paper.view.step_limit)


def advice(paper: Sheet) -> str:
    """What to do about a failed turn: the error's own advice, else the table's; in Chinese always the table's."""
    finished, started = paper.view.finished, paper.view.started
    if finished is None:
        return ""
    if finished.hint and paper.language == "en":
        return name(finished.hint)
    return paper.say(f"advice.{finished.fault or 'other'}", model=name(started.model) if started else "NAME")


def usage(paper: Sheet) -> str:
    """The last line: model and host, tokens, cost if known, session and turn."""
    view = paper.view
    parts = []
    if view.started:
        model, host = view.started.model, view.started.host
        parts.append(paper.say("at_host", model=model, host=host) if host else model)
    used = view.usage
    counts = {"input": f"{used.input_tokens:,}", "output": f"{used.output_tokens:,}"}
    cached = {"cached": f"{used.cache_read_tokens:,}"} if used.cache_read_tokens else {}
    parts.append(paper.say("usage" if cached else "usage.plain", **counts, **cached))
    if used.cost is not None:
        parts.append(paper.say("usage.cost", cost=f"{used.cost:.3f}" if used.cost < 1 else f"{used.cost:.2f}"))
    if paper.session:
        parts.append(paper.say("usage.session", session=name(paper.session), n=paper.number))
    return " · ".join(part for part in parts if part)
