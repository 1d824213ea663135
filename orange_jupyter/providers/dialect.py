"""What a server refuses by name is left out and the request sent again (wire rows 16, 17, 20)."""

from __future__ import annotations

import re
from dataclasses import replace

from orange_jupyter.providers.faults import Failure
from orange_jupyter.providers.wire import Dialect

_PICTURE = re.compile(r"image|vision|multi-?modal|picture|图片|图像", re.IGNORECASE)
_REFUSALS = frozenset({400, 404, 413, 415, 422, 500, 501})
"""Statuses under which servers were seen to name a field they do not take; 404 is OpenRouter's for pictures."""


def adapted(dialect: Dialect, failure: Failure, *, has_pictures: bool) -> Dialect | None:
    """The dialect without what the refusal names; None if it names nothing that could be left out."""
    if failure.status not in _REFUSALS:
        return None
    said = failure.text
    if dialect.stream_options and re.search(r"stream_options|include_usage", said):
        return replace(dialect, stream_options=False)
    if dialect.max_tokens == "max_tokens" and "max_completion_tokens" in said:
        return replace(dialect, max_tokens="max_completion_tokens")
    if dialect.reasoning and re.search(r"reasoning(?:_content|_text)?\b", said) and failure.status in (400, 422):
        return replace(dialect, reasoning=False)
    if dialect.images and has_pictures and (_PICTURE.search(said) or failure.status == 413):
        return replace(dialect, images=False)
    return None
