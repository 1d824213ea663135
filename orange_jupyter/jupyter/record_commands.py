"""What commands wrote, in the record: below each call, folded, its head and tail (R-EXEC-6, R-SAVE-1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from orange_jupyter.jupyter.commanded import is_command, streams, whole_command
from orange_jupyter.jupyter.markdown import escape
from orange_jupyter.jupyter.sheet import Sheet, name
from orange_jupyter.jupyter.view import Line

CALLS: Final = 20
"""Commands, the newest, whose output a record shows."""
_LINES: Final = 6
"""Lines of a command's output that Markdown and plain text show: its first and its last ones."""
_LINE: Final = 200


def outputs_html(paper: Sheet, lines: Sequence[Line]) -> list[str]:
    """For each call what it wrote, folded; "" for nothing."""
    named = _named(lines)
    return [_folded(paper, line) if line.call_id in named else "" for line in lines]


def outputs_lines(paper: Sheet, lines: Sequence[Line]) -> list[list[str]]:
    """For each call the first and last lines of what it wrote."""
    named = _named(lines)
    return [_few(paper, line) if line.call_id in named else [] for line in lines]


def unknown(paper: Sheet, line: Line) -> str:
    """What must be said of a command whose end nobody saw: its process was killed with the kernel."""
    return f", {paper.say('exec.effects')}" if is_command(line) and not paper.view.state.live else ""


def _named(lines: Sequence[Line]) -> frozenset[str]:
    return frozenset([line.call_id for line in lines if is_command(line)][-CALLS:])


def _folded(paper: Sheet, line: Line) -> str:
    command = whole_command(line, paper.language)
    parts = [(paper.say("exec.whole"), command)] if command else []
    parts += [(paper.say("exec.output", name=stream), words) for stream, words in streams(line, paper.language)]
    return "".join(
        f'<details class="oj-shots"><summary>{escape(title)}</summary>'
        f'<pre class="oj-out">{escape(words)}</pre></details>'
        for title, words in parts
    )


def _few(paper: Sheet, line: Line) -> list[str]:
    said = []
    for stream, words in streams(line, paper.language):
        rows = words.split("\n")
        cut = len(rows) - _LINES
        if cut > 0:
            rows = [*rows[: _LINES // 2], f"… (+{cut:,})", *rows[-_LINES // 2 :]]
        said += [f"{stream}: {name(row)[:_LINE]}" for row in rows]
    return said
