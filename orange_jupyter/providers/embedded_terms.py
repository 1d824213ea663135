"""What a question asks for, as weighted terms, and how far a text covers them (R-MOD-7). Pure and deterministic."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from orange_jupyter.providers.embedded_words import (
    CHINESE_GENERIC,
    CHINESE_SPLIT,
    ENGLISH_GENERIC,
    ENGLISH_STOP,
)

CHINESE = r"\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u3040-\u30ff"
_CHINESE_RUN = re.compile(f"[{CHINESE}]+")
_QUOTED = re.compile(r"\"([^\"\n]{2,})\"|“([^”\n]{2,})”|「([^」\n]+)」|『([^』\n]+)』|《([^》\n]+)》|`([^`\n]+)`")
_FILE = re.compile(
    rf"[\w{CHINESE}][\w{CHINESE}\-./]*\.(?:md|markdown|txt|pdf|docx|png|jpe?g|webp|gif|bmp|svg)\b", re.IGNORECASE
)
_TOKEN = re.compile(rf"[A-Za-z_][A-Za-z0-9_'’.:/+#-]*|\d[\dA-Za-z.,:%_-]*|[{CHINESE}]+")
_LATIN = re.compile(r"[a-z0-9]+(?:['’][a-z]+)?")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")

_NAME_WEIGHT = 1.5
_WORD_WEIGHT = 1.0
_GENERIC_WEIGHT = 0.4


@dataclass(frozen=True, slots=True)
class Term:
    """One thing asked for. `key` terms name something: quoted phrases, identifiers, file names, proper names."""

    text: str
    weight: float
    key: bool = False
    chinese: bool = False


@dataclass(frozen=True, slots=True)
class Profile:
    """A text made ready for matching: casefolded, and the stems of its Latin words."""

    text: str
    stems: frozenset[str]

    @classmethod
    def of(cls, text: str) -> Profile:
        """Words are also taken apart at capitals and underscores: `UploadFile` is found by "upload"."""
        folded = text.casefold()
        apart = _CAMEL.sub(" ", text).casefold()
        words = set(_LATIN.findall(folded)) | set(_LATIN.findall(apart))
        return cls(folded, frozenset(stem(word) for word in words))


def terms_of(question: str) -> tuple[Term, ...]:
    """The terms of a question in its order, each once; question words and fillers of both languages are left out."""
    found: dict[str, Term] = {}

    def keep(term: Term) -> None:
        if term.text and term.text.casefold() not in found:
            found[term.text.casefold()] = term

    for pattern in (_QUOTED, _FILE):
        for match in pattern.finditer(question):
            text = next((group for group in match.groups() if group), match.group()).strip()
            keep(Term(text, _NAME_WEIGHT, key=True, chinese=bool(_CHINESE_RUN.search(text))))
        question = pattern.sub(" ", question)
    for term in _named(list(_TOKEN.finditer(question)), question):
        keep(term)
    several = [term for term in found.values() if not (term.chinese and len(term.text) == 1)]
    return tuple(several or found.values())


def _named(tokens: list[re.Match[str]], question: str) -> list[Term]:
    """Terms of the plain tokens; capitalised neighbours are one name ("Alan Turing")."""
    terms: list[Term] = []
    name: list[str] = []
    capitals = _capitals_mean_names(question)
    for token in tokens:
        text = token.group()
        first = (
            not question[: token.start()].strip(" \n\t([") or question[: token.start()].rstrip()[-1:] in ".?!:。？！："
        )
        if (
            capitals
            and not first
            and text[0].isupper()
            and not _is_identifier(text)
            and text.casefold() not in ENGLISH_STOP
        ):
            name.append(text.rstrip(".:/'’-"))
            continue
        _close_name(name, terms)
        terms += _chinese_terms(text) if _CHINESE_RUN.match(text) else _latin_terms(text)
    _close_name(name, terms)
    return terms


def _close_name(name: list[str], terms: list[Term]) -> None:
    if name:
        terms.append(Term(" ".join(name), _NAME_WEIGHT, key=True))
        name.clear()


def _capitals_mean_names(question: str) -> bool:
    words = re.findall(r"[A-Za-z][A-Za-z]+", question)
    return len(words) < 3 or sum(word[0].isupper() for word in words) <= len(words) / 2


def _is_identifier(text: str) -> bool:
    inner = text[1:]
    return bool(
        "_" in text.strip("_")
        or re.search(r"[A-Za-z][.:/]+[A-Za-z]", text)
        or (re.search(r"\d", text) and re.search(r"[A-Za-z]", text))
        or (re.search(r"[a-z]", text) and re.search(r"[A-Z]", inner))
    )


def _latin_terms(token: str) -> list[Term]:
    token = token.rstrip(".:/'’-,").removesuffix("'s").removesuffix("’s")
    if not token:
        return []
    if _is_identifier(token):
        return [Term(token, _NAME_WEIGHT, key=True)]
    if token[0].isdigit():
        return [Term(token, _WORD_WEIGHT)]
    terms: list[Term] = []
    for word in re.split(r"[-/.:]+", token):
        folded = word.casefold().replace("’", "'")
        if len(folded) < 2 or folded in ENGLISH_STOP:
            continue
        generic = folded in ENGLISH_GENERIC or stem(folded) in ENGLISH_GENERIC
        weight = _GENERIC_WEIGHT if generic else _WORD_WEIGHT
        terms.append(Term(word, weight))
    return terms


def _chinese_terms(run: str) -> list[Term]:
    """The run parted at question words and fillers; a piece weighs by its characters, two make a word."""
    marked = CHINESE_SPLIT.sub(lambda match: match.group(1) or " ", run)
    return [Term(piece, sum(_chinese_weights(piece)) / 2, chinese=True) for piece in marked.split()]


@lru_cache(maxsize=512)
def _chinese_weights(piece: str) -> tuple[float, ...]:
    """A weight for each character: those of generic words count little."""
    weights = [_WORD_WEIGHT] * len(piece)
    for start in range(len(piece) - 1):
        if piece[start : start + 2] in CHINESE_GENERIC:
            weights[start] = weights[start + 1] = _GENERIC_WEIGHT
    return tuple(weights)


def covered(term: Term, profile: Profile) -> float:
    """How much of a term a text holds, 0 to 1. Words match by stem, Chinese by its parts of two characters and more."""
    folded = term.text.casefold()
    if folded in profile.text and (term.chinese or term.key):
        return 1.0
    if term.chinese and not term.key:
        return _chinese_covered(folded, profile.text)
    words = _LATIN.findall(folded)
    if not words or term.chinese:
        return 0.0
    if term.key and _is_identifier(term.text):
        return 0.0
    return float(all(_has_word(stem(word), profile) for word in words))


def _has_word(wanted: str, profile: Profile) -> bool:
    if wanted in profile.stems:
        return True
    return len(wanted) >= 5 and any(found.startswith(wanted) for found in profile.stems)


def _chinese_covered(piece: str, text: str) -> float:
    weights = _chinese_weights(piece)
    hit = [False] * len(piece)
    for start in range(len(piece) - 1):
        for end in range(len(piece), start + 1, -1):
            if piece[start:end] in text:
                hit[start:end] = [True] * (end - start)
                break
    total = sum(weights)
    return sum(weight for weight, found in zip(weights, hit, strict=True) if found) / total if total else 0.0


@lru_cache(maxsize=8192)
def stem(word: str) -> str:
    """A rough stem: plural, -ing, -ed, -ly and a last e go; enough to match forms of one word."""
    word = re.sub("['’]s$", "", word)
    for suffix, least in (("ies", 5), ("ing", 6), ("edly", 7), ("ed", 5), ("ly", 6), ("es", 5), ("s", 4)):
        if word.endswith(suffix) and len(word) >= least and not word.endswith("ss"):
            word = word[: -len(suffix)] + ("y" if suffix == "ies" else "")
            break
    if len(word) >= 4 and word[-1] == word[-2] and word[-1] not in "lsz":
        word = word[:-1]
    return word[:-1] if len(word) >= 5 and word.endswith("e") else word
