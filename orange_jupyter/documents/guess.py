"""Which legacy encoding a text is in: each candidate's reading is scored by how likely its characters are.

charset-normalizer was wrong on 4 of 8 short samples, so it is not asked. The model is small: characters that a
language uses most, characters of its standard's first level, all others; letters between letters for Western text.
"""

from __future__ import annotations

import codecs
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from math import log

SURE_LENGTH = 300
"""From this many characters on a guess is taken as right (R-READ-13)."""

_SURE_MARGIN = 4.0
_JUDGED = 262_144
_SIMPLIFIED = (
    "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家"
)
_TRADITIONAL = (
    "的一是不了在人有我他這個們中來上大為和國地到以說時要就出會可也你對生能而子那得於著下自之年過發後作裡用道行所然家"
)
_PUNCTUATION = "，。、；：？！“”‘’（）《》「」『』—…· 　"
_WESTERN = "éèêëàâáäåãçñöóôøùúüûíîïßæœÉÈÀÄÅÖÜÇÑØÆ"
_MARKS = "“”‘’„«»–—…€°§·´×£©®½²³•\xa0"
_BOXES = "─│┌┐└┘├┤┬┴┼━┃═║╔╗╚╝╭╮╯╰■□▲△●○★☆→←↑↓"
_ASCII = log(1 / 40)
_LONE = re.compile(r"(?<=[A-Za-z])[⺀-鿿가-힣豈-\ufaff](?![⺀-鿿가-힣豈-\ufaff])")
_RUN = re.compile(r"[\x80-\uffff](?=[\x80-\uffff])")
_MIXED = re.compile(r"(?<=[A-Za-z])[Ѐ-ӿ]|[Ѐ-ӿ](?=[A-Za-z])")


@dataclass(frozen=True, slots=True)
class _Candidate:
    """An encoding: codecs to try in order, the most specific first, and how likely a character is in it.

    `odd` finds what text in it hardly ever holds: a lone hanzi after a Latin letter, two accented letters in a row.
    """

    codecs: tuple[str, ...]
    likelihood: Callable[[str], float]
    odd: re.Pattern[str] = _LONE


def guess(data: bytes) -> tuple[str, str, bool] | None:
    """(text, codec, uncertain) of the likeliest reading, or None when no candidate reads every byte.

    Uncertain: fewer than 300 characters, or the second-best reading is nearly as likely.
    """
    readings: list[tuple[float, str, str]] = []
    for candidate in _candidates():
        for codec in candidate.codecs:
            try:
                text = data.decode(codec)
            except UnicodeDecodeError:
                continue
            head = codecs.getincrementaldecoder(codec)().decode(data[:_JUDGED])
            readings.append((_score(head, candidate), text, codec))
            break
    if not readings:
        return None
    readings.sort(key=lambda reading: -reading[0])
    score, text, codec = readings[0]
    close = any(score - other < _SURE_MARGIN and rival != text for other, rival, _ in readings[1:])
    return text, codec, close or len(text) < SURE_LENGTH


def _score(text: str, candidate: _Candidate) -> float:
    total = 0.0
    for character, count in Counter(text).items():
        total += count * (_ASCII if character < "\x80" else candidate.likelihood(character))
    return total + log(0.03) * len(candidate.odd.findall(text))


@cache
def _candidates() -> tuple[_Candidate, ...]:
    hanzi = _level("gb2312", range(0xB0, 0xD8), range(0xA1, 0xFF))
    big5 = _level("big5", range(0xA4, 0xC7), [*range(0x40, 0x7F), *range(0xA1, 0xFF)])
    kanji = _level("euc_jp", range(0xB0, 0xD0), range(0xA1, 0xFF))
    hangul = _level("euc_kr", range(0xB0, 0xC9), range(0xA1, 0xFF))
    kana = frozenset(map(chr, [*range(0x3041, 0x3094), *range(0x30A1, 0x30FD)]))
    cyrillic = frozenset(map(chr, [*range(0x410, 0x450), 0x401, 0x451]))
    return (
        _Candidate(
            ("gb18030",), _tiers((_SIMPLIFIED, 0.3), (_PUNCTUATION, 0.12), (_BOXES, 0.03), (hanzi, 0.5), (big5, 0.06))
        ),
        _Candidate(
            ("big5", "cp950", "big5hkscs"),
            _tiers((_TRADITIONAL, 0.3), (_PUNCTUATION, 0.12), (_BOXES, 0.03), (big5, 0.5)),
        ),
        _Candidate(("shift_jis", "cp932"), _tiers((kana, 0.55), (_PUNCTUATION, 0.1), (_BOXES, 0.03), (kanji, 0.28))),
        _Candidate(("euc_jp",), _tiers((kana, 0.55), (_PUNCTUATION, 0.1), (_BOXES, 0.03), (kanji, 0.28))),
        _Candidate(("cp949",), _tiers((hangul, 0.9), (_PUNCTUATION, 0.03))),
        _Candidate(("cp1252",), _tiers((_WESTERN, 0.7), (_MARKS, 0.25)), _RUN),
        _Candidate(("cp1251",), _tiers((cyrillic, 0.9), (_MARKS, 0.05)), _MIXED),
    )


def _tiers(*tiers: tuple[str | frozenset[str], float]) -> Callable[[str], float]:
    """The log likelihood of a character: its tier's share spread evenly; what is in none shares what is left."""
    table: dict[str, float] = {}
    for characters, share in tiers:
        for character in characters:
            table.setdefault(character, log(share / len(characters)))
    rest, private = log(0.02 / 20_000), log(1e-8)

    def likelihood(character: str) -> float:
        if "\ue000" <= character <= "\uf8ff" or "\x80" <= character <= "\x9f":
            return private
        return table.get(character, rest)

    return likelihood


def _level(codec: str, leads: range, trails: range | list[int]) -> frozenset[str]:
    """The characters of a two-byte standard's first level."""
    pairs = (bytes((lead, trail)) for lead in leads for trail in trails)
    return frozenset("".join(pair.decode(codec, "ignore") for pair in pairs))
