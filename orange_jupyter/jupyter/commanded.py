"""How a command ended and what it wrote, in words for record and controls (R-EXEC-6, R-EXEC-10)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

from orange_jupyter.core.visible import visible
from orange_jupyter.jupyter.items import Line
from orange_jupyter.jupyter.sheet import name, seconds
from orange_jupyter.jupyter.strings import Language, text
from orange_jupyter.jupyter.strings_exec import EXEC_WORDS

HEAD: Final = 1_500
TAIL: Final = 2_500
"""Characters of a stream that a record shows: its beginning and its end."""
_STREAMS: Final = ("stdout", "stderr")
_RAN: Final = ("allowed", "approved")


def is_command(line: Line) -> bool:
    """Whether the line is a command."""
    return line.tool == "exec"


def ended(line: Line, language: Language) -> str:
    """`Exit 0 after 4.1 s, output 2,114 bytes, 2 files changed`; "" for a call that did not run."""
    done = line.finished
    envelope: Mapping[str, Any] = done.envelope if done else {}
    if done is None or done.decision not in _RAN or "exitCode" not in envelope:
        return ""
    parts = [_how(envelope, language), *_amounts(envelope, language)]
    if not done.ok:
        parts.append(text(language, "exec.effects"))
    return (", " if language == "en" else "，").join(parts)


def _how(envelope: Mapping[str, Any], language: Language) -> str:
    took = seconds(float(envelope.get("durationSeconds", 0.0)), language)
    if envelope.get("timedOut"):
        return text(language, "exec.timed_out", seconds=took)
    if envelope.get("cancelled"):
        return text(language, "exec.stopped")
    if envelope.get("signal"):
        return text(language, "exec.signal", name=envelope["signal"], seconds=took)
    return text(language, "exec.exit", code=envelope["exitCode"], seconds=took)


def _amounts(envelope: Mapping[str, Any], language: Language) -> list[str]:
    said = []
    if "stdoutBytes" in envelope:
        count = int(envelope["stdoutBytes"]) + int(envelope.get("stderrBytes", 0))
        said.append(text(language, "exec.bytes", n=f"{count:,}"))
    changed = envelope.get("changedFiles")
    if isinstance(changed, list) and changed:
        said.append(text(language, "exec.files", n=f"{len(changed)}{'+' if len(changed) >= 100 else ''}"))
    return said


def streams(line: Line, language: Language) -> list[tuple[str, str]]:
    """(stream, its text: head and tail, invisible characters as escapes) of what a command wrote; nothing empty."""
    envelope: Mapping[str, Any] = line.finished.envelope if line.finished else {}
    found = []
    for stream in _STREAMS:
        written = envelope.get(stream)
        if isinstance(written, str) and written.strip():
            found.append((stream, visible(_ends(written.rstrip("\n"), language))[0]))
    return found


def whole_command(line: Line, language: Language) -> str:
    """The command where its line does not say all of it: head and tail of a long one; else ""."""
    command = line.arguments.get("command")
    if not isinstance(command, str) or " ".join(command.split()) == " ".join(line.target.split()):
        return ""
    return visible(_ends(command.strip("\n"), language))[0]


def _ends(written: str, language: Language) -> str:
    cut = len(written) - HEAD - TAIL
    if cut <= 0:
        return written
    left_out = text(language, "exec.left_out", n=f"{cut:,}")
    return f"{written[:HEAD]}\n{left_out}\n{written[-TAIL:]}"


def translated(said: str, language: Language) -> str:
    """A sentence of the tool in the person's language; any other text as it is."""
    if language == "en":
        return said
    for key, pattern in _patterns():
        found = pattern.fullmatch(said)
        if found:
            return text(language, key, **found.groupdict())
    return said


@lru_cache(maxsize=1)
def _patterns() -> list[tuple[str, re.Pattern[str]]]:
    made = []
    for key, (english, _) in EXEC_WORDS.items():
        if key.startswith("exec.said."):
            pattern = re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>.+)", re.escape(english))
            made.append((key, re.compile(pattern, re.DOTALL)))
    return made


def command_name(line: Line) -> str:
    """The command on one line, as a name."""
    return name(line.target)
