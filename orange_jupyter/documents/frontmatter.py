"""The YAML block at a note's head: its title and tags, read without trusting it (R-SRCH-5)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import Any

import yaml

_OPEN = re.compile(r"---[ \t]*(?:\r\n|\n|\r)")
_CLOSE = re.compile(r"^(?:---|\.\.\.)[ \t]*(?:\r\n|\n|\r|\Z)", re.MULTILINE)
_LIMIT = 65_536
_TITLE_LIMIT = 300
_MOST_BRACKETS = 500


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """`end` is where the note's body begins, 0 without front matter; tags are as written, without `#`."""

    end: int = 0
    title: str = ""
    tags: tuple[str, ...] = ()


class _Loader(yaml.SafeLoader):
    """Safe YAML whose merge keys (`<<`) are ordinary keys: chained merges would double the work at each step."""

    def flatten_mapping(self, node: yaml.MappingNode) -> None:
        """Leave `<<` alone."""
        for key, _ in node.value:
            if key.tag == "tag:yaml.org,2002:merge":
                key.tag = "tag:yaml.org,2002:str"


def read_front_matter(text: str) -> FrontMatter:
    """The front matter of a note. What is unclosed, longer than 65,536 characters or not a YAML mapping is text."""
    opening = _OPEN.match(text)
    closing = _CLOSE.search(text, opening.end(), opening.end() + _LIMIT) if opening else None
    if opening is None or closing is None:
        return FrontMatter()
    content = _load(text[opening.end() : closing.start()])
    if not isinstance(content, dict):
        return FrontMatter()
    fields = {key.casefold(): value for key, value in content.items() if isinstance(key, str)}
    title = next(_scalars(fields.get("title")), "")
    tags = [*_names(fields.get("tags")), *_names(fields.get("tag"))]
    return FrontMatter(closing.end(), " ".join(title.split())[:_TITLE_LIMIT], tuple(tags))


def _load(source: str) -> Any:
    if source.count("[") + source.count("{") > _MOST_BRACKETS:
        return None
    try:
        return yaml.load(source, Loader=_Loader)
    except (yaml.YAMLError, RecursionError, ValueError, OverflowError):
        return None


def _scalars(value: Any) -> Iterator[str]:
    """The strings, numbers and dates of a scalar or of a flat list; anything nested is left out."""
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, str):
            yield item
        elif isinstance(item, int | float | date) and not isinstance(item, bool):
            yield str(item)


def _names(value: Any) -> Iterator[str]:
    """Tags from a list or from one string, parted by commas or else by blanks."""
    for item in _scalars(value):
        parts = re.split(r"[,，、;；]", item)
        if len(parts) == 1 and not isinstance(value, list):
            parts = item.split()
        yield from (name for part in parts if (name := part.strip().lstrip("#").strip()))
