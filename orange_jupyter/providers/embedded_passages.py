"""Which passages answer, and which words of them are quoted: by the share of the question's terms (R-MOD-7)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from orange_jupyter.providers.embedded_terms import Profile, Term, covered

_LONGEST_QUOTE = 420
_MOST_UNITS = 3
_RANK_BONUS = 0.08
_HEADING = re.compile(r"#{1,6}\s+")
_MARKER = re.compile(r"(?:[-*+]\s+(?:\[[ xX]\]\s+)?|\d{1,3}(?:[.)](?=\s)|、)\s*|>\s*)+")
_SENTENCE_END = re.compile(r"(?<=[。！？；])|(?<=[.!?])(?=\s+[^\sa-z])")
_NO_PROSE = re.compile(r"^(?::::|///|\{%|<[/!a-zA-Z]|\||---+$|===+$|\+\+\+|import\s|!\[|\[[^\]]+\]:)")
_FAKE_CITATION = re.compile(r"\[c\d+\]", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Found:
    """A citation that a search gave, as far as an answer needs it."""

    citation_id: str
    path: str
    title: str
    heading: tuple[str, ...]
    passage: str
    page: int | None = None

    @classmethod
    def of(cls, citation: dict[str, Any]) -> Found | None:
        """Read one citation of an envelope; None without an id or a passage."""
        passage, number = citation.get("passage"), citation.get("citationId")
        if not isinstance(passage, str) or not isinstance(number, str) or not passage.strip():
            return None
        headings = citation.get("headingPath")
        page = citation.get("page")
        return cls(
            citation_id=number,
            path=str(citation.get("path", "")),
            title=str(citation.get("title", "")),
            heading=tuple(str(step) for step in headings) if isinstance(headings, list) else (),
            passage=passage,
            page=page if isinstance(page, int) else None,
        )


@dataclass(frozen=True, slots=True)
class Quote:
    """A passage that answers, and the stretch of it that is quoted, verbatim; `share` of the terms it covers."""

    found: Found
    text: str
    share: float
    code: bool = False


def quotes(found: list[Found], terms: tuple[Term, ...]) -> list[Quote]:
    """The relevant passages, best first: those that cover far less than the best are left out."""
    judged: dict[str, Quote] = {}
    for rank, passage in enumerate(found):
        share = relevance(passage, terms)
        if share is not None and passage.citation_id not in judged:
            excerpt, code = _excerpt(passage.passage, _inside(passage, terms))
            if excerpt:
                judged[passage.citation_id] = Quote(passage, excerpt, share + _RANK_BONUS / (1 + rank), code)
    ranked = sorted(judged.values(), key=lambda quote: -quote.share)
    return [quote for quote in ranked if quote.share >= 0.7 * ranked[0].share]


def weighed(terms: tuple[Term, ...], found: list[Found]) -> tuple[Term, ...]:
    """The terms with less weight for a name that nearly every passage found has: in notes on Vue it tells nothing."""
    if len(terms) < 3 or len(found) < 4:
        return terms
    texts = [Profile.of(" ".join((one.passage, one.title, one.path))) for one in found]
    return tuple(
        Term(term.text, 0.5, key=False, chinese=term.chinese)
        if term.key and sum(covered(term, text) > 0.5 for text in texts) >= 0.75 * len(texts)
        else term
        for term in terms
    )


def relevance(found: Found, terms: tuple[Term, ...]) -> float | None:
    """The share of the terms' weight that a passage covers with its title, headings and path; None: not an answer.

    One common word is never enough: short questions must be covered whole, longer ones by half, at least half of the
    names must be there, and the passage itself must hold a part.
    """
    inside = Profile.of(found.passage)
    around = Profile.of(" ".join((found.passage, found.title, *found.heading, found.path)))
    total = sum(term.weight for term in terms)
    if not total:
        return None
    shares = [(term, covered(term, around)) for term in terms]
    own = sum(term.weight * covered(term, inside) for term in terms) / total
    share = sum(term.weight * part for term, part in shares) / total
    if not _names_are_there(shares):
        return None
    if own < 0.3 or not _enough(shares, share):
        return None
    return 0.5 * share + 0.5 * own


def _names_are_there(shares: list[tuple[Term, float]]) -> bool:
    """At least half of the names; a lone missing name is forgiven when nearly all the rest is there."""
    keys = [part for term, part in shares if term.key]
    if sum(part > 0.5 for part in keys) * 2 >= len(keys):
        return True
    rest = [(term.weight, part) for term, part in shares if not term.key]
    total = sum(weight for weight, _ in rest)
    return len(keys) == 1 and total >= 2 and sum(weight * part for weight, part in rest) >= 0.8 * total


def _enough(shares: list[tuple[Term, float]], share: float) -> bool:
    strong = [(term, part) for term, part in shares if term.weight >= 1]
    if len(strong) <= 2 and any(
        part < (0.45 if term.chinese and len(term.text) >= 4 else 0.6) for term, part in strong
    ):
        return False
    units = sum(max(1, len(term.text) // 2) if term.chinese else 1 for term, _ in shares)
    if units <= 2:
        return share >= (0.7 if strong else 0.9)
    return share >= (0.6 if units <= 4 else 0.5)


def missing(found: list[Quote], terms: tuple[Term, ...]) -> list[str]:
    """The terms that none of the quoted passages holds, for the person to know."""
    around = [
        Profile.of(" ".join((one.found.passage, one.found.title, *one.found.heading, one.found.path))) for one in found
    ]
    return [term.text for term in terms if term.weight >= 1 and not any(covered(term, text) > 0.3 for text in around)]


def near_misses(found: list[Found], terms: tuple[Term, ...]) -> list[tuple[str, list[str]]]:
    """(path, the terms it holds) of up to three files that do not answer, but hold something worth a look."""
    total = sum(term.weight for term in terms) or 1.0
    near: dict[str, tuple[float, list[str]]] = {}
    for one in found:
        around = Profile.of(" ".join((one.passage, one.title, *one.heading)))
        held = [term for term in terms if term.weight >= 1 and covered(term, around) > 0.6]
        share = sum(term.weight for term in held) / total
        worth = (share >= 0.5 and len(held) > 1) or any(term.key for term in held)
        if worth and share > near.get(one.path, (0.0, []))[0]:
            near[one.path] = (share, [term.text for term in held])
    ranked = sorted(near.items(), key=lambda item: -item[1][0])
    return [(path, words) for path, (_, words) in ranked[:3]]


@dataclass(frozen=True, slots=True)
class _Unit:
    start: int
    end: int
    code: bool
    weight: float
    paragraph: int


def _inside(found: Found, terms: tuple[Term, ...]) -> tuple[Term, ...]:
    """The terms for choosing a sentence: what title, headings and path already say need not be said again."""
    around = Profile.of(" ".join((found.title, *found.heading, found.path)))
    return tuple(Term(t.text, t.weight * (1 - 0.7 * covered(t, around)), t.key, t.chinese) for t in terms)


def _excerpt(passage: str, terms: tuple[Term, ...]) -> tuple[str, bool]:
    """The one to three neighbouring sentences that hold most of the terms, as a substring of the passage."""
    units = _units(passage)
    best: tuple[float, int, int] | None = None
    for first in range(len(units)):
        for last in range(first, min(first + _MOST_UNITS, len(units))):
            if not _can_stand_together(units, first, last):
                break
            stretch = passage[units[first].start : units[last].end]
            score = _score(stretch, units[first : last + 1], terms)
            if best is None or score > best[0] + 1e-9:
                best = (score, first, last)
    if best is None:
        return "", False
    opening, closing = units[best[1]], units[best[2]]
    return passage[opening.start : closing.end], opening.code


def _score(stretch: str, units: list[_Unit], terms: tuple[Term, ...]) -> float:
    profile = Profile.of(stretch)
    hit = sum(term.weight * covered(term, profile) for term in terms)
    return (hit - 0.12 * (len(units) - 1) - len(stretch) / 2_000) * units[0].weight


def _can_stand_together(units: list[_Unit], first: int, last: int) -> bool:
    if first == last:
        return True
    same_kind = units[first].code == units[last].code and units[first].weight == units[last].weight
    near = units[last].paragraph - units[first].paragraph <= 1
    return same_kind and near and units[last].end - units[first].start <= _LONGEST_QUOTE


def _units(passage: str) -> list[_Unit]:
    """Sentences, list items and headings; code lines as units of their own that are quoted only for want of prose."""
    units: list[_Unit] = []
    fenced = _begins_in_code(passage)
    paragraph = 0
    for start, end in _blocks(passage):
        line = passage[start:end]
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
            paragraph += 2
            continue
        if not line.strip() or _FAKE_CITATION.search(line):
            paragraph += 1
            continue
        paragraph += line.lstrip().startswith("#") and not fenced
        units += _pieces(passage, (start, end), paragraph, code=fenced)
    return units


def _blocks(passage: str) -> list[tuple[int, int]]:
    """Lines; the lines of a wrapped paragraph are one."""
    spans: list[tuple[int, int]] = []
    fenced = _begins_in_code(passage)
    place = 0
    for line in passage.splitlines(keepends=True):
        body = line.rstrip("\r\n")
        opens = body.lstrip().startswith(("```", "~~~"))
        plain = not fenced and not opens and _goes_on(body)
        if plain and spans and spans[-1][1] > spans[-1][0] and _wraps(passage[spans[-1][0] : spans[-1][1]]):
            spans[-1] = (spans[-1][0], place + len(body))
        else:
            spans.append((place, place + len(body)))
        fenced ^= opens
        place += len(line)
    return spans


def _begins_in_code(passage: str) -> bool:
    """A passage cut out of a code block: its first fence closes, since it names no language and one is left over."""
    fences = [line.strip() for line in passage.splitlines() if line.lstrip().startswith(("```", "~~~"))]
    return len(fences) % 2 == 1 and not fences[0].strip("`~")


def _goes_on(line: str) -> bool:
    """Whether a line can continue the paragraph above it."""
    bare = line.lstrip()
    return (
        bool(bare)
        and not line.startswith("    ")
        and not (_HEADING.match(bare) or _MARKER.match(bare) or _NO_PROSE.match(bare))
    )


def _wraps(block: str) -> bool:
    bare = block.strip()
    return bool(bare) and not bare.startswith(("#", "```", "~~~")) and not _NO_PROSE.match(bare)


def _pieces(passage: str, span: tuple[int, int], paragraph: int, *, code: bool) -> list[_Unit]:
    start, end = span
    line = passage[start:end]
    if code:
        return [_Unit(start, end, True, 0.5, paragraph)]
    start += len(line) - len(line.lstrip())
    end -= len(line) - len(line.rstrip())
    weight = 0.5 if _NO_PROSE.match(passage[start:end]) or line.startswith("    ") else 1.0
    if start == 0 and (line[:1].islower() or line[:1] in "，。、；）)"):
        weight = 0.7  # the passage begins in the middle of a sentence
    heading = _HEADING.match(passage[start:end])
    if heading:
        return [_Unit(start + heading.end(), end, False, 0.6, paragraph)] if start + heading.end() < end else []
    marker = _MARKER.match(passage[start:end])
    start += marker.end() if marker else 0
    return [
        _Unit(start + first, start + last, False, weight, paragraph) for first, last in _sentences(passage[start:end])
    ]


def _sentences(text: str) -> list[tuple[int, int]]:
    """Spans of sentences without the space around them; a very long one is parted at commas or spaces."""
    spans: list[tuple[int, int]] = []
    place = 0
    for piece in _SENTENCE_END.split(text):
        end = place + len(piece)
        while end - place > _LONGEST_QUOTE:
            cut = max(text.rfind(mark, place, place + _LONGEST_QUOTE) for mark in ("，", ", ", "、", " ", "\n")) + 1
            cut = cut if cut > place + _LONGEST_QUOTE // 3 else place + _LONGEST_QUOTE
            spans.append((place, cut))
            place = cut
        spans.append((place, end))
        place = end
    tight = [
        (start + len(text[start:end]) - len(text[start:end].lstrip()), start + len(text[start:end].rstrip()))
        for start, end in spans
    ]
    return [(start, end) for start, end in tight if start < end]
