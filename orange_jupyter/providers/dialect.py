"""What a server takes: known by its host, and learnt from what it refuses by name (wire rows 15-17, 19, 20).

Differences between servers are rows here, not branches in the adapters.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from types import MappingProxyType

from orange_jupyter.providers.strings import MISTRAL_IDS, IdForm


class EmptyContent(StrEnum):
    """What stands as `content` beside tool calls when the model wrote no text (wire row 15)."""

    NULL = "null"
    EMPTY = "empty"
    ABSENT = "absent"


class ReplyFormat(StrEnum):
    """How a server is asked to keep a reply in form (R-MOD-10); TEXT: by the words of the prompt alone."""

    JSON_SCHEMA = "json_schema"
    JSON_OBJECT = "json_object"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class Dialect:
    """What one server takes. `ids` of None is the form of its API; `most_output` is a bound that it told, in tokens."""

    stream_options: bool = True
    max_tokens: str = "max_tokens"
    empty_content: EmptyContent = EmptyContent.NULL
    ids: IdForm | None = None
    most_output: int | None = None
    reasoning_effort: str | None = None
    images: bool = True
    reasoning: bool = True
    cache_marks: bool = True
    reply_format: ReplyFormat = ReplyFormat.JSON_SCHEMA


_NEW_LIMIT = "max_completion_tokens"

HOSTS: Mapping[str, Dialect] = MappingProxyType(
    {
        # max_tokens is deprecated there and refused by its reasoning models; the new name is taken by all
        "api.openai.com": Dialect(max_tokens=_NEW_LIMIT),
        # ids of exactly nine letters and digits; usage comes without asking (its release note of 2024-01-16)
        "api.mistral.ai": Dialect(ids=MISTRAL_IDS, stream_options=False, empty_content=EmptyContent.EMPTY),
        # its API reference: max_tokens is deprecated in favour of max_completion_tokens
        "api.groq.com": Dialect(max_tokens=_NEW_LIMIT),
    }
)
"""Hosts whose differences are documented; a host also stands for those under it. Every other one begins plain."""


def dialect_of(host: str) -> Dialect:
    """What is known of a server before its first answer; `host` may have a port."""
    name = host.rpartition("@")[2].partition(":")[0].casefold()
    found = [dialect for known, dialect in HOSTS.items() if name == known or name.endswith(f".{known}")]
    return found[0] if found else Dialect()


@dataclass(frozen=True, slots=True)
class Refused:
    """A server's refusal: its status, its words, and whether the request held pictures."""

    status: int
    said: str
    has_pictures: bool = False


@dataclass(frozen=True, slots=True)
class _Lesson:
    """Words of a refusal and what to do without from then on; a change that changes nothing is no lesson."""

    words: re.Pattern[str]
    change: Callable[[Dialect, re.Match[str]], Dialect]
    statuses: frozenset[int] = frozenset({400, 404, 413, 415, 422, 500, 501})  # 404 is OpenRouter's for pictures


def _lesson(words: str, change: Callable[[Dialect, re.Match[str]], Dialect], *statuses: int) -> _Lesson:
    pattern = re.compile(words, re.IGNORECASE | re.DOTALL)
    return _Lesson(pattern, change, frozenset(statuses)) if statuses else _Lesson(pattern, change)


def _lower(dialect: Dialect, found: re.Match[str]) -> Dialect:
    """A bound on the answer's length; one that is not lower than the last changes nothing."""
    told = int(next(group for group in found.groups() if group))
    return replace(dialect, most_output=min(told, dialect.most_output or told)) if told else dialect


def _not_null(dialect: Dialect, _: re.Match[str]) -> Dialect:
    null = dialect.empty_content is EmptyContent.NULL
    return replace(dialect, empty_content=EmptyContent.EMPTY) if null else dialect


def _looser(dialect: Dialect, _: re.Match[str]) -> Dialect:
    schema = dialect.reply_format is ReplyFormat.JSON_SCHEMA
    return replace(dialect, reply_format=ReplyFormat.JSON_OBJECT if schema else ReplyFormat.TEXT)


_LESSONS = (
    _lesson(r"stream_options|include_usage", lambda own, _: replace(own, stream_options=False)),
    _lesson(_NEW_LIMIT, lambda own, _: replace(own, max_tokens=_NEW_LIMIT)),
    # Anthropic: "max_tokens: 16384 > 8192, which is the maximum …"; OpenAI: "supports at most 4096 completion tokens"
    _lesson(r"max_tokens: \d+ > (\d+)|at most (\d+) (?:completion|output) tokens", _lower),
    _lesson(r"a-z, A-Z, 0-9, with a length of 9", lambda own, _: replace(own, ids=MISTRAL_IDS)),
    # LM Studio: "'content' field must be a string or an array of objects"
    _lesson(r"content\W.{0,60}(?:must|should) be an? (?:valid )?(?:string|array|list)|content\W.{0,30}null", _not_null),
    # OpenAI's newest models: "Function tools with reasoning_effort are not supported … set reasoning_effort to 'none'"
    _lesson(r"reasoning_effort.{0,200}none", lambda own, _: replace(own, reasoning_effort="none"), 400),
    # DeepSeek: "This response_format type is unavailable now"; llama.cpp: "failed to parse grammar"
    _lesson(r"response[_ ]?format|json[_ ](?:schema|object|mode)|structured[_ ]output|guided|grammar", _looser),
    _lesson(r"cache_control", lambda own, _: replace(own, cache_marks=False), 400, 422),
    _lesson(
        r"reasoning(?:_content|_text)?\b|\bsignature\b|thinking.{0,20} blocks?\b",
        lambda own, _: replace(own, reasoning=False),
        *(400, 422),
    ),
)
_PICTURE = _lesson(
    r"image|vision|multi-?modal|picture|图片|图像|content\W.{0,60}(?:must|should) be a (?:valid )?string",
    lambda own, _: replace(own, images=False),
)


def adapted(dialect: Dialect, refused: Refused) -> Dialect | None:
    """The dialect without what the refusal names; None if it names nothing that could be left out."""
    lessons = (*_LESSONS, _PICTURE) if refused.has_pictures else _LESSONS
    for lesson in lessons:
        found = lesson.words.search(refused.said)
        if found is None or refused.status not in lesson.statuses:
            continue
        after = lesson.change(dialect, found)
        if after != dialect:
            return after
    if refused.has_pictures and dialect.images and refused.status == 413:
        return replace(dialect, images=False)
    return None
