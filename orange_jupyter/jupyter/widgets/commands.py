"""A command on its card, and what it writes while it runs (R-APPR-1, R-EXEC-11; A07, A08)."""

from __future__ import annotations

import json
import re
from typing import Any, Final

from orange_jupyter.core.deltas import Output
from orange_jupyter.core.visible import visible
from orange_jupyter.jupyter.commanded import command_name, streams
from orange_jupyter.jupyter.items import Line
from orange_jupyter.jupyter.strings import Language, text
from orange_jupyter.jupyter.widgets.segments import Segment, segments

_BLANK: Final = "[ \t\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]"
_GAPS: Final = re.compile(rf"(?P<lines>(?:(?<=\n)|\A)(?:{_BLANK}*\n){{4,}})|(?P<spaces>{_BLANK}{{60,}})")
"""More than three blank lines, or so many blanks in a line that the rest is pushed out of sight."""


def command_segments(command: str, language: Language) -> list[Segment]:
    """The whole command; long runs of blank lines and blanks are one counted mark, look "gap"."""
    pieces: list[Segment] = []
    at = 0
    for found in _GAPS.finditer(command):
        pieces += segments(command[at : found.start()]) if found.start() > at else []
        run = found.group()
        if found["lines"] is not None:
            pieces += [(text(language, "exec.blank", n=f"{run.count(chr(10)):,}"), "gap"), ("\n", "")]
        else:
            pieces.append((text(language, "exec.spaces", n=f"{len(run):,}"), "gap"))
        at = found.end()
    return [*pieces, *segments(command[at:])] if at < len(command) or not pieces else pieces


def length(command: str, language: Language) -> str:
    """How much there is to read, for what does not fit a glance; "" for a short command."""
    lines = command.count("\n") + 1
    if lines <= 8 and len(command) <= 600:
        return ""
    return text(language, "exec.length", lines=f"{lines:,}", characters=f"{len(command):,}")


def live(item: Line, output: Output, language: Language) -> dict[str, Any]:
    """What a command has written so far, the newest of it; text and nothing else."""
    return {
        "kind": "output",
        "label": text(language, "exec.live", name=command_name(item)),
        "before": text(language, "exec.before", n=f"{output.left_out:,}") if output.left_out else "",
        "text": visible(output.text)[0],
    }


def written(item: Line, language: Language) -> str:
    """What a command wrote, as its unfolded line shows it."""
    found = streams(item, language)
    if not found:
        return text(language, "exec.nothing")
    return "\n\n".join(words if stream == "stdout" else f"{stream}:\n{words}" for stream, words in found)


def arguments(item: Line) -> str:
    """The command with its line breaks, then what else was given."""
    rest = {key: value for key, value in item.arguments.items() if key != "command"}
    more = f"\n\n{json.dumps(rest, ensure_ascii=False, indent=2)}" if rest else ""
    return f"{item.arguments.get('command', '')}{more}"
